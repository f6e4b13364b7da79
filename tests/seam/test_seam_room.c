/* Protects the policy for space in shared memory. Its owner raises and lowers the number of resident blocks within the
 * limits of threads, registers and slots. It reports the bytes that they take together, which may not exceed the
 * memory. */
#include "gate_kit.h"

static struct mech_room room_seen;
static uint32_t room, taken, full, launch_taken, resident, most_resident;
static uint64_t slots_seen;

static uint32_t shared_room(struct mech_gpu *gpu, const struct mech_room *limits)
{
	(void)gpu;
	room_seen = *limits;
	return room;
}

static uint32_t shared_taken(struct mech_sm *sm, uint64_t slots)
{
	(void)sm;
	slots_seen |= slots;
	return taken;
}

static uint32_t shared_full(struct mech_gpu *gpu)
{
	assert_int_equal(gpu->launch->blocks_per_sm, most_resident);
	return full;
}

static void kernel_begins(struct mech_gpu *gpu)
{
	launch_taken = gpu->launch->shared_taken;
}

static void block_comes(struct mech_sm *sm, const struct mech_block *block)
{
	(void)sm;
	(void)block;
	most_resident = ++resident > most_resident ? resident : most_resident;
}

static void block_goes(struct mech_sm *sm, const struct mech_block *block)
{
	(void)sm;
	(void)block;
	resident--;
}

static struct mech_buffer buffer(const void *config, const struct mech_machine *machine)
{
	(void)config;
	return (struct mech_buffer){.sets = 1, .in_shared = true, .bytes = machine->shared_bytes};
}

#define SAYS_FULL(name_, hook)                                                                                         \
	{                                                                                                              \
		.version = MECH_VERSION, .name = name_, .policies = MECH_POLICY_SHARED_ROOM,                           \
		.shared_room = shared_room, .shared_taken = shared_taken, .shared_full = hook,                         \
		.gpu_kernel_begin = kernel_begins                                                                      \
	}

static const struct mech looker = {.version = MECH_VERSION, .name = "looker", .gpu_kernel_begin = kernel_begins};
static const struct mech says_full = SAYS_FULL("says_full", shared_full),
			 says_nothing = SAYS_FULL("says_nothing", NULL);

static const struct mech landlord = {.version = MECH_VERSION,
                                     .name = "landlord",
                                     .policies = MECH_POLICY_SHARED_ROOM | MECH_POLICY_BUFFER,
                                     .shared_room = shared_room,
                                     .shared_taken = shared_taken,
                                     .buffer = buffer,
                                     .block_begin = block_comes,
                                     .block_end = block_goes};

/* A block takes 24 of 48 KB and four of 48 warps. The SM has eight slots and registers for 25 blocks. */
static void test_room(void **state)
{
	static const struct mech *const set[] = {&landlord, NULL};
	static const uint32_t wanted[] = {1, 2, 5, 7, 100}, gets[] = {1, 2, 5, 7, 8};
	(void)state;
	for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
		struct gpu_kit kit;
		kit_mechanisms = set;
		room = wanted[i];
		resident = most_resident = 0;
		slots_seen = 0;
		KIT_OPEN(&kit, "sm.count=1", "sm.registers=65536");
		kit.param = kit_buffer(&kit, NULL, 4096);
		kit_load(&kit, who);
		kit_run(&kit, 20, 128);
		assert_int_equal(room_seen.shared, 2);
		assert_int_equal(room_seen.slots, 8);
		assert_int_equal(room_seen.warps, 12);
		assert_int_equal(room_seen.registers, 25);
		assert_int_equal(most_resident, gets[i]);
		assert_int_equal(resident, 0);
		assert_int_equal(slots_seen, (1u << gets[i]) - 1);
		check_who(&kit, 20 * 128);
		kit_close(&kit);
		kit_mechanisms = NULL;
	}
}

/* Threads and registers limit the blocks as before. A full memory is no mistake; a larger total is. */
static void test_other_limits(void **state)
{
	static const struct mech *const set[] = {&landlord, NULL};
	static const struct {
		const char *registers;
		uint32_t threads, gets;
	} row[] = {{"sm.registers=65536", 512, 3}, {"sm.registers=8192", 128, 3}};
	(void)state;
	room = 100;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct gpu_kit kit;
		kit_mechanisms = set;
		resident = most_resident = 0;
		KIT_OPEN(&kit, "sm.count=1", row[i].registers);
		kit_load(&kit, "exit;");
		kit_run(&kit, 20, row[i].threads);
		assert_int_equal(most_resident, row[i].gets);
		taken = kit.machine.sm.shared_bytes;
		kit_run(&kit, 20, row[i].threads);
		taken++;
		kit_start(&kit, 20, row[i].threads);
		assert_int_equal(kit.run.end, GPU_MISTAKE);
		assert_non_null(
			strstr(kit.run.message, "its blocks take 49153 bytes of shared memory; the SM has 49152"));
		taken = 0;
		kit_close(&kit);
		kit_mechanisms = NULL;
	}
}

/* The bytes that a full SM's blocks take, at a kernel's begin. The owner's answer counts, and may not exceed the
 * memory. Without an owner it is what the blocks allocate. An owner without an answer gives that, or the whole memory.
 * A block has 24 of 48 KB. */
static void test_full(void **state)
{
	static const struct {
		const struct mech *mech;
		uint32_t room, says, gets, blocks;
	} row[] = {{&looker, 0, 0, 49152, 2},
	           {&says_nothing, 1, 0, 24576, 1},
	           {&says_nothing, 5, 0, 49152, 5},
	           {&says_full, 5, 40000, 40000, 5},
	           {&says_full, 5, 49152, 49152, 5}};
	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		const struct mech *const set[] = {row[i].mech, NULL};
		struct gpu_kit kit;
		kit_mechanisms = set;
		room = row[i].room;
		full = row[i].says;
		most_resident = row[i].blocks;
		KIT_OPEN(&kit, "sm.count=1", "sm.registers=65536");
		kit_load(&kit, "exit;");
		kit_run(&kit, 20, 128);
		assert_int_equal(launch_taken, row[i].gets);
		if (row[i].mech == &says_full && full == kit.machine.sm.shared_bytes) {
			full++;
			kit_start(&kit, 20, 128);
			assert_int_equal(kit.run.end, GPU_MISTAKE);
			assert_non_null(strstr(kit.run.message, "its blocks take 49153 bytes of shared memory"));
		}
		kit_close(&kit);
		kit_mechanisms = NULL;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_room),
		cmocka_unit_test(test_other_limits),
		cmocka_unit_test(test_full),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
