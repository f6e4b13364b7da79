/* heap: records where kernels have allocated device memory: the newest call site for each address. */
#include "simt/checks.h"
#include "simt/message.h"
#include "simt/program.h"

#include "base/arena.h"

#include <search.h>
#include <stdlib.h>

/* A call of malloc in a kernel; one entry per call. */
struct site {
	const struct ptx_inst *inst;
	const struct ptx_function *kernel;
	char text[512];
	struct site *next;
};

struct owner {
	uint64_t address;
	const struct site *site;
};

struct heap {
	struct site *sites;
	void *owners; /* tree of call sites by address */
};

static int by_address(const void *a, const void *b)
{
	const struct owner *x = a, *y = b;
	return x->address < y->address ? -1 : x->address > y->address;
}

static const struct site *site_of(struct heap *heap, const struct simt_launch *launch, const struct ptx_inst *inst)
{
	const struct ptx_function *kernel = launch->program->kernel;
	for (const struct site *site = heap->sites; site; site = site->next)
		if (site->inst == inst && site->kernel == kernel)
			return site;
	struct site *site = base_calloc(1, sizeof *site);
	*site = (struct site){.inst = inst, .kernel = kernel, .next = heap->sites};
	struct message out = {site->text, sizeof site->text};
	message_add(&out, "kernel '%s', malloc at ", kernel->name);
	message_place(&out, launch, inst);
	heap->sites = site;
	return site;
}

void heap_note(struct simt_warp *warp, const struct simt_inst *inst, uint64_t address)
{
	struct simt_checks *checks = warp->block->launch->checks;
	pthread_mutex_lock(&checks->lock);
	if (!checks->heap)
		checks->heap = base_calloc(1, sizeof *checks->heap);
	const struct owner key = {.address = address};
	struct owner **found = tfind(&key, &checks->heap->owners, by_address);
	struct owner *owner = found ? *found : base_calloc(1, sizeof *owner);
	owner->address = address;
	owner->site = site_of(checks->heap, warp->block->launch, inst->ptx);
	if (!found)
		tsearch(owner, &checks->heap->owners, by_address);
	pthread_mutex_unlock(&checks->lock);
}

void heap_free(struct heap *heap)
{
	if (!heap)
		return;
	tdestroy(heap->owners, free);
	for (struct site *site = heap->sites, *next; site; site = next) {
		next = site->next;
		free(site);
	}
	free(heap);
}

const char *simt_checks_place(const struct simt_checks *checks, uint64_t address)
{
	const struct owner key = {.address = address};
	struct owner *const *found = checks && checks->heap ? tfind(&key, &checks->heap->owners, by_address) : NULL;
	return found ? (*found)->site->text : NULL;
}
