/* sluice analyze: shows which array indexes of a kernel can be calculated before it runs, and the bytes that a block
 * reads through them. CUDA source is analyzed in two forms: the source, and its PTX. */
#include "cli/analyze/analyze.h"
#include "cli/commands.h"
#include "cli/kernel_ptx.h"
#include "cli/source_file.h"
#include "base/file.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { KEY_KERNEL = 256, KEY_LAUNCH, KEY_ARG, KEY_JSON, KEY_GAP, KEY_ROWS, KEY_FORM };

static const struct argp_option analyze_options[] = {
	{"form", KEY_FORM, "FORM", 0, "source, ptx or both; default: both for CUDA source", 0},
	{"kernel", KEY_KERNEL, "NAME", 0, "Only this kernel, by its name in the PTX file or in the source", 0},
	{"launch", KEY_LAUNCH, "GX,GY,GZ,BX,BY,BZ", 0,
         "Sizes of grid and block, or blocks and threads per block (G,B); also shows the bytes that each block reads",
         0},
	{"arg", KEY_ARG, "NAME=VALUE", 0,
         "A kernel argument; NAME is the parameter's name, its number from 0, or a name that the source form needs (a "
         "member of a structure, a template argument); may be repeated",
         0},
	{"gap", KEY_GAP, "BYTES", 0, "Join ranges with gaps of at most BYTES; default 128, one line", 0},
	{"rows", KEY_ROWS, "N", 0, "At most N rows per index; beyond N, rows become longer; default 4096", 0},
	{"json", KEY_JSON, NULL, 0, "Print JSON", 0},
	{0, 'I', "FOLDER", 0, "Also look for included files in FOLDER", 0},
	{0, 'D', "NAME[=VALUE]", 0, "Define a macro", 0},
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
		cli_usage(state, "--launch: expected BLOCKS,THREADS or GX,GY,GZ,BX,BY,BZ, not '%s'", text);
	struct affine_launch *launch = &analyze->launch;
	uint32_t half = count / 2;
	for (uint32_t i = 0; i < 3; i++) {
		launch->grid[i] = i < half ? number[i] : 1;
		launch->block[i] = i < half ? number[half + i] : 1;
	}
	analyze->launched = true;
}

static void add_flag(struct analyze *analyze, int key, const char *value)
{
	size_t size = strlen(value) + 3;
	char *flag = arena_alloc(&analyze->arena, size);
	analyze->flags = base_realloc(analyze->flags, (analyze->flag_count + 2) * sizeof *analyze->flags);
	snprintf(flag, size, "-%c%s", key, value);
	analyze->flags[analyze->flag_count++] = flag;
	analyze->flags[analyze->flag_count] = NULL;
}

static unsigned read_form(const char *value, const struct argp_state *state)
{
	static const char *const words[] = {"source", "ptx", "both", NULL};
	const char *word = cli_choice("--form", value, words, state);
	return strcmp(word, "source") == 0 ? ANALYZE_SOURCE : strcmp(word, "ptx") == 0 ? ANALYZE_PTX : ANALYZE_BOTH;
}

static void finish_options(struct analyze *analyze, const struct argp_state *state)
{
	if (!analyze->file)
		cli_usage(state, "no file given");
	size_t length = strlen(analyze->file);
	analyze->is_source = length > 3 && strcmp(analyze->file + length - 3, ".cu") == 0;
	if (!analyze->is_source && analyze->forms & ANALYZE_SOURCE)
		cli_usage(state, "--form: PTX has no source form; give a .cu file");
	if (!analyze->forms)
		analyze->forms = analyze->is_source ? ANALYZE_BOTH : ANALYZE_PTX;
	if (!analyze->launched && analyze->args)
		cli_usage(state, "--arg needs --launch");
	analyze->used = arena_array(&analyze->arena, analyze->args, sizeof *analyze->used);
}

static error_t parse_option(int key, char *value, struct argp_state *state)
{
	struct analyze *analyze = state->input;
	uint64_t number;
	switch (key) {
	case KEY_FORM:
		analyze->forms = read_form(value, state);
		return 0;
	case KEY_KERNEL:
		analyze->kernel = value;
		return 0;
	case KEY_LAUNCH:
		set_launch(analyze, value, state);
		return 0;
	case KEY_ARG:
		if (!strchr(value, '=') || *value == '=')
			cli_usage(state, "--arg: expected NAME=VALUE, not '%s'", value);
		analyze->arg = base_realloc(analyze->arg, (analyze->args + 1) * sizeof *analyze->arg);
		analyze->arg[analyze->args++] = value;
		return 0;
	case KEY_GAP:
	case KEY_ROWS:
		number = cli_number(key == KEY_GAP ? "--gap" : "--rows", value, key == KEY_ROWS, state);
		if (number > 1 << 24)
			cli_usage(state, "%s: at most %d", key == KEY_GAP ? "--gap" : "--rows", 1 << 24);
		*(key == KEY_GAP ? &analyze->launch.gap : &analyze->launch.max_rows) = (uint32_t)number;
		return 0;
	case KEY_JSON:
		analyze->json = true;
		return 0;
	case 'I':
	case 'D':
		add_flag(analyze, key, value);
		return 0;
	case ARGP_KEY_ARG:
		if (analyze->file)
			cli_usage(state, "expected one file, found '%s' too", value);
		analyze->file = value;
		return 0;
	case ARGP_KEY_END:
		finish_options(analyze, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp analyze_argp = {
	.options = analyze_options,
	.parser = parse_option,
	.args_doc = "FILE.ptx|FILE.cu",
	.doc = "Show for each global load of a kernel whether its array index can be calculated before the kernel "
	       "runs: strictly, and also when loops with bounds known at launch count (relaxed). With --launch, it "
	       "also shows the index's range for each block and the bytes that a block reads. CUDA source is analyzed "
	       "in two forms, as source and as the PTX that the compiler makes from it. Then both are compared.\v"
	       "Pointer arguments are optional: ranges are bytes from the pointer. Without them, two pointers are "
	       "assumed to be far apart.",
};

/* The listings of both forms of a file, and which of them are shown. */
struct forms {
	struct source_module *source_module;
	struct ptx_module *ptx_module;
	struct listings source, ptx;
};

/* True when the PTX kernel was compiled from this source kernel. */
static bool is_made_of(struct analyze *analyze, const struct forms *forms, uint32_t ptx, const struct listing *source)
{
	return analyze_find_source(&analyze->arena, &forms->source, forms->ptx.list[ptx]->function) == source;
}

static void print_text(struct analyze *analyze, const struct forms *forms)
{
	bool both = analyze->forms == ANALYZE_BOTH;
	for (uint32_t i = 0; i < forms->source.count && analyze->forms & ANALYZE_SOURCE; i++) {
		const struct listing *source = forms->source.list[i];
		uint32_t made = 0;
		analyze_print_listing(analyze, source);
		for (uint32_t k = 0; k < forms->ptx.count && both; k++) {
			if (!is_made_of(analyze, forms, k, source))
				continue;
			analyze_print_listing(analyze, forms->ptx.list[k]);
			analyze_print_differences(forms->ptx.list[k],
			                          analyze_compare(analyze, source, forms->ptx.list[k]));
			made++;
		}
		if (both && !made)
			puts("comparison: the PTX form has no such kernel");
		putchar('\n');
	}
	for (uint32_t k = 0; k < forms->ptx.count; k++)
		if (!both || is_made_of(analyze, forms, k, NULL)) {
			analyze_print_listing(analyze, forms->ptx.list[k]);
			if (both)
				puts("comparison: the source form has no such kernel");
			putchar('\n');
		}
	if (analyze->forms & ANALYZE_SOURCE)
		analyze_print_total(analyze->file, &forms->source);
	analyze_print_total(analyze->file, &forms->ptx);
}

static json_t *source_json(struct analyze *analyze, const struct forms *forms, const struct listing *source)
{
	json_t *kernel = analyze_listing_json(source), *made = json_array();
	if (analyze->forms != ANALYZE_BOTH) {
		json_decref(made);
		return kernel;
	}
	for (uint32_t k = 0; k < forms->ptx.count; k++) {
		const struct listing *ptx = forms->ptx.list[k];
		if (!is_made_of(analyze, forms, k, source))
			continue;
		json_array_append_new(made, analyze_listing_json(ptx));
		analyze_differences_json(kernel, ptx, analyze_compare(analyze, source, ptx));
	}
	json_object_set_new(kernel, "ptx", made);
	return kernel;
}

static void print_json(struct analyze *analyze, const struct forms *forms)
{
	json_t *root = json_object(), *kernels = json_array();
	json_object_set_new(root, "kernels", kernels);
	for (uint32_t i = 0; i < forms->source.count && analyze->forms & ANALYZE_SOURCE; i++)
		json_array_append_new(kernels, source_json(analyze, forms, forms->source.list[i]));
	for (uint32_t k = 0; k < forms->ptx.count; k++)
		if (analyze->forms == ANALYZE_PTX || is_made_of(analyze, forms, k, NULL))
			json_array_append_new(kernels, analyze_listing_json(forms->ptx.list[k]));
	json_dumpf(root, stdout, JSON_INDENT(1));
	putchar('\n');
	json_decref(root);
}

static int read_ptx(struct analyze *analyze, struct forms *forms)
{
	int status = cli_read_ptx(analyze->name, analyze->file, analyze->flags, &forms->ptx_module);
	if (status != 0)
		return status;
	return analyze_read_ptx(analyze, forms->ptx_module, &forms->source, &forms->ptx) ? 0 : CLI_USAGE;
}

/* Reads the source form, also when only the PTX form was requested: it has the parameters' names. Then a source that
 * this form cannot read is not an error. */
static int read_source(struct analyze *analyze, struct forms *forms)
{
	struct cli_source file;
	struct diag diag = {0};
	bool needed = analyze->forms & ANALYZE_SOURCE;
	if (access(analyze->file, R_OK) != 0) {
		cli_error(analyze->name, "cannot read %s: %s", analyze->file, file_reason());
		return CLI_USAGE;
	}
	if (!cli_source_open(&file, analyze->name, analyze->file, analyze->flags))
		return CLI_FAILED;
	forms->source_module = source_analyze(analyze->file, &file.options, &diag);
	cli_source_close(&file);
	if (forms->source_module)
		analyze_read_source(analyze, forms->source_module, &forms->source);
	if (diag.text && needed)
		fputs(diag.text, stderr);
	diag_free(&diag);
	return needed && !forms->source_module ? CLI_FAILED : 0;
}

static int show(struct analyze *analyze, const struct forms *forms)
{
	if (!forms->ptx.count && (!forms->source.count || analyze->forms == ANALYZE_PTX)) {
		cli_error(analyze->name, "%s: no kernel%s%s", analyze->file, analyze->kernel ? " " : "",
		          analyze->kernel ? analyze->kernel : "");
		return CLI_USAGE;
	}
	for (size_t i = 0; i < analyze->args; i++)
		if (!analyze->used[i]) {
			cli_error(analyze->name, "--arg %s: no kernel shown has such a parameter", analyze->arg[i]);
			return CLI_USAGE;
		}
	if (analyze->json)
		print_json(analyze, forms);
	else
		print_text(analyze, forms);
	return 0;
}

int command_analyze(int argc, char **argv)
{
	struct analyze analyze = {.name = argv[0], .launch = {.gap = 128}};
	struct forms forms = {0};
	if (cli_parse(&analyze_argp, argc, argv, 0, &analyze) != 0)
		return CLI_USAGE;
	int status = analyze.is_source ? read_source(&analyze, &forms) : 0;
	if (status == 0 && analyze.forms & ANALYZE_PTX)
		status = read_ptx(&analyze, &forms);
	if (status == 0)
		status = show(&analyze, &forms);
	if (forms.ptx_module)
		ptx_free(forms.ptx_module);
	source_free(forms.source_module);
	free(analyze.flags);
	free(analyze.arg);
	arena_free(&analyze.arena);
	return status;
}
