#include "flow/evaluate.h"

#include "flow/sets.h"

#include <string.h>

/* Limits multiples of forms, so that their sums cannot overflow. */
static const wide MOST_TIMES = (wide)1 << 32;

static struct eval_form new_form(struct eval *eval)
{
	return (struct eval_form){0, arena_array(eval->arena, eval->variables, sizeof(wide))};
}

/* a + factor * b */
static struct eval_form combine(struct eval *eval, const struct eval_form *a, const struct eval_form *b, wide factor)
{
	struct eval_form sum = new_form(eval);
	sum.constant = a->constant + factor * b->constant;
	for (uint32_t v = 0; v < eval->variables; v++)
		sum.coef[v] = a->coef[v] + factor * b->coef[v];
	return sum;
}

static bool fail(struct eval *eval, const char *why)
{
	eval->why = why;
	return false;
}

/* Returns the variable of an atom, or FLOW_NONE. */
static uint32_t variable_of(const struct sym_atom *atom)
{
	if (atom->kind == SYM_COUNTER)
		return EVAL_LOOPS + atom->key2;
	if (atom->kind != SYM_SREG)
		return FLOW_NONE;
	if (atom->sreg >= PTX_CTAID_X && atom->sreg <= PTX_CTAID_Z)
		return EVAL_CTAID + (uint32_t)(atom->sreg - PTX_CTAID_X);
	if (atom->sreg >= PTX_TID_X && atom->sreg <= PTX_TID_Z)
		return EVAL_TID + (uint32_t)(atom->sreg - PTX_TID_X);
	return FLOW_NONE;
}

static bool param_value(struct eval *eval, const struct sym_atom *atom, uint64_t *value)
{
	uint64_t offset = atom->variable->offset + atom->key2, bits = 0;
	for (uint32_t i = 0; i < atom->bytes; i++) {
		if (eval->launch->known && !eval->launch->known[offset + i])
			return fail(eval, AFFINE_NO_ARGUMENT);
		bits |= (uint64_t)eval->launch->params[offset + i] << 8 * i;
	}
	*value = atom->is_signed ? (uint64_t)sym_reduce(bits, 8 * atom->bytes) : bits;
	return true;
}

static bool is_constant_form(const struct eval *eval, const struct eval_form *form)
{
	for (uint32_t v = 0; v < eval->variables; v++)
		if (form->coef[v])
			return false;
	return true;
}

/* Computes an operation on constants as PTX defines it, with `bits` bits. */
static bool operate(struct eval *eval, const struct ptx_inst *in, uint32_t bits, int64_t a, int64_t b, uint64_t *value)
{
	bool is_signed = ptx_type_is_signed(in->type);
	uint64_t mask = bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX, ua = (uint64_t)a & mask;
	uint64_t ub = (uint64_t)b & mask;
	wide x = is_signed ? (wide)a : (wide)ua, y = is_signed ? (wide)b : (wide)ub, result;
	uint64_t count = (uint64_t)b & 0xffffffff;
	switch (in->op) {
	case PTX_OP_AND:
		result = (wide)(ua & ub);
		break;
	case PTX_OP_OR:
		result = (wide)(ua | ub);
		break;
	case PTX_OP_XOR:
		result = (wide)(ua ^ ub);
		break;
	case PTX_OP_MIN:
		result = x < y ? x : y;
		break;
	case PTX_OP_MAX:
		result = x > y ? x : y;
		break;
	case PTX_OP_SHL:
		result = count >= bits ? 0 : (wide)(ua << count);
		break;
	case PTX_OP_SHR:
		result = x >> (count >= bits ? bits - 1 : count);
		break;
	case PTX_OP_MUL:
		result = (x * y) >> bits;
		break; /* .hi */
	case PTX_OP_DIV:
	case PTX_OP_REM:
		if (y == 0)
			return fail(eval, "division by zero");
		result = in->op == PTX_OP_DIV ? x / y : x % y;
		break;
	default:
		return fail(eval, "operator");
	}
	if (in->op == PTX_OP_SHR && !is_signed && count >= bits)
		result = 0;
	*value = (uint64_t)sym_reduce((uint64_t)result, bits);
	return true;
}

static bool constant_value(struct eval *eval, const struct sym_atom *atom, uint64_t *value)
{
	switch (atom->kind) {
	case SYM_PARAM:
		return param_value(eval, atom, value);
	case SYM_SREG:
		if (atom->sreg >= PTX_NTID_X && atom->sreg <= PTX_NTID_Z)
			*value = eval->launch->block[atom->sreg - PTX_NTID_X];
		else
			*value = eval->launch->grid[atom->sreg - PTX_NCTAID_X];
		return true;
	case SYM_SYMBOL:
		*value = atom->variable->address;
		return atom->variable->address ? true : fail(eval, "a variable has no address");
	case SYM_OP: {
		struct eval_form operand[2];
		if (atom->operands != 2)
			return fail(eval, "operator");
		for (uint32_t i = 0; i < 2; i++) {
			const struct sym_value *from = &atom->operand[i];
			if (!eval_poly(eval, from->poly, from->bits, &operand[i]) || !eval_proves(eval, from->needs))
				return false;
			if (!is_constant_form(eval, &operand[i]))
				return fail(eval, "operator");
		}
		return operate(eval, &eval->state->sym.function->body[atom->inst], atom->operand[0].bits,
		               (int64_t)operand[0].constant, (int64_t)operand[1].constant, value);
	}
	default:
		return fail(eval, "a value is not known at launch");
	}
}

bool eval_poly(struct eval *eval, const struct sym_poly *poly, uint32_t bits, struct eval_form *form)
{
	*form = new_form(eval);
	for (uint32_t i = 0; i < poly->count; i++) {
		const struct sym_term *term = &poly->term[i];
		uint32_t variable = FLOW_NONE;
		uint64_t coef = (uint64_t)term->coef, value;
		for (uint32_t k = 0; k < term->factors; k++) {
			const struct sym_atom *atom = &eval->state->sym.atom[term->factor[k]];
			uint32_t v = variable_of(atom);
			if (v < EVAL_LOOPS && eval->last[v] == 0) {
				coef = 0; /* an index with extent 1 */
			} else if (v == FLOW_NONE) {
				if (!constant_value(eval, atom, &value))
					return false;
				coef *= value;
			} else if (variable != FLOW_NONE) {
				return fail(eval, "not affine: a product of two indexes");
			} else {
				variable = v;
			}
		}
		if (variable == FLOW_NONE)
			form->constant = sym_reduce((uint64_t)form->constant + coef, bits);
		else
			form->coef[variable] = sym_reduce((uint64_t)form->coef[variable] + coef, bits);
	}
	return true;
}

static void bound_loop(struct eval *eval, uint32_t number);

bool eval_is_bounded(struct eval *eval, uint32_t variable)
{
	if (!eval->tried[variable]) {
		eval->tried[variable] = true;
		bound_loop(eval, variable - EVAL_LOOPS);
	}
	return eval->known[variable] ||
	       fail(eval, eval->unbounded ? eval->unbounded : "a loop has no bound known at launch");
}

/* Computes bounds from the variables' own bounds, current or up to now. */
static bool box(struct eval *eval, const struct eval_form *form, bool now, wide *low, wide *high)
{
	const int64_t *first = now ? eval->low : eval->first, *last = now ? eval->high : eval->last;
	*low = *high = form->constant;
	for (uint32_t v = 0; v < eval->variables; v++) {
		wide coef = form->coef[v];
		if (!coef)
			continue;
		if (!eval_is_bounded(eval, v))
			return false;
		*low += coef * (coef > 0 ? first[v] : last[v]);
		*high += coef * (coef > 0 ? last[v] : first[v]);
	}
	return true;
}

/* Computes the minimum of a form. A multiple of each fact that cancels a variable is subtracted where that raises
 * the bound. */
static bool least(struct eval *eval, struct eval_form form, wide *bound)
{
	wide ignored;
	bool bounded = box(eval, &form, true, bound, &ignored);
	for (uint32_t f = 0; f < 2 * eval->facts; f++) {
		const struct eval_form *fact = &eval->fact[f % eval->facts];
		for (uint32_t v = 0; v < eval->variables; v++) {
			wide times = fact->coef[v] ? form.coef[v] / fact->coef[v] : 0;
			if (times <= 0 || times > MOST_TIMES || times * fact->coef[v] != form.coef[v])
				continue;
			struct eval_form less = combine(eval, &form, fact, -times);
			wide other;
			if (!box(eval, &less, true, &other, &ignored) || (bounded && other <= *bound))
				continue;
			bounded = true;
			*bound = other;
			form = less;
		}
	}
	return bounded;
}

bool eval_range(struct eval *eval, const struct eval_form *form, bool plainly, wide *low, wide *high)
{
	if (plainly)
		return box(eval, form, false, low, high);
	struct eval_form none = new_form(eval), negated = combine(eval, &none, form, -1);
	if (!least(eval, *form, low) || !least(eval, negated, high))
		return false;
	*high = -*high;
	return true;
}

bool eval_proves(struct eval *eval, const struct sym_need *needs)
{
	for (const struct sym_need *need = needs; need; need = need->next) {
		struct eval_form form;
		wide low, high;
		/* All 64 bits: the wider value was made from the same polynomial, not from its value modulo the
		 * width. */
		if (!eval_poly(eval, need->poly, 64, &form) ||
		    !eval_range(eval, &form, need->every_iteration, &low, &high))
			return false;
		if (low < need->low || high > need->high)
			return fail(eval, "an index may wrap around its type");
	}
	return true;
}

/* Return the smallest and the greatest number of an unsigned or signed type. */
static wide type_least(uint32_t bits, bool is_signed)
{
	return is_signed ? -((wide)1 << (bits - 1)) : 0;
}

static wide type_greatest(uint32_t bits, bool is_signed)
{
	return ((wide)1 << (bits - is_signed)) - 1;
}

static void add_fact(struct eval *eval, struct eval_form fact)
{
	if (eval->facts == eval->fact_room) {
		uint32_t room = eval->fact_room ? 2 * eval->fact_room : 16;
		struct eval_form *grown = arena_array(eval->arena, room, sizeof *grown);
		if (eval->facts)
			memcpy(grown, eval->fact, eval->facts * sizeof *grown);
		eval->fact = grown;
		eval->fact_room = room;
	}
	eval->fact[eval->facts++] = fact;
}

/* Adds the fact left <= right - gap. */
static void add_order(struct eval *eval, const struct eval_form *left, const struct eval_form *right, int gap)
{
	struct eval_form fact = combine(eval, right, left, -1);
	fact.constant -= gap;
	add_fact(eval, fact);
}

/* That two values differ is useful only if they are equal: then the location is unreachable. */
static bool use_difference(struct eval *eval, const struct sym_condition *condition)
{
	struct eval_form left, right, never = new_form(eval);
	if (!eval_poly(eval, condition->left.poly, condition->bits, &left) ||
	    !eval_poly(eval, condition->right.poly, condition->bits, &right) ||
	    !eval_proves(eval, condition->left.needs) || !eval_proves(eval, condition->right.needs))
		return false;
	struct eval_form gap = combine(eval, &left, &right, -1);
	if (!is_constant_form(eval, &gap) || sym_reduce((uint64_t)gap.constant, condition->bits) != 0)
		return false;
	never.constant = -1;
	add_fact(eval, never);
	return true;
}

/* Turns a condition into a fact, if the operands are certainly the numbers of their forms. Returns true on success. */
static bool use_condition(struct eval *eval, const struct sym_condition *condition)
{
	struct eval_form left, right;
	wide low[2], high[2];
	uint32_t bits = condition->bits;
	if (condition->cmp == PTX_NE)
		return use_difference(eval, condition);
	if (!eval_poly(eval, condition->left.poly, bits, &left) ||
	    !eval_poly(eval, condition->right.poly, bits, &right) || !eval_proves(eval, condition->left.needs) ||
	    !eval_proves(eval, condition->right.needs) || !eval_range(eval, &left, false, &low[0], &high[0]) ||
	    !eval_range(eval, &right, false, &low[1], &high[1]))
		return false;
	wide floor = type_least(bits, condition->is_signed), top = type_greatest(bits, condition->is_signed);
	bool less = condition->cmp == PTX_LT || condition->cmp == PTX_LE;
	if (!condition->is_signed && less && low[0] < 0 && low[0] >= -((wide)1 << (bits - 1)) && high[0] <= top &&
	    low[1] >= 0 && high[1] < (wide)1 << (bits - 1)) {
		/* Unsigned comparison with a number without the high bit: a negative value would be greater. */
		struct eval_form zero = new_form(eval);
		add_order(eval, &zero, &left, 0);
		low[0] = 0;
	}
	for (uint32_t i = 0; i < 2; i++)
		if (low[i] < floor || high[i] > top)
			return false;
	switch (condition->cmp) {
	case PTX_LT:
		add_order(eval, &left, &right, 1);
		break;
	case PTX_LE:
		add_order(eval, &left, &right, 0);
		break;
	case PTX_GT:
		add_order(eval, &right, &left, 1);
		break;
	case PTX_GE:
		add_order(eval, &right, &left, 0);
		break;
	case PTX_EQ:
		add_order(eval, &left, &right, 0);
		add_order(eval, &right, &left, 0);
		break;
	default:
		return false;
	}
	return true;
}

static wide floor_divide(wide a, wide b)
{
	wide quotient = a / b;
	return quotient - (a % b != 0 && (a < 0) != (b < 0));
}

/* Returns true when the comparison's type can hold the form's values. */
static bool fits(struct eval *eval, const struct eval_form *form, const struct sym_condition *condition)
{
	wide low, high;
	return box(eval, form, true, &low, &high) && low >= type_least(condition->bits, condition->is_signed) &&
	       high <= type_greatest(condition->bits, condition->is_signed);
}

/* Computes the last counter value for which the condition to continue can be true. -1: never, so that the loop's
 * header is reached once. Returns false when it is unknown. */
static bool last_stay(struct eval *eval, const struct sym_condition *condition, uint32_t variable, int64_t *last)
{
	struct eval_form left, right, gap;
	wide low, high, bound;
	if (!eval_poly(eval, condition->left.poly, condition->bits, &left) ||
	    !eval_poly(eval, condition->right.poly, condition->bits, &right) || condition->cmp == PTX_EQ)
		return false;
	bool less = condition->cmp == PTX_LT || condition->cmp == PTX_LE;
	gap = less ? combine(eval, &right, &left, -1) : combine(eval, &left, &right, -1);
	wide step = gap.coef[variable];
	gap.coef[variable] = 0;
	if (!step || !box(eval, &gap, true, &low, &high))
		return false;
	if (condition->cmp == PTX_NE) {
		/* Continues until both are equal, which must happen exactly. */
		bool divides = gap.constant % step == 0;
		for (uint32_t v = 0; v < eval->variables; v++)
			divides = divides && gap.coef[v] % step == 0;
		if (!divides || -(step > 0 ? high : low) / step < 0)
			return false;
		bound = -(step > 0 ? low : high) / step - 1;
	} else {
		/* gap + step * counter >= 0 or > 0 */
		if (step > 0)
			return false;
		bound = floor_divide(high - (condition->cmp == PTX_LT || condition->cmp == PTX_GT), -step);
	}
	bound = bound < -1 ? -1 : bound;
	if (bound > INT64_MAX / 4)
		return false;
	/* The operands must be these numbers up to the test that ends the loop. */
	eval->known[variable] = true;
	eval->last[variable] = eval->high[variable] = (int64_t)bound + 1;
	*last = (int64_t)bound;
	if (!eval_proves(eval, condition->left.needs) || !eval_proves(eval, condition->right.needs))
		return false;
	if (condition->cmp == PTX_NE) {
		/* Then equality modulo 2^bits means equality. */
		gap.coef[variable] = step;
		return box(eval, &gap, true, &low, &high) && -low < (wide)1 << condition->bits &&
		       high < (wide)1 << condition->bits;
	}
	return fits(eval, &left, condition) && fits(eval, &right, condition);
}

/* Computes bounds of a loop's counter. */
static void bound_loop(struct eval *eval, uint32_t number)
{
	const struct affine_state *state = eval->state;
	const struct sym *sym = &state->sym;
	uint32_t variable = EVAL_LOOPS + number;
	bool *bounding = arena_array(eval->arena, sym->loops, sizeof *bounding);
	if (eval->bounding)
		memcpy(bounding, eval->bounding, sym->loops * sizeof *bounding);
	if (bounding[number])
		return;
	bounding[number] = true;
	for (const struct sym_stay *stay = state->stays[number]; stay; stay = stay->next) {
		struct eval at;
		int64_t last;
		eval_open(&at, eval->arena, state, eval->launch, stay->block, NULL, bounding);
		at.tried[variable] = true;
		if (!last_stay(&at, stay->condition, variable, &last)) {
			eval->unbounded = at.why;
			continue;
		}
		/* After the test the condition still holds; elsewhere the header may have been reached one more
		 * time. */
		bool behind = stay->into != sym->loop[number].header &&
		              flow_dominates(sym->idom, stay->into, eval->block) &&
		              sym->cfg->block[stay->into].predecessors == 1;
		last += !behind;
		if (!eval->known[variable] || last < eval->last[variable])
			eval->last[variable] = eval->high[variable] = last;
		eval->known[variable] = true;
	}
}

/* Narrows thread indexes and the counters of enclosing loops by the facts. */
static void narrow(struct eval *eval)
{
	for (uint32_t v = EVAL_TID; v < eval->variables && eval->facts; v++) {
		struct eval_form form = new_form(eval);
		wide low, high;
		form.coef[v] = 1;
		if (v >= EVAL_LOOPS && !set_has(eval->state->sym.loop[v - EVAL_LOOPS].body, eval->block))
			continue;
		if (!eval_is_bounded(eval, v) || !eval_range(eval, &form, false, &low, &high))
			continue;
		eval->low[v] = low > eval->low[v] ? (int64_t)low : eval->low[v];
		eval->high[v] = high < eval->high[v] ? (int64_t)high : eval->high[v];
	}
}

void eval_open(struct eval *eval, struct arena *arena, const struct affine_state *state,
               const struct affine_launch *launch, uint32_t block, const struct sym_condition *guards,
               const bool *bounding)
{
	uint32_t variables = EVAL_LOOPS + state->sym.loops, conditions = 0;
	*eval = (struct eval){.arena = arena,
	                      .state = state,
	                      .launch = launch,
	                      .variables = variables,
	                      .block = block,
	                      .bounding = bounding};
	int64_t *bounds = arena_array(arena, 4 * (size_t)variables, sizeof *bounds);
	eval->low = bounds;
	eval->high = bounds + variables;
	eval->first = bounds + 2 * variables;
	eval->last = bounds + 3 * variables;
	eval->tried = arena_array(arena, variables, sizeof *eval->tried);
	eval->known = arena_array(arena, variables, sizeof *eval->known);
	for (uint32_t v = 0; v < EVAL_LOOPS; v++) {
		uint32_t extent = v < EVAL_TID ? launch->grid[v - EVAL_CTAID] : launch->block[v - EVAL_TID];
		eval->last[v] = eval->high[v] = (int64_t)extent - 1;
		eval->tried[v] = eval->known[v] = true;
	}
	for (const struct sym_condition *guard = guards; guard; guard = guard->next)
		conditions++;
	/* A new fact may allow another condition to become a fact, so this repeats until none does. */
	bool *used = arena_array(arena, conditions + 1, sizeof *used);
	for (bool more = true; more;) {
		uint32_t i = 0;
		more = false;
		for (const struct sym_condition *guard = guards; guard; guard = guard->next, i++)
			if (!used[i] && use_condition(eval, guard))
				used[i] = more = true;
	}
	narrow(eval);
}

bool eval_is_unreachable(struct eval *eval)
{
	wide low, high;
	for (uint32_t v = 0; v < eval->variables; v++)
		if ((v < EVAL_LOOPS || set_has(eval->state->sym.loop[v - EVAL_LOOPS].body, eval->block)) &&
		    eval_is_bounded(eval, v) && eval->high[v] < eval->low[v])
			return true;
	for (uint32_t i = 0; i < eval->facts; i++)
		if (eval_range(eval, &eval->fact[i], true, &low, &high) && high < 0)
			return true;
	return false;
}
