#include "mech/sharing/accesses.h"

#include "mech/sharing/addresses.h"
#include "ptx/access.h"

#define TO_ITS_END UINT64_MAX

struct search {
	struct sharing_accesses *found;
	const struct sharing_addresses *addresses;
};

/* --- addresses in memory --- */

/* Returns the value that an instruction passes to memory, or to a function that does not name it; NULL when there is
 * none. */
static const struct ptx_operand *handed_out(const struct sharing_addresses *addresses, const struct ptx_inst *inst)
{
	switch (inst->op) {
	case PTX_OP_ST:
		return inst->space != PTX_PARAM || addresses->loose ? &inst->operand[1] : NULL;
	case PTX_OP_ATOM:
	case PTX_OP_RED:
	case PTX_OP_SUST:
	case PTX_OP_SURED:
	case PTX_OP_STMATRIX:
		return &inst->operand[inst->destinations + 1];
	case PTX_OP_CALL:
		return &inst->operand[2];
	default:
		return NULL;
	}
}

static uint64_t in_initial_values(const struct sharing_layout *layout, const struct ptx_variable *variable)
{
	uint64_t set = 0;
	for (; variable; variable = variable->next)
		for (uint32_t i = 0; i < variable->relocation_count; i++) {
			const struct ptx_variable *symbol = variable->relocations[i].symbol;
			uint32_t number = symbol ? sharing_number(layout, symbol) : FLOW_NONE;
			set |= number == FLOW_NONE ? 0 : sharing_bit(number);
		}
	return set;
}

/* The last operand of a compare-and-swap is stored too. */
static uint64_t exposed_by(const struct search *search, uint32_t at)
{
	const struct ptx_inst *inst = search->found->on->inst[at];
	const struct ptx_operand *operand = handed_out(search->addresses, inst);
	uint64_t set = 0;
	for (; operand && operand < inst->operand + inst->operands; operand++)
		set |= sharing_operand(search->addresses, at, operand).variables;
	return set;
}

static void find_exposed(struct search *search)
{
	struct sharing_accesses *found = search->found;
	const struct ptx_module *module = found->on->part[0].function->module;
	found->exposed = in_initial_values(&found->layout, module->variables);
	for (uint32_t p = 0; p < found->on->parts; p++)
		found->exposed |= in_initial_values(&found->layout, found->on->part[p].function->locals);
	for (uint32_t i = 0; i < found->on->count; i++)
		found->exposed |= exposed_by(search, i);
}

/* --- accesses of an instruction --- */

static struct sharing_touch everything(struct search *search)
{
	search->found->by_place = true;
	return (struct sharing_touch){SHARING_EVERYTHING, TO_ITS_END};
}

/* An untraced address is one of the addresses in memory, if there are any. */
static uint64_t touched_strangely(struct search *search, enum ptx_space space)
{
	uint64_t set = search->found->exposed;
	if (!set && space == PTX_SHARED)
		set = everything(search).variables;
	search->found->unfollowed += set != 0;
	return set;
}

static bool is_outside(const struct search *search, uint64_t variables, int64_t low, int64_t end)
{
	const struct sharing_layout *layout = &search->found->layout;
	bool outside = low < 0;
	for (uint32_t i = 0; i < layout->count; i++)
		if (variables & sharing_bit(i) && layout->variable[i].size)
			outside |= end > (int64_t)layout->variable[i].size;
	return outside;
}

static struct sharing_touch touch_by(struct search *search, uint32_t at, const struct ptx_access *access)
{
	struct sharing_address address = sharing_operand(search->addresses, at, access->address);
	bool is_followed = address.is_known && !address.is_strange;
	struct sharing_touch touch = {address.variables, TO_ITS_END};
	if (is_followed && !address.variables)
		return access->space == PTX_SHARED ? everything(search) : touch;
	if (!is_followed)
		touch.variables |= touched_strangely(search, access->space);
	else if (sharing_is_bounded(&address) && access->bytes) {
		bool outside = is_outside(search, address.variables, address.low, address.high + access->bytes);
		if (outside && address.low == address.high)
			return everything(search);
		touch.end = outside ? TO_ITS_END : (uint64_t)address.high + access->bytes;
	}
	return touch;
}

static bool add_touch(struct sharing_touch *touch, struct sharing_touch more)
{
	struct sharing_touch both = {touch->variables | more.variables, touch->end > more.end ? touch->end : more.end};
	bool is_more = both.variables != touch->variables || both.end != touch->end;
	*touch = both;
	return is_more;
}

/* All addresses of the instruction that are, or may be, in shared memory, whatever the operation. */
static struct sharing_touch touch_of(struct search *search, uint32_t at)
{
	struct ptx_access access[PTX_MAX_ACCESSES];
	uint32_t count = ptx_inst_accesses(search->found->on->inst[at], access);
	struct sharing_touch touch = {0};
	for (uint32_t i = 0; i < count; i++)
		if (access[i].how && ptx_space_may_be_shared(access[i].space))
			add_touch(&touch, touch_by(search, at, &access[i]));
	return touch;
}

/* --- calls --- */

static struct sharing_touch touched_in(const struct sharing_accesses *found, uint32_t p)
{
	const struct flow_part *part = &found->on->part[p];
	struct sharing_touch touch = {0};
	for (uint32_t i = 0; i < part->function->body_count; i++)
		add_touch(&touch, found->touch[part->first_inst + i]);
	return touch;
}

static bool take_function(struct sharing_accesses *found, uint32_t p)
{
	const struct sharing_touch touch = touched_in(found, p);
	bool more = false;
	for (uint32_t i = 0; i < found->on->count; i++)
		if (found->on->inst[i]->op == PTX_OP_CALL &&
		    found->on->inst[i]->operand[1].function == found->on->part[p].function)
			more |= add_touch(&found->touch[i], touch);
	return more;
}

static void find_calls(struct search *search)
{
	struct sharing_accesses *found = search->found;
	for (uint32_t i = 0; i < found->on->count; i++) {
		if (found->on->inst[i]->op != PTX_OP_CALL)
			continue;
		const struct ptx_function *called = found->on->inst[i]->operand[1].function;
		if (!called)
			found->touch[i] = everything(search);
		else if (!called->has_body)
			found->touch[i] = (struct sharing_touch){found->exposed, TO_ITS_END};
	}
	for (bool more = true; more;) {
		more = false;
		for (uint32_t p = 1; p < found->on->parts; p++)
			more |= take_function(found, p);
	}
}

struct sharing_accesses *sharing_accesses(struct arena *arena, const struct ptx_function *kernel, uint64_t dynamic)
{
	struct sharing_accesses *found = arena_alloc(arena, sizeof *found);
	found->on = flow_dependences(arena, kernel);
	found->layout = sharing_layout_of(arena, found->on, dynamic);
	found->touch = arena_array(arena, found->on->count + 1, sizeof *found->touch);
	struct search search = {.found = found, .addresses = sharing_find_addresses(arena, found->on, &found->layout)};
	find_exposed(&search);
	for (uint32_t i = 0; i < found->on->count; i++)
		found->touch[i] = touch_of(&search, i);
	find_calls(&search);
	return found;
}

bool sharing_touches_from(const struct sharing_accesses *accesses, uint32_t inst, uint64_t boundary)
{
	const struct sharing_touch *touch = &accesses->touch[inst];
	if (touch->variables == SHARING_EVERYTHING)
		return true;
	for (uint32_t i = 0; i < accesses->layout.count; i++) {
		const struct sharing_variable *variable = &accesses->layout.variable[i];
		if (!(touch->variables & sharing_bit(i)))
			continue;
		if (variable->is_dynamic && touch->end == TO_ITS_END)
			return true;
		uint64_t end = touch->end < variable->size || variable->is_dynamic ? touch->end : variable->size;
		if (variable->offset + end > boundary)
			return true;
	}
	return false;
}
