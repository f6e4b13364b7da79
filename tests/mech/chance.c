/* A mechanism that does at random, but the same in every run, everything that a mechanism may do. It requests lines
 * at any addresses, holds and releases blocks from SMs and from the dispatcher, counts, and draws timeline events. It
 * counts the outcomes that it hears, which is the number of its issued requests (test_machine_random.c).
 *
 * With -DPOLICIES it also owns every policy and decides at random. With -DSTEP SMs may run ahead of the dispatcher,
 * except those that it holds in step for random periods; it requests nothing from the others. With -DEACH it serves
 * each of several kernels separately, with -DALL all of them. Then it also
 * chooses at random which kernel starts a block. See vetoes.c for the vetoes.
 *
 * Its behavior must not depend on how often an SM ticks. A cycle hook therefore draws its random numbers only in the
 * cycle that it requested. */
#include "keep_all.h"
#include "draw.h"
#include "holds.h"
#include "seam/mech.h"

#include <string.h>

struct config {
	uint32_t seed, rate, near, hold;
	bool buffer;
};

static const struct config defaults = {.seed = 1, .rate = 2, .near = 4, .hold = 8};

static const struct base_option options[] = {
	{"seed", BASE_OPTION_U32, offsetof(struct config, seed), 0, 1e9, NULL, "", "of all that it does"},
	{"rate", BASE_OPTION_U32, offsetof(struct config, rate), 1, 1000, NULL, "instructions",
         "for one of which it asks"},
	{"near", BASE_OPTION_U32, offsetof(struct config, near), 1, 1e6, NULL, "lines", "away from what is loaded"},
	{"buffer", BASE_OPTION_BOOL, offsetof(struct config, buffer), 0, 1, NULL, "",
         "there is one, of whatever mechanism"},
	{"hold", BASE_OPTION_U32, offsetof(struct config, hold), 1, 1000, NULL, "blocks", "of which one is held"},
};

enum { MOST_SMS = 256, LONGEST_HOLD = 300, LONGEST_PAUSE = 200, WARP_HOLDS = 16, THROTTLES = 16, ELEMENTS = 5 };

static const struct base_counter counters[] = {
	{"told", "requests", BASE_SCOPE_SM, 0, "whose outcome was reported, with ascending cycles", BASE_COMBINE_SUM}};

enum { VECTOR_OUTCOMES, VECTOR_RANDOM, VECTOR_STAYS };
static const struct base_counter_vector vectors[] = {
	{.name = "fates",
         .unit = "requests",
         .meaning = "by outcome",
         .scope = BASE_SCOPE_SM,
         .length = MECH_REDUNDANT + 1},
	{.name = "random", .unit = "calls", .meaning = "at random", .scope = BASE_SCOPE_SM, .length = ELEMENTS},
	{.name = "stays",
         .unit = "cycles",
         .meaning = "until the outcome",
         .scope = BASE_SCOPE_SM,
         .kind = BASE_VECTOR_POWERS,
         .length = ELEMENTS},
};

enum { EVENT_REQUEST, EVENT_OUTCOME };
static const struct mech_event_row events[] = {{"request", "from sending to its reply", {"tag", NULL}},
                                               {"fate", "from sending to its outcome", {"fate", "address"}}};

struct sm_state {
	struct holds holds;
	struct random random;
	uint64_t last_address;
	uint64_t left_out, throttled_until; /* warps of each scheduler, until a cycle */
};

struct gpu_state {
	struct random random;
	uint64_t next;
	uint32_t kept[MOST_SMS]; /* with STEP: the number of times an SM is held in step */
};

static uint64_t of_sm(struct mech_sm *sm, uint64_t bound)
{
	const struct config *config = sm->config;
	struct sm_state *own = sm->state;
	return draw(&own->random, config->seed, sm->sm) % bound;
}

static uint64_t of_gpu(struct mech_gpu *gpu, uint64_t bound)
{
	const struct config *config = gpu->config;
	struct gpu_state *own = gpu->state;
	return draw(&own->random, config->seed, UINT32_MAX) % bound;
}

/* Each outcome is reported once: counts and draws it. */
static void tell(struct mech_output *output, uint64_t *told, const struct mech_outcome *outcome)
{
	bool comes_in_turn = !outcome->came || (outcome->sent <= outcome->came && outcome->came <= outcome->cycle);
	*told += outcome->sent <= outcome->cycle && comes_in_turn;
	mech_count(output, VECTOR_OUTCOMES, outcome->outcome, 1);
	mech_observe(output, VECTOR_STAYS, outcome->cycle - outcome->sent);
	mech_draw(output, &(struct mech_event){.row = EVENT_OUTCOME,
	                                       .track = (uint32_t)outcome->tag % ELEMENTS,
	                                       .begin = outcome->sent,
	                                       .end = outcome->cycle,
	                                       .arguments = {outcome->outcome, outcome->address}});
}

#ifndef STEP
static void partition_outcome(struct mech_partition *partition, const struct mech_outcome *outcome)
{
	tell(partition->output, partition->stats, outcome);
}
#endif

/* Requests some bytes of a line near the address, or far outside all memory. */
static struct mech_request request_near(const struct mech_machine *machine, const struct config *config,
                                        uint64_t address, uint64_t random)
{
	uint64_t line = machine->line_bytes, sectors = line / MECH_SECTOR;
	uint64_t away = random % (2 * config->near), offset = (random >> 20) % sectors * MECH_SECTOR;
	uint64_t base = (address & ~(line - 1)) + away * line;
	base -= base > config->near * line ? config->near * line : 0;
	if ((random >> 32) % 64 == 0)
		base ^= (uint64_t)1 << 45;
	return (struct mech_request){.address = base + offset,
	                             .bytes = 1 + (uint32_t)((random >> 40) % (line - offset)),
	                             .pc = MECH_NO_PC,
	                             .tag = random,
	                             .urgent = random >> 63};
}

static enum mech_place to_buffer(const struct config *config, enum mech_place other)
{
#ifdef POLICIES
	(void)config;
	(void)other;
	return MECH_TO_BUFFER;
#else
	return config->buffer ? MECH_TO_BUFFER : other;
#endif
}

/* Into shared memory instead: contiguous words or any words. */
static void to_shared(struct mech_sm *sm, struct mech_request *request, uint32_t word[MECH_MAX_WORDS])
{
	uint32_t bytes = mech_launch_of(sm, request->block)->shared_bytes;
	request->to = of_sm(sm, 2) ? MECH_TO_SHARED : MECH_WRITE_SHARED;
	request->no_mshr = of_sm(sm, 2);
	request->words = of_sm(sm, 2) || request->bytes > bytes ? 1 + (uint32_t)of_sm(sm, MECH_MAX_WORDS) : 0;
	for (uint32_t i = 0; i < request->words; i++)
		word[i] = (uint32_t)of_sm(sm, bytes / 4);
	if (request->words)
		request->word = word;
	else
		request->shared = (uint32_t)of_sm(sm, bytes - request->bytes + 1);
}

/* Sometimes holds the warp, and some warps of each scheduler do not compete. */
static void hold_warps(struct mech_sm *sm, const struct mech_memory *memory)
{
	struct sm_state *own = sm->state;
	if (of_sm(sm, WARP_HOLDS) == 0)
		holds_warp(sm, memory->warp, memory->cycle + 1 + of_sm(sm, LONGEST_HOLD));
	if (of_sm(sm, THROTTLES) == 0 && own->throttled_until <= memory->cycle) {
		own->left_out = of_sm(sm, UINT64_MAX);
		own->throttled_until = memory->cycle + 1 + of_sm(sm, LONGEST_HOLD);
	}
}

#ifndef EACH
static uint64_t warps_that_compete(struct mech_sm *sm, const struct mech_warps *warps)
{
	const struct sm_state *own = sm->state;
	(void)warps;
	return ~own->left_out;
}
#endif

static uint64_t sm_cycle(struct mech_sm *sm, uint64_t cycle)
{
	struct sm_state *own = sm->state;
	uint64_t next = holds_cycle(sm, cycle);
#ifdef STEP /* no dispatcher releases the others */
	uint64_t odd = holds_release(sm, 1, cycle);
	next = odd < next ? odd : next;
#endif
	if (own->throttled_until > cycle)
		return own->throttled_until < next ? own->throttled_until : next;
	own->left_out = 0;
	return next;
}

static void on_memory(struct mech_sm *sm, const struct mech_memory *memory)
{
	hold_warps(sm, memory);
	const struct config *config = sm->config;
	struct sm_state *own = sm->state;
	own->last_address = memory->transaction[0].address;
	/* the account, which is up to date in every hook, affects the choice */
	if (of_sm(sm, config->rate) || (mech_account(sm)->useful & 3) == 3)
		return;
	struct mech_request request = request_near(sm->machine, config, own->last_address, of_sm(sm, UINT64_MAX));
	uint32_t word[MECH_MAX_WORDS];
	static const enum mech_place others[] = {MECH_TO_L1, MECH_TO_L1, MECH_TO_L2, MECH_TO_NOTHING};
	enum mech_place other = others[of_sm(sm, 4)];
	request.to = of_sm(sm, 2) ? other : to_buffer(config, other);
	request.pc = of_sm(sm, 2) ? memory->pc : MECH_NO_PC;
	request.block = memory->block;
	if (mech_launch_of(sm, memory->block)->shared_bytes >= 4 && of_sm(sm, 3) == 0)
		to_shared(sm, &request, word);
	mech_send(sm, &request);
}

/* Sometimes requests again what a reply has returned. */
static void on_reply(struct mech_sm *sm, const struct mech_reply *reply)
{
	mech_count(sm->output, VECTOR_RANDOM, (uint32_t)of_sm(sm, ELEMENTS), of_sm(sm, 3));
	mech_draw(sm->output, &(struct mech_event){.row = EVENT_REQUEST,
	                                           .track = (uint32_t)reply->request.to,
	                                           .begin = reply->sent,
	                                           .end = reply->cycle,
	                                           .arguments = {reply->request.tag}});
	if (sm->launch && of_sm(sm, 8) == 0)
		mech_send(sm, &reply->request);
}

/* The same after an outcome. */
static void on_outcome(struct mech_sm *sm, const struct mech_outcome *outcome)
{
	tell(sm->output, sm->stats, outcome);
	const struct mech_request request = {
		.address = outcome->address, .bytes = 1, .to = MECH_TO_L2, .pc = outcome->pc, .tag = outcome->tag + 1};
	if (of_sm(sm, 16) == 0)
		mech_send(sm, &request);
}

static void hold(struct mech_sm *sm, const struct mech_block *block)
{
	const struct config *config = sm->config;
	struct sm_state *own = sm->state;
	own->holds.due[block->slot] = 0;
	if (of_sm(sm, config->hold))
		return;
	own->holds.due[block->slot] = block->cycle + 1 + of_sm(sm, LONGEST_HOLD);
	mech_hold_block(sm, block->slot);
}

static void send_to(struct mech_gpu *gpu, uint32_t sm)
{
	const struct config *config = gpu->config;
	const struct sm_state *there = mech_part(gpu, sm)->state;
	struct mech_request request = request_near(gpu->machine, config, there->last_address, of_gpu(gpu, UINT64_MAX));
	enum mech_place other = of_gpu(gpu, 2) ? MECH_TO_L2 : MECH_TO_NOTHING;
	request.to = of_gpu(gpu, 2) ? to_buffer(config, other) : other;
	request.block = (uint32_t)of_gpu(gpu, gpu->machine->blocks);
	if (mech_room_to_send(gpu))
		mech_send_to(gpu, sm, &request);
}

#ifdef STEP
static void gpu_block(struct mech_gpu *gpu, const struct mech_block *block)
{
	struct gpu_state *own = gpu->state;
	if (of_gpu(gpu, 2))
		return;
	own->kept[block->sm]++;
	mech_keep_in_step(gpu, block->sm);
	send_to(gpu, block->sm);
}

/* Once again, and then perhaps for the last time. */
static void call_at(struct mech_gpu *gpu, uint32_t sm)
{
	struct gpu_state *own = gpu->state;
	if (!own->kept[sm])
		return;
	send_to(gpu, sm);
	if (of_gpu(gpu, 2))
		return;
	own->kept[sm]--;
	mech_let_go(gpu, sm);
}

static uint64_t release(struct mech_gpu *gpu, uint64_t cycle)
{
	(void)gpu;
	(void)cycle;
	return MECH_NEVER;
}
#else
#define call_at send_to
#define release holds_gpu_cycle
#endif

static uint64_t gpu_cycle(struct mech_gpu *gpu, uint64_t cycle)
{
	struct gpu_state *own = gpu->state;
	uint64_t first = release(gpu, cycle);
	if (own->next <= cycle) {
		own->next = cycle + 1 + of_gpu(gpu, LONGEST_PAUSE);
		call_at(gpu, (uint32_t)of_gpu(gpu, gpu->machine->sms));
	}
	return own->next < first ? own->next : first;
}

static void gpu_open(struct mech_gpu *gpu)
{
	mech_prefer(gpu, (enum mech_preference)of_gpu(gpu, MECH_ALTERNATE + 1));
}

/* Delays drawn before a kernel begins start there: its cycles continue from the last kernel's. */
static void gpu_kernel_begin(struct mech_gpu *gpu)
{
	struct gpu_state *own = gpu->state;
	own->next = 0;
	memset(own->kept, 0, sizeof own->kept);
}

#ifdef ALL
/* Any kernel, also one without space; or none. */
static uint32_t pick_kernel(struct mech_gpu *gpu, const struct mech_choice *choice)
{
	uint32_t picked = (uint32_t)of_gpu(gpu, choice->count + 1);
	return picked < choice->count && choice->kernel[picked].ready ? picked : MECH_NOWHERE;
}
#endif

#if defined POLICIES
#define NAME "chance_policies"

#include "policies.h"
#elif defined STEP
#define NAME "chance_step"
#elif defined EACH
#define NAME "chance_each"
#elif defined ALL
#define NAME "chance_all"
#else
#define NAME "chance"
#endif

static const struct mech chance = {.version = MECH_VERSION,
                                   .name = NAME,
                                   .summary = "does at random what a mechanism may do",
                                   .citation = "a test",
                                   .options = options,
                                   .option_count = sizeof options / sizeof *options,
                                   .config_size = sizeof(struct config),
                                   .defaults = &defaults,
                                   .gpu_size = sizeof(struct gpu_state),
                                   KEEP_ALL,
                                   .sm_size = sizeof(struct sm_state),
                                   .counters = counters,
                                   .counter_count = 1,
                                   .stats_size = sizeof(uint64_t),
                                   .vectors = vectors,
                                   .vector_count = sizeof vectors / sizeof *vectors,
                                   .events = events,
                                   .event_count = sizeof events / sizeof *events,
                                   .sends = true,
                                   .gpu_open = gpu_open,
                                   .gpu_kernel_begin = gpu_kernel_begin,
                                   .gpu_cycle = gpu_cycle,
                                   .block_begin = hold,
                                   .block_end = holds_block_end,
                                   .memory = on_memory,
                                   .on_reply = on_reply,
                                   .on_outcome = on_outcome,
                                   .cycle = sm_cycle,
#ifdef EACH
                                   .kernels = MECH_EACH_KERNEL,
#else
                                   .warps_that_compete = warps_that_compete,
#endif
#ifdef ALL
                                   .kernels = MECH_ALL_KERNELS,
                                   .policies = MECH_POLICY_KERNEL,
                                   .pick_kernel = pick_kernel,
#endif
#ifdef STEP
                                   .keeps_in_step = true,
                                   .gpu_block = gpu_block,
#else
                                   .partition_outcome = partition_outcome,
#endif
#ifdef POLICIES
                                   POLICIES_HOOKS
#endif
};
MECHANISM(chance);
