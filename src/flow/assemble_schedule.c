/* assemble_schedule: list scheduling, the order in which an assembler that hides latencies issues the instructions
 * of a block. Among instructions whose operands are ready, the one with the longest path to the block's end comes
 * first. If it would exceed the register limit, an instruction that frees registers comes first, and else the first
 * in the text. */
#include "flow/assemble.h"

#include "flow/sets.h"

#include <string.h>

/* Cycles from an instruction to the first use of its result. */
enum { ALU_CYCLES = 5, SPECIAL_CYCLES = 20, NEAR_CYCLES = 25, FAR_CYCLES = 300 };
/* MEMORY_WINDOW: how many earlier memory instructions are checked for ordering. ISSUE_WINDOW: how many candidates
 * are considered for the next issue. */
enum { MEMORY_WINDOW = 256, ISSUE_WINDOW = 64 };

/* An instruction that must follow another. */
struct successor {
	uint32_t inst, cycles;
	struct successor *next;
};

/* An instruction that reads a register. */
struct reader {
	uint32_t inst;
	struct reader *next;
};

/* The uses of a register in a block so far. */
struct register_use {
	uint32_t block;         /* number of that block + 1 */
	uint32_t writer;        /* index of its last writer + 1 */
	struct reader *readers; /* since the last write */
};

/* An instruction of the block. */
struct node {
	struct successor *successors;
	uint32_t waits_for; /* number of predecessors not yet issued */
	uint32_t ready;     /* cycle at which it can issue */
	uint32_t height;    /* cycles to the block's end */
};

struct schedule {
	struct ptx_function *function;
	uint32_t limit;
	struct register_use *use; /* by register */
	uint32_t *reads_left;     /* by register, in the block */
	uint64_t *live;           /* by register */
	uint32_t pressure;        /* number of live 32-bit registers */

	/* The current block. */
	uint32_t block;
	struct arena arena;
	const struct ptx_inst *inst;
	uint32_t count;
	const uint64_t *live_out;
	struct node *node;
	uint32_t *waiting; /* instructions that wait for no other, sorted by height */
	uint32_t waitings;
};

static uint32_t cycles_of(const struct ptx_inst *inst)
{
	bool is_special = inst->op == PTX_OP_MOV && inst->operand[1].kind == PTX_OPERAND_SREG;
	bool is_product = inst->op == PTX_OP_MMA || inst->op == PTX_OP_WMMA;
	if (is_special || is_product || ptx_op_unit(inst->op) == PTX_UNIT_SFU)
		return SPECIAL_CYCLES;
	if (inst->op == PTX_OP_SHFL)
		return NEAR_CYCLES;
	if (ptx_op_unit(inst->op) != PTX_UNIT_MEM)
		return ALU_CYCLES;
	bool is_near = inst->space == PTX_SHARED || inst->space == PTX_PARAM || inst->space == PTX_CONST;
	return is_near ? NEAR_CYCLES : FAR_CYCLES;
}

static void add_edge(struct schedule *schedule, uint32_t from, uint32_t to, uint32_t cycles)
{
	struct successor *successor = arena_alloc(&schedule->arena, sizeof *successor);
	*successor = (struct successor){to, cycles, schedule->node[from].successors};
	schedule->node[from].successors = successor;
	schedule->node[to].waits_for++;
}

static struct register_use *use_of(struct schedule *schedule, uint32_t reg)
{
	struct register_use *use = &schedule->use[reg];
	if (use->block != schedule->block + 1)
		*use = (struct register_use){.block = schedule->block + 1};
	return use;
}

static void read_register(struct schedule *schedule, uint32_t reg, uint32_t inst)
{
	struct register_use *use = use_of(schedule, reg);
	struct reader *reader = arena_alloc(&schedule->arena, sizeof *reader);
	if (use->writer && use->writer != inst + 1) /* under a guard, which writes it twice */
		add_edge(schedule, use->writer - 1, inst, cycles_of(&schedule->inst[use->writer - 1]));
	*reader = (struct reader){inst, use->readers};
	use->readers = reader;
}

static void write_register(struct schedule *schedule, uint32_t reg, uint32_t inst)
{
	struct register_use *use = use_of(schedule, reg);
	if (use->writer && use->writer != inst + 1)
		add_edge(schedule, use->writer - 1, inst, 1);
	for (const struct reader *reader = use->readers; reader; reader = reader->next)
		if (reader->inst != inst)
			add_edge(schedule, reader->inst, inst, 0);
	use->writer = inst + 1;
	use->readers = NULL;
}

/* Orders each write before its reads, and each read before the next write. A write under a guard also reads the old
 * value. */
static void order_registers(struct schedule *schedule)
{
	uint32_t ids[PTX_MAX_IDS];
	for (uint32_t i = 0; i < schedule->count; i++) {
		const struct ptx_inst *inst = &schedule->inst[i];
		for (uint32_t k = ptx_inst_reads(inst, ids); k-- > 0;)
			read_register(schedule, ids[k], i);
		for (uint32_t k = ptx_inst_writes(inst, ids); k-- > 0;) {
			if (inst->guard != PTX_NO_REG)
				read_register(schedule, ids[k], i);
			write_register(schedule, ids[k], i);
		}
	}
}

static bool is_memory(const struct ptx_inst *inst)
{
	return ptx_op_latency(inst->op) == PTX_LATENCY_MEMORY;
}

/* Memory accesses are not moved across it. */
static bool is_fence(const struct ptx_inst *inst)
{
	enum ptx_latency latency = ptx_op_latency(inst->op);
	return latency == PTX_LATENCY_BARRIER || latency == PTX_LATENCY_BRANCH;
}

static bool only_reads(const struct ptx_inst *inst)
{
	return ptx_reads_texture(inst) || inst->op == PTX_OP_LDU ||
	       (inst->op == PTX_OP_LD && (inst->order == PTX_ORDER_NONE || inst->order == PTX_WEAK));
}

static const struct ptx_operand *address_of(const struct ptx_inst *inst)
{
	for (uint32_t i = 0; i < inst->operands; i++)
		if (inst->operand[i].kind == PTX_OPERAND_ADDRESS)
			return &inst->operand[i];
	return NULL;
}

static int64_t end_of(const struct ptx_inst *inst, const struct ptx_operand *address)
{
	return address->offset + (int64_t)ptx_type_bytes(inst->type) * (inst->vector ? inst->vector : 1);
}

/* Returns true when two accesses may alias and must stay in order. */
static bool may_meet(const struct ptx_inst *a, const struct ptx_inst *b)
{
	if ((only_reads(a) && only_reads(b)) || a->nc || b->nc || ptx_reads_texture(a) || ptx_reads_texture(b))
		return false;
	if (a->space != b->space && a->space != PTX_GENERIC && b->space != PTX_GENERIC)
		return false;
	const struct ptx_operand *x = address_of(a), *y = address_of(b);
	if (!x || !y || x->reg != y->reg || x->symbol != y->symbol)
		return true;
	return x->offset < end_of(b, y) && y->offset < end_of(a, x);
}

static void order_memory(struct schedule *schedule)
{
	uint32_t *access = arena_array(&schedule->arena, schedule->count, sizeof *access), accesses = 0, fence = 0;
	for (uint32_t i = 0; i < schedule->count; i++) {
		const struct ptx_inst *inst = &schedule->inst[i];
		if (!is_fence(inst) && !is_memory(inst))
			continue;
		if (fence)
			add_edge(schedule, fence - 1, i, 1);
		uint32_t from = is_fence(inst) || accesses < MEMORY_WINDOW ? 0 : accesses - MEMORY_WINDOW;
		for (uint32_t k = from; k < accesses; k++)
			if (is_fence(inst) || may_meet(&schedule->inst[access[k]], inst))
				add_edge(schedule, access[k], i, 1);
		if (is_fence(inst)) {
			accesses = 0;
			fence = i + 1;
		} else {
			access[accesses++] = i;
		}
	}
}

/* A block's branch stays at its end. */
static void order_branch(struct schedule *schedule)
{
	uint32_t last = schedule->count - 1;
	if (ptx_op_latency(schedule->inst[last].op) != PTX_LATENCY_BRANCH)
		return;
	for (uint32_t i = 0; i < last; i++)
		add_edge(schedule, i, last, 0);
}

static void find_heights(struct schedule *schedule)
{
	for (uint32_t i = schedule->count; i-- > 0;) {
		struct node *node = &schedule->node[i];
		node->height = cycles_of(&schedule->inst[i]);
		for (const struct successor *next = node->successors; next; next = next->next)
			if (node->height < next->cycles + schedule->node[next->inst].height)
				node->height = next->cycles + schedule->node[next->inst].height;
	}
}

static uint32_t width_of(const struct schedule *schedule, uint32_t reg)
{
	enum ptx_type type = schedule->function->regs[reg].type;
	return type == PTX_PRED ? 0 : flow_register_width(type);
}

/* Updates the live set for an instruction's reads and writes. */
static void make_live(struct schedule *schedule, const struct ptx_inst *inst)
{
	uint32_t ids[PTX_MAX_IDS];
	for (uint32_t k = ptx_inst_reads(inst, ids); k-- > 0;) {
		if (--schedule->reads_left[ids[k]] || set_has(schedule->live_out, ids[k]) ||
		    !set_has(schedule->live, ids[k]))
			continue;
		set_remove(schedule->live, ids[k]);
		schedule->pressure -= width_of(schedule, ids[k]);
	}
	for (uint32_t k = ptx_inst_writes(inst, ids); k-- > 0;)
		if (set_add(schedule->live, ids[k]))
			schedule->pressure += width_of(schedule, ids[k]);
}

/* Returns true when an instruction makes more registers live than the limit allows. */
static bool is_too_much(const struct schedule *schedule, const struct ptx_inst *inst)
{
	uint32_t ids[PTX_MAX_IDS], more = 0, fewer = 0, count = ptx_inst_writes(inst, ids);
	for (uint32_t k = 0; k < count; k++)
		more += set_has(schedule->live, ids[k]) ? 0 : width_of(schedule, ids[k]);
	count = ptx_inst_reads(inst, ids);
	for (uint32_t k = 0; k < count; k++)
		if (schedule->reads_left[ids[k]] == 1 && !set_has(schedule->live_out, ids[k]))
			fewer += width_of(schedule, ids[k]);
	return more > fewer && schedule->pressure + more - fewer > schedule->limit;
}

/* Returns the position of an instruction in the waiting list, or its insertion position. */
static uint32_t place_of(const struct schedule *schedule, uint32_t inst)
{
	uint32_t low = 0, high = schedule->waitings;
	while (low < high) {
		uint32_t middle = (low + high) / 2, other = schedule->waiting[middle];
		uint32_t height = schedule->node[inst].height, others = schedule->node[other].height;
		if (others > height || (others == height && other < inst))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void add_waiting(struct schedule *schedule, uint32_t inst)
{
	uint32_t place = place_of(schedule, inst);
	memmove(schedule->waiting + place + 1, schedule->waiting + place,
	        (schedule->waitings - place) * sizeof *schedule->waiting);
	schedule->waiting[place] = inst;
	schedule->waitings++;
}

static void take_waiting(struct schedule *schedule, uint32_t place)
{
	schedule->waitings--;
	memmove(schedule->waiting + place, schedule->waiting + place + 1,
	        (schedule->waitings - place) * sizeof *schedule->waiting);
}

/* Returns the position of the next instruction to issue, and advances *cycle until it is ready. `oldest` is the
 * first instruction in the text that has not issued. */
static uint32_t choose(struct schedule *schedule, uint32_t oldest, uint32_t *cycle)
{
	uint32_t window = schedule->waitings < ISSUE_WINDOW ? schedule->waitings : ISSUE_WINDOW;
	for (;;) {
		uint32_t soonest = UINT32_MAX;
		for (uint32_t place = 0; place < window; place++) {
			uint32_t inst = schedule->waiting[place], ready = schedule->node[inst].ready;
			if (ready > *cycle)
				soonest = ready < soonest ? ready : soonest;
			else if (!is_too_much(schedule, &schedule->inst[inst]))
				return place;
		}
		if (soonest == UINT32_MAX)
			return place_of(schedule, oldest);
		*cycle = soonest;
	}
}

static void issue_all(struct schedule *schedule, uint32_t *order)
{
	bool *is_issued = arena_array(&schedule->arena, schedule->count, sizeof *is_issued);
	uint32_t oldest = 0, cycle = 0;
	for (uint32_t i = 0; i < schedule->count; i++)
		if (!schedule->node[i].waits_for)
			add_waiting(schedule, i);
	for (uint32_t issued = 0; issued < schedule->count; issued++, cycle++) {
		while (is_issued[oldest])
			oldest++;
		uint32_t place = choose(schedule, oldest, &cycle), inst = schedule->waiting[place];
		take_waiting(schedule, place);
		is_issued[inst] = true;
		order[issued] = inst;
		make_live(schedule, &schedule->inst[inst]);
		for (const struct successor *next = schedule->node[inst].successors; next; next = next->next) {
			struct node *node = &schedule->node[next->inst];
			if (node->ready < cycle + next->cycles)
				node->ready = cycle + next->cycles;
			if (--node->waits_for == 0)
				add_waiting(schedule, next->inst);
		}
	}
}

static void order_block(struct schedule *schedule, struct ptx_inst *body)
{
	uint32_t ids[PTX_MAX_IDS];
	struct ptx_inst *old = arena_array(&schedule->arena, schedule->count, sizeof *old);
	memcpy(old, body, schedule->count * sizeof *old);
	schedule->inst = old;
	schedule->node = arena_array(&schedule->arena, schedule->count, sizeof *schedule->node);
	schedule->waiting = arena_array(&schedule->arena, schedule->count, sizeof *schedule->waiting);
	order_registers(schedule);
	order_memory(schedule);
	order_branch(schedule);
	find_heights(schedule);
	for (uint32_t i = 0; i < schedule->count; i++)
		for (uint32_t k = ptx_inst_reads(&old[i], ids); k-- > 0;)
			schedule->reads_left[ids[k]]++;

	uint32_t *order = arena_array(&schedule->arena, schedule->count, sizeof *order);
	issue_all(schedule, order);
	for (uint32_t i = 0; i < schedule->count; i++)
		body[i] = old[order[i]];
}

void assemble_schedule(struct arena *arena, struct ptx_function *function, uint32_t limit)
{
	const struct flow_cfg *cfg = flow_cfg_build(arena, function);
	const struct flow_liveness *liveness = flow_liveness(arena, cfg);
	struct schedule schedule = {.function = function, .limit = limit};
	uint32_t words = liveness->words;
	schedule.reads_left = arena_array(arena, function->reg_count, sizeof *schedule.reads_left);
	schedule.use = arena_array(arena, function->reg_count, sizeof *schedule.use);
	schedule.live = arena_array(arena, words, sizeof *schedule.live);
	for (uint32_t number = 0; number < cfg->blocks; number++) {
		const struct flow_block *block = &cfg->block[number];
		if (!block->reachable || block->count < 2)
			continue;
		if (words)
			memcpy(schedule.live, liveness->in + (size_t)number * words, words * sizeof *schedule.live);
		schedule.live_out = liveness->out + (size_t)number * words;
		schedule.block = number;
		schedule.count = block->count;
		schedule.pressure = 0;
		for (uint32_t reg = 0; (reg = set_next(schedule.live, words, reg)) != UINT32_MAX; reg++)
			schedule.pressure += width_of(&schedule, reg);
		order_block(&schedule, &function->body[block->first]);
		arena_free(&schedule.arena);
		schedule.waitings = 0;
	}
}
