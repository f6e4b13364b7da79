#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct arena_chunk {
	struct arena_chunk *older;
	size_t used, size; /* bytes of data[] */
	unsigned char data[];
};

/* Chunks start small, for arenas that briefly hold a few objects, and grow. Zeroing a chunk touches all of its
 * pages. */
enum { FIRST_CHUNK_BYTES = 1 << 11, CHUNK_BYTES = 1 << 16, ROW_ALIGNMENT = 64 };

static void out_of_memory(void)
{
	fputs("sluice: out of memory\n", stderr);
	abort();
}

/* Number of bytes from data[used] to the next address of that alignment. */
static size_t padding(const struct arena_chunk *chunk, size_t alignment)
{
	return -(uintptr_t)(chunk->data + chunk->used) & (alignment - 1);
}

/* Size of a chunk that holds `need` bytes and later allocations. */
static size_t ordinary_size(const struct arena *arena, size_t need)
{
	size_t size = arena->chunk ? 2 * arena->chunk->size : FIRST_CHUNK_BYTES;
	while (size < 4 * need)
		size *= 2;
	return size < CHUNK_BYTES ? size : CHUNK_BYTES;
}

/* calloc, because large chunks then consist of untouched zero pages; malloc with memset would touch them. */
static struct arena_chunk *chunk_open(struct arena *arena, size_t need)
{
	bool ordinary = need <= CHUNK_BYTES / 4;
	size_t size = ordinary ? ordinary_size(arena, need) : need;
	struct arena_chunk *chunk = base_calloc(1, sizeof *chunk + size);
	chunk->size = size;
	/* A large block gets its own chunk, linked after the newest one, which still has space for small blocks. */
	struct arena_chunk **link = !ordinary && arena->chunk ? &arena->chunk->older : &arena->chunk;
	chunk->older = *link;
	*link = chunk;
	return chunk;
}

void *arena_alloc(struct arena *arena, size_t size)
{
	size_t alignment = size >= ROW_ALIGNMENT ? ROW_ALIGNMENT : _Alignof(max_align_t);
	if (size > SIZE_MAX / 2)
		out_of_memory();
	struct arena_chunk *chunk = arena->chunk;
	if (!chunk || chunk->size - chunk->used < padding(chunk, alignment) + size)
		chunk = chunk_open(arena, size + alignment);
	chunk->used += padding(chunk, alignment);
	void *block = chunk->data + chunk->used;
	chunk->used += size;
	return block;
}

void *arena_array(struct arena *arena, size_t count, size_t size)
{
	if (size && count > SIZE_MAX / size)
		out_of_memory();
	return arena_alloc(arena, count * size);
}

char *arena_string(struct arena *arena, const char *text, size_t length)
{
	char *copy = arena_alloc(arena, length + 1);
	if (length)
		memcpy(copy, text, length);
	return copy;
}

void arena_free(struct arena *arena)
{
	while (arena->chunk) {
		struct arena_chunk *older = arena->chunk->older;
		free(arena->chunk);
		arena->chunk = older;
	}
}

void *base_malloc(size_t size)
{
	void *block = malloc(size ? size : 1);
	if (!block)
		out_of_memory();
	return block;
}

void *base_calloc(size_t count, size_t size)
{
	void *block = calloc(count ? count : 1, size ? size : 1);
	if (!block)
		out_of_memory();
	return block;
}

void *base_realloc(void *old, size_t size)
{
	void *block = realloc(old, size ? size : 1);
	if (!block)
		out_of_memory();
	return block;
}

char *base_strdup(const char *text)
{
	size_t size = strlen(text) + 1;
	return memcpy(base_malloc(size), text, size);
}
