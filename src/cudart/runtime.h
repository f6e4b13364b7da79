/* runtime: declarations shared by the files of libcudart: the process's one GPU, opened at first use, and the symbols
 * that the compiler registered.
 *
 * Every API call takes the lock with runtime_enter() and releases it with runtime_leave(), which also stores the result
 * as the thread's last error. All writable state lies in runtime.c.
 */
#ifndef SLUICE_CUDART_RUNTIME_H
#define SLUICE_CUDART_RUNTIME_H

#include "sluice.h"

#include <cuda_runtime_api.h>

#include <stdatomic.h>

/* The driver's version: the newest version of a runtime that finds its functions here. */
enum { DRIVER_VERSION = 13000 };

/* The device code of one source file. Its PTX is found and loaded when one of its kernels or variables is first used.
 * It is loaded at once if it has managed variables, because it contains their initial values. */
struct binary {
	const char *data; /* PTX or a container (fat_binary.h); NULL: unknown format */
	sluice_module *module; /* NULL until it is loaded */
	cudaError_t error;     /* of loading; every use returns it again */
	struct managed_variable *managed;
	struct binary *next;
};

/* A kernel or variable, identified by its host address. */
struct symbol {
	const void *host;
	const char *name; /* in the PTX */
	struct binary *binary;
	struct symbol *next;
	/* a kernel's preference of L1 or shared memory */
	enum cudaFuncCache cache;
	uint8_t carve_out; /* percent plus 1; 0: not set */
	struct older_launch *older_launch; /* driver_older.c; NULL: none */
};

/* Stream attributes that have no effect here and are only returned when queried. */
struct stream_attributes {
	struct cudaAccessPolicyWindow window;
	enum cudaSynchronizationPolicy synchronization; /* 0: not set */
};

/* The reported location of the device. */
enum { DEVICE_PCI_BUS = 1 };

struct texture_reference;
struct texture_object;
struct handle; /* a stream or an event */
struct capture;       /* capture.h */
struct stream_state;
struct graph_memory;  /* graph_memory.c */

/* Streams with work that may not have ended (stream_work.h). */
struct stream_work;
struct stream_works {
	struct stream_work *list;
	size_t count, capacity;
	uint64_t *after;      /* room for the work that the next one follows */
	uint64_t launched_in; /* 1 + the number of the stream of the first launch; 0: no launch yet */
	bool told;            /* it was reported that kernels of different streams run in turn */
	bool told_children;   /* the same for launches by kernels */
};

struct runtime {
	sluice_gpu *_Atomic gpu;
	cudaError_t error; /* sticky: after a kernel has failed, every call returns it */
	struct binary *binaries;
	struct symbol *kernels, *variables;
	struct texture_reference *references; /* texture_reference.c */
	struct texture_object *objects;
	struct cudaArray *arrays; /* array.h; includes mip levels */
	struct cudaMipmappedArray *mipmaps;
	/* pool.c: all pools, and the device's current one (NULL: its default) */
	struct CUmemPoolHandle_st *pools, *pool;
	void *pooled;                            /* a tree of <search.h> */
	unsigned device_flags;                            /* set by the program */
	size_t limit[cudaLimitPersistingL2CacheSize + 1]; /* values set by the program; 0: not set */
	struct stream_attributes stream_attributes;       /* of the default streams */
	struct managed_section *sections; /* managed_variable.c */
	void *handles, *host_memory, *graphs; /* trees of <search.h> */
	struct CUuserObject_st *user_objects;
	struct reservation *reservations; /* virtual.h */
	struct physical *physicals;
	struct mapping *mappings;
	struct capture *captures;
	struct graph_memory *graph_memories;
	uint64_t graph_bytes[4]; /* of graph_memories, by enum cudaGraphMemAttributeType */
	unsigned long long graph_ids; /* last id given to a graph, node, capture or stream */
	uint64_t launches;
	uint64_t streams; /* streams that the program has created or, of threads' own ones, used */
	struct stream_works works;
	struct stream_orders *orders; /* stream_order.c; NULL: nothing is followed */
	_Atomic uint64_t calls;  /* CUDA calls that have ended */
	unsigned idle_queries;   /* of idle streams and complete events, in a row, while work is queued */
	bool is_watched;         /* the thread of idle_host.c runs */
	struct handle *branches; /* streams of graphs' branches (stream.c) */
	void *leak_notes; /* leaks.c: a tree of <search.h> */
	bool failed;     /* the process must not end with status 0 */
	bool untold;     /* a kernel failed and the program has not read the error: must not end with status 0 either */
	bool open_tried; /* opening the GPU was attempted */
	enum cudaFuncCache cache; /* the device's preference, for kernels without their own */
	bool cache_told;  /* reported that cache and shared memory preferences have no effect */
	bool bad_timeout; /* SLUICE_TIMEOUT is not a number */
	atomic_bool ending; /* the process is ending: work under the lock ends early */
	/* of a forked child: */
	bool is_child, told; /* `told`: reported that it cannot use its parent's GPU */
	sluice_gpu *parents;
	bool keeps_stats; /* statistics are written to a file after each kernel */
	enum sluice_stats_format stats_format;
	/* settings and the progress line */
	double sample_blocks; /* the fraction to which the settings point */
	char *command_line, *options, *mechanisms, *passes;
	const char **program, **option, **mechanism, **pass;
	bool shows_progress, line_shown;
	double kernel_started;
	const char *progress_file; /* for a process that waits for this one (SLUICE_PROGRESS_FILE); NULL: none */
	double progress_written;
};

/* The launch configuration from <<<...>>>, until the stub launches. */
struct call_configuration {
	dim3 grid, block;
	size_t shared;
	cudaStream_t stream;
};

/* Reads the settings of the GPU (settings.c). The runtime owns what they point to. Sets *fine to false after a
 * message. */
struct sluice_settings runtime_settings(struct runtime *runtime, bool *fine);
/* Takes the lock, opens the GPU if that was not attempted before, and runs all queued work of streams. runtime->error
 * tells whether the GPU is usable. */
struct runtime *runtime_enter(void);
/* The same for calls that need no results of queued work, or that wait for some of it: the work stays queued. */
struct runtime *runtime_enter_beside(void);
/* Calls a function of the program while the thread holds the lock. It may make no CUDA calls, as in CUDA: they return
 * cudaErrorNotPermitted. */
void runtime_call_back(void (*function)(void *user), void *user);
/* Takes the lock, for calls that need no GPU (registration, streams). */
struct runtime *runtime_enter_closed(void);
/* Writes the statistics and ends the process; does not return. If another thread is already ending it, waits for
 * that. */
_Noreturn void runtime_end(void);
/* Same as runtime_end(). Stores the cause in the record of a kernel that is cut off. */
_Noreturn void runtime_end_for(const char *cause);
/* Writes the statistics and ends the process by the signal. */
_Noreturn void runtime_end_by_signal(int number, const char *cause);
/* Ends the process after this many seconds. Returns false when no timer could be started. */
bool timeout_start(uint64_t seconds);
/* For signal handlers, which cannot take the lock: returns the runtime, only to be read. */
const struct runtime *runtime_glance(void);
/* Releases the lock and returns `result`. An error is first stored as the thread's last error. */
cudaError_t runtime_leave(struct runtime *runtime, cudaError_t result);

/* Returns the thread's last error. */
cudaError_t *runtime_last_error(void);
/* Push or pop the thread's innermost launch configuration. pop returns NULL when there is none, push when there is no
 * space. */
struct call_configuration *runtime_push_configuration(void);
struct call_configuration *runtime_pop_configuration(void);
/* Return the driver API's one context, and its count on the thread's context stack. */
struct CUctx_st *runtime_context(void);
unsigned *runtime_context_depth(void);
/* For runtime calls that need a context: makes it current when the thread has none. */
void runtime_use_context(void);
/* Returns an error unless the device exists. */
cudaError_t runtime_check_device(const char *call, int device);
/* True when a configuration was popped for the thread's current launch, so it came from <<<...>>>. Resets that. */
bool runtime_take_popped(void);
/* Return the capture state of the thread's own stream, and the thread's capture mode. */
struct stream_state *runtime_thread_stream(void);
enum cudaStreamCaptureMode *runtime_capture_mode(void);
/* Notes that the program has read its last error. */
void runtime_told(cudaError_t error);

/* Loads the binary if it is not loaded yet. */
cudaError_t runtime_load(struct runtime *runtime, struct binary *binary);
/* Loads the device code at an address. `variables` are those of sluice_load_with(). Returns an error after a
 * message. */
cudaError_t runtime_load_code(struct runtime *runtime, const char *data, const struct sluice_host_variable *variables,
                              sluice_module **module);

/* Prints "sluice: CALL: MESSAGE" on standard error. Returns the CUDA error for the library's status. */
cudaError_t runtime_report(struct runtime *runtime, const char *call, const struct sluice_error *error);
__attribute__((format(printf, 1, 2))) void runtime_message(const char *format, ...);
/* Prints a refusal by the runtime itself. Returns `error`. */
__attribute__((format(printf, 3, 4))) cudaError_t runtime_refuse(const char *call, cudaError_t error,
                                                                 const char *format, ...);
/* For calls that need no GPU: takes the lock only to store the error. */
cudaError_t runtime_result(cudaError_t result);
/* Returns an error when `has_room` is false: the call has no space for its result. Otherwise returns the sticky
 * error. */
cudaError_t runtime_check(const struct runtime *runtime, const char *call, bool has_room);
/* Finds the kernel of a host function. */
cudaError_t runtime_find_kernel(struct runtime *runtime, const char *call, const void *function, sluice_kernel **kernel);
/* Returns an error when the handle is not an event, otherwise the sticky error. */
cudaError_t runtime_check_event(struct runtime *runtime, const char *call, cudaEvent_t event);
/* Returns an error when the handle is not a stream or cannot take work now (capture.h), otherwise the sticky error. */
cudaError_t runtime_check_stream(struct runtime *runtime, const char *call, cudaStream_t stream);

/* The stream must exist. */
struct stream_attributes *runtime_stream_attributes(struct runtime *runtime, cudaStream_t stream);

/* Calls `work(user)`, which accesses the program's memory. Returns false, with the address in *address, when it used an
 * invalid address. Must not be nested. `work` may be interrupted at any access, so it must not need cleaning up. */
bool access_guarded(void (*work)(void *user), void *user, const void **address);
/* Start and stop reporting host accesses to device memory, and faults of mechanisms. */
void access_watch(void);
void access_unwatch(void);
/* For a signal handler: finds the allocation that contains the address, unless a call is in progress. */
bool runtime_find_allocation(const void *address, uint64_t *base, uint64_t *size);

/* Shows the progress of long kernels (sluice_settings.progress; `user` is the runtime). */
void progress_show(void *user, const char *kernel, uint64_t blocks_done, uint64_t blocks, uint64_t cycles,
                   uint64_t warp_instructions);
/* Write the progress line, the progress file, or both, as `shows_progress` and `progress_file` select. */
void progress_begin(struct runtime *runtime);
void progress_end(struct runtime *runtime);

/* Opens the statistics file that is updated while kernels run, if the settings request one. Returns false after a
 * message. */
bool keep_statistics(struct runtime *runtime);
/* Writes the statistics to their destination. `how` states how the process ends. Returns false after a message. */
bool write_statistics(struct runtime *runtime, const char *how);

/* Returns whether the machine can honor a preference of L1 or shared memory. If it cannot and `prefers` is set, the
 * call reports once that the preference has no effect. */
bool can_prefer(struct runtime *runtime, const char *call, bool prefers);
/* Returns an error if `config` is no value of the enum. */
cudaError_t runtime_check_cache(const char *call, enum cudaFuncCache config);
/* The symbol of a kernel that runtime_find_kernel() has found. */
struct symbol *runtime_kernel_symbol(const struct runtime *runtime, const void *function);
/* Passes a launch's preference of shared memory to the library: the launch's `carve_out` (percent plus 1; 0: not set),
 * else the kernel's, else the device's. */
void runtime_prefer(const struct runtime *runtime, const void *function, sluice_kernel *kernel, unsigned carve_out);

/* Installs handlers, so that signals that end the process leave statistics. */
void watch_signals(void);
/* True when another thread is about to end the process because of a received signal. */
bool ends_by_signal(void);

/* Frees all streams and events. */
void handles_free(struct runtime *runtime);
void graphs_free(struct runtime *runtime);

#endif
