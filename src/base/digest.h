/* digest: 128 bits that identify bytes. Two different inputs have the same digest by chance only: once in about 2^64
 * pairs. It protects against nobody who wants that. About 10 GB per second. */
#ifndef SLUICE_BASE_DIGEST_H
#define SLUICE_BASE_DIGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct digest {
	uint64_t word[2];
};

/* The digest of what *digest stands for, followed by these bytes. It depends on how the bytes are divided among calls.
 * Begin with a digest of zeros. */
void digest_add(struct digest *digest, const void *bytes, size_t size);
#define digest_add_value(digest, value) digest_add(digest, &(value), sizeof(value))
void digest_add_text(struct digest *digest, const char *text);
bool digest_is_same(const struct digest *one, const struct digest *other);

#endif
