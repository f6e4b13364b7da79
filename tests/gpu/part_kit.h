/* part_kit: a mechanism's part of an SM without the rest of the machine: a test calls its hooks and checks the requests
 * of each. */
#ifndef SLUICE_TESTS_PART_KIT_H
#define SLUICE_TESTS_PART_KIT_H

#include "gpu_kit.h"

enum { PART_LINE = 128, PART_MOST = 256, PART_PC = 7, PART_WARPS = 48 };

struct part_kit {
	struct attachments attachments;
	struct mech_machine machine;
	struct mech_sm sm;
	struct mech_pool pool;
	void *allocated[8];
	uint32_t allocations;
	bool live[MECH_MAX_WARPS];
	struct mech_request asked[PART_MOST];
	uint32_t count; /* requests since the last check */
};

static inline void *part_alloc(struct mech_pool *pool, size_t bytes)
{
	struct part_kit *kit = (struct part_kit *)(void *)((char *)pool - offsetof(struct part_kit, pool));
	assert_in_range(kit->allocations, 0, 7);
	return kit->allocated[kit->allocations++] = base_calloc(1, bytes);
}

static inline bool part_send(struct mech_sm *sm, const struct mech_request *request)
{
	struct part_kit *kit = sm->host;
	assert_in_range(kit->count, 0, PART_MOST - 1);
	kit->asked[kit->count++] = *request;
	return true;
}

static inline void part_look_at_warp(struct mech_sm *sm, uint32_t slot, struct mech_warp *warp)
{
	*warp = (struct mech_warp){.live = ((struct part_kit *)sm->host)->live[slot]};
}

/* Opens the mechanism as --mech names it, in a kernel; all slots have warps. */
static inline void part_open(struct part_kit *kit, const char *mechanism)
{
	static const struct mech_services services = {.send = part_send, .look_at_warp = part_look_at_warp};
	struct diag diag = {0};
	*kit = (struct part_kit){.machine = {.warps = PART_WARPS,
	                                     .schedulers = 1,
	                                     .line_bytes = PART_LINE,
	                                     .l1_sector_bytes = PART_LINE},
	                         .pool = {.alloc = part_alloc}};
	memset(kit->live, true, sizeof kit->live);
	if (!attachments_add(&kit->attachments, mechanism, &diag))
		fail_msg("%s", diag.text);
	const struct seam_attached *attached = &kit->attachments.list[0];
	kit->sm = (struct mech_sm){.mech = attached->mech,
	                           .config = attached->config,
	                           .state = part_alloc(&kit->pool, attached->mech->sm_size + 1),
	                           .stats = part_alloc(&kit->pool, attached->mech->stats_size + 1),
	                           .machine = &kit->machine,
	                           .pool = &kit->pool,
	                           .kernel_pool = &kit->pool,
	                           .services = &services,
	                           .host = kit};
	if (attached->mech->sm_open)
		attached->mech->sm_open(&kit->sm);
	if (attached->mech->kernel_begin)
		attached->mech->kernel_begin(&kit->sm);
}

static inline void part_close(struct part_kit *kit)
{
	while (kit->allocations)
		free(kit->allocated[--kit->allocations]);
	attachments_free(&kit->attachments);
}

static inline uint64_t part_counter(const struct part_kit *kit, const char *name)
{
	const struct mech *mech = kit->sm.mech;
	uint64_t value;
	for (size_t i = 0; i < mech->counter_count; i++)
		if (strcmp(mech->counters[i].name, name) == 0) {
			memcpy(&value, (const char *)kit->sm.stats + mech->counters[i].offset, sizeof value);
			return value;
		}
	fail_msg("mechanism %s has no counter %s", mech->name, name);
	return 0;
}

/* A load of the warp reaches the load/store unit, with these transactions of one line each. */
static inline void part_loads(struct part_kit *kit, uint32_t warp, uint32_t pc, const uint64_t *address, uint32_t count)
{
	struct mech_transaction transaction[MECH_LANES];
	for (uint32_t i = 0; i < count; i++)
		transaction[i] = (struct mech_transaction){.address = address[i], .bytes = PART_LINE, .lanes = 1};
	const struct mech_memory load = {.warp = warp,
	                                 .pc = pc,
	                                 .lanes = UINT32_MAX,
	                                 .kind = MECH_LOAD,
	                                 .transactions = count,
	                                 .transaction = transaction};
	kit->sm.mech->memory(&kit->sm, &load);
}

static inline void part_load(struct part_kit *kit, uint32_t warp, uint32_t pc, uint64_t address)
{
	part_loads(kit, warp, pc, &address, 1);
}

/* L1 has looked up a transaction of this load. */
static inline void part_access(struct part_kit *kit, uint64_t address, enum mech_result result)
{
	const struct mech_access access = {.address = address,
	                                   .bytes = PART_LINE,
	                                   .pc = PART_PC,
	                                   .kind = MECH_LOAD,
	                                   .result = result,
	                                   .brought_by = MECH_NOBODY};
	kit->sm.mech->access(&kit->sm, &access);
}

/* Checks the requests since the last check: these lines, in this order, with this pc, for L1. */
static inline void part_asked(struct part_kit *kit, uint32_t pc, const uint64_t *line, uint32_t count, const char *file,
                              int at)
{
	bool same = kit->count == count;
	for (uint32_t i = 0; i < count && same; i++)
		same = kit->asked[i].address == line[i] && kit->asked[i].bytes == PART_LINE &&
		       kit->asked[i].to == MECH_TO_L1 && kit->asked[i].pc == pc;
	if (!same) {
		for (uint32_t i = 0; i < kit->count; i++)
			fprintf(stderr, "requested 0x%llx, %u bytes\n", (unsigned long long)kit->asked[i].address,
			        kit->asked[i].bytes);
		fail_msg("%s:%d: not the expected requests", file, at);
	}
	kit->count = 0;
}
#define PART_ASKED(kit, ...)                                                                                           \
	part_asked(kit, PART_PC, (const uint64_t[]){__VA_ARGS__},                                                      \
	           sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t), __FILE__, __LINE__)
#define PART_ASKED_NOTHING(kit) part_asked(kit, PART_PC, NULL, 0, __FILE__, __LINE__)

#endif
