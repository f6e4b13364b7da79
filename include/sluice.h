/* sluice: the public C API of libsluice, a cycle-level GPU simulator.
 *
 *   struct sluice_error error;
 *   struct sluice_settings settings = {SLUICE_SIZED(settings), .machine = "gtx480"};
 *   sluice_gpu *gpu;
 *   if (sluice_open(&gpu, &settings, &error) != SLUICE_OK) ...
 *   sluice_module *module;
 *   sluice_load(gpu, ptx_text, ptx_length, "vecadd.ptx", &module, &error);
 *   sluice_kernel *kernel = sluice_find_kernel(module, "vecadd");
 *   uint64_t a; sluice_alloc(gpu, bytes, &a, &error); sluice_write(gpu, a, host, bytes, &error);
 *   void *arguments[] = {&a, &b, &c, &n};
 *   sluice_launch(gpu, kernel, (sluice_dim){grid, 1, 1}, (sluice_dim){256, 1, 1}, 0, arguments, &error);
 *   double misses;
 *   sluice_counter_read(gpu, "l1d.misses", sluice_launch_count(gpu), SLUICE_ALL_UNITS, &misses, &error);
 *   sluice_close(gpu);
 *
 * examples/c/counters.c is a whole program.
 *
 * Errors. A call that can fail returns a status. When `error` is not NULL, the call also writes the status and one
 * message there. After a failed call the gpu can be used further, except where the call's comment says otherwise.
 * Handles must be valid: a gpu that is closed or a module that is unloaded must not be passed to any call.
 *
 * Ownership. The library copies text and arrays that it needs after a call, except where a comment says "must live".
 * Pointers that a call returns belong to the library. Each comment states how long they live; nothing is freed by the
 * caller except through sluice_close(), sluice_unload(), sluice_free() and the other calls that undo one.
 *
 * Threads. Different gpus are independent: different threads may use them at the same time. One gpu, with its modules
 * and kernels, may be used by one thread at a time. Only sluice_stop() may be called while another thread is inside a
 * call with the same gpu; a signal handler may call it too. Calls without a gpu may be made by any thread at any time.
 * Callbacks run in the thread that called sluice_launch(). They must not call any function with the same gpu, except
 * those that their comment names.
 *
 * Growth. Within a major version, functions, enumerators and structure members are only added. A structure that begins
 * with `size` can grow at its end: its user sets `size` with SLUICE_SIZED(). Other structures do not change. New status
 * codes can appear: treat a code that you do not know as a failure.
 */
#ifndef SLUICE_H
#define SLUICE_H

#include "sluice_version.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SLUICE_API __attribute__((visibility("default")))

/* Initializes the member `size`, the first of each structure that can grow. All other members become zero:
 *   struct sluice_settings settings = {SLUICE_SIZED(settings), .machine = "gtx480"};
 *   struct sluice_machine_info info = {SLUICE_SIZED(machine_info)};
 * The library so knows which members the program was compiled with: missing members of an input count as zero, missing
 * members of a result are not written. SLUICE_BAD_ARGUMENT refuses a `size` of 0. It also refuses an input with a
 * member that is not zero and that this library does not know. */
#ifdef __cplusplus
#define SLUICE_SIZED(type) sizeof(struct sluice_##type)
#else
#define SLUICE_SIZED(type) .size = sizeof(struct sluice_##type)
#endif

/* --- status and errors --- */

enum sluice_status {
	SLUICE_OK,
	SLUICE_BAD_ARGUMENT,  /* a value out of range, a NULL, or an address outside every allocation */
	SLUICE_BAD_SETTING,   /* the machine file or an option */
	/* Syntax error or unsupported instruction: the message holds all diagnostics. An error inside a kernel or
	 * function concerns only the kernels that need it: their launches fail, not the module. */
	SLUICE_BAD_PTX,
	SLUICE_NO_MEMORY,     /* device memory is exhausted */
	SLUICE_BAD_LAUNCH,    /* grid, block or shared memory beyond the machine's limits */
	SLUICE_FAULT,         /* the kernel made an illegal access: the message names line, block, thread, address */
	SLUICE_STALLED,       /* nothing can make progress: the message lists what each warp waits on */
	SLUICE_STOPPED,       /* max_instructions or sluice_stop() ended the launch; its statistics are kept */
	SLUICE_IO,            /* a file could not be read or written */
	SLUICE_INTERNAL,      /* counters of a kernel contradict each other: a bug in Sluice or in a mechanism */
	SLUICE_BAD_MECHANISM, /* a mechanism returned or requested an invalid value: the message names it */
	SLUICE_TOO_LARGE,     /* the blocks of a cooperative launch do not fit on the machine together */
	SLUICE_BAD_TRACE,     /* an instruction trace cannot be read: the message names file and line */
};

/* The kind of a kernel's error, with SLUICE_FAULT. */
enum sluice_fault {
	SLUICE_NO_FAULT,
	SLUICE_FAULT_ADDRESS,     /* global or constant memory outside every allocation, or freed */
	SLUICE_FAULT_MISALIGNED,  /* an address that is not a multiple of the access's size */
	SLUICE_FAULT_RANGE,       /* beyond the block's shared memory or the thread's local memory */
	SLUICE_FAULT_BARRIER,     /* a barrier that can never complete, or that threads use in different ways */
	SLUICE_FAULT_INSTRUCTION, /* an instruction with operands that it does not take */
	SLUICE_FAULT_CALL,        /* a call to an address that is not a function */
	SLUICE_FAULT_STACK,       /* recursion too deep */
	SLUICE_FAULT_TRAP,        /* the instruction trap */
	SLUICE_FAULT_ASSERT,      /* a failed assert() */
	SLUICE_FAULT_MECHANISM,   /* a program does something that an attached mechanism forbids */
};

/* The exit status of a program that max_instructions stopped, equal to that of timeout(1). */
enum { SLUICE_EXIT_STOPPED = 124 };

enum { SLUICE_MESSAGE_SIZE = 8192 };

/* The outcome of a call. The caller owns it and need not initialize it. */
struct sluice_error {
	enum sluice_status status;
	enum sluice_fault fault;           /* with SLUICE_FAULT, else SLUICE_NO_FAULT */
	char message[SLUICE_MESSAGE_SIZE]; /* one message, without a newline at its end; "" with SLUICE_OK */
};

/* A simulated GPU with its device memory, a module of PTX, and a kernel of a module. */
typedef struct sluice_gpu sluice_gpu;
typedef struct sluice_module sluice_module;
typedef struct sluice_kernel sluice_kernel;

/* A number of blocks or threads in each dimension, each at least 1. */
typedef struct sluice_dim {
	uint32_t x, y, z;
} sluice_dim;

/* --- opening a gpu --- */

/* How a gpu is opened. Begin with {SLUICE_SIZED(settings), ...}. Zero is the default of every member. Strings and lists
 * are copied, except `program`. */
struct sluice_settings {
	size_t size; /* SLUICE_SIZED(settings) */
	/* The name of a machine ("gtx480"), from SLUICE_MACHINES or the installed machines. Or the path of a machine
	 * file or of a GPGPU-Sim configuration (FILE.config). NULL: "gtx480". */
	const char *machine;
	const char *const *options; /* "KEY=VALUE", NULL-terminated, applied in order; may be NULL */
	/* "NAME[:KEY=VALUE,...]", NULL-terminated: mechanisms to attach, built in or in a shared object given by its
	 * path. May be NULL. Must be empty in a functional run, which has no cycles. */
	const char *const *mechanisms;
	bool functional;  /* compute results only, without cycles */
	/* Host threads that simulate, limited to the host's cores; 0: one. Only host time depends on it. */
	uint32_t threads;
	/* The run stops in the cycle in which this many thread instructions have issued, over all kernels. 0: the
	 * machine's key launch.max_instructions. */
	uint64_t max_instructions;
	/* Called while a kernel runs, at most about ten times per second of host time. May be NULL. It must not call
	 * the gpu, except sluice_stop(). */
	void (*progress)(void *user, const char *kernel, uint64_t blocks_done, uint64_t blocks, uint64_t cycles,
	                 uint64_t warp_instructions);
	void *progress_user;
	/* The checks to make while kernels run: words of "bounds", "leaks", "race", "global-race", "warp-race", "init",
	 * "shared-init", "masks", "divergence", "all", "footprint" and "footprint-counts" (docs/how-to/checks.md),
	 * separated by commas. NULL: none. No check changes a program's results. "bounds" moves allocations apart,
	 * which changes cycles; on machines with sm.async_copies every check does, because it replaces cp.async by a
	 * load and a store. After each launch, `finding` receives each new finding as a text that lives during the
	 * call. NULL: findings are printed to standard error. */
	const char *check;
	void (*finding)(void *user, const char *text);
	void *finding_user;
	/* Not NULL: an out-of-bounds read of device memory gives 0. After the launch, each source line with such a
	 * read is reported here once. NULL: such a read stops the kernel (docs/how-to/checks.md). */
	void (*stray_read)(void *user, const char *text);
	void *stray_read_user;
	/* "NAME[:KEY=VALUE,...],...", NULL-terminated: passes over the PTX of each module, in this order, directly
	 * after parsing (docs/reference/passes.md). May be NULL. */
	const char *const *passes;
	/* The program's command line for the statistics, NULL-terminated. May be NULL. It must live as long as the
	 * gpu. */
	const char *const *program;
	/* A CSV file that receives counter increments, one row per `sample_every` core cycles of each kernel
	 * (docs/how-to/over-time.md). It is created at once and grows while kernels run. NULL: none. No result
	 * depends on it. */
	const char *sample_file;
	uint64_t sample_every;
	/* A file with the begin and end of kernels, blocks and mechanisms' events (docs/how-to/over-time.md). The
	 * name's end selects the format: .csv for CSV, .perfetto or .perfetto.zst for Perfetto, else JSON for
	 * chrome://tracing. NULL: none. It holds at most `timeline_events` events; 0: ten million. No result depends
	 * on it. */
	const char *timeline_file;
	uint64_t timeline_events;
	/* The part of the run that the timeline shows, "KEY=VALUE,...": `first` and `last`, core cycles since the gpu
	 * was opened; `sms`, "all" or "0-3+7"; `blocks`, yes or no; `counters`, core cycles between two values of
	 * each counter, 0: none. NULL: all events and no counters. */
	const char *timeline_filter;
	/* A JSON file with the cost of each instruction of each kernel (docs/how-to/profiling.md), written when
	 * kernels have ended. NULL: none. No result depends on it. */
	const char *profile_file;
	/* A table of energies (docs/how-to/energy.md), by name, by path, or "default": the statistics then state each
	 * launch's energy. NULL: they do not. No other result depends on it. */
	const char *energy;
	/* A folder for an instruction trace of each kernel and a list of them (docs/how-to/traces.md); it is created if
	 * necessary. NULL: none. No result depends on it. */
	const char *trace_out;
	/* Sampling (docs/how-to/sampling.md): results stay exact; cycles and counters become estimates with an error.
	 * At most this many launches of each group of similar ones are simulated; so are the first launch of a class
	 * and launches that warm up caches. The others run functionally. 0: all are simulated. */
	uint32_t sample_launches;
	/* Points to the smallest fraction (0 to 1) of a launch's blocks to simulate. Blocks are simulated in order
	 * until that fraction is reached and the estimated error of the cycles is below `sample_error` (a fraction;
	 * 0: 0.03). The others run functionally. NULL: all blocks are simulated. */
	const double *sample_blocks;
	double sample_error;
	/* Called every `interval` core cycles of a kernel, between two cycles, with the launch's number (from 1) and
	 * the cycle since its begin. The callback may read counters with sluice_counter_value() and
	 * sluice_counter_read(), and may call sluice_stop(); it must make no other call with this gpu. NULL or an
	 * interval of 0: not called. Functional launches have no cycles and do not call it. No result depends on
	 * it. */
	void (*on_interval)(void *user, uint64_t launch, uint64_t cycle);
	void *interval_user;
	uint64_t interval;
	/* The launches to simulate in cycles (docs/how-to/part-of-a-run.md): "12", "12-15", a kernel's NAME, or
	 * "NAME:3" for its third launch; several are separated by commas. The others run functionally and are not in
	 * the totals. NULL: all. */
	const char *kernels;
	/* This many launches before each selected number are simulated too, so that they warm the caches. They are not
	 * in the totals. */
	uint32_t warm_launches;
	bool only_region; /* of these, only launches between sluice_region(gpu, true) and sluice_region(gpu, false) */
	bool stop_after_kernels; /* launches after the last selected one fail with SLUICE_STOPPED */
	/* Only launches in a range of sluice_range_push() or sluice_range_start() count: "NAME", "NAME@DOMAIN", or
	 * with ":3" the third one of that name; in one of several that are separated by commas. NULL: all. */
	const char *ranges;
	/* The statistics in JSON state the counters of each unit too, and a row of samples the warp instructions of
	 * each SM (docs/how-to/units.md). sluice_counter_read() then knows the units of every launch that ran in
	 * cycles. No other result depends on it. */
	bool units;
	/* A folder for a journal (docs/how-to/journal.md): what each launch in cycles did is written there, so that a
	 * run that was killed can be resumed. It is created if necessary, and must have no launches unless `resume` is
	 * set. NULL: none. Queued launches then run in turn. Excludes `functional`, `check`, sampling, on_interval and
	 * the files of samples, timelines, profiles and traces. */
	const char *journal;
	bool resume; /* launches that are the same as in the journal are not simulated again */
};

/* The version of the library that the program runs with, "0.1.0": a static text. SLUICE_VERSION is that of the header
 * that the program was compiled with. Programs compiled with an older header of the same major version work; while the
 * major version is 0, of the same minor version. */
SLUICE_API const char *sluice_version(void);
/* Writes that version as numbers; each pointer may be NULL. */
SLUICE_API void sluice_version_numbers(unsigned *major, unsigned *minor, unsigned *patch);

/* Opens a gpu in *gpu, which sluice_close() frees. `settings` may be NULL: all defaults. On failure *gpu is NULL. Fails
 * with SLUICE_BAD_ARGUMENT (`gpu` is NULL, or a bad `size`), SLUICE_BAD_SETTING, SLUICE_NO_MEMORY or SLUICE_IO. */
SLUICE_API enum sluice_status sluice_open(sluice_gpu **gpu, const struct sluice_settings *settings,
                                          struct sluice_error *error);
/* Warnings of sluice_open(), one per line, which live as long as the gpu; NULL: there are none. */
SLUICE_API const char *sluice_warnings(const sluice_gpu *gpu);
/* Frees the gpu with all its modules, kernels and memory. NULL is allowed. */
SLUICE_API void sluice_close(sluice_gpu *gpu);

/* --- modules and kernels --- */

/* Parses `length` bytes of PTX, which is copied, allocates the module's variables in device memory, and writes their
 * initial values. `name` stands in messages. The module lives until sluice_unload() or sluice_close(). Fails with
 * SLUICE_BAD_PTX or SLUICE_NO_MEMORY. */
SLUICE_API enum sluice_status sluice_load(sluice_gpu *gpu, const char *ptx, size_t length, const char *name,
                                          sluice_module **module, struct sluice_error *error);

/* A variable of a module that lies in host memory. */
struct sluice_host_variable {
	const char *name; /* the variable's name in the PTX; NULL ends a list */
	void *host;       /* its memory, which must live as long as the module */
};
/* Loads a module as sluice_load() does. The named variables lie in host memory, mapped as by sluice_map_host(), and get
 * their initial values there. `variables` ends with a row without a name; names that the module lacks are ignored. */
SLUICE_API enum sluice_status sluice_load_with(sluice_gpu *gpu, const char *ptx, size_t length, const char *name,
                                               const struct sluice_host_variable *variables, sluice_module **module,
                                               struct sluice_error *error);
/* Frees the module, its kernels and its variables. */
SLUICE_API void sluice_unload(sluice_gpu *gpu, sluice_module *module);
/* The kernel of that name in the PTX, which lives as long as its module; NULL: the module has none of that name. */
SLUICE_API sluice_kernel *sluice_find_kernel(sluice_module *module, const char *name);
/* The name of the module's kernel `number`, from 0, which lives as long as the module; NULL: the module has fewer. */
SLUICE_API const char *sluice_kernel_name(const sluice_module *module, size_t number);
/* Writes address and size in bytes of a module's global or constant variable; false: the module has none of that name.
 * `address` and `size` may be NULL. */
SLUICE_API bool sluice_find_variable(sluice_module *module, const char *name, uint64_t *address, uint64_t *size);

/* The resource that limits the number of resident blocks. */
enum sluice_limit { SLUICE_BY_THREADS, SLUICE_BY_REGISTERS, SLUICE_BY_SHARED, SLUICE_BY_BLOCK_SLOTS };

/* The static facts of a kernel. */
struct sluice_kernel_info {
	size_t size;              /* SLUICE_SIZED(kernel_info) */
	const char *name;         /* lives as long as the module */
	uint32_t registers;       /* per thread, after kernel.NAME.registers and all limits */
	uint32_t spill_bytes;     /* per thread: the part of local_bytes that holds registers beyond the limit */
	uint32_t spill_loads;     /* static instructions that load spilled registers */
	uint32_t spill_stores;    /* static instructions that store them */
	uint32_t shared_bytes;    /* static, per block */
	uint32_t local_bytes;     /* per thread */
	uint32_t constant_bytes;  /* of the module */
	uint32_t param_count;     /* parameters */
	uint32_t param_bytes;     /* bytes of the parameter block */
	uint32_t max_block_threads; /* threads of the largest block that the kernel allows */
	uint32_t instructions;    /* static PTX instructions */
	uint32_t target;          /* the PTX's architecture: 70 for sm_70 */
};
/* Writes a kernel's facts. Fails with SLUICE_BAD_PTX when the kernel's code cannot be used, SLUICE_BAD_LAUNCH when a
 * thread needs more registers than it may have, and SLUICE_BAD_ARGUMENT (no `size`). */
SLUICE_API enum sluice_status sluice_kernel_info(sluice_gpu *gpu, sluice_kernel *kernel,
                                                 struct sluice_kernel_info *info, struct sluice_error *error);
/* Writes offset and size in bytes of parameter `i` in the parameter block; false: the kernel has fewer parameters. */
SLUICE_API bool sluice_kernel_param(const sluice_kernel *kernel, uint32_t i, uint32_t *offset, uint32_t *size);
/* Sets the preferred capacity of shared memory for later launches of the kernel, in percent of an SM's largest capacity
 * (more than 100: 100). This needs a machine on which shared memory and L1 divide one memory (sm.carve_outs). A launch
 * gets the smallest carve-out that holds this percentage and one block. Only blocks that fit into it are resident.
 * Less than 0: the default, the smallest carve-out that holds all resident blocks. Returns false if shared memory and
 * L1 have fixed sizes; then the call has no effect. */
SLUICE_API bool sluice_kernel_prefer_shared(sluice_kernel *kernel, int percent);

/* How blocks of a kernel fit on an SM. */
struct sluice_occupancy {
	size_t size;             /* SLUICE_SIZED(occupancy) */
	uint32_t blocks_per_sm;  /* resident blocks; 0: a block does not fit */
	uint32_t warps_per_sm;   /* resident warps */
	double occupancy;        /* resident warps / warp slots */
	enum sluice_limit limit; /* the resource that excludes a further block */
	uint32_t registers;      /* per thread: the kernel's, or fewer when a block would not fit otherwise */
	uint32_t spill_bytes;    /* per thread, with these registers */
};
/* Writes how blocks of `block_threads` threads with `dynamic_shared_bytes` more bytes of shared memory fit on an SM.
 * Fails as sluice_kernel_info() does, and with SLUICE_BAD_ARGUMENT for no threads. */
SLUICE_API enum sluice_status sluice_occupancy(sluice_gpu *gpu, sluice_kernel *kernel, uint32_t block_threads,
                                               uint32_t dynamic_shared_bytes, struct sluice_occupancy *occupancy,
                                               struct sluice_error *error);

/* --- device memory --- */

/* Allocates `size` bytes at a multiple of 256, until sluice_free(). Fails with SLUICE_NO_MEMORY. */
SLUICE_API enum sluice_status sluice_alloc(sluice_gpu *gpu, uint64_t size, uint64_t *address, struct sluice_error *error);
/* Frees the allocation that begins at `address`. Fails with SLUICE_BAD_ARGUMENT when none does. */
SLUICE_API enum sluice_status sluice_free(sluice_gpu *gpu, uint64_t address, struct sluice_error *error);
/* Copies `size` bytes between host and device memory, or within device memory; ranges may overlap in sluice_copy().
 * Each fails with SLUICE_BAD_ARGUMENT when a device range is not inside one allocation; then nothing is copied. */
SLUICE_API enum sluice_status sluice_write(sluice_gpu *gpu, uint64_t to, const void *from, uint64_t size,
                                           struct sluice_error *error);
SLUICE_API enum sluice_status sluice_read(sluice_gpu *gpu, void *to, uint64_t from, uint64_t size,
                                          struct sluice_error *error);
SLUICE_API enum sluice_status sluice_copy(sluice_gpu *gpu, uint64_t to, uint64_t from, uint64_t size,
                                          struct sluice_error *error);
/* Writes `count` copies of the low `width` (1, 2 or 4) bytes of `value`. Fails as sluice_write() does, and with
 * SLUICE_BAD_ARGUMENT for another width or a mapped address that is not a multiple of the width. */
SLUICE_API enum sluice_status sluice_fill(sluice_gpu *gpu, uint64_t to, uint32_t value, uint32_t width, uint64_t count,
                                          struct sluice_error *error);
/* Writes the free and the total bytes of device memory. */
SLUICE_API void sluice_memory_info(sluice_gpu *gpu, uint64_t *free_bytes, uint64_t *total_bytes);
/* Maps allocated device memory [device, device + size) at virtual address [address, address + size), for kernels and
 * for the calls above, until sluice_unmap(). Several mappings may show the same memory, and an access may cross
 * adjacent mappings. Unmap before sluice_free(). All three numbers are multiples of 16. Fails with SLUICE_BAD_ARGUMENT
 * when they are not, or the address range is in use, or the device memory is not allocated. */
SLUICE_API enum sluice_status sluice_map(sluice_gpu *gpu, uint64_t address, uint64_t size, uint64_t device,
                                         struct sluice_error *error);
/* Removes the mapping that begins at `address`. Fails with SLUICE_BAD_ARGUMENT when none does. */
SLUICE_API enum sluice_status sluice_unmap(sluice_gpu *gpu, uint64_t address, struct sluice_error *error);
/* Writes base and size of the live allocation of device memory, or of the mapping, that holds the address; false: no
 * allocation does. `base` and `size` may be NULL. */
SLUICE_API bool sluice_find_allocation(sluice_gpu *gpu, uint64_t address, uint64_t *base, uint64_t *size);

/* --- mapped host memory --- */

/* Maps host memory [host, host + size) for kernels, without copies, until sluice_unmap_host(). The memory must live
 * until then. Writes to *address the address for kernels: the host's own, unless the device uses that address
 * otherwise. The calls above do not take such addresses; textures do. An access costs as much as one to device memory.
 * Fails with SLUICE_BAD_ARGUMENT when the range is empty, too large, or overlaps mapped memory. */
SLUICE_API enum sluice_status sluice_map_host(sluice_gpu *gpu, void *host, uint64_t size, uint64_t *address,
                                           struct sluice_error *error);
/* Ends the mapping of the host memory that begins at `host`. Fails with SLUICE_BAD_ARGUMENT when there is none. */
SLUICE_API enum sluice_status sluice_unmap_host(sluice_gpu *gpu, const void *host, struct sluice_error *error);

/* --- textures and surfaces (docs/reference/textures.md) --- */

/* The type of a texel's components. */
enum sluice_channel { SLUICE_SIGNED, SLUICE_UNSIGNED, SLUICE_FLOAT };

/* An image in device memory. */
struct sluice_image {
	size_t size;                   /* SLUICE_SIZED(image) */
	uint64_t address;              /* of the first texel, in allocated memory */
	uint32_t dimensions;           /* 1, 2 or 3 */
	uint32_t width, height, depth; /* texels; 1 in dimensions beyond `dimensions` */
	uint32_t layers;               /* images of that size, one after the other; six per cube */
	uint32_t levels;               /* mipmap levels, each half as large as the one before; 1: no mipmap */
	bool cube;
	bool tiled;                    /* rows of texels lie in tiles, as in CUDA arrays, not one after the other */
	uint32_t channels;             /* components of a texel: 1, 2 or 4 */
	uint32_t channel_bits;         /* bits of a component: 8, 16 or 32; floats 16 or 32 */
	enum sluice_channel channel;   /* type of a component */
	uint64_t pitch;                /* not tiled: bytes from row to row */
};

/* The meaning of coordinates outside an image. */
enum sluice_outside { SLUICE_WRAP, SLUICE_CLAMP, SLUICE_MIRROR, SLUICE_BORDER };

/* How kernels read an image. */
struct sluice_sampler {
	size_t size;                    /* SLUICE_SIZED(sampler) */
	enum sluice_outside outside[3]; /* by dimension; wrap and mirror need normalized coordinates */
	bool linear;                    /* filter between texels, for reads that give floats; else the nearest texel */
	bool normalized;                /* coordinates from 0 to 1; else in texels */
	bool reads_floats;              /* integers are read as fractions of the largest */
	bool srgb;
	float border[4];
	float level_bias, lowest_level, highest_level;
};
/* Writes the bytes of an image with all its levels and layers; false, with a message: the image's shape is invalid. */
SLUICE_API bool sluice_image_bytes(const struct sluice_image *image, uint64_t *bytes, struct sluice_error *error);
/* Returns the address of byte `byte` in row `y` of slice or layer `z` of a valid image. Writes to *run the number of
 * bytes of the row that are contiguous from there. */
SLUICE_API uint64_t sluice_image_row(const struct sluice_image *image, uint32_t level, uint64_t byte, uint32_t y, uint32_t z,
                                     uint64_t *run);
/* Creates a texture or surface object, until sluice_texture_destroy(); kernels take its handle. Fails with
 * SLUICE_NO_MEMORY when there are too many, and as sluice_texture_bind() does. */
SLUICE_API enum sluice_status sluice_texture_create(sluice_gpu *gpu, const struct sluice_image *image,
                                                    const struct sluice_sampler *sampler, uint64_t *handle,
                                                    struct sluice_error *error);
/* Fails with SLUICE_BAD_ARGUMENT when there is no such handle. */
SLUICE_API enum sluice_status sluice_texture_destroy(sluice_gpu *gpu, uint64_t handle, struct sluice_error *error);
/* Binds a handle to another image. An image needs a sampler, which surface accesses ignore. `image` NULL unbinds the
 * handle: a read through it is a fault. After a failure it is unbound too. Fails with SLUICE_BAD_ARGUMENT: no such
 * handle, no sampler, an invalid structure, or an image outside every allocation. */
SLUICE_API enum sluice_status sluice_texture_bind(sluice_gpu *gpu, uint64_t handle, const struct sluice_image *image,
                                                  const struct sluice_sampler *sampler, struct sluice_error *error);
/* Writes the handle of a module's texture or surface reference (.texref, .surfref); false: none has that name. */
SLUICE_API bool sluice_find_texture(sluice_module *module, const char *name, uint64_t *handle);

/* --- launches --- */

/* Runs a kernel to its end, then the kernels that it launched. arguments[i] points to the value of parameter i. Before
 * it starts it fails with SLUICE_BAD_LAUNCH, SLUICE_BAD_ARGUMENT or SLUICE_BAD_PTX. It also fails with SLUICE_STOPPED
 * when the gpu is already stopped, or has used up max_instructions. The statistics then have no record of it. After
 * that it fails with SLUICE_FAULT, SLUICE_STALLED, SLUICE_STOPPED, SLUICE_BAD_MECHANISM or SLUICE_INTERNAL. It fails
 * with SLUICE_IO when the instruction trace cannot be written, and with SLUICE_BAD_LAUNCH when such a trace cannot
 * record the kernel. The launch then has a record. A kernel that this kernel launched can fail in the same ways; its
 * parent then has a record. */
SLUICE_API enum sluice_status sluice_launch(sluice_gpu *gpu, sluice_kernel *kernel, sluice_dim grid, sluice_dim block,
                                            uint32_t dynamic_shared_bytes, void *const *arguments,
                                            struct sluice_error *error);
/* Runs a kernel with all its blocks resident together, so that they may wait for each other. Fails as sluice_launch()
 * does, and with SLUICE_TOO_LARGE when the blocks do not fit together. */
SLUICE_API enum sluice_status sluice_launch_cooperative(sluice_gpu *gpu, sluice_kernel *kernel, sluice_dim grid,
                                                        sluice_dim block, uint32_t dynamic_shared_bytes,
                                                        void *const *arguments, struct sluice_error *error);
/* Begins (true) or ends the region of settings.only_region, as cudaProfilerStart() and cudaProfilerStop() do. */
SLUICE_API void sluice_region(sluice_gpu *gpu, bool begins);
/* Named ranges of the program, as NVTX has them: for settings.ranges, and for the statistics. They belong to the
 * process, for all gpus. `domain` NULL: none; domains are independent of each other. A range belongs to the calling
 * thread until that pops it or ends. Both calls return the number of the thread's ranges around it in the domain; a pop
 * without a push returns -1. */
SLUICE_API int sluice_range_push(const char *domain, const char *name);
SLUICE_API int sluice_range_pop(const char *domain);
/* Begins a range for all threads, which may overlap with others. Returns its number, never 0, for sluice_range_end(),
 * which ignores numbers that are not open. */
SLUICE_API uint64_t sluice_range_start(const char *domain, const char *name);
SLUICE_API void sluice_range_end(uint64_t range);
/* Stops the gpu permanently: the launch in progress returns SLUICE_STOPPED, and no other launch begins. May be called
 * by another thread, a signal handler or a callback. */
SLUICE_API void sluice_stop(sluice_gpu *gpu);
/* The number of different findings of the checks so far. */
SLUICE_API uint64_t sluice_findings(const sluice_gpu *gpu);

/* Simulated time since sluice_open() in seconds, which events measure. In a functional run it is an estimate: as if
 * each scheduler of the SMs that have blocks issued one warp instruction per core cycle. */
SLUICE_API double sluice_time(const sluice_gpu *gpu);
/* Runs kernels from an instruction trace without a program (docs/how-to/traces.md): those in a folder's
 * kernelslist.g, or in such a file, in its order. `kernel` selects some by number in the list ("3", "2-5") or by
 * name; NULL: all. Fails with SLUICE_BAD_TRACE, with SLUICE_BAD_SETTING when a setting needs a program, and as
 * sluice_launch() does. After a failure the gpu must not launch anything further. */
SLUICE_API enum sluice_status sluice_run_trace(sluice_gpu *gpu, const char *path, const char *kernel,
                                               struct sluice_error *error);

/* --- counters --- */

/* The kind of unit that counts. */
enum sluice_scope {
	SLUICE_SCOPE_SM,      /* a streaming multiprocessor */
	SLUICE_SCOPE_SLICE,   /* an L2 slice */
	SLUICE_SCOPE_CHANNEL, /* a DRAM channel */
	SLUICE_SCOPE_NETWORK, /* a network between SMs and slices, or a cluster's port to it */
	SLUICE_SCOPE_GPU,     /* the whole GPU: one unit */
};

/* A counter's declaration, as `sluice stats --describe` prints it. Texts live as long as the gpu. */
struct sluice_counter {
	size_t size;             /* SLUICE_SIZED(counter) */
	const char *name;        /* "l1d.misses", a mechanism's "mta.useful", a derived statistic "ipc" */
	const char *unit;        /* "requests"; "" for a ratio */
	const char *meaning;     /* of a derived statistic, its formula */
	enum sluice_scope scope;
	uint32_t units;          /* number of units that count it, as the machine's SMs; 0: no values per unit */
	bool is_derived;         /* computed from other counters or measured once, not counted by units */
	bool is_largest;         /* units and launches combine to the largest value, not to the sum */
};

enum { SLUICE_ALL_UNITS = -1 };

/* Counters are numbered from 0 to sluice_counter_count() - 1, in the order of the statistics: those of the machine,
 * then those of the attached mechanisms, then derived statistics. Numbers do not change while the gpu is open.
 * Histograms and other vectors of mechanisms are only in the statistics (sluice_stats_write()). */
SLUICE_API size_t sluice_counter_count(const sluice_gpu *gpu);
/* Writes the number of the counter with that name; false: there is no such counter. */
SLUICE_API bool sluice_counter_find(const sluice_gpu *gpu, const char *name, size_t *number);
/* Writes a counter's declaration. Fails with SLUICE_BAD_ARGUMENT. */
SLUICE_API enum sluice_status sluice_counter_describe(sluice_gpu *gpu, size_t number,
                                                      struct sluice_counter *counter, struct sluice_error *error);
/* Launches so far, of kernels by kernels too. Launches are numbered from 1 to this number, the last one or the one in
 * progress. */
SLUICE_API uint64_t sluice_launch_count(const sluice_gpu *gpu);
/* Writes a counter's value, exact up to 2^53. `launch` is the number of a launch, or 0 for the whole run. `unit` is
 * SLUICE_ALL_UNITS for all units together, or a unit's number, from 0: an SM, slice, ... Values per unit are available
 * for the whole run and for the last launch; with `units` of the settings, for every launch. They leave out launches
 * that ran functionally, as most do in a sampled run. A mechanism may count for an SM outside of it, at the
 * dispatcher: then the sum over units is less than the value of all. *value is NAN where nothing is known, as the
 * misses of a functional launch. A ratio whose denominator is 0 is 0.
 *
 * Counters are live: the call may be made between launches, and inside `on_interval` of struct sluice_settings. There,
 * the launch in progress has its values up to that cycle (its host_seconds are 0). The time of a call for the whole
 * run grows with the number of launches. Fails with SLUICE_BAD_ARGUMENT: no such counter, launch or unit, or a kernel
 * runs and this is not `on_interval`. */
SLUICE_API enum sluice_status sluice_counter_value(sluice_gpu *gpu, size_t number, uint64_t launch, int64_t unit,
                                                   double *value, struct sluice_error *error);
/* Writes the value of the counter with that name, as sluice_counter_value() does. */
SLUICE_API enum sluice_status sluice_counter_read(sluice_gpu *gpu, const char *name, uint64_t launch, int64_t unit,
                                                  double *value, struct sluice_error *error);

/* --- statistics --- */

enum sluice_stats_format { SLUICE_STATS_TABLE, SLUICE_STATS_JSON, SLUICE_STATS_GPGPUSIM };
/* Writes the statistics of all kernels so far. Fails with SLUICE_IO. */
SLUICE_API enum sluice_status sluice_stats_write(sluice_gpu *gpu, FILE *file, enum sluice_stats_format format,
                                                 struct sluice_error *error);
/* Maintains the JSON statistics in a file. The file is created at once, and each kernel is appended when it has
 * ended. The file is valid at all times, also after a crash. Until sluice_stats_end() it states that the process is
 * running and has no totals. Fails with SLUICE_IO. */
SLUICE_API enum sluice_status sluice_stats_keep(sluice_gpu *gpu, const char *path, struct sluice_error *error);
/* States how the process ended, in a word or two: "exit 0". Completes the file of sluice_stats_keep(); later statistics
 * contain it. Fails with SLUICE_IO. */
SLUICE_API enum sluice_status sluice_stats_end(sluice_gpu *gpu, const char *how, struct sluice_error *error);
/* Prints the declaration of every counter of the machine: name, unit, scope, meaning. */
SLUICE_API void sluice_stats_describe(FILE *file);

/* --- passes over PTX, without a machine --- */

/* How PTX is rewritten. */
struct sluice_rewriting {
	size_t size;                    /* SLUICE_SIZED(rewriting) */
	const char *const *passes;      /* as in struct sluice_settings */
	const char *mechanism;          /* a name or path whose passes are available too; may be NULL */
	const char *const *print_after; /* the PTX is printed to `log` after these passes; NULL-terminated or NULL */
	bool is_dot;                    /* write the control-flow graphs for Graphviz instead of PTX */
	FILE *log;                      /* for print_after and passes' counters; may be NULL without print_after */
};
/* Writes the PTX to `file` after the passes. `name` stands in messages. Fails with SLUICE_BAD_PTX, SLUICE_BAD_SETTING
 * or SLUICE_BAD_ARGUMENT. The caller checks `file` for write errors. */
SLUICE_API enum sluice_status sluice_rewrite(const char *ptx, size_t length, const char *name,
                                             const struct sluice_rewriting *how, FILE *file,
                                             struct sluice_error *error);
/* Lists the passes, with those of a mechanism unless it is NULL. Fails with SLUICE_BAD_SETTING. */
SLUICE_API enum sluice_status sluice_passes_write(const char *mechanism, FILE *file, struct sluice_error *error);

/* --- mechanisms --- */

/* The name of built-in mechanism `number`, from 0, and in *summary, which may be NULL, a line about it; both are
 * static. NULL: there are fewer. */
SLUICE_API const char *sluice_mechanism_name(size_t number, const char **summary);
/* Prints what a mechanism ("NAME[:KEY=VALUE,...]", NAME or a path) is: its citation, its exclusive policies, its
 * options with ranges and values, its counters, and the cost of its hardware on this machine. Fails with
 * SLUICE_BAD_SETTING. */
SLUICE_API enum sluice_status sluice_mechanism_describe(const sluice_gpu *gpu, const char *mechanism, FILE *file,
                                                        struct sluice_error *error);

/* Bytes that each block of later launches will read:
 *   from       base + low  + blockIdx.x * low_by[0]  + blockIdx.y * low_by[1]  + blockIdx.z * low_by[2]
 *   to before  base + high + blockIdx.x * high_by[0] + ...
 * Mechanisms that load blocks' data in advance use these ranges instead of the static analysis. */
struct sluice_range {
	uint64_t base;
	int64_t low, high, low_by[3], high_by[3];
};
/* Adds a range, which is copied, for all later launches until sluice_forget_ranges(). Fails with SLUICE_BAD_ARGUMENT
 * when `base` is in no allocation. */
SLUICE_API enum sluice_status sluice_announce_range(sluice_gpu *gpu, const struct sluice_range *range,
                                                    struct sluice_error *error);
/* Removes all ranges. */
SLUICE_API void sluice_forget_ranges(sluice_gpu *gpu);

/* --- the machine --- */

/* The properties of a machine that programs ask for. */
struct sluice_machine_info {
	size_t size; /* SLUICE_SIZED(machine_info) */
	char name[64];
	uint32_t sm_count, warp_size, max_threads_per_block, max_threads_per_sm, max_blocks_per_sm, registers_per_sm;
	uint32_t shared_bytes_per_sm, shared_bytes_per_block, l2_bytes, core_mhz;
	/* DRAM's bandwidth in bits per microsecond is memory_mhz * 2 * memory_bus_bits. */
	uint32_t memory_mhz, memory_bus_bits;
	uint32_t pitch_bytes;  /* rows of images are rounded up to a multiple of it */
	uint32_t major, minor; /* compute capability */
	uint64_t memory_bytes;
	uint32_t unified_bytes; /* memory of an SM that shared memory and L1 divide at each launch; 0: fixed sizes */
};
/* Writes the machine's properties; false: `size` is 0. */
SLUICE_API bool sluice_machine_info(const sluice_gpu *gpu, struct sluice_machine_info *info);
/* Prints the machine as YAML, every key with its value. */
SLUICE_API void sluice_machine_write(const sluice_gpu *gpu, FILE *file);
/* For a machine from a GPGPU-Sim configuration: the options that the model cannot express, one per line with file,
 * line and reason. The text lives as long as the gpu; NULL: there are none. Also writes how many options were
 * honored and how many were not; either pointer may be NULL. */
SLUICE_API const char *sluice_machine_left_out(const sluice_gpu *gpu, uint32_t *honored, uint32_t *left_out);
/* The options among them that can change cycles, each with its value, separated by commas. NULL: there are none. */
SLUICE_API const char *sluice_machine_ignored(const sluice_gpu *gpu);
/* Writes the folder of machine files: SLUICE_MACHINES, else that of the library's installation, else the source tree's.
 * `path` has `size` bytes and is always terminated. */
SLUICE_API void sluice_machines_folder(char *path, size_t size);

#ifdef __cplusplus
}
#endif
#endif
