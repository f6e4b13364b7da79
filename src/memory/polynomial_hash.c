#include "memory/polynomial_hash.h"

#include <assert.h>

/* By k: the polynomial without its highest power, and the number of higher address bits that GPGPU-Sim sums. */
static const struct {
	uint32_t polynomial, above_bits;
} known[POLYNOMIAL_MAX_BITS + 1] = {
	[4] = {0x3, 13}, /* x^4 + x + 1 */
	[5] = {0x5, 15}, /* x^5 + x^2 + 1 */
	[6] = {0x3, 19}, /* x^6 + x + 1 */
};

static uint32_t bits_of(uint32_t places)
{
	return (uint32_t)__builtin_ctz(places);
}

bool polynomial_hash_knows(uint32_t places)
{
	bool power_of_two = places && !(places & (places - 1));
	return power_of_two && bits_of(places) <= POLYNOMIAL_MAX_BITS && known[bits_of(places)].polynomial;
}

void polynomial_hash_open(struct polynomial_hash *hash, uint32_t places)
{
	assert(polynomial_hash_knows(places));
	uint32_t bits = bits_of(places);
	*hash = (struct polynomial_hash){.bits = bits};
	uint32_t power = known[bits].polynomial; /* x^(k + n) mod p, from n = 0 on */
	for (uint32_t n = 0; n < known[bits].above_bits; n++) {
		for (uint32_t bit = 0; bit < bits; bit++)
			hash->taps[bit] |= (power >> bit & 1) << n;
		power <<= 1;
		if (power >> bits)
			power = (power ^ known[bits].polynomial) & ((1u << bits) - 1);
	}
}
