/* api: what the files behind include/sluice.h share. */
#ifndef SLUICE_API_API_H
#define SLUICE_API_API_H

#include "sluice.h"

#include "api/attach.h"
#include "api/footprint.h"
#include "api/record.h"
#include "api/stats_file.h"
#include "flow/affine.h"
#include "flow/flow.h"
#include "gpu/gpu.h"
#include "simt/check.h"

struct sluice_kernel {
	const struct ptx_function *function;
	sluice_module *module;
	struct ptx_module *rewritten; /* whose `function` is, or NULL: the module's own */
	struct flow_spills spills;    /* what the rewriting cost */
	struct sluice_kernel *tighter; /* the same kernel in fewer registers, for large blocks: a list */
	uint32_t limit;                /* of one in that list: the registers a thread that it was made for */
	struct simt_program *program; /* decoded at first use */
	uint64_t code;                /* its offset in the code space */
	uint32_t code_room;           /* instructions that fit there */
	uint32_t registers;           /* allocated; 0: not yet known */
	uint32_t *line;               /* by pc, of the source; NULL: nobody has asked yet */
	struct affine_kernel *loads;  /* kernel_loads() */
	struct arena arena;           /* holds them */
};

/* What the program says that blocks will read. */
struct announcements {
	struct sluice_range *range;
	uint32_t count;
	bool used; /* the program has said something, if only that it says nothing */
};

struct sluice_module {
	sluice_gpu *gpu;
	struct ptx_module *ptx;
	struct sluice_kernel *kernel;
	size_t kernels;
	uint64_t constant_bytes;
	sluice_module *next;
};

/* kernel.NAME.registers=N and kernel.NAME.max_registers=N: one of them is given, the other 0. */
struct kernel_setting {
	char *kernel;
	uint32_t registers, max_registers;
};

struct sluice_gpu {
	struct machine machine;
	struct attachments attachments;
	struct gpu *gpu;
	bool functional;
	uint64_t max_instructions, instructions; /* thread instructions: limit (0: none), executed so far */
	void (*progress)(void *user, const char *kernel, uint64_t blocks_done, uint64_t blocks, uint64_t cycles,
	                 uint64_t warp_instructions);
	void *progress_user;
	struct simt_checks *checks; /* or NULL: nothing is looked for */
	struct footprint *footprint; /* or NULL: reads are not held against rows */
	bool whole_warp_barriers;
	void (*finding)(void *user, const char *text);
	void *finding_user;
	atomic_bool stop; /* sluice_stop() */
	struct announcements announced;
	struct kernel_setting *kernel_settings;
	size_t kernel_setting_count;
	sluice_module *modules;
	struct records records;
	struct stats_file stats_file;
	uint64_t functional_launches;
	uint64_t code_bytes; /* of all programs prepared so far */
};

/* Fills *error, when there is one, and returns `status`. */
__attribute__((format(printf, 3, 4))) enum sluice_status api_fail(struct sluice_error *error, enum sluice_status status,
                                                                  const char *format, ...);
enum sluice_status api_succeed(struct sluice_error *error);

/* check.c: the setting's words as a set, for api_open_checks() when the gpu's memory is there. */
unsigned api_parse_checks(const char *check, struct diag *diag);
enum sluice_status api_open_checks(sluice_gpu *gpu, unsigned kinds, struct sluice_error *error);
/* Before a launch, whose parameters are in place; and after it, to say what it has found. */
void api_begin_checks(sluice_gpu *gpu, sluice_kernel *kernel, struct simt_launch *launch);
void api_end_checks(sluice_gpu *gpu, const struct simt_launch *launch);

/* mechanism.c: what mechanisms may ask of a launch. */
struct launch_analyses {
	sluice_gpu *gpu;
	sluice_kernel *kernel;
	const struct simt_launch *launch;
	struct arena arena;
};
struct seam_analyses api_analyses(struct launch_analyses *known);
/* By pc: lines of the CUDA source. */
const uint32_t *api_source_lines(sluice_kernel *kernel);
/* What they have counted in the launch. */
void api_record_mechanisms(const sluice_gpu *gpu, sluice_kernel *kernel, struct record *record);

/* Allocates the kernel's registers and decodes it, once. */
enum sluice_status prepare_kernel(sluice_kernel *kernel, struct sluice_error *error);
/* The static analyzer's account of the kernel's loads, made at first use. */
const struct affine_kernel *kernel_loads(sluice_kernel *kernel);
/* Threads of the largest block: what the machine takes, or less where the kernel says so (.reqntid, .maxntid). */
uint32_t kernel_max_threads(const struct machine *machine, const struct ptx_function *function);

/* registers.c: registers per thread: what kernel.NAME.registers says, else our allocation. */
uint32_t kernel_registers(const sluice_kernel *kernel);
/* Allocates the kernel's registers; where it asks for more than it may have, rewrites it, once. */
enum sluice_status kernel_allocate(sluice_kernel *kernel, struct sluice_error *error);
/* Changes *kernel to one in fewer registers where not one block of the kernel, which is prepared, would have room. */
enum sluice_status kernel_for_block(sluice_kernel **kernel, uint32_t block_threads, uint64_t shared_bytes,
                                    struct sluice_error *error);
void kernel_close(sluice_kernel *kernel);

#endif
