#include "mech/sharing/layout.h"

#include "mech/sharing/passes.h"

/* Alignment of dynamic memory. */
enum { DYNAMIC_ALIGN = 16 };

static uint64_t align_up(uint64_t offset, uint64_t align)
{
	return align > 1 ? (offset + align - 1) / align * align : offset;
}

static bool is_dynamic(const struct ptx_variable *variable)
{
	return variable->size == 0;
}

uint32_t sharing_number(const struct sharing_layout *layout, const struct ptx_variable *variable)
{
	for (uint32_t i = 0; i < layout->count; i++)
		if (layout->variable[i].variable == variable ||
		    (layout->variable[i].is_dynamic && variable->space == PTX_SHARED && is_dynamic(variable)))
			return i;
	return FLOW_NONE;
}

void sharing_place(struct sharing_layout *layout)
{
	uint64_t at = 0;
	for (uint32_t i = 0; i < layout->count; i++) {
		struct sharing_variable *variable = &layout->variable[i];
		at = align_up(at, variable->is_dynamic ? DYNAMIC_ALIGN : variable->variable->align);
		variable->offset = at;
		if (!variable->is_dynamic)
			at += variable->size;
	}
	layout->bytes = at + layout->dynamic;
}

/* --- the set of variables --- */

static void add_variable(struct sharing_layout *layout, const struct ptx_variable *variable)
{
	if (sharing_number(layout, variable) != FLOW_NONE)
		return;
	bool dynamic = is_dynamic(variable);
	layout->variable[layout->count++] =
		(struct sharing_variable){variable, 0, dynamic ? layout->dynamic : variable->size, dynamic};
}

/* A function's own variables exist because it declares them. */
static void add_own(struct sharing_layout *layout, const struct ptx_function *function)
{
	for (const struct ptx_variable *variable = function->locals; variable; variable = variable->next)
		if (variable->space == PTX_SHARED && !is_dynamic(variable))
			add_variable(layout, variable);
}

/* The module's variables, and dynamic memory, exist if an instruction names them. */
static void add_named(struct sharing_layout *layout, const struct ptx_operand *operand, uint32_t count, bool dynamic)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct ptx_variable *symbol = operand[i].symbol;
		if (symbol && symbol->space == PTX_SHARED && is_dynamic(symbol) == dynamic)
			add_variable(layout, symbol);
	}
}

static uint32_t most_variables(const struct flow_dependences *on)
{
	uint32_t count = 1;
	for (const struct ptx_variable *v = on->part[0].function->module->variables; v; v = v->next)
		count += v->space == PTX_SHARED;
	for (uint32_t p = 0; p < on->parts; p++)
		for (const struct ptx_variable *v = on->part[p].function->locals; v; v = v->next)
			count += v->space == PTX_SHARED;
	return count;
}

struct sharing_layout sharing_layout_of(struct arena *arena, const struct flow_dependences *on, uint64_t dynamic)
{
	struct sharing_layout layout = {.dynamic = dynamic};
	layout.variable = arena_array(arena, most_variables(on), sizeof *layout.variable);
	for (uint32_t p = 0; p < on->parts; p++)
		add_own(&layout, on->part[p].function);
	for (int named = 0; named < 2; named++)
		for (uint32_t i = 0; i < on->count; i++)
			add_named(&layout, on->inst[i]->operand, on->inst[i]->operands, named == 1);
	sharing_place(&layout);
	return layout;
}
