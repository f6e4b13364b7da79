/* arena: memory that is freed all at once.
 *
 * A module, a program and a machine each own one arena. Their parts are never freed separately. Allocation failure
 * ends the process with a message, because nothing in the simulator can continue without memory.
 */
#ifndef SLUICE_BASE_ARENA_H
#define SLUICE_BASE_ARENA_H

#include <stddef.h>

struct arena_chunk;

struct arena {
	struct arena_chunk *chunk; /* the newest chunk, which links to the older ones */
};

/* Zeroed memory, aligned for any type. Blocks of 64 bytes and more are aligned to 64 bytes, so that rows of lanes
 * vectorize. */
void *arena_alloc(struct arena *arena, size_t size);

/* A zeroed array of `count` elements of `size` bytes; checks the product for overflow. */
void *arena_array(struct arena *arena, size_t count, size_t size);

/* A NUL-terminated copy of text[0..length). */
char *arena_string(struct arena *arena, const char *text, size_t length);

/* Frees all memory. The arena can be used again. */
void arena_free(struct arena *arena);

/* malloc family that does not return NULL: prints "sluice: out of memory" and aborts. */
void *base_malloc(size_t size);
void *base_calloc(size_t count, size_t size);
void *base_realloc(void *old, size_t size);
char *base_strdup(const char *text);

#endif
