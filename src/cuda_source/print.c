/* print: the table of indexes, and the counts of each status. */
#include "cuda_source/source.h"

static void print_counts(const char *what, const struct source_counts *counts, FILE *out)
{
	fprintf(out, "%s: %u kernel%s, %u arrays, %u indexes\n", what, counts->kernels, counts->kernels == 1 ? "" : "s",
	        counts->arrays, counts->indexes);
	for (int relaxed = 0; relaxed < 2; relaxed++) {
		const uint32_t *of = relaxed ? counts->relaxed : counts->strict;
		fprintf(out, "  %-8s", relaxed ? "relaxed" : "strict");
		for (int i = 0; i < SOURCE_STATUSES; i++)
			fprintf(out, "%s %s %u", i ? "," : "", source_status_name((enum source_status)i), of[i]);
		fputc('\n', out);
	}
}

static void print_kernel(const struct source_kernel *kernel, FILE *out)
{
	fprintf(out, "%s (%s:%u)\n", kernel->name, kernel->file, kernel->line);
	fputs("  arrays:", out);
	for (uint32_t i = 0; i < kernel->array_count; i++)
		fprintf(out, "%s %s", i ? "," : "", kernel->arrays[i].name);
	fputs("\n", out);
	if (kernel->index_count)
		fprintf(out, "  %-16s %5s  %-13s %-13s %s\n", "array", "line", "strict", "relaxed", "index");
	for (uint32_t i = 0; i < kernel->index_count; i++) {
		const struct source_index *index = &kernel->indexes[i];
		fprintf(out, "  %-16s %5u  %-13s %-13s %s", kernel->arrays[index->array].name, index->line,
		        source_status_name(index->status), source_status_name(index->relaxed), index->text);
		if (index->expanded)
			fprintf(out, " = %s%s", index->expanded, index->affine ? "" : " (not affine)");
		fputc('\n', out);
	}
}

static void source_print_table(const struct source_module *module, FILE *out)
{
	struct source_counts all = {0};
	for (uint32_t i = 0; i < module->kernel_count; i++) {
		struct source_counts counts = {0};
		print_kernel(&module->kernels[i], out);
		source_count(&module->kernels[i], &counts);
		source_count(&module->kernels[i], &all);
		print_counts("  counts", &counts, out);
		fputc('\n', out);
	}
	print_counts(module->file, &all, out);
}

bool source_print(const char *file, const struct source_options *options, enum source_format format, FILE *out,
                  struct diag *diag)
{
	struct source_module *module = source_analyze(file, options, diag);
	if (!module)
		return false;
	bool fine = true;
	if (format == SOURCE_TABLE)
		source_print_table(module, out);
	else
		fine = source_annotate(module, format, out, diag);
	source_free(module);
	return fine;
}
