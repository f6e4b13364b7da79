/* The process's runtime: opens the GPU with the settings from the environment, and ends the process. */

#include "cudart/capture.h"
#include "cudart/environment.h"
#include "cudart/host_memory.h"
#include "cudart/leaks.h"
#include "cudart/pool.h"
#include "cudart/refused.h"
#include "cudart/stream_order.h"
#include "cudart/stream_work.h"
#include "cudart/texture.h"
#include "cudart/virtual.h"

#include "base/arena.h"
#include "sluice_runtime.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CONFIGURATIONS = 16 };

/* The only writable globals of the library, apart from those that signals.c shares with a signal handler: the runtime,
 * its lock, and the state of each thread. */
static struct runtime the_runtime;
static pthread_mutex_t the_lock = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local struct {
	cudaError_t last_error;
	bool calls_back;      /* a function of the program runs while the thread holds the lock */
	volatile bool inside; /* the thread holds the lock; read by a signal handler that ends the process */
	int cancel_state;     /* the thread's cancel state before it took the lock */
	struct call_configuration configuration[CONFIGURATIONS];
	unsigned configurations;
	bool popped; /* a configuration was popped for the launch that follows */
	unsigned context_depth;
	struct stream_state stream; /* cudaStreamPerThread */
	enum cudaStreamCaptureMode capture_mode;
} thread;

void runtime_message(const char *format, ...)
{
	va_list arguments;
	fflush(stdout); /* the message follows the program's previous output */
	fputs("sluice: ", stderr);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
}

cudaError_t runtime_refuse(const char *call, cudaError_t error, const char *format, ...)
{
	char text[256];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	runtime_message("%s: %s", call, text);
	return error;
}

cudaError_t runtime_check(const struct runtime *runtime, const char *call, bool has_room)
{
	if (has_room)
		return runtime->error;
	return runtime_refuse(call, cudaErrorInvalidValue, "the pointer for the result is NULL");
}

/* A status or fault of a newer library, which is in no table, is unknown. */
static cudaError_t error_of(const struct sluice_error *error)
{
	static const cudaError_t errors[] = {
		[SLUICE_OK] = cudaSuccess,
		[SLUICE_BAD_ARGUMENT] = cudaErrorInvalidValue,
		[SLUICE_BAD_SETTING] = cudaErrorInitializationError,
		[SLUICE_BAD_PTX] = cudaErrorInvalidPtx,
		[SLUICE_NO_MEMORY] = cudaErrorMemoryAllocation,
		[SLUICE_BAD_LAUNCH] = cudaErrorInvalidConfiguration,
		[SLUICE_STALLED] = cudaErrorLaunchFailure,
		[SLUICE_STOPPED] = cudaErrorLaunchTimeout,
		[SLUICE_IO] = cudaErrorOperatingSystem,
		[SLUICE_INTERNAL] = cudaErrorUnknown,
		[SLUICE_BAD_MECHANISM] = cudaErrorLaunchFailure,
		[SLUICE_TOO_LARGE] = cudaErrorCooperativeLaunchTooLarge,
		[SLUICE_BAD_TRACE] = cudaErrorInvalidSource,
	};
	static const cudaError_t faults[] = {
		[SLUICE_FAULT_ADDRESS] = cudaErrorIllegalAddress,
		[SLUICE_FAULT_MISALIGNED] = cudaErrorMisalignedAddress,
		[SLUICE_FAULT_RANGE] = cudaErrorLaunchFailure,
		[SLUICE_FAULT_BARRIER] = cudaErrorLaunchFailure,
		[SLUICE_FAULT_INSTRUCTION] = cudaErrorIllegalInstruction,
		[SLUICE_FAULT_CALL] = cudaErrorInvalidPc,
		[SLUICE_FAULT_STACK] = cudaErrorHardwareStackError,
		[SLUICE_FAULT_TRAP] = cudaErrorLaunchFailure,
		[SLUICE_FAULT_ASSERT] = cudaErrorAssert,
		[SLUICE_FAULT_MECHANISM] = cudaErrorLaunchFailure,
	};
	bool is_fault = error->status == SLUICE_FAULT;
	size_t number = is_fault ? (size_t)error->fault : (size_t)error->status;
	size_t count = is_fault ? sizeof faults / sizeof *faults : sizeof errors / sizeof *errors;
	if (error->status == SLUICE_OK || number >= count)
		return error->status == SLUICE_OK ? cudaSuccess : cudaErrorUnknown;
	cudaError_t known = is_fault ? faults[number] : errors[number];
	return known == cudaSuccess ? cudaErrorUnknown : known;
}

cudaError_t runtime_report(struct runtime *runtime, const char *call, const struct sluice_error *error)
{
	cudaError_t result = error_of(error);
	int length = (int)strlen(error->message);
	if (length && error->message[length - 1] == '\n')
		length--;
	/* the library's diagnostics already begin with the prefix */
	if (strncmp(error->message, "sluice: ", 8) == 0)
		runtime_message("%.*s", length - 8, error->message + 8);
	else
		runtime_message("%s: %.*s", call, length, error->message);
	if (result == cudaErrorLaunchFailure || error->status == SLUICE_FAULT || error->status == SLUICE_INTERNAL) {
		runtime->error = result;
		runtime->failed |= result != cudaErrorAssert; /* programs expect failed assertions */
	}
	return result;
}

/* Reports the unsupported options of a GPGPU-Sim configuration, and names those that can change cycles. */
static void tell_left_out(const sluice_gpu *gpu, const char *machine)
{
	uint32_t honored, left_out;
	if (sluice_machine_left_out(gpu, &honored, &left_out))
		fprintf(stderr,
		        "sluice: %s: %u options are honored, %u are not ('sluice machine show %s' lists them)\n",
		        machine, honored, left_out, machine);
	const char *ignored = sluice_machine_ignored(gpu);
	if (ignored)
		fprintf(stderr, "sluice: %s: ignored options that can change cycles: %s\n", machine, ignored);
}

static void open_gpu(struct runtime *runtime)
{
	bool numbers;
	runtime->open_tried = true;
	struct sluice_settings settings = runtime_settings(runtime, &numbers);
	struct sluice_error error = {0};
	sluice_gpu *gpu = NULL;
	access_watch(); /* mechanisms are loaded and called here */
	enum sluice_status status = numbers ? sluice_open(&gpu, &settings, &error) : SLUICE_BAD_SETTING;
	access_unwatch();
	runtime->gpu = gpu; /* NULL when opening failed */
	if (status == SLUICE_OK) {
		tell_left_out(gpu, settings.machine);
		if (!keep_statistics(runtime))
			runtime->failed = true;
		watch_signals();
		access_watch(); /* after watch_signals(): its handlers report a fault, then call the previous ones */
		return;
	}
	if (numbers)
		runtime_report(runtime, "cannot set up the machine", &error);
	runtime->error = cudaErrorInitializationError;
	runtime->failed = true;
	if (settings.journal) { /* results that nothing has simulated would hide the message */
		fflush(stdout);
		_exit(1);
	}
}

struct runtime *runtime_enter_closed(void)
{
	int cancel_state;
	if (thread.calls_back)
		return &the_runtime;
	/* a canceled thread would never release the lock */
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
	pthread_mutex_lock(&the_lock);
	thread.inside = true;
	thread.cancel_state = cancel_state;
	return &the_runtime;
}

const struct runtime *runtime_glance(void)
{
	return &the_runtime;
}

/* CUDA contexts are not inherited by forked children. A child also lacks the threads that may be in a call. */
static void refuse_child(struct runtime *runtime)
{
	if (!runtime->told)
		runtime_message("a forked child cannot use CUDA when its parent has used it before the fork");
	runtime->told = true;
}

void runtime_call_back(void (*function)(void *user), void *user)
{
	cudaError_t error = the_runtime.error;
	the_runtime.error = cudaErrorNotPermitted;
	thread.calls_back = true;
	function(user);
	thread.calls_back = false;
	the_runtime.error = error;
}

struct runtime *runtime_enter_beside(void)
{
	struct runtime *runtime = runtime_enter_closed();
	if (runtime->parents)
		refuse_child(runtime);
	else if (!runtime->open_tried)
		open_gpu(runtime);
	return runtime;
}

struct runtime *runtime_enter(void)
{
	struct runtime *runtime = runtime_enter_beside();
	if (!thread.calls_back) {
		streams_finish(runtime);
		order_all(runtime);
	}
	return runtime;
}

cudaError_t runtime_leave(struct runtime *runtime, cudaError_t result)
{
	if (result != cudaSuccess && result == runtime->error && !thread.calls_back)
		runtime->untold = false;
	if (result != cudaSuccess && result != cudaErrorNotReady)
		thread.last_error = result;
	if (thread.calls_back)
		return result;
	thread.inside = false;
	runtime->calls++; /* at the end: a long call is no idle time */
	pthread_mutex_unlock(&the_lock);
	pthread_setcancelstate(thread.cancel_state, &thread.cancel_state);
	return result;
}

cudaError_t runtime_result(cudaError_t result)
{
	return runtime_leave(runtime_enter_closed(), result);
}

bool runtime_find_allocation(const void *address, uint64_t *base, uint64_t *size)
{
	if (pthread_mutex_trylock(&the_lock) != 0)
		return false;
	bool found = the_runtime.gpu && sluice_find_allocation(the_runtime.gpu, (uintptr_t)address, base, size);
	pthread_mutex_unlock(&the_lock);
	return found;
}

int runtime_refused(const char *name, int error, const char *reason)
{
	runtime_message("%s: %s", name, reason);
	return strncmp(name, "cuda", 4) == 0 ? (int)runtime_result((cudaError_t)error) : error;
}

cudaError_t *runtime_last_error(void)
{
	return &thread.last_error;
}

void runtime_told(cudaError_t error)
{
	if (error != cudaSuccess)
		the_runtime.untold = false;
}

struct call_configuration *runtime_push_configuration(void)
{
	return thread.configurations < CONFIGURATIONS ? &thread.configuration[thread.configurations++] : NULL;
}

struct call_configuration *runtime_pop_configuration(void)
{
	thread.popped = thread.configurations;
	return thread.configurations ? &thread.configuration[--thread.configurations] : NULL;
}

struct CUctx_st *runtime_context(void)
{
	return (struct CUctx_st *)&the_runtime;
}

unsigned *runtime_context_depth(void)
{
	return &thread.context_depth;
}

void runtime_use_context(void)
{
	if (!thread.context_depth)
		thread.context_depth = 1;
}

struct stream_state *runtime_thread_stream(void)
{
	return &thread.stream;
}

enum cudaStreamCaptureMode *runtime_capture_mode(void)
{
	return &thread.capture_mode;
}

bool runtime_take_popped(void)
{
	bool popped = thread.popped;
	thread.popped = false;
	return popped;
}

static void free_symbols(struct symbol *symbol)
{
	while (symbol) {
		struct symbol *next = symbol->next;
		free(symbol->older_launch);
		free(symbol);
		symbol = next;
	}
}

/* Writes the results of a process that ends with `status`. Sets runtime->failed when the status must not be 0. */
static void write_results(struct runtime *runtime, int status)
{
	/* A requested statistics file is written even if no kernel ran. In a child it is left to the parent. */
	if (!runtime->open_tried && !runtime->is_child && environment("SLUICE_STATS") && runtime->binaries)
		open_gpu(runtime);
	if (!runtime->launches && runtime->binaries && !runtime->is_child && !runtime->failed)
		runtime_message("the program launched no kernel");
	if (runtime->untold && !runtime->failed && status == 0)
		runtime_message("a kernel did not finish, and the program did not ask for the error: its exit status "
		                "becomes 1");
	runtime->failed |= runtime->untold;
	char how[32];
	snprintf(how, sizeof how, "exit %d", status == 0 && runtime->failed ? EXIT_FAILURE : status);
	if (runtime->gpu && !write_statistics(runtime, how))
		runtime->failed = true;
}

static void close_runtime(struct runtime *runtime)
{
	sluice_gpu *gpu = runtime->gpu;
	runtime->gpu = NULL; /* no signal handler uses it any more */
	sluice_close(gpu);
	streams_free(runtime);
	order_free(runtime);
	graphs_free(runtime);
	handles_free(runtime);
	pools_free(runtime);
	virtual_free(runtime);
	leaks_free(runtime);
	host_memory_free(runtime);
	managed_sections_free(runtime);
	arrays_free(runtime);
	texture_references_free(runtime);
	texture_objects_free(runtime);
	free_symbols(runtime->kernels);
	free_symbols(runtime->variables);
	for (struct binary *binary = runtime->binaries, *next; binary; binary = next) {
		next = binary->next;
		managed_free(binary);
		free(binary);
	}
	free(runtime->command_line);
	free(runtime->options);
	free(runtime->program);
	free(runtime->option);
	free(runtime->mechanisms);
	free(runtime->mechanism);
	free(runtime->passes);
	free(runtime->pass);
	*runtime = (struct runtime){.open_tried = true, .error = cudaErrorCudartUnloading, .ending = true};
}

/* Runs the work that the program has left in its streams, unless another thread runs some. */
static void finish_streams(void)
{
	if (the_runtime.ending || pthread_mutex_trylock(&the_lock) != 0)
		return;
	pthread_mutex_unlock(&the_lock);
	struct runtime *runtime = runtime_enter_closed();
	if (runtime->gpu && sluice_is_stopped(runtime->gpu))
		sluice_queue_cut(runtime->gpu);
	else
		streams_finish(runtime); /* an error remains untold */
	runtime_leave(runtime, cudaSuccess);
}

/* Runs last at exit, after all other exit work of the program and its libraries. A kernel that another thread has
 * launched is abandoned. */
static void finish(int status, void *unused)
{
	(void)unused;
	/* When a signal handler ends the process during a call, complete records are written and everything else is
	 * left alone. */
	bool interrupts = thread.inside;
	while (!interrupts && ends_by_signal())
		pause();
	if (!interrupts)
		finish_streams();
	sluice_gpu *gpu = the_runtime.gpu;
	the_runtime.ending = true;
	if (gpu && !interrupts)
		sluice_stop(gpu);
	struct runtime *runtime = interrupts ? &the_runtime : runtime_enter_closed();
	if (!interrupts)
		leaks_tell(runtime);
	write_results(runtime, status);
	bool failed = runtime->failed;
	if (!interrupts) {
		close_runtime(runtime);
		runtime_leave(runtime, cudaSuccess);
	}
	if (failed && status == 0) {
		fflush(NULL);
		_exit(EXIT_FAILURE);
	}
}

_Noreturn void runtime_end(void)
{
	if (!the_runtime.ending)
		exit(SLUICE_EXIT_STOPPED);
	for (;;)
		pause();
}

_Noreturn void runtime_end_for(const char *cause)
{
	if (the_runtime.gpu)
		sluice_stop_for(the_runtime.gpu, cause);
	runtime_end();
}

_Noreturn void runtime_end_by_signal(int number, const char *cause)
{
	char how[32];
	the_runtime.ending = true;
	if (the_runtime.gpu)
		sluice_stop_for(the_runtime.gpu, cause);
	struct runtime *runtime = runtime_enter_closed(); /* the lock is never released */
	snprintf(how, sizeof how, "signal %d", number);
	if (runtime->gpu) {
		sluice_queue_cut(runtime->gpu);
		write_statistics(runtime, how);
	}
	sigset_t its;
	sigemptyset(&its);
	sigaddset(&its, number);
	signal(number, SIG_DFL);
	pthread_sigmask(SIG_UNBLOCK, &its, NULL);
	raise(number);
	for (;;)
		pause();
}

static void become_child(void)
{
	struct runtime *runtime = &the_runtime;
	pthread_mutex_init(&the_lock, NULL); /* the lock's holder is a thread of the parent */
	runtime->is_child = true;
	runtime->failed = runtime->untold = false;
	if (!runtime->open_tried)
		return;
	if (runtime->gpu)
		runtime->parents = runtime->gpu;
	runtime->gpu = NULL;
	runtime->error = cudaErrorInitializationError;
}

/* The library is never unloaded (-z nodelete), so the handlers stay valid. */
__attribute__((constructor)) static void start(void)
{
	on_exit(finish, NULL);
	pthread_atfork(NULL, NULL, become_child);
	bool fine = true;
	uint64_t seconds = environment_number("SLUICE_TIMEOUT", INT32_MAX, &fine);
	the_runtime.bad_timeout = !fine; /* reported; the first CUDA call will fail */
	if (seconds && !timeout_start(seconds))
		runtime_message("cannot set the time limit of SLUICE_TIMEOUT");
}
