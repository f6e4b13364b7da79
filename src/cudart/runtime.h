/* runtime: what the files of libcudart share: one GPU a process, opened at first use, and what the compiler registered.
 *
 * Every call of the API takes the lock with runtime_enter() and gives it back with runtime_leave(), which also keeps
 * the result as the thread's last error. All writable state lies in runtime.c.
 */
#ifndef SLUICE_CUDART_RUNTIME_H
#define SLUICE_CUDART_RUNTIME_H

#include "sluice.h"

#include <cuda_runtime_api.h>

#include <stdatomic.h>

/* The device code of one source file; its PTX is found and loaded when a kernel or variable of it is first used, or at once when
 * it has managed variables, whose initial values it brings. */
struct binary {
	const char *data; /* PTX or a container (fat_binary.h); NULL: of no kind that is known */
	sluice_module *module; /* NULL before it is loaded */
	cudaError_t error;     /* of loading it; every use returns it again */
	struct managed_variable *managed;
	struct binary *next;
};

/* A kernel or a variable, by the host's address for it. */
struct symbol {
	const void *host;
	const char *name; /* in the PTX */
	struct binary *binary;
	struct symbol *next;
	/* a kernel's preference of L1 and shared memory */
	enum cudaFuncCache cache;
	uint8_t carve_out; /* percent plus 1; 0: not set */
};

/* What programs say of a stream that changes nothing here, and is said again. */
struct stream_attributes {
	struct cudaAccessPolicyWindow window;
	enum cudaSynchronizationPolicy synchronization; /* 0: not set */
};

/* Where the device is said to be. */
enum { DEVICE_PCI_BUS = 1 };

struct texture_reference;
struct texture_object;
struct handle; /* a stream or an event */
struct capture;       /* capture.h */
struct stream_state;
struct graph_memory;  /* graph_memory.c */

struct runtime {
	sluice_gpu *_Atomic gpu;
	cudaError_t error; /* sticky: once a kernel has failed, every call returns it */
	struct binary *binaries;
	struct symbol *kernels, *variables;
	struct texture_reference *references; /* texture_reference.c */
	struct texture_object *objects;
	struct cudaArray *arrays; /* array.h: mip levels, too */
	struct cudaMipmappedArray *mipmaps;
	struct CUmemPoolHandle_st *pools, *pool; /* pool.c: all, and the device's; NULL: its default one */
	void *pooled;                            /* a tree of <search.h> */
	unsigned device_flags;                   /* as set */
	size_t limit[cudaLimitPersistingL2CacheSize + 1]; /* as set; 0: not set */
	struct stream_attributes stream_attributes;       /* the default streams' */
	struct managed_section *sections; /* managed_variable.c */
	void *handles, *host_memory, *graphs; /* trees of <search.h> */
	struct CUuserObject_st *user_objects;
	struct reservation *reservations; /* virtual.h */
	struct physical *physicals;
	struct mapping *mappings;
	struct capture *captures;
	struct graph_memory *graph_memories;
	uint64_t graph_bytes[4]; /* of these, by enum cudaGraphMemAttributeType */
	unsigned long long graph_ids; /* of graphs, nodes, captures and streams so far */
	uint64_t launches;
	void *leak_notes; /* leaks.c: a tree of <search.h> */
	bool failed;     /* the process shall not end with status 0 */
	bool untold;     /* nor as long as the program has not asked for the error of a kernel that did not run to its end */
	bool open_tried; /* the GPU was opened, or could not be */
	enum cudaFuncCache cache; /* preferred by kernels that prefer nothing of their own */
	bool cache_told;  /* that preferences of cache and shared memory change nothing */
	bool bad_timeout; /* SLUICE_TIMEOUT is no number */
	atomic_bool ending; /* the process: what the lock is held for ends early */
	/* of a forked child: */
	bool is_child, told; /* told that it cannot use its parent's GPU */
	sluice_gpu *parents;
	bool keeps_stats; /* in a file, kernel by kernel */
	enum sluice_stats_format stats_format;
	/* settings and the progress line */
	char *command_line, *options, *mechanisms, *passes;
	const char **program, **option, **mechanism, **pass;
	bool shows_progress, line_shown;
	double kernel_started;
	const char *progress_file; /* for who waits for the process (SLUICE_PROGRESS_FILE); NULL: nobody does */
	double progress_written;
};

/* A launch's configuration between <<<...>>> and the stub that launches. */
struct call_configuration {
	dim3 grid, block;
	size_t shared;
	cudaStream_t stream;
};

/* Takes the lock; opens the GPU when that has not been tried. runtime->error says whether it can be used. */
struct runtime *runtime_enter(void);
/* The same, for calls that need no GPU (registration, streams). */
struct runtime *runtime_enter_closed(void);
/* Ends the process with its statistics; does not return. Where another thread ends it already, waits for that. */
_Noreturn void runtime_end(void);
/* The same with the cause, for the record of a kernel that it cuts off. */
_Noreturn void runtime_end_for(const char *cause);
/* Ends the process by that signal, with its statistics. */
_Noreturn void runtime_end_by_signal(int number, const char *cause);
/* Ends the process so many seconds from now. False when that cannot be arranged. */
bool timeout_start(uint64_t seconds);
/* For handlers of signals, which can take no lock: what is there is only looked at. */
const struct runtime *runtime_glance(void);
/* Gives the lock back and returns `result`, having kept it as the thread's last error when it is one. */
cudaError_t runtime_leave(struct runtime *runtime, cudaError_t result);

/* The thread's last error. */
cudaError_t *runtime_last_error(void);
/* The thread's innermost open configuration; NULL when there is none, or (push) no room. */
struct call_configuration *runtime_push_configuration(void);
struct call_configuration *runtime_pop_configuration(void);
/* The one context of the driver API, and how often it lies on the thread's stack. */
struct CUctx_st *runtime_context(void);
unsigned *runtime_context_depth(void);
/* For the runtime's calls that need a context: it becomes the thread's current one, where it has none. */
void runtime_use_context(void);
/* An error unless there is a device of that number. */
cudaError_t runtime_check_device(const char *call, int device);
/* Whether the thread's launch is one of <<<...>>>: a configuration was popped for it. Forgets that. */
bool runtime_take_popped(void);
/* The thread's own stream, as far as captures go, and how it bears those of others. */
struct stream_state *runtime_thread_stream(void);
enum cudaStreamCaptureMode *runtime_capture_mode(void);
/* The program has been told of the error that is its last one. */
void runtime_told(cudaError_t error);

/* Loads the symbol's binary if need be. */
cudaError_t runtime_load(struct runtime *runtime, struct binary *binary);
/* Loads the device code that lies at an address, with variables as sluice_load_with() takes them, or returns an error after a message. */
cudaError_t runtime_load_code(struct runtime *runtime, const char *data, const struct sluice_host_variable *variables,
                              sluice_module **module);

/* "sluice: CALL: what the library said" on standard error, and the error that stands for its status. */
cudaError_t runtime_report(struct runtime *runtime, const char *call, const struct sluice_error *error);
__attribute__((format(printf, 1, 2))) void runtime_message(const char *format, ...);
/* The same of what the runtime itself refuses; returns `error`. */
__attribute__((format(printf, 3, 4))) cudaError_t runtime_refuse(const char *call, cudaError_t error,
                                                                 const char *format, ...);
/* For calls that need no GPU: takes the lock for no more than keeping the error. */
cudaError_t runtime_result(cudaError_t result);
/* An error when there is no room for a call's result, else the sticky one. */
cudaError_t runtime_check(const struct runtime *runtime, const char *call, bool has_room);
/* The kernel that the program's function stands for. */
cudaError_t runtime_find_kernel(struct runtime *runtime, const char *call, const void *function, sluice_kernel **kernel);
/* An error when it is no event, else the sticky one. */
cudaError_t runtime_check_event(struct runtime *runtime, const char *call, cudaEvent_t event);
/* An error when it is no stream, or one that takes no work now (capture.h), else the sticky one. */
cudaError_t runtime_check_stream(struct runtime *runtime, const char *call, cudaStream_t stream);

/* Of a stream that exists. */
struct stream_attributes *runtime_stream_attributes(struct runtime *runtime, cudaStream_t stream);

/* Calls `work(user)`, which reads and writes the program's memory. False when there is none at an address that it used;
 * *address is that. Not to be nested, and `work` must leave nothing undone when it does not come to its end. */
bool access_guarded(void (*work)(void *user), void *user, const void **address);
/* Accesses of the program to device memory, and faults of mechanisms, are told from now on; not any more. */
void access_watch(void);
void access_unwatch(void);
/* For a signal handler: the allocation that holds the address, if the runtime is at rest. */
bool runtime_find_allocation(const void *address, uint64_t *base, uint64_t *size);

/* The progress line of long kernels (sluice_settings.progress; `user` is the runtime). */
void progress_show(void *user, const char *kernel, uint64_t blocks_done, uint64_t blocks, uint64_t cycles,
                   uint64_t warp_instructions);
/* Either the line or the file, or both, as `shows_progress` and `progress_file` say. */
void progress_begin(struct runtime *runtime);
void progress_end(struct runtime *runtime);

/* The file of statistics, where the settings ask for one that is kept while kernels run. False after a message. */
bool keep_statistics(struct runtime *runtime);
/* Writes the statistics where the settings say, with how the process ends. False when that failed, after a message. */
bool write_statistics(struct runtime *runtime, const char *how);

/* Whether the machine can honour a preference of L1 or shared memory. If not, prints once that it changes nothing. */
bool can_prefer(struct runtime *runtime, const char *call, bool prefers);
/* An error where it is no preference that there is. */
cudaError_t runtime_check_cache(const char *call, enum cudaFuncCache config);
/* The symbol of a kernel that runtime_find_kernel() has found. */
struct symbol *runtime_kernel_symbol(const struct runtime *runtime, const void *function);
/* Passes a launch's preference of shared memory to the library: the launch's `carve_out` (percent plus 1; 0: not set),
 * else the kernel's, else the device's. */
void runtime_prefer(const struct runtime *runtime, const void *function, sluice_kernel *kernel, unsigned carve_out);

/* From now on signals that end the process leave statistics of what ran. */
void watch_signals(void);
/* Whether another thread is about to end the process by a signal that has come. */
bool ends_by_signal(void);

/* Forgets all streams and events. */
void handles_free(struct runtime *runtime);
void graphs_free(struct runtime *runtime);

#endif
