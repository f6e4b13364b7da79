/* Host accesses that go wrong: the program's own to device memory, and a mechanism's to any, which are told before the process
 * ends as it would, and the runtime's to host memory that a program named but does not have, which become an error of the call. */
#include "cudart/runtime.h"

#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

/* What a guarded piece of work comes back to. */
struct guard {
	sigjmp_buf back;
	const void *address;
};

static struct sigaction before; /* what was done on SIGSEGV before access_watch(): goes on to be done */
static _Thread_local struct guard *guard;

/* Goes the way that SIGSEGV went before us. */
static void pass_on(int signal, siginfo_t *info, void *context)
{
	static const struct sigaction standard = {.sa_handler = SIG_DFL};
	bool sent = info->si_code <= 0;          /* by a process */
	if (before.sa_flags & (int)SA_RESETHAND) /* what it sends again is not ours any more */
		sigaction(signal, &standard, NULL);
	if (before.sa_flags & SA_SIGINFO) {
		before.sa_sigaction(signal, info, context);
	} else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
		before.sa_handler(signal);
	} else if (before.sa_handler == SIG_DFL || !sent) {
		/* the access is made again, and nobody catches it then; a signal that was sent is sent again */
		sigaction(signal, &before, NULL);
		if (sent)
			raise(signal);
	}
}

/* Only what is safe in a signal handler: snprintf of integers is in the C libraries that we run with. */
static void tell(const void *address)
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
		return; /* nowhere left to tell it */
}

/* Where the code was, or 0 where that is not known. */
static uintptr_t place_of(const void *context)
{
	const ucontext_t *state = context;
#if defined(__x86_64__)
	return (uintptr_t)state->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
	return (uintptr_t)state->uc_mcontext.pc;
#else
	(void)state;
	return 0;
#endif
}

/* The same of a mechanism's shared object. dladdr() takes no memory, and the loader's lock, which nobody holds for long while
 * kernels run. */
static void tell_mechanism(const void *address, uintptr_t place)
{
	char text[2 * 512];
	Dl_info info;
	const char **object = runtime_glance()->mechanism;
	if (!object || !dladdr((const void *)place, &info) || !info.dli_fname)
		return;
	size_t length = strlen(info.dli_fname);
	while (*object &&
	       (strncmp(*object, info.dli_fname, length) != 0 || ((*object)[length] && (*object)[length] != ':')))
		object++;
	if (!*object)
		return;
	int written = snprintf(
		text, sizeof text,
		"sluice: mechanism %.400s: accesses address %p, which is not there; with -g in the compiler's line, "
		"'addr2line -f -e %.400s 0x%llx' says where\n",
		info.dli_fname, address, info.dli_fname, (unsigned long long)(place - (uintptr_t)info.dli_fbase));
	if (write(STDERR_FILENO, text, (size_t)written < sizeof text ? (size_t)written : sizeof text - 1) < 0)
		return; /* nowhere left to tell it */
}

static void on_access(int signal, siginfo_t *info, void *context)
{
	bool is_access = info->si_code > 0; /* not sent by a process */
	if (is_access && guard) {
		guard->address = info->si_addr;
		siglongjmp(guard->back, 1);
	}
	if (is_access) {
		tell(info->si_addr);
		tell_mechanism(info->si_addr, place_of(context));
	}
	pass_on(signal, info, context);
}

void access_watch(void)
{
	struct sigaction action;
	if (sigaction(SIGSEGV, NULL, &before) != 0)
		return;
	action = before; /* its mask and flags: the handler that it may call must find what it asked for */
	action.sa_sigaction = on_access;
	action.sa_flags = (before.sa_flags | SA_SIGINFO | SA_ONSTACK) & ~(int)SA_RESETHAND;
	sigaction(SIGSEGV, &action, NULL);
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
