/* Uses only what is safe in a signal handler that may have interrupted malloc(), so no memory is allocated. snprintf()
 * of numbers and strings, and the unwinder once it is loaded, are safe in the supported C libraries. */
#include "api/mechanism_fault.h"

#include "attach/mechanism_object.h"
#include "seam/mech.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

enum { FRAMES = 128, NEAR_NULL = 1 << 16, TEXT = 2048 };

/* A code address in a shared object that has a mechanism. */
struct found {
	const struct mech *mech;
	const char *path;
	uintptr_t offset;
	bool is_inner; /* the signal was raised at this address, not in a function called from it */
};

void mechanism_fault_prepare(void *stack, size_t size)
{
	void *frame[2];
	stack_t old;
	backtrace(frame, 2);
	if (sigaltstack(NULL, &old) == 0 && old.ss_flags & SS_DISABLE)
		sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = size}, NULL);
}

/* --- the owner of a code address --- */

static const void *table_of(const struct link_map *map, ElfW(Sxword) tag)
{
	for (const ElfW(Dyn) *row = map->l_ld; row && row->d_tag != DT_NULL; row++)
		if (row->d_tag == tag) { /* most loaders have already relocated it */
			uintptr_t at = row->d_un.d_ptr;
			return (const void *)(at < map->l_addr ? at + map->l_addr : at);
		}
	return NULL;
}

static uint32_t hash_of(const char *name)
{
	uint32_t hash = 5381;
	for (; *name; name++)
		hash = hash * 33 + (uint8_t)*name;
	return hash;
}

/* Finds a symbol of this object only. dlsym() is not used because it allocates memory for its error message. */
static const void *find_symbol(const struct link_map *map, const char *name)
{
	const uint32_t *table = table_of(map, DT_GNU_HASH), hash = hash_of(name);
	const ElfW(Sym) *symbol = table_of(map, DT_SYMTAB);
	const char *text = table_of(map, DT_STRTAB);
	if (!table || !symbol || !text || !table[0])
		return NULL;
	const uint32_t *bucket = table + 4 + table[2] * (sizeof(ElfW(Addr)) / sizeof *table);
	const uint32_t *chain = bucket + table[0];
	uint32_t number = bucket[hash % table[0]];
	if (number < table[1])
		return NULL;
	for (;; number++) {
		uint32_t link = chain[number - table[1]];
		if ((link | 1) == (hash | 1) && strcmp(text + symbol[number].st_name, name) == 0)
			return (const void *)(map->l_addr + symbol[number].st_value);
		if (link & 1)
			return NULL;
	}
}

static bool find_mechanism(uintptr_t place, struct found *found)
{
	struct link_map *map = NULL;
	Dl_info info;
	if (!dladdr1((const void *)place, &info, (void **)&map, RTLD_DL_LINKMAP) || !info.dli_fname || !map ||
	    !map->l_addr)
		return false;
	const struct mech *const *symbol = find_symbol(map, "sluice_mechanism");
	if (!symbol)
		return false;
	found->mech = *symbol && mechanism_version_is_known((*symbol)->version) ? *symbol : NULL;
	found->path = info.dli_fname;
	found->offset = place - (uintptr_t)info.dli_fbase;
	return true;
}

/* Returns the interrupted code address, or 0 when unknown. */
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

/* Returns the return address after a call to an invalid address. The unwinder cannot pass such a frame. */
static uintptr_t caller_of_nothing(const void *context)
{
	const ucontext_t *state = context;
#if defined(__x86_64__)
	return *(const uintptr_t *)(uintptr_t)state->uc_mcontext.gregs[REG_RSP];
#elif defined(__aarch64__)
	return (uintptr_t)state->uc_mcontext.regs[30];
#else
	(void)state;
	return 0;
#endif
}

/* Finds the innermost frame on the stack that belongs to a mechanism. */
static bool find_on_stack(const void *context, struct found *found)
{
	void *frame[FRAMES];
	Dl_info info;
	uintptr_t place = place_of(context);
	found->is_inner = true;
	if (find_mechanism(place, found))
		return true;
	found->is_inner = false;
	if (place < NEAR_NULL || !dladdr((const void *)place, &info))
		return find_mechanism(caller_of_nothing(context) - 1, found);
	int frames = backtrace(frame, FRAMES);
	for (int i = 0; i < frames; i++)
		if (find_mechanism((uintptr_t)frame[i] - 1, found)) /* - 1: an address inside the call instruction */
			return true;
	return false;
}

/* --- the message --- */

__attribute__((format(printf, 3, 4))) static void add(char text[TEXT], size_t *length, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	int written = vsnprintf(text + *length, TEXT - *length, format, arguments);
	va_end(arguments);
	*length += (size_t)written < TEXT - *length ? (size_t)written : TEXT - *length - 1;
}

static bool is_access(int signal)
{
	return signal == SIGSEGV || signal == SIGBUS;
}

static void add_what(char text[TEXT], size_t *length, int signal, const siginfo_t *info)
{
	if (is_access(signal) && info->si_code > 0)
		add(text, length, "accesses address %p, which is not mapped", info->si_addr);
	else
		add(text, length, "%s",
		    signal == SIGFPE   ? "divides by zero"
		    : signal == SIGILL ? "runs an instruction that stops it, such as __builtin_trap()"
		                       : "ends the process");
}

/* Names the scopes for which the mechanism has hooks and no state. */
static void add_cause(char text[TEXT], size_t *length, const struct mech *mech)
{
#define HAS(scope, hook, event, when) || mech->hook
	const struct {
		const char *size, *scope;
		bool is_null;
	} state[] = {
		{"sm_size", "an SM",
	         !mech->sm_size && (mech->sm_open || mech->kernel_begin || mech->kernel_end || mech->cycle ||
	                            mech->on_reply || mech->on_outcome || mech->warps_that_compete || mech->pick_warp ||
	                            mech->l1_victim || mech->l1_used || mech->answer_miss || mech->run_opcode ||
	                            mech->shared_taken || mech->shared_place MECH_SM_HOOKS(HAS, HAS))},
		{"gpu_size", "the GPU",
	         !mech->gpu_size && (mech->gpu_open || mech->gpu_kernel_begin || mech->gpu_kernel_end ||
	                             mech->gpu_cycle || mech->blocks_per_sm || mech->place_block || mech->shared_room ||
	                             mech->shared_full MECH_GPU_HOOKS(HAS, HAS))},
		{"partition_size", "a partition",
	         !mech->partition_size && (mech->partition_open || mech->l2_victim || mech->l2_used ||
	                                   mech->dram_next || mech->partition_outcome MECH_PARTITION_HOOKS(HAS, HAS))},
	};
#undef HAS
	for (size_t i = 0; i < sizeof state / sizeof *state; i++)
		if (state[i].is_null)
			add(text, length, "; its .%s is 0, so its state of %s is NULL", state[i].size, state[i].scope);
}

void mechanism_fault_tell(int signal, const siginfo_t *info, const void *context)
{
	struct found found;
	char text[TEXT];
	size_t length = 0;
	if (!find_on_stack(context, &found))
		return;
	add(text, &length, "sluice: mechanism %.400s: ", found.path);
	if (!found.is_inner)
		add(text, &length, "a function that it calls ");
	add_what(text, &length, signal, info);
	if (found.mech && is_access(signal) && (uintptr_t)info->si_addr < NEAR_NULL)
		add_cause(text, &length, found.mech);
	add(text, &length, "; compiled with -g, 'addr2line -f -e %.400s 0x%llx' prints the line\n", found.path,
	    (unsigned long long)found.offset);
	if (write(STDERR_FILENO, text, length) < 0)
		return; /* there is no other place to report it */
}

void mechanism_fault_pass_on(const struct sigaction *before, int signal, siginfo_t *info, void *context)
{
	static const struct sigaction standard = {.sa_handler = SIG_DFL};
	bool sent = info->si_code <= 0;           /* sent by a process */
	if (before->sa_flags & (int)SA_RESETHAND) /* if the handler raises it again, the default action applies */
		sigaction(signal, &standard, NULL);
	if (before->sa_flags & SA_SIGINFO) {
		before->sa_sigaction(signal, info, context);
	} else if (before->sa_handler != SIG_DFL && before->sa_handler != SIG_IGN) {
		before->sa_handler(signal);
	} else if (before->sa_handler == SIG_DFL || !sent) {
		/* The access is repeated and now ends the process. A signal that was sent is sent again. */
		sigaction(signal, before, NULL);
		if (sent)
			raise(signal);
	}
}
