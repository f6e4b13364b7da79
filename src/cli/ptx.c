/* sluice ptx: shows static properties of a PTX file. */
#include "cli/commands.h"
#include "cli/kernel_ptx.h"

#include "base/arena.h"
#include "flow/flow.h"
#include "ptx/mix.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_PRINT = 256, KEY_CFG, KEY_REGISTERS };

enum { DEFAULT_THREADS = 256, MOST_REGISTERS = 1024 };

struct ptx {
	const char *name; /* "sluice ptx" */
	const char *machine, *file;
	struct cli_options options;
	uint32_t threads;   /* 0: what the kernel declares */
	uint32_t registers; /* limit per thread; 0: what the kernel needs */
	char registers_option[64];
	bool print, print_cfg;
};

static const struct argp_option ptx_options[] = {
	{"machine", 'm', "MACHINE", 0, "Machine whose occupancy is shown; default gtx480", 0},
	{"option", 'o', "KEY=VALUE", 0, "Change one key of the machine; may be repeated", 0},
	{"threads", 't', "N", 0, "Threads per block for the occupancy; default: the kernel's own, else 256", 0},
	{"registers", KEY_REGISTERS, "N", 0,
         "Registers per thread: the others are spilled to local memory, as with sm.registers_per_thread=N", 0},
	{"print", KEY_PRINT, NULL, 0, "Print the module as PTX", 0},
	{"cfg", KEY_CFG, NULL, 0, "Print the control flow of each function for Graphviz", 0},
	{0},
};

/* Sets the limit, and the machine option for it. */
static void set_registers(struct ptx *ptx, uint64_t registers, struct argp_state *state)
{
	if (registers > MOST_REGISTERS)
		cli_usage(state, "--registers %" PRIu64 "; expected at most %d", registers, MOST_REGISTERS);
	ptx->registers = (uint32_t)registers;
	snprintf(ptx->registers_option, sizeof ptx->registers_option, "sm.registers_per_thread=%" PRIu32,
	         ptx->registers);
	cli_add_option(&ptx->options, ptx->registers_option, state);
}

static error_t parse_option(int key, char *value, struct argp_state *state)
{
	struct ptx *ptx = state->input;
	uint64_t threads;
	switch (key) {
	case 'm':
		ptx->machine = value;
		return 0;
	case 'o':
		cli_add_option(&ptx->options, value, state);
		return 0;
	case 't':
		threads = cli_number("--threads", value, 1, state);
		ptx->threads = threads > UINT32_MAX ? UINT32_MAX : (uint32_t)threads;
		return 0;
	case KEY_REGISTERS:
		set_registers(ptx, cli_number("--registers", value, 1, state), state);
		return 0;
	case KEY_PRINT:
		ptx->print = true;
		return 0;
	case KEY_CFG:
		ptx->print_cfg = true;
		return 0;
	case ARGP_KEY_ARG:
		if (ptx->file)
			cli_usage(state, "expected one file, found '%s' too", value);
		ptx->file = value;
		return 0;
	case ARGP_KEY_END:
		if (!ptx->file)
			cli_usage(state, "no file given");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp ptx_argp = {
	.options = ptx_options,
	.parser = parse_option,
	.args_doc = "FILE.ptx|FILE.cu",
	.doc = "Show the kernels of a PTX file, or of CUDA source: registers, shared and local memory, parameters, "
	       "occupancy on a machine and what limits it, and the instruction mix.",
};

/* Prints the opcodes, most frequent first, in lines of eight. */
static void print_opcodes(const struct ptx_mix *mix)
{
	bool shown[PTX_OPCODES] = {false};
	for (uint32_t row = 0; row < PTX_OPCODES; row++) {
		uint32_t most = PTX_OPCODES;
		for (uint32_t op = 0; op < PTX_OPCODES; op++)
			if (!shown[op] && mix->opcode[op] &&
			    (most == PTX_OPCODES || mix->opcode[op] > mix->opcode[most]))
				most = op;
		if (most == PTX_OPCODES)
			break;
		shown[most] = true;
		fputs(row == 0 ? "  opcodes       " : row % 8 == 0 ? ",\n                " : ", ", stdout);
		printf("%s %u", ptx_op_name((enum ptx_opcode)most), mix->opcode[most]);
	}
	putchar('\n');
}

/* Prints the address spaces that memory instructions access. */
static void print_spaces(const struct ptx_mix *mix)
{
	const char *before = "  memory        ";
	for (uint32_t space = 0; space < PTX_SPACES; space++) {
		if (!mix->space[space])
			continue;
		const char *name = space == PTX_GENERIC ? "generic" : ptx_space_name((enum ptx_space)space);
		printf("%s%s %u", before, name, mix->space[space]);
		before = ", ";
	}
	putchar('\n');
}

static void print_mix(const struct ptx_function *function)
{
	static const char *const units[] = {[PTX_UNIT_SP] = "SP", [PTX_UNIT_SFU] = "SFU", [PTX_UNIT_MEM] = "memory"};
	struct ptx_mix mix;
	ptx_mix_count(function, &mix);
	printf("  instructions  %u", mix.instructions);
	for (uint32_t unit = 0; unit < PTX_UNITS && mix.instructions; unit++)
		printf("%s%s %u (%.0f %%)", unit ? ", " : ": ", units[unit], mix.unit[unit],
		       100.0 * mix.unit[unit] / mix.instructions);
	putchar('\n');
	if (mix.unit[PTX_UNIT_MEM])
		print_spaces(&mix);
	if (mix.instructions)
		print_opcodes(&mix);
}

/* Returns the threads per block: as given, as declared by the kernel's directives, or a typical number. */
static uint32_t block_threads(const struct ptx *ptx, const struct ptx_function *kernel)
{
	uint64_t most = ptx_most_block_threads(kernel);
	if (ptx->threads)
		return ptx->threads;
	return !most ? DEFAULT_THREADS : most < UINT32_MAX ? (uint32_t)most : UINT32_MAX;
}

/* `registers`: the kernel's allocation before it is tightened for large blocks. */
static bool print_occupancy(const struct ptx *ptx, sluice_gpu *gpu, sluice_kernel *kernel, uint32_t threads,
                            uint32_t registers)
{
	static const char *const limits[] = {
		[SLUICE_BY_THREADS] = "threads",
		[SLUICE_BY_REGISTERS] = "registers",
		[SLUICE_BY_SHARED] = "shared memory",
		[SLUICE_BY_BLOCK_SLOTS] = "block slots",
	};
	struct sluice_error error = {0};
	struct sluice_occupancy occupancy = {SLUICE_SIZED(occupancy)};
	struct sluice_machine_info machine = {SLUICE_SIZED(machine_info)};
	sluice_machine_info(gpu, &machine);
	if (sluice_occupancy(gpu, kernel, threads, 0, &occupancy, &error) != SLUICE_OK) {
		cli_library_error(ptx->name, &error);
		return false;
	}
	printf("  occupancy     %.0f %% on %s: %u blocks of %u threads per SM, %u warps; limited by %s",
	       100 * occupancy.occupancy, machine.name, occupancy.blocks_per_sm, threads, occupancy.warps_per_sm,
	       limits[occupancy.limit]);
	if (occupancy.registers < registers && occupancy.spill_bytes == 0)
		printf("; there with %u registers", occupancy.registers);
	else if (occupancy.registers < registers)
		printf("; there with %u registers and %u bytes of spills", occupancy.registers, occupancy.spill_bytes);
	putchar('\n');
	return true;
}

static bool print_kernel(const struct ptx *ptx, sluice_gpu *gpu, sluice_module *loaded,
                         const struct ptx_function *function)
{
	struct sluice_error error = {0};
	struct sluice_kernel_info info = {SLUICE_SIZED(kernel_info)};
	sluice_kernel *kernel = sluice_find_kernel(loaded, function->name);
	if (!kernel) {
		cli_error(ptx->name, "%s: kernel '%s' was not loaded", ptx->file, function->name);
		return false;
	}
	if (sluice_kernel_info(gpu, kernel, &info, &error) != SLUICE_OK) {
		cli_library_error(ptx->name, &error);
		return false;
	}
	printf("\n%s\n", function->name);
	printf("  registers     %u per thread\n", info.registers);
	if (info.spill_bytes)
		printf("  spills        %u bytes per thread, %u loads, %u stores\n", info.spill_bytes, info.spill_loads,
		       info.spill_stores);
	printf("  shared        %u bytes per block\n", info.shared_bytes);
	printf("  local         %u bytes per thread\n", info.local_bytes);
	printf("  parameters    %u, %u bytes\n", info.param_count, info.param_bytes);
	bool fine = print_occupancy(ptx, gpu, kernel, block_threads(ptx, function), info.registers);
	print_mix(function);
	return fine;
}

static bool print_kernels(const struct ptx *ptx, const struct ptx_module *module, sluice_gpu *gpu,
                          sluice_module *loaded)
{
	uint32_t kernels = 0, functions = 0;
	bool fine = true;
	for (const struct ptx_function *function = module->functions; function; function = function->next) {
		kernels += function->is_entry && function->has_body;
		functions += !function->is_entry && function->has_body;
	}
	printf("%s: PTX %u.%u, %s, %u kernel%s, %u function%s\n", ptx->file, module->version_major,
	       module->version_minor, module->target, kernels, kernels == 1 ? "" : "s", functions,
	       functions == 1 ? "" : "s");
	for (const struct ptx_function *function = module->functions; function; function = function->next)
		if (function->is_entry && function->has_body)
			fine = print_kernel(ptx, gpu, loaded, function) && fine;
	return fine;
}

/* Loads the text into a machine and shows its kernels there. */
static int show(const struct ptx *ptx, const struct ptx_module *module, const char *text, size_t length)
{
	sluice_gpu *gpu;
	sluice_module *loaded;
	struct sluice_error error = {0};
	struct sluice_settings settings = {SLUICE_SIZED(settings), .machine = ptx->machine,
	                                   .options = ptx->options.list};
	if (sluice_open(&gpu, &settings, &error) != SLUICE_OK) {
		cli_library_error(ptx->name, &error);
		return CLI_USAGE;
	}
	int status = CLI_FAILED;
	if (sluice_load(gpu, text, length, ptx->file, &loaded, &error) != SLUICE_OK)
		cli_library_error(ptx->name, &error);
	else if (print_kernels(ptx, module, gpu, loaded))
		status = 0;
	sluice_close(gpu);
	return status;
}

static void print_cfgs(const struct ptx_module *module)
{
	for (const struct ptx_function *function = module->functions; function; function = function->next) {
		struct arena arena = {0};
		if (function->has_body)
			flow_cfg_print(flow_cfg_build(&arena, function), stdout);
		arena_free(&arena);
	}
}

/* Rewrites the kernels with spills, as they would run. */
static bool spill_kernels(const struct ptx *ptx, struct ptx_module *module)
{
	bool fine = true;
	for (const struct ptx_function *function = module->functions; function; function = function->next) {
		struct flow_spills spills;
		if (!function->is_entry || !function->has_body || flow_kernel_fits(function, ptx->registers) ||
		    flow_spill(module, function, ptx->registers, &spills))
			continue;
		cli_error(ptx->name, "%s: kernel '%s' needs %u registers, even with all others in local memory",
		          ptx->file, function->name, flow_kernel_registers(function));
		fine = false;
	}
	return fine;
}

/* Prints the module or its control-flow graph. */
static int print_module(const struct ptx *ptx, struct ptx_module *module)
{
	if (ptx->registers && !spill_kernels(ptx, module))
		return CLI_FAILED;
	if (ptx->print)
		ptx_print(module, stdout);
	else
		print_cfgs(module);
	return 0;
}

int command_ptx(int argc, char **argv)
{
	struct ptx ptx = {.name = argv[0]};
	if (cli_parse(&ptx_argp, argc, argv, 0, &ptx) != 0)
		return CLI_USAGE;
	size_t length;
	char *text = NULL;
	int status = cli_read_ptx_text(ptx.name, ptx.file, NULL, &text, &length);
	if (!text) {
		free(ptx.options.list);
		return status;
	}
	struct diag diag = {0};
	struct ptx_module *module = ptx_parse(ptx.file, text, length, &diag);
	if (diag.text)
		fputs(diag.text, stderr);
	status = module ? 0 : CLI_FAILED;
	if (module && (ptx.print || ptx.print_cfg))
		status = print_module(&ptx, module);
	else if (module)
		status = show(&ptx, module, text, length);
	if (module)
		ptx_free(module);
	diag_free(&diag);
	free(text);
	free(ptx.options.list);
	return status;
}
