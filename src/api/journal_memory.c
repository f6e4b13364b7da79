/* journal_memory: which pages of memory a launch has changed. */
#include "api/journal.h"

#include "base/arena.h"

#include <stdlib.h>

enum { PAGE = 4096 };

static uint64_t page_bytes(uint64_t size, uint64_t from)
{
	return size - from < PAGE ? size - from : PAGE;
}

static void add_piece(struct journal_memory *memory, const struct simt_allocation *allocation)
{
	if (memory->pieces == memory->piece_room) {
		memory->piece_room = 2 * memory->piece_room + 64;
		memory->piece = base_realloc(memory->piece, memory->piece_room * sizeof *memory->piece);
	}
	memory->piece[memory->pieces++] = (struct journal_piece){allocation->address, allocation->size, memory->pages};
	digest_add_value(&memory->all, allocation->address);
	digest_add_value(&memory->all, allocation->size);
	digest_add_value(&memory->all, allocation->owner);
}

static void add_pages(struct journal_memory *memory, const uint8_t *bytes, uint64_t size)
{
	size_t needed = memory->pages + (size_t)(size + PAGE - 1) / PAGE;
	if (needed > memory->page_room) {
		memory->page_room = needed + needed / 2;
		memory->page = base_realloc(memory->page, memory->page_room * sizeof *memory->page);
	}
	for (uint64_t at = 0; at < size; at += PAGE) {
		struct digest digest = {{0}};
		digest_add(&digest, bytes + at, page_bytes(size, at));
		memory->page[memory->pages++] = digest;
	}
}

void journal_memory_read(struct journal_memory *memory, struct simt_memory *device)
{
	const struct simt_allocation *next;
	memory->pieces = memory->pages = 0;
	memory->all = (struct digest){{0}};
	for (uint64_t at = 0; (next = simt_next(device, at)) != NULL; at = next->address) {
		add_piece(memory, next);
		add_pages(memory, simt_host(device, next->address), next->size);
	}
	simt_memory_digest(device, &memory->all);
	if (memory->pages)
		digest_add(&memory->all, memory->page, memory->pages * sizeof *memory->page);
}

void journal_memory_free(struct journal_memory *memory)
{
	free(memory->piece);
	free(memory->page);
	*memory = (struct journal_memory){0};
}

/* --- changes --- */

/* The pages of the allocation before the launch, or NULL. *next: the first piece that can be it; pieces are sorted. */
static const struct digest *pages_before(const struct journal_memory *before, const struct simt_allocation *allocation,
                                         size_t *next)
{
	while (*next < before->pieces && before->piece[*next].address < allocation->address)
		(*next)++;
	const struct journal_piece *piece = &before->piece[*next];
	bool is_same =
		*next < before->pieces && piece->address == allocation->address && piece->size == allocation->size;
	return is_same ? &before->page[piece->page] : NULL;
}

static bool is_changed(const struct digest *before, const uint8_t *bytes, uint64_t size)
{
	struct digest digest = {{0}};
	digest_add(&digest, bytes, size);
	return !before || !digest_is_same(before, &digest);
}

static void save_run(uint64_t address, uint8_t *bytes, uint64_t size, struct snapshot *snapshot)
{
	snapshot_value(snapshot, size);
	snapshot_value(snapshot, address);
	snapshot_bytes(snapshot, bytes, size);
}

/* Saves the changed pages of an allocation, adjacent ones together. */
static void save_pages(const struct digest *before, const struct simt_allocation *allocation, uint8_t *bytes,
                       struct snapshot *snapshot)
{
	uint64_t begin = 0, end = 0, size = allocation->size;
	for (uint64_t at = 0; at < size; at += PAGE) {
		uint64_t length = page_bytes(size, at);
		if (!is_changed(before ? before + at / PAGE : NULL, bytes + at, length))
			continue;
		if (end != at) {
			if (end)
				save_run(allocation->address + begin, bytes + begin, end - begin, snapshot);
			begin = at;
		}
		end = at + length;
	}
	if (end)
		save_run(allocation->address + begin, bytes + begin, end - begin, snapshot);
}

void journal_memory_save(const struct journal_memory *before, struct simt_memory *device, struct snapshot *snapshot)
{
	const struct simt_allocation *next;
	uint64_t none = 0;
	size_t piece = 0;
	for (uint64_t at = 0; (next = simt_next(device, at)) != NULL; at = next->address)
		save_pages(pages_before(before, next, &piece), next, simt_host(device, next->address), snapshot);
	snapshot_value(snapshot, none);
}

bool journal_memory_restore(struct simt_memory *device, struct snapshot *snapshot)
{
	for (;;) {
		uint64_t size = 0, address = 0;
		snapshot_value(snapshot, size);
		if (!size)
			return !snapshot->is_short;
		snapshot_value(snapshot, address);
		if (snapshot->is_short || !simt_valid(device, address, size))
			return false;
		snapshot_bytes(snapshot, simt_host(device, address), size);
	}
}
