/* Protects bulk copies: random tiles of random tensors, in both directions between global and shared memory, against a
 * model by element. Covers byte copies, reductions, parsing and printing of every form, the mistakes that stop a
 * kernel, and checks of unwritten tiles. */
#include "base/tensor_map.h"
#include "simt/check.h"
#include "simt_kit.h"

enum { SHARED = 48 << 10, TENSOR = 1 << 20, TILES = 100 };

struct text {
	char text[8192];
};

__attribute__((format(printf, 2, 3))) static void add(struct text *out, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(out->text + strlen(out->text), sizeof out->text - strlen(out->text), format, arguments);
	va_end(arguments);
}

/* The kernel's memory: %t: the tensor, %m: its map, %i and %o: the initial and final contents of shared memory, %s: the
 * box in shared memory. The mbarrier is at the start of shared memory. */
#define HEAD                                                                                                           \
	".version 8.0\n.target sm_90\n.address_size 64\n.extern .shared .align 1024 .b8 s[];\n"                        \
	".visible .entry op(.param .u64 t, .param .u64 m, .param .u64 i, .param .u64 o, .param .u32 place)\n{\n"       \
	".reg .b64 %t, %m, %i, %o, %x, %w; .reg .b32 %s, %n, %v, %a; .reg .pred %p;\n"                                 \
	"ld.param.u64 %t, [t]; ld.param.u64 %m, [m]; ld.param.u64 %i, [i]; ld.param.u64 %o, [o]; ld.param.u32 %s, "    \
	"[place];\n"
/* Copies all of shared memory from %i, or to %o. */
#define FILL                                                                                                           \
	"mov.u32 %n, 0; fill: cvt.u64.u32 %x, %n; add.u64 %x, %x, %i; ld.global.u32 %v, [%x]; mov.u32 %a, s; add.u32 " \
	"%a, %a, %n; st.shared.u32 [%a], %v;\n"                                                                        \
	"add.u32 %n, %n, 4; setp.lt.u32 %p, %n, 49152; @%p bra fill;\nmov.u32 %a, s;\n"
#define DUMP                                                                                                           \
	"mov.u32 %n, 1024; dump: cvt.u64.u32 %x, %n; add.u64 %x, %x, %o; mov.u32 %a, s; add.u32 %a, %a, %n; "          \
	"ld.shared.u32 %v, [%a]; st.global.u32 [%x], %v;\n"                                                            \
	"add.u32 %n, %n, 4; setp.lt.u32 %p, %n, 49152; @%p bra dump;\nret;\n}\n"
#define EXPECT                                                                                                         \
	"mbarrier.init.shared.b64 [%a], 1; mbarrier.arrive.expect_tx.shared.b64 %w, [%a], 0;\n" /* the phase begins */
#define WAIT "wait: mbarrier.try_wait.parity.shared.b64 %p, [%a], 0; @!%p bra wait;\n"

struct bench {
	struct kit kit;
	struct simt_checks *checks; /* or NULL */
	uint8_t *tensor, *in, *out;
	uint64_t tensor_address, map_address;
	struct tensor_map *map;
};

static unsigned kinds; /* enabled checks (SIMT_CHECK_...) */

static void close_bench(struct bench *bench)
{
	kit_close(&bench->kit);
	if (bench->checks)
		simt_checks_close(bench->checks);
}

static void open_bench(struct bench *bench, const char *text, uint32_t place, uint64_t *random)
{
	struct kit *kit = &bench->kit;
	kit_open(kit, text);
	bench->checks = kinds ? simt_checks_open(kinds) : NULL;
	if (kinds) {
		assert_true(simt_watch(kit->memory));
		simt_check_program(bench->checks, kit->program);
		kit->launch.checks = bench->checks;
	}
	bench->tensor = kit_buffer(kit, TENSOR);
	memcpy(&bench->tensor_address, kit->params, 8);
	bench->map = kit_buffer(kit, sizeof *bench->map);
	memcpy(&bench->map_address, kit->params + 8, 8);
	bench->in = kit_buffer(kit, SHARED);
	bench->out = kit_buffer(kit, SHARED);
	kit_param32(kit, place);
	kit->launch.block.x = 1;
	kit->launch.dynamic_shared_bytes = SHARED;
	for (uint32_t k = 0; k < TENSOR; k++)
		bench->tensor[k] = (uint8_t)kit_random(random);
	for (uint32_t k = 0; k < SHARED; k++)
		bench->in[k] = bench->out[k] = (uint8_t)kit_random(random);
	simt_mark_written(kit->memory, bench->tensor_address,
	                  TENSOR + 4 * SHARED); /* the tensor and the buffers after it */
}

/* --- the model --- */

struct tile {
	struct tensor_map map;
	int32_t at[TENSOR_RANK];
	uint32_t place; /* in shared memory */
};

static uint32_t below(uint64_t *random, uint32_t limit)
{
	return (uint32_t)(kit_random(random) % limit);
}

/* Box and tensor fit their memories; the coordinates are anywhere near the tensor. */
static void random_tile(struct tile *tile, uint64_t tensor, uint64_t *random)
{
	static const uint32_t spans[] = {256, 32, 64, 128};
	struct tensor_map *map = &tile->map;
	uint64_t stride = 0, bytes = 0;
	do {
		*map = (struct tensor_map){.mark = TENSOR_MAP_MARK, .global = tensor + 16 * below(random, 4)};
		map->rank = (uint8_t)(1 + below(random, 5));
		map->type = (uint8_t)below(random, TENSOR_TYPES);
		map->swizzle = (uint8_t)below(random, TENSOR_SWIZZLES);
		map->fills_nan = tensor_is_float(map->type) && below(random, 2);
		uint32_t size = tensor_element_bytes(map->type), chunk = 16 / size;
		map->box[0] = (uint16_t)(chunk * (1 + below(random, spans[map->swizzle] / 16)));
		if (map->box[0] > 256)
			map->box[0] = (uint16_t)(256 / chunk * chunk);
		map->last[0] = below(random, 100);
		map->step[0] = (uint8_t)(1 + below(random, 2));
		stride = ((uint64_t)(map->last[0] + 1) * size + 15) / 16 * 16 + 16 * below(random, 3);
		bytes = (uint64_t)map->box[0] * size;
		for (uint32_t d = 1; d < map->rank; d++) {
			map->stride[d - 1] = stride;
			map->last[d] = below(random, 9);
			map->step[d] = (uint8_t)(1 + below(random, 3));
			map->box[d] = (uint16_t)(1 + below(random, d == 1 ? 20 : 6));
			stride *= map->last[d] + 1 + below(random, 2);
			bytes *= tensor_box_elements(map, d);
		}
	} while (stride + 64 > TENSOR || bytes > SHARED - 4096);
	for (uint32_t d = 0; d < map->rank; d++)
		tile->at[d] = (int32_t)below(random, map->last[d] + 2u * map->box[d] + 2) - map->box[d];
	tile->place = 1024 + 128 * below(random, 24);
}

/* Returns the address of an element of the box, numbered from dimension 0 on; 0: it is outside. */
static uint64_t element_address(const struct tile *tile, uint32_t number)
{
	const struct tensor_map *map = &tile->map;
	uint64_t address = map->global;
	for (uint32_t d = 0; d < map->rank; d++) {
		uint32_t step = d ? map->step[d] : 1, count = (map->box[d] + step - 1) / step;
		int64_t at = tile->at[d] + (int64_t)(number % count * step);
		number /= count;
		if (at < 0 || at > map->last[d])
			return 0;
		address += (uint64_t)at * (d ? map->stride[d - 1] : tensor_element_bytes(map->type));
	}
	return address;
}

/* The swizzle changes the low bits of a chunk's number within its 128 bytes by those of the number of the 128 bytes. */
static uint32_t element_place(const struct tile *tile, uint32_t number)
{
	uint32_t byte = tile->place + number * tensor_element_bytes(tile->map.type), bits = tile->map.swizzle;
	uint32_t line = byte / 128, chunk = byte / 16 % 8, lines = 1u << bits;
	return line * 128 + (chunk ^ line % lines) * 16 + byte % 16;
}

static uint32_t elements_of(const struct tile *tile)
{
	uint32_t count = 1;
	for (uint32_t d = 0; d < tile->map.rank; d++)
		count *= tensor_box_elements(&tile->map, d);
	return count;
}

static void write_coordinates(struct text *out, const struct tile *tile)
{
	add(out, "[%%m, {");
	for (uint32_t d = 0; d < tile->map.rank; d++)
		add(out, "%s%d", d ? ", " : "", tile->at[d]);
	add(out, "}]");
}

/* --- tiles --- */

/* Returns whether any element of the box lies in the tensor. */
static bool is_inside(const struct tile *tile)
{
	for (uint32_t k = 0; k < elements_of(tile); k++)
		if (element_address(tile, k))
			return true;
	return false;
}

/* Expects one finding or none. The checks report one line if the elements inside the tensor are unwritten. */
static void assert_found(const struct bench *bench, bool expected)
{
	if (bench->checks)
		assert_int_equal(simt_checks_found(bench->checks), expected);
}

static void bring_tile(uint64_t *random, bool unwritten)
{
	static const uint8_t nan[9][8] = {[2] = {0xff, 0x7f},
	                                  [4] = {0xff, 0xff, 0xff, 0x7f},
	                                  [8] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}};
	static const char *const kinds[] = {"shared::cluster.global.mbarrier", "shared::cta.global.tile.mbarrier",
	                                    "shared::cluster.global.tile.mbarrier"};
	struct bench bench;
	struct text out = {HEAD FILL "add.u32 %s, %s, %a;\n"};
	struct tile tile;
	random_tile(&tile, 0, random);
	uint32_t size = tensor_element_bytes(tile.map.type), bytes = elements_of(&tile) * size;
	add(&out, "mbarrier.init.shared.b64 [%%a], 1; mbarrier.arrive.expect_tx.shared.b64 %%w, [%%a], %u;\n", bytes);
	add(&out, "cp.async.bulk.tensor.%ud.%s::complete_tx::bytes [%%s], ", tile.map.rank, kinds[below(random, 3)]);
	write_coordinates(&out, &tile);
	add(&out, ", [%%a];\n%s", WAIT DUMP);
	open_bench(&bench, out.text, tile.place, random);
	tile.map.global += bench.tensor_address;
	*bench.map = tile.map;
	if (unwritten)
		simt_mark_unwritten(bench.kit.memory, bench.tensor_address, TENSOR);
	kit_run(&bench.kit);
	assert_found(&bench, unwritten && is_inside(&tile));
	for (uint32_t k = 0; k < elements_of(&tile); k++) {
		uint64_t from = element_address(&tile, k);
		static const uint8_t zero[8];
		const uint8_t *want = from                 ? bench.tensor + (from - bench.tensor_address)
		                      : tile.map.fills_nan ? nan[size]
		                                           : zero;
		assert_memory_equal(bench.out + element_place(&tile, k), want, size);
		memcpy(bench.in + element_place(&tile, k), want, size);
	}
	assert_memory_equal(bench.out + 1024, bench.in + 1024, SHARED - 1024); /* everything else is unchanged */
	close_bench(&bench);
}

static void send_tile(uint64_t *random, bool unwritten)
{
	struct bench bench;
	struct text out = {HEAD FILL "add.u32 %s, %s, %a;\n"};
	struct tile tile;
	if (unwritten)
		out = (struct text){HEAD "mov.u32 %a, s; add.u32 %s, %s, %a;\n"};
	random_tile(&tile, 0, random);
	add(&out, "cp.async.bulk.tensor.%ud.global.shared::cta.bulk_group ", tile.map.rank);
	write_coordinates(&out, &tile);
	add(&out, ", [%%s];\ncp.async.bulk.commit_group; cp.async.bulk.wait_group 0; ret;\n}\n");
	open_bench(&bench, out.text, tile.place, random);
	tile.map.global += bench.tensor_address;
	*bench.map = tile.map;
	static const uint8_t zeros[8];
	uint8_t *want = malloc(TENSOR);
	memcpy(want, bench.tensor, TENSOR);
	for (uint32_t k = 0; k < elements_of(&tile); k++)
		if (element_address(&tile, k))
			memcpy(want + (element_address(&tile, k) - bench.tensor_address),
			       unwritten ? zeros : bench.in + element_place(&tile, k),
			       tensor_element_bytes(tile.map.type));
	kit_run(&bench.kit);
	assert_found(&bench, unwritten && is_inside(&tile));
	assert_memory_equal(bench.tensor, want, TENSOR);
	free(want);
	close_bench(&bench);
}

static void tiles(void **state)
{
	(void)state;
	uint64_t random = 3;
	for (unsigned k = 0; k < TILES; k++) {
		bring_tile(&random, false);
		send_tile(&random, false);
	}
}

/* Written and unwritten tiles, under the checks. */
static void checked_tiles(void **state)
{
	(void)state;
	uint64_t random = 8;
	for (unsigned k = 0; k < TILES / 4; k++) {
		kinds = SIMT_CHECK_INIT | SIMT_CHECK_SHARED_INIT | SIMT_CHECK_RACE | SIMT_CHECK_GLOBAL_RACE;
		bring_tile(&random, false);
		send_tile(&random, false);
		kinds = SIMT_CHECK_INIT;
		bring_tile(&random, true);
		kinds = SIMT_CHECK_SHARED_INIT;
		send_tile(&random, true);
	}
	kinds = 0;
}

/* --- bytes --- */

/* From one address to another; the map is not used. */
static void bytes(void **state)
{
	(void)state;
	uint64_t random = 5;
	for (unsigned n = 0; n < 60; n++) {
		struct bench bench;
		struct text out = {HEAD FILL "add.u32 %s, %s, %a;\n"};
		uint32_t size = 16 * below(&random, 1000), from = 16 * below(&random, 1000),
			 place = 1024 + 16 * below(&random, 900);
		uint32_t copied = 16 * below(&random, 100), back = 20000 + 16 * below(&random, 100);
		add(&out, "mbarrier.init.shared.b64 [%%a], 1; mbarrier.arrive.expect_tx.shared.b64 %%w, [%%a], %u;\n",
		    size + copied);
		add(&out,
		    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%%s], [%%t+%u], %u, [%%a];\n",
		    from, size);
		add(&out,
		    "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%%a+%u], [%%a+2048], %u, "
		    "[%%a];\n%s",
		    40000, copied, WAIT);
		add(&out,
		    "cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint [%%t+%u], [%%s], %u, %%w; "
		    "cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;\n%s",
		    back, size, DUMP);
		open_bench(&bench, out.text, place, &random);
		memcpy(bench.in + place, bench.tensor + from, size);
		memcpy(bench.in + 40000, bench.in + 2048, copied);
		kit_run(&bench.kit);
		assert_memory_equal(bench.out + 1024, bench.in + 1024, SHARED - 1024);
		assert_memory_equal(bench.tensor + back, bench.in + place, size);
		close_bench(&bench);
	}
}

#define REDUCE(T, value)                                                                                               \
	do {                                                                                                           \
		T a, b, c;                                                                                             \
		memcpy(&a, before + at, sizeof a);                                                                     \
		memcpy(&b, bench.in + 2048 + at, sizeof b);                                                            \
		c = (value);                                                                                           \
		assert_memory_equal(bench.tensor + at, &c, sizeof c);                                                  \
	} while (0)

static void reductions(void **state)
{
	(void)state;
	static const char *const words[] = {"add.u32", "min.s32", "max.u64", "xor.b64",
	                                    "inc.u32", "dec.u32", "and.b32", "add.u64"};
	uint64_t random = 9;
	for (unsigned n = 0; n < sizeof words / sizeof *words; n++) {
		struct bench bench;
		struct text out = {HEAD FILL};
		add(&out,
		    "cp.reduce.async.bulk.global.shared::cta.bulk_group.%s [%%t], [%%a+2048], 512; "
		    "cp.async.bulk.commit_group; ret;\n}\n",
		    words[n]);
		open_bench(&bench, out.text, 0, &random);
		uint8_t before[512];
		memcpy(before, bench.tensor, sizeof before);
		kit_run(&bench.kit);
		for (uint32_t at = 0; at < 512; at += 8)
			switch (n) {
			case 0:
				REDUCE(uint32_t, a + b);
				break;
			case 1:
				REDUCE(int32_t, a < b ? a : b);
				break;
			case 2:
				REDUCE(uint64_t, a > b ? a : b);
				break;
			case 3:
				REDUCE(uint64_t, a ^ b);
				break;
			case 4:
				REDUCE(uint32_t, a >= b ? 0 : a + 1);
				break;
			case 5:
				REDUCE(uint32_t, a == 0 || a > b ? b : a - 1);
				break;
			case 6:
				REDUCE(uint32_t, a & b);
				break;
			default:
				REDUCE(uint64_t, a + b);
			}
		close_bench(&bench);
	}
}

/* --- forms and mistakes --- */

/* Parses each form, prints it, and parses the same again. */
static void forms(void **state)
{
	(void)state;
	static const char *const statements[] = {
		"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint "
		"[%s], [%t], %n, [%a], %h, %x;",
		"cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster "
		"[%s], [%m, {%n, 1, -2}], [%a], %h;",
		"cp.async.bulk.prefetch.L2.global.L2::cache_hint [%t], 64, %x;",
		"cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%m, {%n, %n}];",
		"cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.tile.bulk_group [%m, {0}], [%s];",
		"cp.reduce.async.bulk.global.shared::cta.bulk_group.L2::cache_hint.add.f32 [%t], [%s], 16, %x;",
		"cp.async.bulk.commit_group;",
		"cp.async.bulk.wait_group.read 3;",
		"prefetch.tensormap [%m];",
		"fence.proxy.tensormap::generic.acquire.gpu [%m], 128;",
		"fence.proxy.tensormap::generic.release.cta;",
	};
	for (size_t k = 0; k < sizeof statements / sizeof *statements; k++) {
		char source[2048], *once = NULL, *twice = NULL;
		size_t length;
		struct diag diag = {0};
		snprintf(source, sizeof source, "%s.reg .b16 %%h;\n%s\nret;\n}\n", HEAD, statements[k]);
		struct ptx_module *module = ptx_parse("form.ptx", source, strlen(source), &diag);
		if (!module)
			fail_msg("%s", diag.text);
		FILE *file = open_memstream(&once, &length);
		ptx_print(module, file);
		fclose(file);
		ptx_free(module);
		module = ptx_parse("again.ptx", once, strlen(once), &diag);
		if (!module)
			fail_msg("%s\n%s", diag.text, once);
		file = open_memstream(&twice, &length);
		ptx_print(module, file);
		fclose(file);
		assert_string_equal(once, twice);
		ptx_free(module);
		diag_free(&diag);
		free(once);
		free(twice);
	}
}

static void mistakes(void **state)
{
	(void)state;
#define COPY_IN "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
#define TILE_IN "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
	static const struct {
		const char *code, *what;
		uint32_t
			/* the map: 1: its mark, 2: its rank, 4: its size is too large, 8: its swizzle does not fit
			 * shared memory */
			breaks;
	} wrong[] = {
		{COPY_IN "[%a+8], [%t], 16, [%a];", "bulk copy with a shared address that is not a multiple of 16", 0},
		{COPY_IN "[%a+16], [%t+4], 16, [%a];", "bulk copy with a global address that is not a multiple of 16",
	         0},
		{COPY_IN "[%a+16], [%t], 24, [%a];", "bulk copy whose size is not a multiple of 16 bytes", 0},
		{COPY_IN "[%a+16], [%t], 16, [%a+4];", "bulk copy with a misaligned mbarrier", 0},
		{COPY_IN "[%a+49136], [%t], 32, [%a];", "bulk copy beyond the block's shared memory", 0},
		{COPY_IN "[%a+16], [%t], 16, [%a+49152];",
	         "bulk copy with an mbarrier beyond the block's shared memory", 0},
		{COPY_IN "[%a+16], [64], 16, [%a];", "bulk copy from outside every allocation", 0},
		{"cp.async.bulk.global.shared::cta.bulk_group [64], [%a], 16;", "bulk copy to outside every allocation",
	         0},
		{TILE_IN "[%a+64], [%m, {0, 0}], [%a];",
	         "copy of a tile with a shared address that is not a multiple of 128", 0},
		{TILE_IN "[%a+128], [%m, {0, 0}], [%a];", "the address holds no valid tensor map", 1},
		{TILE_IN "[%a+128], [%m, {0, 0}], [%a];", "tensor map whose rank differs from the instruction's", 2},
		{"add.u64 %m, %m, 16; " TILE_IN "[%a+128], [%m, {0, 0}], [%a];",
	         "tensor map at an address that is not a multiple of 64", 0},
		{"mov.u64 %m, 64; " TILE_IN "[%a+128], [%m, {0, 0}], [%a];",
	         "tensor map outside every parameter and allocation", 0},
		{TILE_IN "[%a+48896], [%m, {0, 0}], [%a];", "bulk copy beyond the block's shared memory", 8},
		{TILE_IN "[%a+128], [%m, {0, 9}], [%a];", "bulk copy from outside every allocation", 4},
	};
	for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
		struct bench bench;
		struct text out = {HEAD EXPECT};
		uint64_t random = 1;
		char *begin = strstr(out.text, "mbarrier.init");
		*begin = '\0';
		add(&out, "mov.u32 %%a, s; %s%s\nret;\n}\n", EXPECT, wrong[k].code);
		open_bench(&bench, out.text, 0, &random);
		*bench.map =
			(struct tensor_map){.mark = wrong[k].breaks == 1 ? 0 : TENSOR_MAP_MARK,
		                            .rank = wrong[k].breaks == 2 ? 3 : 2,
		                            .type = TENSOR_F32,
		                            .global = bench.tensor_address,
		                            .stride = {wrong[k].breaks == 4 ? TENSOR : 64, 1024},
		                            .last = {15, 15, 15},
		                            .swizzle = wrong[k].breaks == 8 ? TENSOR_SWIZZLE_128 : TENSOR_STRAIGHT,
		                            .box = {wrong[k].breaks == 8 ? 4 : 16, wrong[k].breaks == 8 ? 9 : 1, 1},
		                            .step = {1, 1, 1}};
		bench.kit.launch.dynamic_shared_bytes -= wrong[k].breaks == 8 ? 64 : 0;
		simt_run(&bench.kit.launch, 0, &bench.kit.run);
		if (!bench.kit.run.fault.what)
			fail_msg("no fault of %s", wrong[k].code);
		assert_string_equal(bench.kit.run.fault.what, wrong[k].what);
		close_bench(&bench);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(tiles), cmocka_unit_test(checked_tiles),
	                                   cmocka_unit_test(bytes), cmocka_unit_test(reductions),
	                                   cmocka_unit_test(forms), cmocka_unit_test(mistakes)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
