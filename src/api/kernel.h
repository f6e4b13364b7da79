/* kernel: one kernel of a module, prepared for launches once: registers, spills, decoded code, results of analyses. */
#ifndef SLUICE_API_KERNEL_H
#define SLUICE_API_KERNEL_H

#include "sluice.h"

#include "attach/error.h"
#include "base/arena.h"
#include "flow/flow.h"
#include "gpu/machine.h"

struct affine_kernel;
struct profile_kernel;
struct flow_loads;
struct flow_staging;
struct alias_info;

struct sluice_kernel {
	const struct ptx_function *function;
	sluice_module *module;
	struct ptx_module *rewritten; /* the module that holds `function` after rewriting; NULL: `module` */
	struct flow_spills spills;    /* cost of the rewriting */
	struct sluice_kernel *tighter; /* list of versions of this kernel with fewer registers, for large blocks */
	uint32_t limit;                /* of a version in that list: its limit of registers per thread */
	struct simt_program *program; /* decoded at first use */
	uint64_t code;                /* its offset in the code space */
	uint32_t code_room;           /* instructions that fit there */
	uint32_t registers;           /* allocated; 0: not yet known */
	uint32_t prefers_shared;      /* sluice_kernel_prefer_shared(): percent plus 1; 0: not set */
	struct profile_kernel *profile; /* counts its launches (output/profile_file.h); NULL: not yet created */
	uint32_t *line;               /* line of the CUDA source by pc; NULL: not yet computed */
	struct affine_kernel *loads;  /* kernel_loads() */
	struct flow_loads *all_loads; /* kernel_all_loads() */
	struct flow_staging *staging; /* kernel_staging() */
	const struct alias_info *alias;    /* alias analysis for api/run_ahead.c; NULL: not yet computed */
	struct arena arena;           /* owns the results above */
};

/* Reserves space for the instructions in the code space and returns its offset. Functions follow each other in PTX
 * order. */
uint64_t kernel_place_code(sluice_gpu *gpu, uint32_t instructions);
/* Allocates the kernel's registers and decodes it, once. */
enum sluice_status kernel_prepare(sluice_kernel *kernel, struct sluice_error *error);
/* Called for a prepared kernel. If not even one block would fit on an SM, sets *kernel to a version with fewer
 * registers. */
enum sluice_status kernel_for_block(sluice_kernel **kernel, uint32_t block_threads, uint64_t shared_bytes,
                                    struct sluice_error *error);
/* Returns the static analyzer's description of the kernel's loads. Computed at first use. */
const struct affine_kernel *kernel_loads(sluice_kernel *kernel);
/* Returns the loads of the kernel and of the functions it calls, and which of them are indirect. Computed at first
 * use. */
const struct flow_loads *kernel_all_loads(sluice_kernel *kernel);
/* Returns the kernel's code that stages tiles in shared memory. Computed at first use. */
const struct flow_staging *kernel_staging(sluice_kernel *kernel);
/* Returns the line of the CUDA source, by pc. */
const uint32_t *kernel_source_lines(sluice_kernel *kernel);
void kernel_close(sluice_kernel *kernel);

/* registers.c: returns the registers per thread: the value of kernel.NAME.registers if given, else our allocation. */
uint32_t kernel_registers(const sluice_kernel *kernel);
/* True when kernel.NAME.registers sets the number. Then nothing is spilled. */
bool kernel_registers_are_set(const sluice_kernel *kernel);
/* Returns the threads of the largest block: the machine's limit, or the kernel's own smaller one (.reqntid,
 * .maxntid). */
uint32_t kernel_max_threads(const struct machine *machine, const struct ptx_function *function);
/* Allocates the kernel's registers. If it needs more than its limit, rewrites it, once. */
enum sluice_status kernel_allocate(sluice_kernel *kernel, struct sluice_error *error);

#endif
