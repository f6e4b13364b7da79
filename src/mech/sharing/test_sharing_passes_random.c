/* Protects the passes of scratchpad sharing on random kernels. Accesses are checked against the analysis at run
 * time. Every thread executes relssp once, at the earliest place after its last access to the common part. Results
 * do not change, and the chosen order is optimal. */
#include "passes_random.h"

enum { BUFFER = 1 << 16 };

/* --- runs --- */

struct watched {
	struct kit kit;
	struct simt_block block;
	uint64_t boundary;
	uint8_t released[THREADS],
		ended_below[THREADS]; /* by thread of the block: relssp executed; thread has exited in a function */
	bool has_relssp;
	const struct sharing_accesses *accesses; /* to check against, or NULL */
	uint64_t instructions, common;           /* executed by threads: all, and those that access the common part */
	const char *text;
};

static bool is_shared_access(const struct simt_step *step)
{
	enum ptx_opcode op = step->inst->ptx ? step->inst->ptx->op : PTX_OP_RET;
	return (op == PTX_OP_LD || op == PTX_OP_ST || op == PTX_OP_ATOM || op == PTX_OP_RED) &&
	       step->space == PTX_SHARED;
}

/* Checks that the instruction touches no more than the analysis found. */
static void check_touch(const struct watched *w, const struct simt_step *step, uint64_t address)
{
	const struct sharing_accesses *accesses = w->accesses;
	const struct sharing_touch *touch = &accesses->touch[flow_number(accesses->on, step->inst->ptx)];
	bool is_told = touch->variables == SHARING_EVERYTHING;
	for (uint32_t i = 0; i < accesses->layout.count && !is_told; i++) {
		const struct sharing_variable *v = &accesses->layout.variable[i];
		is_told = touch->variables & sharing_bit(i) && address >= v->offset &&
		          address + step->inst->size <= v->offset + v->size &&
		          (touch->end == UINT64_MAX || address + step->inst->size <= v->offset + touch->end);
	}
	if (!is_told)
		fail_msg("line %u touches byte %llu, which the analysis did not find:\n%s", step->inst->ptx->place.line,
		         (unsigned long long)address, w->text);
}

static bool is_in_function(const struct watched *w, const struct simt_inst *inst)
{
	const struct ptx_function *kernel = w->kit.program->kernel;
	return inst->ptx && (inst->ptx < kernel->body || inst->ptx >= kernel->body + kernel->body_count);
}

static void look(struct watched *w, const struct simt_warp *warp, const struct simt_step *step, uint32_t exited)
{
	for (uint32_t lane = 0; lane < WARP_SIZE; lane++) {
		uint32_t thread = warp->index * WARP_SIZE + lane;
		if (warp->exited >> lane & 1 && !(exited >> lane & 1))
			w->ended_below[thread] = is_in_function(w, step->inst);
		if (!(step->lanes >> lane & 1))
			continue;
		w->instructions++;
		w->released[thread] += step->inst->ptx && step->inst->ptx->op == PTX_OP_RELSSP;
		if (!is_shared_access(step))
			continue;
		check_touch(w, step, step->address[lane]);
		if (step->address[lane] + step->inst->size <= w->boundary)
			continue;
		w->common++;
		if (w->released[thread] || !w->has_relssp)
			fail_msg("thread %u accesses byte %llu after relssp, or without:\n%s", thread,
			         (unsigned long long)step->address[lane], w->text);
	}
}

static void run_warp(struct watched *w, struct simt_warp *warp)
{
	while (!warp->done && !(w->block.waiting >> warp->index & 1)) {
		struct simt_step step;
		uint32_t exited = warp->exited;
		simt_step(warp, &step);
		assert_null(step.fault.what);
		simt_commit(warp, &step);
		look(w, warp, &step, exited);
		if (step.exited || step.inst->kind == SIMT_BARRIER)
			simt_barrier(warp, &step);
	}
}

static void check_threads(const struct watched *w)
{
	for (uint32_t thread = 0; thread < THREADS; thread++) {
		bool may_lack = !w->has_relssp || w->ended_below[thread];
		if (w->released[thread] > 1 || (w->released[thread] == 0 && !may_lack))
			fail_msg("thread %u releases %u times:\n%s", thread, w->released[thread], w->text);
	}
}

/* Checks that variables have the simulator's addresses. */
static void check_places(const struct watched *w)
{
	const struct simt_program *program = w->kit.program;
	for (uint32_t i = 0; i < program->variable_count; i++) {
		const struct simt_variable *v = &program->variables[i];
		uint32_t k = 0;
		if (v->space != PTX_SHARED)
			continue;
		while (k < w->accesses->layout.count &&
		       strcmp(w->accesses->layout.variable[k].variable->name, v->name) != 0)
			k++;
		if (k == w->accesses->layout.count || w->accesses->layout.variable[k].offset != v->offset)
			fail_msg("%s has another address, %u:\n%s", v->name, v->offset, w->text);
	}
	assert_int_equal(w->accesses->layout.bytes, w->block.shared_bytes);
}

/* Runs a kernel, checks each step, and copies its buffer. */
static void run_watched(struct watched *w, const char *text, double t, uint32_t dynamic, uint8_t *buffer)
{
	struct arena arena = {0};
	uint64_t seed = 1;
	*w = (struct watched){.text = text, .has_relssp = strstr(text, "relssp;")};
	kit_open(&w->kit, text);
	w->kit.launch.block = (struct dim3){THREADS, 1, 1};
	w->kit.launch.first_path = dynamic / 4 % 3; /* any of the three, but the same before and after the passes */
	w->kit.launch.grid = (struct dim3){BLOCKS, 1, 1};
	w->kit.launch.dynamic_shared_bytes = dynamic;
	w->accesses = sharing_accesses(&arena, w->kit.program->kernel, dynamic);
	uint8_t *memory = kit_buffer(&w->kit, BUFFER);
	for (uint32_t i = 0; i < BUFFER; i += 8) {
		uint64_t number = kit_random(&seed);
		memcpy(memory + i, &number, sizeof number);
	}
	for (uint64_t number = 0; number < BLOCKS; number++) {
		simt_block_start(&w->block, &w->kit.launch, number, 0);
		memset(w->released, 0, sizeof w->released);
		memset(w->ended_below, 0, sizeof w->ended_below);
		w->boundary = sharing_own_bytes(t, w->block.shared_bytes);
		check_places(w);
		while (w->block.live)
			for (uint32_t warp = 0; warp < w->block.warps; warp++)
				run_warp(w, &w->block.warp[warp]);
		check_threads(w);
	}
	memcpy(buffer, memory, BUFFER);
	simt_block_free(&w->block);
	kit_close(&w->kit);
	arena_free(&arena);
}

/* --- paths through the code --- */

/* A kernel's code, for walks through it. */
struct code {
	const struct ptx_function *kernel;
	struct arena arena;
	bool *accesses; /* by instruction: the common part */
	bool *ahead;    /* by instruction, and the end: an access can follow */
};

static struct code code_of(const struct ptx_function *kernel, double t, uint32_t dynamic)
{
	struct code code = {.kernel = kernel};
	const struct sharing_accesses *accesses = sharing_accesses(&code.arena, kernel, dynamic);
	uint32_t count = kernel->body_count;
	code.accesses = arena_array(&code.arena, count + 1, sizeof(bool));
	code.ahead = arena_array(&code.arena, count + 1, sizeof(bool));
	for (uint32_t i = 0; i < count; i++)
		code.accesses[i] = sharing_touches_from(accesses, i, sharing_own_bytes(t, accesses->layout.bytes));
	for (bool grown = true; grown;) {
		grown = false;
		for (uint32_t i = count; i-- > 0;) {
			const struct ptx_inst *inst = &kernel->body[i];
			bool leaves = flow_ends_block(inst), goes_on = !leaves || inst->guard != PTX_NO_REG;
			bool ahead = code.accesses[i] || (goes_on && code.ahead[i + 1]) ||
			             (inst->op == PTX_OP_BRA && code.ahead[flow_branch_target(inst)]);
			grown |= ahead && !code.ahead[i];
			code.ahead[i] |= ahead;
		}
	}
	return code;
}

/* One random path, to an end or up to a step limit: relssp executes once, with no access after it. If it is placed
 * optimally, an access was still possible just before it. */
static void walk(const struct code *code, uint64_t *seed, bool is_optimal, const char *text)
{
	uint32_t released = 0, at = 0, before = FLOW_NONE, steps = 0;
	while (at < code->kernel->body_count && steps++ < 2000) {
		const struct ptx_inst *inst = &code->kernel->body[at];
		bool taken = flow_ends_block(inst) && (inst->guard == PTX_NO_REG || kit_random(seed) % 3 == 0);
		if (inst->op == PTX_OP_RELSSP) {
			released++;
			if (inst->guard != PTX_NO_REG || (is_optimal && (before == FLOW_NONE || !code->ahead[before])))
				fail_msg("relssp of line %u can go earlier:\n%s", at, text);
		}
		if (released > 1 || (released && code->accesses[at]))
			fail_msg("relssp %u times, at instruction %u:\n%s", released, at, text);
		before = at;
		if (taken && inst->op != PTX_OP_BRA)
			break;
		at = taken ? flow_branch_target(inst) : at + 1;
	}
	if (steps < 2000 && released != code->ahead[0])
		fail_msg("relssp %u times on a way:\n%s", released, text);
}

static void walk_all(const char *text, double t, uint32_t dynamic, bool is_optimal, uint64_t seed)
{
	struct ptx_module *module = kit_parse(text);
	struct code code = code_of(ptx_find_function(module, "k"), t, dynamic);
	for (int way = 0; way < 60; way++)
		walk(&code, &seed, is_optimal, text);
	arena_free(&code.arena);
	ptx_free(module);
}

/* --- the best order --- */

/* The cost of an order by definition: instructions on a path between two accesses of the common variables, both
 * included, found by a search from each instruction. */
static uint64_t plain_cost(const struct ptx_function *kernel, const struct sharing_accesses *accesses, uint64_t set)
{
	uint32_t count = kernel->body_count;
	bool *up_to = calloc(count + 1, 1), *from = calloc(count + 1, 1), *reached = calloc(count + 1, 1);
	uint64_t cost = 0;
	reached[0] = true;
	for (uint32_t round = 0; round <= count; round++)
		for (uint32_t i = 0; i < count; i++) {
			const struct ptx_inst *inst = &kernel->body[i];
			bool own = accesses->touch[i].variables & set;
			uint32_t next[2] = {inst->op == PTX_OP_BRA ? flow_branch_target(inst) : count,
			                    flow_ends_block(inst) && inst->guard == PTX_NO_REG ? count : i + 1};
			up_to[i] |= own && reached[i];
			from[i] |= own || from[next[0]] || from[next[1]];
			for (int k = 0; k < 2; k++) {
				up_to[next[k]] |= up_to[i];
				reached[next[k]] |= reached[i];
			}
		}
	for (uint32_t i = 0; i < count; i++)
		cost += reached[i] && up_to[i] && from[i];
	free(up_to);
	free(from);
	free(reached);
	return cost;
}

/* The cost of the variables' current order. */
static uint64_t cost_as_it_is(const char *text, double t, uint32_t dynamic)
{
	struct arena arena = {0};
	struct ptx_module *module = kit_parse(text);
	const struct ptx_function *kernel = ptx_find_function(module, "k");
	const struct sharing_accesses *accesses = sharing_accesses(&arena, kernel, dynamic);
	uint64_t boundary = sharing_own_bytes(t, accesses->layout.bytes), set = 0;
	for (uint32_t i = 0; i < accesses->layout.count; i++) {
		const struct sharing_variable *v = &accesses->layout.variable[i];
		if (v->is_dynamic || v->offset + v->size > boundary)
			set |= sharing_bit(i);
	}
	uint64_t cost = plain_cost(kernel, accesses, set);
	arena_free(&arena);
	ptx_free(module);
	return cost;
}

static uint64_t bytes_of(const char *text, uint32_t dynamic)
{
	struct arena arena = {0};
	struct ptx_module *module = kit_parse(text);
	uint64_t bytes = sharing_accesses(&arena, ptx_find_function(module, "k"), dynamic)->layout.bytes;
	arena_free(&arena);
	ptx_free(module);
	return bytes;
}

/* Declares the kernel's own variables in another, random order. */
static char *shuffled(const char *text, uint64_t *seed)
{
	char *copy = strdup(text), *line[VARIABLES], *begin = strstr(copy, "\t.shared"), *end = begin;
	uint32_t lines = 0;
	while (begin && strncmp(end, "\t.shared", 8) == 0) {
		char *next = strchr(end, '\n') + 1;
		line[lines++] = strndup(end, (size_t)(next - end));
		end = next;
	}
	for (char *to = begin; lines; lines--) {
		uint32_t pick = (uint32_t)(kit_random(seed) % lines);
		size_t length = strlen(line[pick]);
		memcpy(to, line[pick], length);
		to += length;
		free(line[pick]);
		line[pick] = line[lines - 1];
	}
	return copy;
}

/* --- the tests --- */

static uint32_t rounds = 60;
static uint8_t before[BUFFER], after[BUFFER];

static void one_variant(const char *text, const char *passes, double t, uint32_t dynamic, bool is_optimal,
                        uint64_t seed)
{
	struct rewritten r = kit_rewrite(text, passes);
	struct watched w;
	assert_true(bytes_of(r.text, dynamic) <= bytes_of(text, dynamic));
	run_watched(&w, r.text, t, dynamic, after);
	if (memcmp(before, after, BUFFER) != 0)
		fail_msg("other results after %s:\n%s\n---\n%s", passes, text, r.text);
	walk_all(r.text, t, dynamic, is_optimal, seed);
	rewritten_free(&r);
}

/* A fraction that is printed and parsed without rounding. */
static double part(struct generator *g, uint32_t hundredths)
{
	char text[16];
	snprintf(text, sizeof text, "0.%02u", hundredths * any(g, 100 / hundredths));
	return strtod(text, NULL);
}

static void releases_once_behind_the_last_access(void **state)
{
	static const char *const places[] = {"optimal", "postdom", "exit"};
	(void)state;
	for (uint64_t seed = 1; seed <= rounds; seed++) {
		struct generator g;
		struct watched w;
		char *text = random_kernel(seed, true, true, &g), relssp[128], both[256];
		double t = part(&g, 5);
		run_watched(&w, text, 1, g.dynamic, before);
		for (int place = 0; place < 3; place++) {
			snprintf(relssp, sizeof relssp, "relssp:t=%g,dynamic=%u,place=%s", t, g.dynamic, places[place]);
			one_variant(text, relssp, t, g.dynamic, place == 0, seed);
			snprintf(both, sizeof both, "scratchpad-layout:t=%g,dynamic=%u,loops=4,%s", t, g.dynamic,
			         relssp);
			one_variant(text, both, t, g.dynamic, place == 0, seed);
		}
		free(text);
	}
}

/* Loops with several entries and without an end, traps, unreachable code. */
static void any_way_through_any_code(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 4 * rounds; seed++) {
		struct generator g;
		char *text = random_kernel(seed, true, false, &g), passes[128];
		double t = part(&g, 5);
		static const char *const places[] = {"optimal", "postdom", "exit"};
		for (int place = 0; place < 3; place++) {
			snprintf(passes, sizeof passes, "relssp:t=%g,dynamic=%u,place=%s", t, g.dynamic, places[place]);
			struct rewritten r = kit_rewrite(text, passes);
			walk_all(r.text, t, g.dynamic, place == 0, seed);
			rewritten_free(&r);
		}
		free(text);
	}
}

/* If the size of dynamic memory is not given, all of it is common and the boundary is lower: correct for any size. */
static void dynamic_memory_need_not_be_told(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= rounds; seed++) {
		struct generator g;
		struct watched w;
		char *text = random_kernel(seed, true, true, &g), passes[128];
		double t = part(&g, 5);
		run_watched(&w, text, 1, g.dynamic, before);
		snprintf(passes, sizeof passes, "relssp:t=%g", t);
		struct rewritten r = kit_rewrite(text, passes);
		run_watched(&w, r.text, t, g.dynamic, after);
		assert_memory_equal(before, after, BUFFER);
		rewritten_free(&r);
		free(text);
	}
}

/* No other order of the kernel's own variables with at most the same bytes has a shorter range. If nothing is
 * gained, nothing changes. */
static void no_order_is_better(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 2 * rounds; seed++) {
		struct generator g;
		char *text = random_kernel(seed, false, true, &g), passes[128];
		double t = part(&g, 10);
		snprintf(passes, sizeof passes, "scratchpad-layout:t=%g,dynamic=%u", t, g.dynamic);
		struct rewritten r = kit_rewrite(text, passes);
		uint64_t is = cost_as_it_is(r.text, t, g.dynamic), was = cost_as_it_is(text, t, g.dynamic);
		bool left = kit_counter(&r, "left");
		if (!left && (kit_counter(&r, "before") != was || kit_counter(&r, "after") != is))
			fail_msg("%u instructions, then %u:\n%s", (unsigned)was, (unsigned)is, r.text);
		assert_true(kit_counter(&r, "changed") ? is < was : is == was);
		assert_true(bytes_of(r.text, g.dynamic) <= bytes_of(text, g.dynamic));
		for (int order = 0; order < 20 && !left; order++) {
			char *other = shuffled(text, &g.seed);
			if (cost_as_it_is(other, t, g.dynamic) < is &&
			    bytes_of(other, g.dynamic) <= bytes_of(text, g.dynamic))
				fail_msg("t=%g, dynamic %u: better is\n%s\n---\n%s", t, g.dynamic, other, r.text);
			free(other);
		}
		rewritten_free(&r);
		free(text);
	}
}

/* `test_sharing_passes_random ROUNDS` runs more cases. */
int main(int count, char **arguments)
{
	if (count > 1)
		rounds = (uint32_t)strtoul(arguments[1], NULL, 10);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(releases_once_behind_the_last_access),
		cmocka_unit_test(any_way_through_any_code),
		cmocka_unit_test(dynamic_memory_need_not_be_told),
		cmocka_unit_test(no_order_is_better),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
