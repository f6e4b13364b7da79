/* Protects the allocation of device memory. Addresses are those of first fit, as in a plain list, after any allocations
 * and frees. Look-ups of an address and its neighbors agree with the list. Tens of thousands of allocations do not
 * slow each other down.
 * Protects also the distances that messages report, on all sides of a range. */
#include "simt_kit.h"

#include "simt/message.h"

#include <time.h>

static const uint64_t heap_base = 0x80000000;
enum { HEAP = 1 << 16, MOST = 512, STEPS = 20000 };

/* The oracle: the live allocations, by address. */
struct list {
	struct simt_allocation live[MOST];
	unsigned count;
};

static uint64_t rounded(uint64_t value, uint64_t align)
{
	return (value + align - 1) / align * align;
}

static uint64_t footprint(uint64_t size)
{
	return rounded(size ? size : 1, SIMT_ALLOCATION_ALIGN);
}

/* First fit between `low` and `high`. */
static uint64_t list_alloc(struct list *list, uint64_t low, uint64_t high, struct simt_allocation wanted,
                           uint64_t align)
{
	unsigned k = 0;
	uint64_t at = rounded(low, align), bytes = footprint(wanted.size);
	for (; k < list->count && list->live[k].address < high; k++) {
		const struct simt_allocation *next = &list->live[k];
		if (next->address < low)
			continue;
		if (at + bytes <= next->address)
			break;
		at = rounded(next->address + footprint(next->size), align);
	}
	if (at > high || bytes > high - at)
		return 0;
	memmove(list->live + k + 1, list->live + k, (list->count++ - k) * sizeof wanted);
	wanted.address = at;
	list->live[k] = wanted;
	return at;
}

static bool list_free(struct list *list, uint64_t address)
{
	for (unsigned k = 0; k < list->count; k++)
		if (list->live[k].address == address) {
			memmove(list->live + k, list->live + k + 1, (--list->count - k) * sizeof *list->live);
			return true;
		}
	return false;
}

static const struct simt_allocation *list_find(const struct list *list, uint64_t address)
{
	for (unsigned k = 0; k < list->count; k++)
		if (address - list->live[k].address < list->live[k].size)
			return &list->live[k];
	return NULL;
}

/* Bytes from an address to an allocation, along the shorter way. An address at its end has distance 0, like one inside
 * it. */
static uint64_t list_distance(const struct simt_allocation *allocation, uint64_t address)
{
	uint64_t below = allocation->address - address, above = address - allocation->address - allocation->size;
	if (address - allocation->address < allocation->size)
		return 0;
	return below < above ? below : above;
}

static void check_address(const struct simt_memory *memory, const struct list *list, uint64_t address)
{
	const struct simt_allocation *found = simt_find(memory, address), *expected = list_find(list, address),
				     *near = simt_nearest(memory, address);
	assert_int_equal(!found, !expected);
	if (found)
		assert_true(found->address == expected->address && found->size == expected->size &&
		            found->owner == expected->owner);
	assert_int_equal(!near, list->count == 0);
	for (unsigned k = 0; k < list->count; k++)
		assert_true(list_distance(near, address) <= list_distance(&list->live[k], address));
}

static uint64_t some_address(uint64_t *state)
{
	switch (kit_random(state) % 4) {
	case 0:
		return SIMT_STATIC_BASE + kit_random(state) % HEAP;
	case 1:
		return kit_random(state);
	default:
		return heap_base + kit_random(state) % (HEAP + 1024) - 512;
	}
}

static void first_fit(void **state)
{
	(void)state;
	struct simt_memory *memory = simt_memory_open(heap_base, HEAP, true);
	struct list list = {0};
	uint64_t seed = 1;
	assert_non_null(memory);
	for (unsigned step = 0; step < STEPS; step++) {
		uint64_t size = kit_random(&seed) % (kit_random(&seed) % 8 ? 600 : 6000);
		uint64_t align = (uint64_t)1 << kit_random(&seed) % 14;
		switch (kit_random(&seed) % 5) {
		case 0:
		case 1:
			assert_int_equal(simt_alloc(memory, size),
			                 list_alloc(&list, heap_base, heap_base + HEAP,
			                            (struct simt_allocation){.size = size, .owner = SIMT_HOST},
			                            SIMT_ALLOCATION_ALIGN));
			break;
		case 2: {
			uint64_t at_least = align > SIMT_ALLOCATION_ALIGN ? align : SIMT_ALLOCATION_ALIGN;
			if (list.count < MOST / 2)
				assert_int_equal(
					simt_alloc_static(memory, size, align),
					list_alloc(&list, SIMT_STATIC_BASE, heap_base,
				                   (struct simt_allocation){.size = size, .owner = SIMT_MODULE},
				                   at_least));
			break;
		}
		default: {
			bool is_live = list.count && kit_random(&seed) % 16;
			uint64_t address =
				is_live ? list.live[kit_random(&seed) % list.count].address : some_address(&seed);
			assert_int_equal(simt_free(memory, address), list_free(&list, address));
		}
		}
		check_address(memory, &list, some_address(&seed));
	}
	simt_memory_close(memory);
}

/* Without reuse: every allocation follows the last one, whatever was freed, until memory is exhausted. */
static void no_reuse(void **state)
{
	(void)state;
	struct simt_memory *memory = simt_memory_open(heap_base, HEAP, false);
	uint64_t seed = 2, next = heap_base, size;
	assert_non_null(memory);
	while (next + footprint(size = kit_random(&seed) % 600) <= heap_base + HEAP) {
		assert_int_equal(simt_alloc(memory, size), next);
		assert_true(kit_random(&seed) % 2 || simt_free(memory, next));
		next += footprint(size);
		assert_int_equal(simt_bytes_free(memory), heap_base + HEAP - next);
	}
	assert_int_equal(simt_alloc(memory, size), 0);
	assert_int_equal(simt_alloc(memory, UINT64_MAX), 0);
	simt_memory_close(memory);
}

/* Far below the time of a scan over all of them. */
static void many(void **state)
{
	(void)state;
	enum { COUNT = 100000, SECONDS = 3 };
	struct simt_memory *memory = simt_memory_open(heap_base, (uint64_t)COUNT * SIMT_ALLOCATION_ALIGN, true);
	assert_non_null(memory);
	clock_t begin = clock();
	for (uint64_t k = 0; k < COUNT; k++)
		assert_int_equal(simt_alloc(memory, 8), heap_base + k * SIMT_ALLOCATION_ALIGN);
	assert_int_equal(simt_alloc(memory, 8), 0);
	for (uint64_t k = 0; k < COUNT; k++)
		assert_true(simt_free(memory, heap_base + (k * 77773 % COUNT) * SIMT_ALLOCATION_ALIGN));
	assert_true(clock() - begin < SECONDS * CLOCKS_PER_SEC);
	assert_int_equal(simt_bytes_free(memory), simt_bytes_total(memory));
	simt_memory_close(memory);
}

/* The distance in steps of one byte from the address, up to a few. */
static struct gap walk(uint64_t begin, uint64_t end, uint64_t address, uint64_t mask, uint64_t most)
{
	if (address >= begin && address < end)
		return (struct gap){GAP_NONE, 0};
	for (uint64_t bytes = 0; bytes <= most; bytes++) {
		if (((address - bytes) & mask) == end)
			return (struct gap){GAP_ABOVE, bytes};
		if (((address + bytes) & mask) == begin)
			return (struct gap){GAP_BELOW, bytes};
	}
	fail_msg("nothing within %u bytes of 0x%llx", (unsigned)most, (unsigned long long)address);
	return (struct gap){GAP_NONE, 0};
}

/* Before, after and inside a range, and across 0, 2^32 and 2^64. */
static void gaps(void **state)
{
	(void)state;
	static const struct {
		enum ptx_space space;
		uint64_t begin, mask;
	} rows[] = {{PTX_GLOBAL, 0x80000000, UINT64_MAX},
	            {PTX_GLOBAL, 0, UINT64_MAX},
	            {PTX_SHARED, 0, UINT32_MAX},
	            {PTX_SHARED, 64, UINT32_MAX},
	            {PTX_LOCAL, 16, UINT32_MAX}};
	uint64_t seed = 2;
	for (unsigned step = 0; step < 20000; step++) {
		unsigned row = (unsigned)(kit_random(&seed) % (sizeof rows / sizeof *rows));
		uint64_t begin = rows[row].begin, end = begin + kit_random(&seed) % 100;
		uint64_t address = (begin + kit_random(&seed) % 400 - 150) & rows[row].mask;
		struct gap expected = walk(begin, end, address, rows[row].mask, 500),
			   got = simt_gap(rows[row].space, begin, end, address);
		assert_int_equal(got.side, expected.side);
		assert_int_equal(got.bytes, expected.bytes);
	}
}

/* With gaps: memory has the same size, and all of it can be used. Live allocations are a gap apart as long as an eighth
 * of the memory is left for gaps. Afterwards none overlap. */
static void kept_apart(void **state)
{
	(void)state;
	enum { FEW = 8 };
	for (unsigned reuse = 0; reuse < 2; reuse++) {
		struct simt_memory *memory = simt_memory_open(heap_base, HEAP, reuse);
		uint64_t total = simt_bytes_total(memory), last = 0, address;
		assert_true(simt_memory_keep_gaps(memory));
		assert_int_equal(simt_bytes_total(memory), total);
		assert_int_equal(simt_bytes_free(memory), total);
		assert_true(simt_alloc_static(memory, 256, 256) + 256 + SIMT_GAP <= simt_alloc_static(memory, 4, 4));
		for (unsigned k = 0; k < FEW; k++) {
			address = simt_alloc(memory, HEAP / FEW);
			assert_true(address && (!last || address == last + HEAP / FEW + SIMT_GAP));
			assert_false(simt_touches(memory, address + HEAP / FEW, SIMT_GAP));
			last = address;
		}
		assert_int_equal(simt_bytes_free(memory), 0);
		assert_int_equal(simt_alloc(memory, 1), 0);
		assert_int_equal(simt_alloc(memory, UINT64_MAX), 0);
		simt_memory_close(memory);
	}
	/* so small that the space for gaps is exhausted many times over */
	struct simt_memory *memory = simt_memory_open(heap_base, HEAP, true);
	assert_true(simt_memory_keep_gaps(memory));
	for (unsigned k = 0; k < HEAP / SIMT_ALLOCATION_ALIGN; k++) {
		uint64_t address = simt_alloc(memory, 1);
		if (!address)
			fail_msg("no space for allocation %u", k);
		memset(simt_host(memory, address), (int)k, SIMT_ALLOCATION_ALIGN);
	}
	assert_int_equal(simt_alloc(memory, 1), 0);
	simt_memory_close(memory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(first_fit), cmocka_unit_test(no_reuse),
	                                   cmocka_unit_test(many), cmocka_unit_test(gaps),
	                                   cmocka_unit_test(kept_apart)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
