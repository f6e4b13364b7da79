#include "memory/address_map.h"

#include "base/mix.h"

static uint32_t log2_floor(uint32_t value)
{
	return 31 - (uint32_t)__builtin_clz(value);
}

static bool power_of_two(uint32_t value)
{
	return !(value & (value - 1));
}

uint32_t address_map_hash_places(const struct address_map *map)
{
	uint32_t power = 1u << log2_floor(map->channels);
	return (power_of_two(map->channels) ? power : 2 * power) * map->slices_per_channel;
}

/* Without a power of two of channels GPGPU-Sim also hashes the bits that select the slice. */
static void open_hashes(struct address_map *map)
{
	map->hash.bits = map->bank_polynomial.bits = 0;
	map->hash_shift = power_of_two(map->channels) ? map->slice_bits : 0;
	if (map->slice_hash == SLICE_HASH_POLYNOMIAL)
		polynomial_hash_open(&map->hash, address_map_hash_places(map));
	if (map->bank_hash == BANK_HASH_POLYNOMIAL)
		polynomial_hash_open(&map->bank_polynomial, map->banks);
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
	map->inside_bits = map->slices_inside ? map->slice_bits : 0;
	map->low_bits = map->interleave_bits - map->inside_bits;
	map->columns_below = map->columns_lowest ? map->column_bits : 0;
	map->columns_between = map->column_bits - map->columns_below;
	open_hashes(map);
}

/* The slice of an address, from the slice that the map's fields give. With slices_inside, one bit is in neither part
 * of the polynomial hash, as in GPGPU-Sim. */
static uint16_t hashed_slice(const struct address_map *map, uint64_t address, uint64_t above, uint32_t slice)
{
	uint32_t slices = map->channels * map->slices_per_channel;
	if (map->slice_hash == SLICE_HASH_RANDOM)
		return (uint16_t)(mix64(address >> (map->interleave_bits - map->slice_bits)) % slices);
	slice = polynomial_hash_place(&map->hash, above >> map->hash_shift, slice);
	return (uint16_t)(slice < slices ? slice : slice % slices);
}

static uint8_t hashed_bank(const struct address_map *map, uint32_t bank, uint32_t row)
{
	if (map->bank_hash == BANK_HASH_XOR)
		return (uint8_t)(bank ^ (row & (map->banks - 1)));
	return (uint8_t)polynomial_hash_place(&map->bank_polynomial, row, bank);
}

void address_map_place(const struct address_map *map, struct request *request)
{
	uint64_t address = request->address, piece = address >> map->interleave_bits;
	uint32_t channel = (uint32_t)(piece % map->channels), low_bits = map->low_bits;
	uint64_t above = piece / map->channels; /* the packed address above the interleave */
	uint64_t inside = (address & ((1ull << map->interleave_bits) - 1)) >> low_bits;
	uint64_t packed = above << map->inside_bits | inside; /* the packed address above low_bits */
	uint64_t banks = packed >> map->columns_below;        /* the same from the lowest bank bit on */
	uint64_t columns = packed & ((1ull << map->columns_below) - 1);
	uint32_t slice = channel * map->slices_per_channel + (uint32_t)(banks & ((1u << map->slice_bits) - 1));

	request->slice = map->slice_hash ? hashed_slice(map, address, above, slice) : (uint16_t)slice;
	uint64_t local = banks >> map->slice_bits << map->columns_below | columns;
	request->slice_address = local << low_bits | (address & ((1ull << low_bits) - 1));
	uint32_t bank_low = (uint32_t)(banks & ((1u << map->low_bank_bits) - 1));
	uint64_t rest = banks >> map->low_bank_bits >> map->columns_between;
	uint32_t high_bits = map->bank_bits - map->low_bank_bits;
	uint32_t bank_high = (uint32_t)(rest & ((1u << high_bits) - 1));
	request->bank = (uint8_t)(bank_high << map->low_bank_bits | bank_low);
	request->row = (uint32_t)(rest >> high_bits);
	if (map->bank_hash)
		request->bank = hashed_bank(map, request->bank, request->row);
}
