/* kernel: a kernel of a module, made ready for launches once: registers, spills, decoded code, what analysis knows of it. */
#ifndef SLUICE_API_KERNEL_H
#define SLUICE_API_KERNEL_H

#include "sluice.h"

#include "api/error.h"
#include "base/arena.h"
#include "flow/flow.h"
#include "gpu/machine.h"

struct affine_kernel;
struct profile_kernel;
struct flow_loads;
struct flow_staging;
struct meets;

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
	uint32_t prefers_shared;      /* sluice_kernel_prefer_shared(): percent plus 1; 0: not set */
	struct profile_kernel *profile; /* where its launches are counted (api/profile_file.h); NULL: they are not yet */
	uint32_t *line;               /* by pc, of the source; NULL: nobody has asked yet */
	struct affine_kernel *loads;  /* kernel_loads() */
	struct flow_loads *all_loads; /* kernel_all_loads() */
	struct flow_staging *staging; /* kernel_staging() */
	const struct meets *meets;    /* api/alone.c; NULL: nobody has asked yet */
	struct arena arena;           /* holds them */
};

/* Room for that many instructions in the code space: where it begins. Functions lie behind each other, in the order of the PTX. */
uint64_t kernel_place_code(sluice_gpu *gpu, uint32_t instructions);
/* Allocates the kernel's registers and decodes it, once. */
enum sluice_status kernel_prepare(sluice_kernel *kernel, struct sluice_error *error);
/* Changes *kernel to one in fewer registers where not one block of the kernel, which is prepared, would have room. */
enum sluice_status kernel_for_block(sluice_kernel **kernel, uint32_t block_threads, uint64_t shared_bytes,
                                    struct sluice_error *error);
/* The static analyzer's account of the kernel's loads, made at first use. */
const struct affine_kernel *kernel_loads(sluice_kernel *kernel);
/* Its loads and those of the functions that it calls, and which of them are indirect: found at first use. */
const struct flow_loads *kernel_all_loads(sluice_kernel *kernel);
/* Its code that stages tiles in shared memory, found at first use. */
const struct flow_staging *kernel_staging(sluice_kernel *kernel);
/* By pc: lines of the CUDA source. */
const uint32_t *kernel_source_lines(sluice_kernel *kernel);
void kernel_close(sluice_kernel *kernel);

/* registers.c: registers per thread: what kernel.NAME.registers says, else our allocation. */
uint32_t kernel_registers(const sluice_kernel *kernel);
/* Whether kernel.NAME.registers says so: then nothing is spilled. */
bool kernel_registers_are_set(const sluice_kernel *kernel);
/* Threads of the largest block: what the machine takes, or less where the kernel says so (.reqntid, .maxntid). */
uint32_t kernel_max_threads(const struct machine *machine, const struct ptx_function *function);
/* Allocates the kernel's registers; where it asks for more than it may have, rewrites it, once. */
enum sluice_status kernel_allocate(sluice_kernel *kernel, struct sluice_error *error);

#endif
