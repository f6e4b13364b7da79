/* affine: the global loads of a kernel and their statuses. */
#include "flow/affine.h"

#include "flow/sets.h"
#include "flow/symbolic.h"

#include <stdio.h>
#include <string.h>

const char *affine_status_name(enum affine_status status)
{
	static const char *const names[AFFINE_STATUSES] = {"static",   "quasi-static", "induction",
	                                                   "indirect", "control",      "operator"};
	return names[status];
}

const char *affine_short_name(const struct ptx_function *function, const char *name)
{
	size_t length = strlen(function->name);
	return strncmp(name, function->name, length) == 0 && name[length] == '_' ? name + length + 1 : name;
}

const char *affine_array_name(const struct affine_kernel *kernel, const struct affine_load *load)
{
	return load->array ? affine_short_name(kernel->function, load->array->name) : "?";
}

/* The components of an index. */
struct make {
	bool op, varying_op, load, load_in_loop, control, counter, phi, unbounded, thread;
	bool parameter, loop_at_launch; /* loop_at_launch: a counter whose bounds contain a parameter */
};

static bool is_launch_constant(const struct sym *sym, const struct sym_poly *poly)
{
	for (uint32_t i = 0; i < poly->count; i++)
		for (uint32_t k = 0; k < poly->term[i].factors; k++) {
			const struct sym_atom *atom = &sym->atom[poly->term[i].factor[k]];
			bool extent =
				atom->kind == SYM_SREG && ((atom->sreg >= PTX_NTID_X && atom->sreg <= PTX_NTID_Z) ||
			                                   (atom->sreg >= PTX_NCTAID_X && atom->sreg <= PTX_NCTAID_Z));
			bool made = atom->kind == SYM_OP && atom->operands;
			for (uint32_t o = 0; o < atom->operands && made; o++)
				made = is_launch_constant(sym, atom->operand[o].poly);
			if (!extent && !made && atom->kind != SYM_PARAM)
				return false;
		}
	return true;
}

static void look_at(const struct affine_state *state, const struct sym_poly *poly, struct make *make);

/* Returns true when a launch, or with `in_code` the compiler, can evaluate a polynomial except for one counter. */
static bool is_known_but(const struct affine_state *state, const struct sym_poly *poly, uint32_t counter, bool in_code)
{
	for (uint32_t i = 0; i < poly->count; i++)
		for (uint32_t k = 0; k < poly->term[i].factors; k++) {
			struct make make = {0};
			if (poly->term[i].factor[k] == counter)
				continue;
			look_at(state, sym_atom_poly(state->sym.arena, poly->term[i].factor[k]), &make);
			if (make.varying_op || make.load || make.control || make.phi || make.unbounded ||
			    (in_code && (make.parameter || make.op || make.loop_at_launch)))
				return false;
		}
	return true;
}

/* Returns true when the loop makes a test in every iteration that bounds the counter, with values that a launch or
 * the compiler knows. */
static bool is_bounded(const struct affine_state *state, uint32_t loop, uint32_t counter, bool in_code)
{
	bool bounded = false;
	if (state->bounding[loop]) /* two loops that bound each other */
		return false;
	state->bounding[loop] = true;
	for (const struct sym_stay *stay = state->stays[loop]; stay && !bounded; stay = stay->next) {
		const struct sym_poly *left = stay->condition->left.poly, *right = stay->condition->right.poly;
		bounded = stay->condition->cmp != PTX_EQ &&
		          (sym_mentions(left, counter) || sym_mentions(right, counter)) &&
		          is_known_but(state, left, counter, in_code) && is_known_but(state, right, counter, in_code);
	}
	state->bounding[loop] = false;
	return bounded;
}

static void look_at_atom(const struct affine_state *state, uint32_t number, struct make *make)
{
	const struct sym_atom *atom = &state->sym.atom[number];
	enum sym_kind kind = atom->kind == SYM_PHI ? atom->cause : atom->kind;
	switch (kind) {
	case SYM_SREG:
		make->thread |= (atom->sreg >= PTX_TID_X && atom->sreg <= PTX_TID_Z) ||
		                (atom->sreg >= PTX_CTAID_X && atom->sreg <= PTX_CTAID_Z);
		break;
	case SYM_COUNTER:
		make->counter = true;
		make->unbounded |= !is_bounded(state, atom->key2, number, false);
		make->loop_at_launch |= !is_bounded(state, atom->key2, number, true);
		break;
	case SYM_PARAM:
		make->parameter = true;
		break;
	case SYM_PHI:
		make->phi = true;
		break;
	case SYM_LOAD:
		make->load = true;
		make->load_in_loop |= atom->kind == SYM_PHI;
		break;
	case SYM_CONTROL:
		make->control = true;
		break;
	case SYM_OP:
		make->op = true;
		make->varying_op |= !is_launch_constant(&state->sym, sym_atom_poly(state->sym.arena, number));
		break;
	default:
		break;
	}
}

static void look_at(const struct affine_state *state, const struct sym_poly *poly, struct make *make)
{
	const struct sym *sym = &state->sym;
	for (uint32_t i = 0; i < poly->count; i++)
		for (uint32_t k = 0; k < poly->term[i].factors; k++)
			look_at_atom(state, poly->term[i].factor[k], make);
	/* A value loaded inside the loop whose counter the index has is itself an array index (a[b[i]]). A value
	 * loaded before the loop is the start of the induction variable: edges[i] is an induction. */
	for (uint32_t i = 0; i < sym->loops && make->load; i++)
		for (uint32_t t = 0; t < poly->count; t++)
			for (uint32_t k = 0; k < poly->term[t].factors; k++) {
				const struct sym_atom *atom = &sym->atom[poly->term[t].factor[k]];
				if (atom->kind == SYM_LOAD && set_has(sym->loop[i].body, atom->block))
					for (uint32_t c = 0; c < sym->atoms; c++)
						make->load_in_loop |= sym->atom[c].kind == SYM_COUNTER &&
						                      sym->atom[c].key2 == i && sym_mentions(poly, c);
			}
}

/* Operators take precedence over terms. */
static enum affine_status strict_status(const struct make *make)
{
	if (make->op)
		return AFFINE_OPERATOR;
	if (make->load && (make->load_in_loop || !make->counter))
		return AFFINE_INDIRECT;
	if (make->control)
		return AFFINE_CONTROL;
	if (make->counter || make->phi)
		return AFFINE_INDUCTION;
	return make->thread ? AFFINE_QUASI_STATIC : AFFINE_STATIC;
}

/* Loops with known bounds are accepted. Operations only on launch constants count as launch constants. */
static enum affine_status relaxed_status(const struct make *make)
{
	if (make->varying_op)
		return AFFINE_OPERATOR;
	if (make->load && (make->load_in_loop || !make->counter))
		return AFFINE_INDIRECT;
	if (make->control)
		return AFFINE_CONTROL;
	if (make->phi || make->unbounded || make->load) /* counts up from a loaded value */
		return AFFINE_INDUCTION;
	return make->thread || make->counter ? AFFINE_QUASI_STATIC : AFFINE_STATIC;
}

/* Returns the atom that is the base address of the index, or FLOW_NONE. It is a variable, else the only parameter
 * known to be a pointer, else the only parameter that can be one. */
static uint32_t find_base(const struct sym *sym, const struct sym_poly *poly)
{
	uint32_t symbol = FLOW_NONE, pointer = FLOW_NONE, wide = FLOW_NONE, symbols = 0, pointers = 0, wides = 0;
	for (uint32_t i = 0; i < poly->count; i++) {
		const struct sym_term *term = &poly->term[i];
		if (term->factors != 1 || term->coef != 1)
			continue;
		const struct sym_atom *atom = &sym->atom[term->factor[0]];
		if (atom->kind == SYM_SYMBOL) {
			symbol = term->factor[0];
			symbols++;
		} else if (atom->kind == SYM_PARAM && atom->bytes == 8) {
			wide = term->factor[0];
			wides++;
			if (atom->is_pointer) {
				pointer = wide;
				pointers++;
			}
		}
	}
	if (symbols)
		return symbols == 1 ? symbol : FLOW_NONE;
	return pointers == 1 ? pointer : pointers == 0 && wides == 1 ? wide : FLOW_NONE;
}

/* Returns the index of the address operand of an instruction that may access global memory, or FLOW_NONE. */
static uint32_t address_operand(const struct ptx_inst *inst)
{
	if (inst->space != PTX_GLOBAL && inst->space != PTX_GENERIC)
		return FLOW_NONE;
	switch (inst->op) {
	case PTX_OP_LD:
	case PTX_OP_LDU:
	case PTX_OP_ST:
	case PTX_OP_ATOM:
	case PTX_OP_RED:
		return inst->destinations;
	default:
		return FLOW_NONE;
	}
}

static void describe(struct sym *sym, struct affine_load *load, const struct sym_poly *index)
{
	bool whole = true;
	for (uint32_t i = 0; i < index->count; i++)
		whole = whole && index->term[i].coef % load->element_bytes == 0;
	char *text = sym_text(sym, index, whole ? load->element_bytes : 1);
	load->expression = text;
	if (!whole) {
		size_t size = strlen(text) + sizeof "bytes: ";
		char *marked = arena_alloc(sym->arena, size);
		snprintf(marked, size, "bytes: %s", text);
		load->expression = marked;
	}
}

/* Adds the load, if it reads global memory. */
static void add_load(struct affine_kernel *kernel, struct affine_state *state, uint32_t inst, struct sym_value address)
{
	struct sym *sym = &state->sym;
	const struct ptx_inst *in = &sym->function->body[inst];
	uint32_t base = find_base(sym, address.poly), block = sym->cfg->block_of[inst];
	const struct sym_atom *atom = base == FLOW_NONE ? NULL : &sym->atom[base];
	if (atom && atom->kind == SYM_SYMBOL && atom->variable->space != PTX_GLOBAL)
		return;
	struct affine_load *load = &kernel->load[kernel->loads++];
	struct affine_form *form = arena_alloc(sym->arena, sizeof *form);
	load->inst = inst;
	load->element_bytes = ptx_type_bytes(in->type);
	load->bytes = load->element_bytes * (in->vector ? in->vector : 1);
	load->source_file = in->source_file;
	load->source_line = in->source_line;
	load->form = form;
	form->index = address;
	form->base = base;
	if (atom) {
		load->array = atom->variable;
		load->array_offset = atom->key2;
		load->is_parameter = atom->kind == SYM_PARAM;
		form->index.poly = sym_add(sym->arena, address.poly, sym_atom_poly(sym->arena, base), -1, 64);
	}
	if (!state->guards[block])
		state->guards[block] = sym_guards(sym, block);
	form->guards = state->guards[block];
	if (in->guard != PTX_NO_REG) {
		struct sym_condition *own = sym_conditions(sym, in->guard, inst, !in->guard_negated, NULL),
				     **end = &own;
		while (*end)
			end = &(*end)->next;
		*end = form->guards;
		form->guards = own;
	}
}

static void judge(struct affine_state *state, struct affine_load *load)
{
	const struct affine_form *form = load->form;
	struct make make = {0};
	look_at(state, form->index.poly, &make);
	load->status = strict_status(&make);
	load->relaxed = relaxed_status(&make);
	load->loops_at_launch = make.loop_at_launch;
	if (!state->sym.reducible && load->relaxed <= AFFINE_QUASI_STATIC)
		load->status = load->relaxed = AFFINE_CONTROL;
	/* It is unknown which of several pointers it is, or whether it is a pointer. */
	if (!load->array && load->relaxed <= AFFINE_QUASI_STATIC)
		load->status = load->relaxed = AFFINE_INDIRECT;
	describe(&state->sym, load, form->index.poly);
}

struct affine_kernel *affine_analyze(struct arena *arena, const struct ptx_function *function)
{
	struct affine_kernel *kernel = arena_alloc(arena, sizeof *kernel);
	struct affine_state *state = arena_alloc(arena, sizeof *state);
	struct sym *sym = &state->sym;
	sym_open(sym, arena, function);
	kernel->function = function;
	kernel->state = state;
	kernel->load = arena_array(arena, function->body_count, sizeof *kernel->load);
	state->stays = arena_array(arena, sym->loops, sizeof(struct sym_stay *));
	state->bounding = arena_array(arena, sym->loops, sizeof *state->bounding);
	state->guards = arena_array(arena, sym->cfg->blocks, sizeof(struct sym_condition *));
	/* Pointer parameters must be known before addresses are decomposed. */
	for (uint32_t i = 0; i < function->body_count; i++) {
		kernel->calls |= function->body[i].op == PTX_OP_CALL;
		if (function->body[i].op == PTX_OP_CVTA && sym->cfg->block[sym->cfg->block_of[i]].reachable)
			sym_compute(sym, i);
	}
	for (uint32_t i = 0; i < function->body_count; i++) {
		const struct ptx_inst *in = &function->body[i];
		uint32_t operand = address_operand(in);
		if (operand == FLOW_NONE || !sym->cfg->block[sym->cfg->block_of[i]].reachable)
			continue;
		struct sym_value address = sym_expand(sym, sym_address(sym, i, operand));
		uint32_t base = find_base(sym, address.poly);
		if (base != FLOW_NONE && sym->atom[base].kind == SYM_PARAM)
			sym->atom[base].is_pointer = true;
		if (in->op == PTX_OP_LD || in->op == PTX_OP_LDU)
			add_load(kernel, state, i, address);
	}
	for (uint32_t i = 0; i < sym->loops; i++)
		state->stays[i] = sym_stays(sym, &sym->loop[i]);
	for (uint32_t i = 0; i < sym->atoms; i++)
		for (uint32_t k = 0; k < sym->atom[i].operands; k++)
			sym->atom[i].operand[k] = sym_expand(sym, sym->atom[i].operand[k]);
	for (uint32_t i = 0; i < kernel->loads; i++)
		judge(state, &kernel->load[i]);
	/* A pointer parameter may be read several times, by loads of different types. */
	for (uint32_t i = 0; i < sym->atoms; i++)
		kernel->arrays += sym->atom[i].kind == SYM_PARAM && sym->atom[i].is_pointer;
	return kernel;
}
