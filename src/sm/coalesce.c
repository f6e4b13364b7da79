#include "sm/coalesce.h"

#include "memory/request.h"
#include "simt/texture.h"

enum { CHUNK = REQUEST_CHUNK_BYTES }; /* the smallest unit of memory transfers */

enum { MOST_CHUNKS = 4 };

/* A segment that lanes access. */
struct segment {
	uint64_t address;
	uint32_t lanes;
	uint32_t chunks;               /* mask of accessed chunks */
	uint32_t touched[MOST_CHUNKS]; /* masks of the accessed bytes of each chunk */
};

/* Adds a lane's datum, which lies in one chunk of the segment. `touches` has one bit per byte. */
static inline void touch(struct segment *segment, uint32_t lane_bit, uint32_t at, uint32_t touches)
{
	segment->lanes |= lane_bit;
	segment->chunks |= 1u << at / CHUNK;
	segment->touched[at / CHUNK] |= touches << at % CHUNK;
}

/* Finds the segment at `address` among the ascending found ones, or inserts a new one. */
static struct segment *find_segment(struct segment *segment, uint32_t *count, uint64_t address)
{
	uint32_t at = *count;
	while (at && segment[at - 1].address > address)
		at--;
	if (at && segment[at - 1].address == address)
		return &segment[at - 1];
	for (uint32_t i = (*count)++; i > at; i--)
		segment[i] = segment[i - 1];
	segment[at] = (struct segment){.address = address};
	return &segment[at];
}

/* Adds a transaction. Transactions are kept in ascending order of address, like the walk over a sorted map in
 * GPGPU-Sim. */
static void add_sorted(struct op *op, struct access access)
{
	uint32_t at = op->accesses++;
	while (at && op->access[at - 1].address > access.address) {
		op->access[at] = op->access[at - 1];
		at--;
	}
	op->access[at] = access;
}

/* Adds the access of a whole segment after the others, reduced to the half or quarter that is used. */
static void add_shrunk(struct op *op, struct access access)
{
	uint32_t chunks = access.chunks;
	while (access.bytes > CHUNK) {
		uint32_t half = access.bytes / CHUNK / 2, low = chunks & ((1u << half) - 1), high = chunks >> half;
		if (low && high)
			break;
		access.bytes /= 2;
		if (high) {
			access.address += access.bytes;
			access.chunks >>= half;
			access.full_chunks >>= half;
		}
		chunks = low | high;
	}
	op->access[op->accesses++] = access;
}

/* Adds the access of a segment of which lanes access several chunks. */
static void add_chunks(struct op *op, const struct segment *segment, uint32_t bytes)
{
	struct access access = {.address = segment->address,
	                        .bytes = bytes,
	                        .lanes = segment->lanes,
	                        .chunks = (uint8_t)segment->chunks};
	for (uint32_t i = 0; i < bytes / CHUNK; i++)
		access.full_chunks |= (uint8_t)((segment->touched[i] == UINT32_MAX) << i);
	add_shrunk(op, access);
}

/* Adds the access of a segment after the others. In most scattered segments lanes access only one chunk. */
static inline void add_segment(struct op *op, const struct segment *segment, uint32_t bytes)
{
	if (segment->chunks & (segment->chunks - 1)) {
		add_chunks(op, segment, bytes);
		return;
	}
	uint32_t chunk = (uint32_t)__builtin_ctz(segment->chunks), touched = segment->touched[chunk];
	op->access[op->accesses++] = (struct access){.address = segment->address + chunk * CHUNK,
	                                             .bytes = CHUNK,
	                                             .lanes = segment->lanes,
	                                             .written = touched,
	                                             .chunks = 1,
	                                             .full_chunks = touched == UINT32_MAX};
}

/* True when all lanes are active and their data are contiguous. */
static bool is_one_piece(const uint64_t *address, uint32_t lanes, uint32_t size)
{
	if (lanes != UINT32_MAX || address[WARP_SIZE - 1] != address[0] + (WARP_SIZE - 1) * (uint64_t)size)
		return false;
	uint64_t other = address[0] & (size - 1);
	for (uint32_t i = 1; i < WARP_SIZE; i++)
		other |= (address[i] - address[i - 1]) ^ size;
	return !other;
}

/* Mask of the chunks `from` to `to` - 1. */
static uint8_t chunk_range(uint32_t from, uint32_t to)
{
	return from < to ? (uint8_t)((1u << to) - (1u << from)) : 0;
}

static uint32_t byte_range(uint32_t from, uint32_t bytes)
{
	return bytes < CHUNK ? ((1u << bytes) - 1) << from : UINT32_MAX;
}

/* Adds the segments of a contiguous range, in which lane i has `size` bytes from i * size on. */
static void coalesce_one_piece(struct op *op, uint64_t begin, uint32_t size, uint32_t bytes)
{
	uint32_t size_bits = (uint32_t)__builtin_ctz(size);
	uint64_t end = begin + WARP_SIZE * (uint64_t)size;
	for (uint64_t base = begin & ~(uint64_t)(bytes - 1); base < end; base += bytes) {
		uint32_t from = base < begin ? (uint32_t)(begin - base) : 0;
		uint32_t to = end - base < bytes ? (uint32_t)(end - base) : bytes;
		uint32_t first = (uint32_t)((base + from - begin) >> size_bits), count = (to - from) >> size_bits;
		add_shrunk(op, (struct access){.address = base,
		                               .bytes = bytes,
		                               .lanes = UINT32_MAX >> (WARP_SIZE - count) << first,
		                               .written = byte_range(from % CHUNK, to - from),
		                               .chunks = chunk_range(from / CHUNK, (to + CHUNK - 1) / CHUNK),
		                               .full_chunks = chunk_range((from + CHUNK - 1) / CHUNK, to / CHUNK)});
	}
}

/* Handles lanes whose segments do not descend, for example with a stride, without a search. False: they descend
 * somewhere. */
static bool coalesce_rising(struct op *op, const uint64_t *address, uint32_t lanes, uint32_t size, uint32_t bytes)
{
	uint32_t touches = (1u << size) - 1;
	struct segment segment = {.address = address[__builtin_ctz(lanes)] & ~(uint64_t)(bytes - 1)};
	for (uint32_t left = lanes; left; left &= left - 1) {
		uint64_t first = address[__builtin_ctz(left)];
		if (first - segment.address >= bytes) {
			if (first < segment.address)
				return false;
			add_segment(op, &segment, bytes);
			segment = (struct segment){.address = first & ~(uint64_t)(bytes - 1)};
		}
		touch(&segment, left & -left, (uint32_t)(first - segment.address), touches);
	}
	add_segment(op, &segment, bytes);
	return true;
}

/* Handles `words` data of `size` bytes per lane, `pitch` bytes apart, in any order. */
static void coalesce_scattered(struct op *op, const uint64_t *address, uint32_t lanes, uint32_t size, uint32_t words,
                               uint64_t pitch, uint32_t bytes)
{
	struct segment segment[OP_MAX_ACCESSES], *last = NULL;
	uint32_t count = 0, touches = (1u << size) - 1;
	for (uint32_t word = 0; word < words; word++)
		for (uint32_t left = lanes; left; left &= left - 1) {
			uint64_t first = address[__builtin_ctz(left)] + word * pitch;
			uint64_t base = first & ~(uint64_t)(bytes - 1);
			if (!last || last->address != base)
				last = find_segment(segment, &count, base);
			touch(last, left & -left, (uint32_t)(first - base), touches);
		}
	for (uint32_t i = 0; i < count; i++)
		add_segment(op, &segment[i], bytes);
}

uint32_t coalesce_segment(uint32_t size, uint32_t most)
{
	uint32_t bytes = size == 1 ? 32 : size == 2 ? 64 : 128;
	return bytes < most ? bytes : most;
}

/* Handles `words` data of `size` bytes per lane, `pitch` bytes apart. Not inlined into instruction issue, because
 * most instructions access no memory. */
__attribute__((noinline)) static void coalesce(struct op *op, const uint64_t *address, uint32_t lanes, uint32_t size,
                                               uint32_t words, uint64_t pitch, uint32_t most)
{
	uint32_t bytes = coalesce_segment(size, most);
	op->accesses = 0;
	if (!lanes)
		return;
	if (is_one_piece(address, lanes, size)) {
		for (uint32_t word = 0; word < words; word++)
			coalesce_one_piece(op, address[0] + word * pitch, size, bytes);
		return;
	}
	if (words == 1 && coalesce_rising(op, address, lanes, size, bytes))
		return;
	op->accesses = 0;
	coalesce_scattered(op, address, lanes, size, words, pitch, bytes);
}

void coalesce_global(struct op *op, const uint64_t *address, uint32_t lanes, uint32_t size, uint32_t most)
{
	coalesce(op, address, lanes, size, 1, 0, most);
}

void coalesce_local(struct op *op, const uint64_t *address, uint32_t lanes, uint32_t size, uint64_t pitch,
                    uint32_t most)
{
	uint32_t word = size < 4 ? size : 4;
	coalesce(op, address, lanes, word, size / word, pitch, most);
}

void coalesce_atomic(struct op *op, const uint64_t *address, uint32_t lanes, uint32_t piece)
{
	op->accesses = 0;
	while (lanes) { /* one round takes one lane per address */
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
			find_segment(segment, &count, base)->lanes |= 1u << lane;
		}
		for (uint32_t i = 0; i < count; i++)
			add_sorted(op, (struct access){.address = segment[i].address,
			                               .bytes = piece,
			                               .lanes = segment[i].lanes});
		lanes &= ~taken;
	}
}

/* True when all lanes are active and access the same sector, which is the usual case. */
static bool is_one_sector(const uint64_t *address, uint32_t lanes, uint32_t sector_bytes)
{
	uint64_t differ = 0;
	for (uint32_t i = 0; i < WARP_SIZE; i++)
		differ |= address[i] ^ address[0];
	return lanes == UINT32_MAX && differ < sector_bytes;
}

void coalesce_constant(struct op *op, const uint64_t *address, uint32_t lanes, uint32_t sector_bytes)
{
	uint64_t in_sector = sector_bytes - 1;
	op->accesses = 0;
	if (is_one_sector(address, lanes, sector_bytes)) {
		add_sorted(op,
		           (struct access){.address = address[0] & ~in_sector, .bytes = sector_bytes, .lanes = lanes});
		return;
	}
	for (uint32_t left = lanes; left; left &= left - 1) {
		uint32_t lane = (uint32_t)__builtin_ctz(left);
		uint64_t base = address[lane] & ~in_sector;
		uint32_t i = 0;
		while (i < op->accesses && op->access[i].address != base)
			i++;
		if (i < op->accesses)
			op->access[i].lanes |= 1u << lane;
		else
			add_sorted(op, (struct access){.address = base, .bytes = sector_bytes, .lanes = 1u << lane});
	}
}

/* Adds a texel of a lane. Most texels lie in the line of the previous one. */
static void add_texel(struct op *op, uint64_t base, uint32_t lane_bit, uint32_t line_bytes)
{
	uint32_t i = op->accesses;
	while (i && op->access[i - 1].address != base)
		i--;
	if (i)
		op->access[i - 1].lanes |= lane_bit;
	else
		add_sorted(op, (struct access){.address = base, .bytes = line_bytes, .lanes = lane_bit});
}

void coalesce_texture(struct op *op, const struct texels *texels, uint32_t lanes, uint32_t line_bytes)
{
	op->accesses = 0;
	for (uint32_t left = lanes; left; left &= left - 1) {
		const struct texels *lane = &texels[__builtin_ctz(left)];
		for (uint32_t i = 0; i < lane->count; i++)
			add_texel(op, lane->address[i] & ~(uint64_t)(line_bytes - 1), left & -left, line_bytes);
	}
}
