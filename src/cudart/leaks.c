/* Memory that is never freed. Notes the allocating calls, and reports live memory at the process's end. */
#include "cudart/leaks.h"

#include "cudart/host_memory.h"
#include "cudart/backtrace.h"

#include "base/arena.h"
#include "sluice_runtime.h"

#include <execinfo.h>
#include <inttypes.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FRAMES = 24 };

/* Memory allocated by a host call. An address has only its newest note. */
struct note {
	uint64_t address;
	const char *call;
	int frames;
	void *frame[FRAMES];
};

/* Live memory allocated at one place in the code, reported together. */
struct leak {
	const struct note *note; /* for host calls, else NULL */
	const char *place;       /* the call's name, or a kernel and its line */
	uint64_t address, size;  /* of the first allocation */
	uint64_t count, bytes;
	char calls[1024]; /* the note's callers, by backtrace_text() */
};

struct leak_list {
	struct leak *leak;
	size_t count;
};

static int by_address(const void *a, const void *b)
{
	const struct note *x = a, *y = b;
	return x->address < y->address ? -1 : x->address > y->address;
}

void leaks_note(struct runtime *runtime, const char *call, uint64_t address)
{
	if (!runtime->gpu || !sluice_looks_for_leaks(runtime->gpu))
		return;
	const struct note key = {.address = address};
	struct note *const *found = tfind(&key, &runtime->leak_notes, by_address);
	struct note *note = found ? *found : base_calloc(1, sizeof *note);
	note->address = address;
	note->call = call;
	note->frames = backtrace(note->frame, FRAMES);
	if (!found)
		tsearch(note, &runtime->leak_notes, by_address);
}

static bool is_same_place(const struct leak *leak, const struct note *note, const char *place)
{
	if (strcmp(leak->place, place) != 0 || !note != !leak->note)
		return false;
	return !note || (note->frames == leak->note->frames &&
	                 memcmp(note->frame, leak->note->frame, (size_t)note->frames * sizeof *note->frame) == 0);
}

static void add_leak(struct leak_list *list, const struct note *note, const char *place, uint64_t address,
                     uint64_t size)
{
	size_t k = 0;
	while (k < list->count && !is_same_place(&list->leak[k], note, place))
		k++;
	if (k == list->count) {
		list->leak = base_realloc(list->leak, ++list->count * sizeof *list->leak);
		list->leak[k] = (struct leak){.note = note, .place = place, .address = address, .size = size};
	}
	list->leak[k].count++;
	list->leak[k].bytes += size;
}

struct search {
	struct runtime *runtime;
	struct leak_list list;
};

/* Callback of <search.h>: adds a note whose memory is still allocated. */
static void look_at(const void *node, VISIT visit, void *user)
{
	struct search *search = user;
	const struct note *note = *(const struct note *const *)node;
	uint64_t base, size;
	if (visit != postorder && visit != leaf)
		return;
	const void *pointer = (const void *)(uintptr_t)note->address;
	if (memory_find(search->runtime, pointer, &base, &size) && base == note->address)
		add_leak(&search->list, note, note->call, base, size);
}

/* Merges calls that the compiler has duplicated: they share one source line. */
static void unite(struct leak_list *list)
{
	size_t kept = 0;
	for (size_t k = 0; k < list->count; k++) {
		struct leak *leak = &list->leak[k];
		size_t same = 0;
		if (leak->note)
			backtrace_text(leak->note->frame, leak->note->frames, leak->calls, sizeof leak->calls);
		while (same < kept && (strcmp(list->leak[same].place, leak->place) != 0 ||
		                       strcmp(list->leak[same].calls, leak->calls) != 0))
			same++;
		if (same == kept) {
			list->leak[kept++] = *leak;
		} else {
			list->leak[same].count += leak->count;
			list->leak[same].bytes += leak->bytes;
		}
	}
	list->count = kept;
}

static void report_leak(struct runtime *runtime, const struct leak *leak)
{
	runtime_message("leak: %" PRIu64 " allocation%s of %" PRIu64 " bytes together, never freed\n  %s%s\n"
	                "  the first: 0x%" PRIx64 ", %" PRIu64 " bytes",
	                leak->count, leak->count == 1 ? "" : "s", leak->bytes, leak->place, leak->calls, leak->address,
	                leak->size);
	runtime->failed = true;
}

void leaks_tell(struct runtime *runtime)
{
	if (!runtime->gpu || runtime->is_child || !sluice_looks_for_leaks(runtime->gpu))
		return;
	struct search search = {.runtime = runtime};
	twalk_r(runtime->leak_notes, look_at, &search);
	struct sluice_leak leak = {0};
	while (sluice_next_leak(runtime->gpu, leak.address, &leak))
		add_leak(&search.list, NULL, leak.place, leak.address, leak.size);
	unite(&search.list);
	for (size_t k = 0; k < search.list.count; k++)
		report_leak(runtime, &search.list.leak[k]);
	free(search.list.leak);
}

void leaks_free(struct runtime *runtime)
{
	tdestroy(runtime->leak_notes, free);
	runtime->leak_notes = NULL;
}
