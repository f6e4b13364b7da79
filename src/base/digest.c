#include "base/digest.h"

#include <string.h>

__extension__ typedef unsigned __int128 product;

/* Odd numbers without a pattern: the fractions of square roots. */
static const uint64_t key[] = {0x6a09e667f3bcc909, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1};

enum { STEP = 32 };

/* The high and the low half of a product, together. Each bit of both factors changes about half of the bits. */
static inline uint64_t mix(uint64_t one, uint64_t other)
{
	product all = (product)one * other;
	return (uint64_t)all ^ (uint64_t)(all >> 64);
}

static inline void take(uint64_t lane[2], const void *bytes)
{
	uint64_t word[4];
	memcpy(word, bytes, sizeof word);
	lane[0] = mix(word[0] ^ key[0], word[1] ^ lane[0]) + word[2];
	lane[1] = mix(word[2] ^ key[1], word[3] ^ lane[1]) + word[0];
}

void digest_add(struct digest *digest, const void *bytes, size_t size)
{
	const uint8_t *at = bytes;
	uint64_t lane[2] = {digest->word[0] ^ key[2], digest->word[1] ^ key[3]};
	size_t left = size;
	for (; left >= STEP; at += STEP, left -= STEP)
		take(lane, at);
	if (left) {
		uint8_t rest[STEP] = {0};
		memcpy(rest, at, left);
		take(lane, rest);
	}
	digest->word[0] = mix(lane[0] ^ key[1], lane[1] ^ size ^ key[3]);
	digest->word[1] = mix(lane[1] ^ key[0], digest->word[0] ^ lane[0] ^ key[2]);
}

void digest_add_text(struct digest *digest, const char *text)
{
	digest_add(digest, text, strlen(text));
}

bool digest_is_same(const struct digest *one, const struct digest *other)
{
	return one->word[0] == other->word[0] && one->word[1] == other->word[1];
}
