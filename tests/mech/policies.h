/* policies: the hooks with which chance.c owns every policy and decides at random. Included after the functions of
 * chance.c. */
static uint32_t blocks_per_sm(struct mech_gpu *gpu, uint32_t blocks)
{
	return 1 + (uint32_t)of_gpu(gpu, blocks);
}

static uint32_t place_block(struct mech_gpu *gpu, uint64_t block, const uint8_t *has_room)
{
	uint32_t at = (uint32_t)of_gpu(gpu, gpu->machine->sms);
	(void)block;
	return has_room[at] ? at : MECH_NOWHERE;
}

static uint32_t pick_warp(struct mech_sm *sm, const struct mech_warps *warps, uint64_t candidates)
{
	switch (of_sm(sm, 4)) {
	case 0:
		return mech_oldest(warps, candidates);
	case 1:
		return mech_youngest(warps, candidates);
	case 2:
		return mech_next(warps, candidates);
	default:
		return 63 - (uint32_t)__builtin_clzll(candidates);
	}
}

static struct mech_buffer buffer(const void *pointer, const struct mech_machine *machine)
{
	const struct config *config = pointer;
	struct mech_buffer buffer = {.sets = 1u << config->seed % 5, .ways = config->seed / 5 % 9};
	buffer.in_shared = config->seed / 45 % 2 && machine->shared_bytes >= 16384;
	buffer.bytes = buffer.in_shared ? machine->shared_bytes : 0;
	return buffer;
}

/* Inserts some of the loaded lines into the buffer. */
static void on_access(struct mech_sm *sm, const struct mech_access *access)
{
	if (of_sm(sm, 16) == 0)
		mech_put(sm, access->address & ~(uint64_t)(MECH_SECTOR - 1), MECH_SECTOR, access->block);
}

/* Chooses a random victim and updates a line's word at random; the word has no meaning. */
static uint32_t some_way(const struct mech_set *set, uint64_t random)
{
	uint32_t way = (uint32_t)(random % set->ways);
	while (!set->way[way].may_go)
		way = (way + 1) % set->ways;
	return way;
}

static uint32_t l1_victim(struct mech_sm *sm, const struct mech_set *set)
{
	return some_way(set, of_sm(sm, UINT64_MAX));
}

static void l1_used(struct mech_sm *sm, const struct mech_use *use)
{
	*use->data = of_sm(sm, UINT64_MAX);
}

static uint64_t of_partition(struct mech_partition *partition, uint64_t bound)
{
	const struct config *config = partition->config;
	return draw(partition->state, config->seed, partition->slice + MECH_MAX) % bound;
}

static uint32_t l2_victim(struct mech_partition *partition, const struct mech_set *set)
{
	return some_way(set, of_partition(partition, UINT64_MAX));
}

static void l2_used(struct mech_partition *partition, const struct mech_use *use)
{
	*use->data = of_partition(partition, UINT64_MAX);
}

static uint32_t dram_next(struct mech_partition *partition, const struct mech_queue *queue)
{
	uint64_t random = of_partition(partition, UINT64_MAX);
	return random % 8 ? (uint32_t)(random / 8 % queue->count) : MECH_NOWHERE;
}

static uint32_t answer_miss(struct mech_sm *sm, const struct mech_access *miss)
{
	(void)miss;
	return of_sm(sm, 4) ? 0 : 1 + (uint32_t)of_sm(sm, 300);
}

static uint32_t shared_room(struct mech_gpu *gpu, const struct mech_room *room)
{
	(void)room;
	return 1 + (uint32_t)of_gpu(gpu, gpu->machine->blocks);
}

static uint32_t shared_taken(struct mech_sm *sm, uint64_t slots)
{
	uint64_t all = (uint64_t)__builtin_popcountll(slots) * sm->launch->shared_bytes;
	return all < sm->machine->shared_bytes ? (uint32_t)all : sm->machine->shared_bytes;
}

static uint32_t shared_place(struct mech_sm *sm, uint32_t block, uint32_t byte)
{
	return (uint32_t)((byte + block * of_sm(sm, 2) * 4) % sm->machine->shared_bytes);
}

static const char *const opcodes[] = {"mul", "pmevent", "setp"};

static uint32_t run_opcode(struct mech_sm *sm, uint32_t own, const struct mech_issue *issue)
{
	(void)issue;
	return (uint32_t)of_sm(sm, own ? 30 : MECH_MAX_LATENCY + 1);
}

#define POLICIES_HOOKS                                                                                                    \
	.policies = MECH_POLICIES_END - 1, .blocks_per_sm = blocks_per_sm, .place_block = place_block,                       \
	.pick_warp = pick_warp, .buffer = buffer, .access = on_access, .l1_victim = l1_victim, .l1_used = l1_used,     \
	.partition_size = sizeof(struct random), .l2_victim = l2_victim, .l2_used = l2_used, .dram_next = dram_next,   \
	.answer_miss = answer_miss, .shared_room = shared_room, .shared_taken = shared_taken,                          \
	.shared_place = shared_place, .opcodes = opcodes, .opcode_count = 3, .run_opcode = run_opcode,
