/* loop: determines changes from one iteration to the next.
 *
 * A loop's body is run with opaque symbols for the variables that it changes, until no further variable changes. A
 * variable that has grown by the same amount at the end is an induction variable. In iteration k it holds its first
 * value plus k times that amount. The condition, in these terms, bounds k.
 */
#include "cuda_source/private.h"

#include <string.h>

struct changed {
	uint32_t slot, symbol;   /* its value at the loop head while the body is tried */
	const struct poly *grow; /* growth per iteration, or NULL */
	const struct claim *claims;
	uint8_t causes; /* if it does not grow evenly */
};

struct loop {
	const struct node *declaration, *condition, *step, *body;
	bool last; /* the condition is evaluated after the body */
	struct changed *changed;
	uint32_t count, capacity;
	struct state broken, tested; /* after a break; after the condition */
	struct bound bound;
	uint32_t iteration; /* its symbol, in the final run of the body */
	bool final;
};

static void find_bound(struct walk *walk, struct loop *loop);

static void find_parts(const struct node *node, struct loop *loop)
{
	uint32_t count = node->count;
	loop->last = node->kind == NODE_DO;
	if (node->kind == NODE_FOR) {
		loop->condition = node->children[1];
		loop->step = node->children[2];
		loop->body = node->children[3];
	} else if (loop->last && count == 2) {
		loop->body = node->children[0];
		loop->condition = node->children[1];
	} else if (count >= 2) {
		loop->condition = node->children[count - 2];
		loop->body = node->children[count - 1];
		loop->declaration = count > 2 ? node->children[0] : NULL;
	}
}

/* Runs one iteration from the state at the loop head. */
static void iterate(struct walk *walk, struct loop *loop)
{
	struct jumps jumps = {0}, *outer = walk->jumps;
	walk->jumps = &jumps;
	if (loop->declaration)
		walk_statement(walk, loop->declaration);
	if (!loop->last) {
		find_bound(walk, loop);
		walk_statement(walk, loop->condition);
		loop->tested = state_copy(walk, &walk->now);
	}
	walk_statement(walk, loop->body);
	state_merge(walk, &walk->now, &jumps.continued);
	if (loop->step)
		walk_statement(walk, loop->step);
	if (loop->last) {
		find_bound(walk, loop);
		walk_statement(walk, loop->condition);
		loop->tested = state_copy(walk, &walk->now);
	}
	walk->jumps = outer;
	loop->broken = jumps.broken;
}

static struct changed *find_changed(const struct loop *loop, uint32_t slot)
{
	for (uint32_t i = 0; i < loop->count; i++)
		if (loop->changed[i].slot == slot)
			return &loop->changed[i];
	return NULL;
}

static void add_changed(struct walk *walk, struct loop *loop, uint32_t slot)
{
	if (loop->count == loop->capacity) {
		loop->capacity = loop->capacity ? 2 * loop->capacity : 16;
		struct changed *grown = arena_array(walk->arena, loop->capacity, sizeof *grown);
		if (loop->count)
			memcpy(grown, loop->changed, loop->count * sizeof *grown);
		loop->changed = grown;
	}
	loop->changed[loop->count++] = (struct changed){.slot = slot, .symbol = walk_loop_symbol(walk, "")};
}

/* Returns the state before the loop, with a symbol for each variable that changes in it. */
static struct state symbolic_head(struct walk *walk, const struct loop *loop, const struct state *before)
{
	struct state head = state_copy(walk, before);
	for (uint32_t i = 0; i < loop->count; i++) {
		struct value *value = state_at(walk, &head, loop->changed[i].slot);
		value->poly = poly_symbol(walk->arena, loop->changed[i].symbol);
		value->causes = CAUSE_INDUCTION;
		value->serial = 0;
		if (value->kind != VALUE_ARRAY && value->kind != VALUE_MEMORY)
			value->kind = VALUE_NUMBER;
	}
	return head;
}

static bool claims_have(const struct claim *claims, uint32_t symbol)
{
	for (; claims; claims = claims->next)
		if (poly_has(claims->poly, symbol))
			return true;
	return false;
}

/* Runs the body until the set of changed variables is known, then finds those that grow evenly. */
static void try_body(struct walk *walk, struct loop *loop, const struct state *before)
{
	struct state head = {0}, end = {0};
	bool more = true;
	walk->silent++;
	while (more) { /* each pass finds another variable; there are few */
		more = false;
		head = symbolic_head(walk, loop, before);
		walk->now = state_copy(walk, &head);
		iterate(walk, loop);
		end = walk->now;
		for (uint32_t slot = 0; slot < walk->slots && end.alive; slot++) {
			const struct value *old = state_at(walk, &head, slot), *new = state_at(walk, &end, slot);
			if (value_equal(old, new) || find_changed(loop, slot))
				continue;
			add_changed(walk, loop, slot);
			more = true;
		}
	}
	walk->silent--;
	for (uint32_t i = 0; i < loop->count; i++) {
		struct changed *changed = &loop->changed[i];
		const struct value *first = state_at(walk, &head, changed->slot);
		const struct value *value = state_at(walk, &end, changed->slot);
		const struct poly *own = poly_symbol(walk->arena, changed->symbol);
		bool follows = value->causes == CAUSE_INDUCTION && value->kind == first->kind &&
		               value->number == first->number;
		changed->grow = follows ? poly_add(walk->arena, value->poly, own, -1) : NULL;
		changed->claims = value->claims;
		for (uint32_t j = 0; j < loop->count && changed->grow; j++)
			if (poly_has(changed->grow, loop->changed[j].symbol) ||
			    claims_have(changed->claims, loop->changed[j].symbol))
				changed->grow = NULL;
		/* a dependence of an earlier iteration on control or a load hides earlier causes */
		uint8_t hides = value->causes & CAUSE_CONTROL ? CAUSE_CONTROL : value->causes & CAUSE_INDIRECT;
		changed->causes = hides ? hides : value->causes ? value->causes : CAUSE_CONTROL;
		if (!end.alive)
			changed->grow = NULL;
	}
}

static const struct node *bare(const struct node *node)
{
	while (node->kind == NODE_CAST && node->count == 1)
		node = node->children[0];
	return node;
}

/* Computes the bound that a comparison sets, with variables of the present state. */
static bool compare(struct walk *walk, const struct node *node, uint32_t iteration, struct bound *bound)
{
	node = bare(node);
	if (node->kind != NODE_BINARY)
		return false;
	if (strcmp(node->op, "&&") == 0)
		return compare(walk, node->children[0], iteration, bound) ||
		       compare(walk, node->children[1], iteration, bound);
	bool less = node->op[0] == '<', more = node->op[0] == '>';
	bool differs = strcmp(node->op, "!=") == 0;
	if ((!less && !more && !differs) || node->op[1] == node->op[0])
		return false;
	struct value left = walk_value(walk, node->children[0]), right = walk_value(walk, node->children[1]);
	const struct type *type = &node->children[0]->type;
	if (left.kind != right.kind || left.number != right.number || left.kind > VALUE_ARRAY ||
	    (left.kind == VALUE_NUMBER && (type->kind != TYPE_INTEGER || type->size <= 0 || type->size > 8)))
		return false;
	const struct poly *room = less ? poly_add(walk->arena, right.poly, left.poly, -1)
	                               : poly_add(walk->arena, left.poly, right.poly, -1);
	const struct poly *rest = NULL, *slope = NULL;
	if (!room)
		return false;
	/* room = rest - slope * iteration */
	rest = slope = poly_constant(walk->arena, 0);
	for (uint32_t i = 0; i < room->count; i++) {
		struct monomial term = room->terms[i];
		struct poly *one = arena_alloc(walk->arena, sizeof *one + sizeof term);
		uint32_t kept = 0, times = 0;
		for (uint32_t k = 0; k < term.degree; k++) {
			if (term.symbol[k] == iteration)
				times++;
			else
				term.symbol[kept++] = term.symbol[k];
		}
		if (times > 1)
			return false;
		term.degree = kept;
		one->count = 1;
		one->terms[0] = term;
		if (times)
			slope = poly_add(walk->arena, slope, one, -1);
		else
			rest = poly_add(walk->arena, rest, one, 1);
	}
	int64_t zero;
	if (!slope || !rest || (poly_is_constant(slope, &zero) && zero == 0))
		return false;
	*bound = (struct bound){.room = rest,
	                        .slope = slope,
	                        .known = true,
	                        .inclusive = !differs && node->op[1] == '=',
	                        .either = differs,
	                        .claims = claim_join(walk, left.claims, right.claims)};
	if (left.kind == VALUE_NUMBER) {
		bound->side[0] = left.poly;
		bound->side[1] = right.poly;
		type_limits(type, &bound->least, &bound->most);
	}
	return true;
}

/* Finds the bound just before the condition is evaluated, because the condition may change variables. */
static void find_bound(struct walk *walk, struct loop *loop)
{
	if (!loop->final || !walk->now.alive)
		return;
	struct state now = state_copy(walk, &walk->now);
	walk->silent++;
	compare(walk, loop->condition, loop->iteration, &loop->bound);
	walk->silent--;
	walk->now = now;
	loop->bound.once_more = loop->last;
}

/* Names the iterations after the variable that counts them. */
static const char *iteration_name(struct walk *walk, const struct loop *loop, const struct state *before)
{
	char name[256];
	for (uint32_t i = 0; i < loop->count; i++) {
		const struct changed *changed = &loop->changed[i];
		const struct owner *owner = &walk->owners[changed->slot];
		int64_t first, grow;
		if (!changed->grow || before->values == NULL || changed->slot >= before->count)
			continue;
		const struct value *start = &before->values[changed->slot];
		bool counts = poly_is_constant(start->poly, &first) && first == 0 &&
		              poly_is_constant(changed->grow, &grow) && grow == 1;
		snprintf(name, sizeof name, counts ? "%s%s" : "trip(%s%s)", owner->decl->name, owner->member);
		return arena_string(walk->arena, name, strlen(name));
	}
	return "trip";
}

/* Returns the state at the loop head in an arbitrary iteration. */
static struct state general_head(struct walk *walk, const struct loop *loop, const struct state *before,
                                 uint32_t iteration)
{
	struct state head = state_copy(walk, before);
	for (uint32_t i = 0; i < loop->count; i++) {
		const struct changed *changed = &loop->changed[i];
		struct value *value = state_at(walk, &head, changed->slot);
		struct value general = value_unknown(walk, changed->causes);
		if (value->kind == VALUE_ARRAY || value->kind == VALUE_MEMORY) {
			general.kind = value->kind;
			general.number = value->number;
		}
		if (changed->grow) {
			const struct poly *times = poly_symbol(walk->arena, iteration);
			const struct poly *grown = poly_multiply(walk->arena, changed->grow, times);
			bool usable = !(value->causes & ~CAUSE_INDUCTION);
			/* a loaded first value is no separate cause: an index edges[i] counts only by i */
			general.causes = CAUSE_INDUCTION | (value->causes & (CAUSE_CONTROL | CAUSE_OPERATOR));
			general.poly = usable ? poly_add(walk->arena, value->poly, grown, 1) : NULL;
			general.claims = claim_join(walk, value->claims, changed->claims);
		}
		*value = general;
	}
	return head;
}

static bool is_false(const struct node *condition)
{
	condition = bare(condition);
	return condition->kind == NODE_CONSTANT && condition->value == 0;
}

void walk_loop(struct walk *walk, const struct node *node)
{
	struct loop loop = {0};
	find_parts(node, &loop);
	if (!loop.body)
		return;
	if (node->kind == NODE_FOR)
		walk_statement(walk, node->children[0]);
	if (node->kind == NODE_DO && is_false(loop.condition)) { /* do { ... } while (0) of a macro */
		iterate(walk, &loop);
		state_merge(walk, &walk->now, &loop.broken);
		return;
	}
	struct state before = state_copy(walk, &walk->now);
	try_body(walk, &loop, &before);

	loop.iteration = walk_loop_symbol(walk, iteration_name(walk, &loop, &before));
	loop.final = true;
	struct state head = general_head(walk, &loop, &before, loop.iteration);
	walk->now = state_copy(walk, &head);
	iterate(walk, &loop);
	walk->bounds[loop.iteration] = loop.bound;

	/* after the loop: changed variables have their last values, whose range is unknown */
	head = loop.tested;
	for (uint32_t i = 0; i < loop.count; i++) {
		struct value *value = state_at(walk, &head, loop.changed[i].slot);
		value->poly = NULL;
		value->claims = NULL;
		value->causes |= value->causes ? 0 : CAUSE_INDUCTION;
		value->serial = ++walk->serials;
	}
	bool ends = !loop.last || walk->now.alive;
	const struct node *condition = bare(loop.condition);
	bool endless = condition->kind == NODE_NOTHING || (condition->kind == NODE_CONSTANT && condition->value != 0);
	walk->now = head;
	walk->now.alive = ends && !endless;
	for (uint32_t i = 0; i < loop.count && loop.broken.alive; i++)
		*state_at(walk, &loop.broken, loop.changed[i].slot) = *state_at(walk, &head, loop.changed[i].slot);
	state_merge(walk, &walk->now, &loop.broken);
}
