/* Invalid accesses by the host. Accesses of the program to device memory, and of a mechanism to any memory, are
 * reported before the process ends as usual. Accesses of the runtime to host memory that the program named but does not
 * have become an error of the call. */
#include "cudart/runtime.h"

#include "api/mechanism_fault.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Where a guarded piece of work returns after a fault. */
struct guard {
	sigjmp_buf back;
	const void *address;
};

enum { STACK = 1 << 16 };

/* Accesses to device memory raise SIGSEGV; a mechanism may raise any of these. */
static const int faults[] = MECHANISM_FAULTS;
enum { FAULTS = sizeof faults / sizeof *faults };

static struct sigaction before[FAULTS]; /* the actions before access_watch(), which are still executed */
static _Thread_local struct guard *guard;

/* Uses only what is safe in a signal handler; snprintf of integers is safe in the supported C libraries. */
static void report_access(const void *address)
{
	char text[256];
	uint64_t base, size;
	if (!runtime_find_allocation(address, &base, &size))
		return;
	int length =
		snprintf(text, sizeof text,
	                 "sluice: the host accesses address %p, which is device memory (allocation 0x%llx, %llu "
	                 "bytes, offset %llu): device memory cannot be read or written by the host, use cudaMemcpy\n",
	                 address, (unsigned long long)base, (unsigned long long)size,
	                 (unsigned long long)((uintptr_t)address - base));
	if (write(STDERR_FILENO, text, (size_t)length) < 0)
		return; /* there is no other place to report it */
}

static void on_access(int signal, siginfo_t *info, void *context)
{
	bool is_access = signal == SIGSEGV && info->si_code > 0; /* not sent by a process */
	int i = 0;
	if (is_access && guard) {
		guard->address = info->si_addr;
		siglongjmp(guard->back, 1);
	}
	if (is_access)
		report_access(info->si_addr);
	if (runtime_glance()->mechanism)
		mechanism_fault_tell(signal, info, context);
	while (faults[i] != signal)
		i++;
	mechanism_fault_pass_on(&before[i], signal, info, context);
}

/* Signals other than SIGSEGV are watched only when mechanisms are attached. */
static bool is_watched(int signal)
{
	return signal == SIGSEGV || runtime_glance()->mechanism;
}

void access_watch(void)
{
	static _Alignas(16) char stack[STACK];
	if (runtime_glance()->mechanism)
		mechanism_fault_prepare(stack, sizeof stack);
	for (int i = 0; i < FAULTS; i++) {
		if (!is_watched(faults[i]) || sigaction(faults[i], NULL, &before[i]) != 0)
			continue;
		struct sigaction action =
			before[i]; /* keeps mask and flags, which the previous handler relies on when it is called */
		action.sa_sigaction = on_access;
		action.sa_flags = (before[i].sa_flags | SA_SIGINFO | SA_ONSTACK) & ~(int)SA_RESETHAND;
		sigaction(faults[i], &action, NULL);
	}
}

void access_unwatch(void)
{
	for (int i = 0; i < FAULTS; i++)
		if (is_watched(faults[i]))
			sigaction(faults[i], &before[i], NULL);
}

bool access_guarded(void (*work)(void *user), void *user, const void **address)
{
	struct guard own;
	guard = &own;
	bool done = sigsetjmp(own.back, 1) == 0;
	if (done)
		work(user);
	guard = NULL;
	*address = done ? NULL : own.address;
	return done;
}
