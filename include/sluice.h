/* sluice: the public C API of libsluice, a cycle-level GPU simulator.
 *
 *   struct sluice_error error;
 *   struct sluice_settings settings = {.machine = "gtx480"};
 *   sluice_gpu *gpu;
 *   if (sluice_open(&gpu, &settings, &error) != SLUICE_OK) ...
 *   sluice_module *module;
 *   sluice_load(gpu, ptx_text, ptx_length, "vecadd.ptx", &module, &error);
 *   sluice_kernel *kernel = sluice_find_kernel(module, "vecadd");
 *   uint64_t a; sluice_alloc(gpu, bytes, &a, &error); sluice_write(gpu, a, host, bytes, &error);
 *   void *arguments[] = {&a, &b, &c, &n};
 *   sluice_launch(gpu, kernel, (sluice_dim){grid, 1, 1}, (sluice_dim){256, 1, 1}, 0, arguments, &error);
 *   sluice_stats_write(gpu, stdout, SLUICE_STATS_TABLE, &error);
 *   sluice_close(gpu);
 *
 * No function keeps a pointer given to it beyond the call, except where it says so. Every call that can fail returns a
 * status and, when `error` is not NULL, puts one message there. A gpu is used by one thread at a time; several gpus are
 * independent.
 */
#ifndef SLUICE_H
#define SLUICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SLUICE_API __attribute__((visibility("default")))

enum sluice_status {
	SLUICE_OK,
	SLUICE_BAD_ARGUMENT,  /* a value out of range, a NULL, an address that was never allocated */
	SLUICE_BAD_SETTING,   /* machine file or option */
	SLUICE_BAD_PTX,       /* syntax or unsupported instruction: the message holds all diagnostics. What is wrong inside a kernel
	                       * or function concerns those kernels alone that need it: their launches fail, not the module */
	SLUICE_NO_MEMORY,     /* device memory exhausted */
	SLUICE_BAD_LAUNCH,    /* grid, block or shared memory beyond the machine's limits */
	SLUICE_FAULT,         /* the kernel made an illegal access: the message says where */
	SLUICE_STALLED,       /* nothing can make progress: the message says who waits for whom */
	SLUICE_STOPPED,       /* max_instructions reached: the kernel was cut short, its statistics are kept */
	SLUICE_IO,            /* a file could not be read or written */
	SLUICE_INTERNAL,      /* counters of a kernel contradict each other: a mistake in Sluice, or in a mechanism */
	SLUICE_BAD_MECHANISM, /* a mechanism returned or asked for what makes no sense: the message says which, and where */
	SLUICE_TOO_LARGE,     /* the blocks of a cooperative launch have no room together */
	SLUICE_BAD_TRACE,     /* a trace of instructions that cannot be read: the message says where */
};

/* What a kernel did wrong (SLUICE_FAULT). */
enum sluice_fault {
	SLUICE_NO_FAULT,
	SLUICE_FAULT_ADDRESS,     /* global or constant memory outside every allocation, or freed */
	SLUICE_FAULT_MISALIGNED,  /* an address that is no multiple of the access's size */
	SLUICE_FAULT_RANGE,       /* beyond the block's shared or the thread's local memory */
	SLUICE_FAULT_BARRIER,     /* a barrier that can never complete, or that warps or threads use in different ways */
	SLUICE_FAULT_INSTRUCTION, /* an instruction with operands that it does not take */
	SLUICE_FAULT_CALL,        /* a call of what is no function */
	SLUICE_FAULT_STACK,       /* recursion too deep */
	SLUICE_FAULT_TRAP,
	SLUICE_FAULT_ASSERT,
	SLUICE_FAULT_MECHANISM,   /* what a mechanism does not let a program do */
};

/* The exit status of a program that max_instructions cut short, as that of timeout(1). */
enum { SLUICE_EXIT_STOPPED = 124 };

enum { SLUICE_MESSAGE_SIZE = 8192 };
struct sluice_error {
	enum sluice_status status;
	enum sluice_fault fault;
	char message[SLUICE_MESSAGE_SIZE];
};

typedef struct sluice_gpu sluice_gpu;
typedef struct sluice_module sluice_module;
typedef struct sluice_kernel sluice_kernel;
typedef struct sluice_dim {
	uint32_t x, y, z;
} sluice_dim;

struct sluice_settings {
	const char *machine;        /* a name ("gtx480", looked up in SLUICE_MACHINES and our machines) or a path, of GPGPU-Sim's configurations (FILE.config) too; NULL: "gtx480" */
	const char *const *options; /* "KEY=VALUE", NULL-terminated, applied in order; may be NULL */
	/* "NAME[:KEY=VALUE,...]", NULL-terminated: mechanisms to attach, or paths of shared objects with one; may be NULL; none
	 * in a functional run, which has no cycles. */
	const char *const *mechanisms;
	bool functional;            /* results only, no cycles */
	uint32_t threads;           /* host threads that simulate, at most the host's cores; 0: one. Nothing but time depends on it */
	/* Thread instructions, over all kernels, after which all stops, in the cycle in which the last of them issues; 0: what the machine's key
	 * launch.max_instructions says. */
	uint64_t max_instructions;
	/* Called now and then while a kernel runs (at most about ten times a second); may be NULL. */
	void (*progress)(void *user, const char *kernel, uint64_t blocks_done, uint64_t blocks, uint64_t cycles,
	                 uint64_t warp_instructions);
	void *progress_user;
	/* What is looked for while kernels run: words of "bounds", "leaks", "race", "global-race", "warp-race", "init", "shared-init",
	 * "masks", "divergence", "all", "footprint", "footprint-counts" (docs/how-to/checks.md), with commas; NULL: nothing. Only "bounds" changes
	 * figures, since it moves allocations apart. After each launch, what it was the first to find is said to `finding`, a text each;
	 * NULL: to standard error. */
	const char *check;
	void (*finding)(void *user, const char *text);
	void *finding_user;
	/* Reads beside every allocation of device memory give 0, and after the launch each line that does so is said here, once; NULL:
	 * they stop the kernel (docs/how-to/checks.md). */
	void (*stray_read)(void *user, const char *text);
	void *stray_read_user;
	/* "NAME[:KEY=VALUE,...],...", NULL-terminated: passes over the PTX of each module, in order, before anything is made of it
	 * (docs/tutorials/your-pass.md); may be NULL. */
	const char *const *passes;
	const char *const *program; /* the program's command line for the statistics, NULL-terminated; may be NULL; kept */
	/* A CSV file with what every so many core cycles of each kernel have added to the counters, a row each (docs/how-to/over-time.md), that is
	 * made at once and grows while kernels run; NULL: none. No figure depends on it. */
	const char *sample_file;
	uint64_t sample_every;
	/* A file that says when kernels, blocks and what mechanisms draw began and ended (docs/how-to/over-time.md): JSON for chrome://tracing and
	 * Perfetto, CSV where its name ends in .csv, Perfetto's own format where in .perfetto or, compressed, .perfetto.zst; NULL: none. At most so
	 * many events; 0: ten million. No figure depends on it. */
	const char *timeline_file;
	uint64_t timeline_events;
	/* What is shown there, "KEY=VALUE,...": first and last, core cycles from the machine's opening on; sms, "all" or as in "0-3+7"; blocks, yes or
	 * no; counters, the core cycles from one value of each to the next, 0: none. NULL: all events, no counters. */
	const char *timeline_wish;
	/* A JSON file with what each instruction of each kernel has cost (docs/how-to/profiling.md), written when kernels have ended; NULL: none. No
	 * figure depends on it. */
	const char *profile_file;
	/* A table of energies (docs/how-to/energy.md), by the name of one of ours or by its path, or "default": the statistics then say what each
	 * launch has cost. NULL: they do not. No other figure depends on it. */
	const char *energy;
	/* A folder, which is made if need be, for a trace of each kernel's instructions and a list of them (docs/how-to/traces.md); NULL: none. No figure
	 * depends on it. */
	const char *trace_out;
	/* Sampling (docs/how-to/sampling.md): results are right, and what cycles and counters would be is an estimate, which has its error beside it. Of like
	 * launches of a kernel so many are simulated at most, the others run functionally; 0: all are. */
	uint32_t sample_launches;
	/* Of a launch with many blocks, those are simulated that come first, at least that share of them (0 to 1) and so many that the estimated
	 * error of its cycles falls below sample_error (a share; 0: 0.03); the others run functionally. NULL: all are simulated. */
	const double *sample_blocks;
	double sample_error;
};

SLUICE_API const char *sluice_version(void);
SLUICE_API enum sluice_status sluice_open(sluice_gpu **gpu, const struct sluice_settings *settings,
                                          struct sluice_error *error);
SLUICE_API void sluice_close(sluice_gpu *gpu);

/* Modules. The PTX text is copied. Unloading frees the module's variables. */
SLUICE_API enum sluice_status sluice_load(sluice_gpu *gpu, const char *ptx, size_t length, const char *name,
                                          sluice_module **module, struct sluice_error *error);
/* The same with variables that lie where the host has room for them, as sluice_share() has it, and which get their initial values
 * there. A list whose last has no name; others of its names than the module's mean nothing. */
struct sluice_host_variable {
	const char *name;
	void *host;
};
SLUICE_API enum sluice_status sluice_load_with(sluice_gpu *gpu, const char *ptx, size_t length, const char *name,
                                               const struct sluice_host_variable *variables, sluice_module **module,
                                               struct sluice_error *error);
SLUICE_API void sluice_unload(sluice_gpu *gpu, sluice_module *module);
SLUICE_API sluice_kernel *sluice_find_kernel(sluice_module *module, const char *name); /* NULL: none of that name */
/* The name of the module's number-th kernel; NULL: there are fewer. */
SLUICE_API const char *sluice_kernel_name(const sluice_module *module, size_t number);
SLUICE_API bool sluice_find_variable(sluice_module *module, const char *name, uint64_t *address, uint64_t *size);

/* What is known of a kernel before it runs. */
enum sluice_limit { SLUICE_BY_THREADS, SLUICE_BY_REGISTERS, SLUICE_BY_SHARED, SLUICE_BY_BLOCK_SLOTS };
struct sluice_kernel_info {
	const char *name;
	uint32_t registers;       /* per thread, with kernel.NAME.registers and every limit applied */
	uint32_t spill_bytes;     /* per thread: of local_bytes, those of registers beyond the limit, */
	uint32_t spill_loads, spill_stores; /* and the static instructions that move them */
	uint32_t shared_bytes;    /* static, per block */
	uint32_t local_bytes;     /* per thread */
	uint32_t constant_bytes;  /* of the module */
	uint32_t param_count, param_bytes;
	uint32_t max_block_threads;
	uint32_t instructions;    /* static PTX instructions */
	uint32_t target;          /* the architecture of the PTX: 70 for sm_70 */
};
SLUICE_API enum sluice_status sluice_kernel_info(sluice_gpu *gpu, sluice_kernel *kernel,
                                                 struct sluice_kernel_info *info, struct sluice_error *error);
/* Offset and bytes of parameter i in the parameter block. */
SLUICE_API bool sluice_kernel_param(const sluice_kernel *kernel, uint32_t i, uint32_t *offset, uint32_t *size);
struct sluice_occupancy {
	uint32_t blocks_per_sm, warps_per_sm;
	double occupancy;        /* resident warps / warp slots */
	enum sluice_limit limit; /* what keeps the next block out */
	uint32_t registers, spill_bytes; /* per thread; the kernel's, unless a block would have had no room */
};
SLUICE_API enum sluice_status sluice_occupancy(sluice_gpu *gpu, sluice_kernel *kernel, uint32_t block_threads,
                                               uint32_t dynamic_shared_bytes, struct sluice_occupancy *occupancy,
                                               struct sluice_error *error);

/* Device memory. Addresses are 256-byte aligned. */
SLUICE_API enum sluice_status sluice_alloc(sluice_gpu *gpu, uint64_t size, uint64_t *address, struct sluice_error *error);
SLUICE_API enum sluice_status sluice_free(sluice_gpu *gpu, uint64_t address, struct sluice_error *error);
SLUICE_API enum sluice_status sluice_write(sluice_gpu *gpu, uint64_t to, const void *from, uint64_t size,
                                           struct sluice_error *error);
SLUICE_API enum sluice_status sluice_read(sluice_gpu *gpu, void *to, uint64_t from, uint64_t size,
                                          struct sluice_error *error);
SLUICE_API enum sluice_status sluice_copy(sluice_gpu *gpu, uint64_t to, uint64_t from, uint64_t size,
                                          struct sluice_error *error);
/* Writes `count` copies of the low `width` (1, 2 or 4) bytes of value. */
SLUICE_API enum sluice_status sluice_fill(sluice_gpu *gpu, uint64_t to, uint32_t value, uint32_t width, uint64_t count,
                                          struct sluice_error *error);
SLUICE_API void sluice_memory_info(sluice_gpu *gpu, uint64_t *free_bytes, uint64_t *total_bytes);
/* Addresses of the program's choice for device memory that is allocated: [address, address + size) is [device, device + size) from then on, for
 * kernels and the calls above, across several that lie side by side; several may be the same memory. Until sluice_unmap(), which comes before
 * sluice_free(). SLUICE_BAD_ARGUMENT: something is at these addresses. Both and the size are multiples of 16. */
SLUICE_API enum sluice_status sluice_map(sluice_gpu *gpu, uint64_t address, uint64_t size, uint64_t device,
                                         struct sluice_error *error);
SLUICE_API enum sluice_status sluice_unmap(sluice_gpu *gpu, uint64_t address, struct sluice_error *error);
/* The live allocation of device memory, or the mapping of it, that holds the address. */
SLUICE_API bool sluice_find_allocation(sluice_gpu *gpu, uint64_t address, uint64_t *base, uint64_t *size);

/* Memory of the host that kernels access where it lies, without copies. It is no device memory: the calls above do not take it, but
 * textures do. A kernel's accesses to it cost what those to device memory cost. */
/* [host, host + size), until sluice_unshare(); it must stay there. *address is how kernels call it: as the host does, unless the device has
 * something else at that address. SLUICE_BAD_ARGUMENT: it overlaps what is shared already. */
SLUICE_API enum sluice_status sluice_share(sluice_gpu *gpu, void *host, uint64_t size, uint64_t *address,
                                           struct sluice_error *error);
/* Of what begins there. */
SLUICE_API enum sluice_status sluice_unshare(sluice_gpu *gpu, const void *host, struct sluice_error *error);
/* Where the next memory of that size to be shared had best be mapped, if the host has room there: its addresses are then the same in every
 * run, and the simulated machine's own. No figure depends on that. 0: nowhere. */
SLUICE_API uint64_t sluice_share_place(const sluice_gpu *gpu, uint64_t size);
/* Bytes that lie unused behind each allocation, so that accesses just past its end are found (--check bounds). 0: none. */
SLUICE_API uint64_t sluice_allocation_gap(const sluice_gpu *gpu);

/* Textures and surfaces: images in device memory, and how kernels read them (docs/reference/textures.md). */
enum sluice_channel { SLUICE_SIGNED, SLUICE_UNSIGNED, SLUICE_FLOAT };
struct sluice_image {
	uint64_t address;              /* of the first texel, in memory that is allocated */
	uint32_t dimensions;           /* 1, 2 or 3 */
	uint32_t width, height, depth; /* texels; 1 in dimensions that it has not */
	uint32_t layers;               /* images of that size, one behind the other; six a cube */
	uint32_t levels;               /* of mipmaps, each half as large as the one before; 1: none */
	bool cube;
	bool tiled;                    /* as arrays are: rows of texels lie in tiles, not one behind the other */
	uint32_t channels, channel_bits; /* 1, 2 or 4 of 8, 16 or 32 bits; floats of 16 or 32 */
	enum sluice_channel channel;
	uint64_t pitch;                /* not tiled: bytes from row to row */
};
enum sluice_outside { SLUICE_WRAP, SLUICE_CLAMP, SLUICE_MIRROR, SLUICE_BORDER };
struct sluice_sampler {
	enum sluice_outside outside[3]; /* by dimension: what coordinates outside the image mean; wrap and mirror of normalised ones alone */
	bool linear;                    /* filter between texels, of reads that give floats; else the nearest texel */
	bool normalised;                /* coordinates from 0 to 1, else in texels */
	bool reads_floats;              /* whole numbers are read as fractions of the largest */
	bool srgb;
	float border[4];
	float level_bias, lowest_level, highest_level;
};
/* Of all its levels and layers; false, with the reason: there is no such image. */
SLUICE_API bool sluice_image_bytes(const struct sluice_image *image, uint64_t *bytes, struct sluice_error *error);
/* The address of a byte of a row of texels, and in *run how many bytes of the row lie together from there on. `z` counts slices and layers. */
SLUICE_API uint64_t sluice_image_row(const struct sluice_image *image, uint32_t level, uint64_t byte, uint32_t y, uint32_t z,
                                     uint64_t *run);
/* A texture or surface object: its handle is what a kernel takes. */
SLUICE_API enum sluice_status sluice_texture_create(sluice_gpu *gpu, const struct sluice_image *image,
                                                    const struct sluice_sampler *sampler, uint64_t *handle,
                                                    struct sluice_error *error);
SLUICE_API enum sluice_status sluice_texture_destroy(sluice_gpu *gpu, uint64_t handle, struct sluice_error *error);
/* What a handle stands for from now on; without an image, nothing: reads are faults. An image has a sampler, of which surfaces take nothing. */
SLUICE_API enum sluice_status sluice_texture_bind(sluice_gpu *gpu, uint64_t handle, const struct sluice_image *image,
                                                  const struct sluice_sampler *sampler, struct sluice_error *error);
/* The handle of a module's texture or surface reference (.texref, .surfref). */
SLUICE_API bool sluice_find_texture(sluice_module *module, const char *name, uint64_t *handle);

/* Runs a kernel to its end, and then what it has launched. arguments[i] points at the value of parameter i. */
SLUICE_API enum sluice_status sluice_launch(sluice_gpu *gpu, sluice_kernel *kernel, sluice_dim grid, sluice_dim block,
                                            uint32_t dynamic_shared_bytes, void *const *arguments,
                                            struct sluice_error *error);
/* The same with all blocks resident together, so that they may wait for each other; SLUICE_TOO_LARGE: they have no room. */
SLUICE_API enum sluice_status sluice_launch_cooperative(sluice_gpu *gpu, sluice_kernel *kernel, sluice_dim grid,
                                                        sluice_dim block, uint32_t dynamic_shared_bytes,
                                                        void *const *arguments, struct sluice_error *error);
/* For good: the launch in progress ends early and returns SLUICE_STOPPED, no other one begins. The only call that may be made
 * while another thread is in one; it may be made by a signal handler too. */
SLUICE_API void sluice_stop(sluice_gpu *gpu);
/* The same with the cause, which the record of the launch in progress has as `stopped_by`; the text stays the caller's. */
SLUICE_API void sluice_stop_for(sluice_gpu *gpu, const char *cause);
/* How many different mistakes the checks have found so far. */
SLUICE_API uint64_t sluice_findings(const sluice_gpu *gpu);
/* With the check "leaks": the first live memory above an address that a kernel has allocated; false: there is no more. */
struct sluice_leak {
	uint64_t address, size;
	const char *place; /* the kernel, and the line of its call */
};
SLUICE_API bool sluice_looks_for_leaks(const sluice_gpu *gpu);
SLUICE_API bool sluice_next_leak(const sluice_gpu *gpu, uint64_t above, struct sluice_leak *leak);
/* Simulated time since sluice_open(), in seconds: what events measure. In a functional run an estimate, which grows with each launch: a
 * cycle for one warp instruction of each scheduler of the SMs that have blocks. */
SLUICE_API double sluice_time(const sluice_gpu *gpu);

/* Runs kernels of which there is a trace of instructions and no program (docs/how-to/traces.md): those of a folder's kernelslist.g, or of such a file,
 * in its order. `kernel`: those alone, by their number in the list ("3", "2-5") or by name; NULL: all. Their launches are recorded as others
 * are. SLUICE_BAD_SETTING: what the gpu was opened with needs a program; it may run nothing more then. */
SLUICE_API enum sluice_status sluice_run_trace(sluice_gpu *gpu, const char *path, const char *kernel,
                                               struct sluice_error *error);

/* PTX rewritten by passes, without a machine. */
struct sluice_rewriting {
	const char *const *passes;      /* as in sluice_settings */
	const char *mechanism;          /* whose passes are known too, or a shared object's path; may be NULL */
	const char *const *print_after; /* names of passes behind which the PTX goes to `log`, NULL-terminated; may be NULL */
	bool is_dot;                    /* no PTX but the flow of each function for Graphviz, with what is known of it */
	FILE *log;                      /* for that, and for what passes have counted; may be NULL without print_after */
};
SLUICE_API enum sluice_status sluice_rewrite(const char *ptx, size_t length, const char *name,
                                             const struct sluice_rewriting *how, FILE *file,
                                             struct sluice_error *error);
/* The passes that there are, a mechanism's too where it is not NULL. */
SLUICE_API enum sluice_status sluice_passes_write(const char *mechanism, FILE *file, struct sluice_error *error);

/* Mechanisms. */
/* The name of the number-th that is built in, and what it does; NULL: there are fewer. */
SLUICE_API const char *sluice_mechanism_name(size_t number, const char **summary);
/* Of a mechanism as sluice_settings takes it, how many characters are the path of a shared object; 0: it is built in. */
SLUICE_API size_t sluice_mechanism_path(const char *mechanism);
/* Writes what a mechanism ("NAME[:KEY=VALUE,...]", NAME or a path) is: citation, seats, options with their ranges and values,
 * counters, and what its hardware costs on this machine. */
SLUICE_API enum sluice_status sluice_mechanism_describe(const sluice_gpu *gpu, const char *mechanism, FILE *file,
                                                        struct sluice_error *error);
/* Writes the attached ones, one a line, with all their options. */
SLUICE_API void sluice_mechanisms_write(const sluice_gpu *gpu, FILE *file);
/* True when an attached one counts "NAME.counter", or "NAME.vector[]". */
SLUICE_API bool sluice_mechanisms_count(const sluice_gpu *gpu, const char *counter);
/* The number-th event that the attached ones draw on a timeline, as "NAME.event" in `name`; false: there are fewer. */
SLUICE_API bool sluice_mechanisms_event(const sluice_gpu *gpu, size_t number, char *name, size_t size);
/* The number-th thing that the hardware of the attached ones costs on this machine; false: there are fewer. */
struct sluice_cost {
	const char *mechanism, *what, *unit; /* last as long as the gpu */
	double value;
};
SLUICE_API bool sluice_mechanisms_cost(const sluice_gpu *gpu, size_t number, struct sluice_cost *cost);

/* Bytes that each block of the coming launches will read: from base + low + blockIdx.x * low_by[0] + y ... + z ...
 * up to, and not with, base + high + blockIdx.x * high_by[0] + ... Mechanisms that load blocks' data in advance use these
 * ranges instead of what they would find out themselves, until they are forgotten. */
struct sluice_range {
	uint64_t base;
	int64_t low, high, low_by[3], high_by[3];
};
SLUICE_API enum sluice_status sluice_announce_range(sluice_gpu *gpu, const struct sluice_range *range,
                                                    struct sluice_error *error);
SLUICE_API void sluice_forget_ranges(sluice_gpu *gpu);

/* The machine. */
struct sluice_machine_info {
	char name[64];
	uint32_t sm_count, warp_size, max_threads_per_block, max_threads_per_sm, max_blocks_per_sm, registers_per_sm;
	uint32_t shared_bytes_per_sm, shared_bytes_per_block, l2_bytes, core_mhz;
	uint32_t memory_mhz, memory_bus_bits; /* of two transfers a cycle: their product, twice, is DRAM's bandwidth */
	uint32_t pitch_bytes; /* to a multiple of which rows of images are rounded up */
	uint32_t major, minor; /* compute capability */
	uint64_t memory_bytes;
};
SLUICE_API void sluice_machine_info(const sluice_gpu *gpu, struct sluice_machine_info *info);
/* Writes the machine as YAML, every key with its value. */
SLUICE_API void sluice_machine_write(const sluice_gpu *gpu, FILE *file);
/* Of a machine that was read from a GPGPU-Sim configuration: the options for which the model has no place, a line each with file, line
 * and reason; NULL: there are none. How many options were honoured, and how many were not: either may be NULL. */
SLUICE_API const char *sluice_machine_left_out(const sluice_gpu *gpu, uint32_t *honoured, uint32_t *left_out);
/* The folder of machine files: SLUICE_MACHINES, else the one of the installation that the library lies in, else the source tree's. */
SLUICE_API void sluice_machines_folder(char *path, size_t size);

/* Statistics of all kernels run so far. */
enum sluice_stats_format { SLUICE_STATS_TABLE, SLUICE_STATS_JSON, SLUICE_STATS_GPGPUSIM };
SLUICE_API enum sluice_status sluice_stats_write(sluice_gpu *gpu, FILE *file, enum sluice_stats_format format,
                                                 struct sluice_error *error);
/* Keeps the JSON form in that file from now on: it is made at once, each kernel is added when it has ended, and it is valid
 * whatever becomes of the process. Until sluice_stats_end() it says that the process is running, and has no totals. */
SLUICE_API enum sluice_status sluice_stats_keep(sluice_gpu *gpu, const char *path, struct sluice_error *error);
/* True when the statistics say that of each launch: "energy.total", or "energy." and a component; of a gpu that was opened with
 * `energy`. */
SLUICE_API bool sluice_energy_has(const sluice_gpu *gpu, const char *name);
/* How the process ended, in a word or two: "exit 0". Completes the file that is kept, and stands in all that is written
 * from now on. */
SLUICE_API enum sluice_status sluice_stats_end(sluice_gpu *gpu, const char *how, struct sluice_error *error);
/* Says it in the file that is kept, to which nothing is added then: for the handlers of signals that end the process. A
 * thread that writes into the file is waited for. */
SLUICE_API void sluice_stats_note_end(sluice_gpu *gpu, const char *how);
/* Every counter's declaration: name, unit, scope, meaning. */
SLUICE_API void sluice_stats_describe(FILE *file);

#ifdef __cplusplus
}
#endif
#endif
