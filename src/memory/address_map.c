#include "memory/address_map.h"

static uint32_t log2_floor(uint32_t value)
{
	return 31 - (uint32_t)__builtin_clz(value);
}

void address_map_open(struct address_map *map)
{
	assert(map->channels && map->slices_per_channel && map->banks);
	map->slice_bits = log2_floor(map->slices_per_channel);
	map->bank_bits = log2_floor(map->banks);
	assert(1u << map->slice_bits == map->slices_per_channel && 1u << map->bank_bits == map->banks);
	map->low_bank_bits = map->slice_bits > 1 ? map->slice_bits : 1;
	if (map->low_bank_bits > map->bank_bits) /* fewer banks than slices */
		map->low_bank_bits = map->bank_bits;
	map->hash.bits = 0;
	if (map->hashed)
		polynomial_hash_open(&map->hash, map->channels * map->slices_per_channel);
}

/* Where the channel bits are taken out of the address. */
struct parts {
	uint64_t above, low; /* of the channel: all bits above it, and those below but for what names the slice */
	uint64_t banks;      /* bits from the lowest of a bank's number on */
	uint32_t low_bits;   /* of `low` */
	uint32_t slice;      /* in the channel */
};

static struct parts parts_of(const struct address_map *map, uint64_t address, uint64_t above)
{
	uint32_t bits = map->interleave_bits, slice_bits = map->slice_bits;
	uint32_t low_bits = map->slices_inside ? bits - slice_bits : bits;
	struct parts parts = {.above = above, .low = address & ((1ull << low_bits) - 1), .low_bits = low_bits};
	uint64_t inside = (address & ((1ull << bits) - 1)) >> low_bits;
	parts.banks = map->slices_inside ? above << slice_bits | inside : above;
	parts.slice = (uint32_t)(parts.banks & ((1u << slice_bits) - 1));
	return parts;
}

void address_map_place(const struct address_map *map, struct request *request)
{
	uint64_t piece = request->address >> map->interleave_bits;
	uint32_t channel = (uint32_t)(piece % map->channels);
	const struct parts parts = parts_of(map, request->address, piece / map->channels);
	uint64_t above_slice =
		parts.above >> map->slice_bits; /* inside, a bit of it is in neither, as in that simulator */
	uint32_t slice = channel * map->slices_per_channel + parts.slice;

	request->slice = (uint16_t)polynomial_hash_place(&map->hash, above_slice, slice);
	request->local = parts.banks >> map->slice_bits << parts.low_bits | parts.low;
	uint32_t bank_low = (uint32_t)(parts.banks & ((1u << map->low_bank_bits) - 1));
	uint64_t rest = parts.banks >> map->low_bank_bits >> map->column_bits;
	uint32_t high_bits = map->bank_bits - map->low_bank_bits;
	uint32_t bank_high = (uint32_t)(rest & ((1u << high_bits) - 1));
	request->bank = (uint8_t)(bank_high << map->low_bank_bits | bank_low);
	request->row = (uint32_t)(rest >> high_bits);
}
