/* Prints the table of kernel indexes, with the paper's status of each. */
#include "base/csv.h"
#include "cli/figure/source.h"
#include "lab/report.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The text of an empty cell. */
#define NONE "-"

/* Array, line, index as written (the CSV has it in terms of blockIdx and threadIdx), status, paper's status, a1, a0. */
#define INDEX_LINE "%-10s %4s  %-20s %-12s %-13s %-12s %s\n"

/* A walk over the indexes of all rows. */
struct walk {
	struct program_request *request;
	const struct experiment *experiment;
	const struct figure_index_visitor *visitor;
	size_t visited; /* indexes of the row so far */
};

static uint32_t how_many(const struct source_term *term, enum source_symbol_kind kind)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < term->count; i++)
		count += term->symbols[i]->kind == kind;
	return count;
}

/* Prints "2*width" or "-(blockDim.x - 1)": the term's product times `coefficient`, without block indexes, and with
 * thread indexes at their maximum. */
static void print_product(const struct source_term *term, int64_t coefficient, bool *any, FILE *out)
{
	bool factors = false;
	uint64_t size = coefficient < 0 ? -(uint64_t)coefficient : (uint64_t)coefficient;
	fputs(coefficient < 0 ? *any ? " - " : "-" : *any ? " + " : "", out);
	*any = true;
	if (size != 1 || term->count == how_many(term, SOURCE_BLOCK_IDX)) {
		fprintf(out, "%" PRIu64, size);
		factors = true;
	}
	for (uint32_t i = 0; i < term->count; i++) {
		const struct source_symbol *symbol = term->symbols[i];
		if (symbol->kind == SOURCE_BLOCK_IDX)
			continue;
		fputs(factors ? "*" : "", out);
		if (symbol->kind == SOURCE_THREAD_IDX)
			fprintf(out, "(blockDim.%c - 1)", "xyz"[symbol->axis]);
		else
			fputs(symbol->name, out);
		factors = true;
	}
}

/* Returns the number of bytes per element; 1 when the index's terms are not whole elements. The offset of a member is
 * not part of the index. */
static int64_t unit_of(const struct source_kernel *kernel, const struct source_index *index)
{
	int64_t size = kernel->arrays[index->array].element_size;
	for (uint32_t i = 0; i < index->term_count && size > 0; i++)
		if (index->terms[i].count && index->terms[i].coefficient % size)
			return 1;
	return size > 0 ? size : 1;
}

static int64_t scaled(const struct source_term *term, int64_t unit)
{
	int64_t coefficient = term->coefficient / unit;
	return coefficient - (term->coefficient % unit < 0);
}

/* Prints the factor of each block index. */
static void print_a1(const struct source_index *index, int64_t unit, FILE *out)
{
	bool any_axis = false, only_x = true;
	for (uint32_t i = 0; i < index->term_count; i++)
		for (uint32_t k = 0; k < index->terms[i].count; k++)
			only_x &= index->terms[i].symbols[k]->kind != SOURCE_BLOCK_IDX ||
			          index->terms[i].symbols[k]->axis == 0;
	for (uint32_t axis = 0; axis < 3; axis++) {
		bool any = false;
		for (uint32_t i = 0; i < index->term_count; i++)
			for (uint32_t k = 0; k < index->terms[i].count; k++) {
				const struct source_symbol *symbol = index->terms[i].symbols[k];
				if (symbol->kind != SOURCE_BLOCK_IDX || symbol->axis != axis)
					continue;
				if (!any && !only_x)
					fprintf(out, "%s%c: ", any_axis ? ", " : "", "xyz"[axis]);
				print_product(&index->terms[i], scaled(&index->terms[i], unit), &any, out);
				any_axis = true;
			}
	}
	if (!any_axis)
		fputc('0', out);
}

/* Prints the minimum or the maximum of the rest. Launch constants are treated as sizes, which are not negative. */
static void print_a0(const struct source_index *index, int64_t unit, bool most, FILE *out)
{
	bool any = false;
	for (uint32_t i = 0; i < index->term_count; i++) {
		const struct source_term *term = &index->terms[i];
		int64_t coefficient = scaled(term, unit);
		bool varies = how_many(term, SOURCE_THREAD_IDX);
		if (coefficient && !how_many(term, SOURCE_BLOCK_IDX) && (!varies || most == (coefficient > 0)))
			print_product(term, coefficient, &any, out);
	}
	if (!any)
		fputc('0', out);
}

/* Returns a1 and a0 as texts from malloc; "-" when the index is not precalculable or not affine. */
static void ranges(const struct source_kernel *kernel, const struct source_index *index, char **a1, char **a0)
{
	int64_t unit = unit_of(kernel, index);
	bool shown = source_precalculable(index->status) && index->affine;
	size_t length;
	FILE *out = open_memstream(a1, &length);
	if (!out)
		abort();
	if (shown)
		print_a1(index, unit, out);
	else
		fputs(NONE, out);
	fclose(out);
	out = open_memstream(a0, &length);
	if (!out)
		abort();
	if (shown) {
		print_a0(index, unit, false, out);
		fputc('/', out);
		print_a0(index, unit, true, out);
		fputs(unit == 1 && kernel->arrays[index->array].element_size != 1 ? " bytes" : "", out);
	} else {
		fputs(NONE, out);
	}
	fclose(out);
}

/* Begins a kernel's table. */
static void print_kernel(void *context, const struct experiment_row *row, const struct plan_program *program,
                         const struct source_kernel *kernel)
{
	(void)context;
	printf("\n%s: %s, %s\n" INDEX_LINE, row->name, program->name, kernel->name, "array", "line", "index", "status",
	       "paper", "a1", "a0: least/most");
}

static void print_index(void *context, const struct figure_index *of)
{
	FILE *csv = context;
	const struct source_kernel *kernel = of->kernel;
	const struct source_index *index = of->index;
	char line[16], *a1, *a0;
	const char *expression = index->expanded ? index->expanded : index->text;
	const char *paper = of->paper ? of->paper : NONE;
	const char *array = kernel->arrays[index->array].name, *status = source_status_name(index->status);
	ranges(kernel, index, &a1, &a0);
	snprintf(line, sizeof line, "%u", index->line);
	printf(INDEX_LINE, array, line, index->text, status, paper, a1, a0);
	const char *const fields[] = {of->row->name,
	                              of->program->name,
	                              of->program->variant,
	                              kernel->name,
	                              array,
	                              line,
	                              expression,
	                              status,
	                              paper,
	                              a1,
	                              a0};
	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
		if (i)
			fputc(',', csv);
		csv_text(strcmp(fields[i], NONE) == 0 ? "" : fields[i], csv);
	}
	fputc('\n', csv);
	free(a1);
	free(a0);
}

static void visit_kernel(struct walk *walk, const struct experiment_row *row, const struct plan_program *program,
                         const struct source_kernel *kernel)
{
	const struct figure_index_visitor *visitor = walk->visitor;
	if (visitor->kernel)
		visitor->kernel(visitor->context, row, program, kernel);
	for (uint32_t k = 0; k < kernel->index_count; k++, walk->visited++) {
		const struct figure_index index = {
			.row = row,
			.program = program,
			.kernel = kernel,
			.index = &kernel->indexes[k],
			.paper = walk->visited < row->stated.count &&
		                                 !experiment_is_nothing(row->stated.word[walk->visited])
		                         ? row->stated.word[walk->visited]
		                         : NULL};
		visitor->index(visitor->context, &index);
	}
}

static bool visit_row(struct walk *walk, size_t number)
{
	struct program_request *request = walk->request;
	const struct experiment_row *row = &walk->experiment->rows[number];
	struct plan_program program;
	const char *where =
		experiment_where(&request->arena, walk->experiment, experiment_program_place(walk->experiment, row));
	const char *variant = row->variants.count ? row->variants.word[0] : NULL;
	bool fine = figure_find_of_row(request, walk->experiment, row, variant, &program);
	struct source_module *module = fine ? figure_analyze(request, figure_source_path(request, program.name)) : NULL;
	walk->visited = 0;
	if (!module)
		return false;
	for (uint32_t i = 0; i < module->kernel_count; i++) {
		const struct source_kernel *kernel = &module->kernels[i];
		bool runs = false;
		fine = figure_kernel_runs(request, &program, kernel->name, &runs) && fine;
		if (runs && (!row->kernel || strcmp(row->kernel, kernel->name) == 0))
			visit_kernel(walk, row, &program, kernel);
	}
	source_free(module);
	if (!walk->visited) {
		cli_error(where, "%s: no index to show", row->name);
		return false;
	}
	if (row->stated.count && row->stated.count != walk->visited) {
		cli_error(experiment_where(&request->arena, walk->experiment,
		                           experiment_row_place(walk->experiment, row, "published")),
		          "%s: %zu published for %zu indexes", row->name, row->stated.count, walk->visited);
		return false;
	}
	return fine;
}

bool figure_visit_indexes(struct program_request *request, const struct experiment *experiment,
                          const struct figure_index_visitor *visitor)
{
	struct walk walk = {.request = request, .experiment = experiment, .visitor = visitor};
	bool fine = true;
	for (size_t r = 0; r < experiment->row_count; r++)
		fine = visit_row(&walk, r) && fine;
	return fine;
}

int figure_indexes(struct program_request *request, const struct experiment *experiment, const char *out,
                   const char *name)
{
	char path[PATH_MAX];
	struct file_new place;
	FILE *csv = NULL;
	snprintf(path, sizeof path, "%s/%s.csv", out, name);
	if ((mkdir(out, 0777) != 0 && errno != EEXIST) || !(csv = file_new_stream(&place, path))) {
		cli_error(request->name, "cannot write %s: %s", path, strerror(errno));
		return CLI_FAILED;
	}
	report_title(experiment, stdout);
	fputs("row,program,variant,kernel,array,line,index,status,paper,a1,a0\n", csv);
	const struct figure_index_visitor visitor = {.context = csv, .kernel = print_kernel, .index = print_index};
	bool fine = figure_visit_indexes(request, experiment, &visitor);
	if (experiment->note) {
		putchar('\n');
		report_text(experiment->note, stdout);
	}
	if (!file_new_finish(&place, csv)) {
		cli_error(request->name, "cannot write %s: %s", path, strerror(errno));
		fine = false;
	}
	if (fine)
		printf("\n%s\n", path);
	return fine ? 0 : CLI_FAILED;
}
