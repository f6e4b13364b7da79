/* Protects pas against a second, simpler model of its queues. Random blocks, hazards, loads, prefetch fills and ends of
 * warps pass through the hooks. In every cycle the competing warps and the picked warp must be equal, and so must
 * the counters. Extra calls must change nothing.
 *
 *   test_pas_random [CASES [SEED]]      runs CASES cases from SEED on; default: about one second's worth */
#include "ptx_random.h"

#include "gpu_kit.h"

static uint32_t cases = 2000;
static uint64_t first_seed = 1;

enum { CYCLES = 400, SCHEDULERS = 4, BLOCKS = 8, WARPS = 8, SLOTS = BLOCKS * WARPS };

enum order { TWO_LEVEL, LRR, GTO };

/* A warp slot, as the machine and the model see it. */
struct warp {
	bool live, held, hazard;
	uint64_t age;                        /* counted from 1; 0: the slot has never been used */
	bool marked, competes, waits, woken; /* waits: in the queue */
};

struct block {
	bool resident;
	uint64_t number;
};

struct test {
	uint64_t state, seed, cycle, launched;
	struct attachments attachments;
	struct mech_machine machine;
	struct mech_sm sm;
	struct arena arena;
	enum order order;
	uint32_t ready, warps;                     /* places; warps per block */
	bool wake_up, oldest, spreads, until_load; /* pick=oldest, leader=spread, marker=first_load */
	struct warp warp[SLOTS];
	struct block block[BLOCKS];
	uint32_t last[SCHEDULERS];
	/* the model's state */
	uint32_t queue[SCHEDULERS][SLOTS], queued[SCHEDULERS];
	uint64_t leading, wake_ups, woken_ready, pushed_out, unmarked;
};

static uint32_t below(struct test *t, uint32_t bound)
{
	return (uint32_t)(random_number(&t->state) % bound);
}

static bool can_run(const struct warp *warp)
{
	return warp->live && !warp->held && !warp->hazard;
}

/* --- the model of one scheduler: its warps are every SCHEDULERS-th slot --- */

static void enqueue(struct test *t, uint32_t scheduler, uint32_t slot)
{
	t->queue[scheduler][t->queued[scheduler]++] = slot;
	t->warp[slot].waits = true;
}

static void dequeue(struct test *t, uint32_t slot)
{
	uint32_t scheduler = slot % t->machine.schedulers, *queue = t->queue[scheduler], kept = 0;
	for (uint32_t i = 0; i < t->queued[scheduler]; i++)
		if (queue[i] != slot)
			queue[kept++] = queue[i];
	t->queued[scheduler] = kept;
	t->warp[slot].waits = false;
}

static uint32_t competing(const struct test *t, uint32_t scheduler)
{
	uint32_t count = 0;
	for (uint32_t slot = scheduler; slot < t->machine.warps; slot += t->machine.schedulers)
		count += t->warp[slot].competes;
	return count;
}

static void compete(struct test *t, uint32_t slot)
{
	dequeue(t, slot);
	t->warp[slot].competes = true;
}

/* Warps that cannot run leave the competing set; new warps join the queue. */
static void leave_and_join(struct test *t, uint32_t scheduler)
{
	for (uint32_t slot = scheduler; slot < t->machine.warps; slot += t->machine.schedulers) {
		struct warp *warp = &t->warp[slot];
		if (!warp->competes || can_run(warp))
			continue;
		warp->competes = false;
		if (warp->live)
			enqueue(t, scheduler, slot);
	}
	for (uint32_t slot = scheduler; slot < t->machine.warps; slot += t->machine.schedulers) {
		struct warp *warp = &t->warp[slot];
		if (warp->live && !warp->competes && !warp->waits)
			enqueue(t, scheduler, slot);
		else if (!warp->live && warp->waits)
			dequeue(t, slot);
	}
}

/* The youngest competing warp without a marker, else the youngest. */
static uint32_t youngest(const struct test *t, uint32_t scheduler)
{
	uint32_t best = SLOTS;
	for (uint32_t slot = scheduler; slot < t->machine.warps; slot += t->machine.schedulers) {
		const struct warp *warp = &t->warp[slot];
		bool better = best == SLOTS || warp->marked < t->warp[best].marked ||
		              (warp->marked == t->warp[best].marked && warp->age > t->warp[best].age);
		if (warp->competes && better)
			best = slot;
	}
	return best;
}

/* Returns the oldest woken warp and clears its wake-up. */
static uint32_t next_woken(struct test *t, uint32_t scheduler)
{
	uint32_t best = SLOTS;
	for (uint32_t slot = scheduler; slot < t->machine.warps; slot += t->machine.schedulers)
		if (t->warp[slot].woken && (best == SLOTS || t->warp[slot].age < t->warp[best].age))
			best = slot;
	if (best < SLOTS)
		t->warp[best].woken = false;
	return best;
}

static void wake(struct test *t, uint32_t scheduler)
{
	for (uint32_t slot; (slot = next_woken(t, scheduler)) < SLOTS;) {
		if (!can_run(&t->warp[slot]) || t->warp[slot].competes)
			continue;
		if (competing(t, scheduler) >= t->ready) {
			uint32_t out = youngest(t, scheduler);
			t->warp[out].competes = false;
			enqueue(t, scheduler, out);
			t->pushed_out++;
		}
		compete(t, slot);
	}
}

/* Fills free places: marked warps first, then all in queue order. A warp that cannot run goes to the queue's end. */
static void take_places(struct test *t, uint32_t scheduler)
{
	for (uint32_t i = 0; i < t->queued[scheduler] && competing(t, scheduler) < t->ready;) {
		uint32_t slot = t->queue[scheduler][i];
		if (t->warp[slot].marked && can_run(&t->warp[slot]))
			compete(t, slot);
		else
			i++;
	}
	for (uint32_t left = t->queued[scheduler]; left && competing(t, scheduler) < t->ready; left--) {
		uint32_t slot = t->queue[scheduler][0];
		dequeue(t, slot);
		if (can_run(&t->warp[slot]))
			t->warp[slot].competes = true;
		else
			enqueue(t, scheduler, slot);
	}
}

static uint64_t model_compete(struct test *t, uint32_t scheduler)
{
	uint64_t mask = 0;
	if (t->order != TWO_LEVEL)
		return UINT64_MAX;
	leave_and_join(t, scheduler);
	wake(t, scheduler);
	take_places(t, scheduler);
	for (uint32_t slot = scheduler; slot < t->machine.warps; slot += t->machine.schedulers)
		mask |= (uint64_t)t->warp[slot].competes << slot / t->machine.schedulers;
	return mask;
}

/* Marked warps first. Among equals: round robin, the oldest, or greedy then oldest. */
static uint32_t model_pick(const struct test *t, uint32_t scheduler, uint64_t candidates)
{
	uint32_t warps = t->machine.warps / t->machine.schedulers, best = SLOTS;
	bool marked = false, by_age = t->order == GTO || (t->order == TWO_LEVEL && t->oldest);
	for (uint32_t bit = 0; bit < warps; bit++)
		marked |= candidates >> bit & 1 && t->warp[bit * t->machine.schedulers + scheduler].marked;
	for (uint32_t k = 1; k <= warps; k++) {
		uint32_t bit = (t->last[scheduler] + k) % warps;
		const struct warp *warp = &t->warp[bit * t->machine.schedulers + scheduler];
		if (!(candidates >> bit & 1) || (marked && !warp->marked))
			continue;
		if (!by_age || (t->order == GTO && bit == t->last[scheduler]))
			return bit;
		if (best == SLOTS || warp->age < t->warp[best * t->machine.schedulers + scheduler].age)
			best = bit;
	}
	return best;
}

/* The warp that gets its block's marker: the first one, or the first one on the scheduler that the block's slot gives,
 * if the block has warps there. */
static uint32_t model_leader(const struct test *t, uint32_t block)
{
	uint32_t first = block * t->warps;
	for (uint32_t w = first; w < first + t->warps; w++)
		if (t->spreads && w % t->machine.schedulers == block % t->machine.schedulers)
			return w;
	return first;
}

static void model_fill(struct test *t, uint32_t slot)
{
	struct warp *warp = &t->warp[slot];
	if (t->order != TWO_LEVEL || !t->wake_up || !warp->live)
		return;
	t->wake_ups++;
	if (warp->competes)
		t->woken_ready++;
	else
		warp->woken = true;
}

/* --- a test case --- */

static void look_at_warp(struct mech_sm *sm, uint32_t slot, struct mech_warp *warp)
{
	*warp = (struct mech_warp){.live = ((const struct test *)sm->host)->warp[slot].live};
}

static void open_case(struct test *t, uint64_t seed)
{
	static const struct mech_services services = {.look_at_warp = look_at_warp};
	static const char *const orders[] = {[TWO_LEVEL] = "two_level", [LRR] = "lrr", [GTO] = "gto"};
	struct diag diag = {0};
	char text[128];
	*t = (struct test){.state = seed * 0xd1342543de82ef95, .seed = seed};
	t->order = below(t, 4) ? TWO_LEVEL : 1 + below(t, 2);
	t->ready = 1 + below(t, below(t, 2) ? 8 : 3);
	t->wake_up = below(t, 4) > 0;
	t->warps = 1 + below(t, WARPS);
	t->oldest = below(t, 2);
	t->spreads = below(t, 2);
	t->until_load = below(t, 2);
	snprintf(text, sizeof text, "pas:order=%s,ready=%u,wake_up=%s,pick=%s,leader=%s,marker=%s", orders[t->order],
	         t->ready, t->wake_up ? "yes" : "no", t->oldest ? "oldest" : "round_robin",
	         t->spreads ? "spread" : "first", t->until_load ? "first_load" : "life");
	if (!attachments_add(&t->attachments, text, &diag))
		fail_msg("%s", diag.text);
	const struct mech *mech = t->attachments.list[0].mech;
	t->machine = (struct mech_machine){
		.sms = 1, .blocks = 1 + below(t, BLOCKS), .warps = SLOTS, .schedulers = 1u << below(t, 3)};
	t->sm = (struct mech_sm){.mech = mech,
	                         .config = t->attachments.list[0].config,
	                         .state = arena_alloc(&t->arena, mech->sm_size),
	                         .stats = arena_alloc(&t->arena, mech->stats_size),
	                         .machine = &t->machine,
	                         .services = &services,
	                         .host = t};
	mech->kernel_begin(&t->sm);
}

static void close_case(struct test *t)
{
	arena_free(&t->arena);
	attachments_free(&t->attachments);
}

/* --- simulated events --- */

static void begin_block(struct test *t, uint32_t slot)
{
	const struct mech_block event = {.number = t->launched,
	                                 .slot = slot,
	                                 .first_warp = slot * t->warps,
	                                 .warps = t->warps,
	                                 .cycle = t->cycle};
	t->block[slot] = (struct block){true, t->launched};
	for (uint32_t w = event.first_warp; w < event.first_warp + t->warps; w++)
		t->warp[w] = (struct warp){.live = true, .age = ++t->launched, .held = below(t, 8) == 0};
	t->warp[model_leader(t, slot)].marked = true;
	t->leading++;
	t->sm.mech->block_begin(&t->sm, &event);
}

/* Ends the block if all its warps have ended. Another block may take its slot in the same cycle. */
static void end_block(struct test *t, uint32_t slot)
{
	const struct mech_block event = {
		.number = t->block[slot].number, .slot = slot, .first_warp = slot * t->warps, .warps = t->warps};
	for (uint32_t w = event.first_warp; w < event.first_warp + t->warps; w++)
		if (t->warp[w].live)
			return;
	for (uint32_t w = event.first_warp; w < event.first_warp + t->warps; w++) {
		dequeue(t, w);
		t->warp[w] = (struct warp){.age = t->warp[w].age};
	}
	t->block[slot].resident = false;
	t->sm.mech->block_end(&t->sm, &event);
	if (below(t, 2))
		begin_block(t, slot);
}

/* The warp has issued: its next instruction waits for a load, a barrier, the warp's end, or nothing. */
static void issued(struct test *t, struct warp *warp)
{
	switch (below(t, 12)) {
	case 0:
		warp->live = false;
		warp->held = true;
		break;
	case 1:
		warp->held = true;
		break;
	case 2:
	case 3:
		warp->hazard = true;
		break;
	default:
		break;
	}
}

/* A line fills L1, bound to a random warp. */
static void random_fill(struct test *t)
{
	uint32_t slot = below(t, t->machine.blocks * t->warps), kind = below(t, 6);
	const struct mech_fill fill = {
		.sender = kind == 0 ? MECH_NOBODY : 1, .warp = kind == 1 ? MECH_NOBODY : slot, .cycle = t->cycle};
	if (kind > 1)
		model_fill(t, slot);
	t->sm.mech->fill(&t->sm, &fill);
}

/* A random warp accesses memory. A load from global memory may end its priority. */
static void random_access(struct test *t)
{
	uint32_t slot = below(t, t->machine.blocks * t->warps), kind = below(t, 6);
	struct warp *warp = &t->warp[slot];
	const struct mech_memory memory = {.warp = slot,
	                                   .block = slot / t->warps,
	                                   .warp_of_block = slot % t->warps,
	                                   .kind = kind == 0   ? MECH_STORE
	                                           : kind == 1 ? MECH_ATOMIC
	                                                       : MECH_LOAD,
	                                   .local = kind == 2,
	                                   .cycle = t->cycle};
	if (!warp->live)
		return;
	if (t->until_load && kind > 2) {
		t->unmarked += warp->marked;
		warp->marked = false;
	}
	t->sm.mech->memory(&t->sm, &memory);
}

/* The scheduler's state as the machine presents it. */
static void see(const struct test *t, uint32_t scheduler, struct mech_warps *seen)
{
	uint32_t schedulers = t->machine.schedulers;
	*seen = (struct mech_warps){
		.index = scheduler, .warps = t->machine.warps / schedulers, .last = t->last[scheduler]};
	for (uint32_t bit = 0; bit < seen->warps; bit++) {
		const struct warp *warp = &t->warp[bit * schedulers + scheduler];
		seen->live |= (uint64_t)warp->live << bit;
		seen->held |= (uint64_t)warp->held << bit;
		seen->load_hazard |= (uint64_t)warp->hazard << bit;
		for (uint32_t other = 0; other < seen->warps; other++)
			seen->older[bit] |= (uint64_t)(t->warp[other * schedulers + scheduler].age < warp->age)
			                    << other;
	}
}

static void tick_scheduler(struct test *t, uint32_t scheduler)
{
	struct mech_warps seen;
	see(t, scheduler, &seen);
	uint64_t expected = model_compete(t, scheduler), candidates = 0;
	for (uint32_t calls = 1 + below(t, 3); calls; calls--) {
		uint64_t found = t->sm.mech->warps_that_compete(&t->sm, &seen);
		if (found != expected)
			fail_msg("case %llu, cycle %llu: 0x%llx compete, not 0x%llx", (unsigned long long)t->seed,
			         (unsigned long long)t->cycle, (unsigned long long)found, (unsigned long long)expected);
	}
	for (uint32_t bit = 0; bit < seen.warps; bit++)
		candidates |= (uint64_t)(can_run(&t->warp[bit * t->machine.schedulers + scheduler]) && below(t, 4))
		              << bit;
	candidates &= expected;
	if (!candidates)
		return;
	uint32_t picked = t->sm.mech->pick_warp(&t->sm, &seen, candidates), best = model_pick(t, scheduler, candidates);
	if (picked != best)
		fail_msg("case %llu, cycle %llu: warp %u, not %u", (unsigned long long)t->seed,
		         (unsigned long long)t->cycle, picked, best);
	t->last[scheduler] = picked;
	issued(t, &t->warp[picked * t->machine.schedulers + scheduler]);
}

static void one_cycle(struct test *t)
{
	for (uint32_t slot = 0; slot < t->machine.blocks * t->warps; slot++) {
		struct warp *warp = &t->warp[slot];
		warp->hazard = warp->live && warp->hazard && below(t, 10);
		warp->held = !warp->live || (warp->held && below(t, 10));
	}
	for (uint32_t fills = below(t, 4) ? below(t, 2) : below(t, 5); fills; fills--)
		random_fill(t);
	if (below(t, 10) == 0)
		random_access(t);
	for (uint32_t scheduler = 0; scheduler < t->machine.schedulers; scheduler++)
		tick_scheduler(t, scheduler);
	for (uint32_t slot = 0; slot < t->machine.blocks; slot++) {
		if (t->block[slot].resident && below(t, 3))
			end_block(t, slot);
		else if (!t->block[slot].resident && below(t, 10) == 0)
			begin_block(t, slot);
	}
}

static uint64_t counted(const struct test *t, const char *name)
{
	const struct mech *mech = t->sm.mech;
	uint64_t value = 0;
	for (size_t i = 0; i < mech->counter_count; i++)
		if (strcmp(mech->counters[i].name, name) == 0)
			memcpy(&value, (const char *)t->sm.stats + mech->counters[i].offset, sizeof value);
	return value;
}

static void test_random(void **state)
{
	static struct test t;
	uint64_t wake_ups = 0, woken_ready = 0, pushed_out = 0, unmarked = 0;
	(void)state;
	for (uint32_t i = 0; i < cases; i++) {
		open_case(&t, first_seed + i);
		for (; t.cycle < CYCLES; t.cycle++)
			one_cycle(&t);
		assert_int_equal(counted(&t, "leading"), t.leading);
		assert_int_equal(counted(&t, "wake_ups"), t.wake_ups);
		assert_int_equal(counted(&t, "woken_ready"), t.woken_ready);
		assert_int_equal(counted(&t, "pushed_out"), t.pushed_out);
		wake_ups += t.wake_ups;
		woken_ready += t.woken_ready;
		pushed_out += t.pushed_out;
		unmarked += t.unmarked;
		close_case(&t);
	}
	assert_true(wake_ups && woken_ready && pushed_out && unmarked); /* each counter has been exercised */
}

int main(int count, char **arguments)
{
	if (count > 1)
		cases = (uint32_t)strtoul(arguments[1], NULL, 10);
	if (count > 2)
		first_seed = strtoull(arguments[2], NULL, 10);
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_random)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
