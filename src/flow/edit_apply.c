/* edit_apply: builds a function's new code from the old code and the recorded changes. */
#include "flow/edit_private.h"

#include <assert.h>
#include <string.h>

struct builder {
	struct edit *edit;
	struct ptx_function *function;
	struct arena *arena, *scratch;
	struct ptx_inst *body;
	uint32_t count, old_count;
	/* By old target: its new position. Targets are instructions and the body's end. After these come the blocks
	 * of split branches, in the order of their branches. */
	uint32_t *moved_to, split_branches;
	uint32_t place_of_blocks; /* the instruction before which these blocks are placed */
};

static uint32_t length_of(const struct edit_list *list)
{
	uint32_t length = 0;
	for (const struct edit_node *node = list->first; node; node = node->next)
		length++;
	return length;
}

static bool leaves_for_good(const struct builder *builder, uint32_t at)
{
	const struct ptx_inst *inst = &builder->function->body[at];
	return flow_ends_block(inst) && inst->guard == PTX_NO_REG && !builder->edit->point[at].is_removed;
}

/* The blocks are placed after the last instruction that never falls through. Otherwise they are at the body's end,
 * with a branch over them. */
static uint32_t find_place(const struct builder *builder)
{
	for (uint32_t at = builder->old_count; at > 0; at--)
		if (leaves_for_good(builder, at - 1))
			return at;
	return builder->old_count;
}

/* Returns true when the instruction leaves through a separate block. */
static bool has_block(const struct builder *builder, uint32_t at)
{
	return builder->edit->point[at].splits_taken && !builder->edit->point[at].is_removed;
}

static void make_room(struct builder *builder)
{
	size_t room = (size_t)builder->old_count + 1;
	for (uint32_t at = 0; at <= builder->old_count; at++) {
		const struct edit_point *point = &builder->edit->point[at];
		room += length_of(&point->fall) + length_of(&point->before) + length_of(&point->taken) +
		        point->splits_fall + point->splits_taken;
		builder->split_branches += has_block(builder, at);
	}
	builder->body = arena_array(builder->arena, room, sizeof *builder->body);
	builder->moved_to = arena_array(builder->scratch, (size_t)builder->old_count + 1 + builder->split_branches,
	                                sizeof *builder->moved_to);
}

static void put_list(struct builder *builder, const struct edit_list *list)
{
	for (const struct edit_node *node = list->first; node; node = node->next)
		builder->body[builder->count++] = node->inst;
}

/* Returns a branch to an old target, with the source line of a nearby instruction. */
static struct ptx_inst new_branch(struct builder *builder, uint32_t target, uint32_t near)
{
	struct ptx_inst branch = {.op = PTX_OP_BRA, .guard = PTX_NO_REG, .vector = 1, .pattern = ">l", .operands = 1};
	branch.operand = arena_alloc(builder->arena, sizeof *branch.operand);
	*branch.operand = (struct ptx_operand){.kind = PTX_OPERAND_LABEL, .reg = PTX_NO_REG, .target = target};
	if (near < builder->old_count) {
		const struct ptx_inst *inst = &builder->function->body[near];
		branch.place = inst->place;
		branch.source_file = inst->source_file;
		branch.source_line = inst->source_line;
		branch.source_column = inst->source_column;
	}
	return branch;
}

static void put_fall(struct builder *builder, uint32_t at)
{
	const struct edit_point *point = &builder->edit->point[at];
	put_list(builder, &point->fall);
	if (point->splits_fall && !point->fall.first)
		builder->body[builder->count++] = new_branch(builder, at, at - 1);
}

/* Writes the blocks through which guarded instructions leave: the inserted code, then the action of the instruction. */
static void put_blocks(struct builder *builder)
{
	uint32_t block = builder->old_count + 1;
	bool is_fallen_into = builder->place_of_blocks == builder->old_count &&
	                      !(builder->old_count && leaves_for_good(builder, builder->old_count - 1));
	if (builder->split_branches && is_fallen_into)
		builder->body[builder->count++] = new_branch(builder, builder->old_count, builder->old_count - 1);
	for (uint32_t at = 0; at < builder->old_count; at++) {
		if (!has_block(builder, at))
			continue;
		struct ptx_inst leave = builder->function->body[at];
		leave.guard = PTX_NO_REG;
		leave.guard_negated = false;
		builder->moved_to[block++] = builder->count;
		put_list(builder, &builder->edit->point[at].taken);
		builder->body[builder->count++] =
			leave.op == PTX_OP_BRA ? new_branch(builder, flow_branch_target(&leave), at) : leave;
	}
}

/* Writes the instruction itself; a split instruction branches to its block, number `block` of these. */
static void put_instruction(struct builder *builder, uint32_t at, uint32_t *block)
{
	const struct ptx_inst *inst = &builder->function->body[at];
	if (builder->edit->point[at].is_removed)
		return;
	if (!has_block(builder, at)) {
		builder->body[builder->count++] = *inst;
		return;
	}
	struct ptx_inst branch = new_branch(builder, builder->old_count + 1 + (*block)++, at);
	branch.guard = inst->guard;
	branch.guard_negated = inst->guard_negated;
	builder->body[builder->count++] = branch;
}

static void put_all(struct builder *builder)
{
	uint32_t block = 0;
	for (uint32_t at = 0; at <= builder->old_count; at++) {
		put_fall(builder, at);
		if (at == builder->place_of_blocks)
			put_blocks(builder);
		builder->moved_to[at] = builder->count;
		put_list(builder, &builder->edit->point[at].before);
		if (at < builder->old_count)
			put_instruction(builder, at, &block);
	}
}

/* Returns, by instruction of the new body and for its end, whether it is a branch target. */
static bool *move_targets(struct builder *builder)
{
	bool *is_target = arena_array(builder->scratch, (size_t)builder->count + 1, sizeof *is_target);
	for (uint32_t i = 0; i < builder->count; i++)
		for (uint32_t k = 0; k < builder->body[i].operands; k++) {
			struct ptx_operand *operand = &builder->body[i].operand[k];
			if (operand->kind != PTX_OPERAND_LABEL)
				continue;
			operand->target = builder->moved_to[operand->target];
			is_target[operand->target] = true;
		}
	return is_target;
}

/* Puts the labels in the order of the new body, and adds one at each branch target without a label. */
static void move_labels(struct builder *builder, const bool *is_target)
{
	struct ptx_label *old = builder->function->labels, **end = &builder->function->labels;
	for (uint32_t at = 0; at <= builder->count; at++) {
		bool has_label = false;
		for (; old && builder->moved_to[old->target] == at; old = old->next) {
			old->target = at;
			*end = old;
			end = &old->next;
			has_label = true;
		}
		if (has_label || !is_target[at])
			continue;
		struct ptx_label *label = arena_alloc(builder->arena, sizeof *label);
		label->name = edit_name(builder->arena, "$", builder->edit->stem, builder->edit->labels++);
		label->target = at;
		label->next = old;
		*end = label;
		end = &label->next;
	}
	assert(!old);
	*end = NULL;
}

bool edit_apply(struct edit *edit)
{
	struct ptx_function *function = edit->function;
	struct builder builder = {.edit = edit,
	                          .function = function,
	                          .arena = &edit->module->arena,
	                          .scratch = &edit->scratch,
	                          .old_count = function->body_count};
	if (!edit->point)
		return false;
	make_room(&builder);
	builder.place_of_blocks = find_place(&builder);
	put_all(&builder);
	move_labels(&builder, move_targets(&builder));
	function->body = builder.body;
	function->body_count = builder.count;
	edit_close(edit);
	return true;
}
