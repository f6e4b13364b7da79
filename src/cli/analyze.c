/* sluice analyze: which array indexes of a kernel can be calculated before it runs, and the bytes that a block reads
 * through them (TELEPORT, section 2 and Table 1). */
#include "cli/commands.h"

#include "base/arena.h"
#include "base/diag.h"
#include "flow/affine.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { KEY_KERNEL = 256, KEY_LAUNCH, KEY_ARG, KEY_JSON, KEY_GAP, KEY_ROWS };

enum { FIRST_POINTER = 0x10000000, SHOWN_ROWS = 16 };

struct analyze {
	const char *name; /* "sluice analyze" */
	const char *file, *kernel;
	const char **arg;
	size_t args;
	bool *used; /* by arg: some kernel has such a parameter */
	bool json, launched;
	struct affine_launch launch;
};

static const struct argp_option analyze_options[] = {
	{"kernel", KEY_KERNEL, "NAME", 0, "Only this kernel, by its name in the PTX file or in the source", 0},
	{"launch", KEY_LAUNCH, "GX,GY,GZ,BX,BY,BZ", 0,
         "Grid and block, or blocks and threads per block (G,B): show rows", 0},
	{"arg", KEY_ARG, "NAME=VALUE", 0,
         "A kernel argument; NAME is the parameter's, or its number from 0; may be repeated", 0},
	{"gap", KEY_GAP, "BYTES", 0, "Join ranges with gaps of up to so many bytes; default 128, a line", 0},
	{"rows", KEY_ROWS, "N", 0, "At most N rows for an index, longer ones rather than more; default 4096", 0},
	{"json", KEY_JSON, NULL, 0, "Print JSON", 0},
	{0},
};

static void set_launch(struct analyze *analyze, const char *text, const struct argp_state *state)
{
	uint32_t number[6], count = 0;
	const char *at = text;
	for (; count < 6; count++) {
		char *end;
		errno = 0;
		unsigned long value = strtoul(at, &end, 10);
		if (end == at || errno || value < 1 || value > INT32_MAX)
			break;
		number[count] = (uint32_t)value;
		at = end + (*end == ',');
		if (*end != ',') {
			count += *end == '\0';
			break;
		}
	}
	if (*at || (count != 2 && count != 6))
		argp_error(state, "--launch: expected BLOCKS,THREADS or GX,GY,GZ,BX,BY,BZ, not '%s'", text);
	struct affine_launch *launch = &analyze->launch;
	uint32_t half = count / 2;
	for (uint32_t i = 0; i < 3; i++) {
		launch->grid[i] = i < half ? number[i] : 1;
		launch->block[i] = i < half ? number[half + i] : 1;
	}
	analyze->launched = true;
}

static error_t parse(int key, char *value, struct argp_state *state)
{
	struct analyze *analyze = state->input;
	uint64_t number;
	switch (key) {
	case KEY_KERNEL:
		analyze->kernel = value;
		return 0;
	case KEY_LAUNCH:
		set_launch(analyze, value, state);
		return 0;
	case KEY_ARG:
		if (!strchr(value, '=') || *value == '=')
			argp_error(state, "--arg: expected NAME=VALUE, not '%s'", value);
		analyze->arg = xrealloc(analyze->arg, (analyze->args + 1) * sizeof *analyze->arg);
		analyze->arg[analyze->args++] = value;
		return 0;
	case KEY_GAP:
	case KEY_ROWS:
		number = cli_number(key == KEY_GAP ? "--gap" : "--rows", value, key == KEY_ROWS, state);
		if (number > 1 << 24)
			argp_error(state, "%s: at most %d", key == KEY_GAP ? "--gap" : "--rows", 1 << 24);
		*(key == KEY_GAP ? &analyze->launch.gap : &analyze->launch.max_rows) = (uint32_t)number;
		return 0;
	case KEY_JSON:
		analyze->json = true;
		return 0;
	case ARGP_KEY_ARG:
		if (analyze->file)
			argp_error(state, "expected one file, found '%s' too", value);
		analyze->file = value;
		return 0;
	case ARGP_KEY_END:
		if (!analyze->file)
			argp_error(state, "no file given");
		if (!analyze->launched && analyze->args)
			argp_error(state, "--arg needs --launch");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp analyze_argp = {
	.options = analyze_options,
	.parser = parse,
	.args_doc = "FILE.ptx|FILE.cu",
	.doc = "Show for each global load of a kernel whether its array index can be calculated before the kernel runs "
	       "(TELEPORT, section 2): strictly, and when loops whose bounds a launch knows count too. With --launch, "
	       "also "
	       "the index's range for each block and the bytes that a block reads.\v"
	       "Pointer arguments need not be given: ranges are bytes from the pointer. Without them two pointers are "
	       "taken "
	       "for far apart.",
};

/* A parameter's name without the kernel's before it. */
static const char *short_name(const struct ptx_function *function, const char *name)
{
	size_t length = strlen(function->name);
	return strncmp(name, function->name, length) == 0 && name[length] == '_' ? name + length + 1 : name;
}

static bool parse_value(enum ptx_type type, const char *text, uint8_t *bytes)
{
	char *end;
	errno = 0;
	if (type == PTX_F32 || type == PTX_F64) {
		double value = strtod(text, &end);
		float single = (float)value;
		memcpy(bytes, type == PTX_F64 ? (const void *)&value : (const void *)&single, ptx_type_bytes(type));
		return end != text && !*end;
	}
	uint64_t value = *text == '-' ? (uint64_t)strtoll(text, &end, 0) : strtoull(text, &end, 0);
	uint32_t bits = 8 * ptx_type_bytes(type);
	bool fits = bits >= 64 || value >> bits == 0 || (int64_t)value >= -(INT64_C(1) << (bits - 1));
	fits = fits && (*text == '-' || bits >= 64 || value >> bits == 0);
	memcpy(bytes, &value, bits / 8);
	return end != text && !*end && !errno && fits;
}

/* Fills in the arguments that are given; pointers that are not get places far from each other. False after a message. */
static bool set_arguments(struct analyze *analyze, const struct ptx_function *kernel, uint8_t *params, bool *known)
{
	uint32_t number = 0;
	for (const struct ptx_variable *param = kernel->params; param; param = param->next, number++) {
		char digits[16];
		snprintf(digits, sizeof digits, "%u", number);
		if (param->type == PTX_U64 && !param->dimensions) {
			uint64_t place = FIRST_POINTER * (uint64_t)(number + 1) * 256;
			memcpy(params + param->offset, &place, sizeof place);
			memset(known + param->offset, true, sizeof place);
		}
		for (size_t i = 0; i < analyze->args; i++) {
			const char *arg = analyze->arg[i], *value = strchr(arg, '=') + 1;
			size_t length = (size_t)(value - arg) - 1;
			const char *names[] = {param->name, short_name(kernel, param->name), digits};
			bool named = false;
			for (uint32_t n = 0; n < 3; n++)
				named |= strlen(names[n]) == length && strncmp(names[n], arg, length) == 0;
			if (!named)
				continue;
			analyze->used[i] = true;
			if (param->dimensions || ptx_type_bytes(param->type) > 8 ||
			    !parse_value(param->type, value, params + param->offset)) {
				cli_error(analyze->name, "--arg %s: '%s' is no value of type %s", arg, value,
				          param->dimensions ? "struct" : ptx_type_name(param->type));
				return false;
			}
			memset(known + param->offset, true, ptx_type_bytes(param->type));
		}
	}
	return true;
}

/* In elements, where they are whole ones; else in bytes. */
static int64_t unit_of(const struct affine_load *load, const struct affine_row *row)
{
	int64_t unit = load->element_bytes;
	for (uint32_t i = 0; i < 3; i++)
		if (row->ctaid[i] % unit)
			return 1;
	return row->low % unit ? 1 : unit;
}

/* The index's a1 for each dimension that has one, and a0: least/greatest. */
static void print_range(const struct affine_load *load, const struct affine_rows *rows)
{
	int64_t low = INT64_MAX, high = INT64_MIN;
	if (!rows->count) {
		puts(rows->why ? rows->why : "never read");
		return;
	}
	for (uint32_t i = 0; i < rows->count; i++) {
		low = rows->row[i].low < low ? rows->row[i].low : low;
		high = rows->row[i].high > high ? rows->row[i].high : high;
	}
	int64_t unit = unit_of(load, &rows->row[0]);
	fputs("a1 ", stdout);
	for (uint32_t i = 0; i < 3; i++)
		if (rows->row[0].ctaid[i])
			printf("%c:%" PRId64 " ", "xyz"[i], rows -> row[0].ctaid[i] / unit);
	if (!rows->row[0].ctaid[0] && !rows->row[0].ctaid[1] && !rows->row[0].ctaid[2])
		fputs("0 ", stdout);
	printf(" a0 %" PRId64 "/%" PRId64 "%s", low / unit, (high - (int64_t)load->element_bytes) / unit,
	       unit == 1 && load->element_bytes > 1 ? " bytes" : "");
	if (rows->count > 1)
		printf("  %u rows", rows->count);
	puts(rows->is_hull ? " (joined)" : "");
}

struct counts {
	uint32_t arrays, indexes, strict[AFFINE_STATUSES], relaxed[AFFINE_STATUSES];
};

static const char *array_name(const struct affine_kernel *kernel, const struct affine_load *load, char *room,
                              size_t size)
{
	if (!load->array)
		return "?";
	const char *name = short_name(kernel->function, load->array->name);
	if (!load->is_parameter || !load->array->dimensions)
		return name;
	snprintf(room, size, "%s.%" PRIu64, name, load->array_offset);
	return room;
}

static void print_counts(const char *title, const struct counts *counts)
{
	printf("%s: %u array%s, %u index%s\n", title, counts->arrays, counts->arrays == 1 ? "" : "s", counts->indexes,
	       counts->indexes == 1 ? "" : "es");
	for (uint32_t form = 0; form < 2; form++) {
		const uint32_t *of = form ? counts->relaxed : counts->strict;
		printf("  %-8s", form ? "relaxed" : "strict");
		for (uint32_t s = 0; s < AFFINE_STATUSES; s++)
			printf("%s%u %s", s ? ", " : "", of[s], affine_status_name((enum affine_status)s));
		putchar('\n');
	}
}

static void print_rows(const struct affine_kernel *kernel, struct arena *arena, const struct affine_launch *launch)
{
	struct affine_rows all = affine_footprints(arena, kernel, launch);
	if (all.count)
		puts("  bytes that a block reads, [low, high) + x, y, z times blockIdx:");
	for (uint32_t i = 0; i < all.count && i < SHOWN_ROWS; i++) {
		const struct affine_row *row = &all.row[i];
		printf("    %-12s [%" PRId64 ", %" PRId64 ")  x %" PRId64 "  y %" PRId64 "  z %" PRId64 "\n",
		       short_name(kernel->function, row->array->name), row->low, row->high, row->ctaid[0],
		       row->ctaid[1], row->ctaid[2]);
	}
	if (all.count > SHOWN_ROWS)
		printf("    and %u rows more; --json has them all\n", all.count - SHOWN_ROWS);
}

static void print_kernel(const struct affine_kernel *kernel, struct arena *arena, const struct affine_launch *launch,
                         const struct counts *counts)
{
	print_counts(kernel->function->name, counts);
	if (kernel->calls)
		puts("  it calls functions, whose loads are not shown");
	if (kernel->loads)
		printf("  %-12s %5s  %-12s %-12s %-40s%s\n", "array", "line", "status", "relaxed", "index",
		       launch ? "  min/max" : "");
	for (uint32_t i = 0; i < kernel->loads; i++) {
		const struct affine_load *load = &kernel->load[i];
		char room[128];
		printf("  %-12s %5u  %-12s %-12s ", array_name(kernel, load, room, sizeof room), load->source_line,
		       affine_status_name(load->status), affine_status_name(load->relaxed));
		if (!launch) {
			puts(load->expression);
			continue;
		}
		struct affine_rows rows = affine_footprint(arena, kernel, load, launch);
		printf("%-40s  ", load->expression);
		print_range(load, &rows);
	}
	if (launch)
		print_rows(kernel, arena, launch);
}

static json_t *row_json(const struct affine_row *row)
{
	return json_pack("{s:[III], s:I, s:I}", "ctaid", (json_int_t)row->ctaid[0], (json_int_t)row->ctaid[1],
	                 (json_int_t)row->ctaid[2], "low", (json_int_t)row->low, "high", (json_int_t)row->high);
}

static json_t *load_json(const struct affine_kernel *kernel, const struct affine_load *load, struct arena *arena,
                         const struct affine_launch *launch)
{
	char room[128];
	const char *file = ptx_file_name(kernel->function->module, load->source_file);
	json_t *index = json_pack("{s:s?, s:I, s:s, s:s, s:s, s:I, s:I}", "array",
	                          load->array ? array_name(kernel, load, room, sizeof room) : NULL, "line",
	                          (json_int_t)load->source_line, "expression", load->expression, "status",
	                          affine_status_name(load->status), "relaxed", affine_status_name(load->relaxed),
	                          "bytes", (json_int_t)load->bytes, "element_bytes", (json_int_t)load->element_bytes);
	json_object_set_new(index, "file", file ? json_string(file) : json_null());
	json_object_set_new(index, "ptx_line", json_integer((json_int_t)kernel->function->body[load->inst].place.line));
	struct affine_rows rows = {.why = "no launch given"};
	if (launch)
		rows = affine_footprint(arena, kernel, load, launch);
	json_t *list = json_array();
	for (uint32_t i = 0; i < rows.count; i++)
		json_array_append_new(list, row_json(&rows.row[i]));
	json_object_set_new(index, "rows", list);
	json_object_set_new(index, "joined", json_boolean(rows.is_hull));
	json_object_set_new(index, "why", rows.why ? json_string(rows.why) : json_null());
	return index;
}

static json_t *kernel_json(const struct affine_kernel *kernel, struct arena *arena, const struct affine_launch *launch)
{
	json_t *indexes = json_array();
	for (uint32_t i = 0; i < kernel->loads; i++)
		json_array_append_new(indexes, load_json(kernel, &kernel->load[i], arena, launch));
	return json_pack("{s:s, s:I, s:b, s:o}", "name", kernel->function->name, "arrays", (json_int_t)kernel->arrays,
	                 "calls", kernel->calls, "indexes", indexes);
}

/* Whether a kernel is the one wanted: as it is called in PTX, or mangled (_Z3fooPKf is foo). */
static bool is_wanted(const struct analyze *analyze, const struct ptx_function *function)
{
	char mangled[256];
	if (!function->is_entry || !function->has_body)
		return false;
	if (!analyze->kernel || strcmp(analyze->kernel, function->name) == 0)
		return true;
	int length = snprintf(mangled, sizeof mangled, "_Z%zu%s", strlen(analyze->kernel), analyze->kernel);
	return length < (int)sizeof mangled && strncmp(function->name, mangled, (size_t)length) == 0;
}

static bool show_kernel(struct analyze *analyze, const struct ptx_function *function, struct counts *total,
                        json_t *kernels)
{
	struct arena arena = {0};
	struct affine_launch launch = analyze->launch;
	struct counts counts = {0};
	uint8_t *params = arena_alloc(&arena, function->param_bytes + 8);
	bool *known = arena_alloc(&arena, function->param_bytes + 8);
	bool good = set_arguments(analyze, function, params, known);
	launch.params = params;
	launch.known = known;
	const struct affine_launch *at = analyze->launched ? &launch : NULL;
	const struct affine_kernel *kernel = good ? affine_analyze(&arena, function) : NULL;
	if (good) {
		counts.arrays = kernel->arrays;
		counts.indexes = kernel->loads;
		for (uint32_t i = 0; i < kernel->loads; i++) {
			counts.strict[kernel->load[i].status]++;
			counts.relaxed[kernel->load[i].relaxed]++;
		}
		total->arrays += counts.arrays;
		total->indexes += counts.indexes;
		for (uint32_t s = 0; s < AFFINE_STATUSES; s++) {
			total->strict[s] += counts.strict[s];
			total->relaxed[s] += counts.relaxed[s];
		}
	}
	if (good && analyze->json) {
		json_array_append_new(kernels, kernel_json(kernel, &arena, at));
	} else if (good) {
		print_kernel(kernel, &arena, at, &counts);
		putchar('\n');
	}
	arena_free(&arena);
	return good;
}

static int show(struct analyze *analyze, const struct ptx_module *module)
{
	struct counts total = {0};
	uint32_t shown = 0;
	bool good = true;
	json_t *root = json_object(), *kernels = json_array();
	json_object_set_new(root, "kernels", kernels);
	for (const struct ptx_function *function = module->functions; function && good; function = function->next)
		if (is_wanted(analyze, function)) {
			good = show_kernel(analyze, function, &total, kernels);
			shown++;
		}
	for (size_t i = 0; i < analyze->args && good && shown; i++)
		if (!analyze->used[i]) {
			cli_error(analyze->name, "--arg %s: no kernel shown has such a parameter", analyze->arg[i]);
			good = false;
		}
	if (!shown) {
		cli_error(analyze->name, "%s: no kernel%s%s", analyze->file, analyze->kernel ? " " : "",
		          analyze->kernel ? analyze->kernel : "");
		good = false;
	}
	if (good && analyze->json) {
		json_dumpf(root, stdout, JSON_INDENT(1));
		putchar('\n');
	} else if (good && shown > 1) {
		print_counts("all kernels", &total);
	}
	json_decref(root);
	return good ? 0 : CLI_USAGE;
}

/* Compiles CUDA source to PTX as 'sluice cc --ptx' does, into the text. */
static int compile(const struct analyze *analyze, char **text, size_t *length)
{
	const char *folder = getenv("TMPDIR");
	char path[PATH_MAX];
	if (snprintf(path, sizeof path, "%s/sluice-analyze-XXXXXX", folder && *folder ? folder : "/tmp") >=
	    (int)sizeof path) {
		cli_error(analyze->name, "TMPDIR is too long");
		return CLI_FAILED;
	}
	int file = mkstemp(path);
	if (file < 0) {
		cli_error(analyze->name, "cannot make %s: %s", path, strerror(errno));
		return CLI_FAILED;
	}
	close(file);
	char *words[] = {"sluice cc", "--ptx", (char *)analyze->file, "-o", path, NULL};
	int status = command_cc(5, words);
	if (status == 0 && !(*text = cli_read_file(path, length))) {
		cli_error(analyze->name, "cannot read %s: %s", path, strerror(errno));
		status = CLI_FAILED;
	}
	unlink(path);
	return status;
}

/* The PTX of the file; *text stays NULL after an error message. */
static int read_ptx(const struct analyze *analyze, char **text, size_t *length)
{
	size_t name = strlen(analyze->file);
	if (name > 3 && strcmp(analyze->file + name - 3, ".cu") == 0)
		return compile(analyze, text, length);
	*text = cli_read_file(analyze->file, length);
	if (*text)
		return 0;
	cli_error(analyze->name, "cannot read %s: %s", analyze->file, strerror(errno));
	return CLI_USAGE;
}

int command_analyze(int argc, char **argv)
{
	struct analyze analyze = {.name = argv[0], .launch = {.gap = 128}};
	if (argp_parse(&analyze_argp, argc, argv, 0, NULL, &analyze) != 0)
		return CLI_USAGE;
	size_t length;
	char *text = NULL;
	int status = read_ptx(&analyze, &text, &length);
	if (text) {
		struct diag diag = {0};
		struct ptx_module *module = ptx_parse(analyze.file, text, length, &diag);
		analyze.used = xcalloc(analyze.args + 1, sizeof *analyze.used);
		if (diag.text)
			fputs(diag.text, stderr);
		status = module ? show(&analyze, module) : CLI_FAILED;
		if (module)
			ptx_free(module);
		diag_free(&diag);
	}
	free(analyze.used);
	free(analyze.arg);
	free(text);
	return status;
}
