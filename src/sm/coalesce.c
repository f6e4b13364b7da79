#include "sm/coalesce.h"

enum { CHUNK = 32 }; /* the smallest piece that memory moves */

/* A segment of the warp with the 32-byte chunks of it that lanes touch. */
struct segment {
	uint64_t address;
	uint32_t lanes;
	uint8_t chunks;
	uint64_t bytes[2]; /* touched, of 128 */
};

static struct segment *find_segment(struct segment *segment, uint32_t count, uint64_t address)
{
	for (uint32_t i = count; i-- > 0;)
		if (segment[i].address == address)
			return &segment[i];
	return NULL;
}

/* Transactions lie in rising order of address, as the walk over a sorted map gives them. */
static void add_sorted(struct op *op, struct access access)
{
	uint32_t at = op->accesses++;
	while (at && op->access[at - 1].address > access.address) {
		op->access[at] = op->access[at - 1];
		at--;
	}
	op->access[at] = access;
}

/* Shrinks a segment to the half or quarter that is used. */
static struct access shrink(const struct segment *segment, uint32_t bytes)
{
	struct access access = {
		.address = segment->address, .bytes = bytes, .lanes = segment->lanes, .chunks = segment->chunks};
	for (uint32_t i = 0; i < bytes / CHUNK; i++)
		if ((uint32_t)(segment->bytes[i / 2] >> i % 2 * CHUNK) == UINT32_MAX)
			access.whole |= (uint8_t)(1u << i);
	uint32_t chunks = segment->chunks;
	while (access.bytes > CHUNK) {
		uint32_t half = access.bytes / CHUNK / 2, low = chunks & ((1u << half) - 1), high = chunks >> half;
		if (low && high)
			break;
		access.bytes /= 2;
		if (high) {
			access.address += access.bytes;
			access.chunks >>= half;
			access.whole >>= half;
		}
		chunks = low | high;
	}
	return access;
}

void coalesce_global(struct op *op, const uint64_t *address, uint32_t lanes, uint32_t size)
{
	struct segment segment[WARP_SIZE];
	uint32_t bytes = size == 1 ? 32 : size == 2 ? 64 : 128, count = 0;
	struct segment *last = NULL;

	op->accesses = 0;
	for (uint32_t left = lanes; left; left &= left - 1) {
		uint32_t lane = (uint32_t)__builtin_ctz(left);
		uint64_t base = address[lane] & ~(uint64_t)(bytes - 1);
		if (!last || last->address != base) {
			last = find_segment(segment, count, base);
			if (!last) {
				last = &segment[count++];
				*last = (struct segment){.address = base};
			}
		}
		last->lanes |= 1u << lane;
		uint32_t at = (uint32_t)(address[lane] - base);
		last->chunks |= (uint8_t)(1u << at / CHUNK);
		last->bytes[at / 64] |= ((1ull << size) - 1) << at % 64;
	}
	for (uint32_t i = 0; i < count; i++)
		add_sorted(op, shrink(&segment[i], bytes));
}

void coalesce_atomic(struct op *op, const uint64_t *address, uint32_t lanes, uint32_t piece)
{
	op->accesses = 0;
	while (lanes) { /* one round takes, of each address, one lane */
		uint32_t taken = 0;
		struct segment segment[WARP_SIZE];
		uint32_t count = 0;
		for (uint32_t left = lanes; left; left &= left - 1) {
			uint32_t lane = (uint32_t)__builtin_ctz(left);
			bool repeated = false;
			for (uint32_t other = taken; other && !repeated; other &= other - 1)
				repeated = address[__builtin_ctz(other)] == address[lane];
			if (repeated)
				continue;
			taken |= 1u << lane;
			uint64_t base = address[lane] & ~(uint64_t)(piece - 1);
			struct segment *found = find_segment(segment, count, base);
			if (!found) {
				found = &segment[count++];
				*found = (struct segment){.address = base};
			}
			found->lanes |= 1u << lane;
		}
		for (uint32_t i = 0; i < count; i++)
			add_sorted(op, (struct access){.address = segment[i].address,
			                               .bytes = piece,
			                               .lanes = segment[i].lanes});
		lanes &= ~taken;
	}
}

void coalesce_constant(struct op *op, const uint64_t *address, uint32_t lanes, uint32_t line_bytes)
{
	op->accesses = 0;
	for (uint32_t left = lanes; left; left &= left - 1) {
		uint32_t lane = (uint32_t)__builtin_ctz(left);
		uint64_t base = address[lane] & ~(uint64_t)(line_bytes - 1);
		uint32_t i = 0;
		while (i < op->accesses && op->access[i].address != base)
			i++;
		if (i < op->accesses)
			op->access[i].lanes |= 1u << lane;
		else
			add_sorted(op, (struct access){.address = base, .bytes = line_bytes, .lanes = 1u << lane});
	}
}

enum { MAX_BANKS = 64, MAX_WORDS = WARP_SIZE * 4 };

uint32_t bank_cycles(const uint64_t *address, uint32_t lanes, uint32_t size, uint32_t banks)
{
	uint32_t words = size <= 4 ? 1 : size / 4;
	uint32_t first[MAX_BANKS], extra_of[MAX_BANKS] = {0}; /* the bank's first word; how many more it has */
	uint64_t seen = 0;
	uint32_t more[MAX_WORDS], mores = 0, most = 1; /* words that are not their bank's first */

	for (uint32_t left = lanes; left; left &= left - 1) {
		uint32_t word = (uint32_t)(address[__builtin_ctz(left)] / 4);
		for (uint32_t k = 0; k < words; k++, word++) {
			uint32_t bank = word % banks;
			if (!(seen >> bank & 1)) {
				seen |= 1ull << bank;
				first[bank] = word;
				continue;
			}
			if (first[bank] == word)
				continue;
			uint32_t i = 0;
			while (i < mores && more[i] != word)
				i++;
			if (i < mores)
				continue;
			more[mores++] = word;
			if (++extra_of[bank] + 1 > most)
				most = extra_of[bank] + 1;
		}
	}
	return most;
}
