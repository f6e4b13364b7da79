/* edit: records changes to a function. */
#include "flow/edit_private.h"

#include <assert.h>
#include <string.h>

void edit_open(struct edit *edit, struct ptx_module *module, struct ptx_function *function, const char *stem)
{
	*edit = (struct edit){.module = module,
	                      .function = function,
	                      .own = function->reg_count,
	                      .register_room = function->reg_count};
	edit->stem = edit_fresh_stem(&module->arena, function, stem);
}

void edit_close(struct edit *edit)
{
	arena_free(&edit->scratch);
	edit->point = NULL;
}

static struct edit_point *point_at(struct edit *edit, uint32_t at)
{
	assert(at <= edit->function->body_count);
	if (!edit->point)
		edit->point = arena_array(&edit->scratch, (size_t)edit->function->body_count + 1, sizeof *edit->point);
	return &edit->point[at];
}

struct edit_list *edit_fall(struct edit *edit, uint32_t at)
{
	struct edit_list *list = &point_at(edit, at)->fall;
	list->near = at ? at - 1 : 0;
	return list;
}

struct edit_list *edit_before(struct edit *edit, uint32_t at)
{
	struct edit_list *list = &point_at(edit, at)->before;
	list->near = at && at == edit->function->body_count ? at - 1 : at;
	return list;
}

struct edit_list *edit_taken(struct edit *edit, uint32_t at)
{
	const struct ptx_inst *inst = &edit->function->body[at];
	struct edit_point *point = point_at(edit, at);
	assert(flow_ends_block(inst));
	if (inst->guard == PTX_NO_REG)
		return edit_before(edit, at);
	point->splits_taken = true;
	point->taken.near = at;
	return &point->taken;
}

struct edit_list *edit_block_begin(struct edit *edit, const struct flow_cfg *cfg, uint32_t block)
{
	assert(block + 1 < cfg->blocks);
	return edit_before(edit, cfg->block[block].first);
}

/* Returns the instruction that ends a block, or FLOW_NONE if the block falls through. */
static uint32_t end_of(const struct flow_cfg *cfg, uint32_t block)
{
	const struct flow_block *b = &cfg->block[block];
	uint32_t last = b->first + b->count - 1;
	return b->count && flow_ends_block(&cfg->function->body[last]) ? last : FLOW_NONE;
}

struct edit_list *edit_block_end(struct edit *edit, const struct flow_cfg *cfg, uint32_t block)
{
	uint32_t end = end_of(cfg, block);
	assert(block + 1 < cfg->blocks);
	return end != FLOW_NONE ? edit_before(edit, end)
	                        : edit_fall(edit, cfg->block[block].first + cfg->block[block].count);
}

/* Returns true when the edge is the one taken by the block's last instruction. */
static bool is_taken(const struct flow_cfg *cfg, uint32_t from, uint32_t to)
{
	uint32_t end = end_of(cfg, from), count = cfg->function->body_count, goes_to = count;
	if (end == FLOW_NONE)
		return false;
	if (cfg->function->body[end].op == PTX_OP_BRA)
		goes_to = flow_branch_target(&cfg->function->body[end]);
	return (goes_to < count ? cfg->block_of[goes_to] : cfg->blocks - 1) == to;
}

struct edit_list *edit_split(struct edit *edit, const struct flow_cfg *cfg, uint32_t from, uint32_t to)
{
	uint32_t behind = cfg->block[from].first + cfg->block[from].count;
	assert(flow_has_edge(cfg, from, to) && cfg->function == edit->function);
	/* If a branch leads to the next instruction, taken and fall-through are one edge: the block's end. */
	if (cfg->block[from].successors == 1)
		return edit_block_end(edit, cfg, from);
	if (is_taken(cfg, from, to))
		return edit_taken(edit, behind - 1);
	point_at(edit, behind)->splits_fall = true;
	return edit_fall(edit, behind);
}

struct edit_list *edit_on_edge(struct edit *edit, const struct flow_cfg *cfg, uint32_t from, uint32_t to)
{
	assert(flow_has_edge(cfg, from, to));
	/* Block 0 is also entered without an edge, at the start of the function. The exit has no instruction. */
	if (cfg->block[from].successors > 1 && cfg->block[to].predecessors == 1 && to != 0 && to + 1 != cfg->blocks)
		return edit_block_begin(edit, cfg, to);
	return edit_split(edit, cfg, from, to);
}

static struct ptx_operand *copy_operands(struct arena *arena, const struct ptx_operand *from, uint32_t count)
{
	struct ptx_operand *to = arena_array(arena, count, sizeof *to);
	for (uint32_t i = 0; i < count; i++) {
		to[i] = from[i];
		if (from[i].count)
			to[i].element = copy_operands(arena, from[i].element, from[i].count);
	}
	return to;
}

struct ptx_inst *edit_add(struct edit *edit, struct edit_list *list, const struct ptx_inst *inst)
{
	struct edit_node *node = arena_alloc(&edit->scratch, sizeof *node);
	node->inst = *inst;
	node->inst.operand = copy_operands(&edit->module->arena, inst->operand, inst->operands);
	if (list->near < edit->function->body_count) {
		const struct ptx_inst *near = &edit->function->body[list->near];
		node->inst.place = near->place;
		node->inst.source_file = near->source_file;
		node->inst.source_line = near->source_line;
		node->inst.source_column = near->source_column;
	}
	*(list->first ? list->end : &list->first) = node;
	list->end = &node->next;
	return &node->inst;
}

bool edit_add_text(struct edit *edit, struct edit_list *list, const char *text, struct diag *diag)
{
	uint32_t count = 0;
	const struct ptx_inst *code = ptx_parse_code(edit->module, edit->function, text, &count, diag);
	for (uint32_t i = 0; code && i < count; i++)
		edit_add(edit, list, &code[i]);
	return code;
}

void edit_remove(struct edit *edit, uint32_t at)
{
	assert(at < edit->function->body_count);
	point_at(edit, at)->is_removed = true;
}

struct ptx_reg edit_register(struct edit *edit, enum ptx_type type)
{
	struct ptx_function *function = edit->function;
	uint32_t id = function->reg_count, number = id - edit->own;
	if (id == edit->register_room) {
		edit->register_room = 2 * id + 16;
		struct ptx_reg *regs = arena_array(&edit->module->arena, edit->register_room, sizeof *regs);
		if (id)
			memcpy(regs, function->regs, id * sizeof *regs);
		function->regs = regs;
	}
	function->reg_count++;
	function->regs[id] = (struct ptx_reg){.name = edit_name(&edit->module->arena, "%", edit->stem, number),
	                                      .type = type,
	                                      .id = id,
	                                      .number = number};
	return function->regs[id];
}

struct ptx_variable *edit_variable(struct edit *edit, enum ptx_space space, uint32_t bytes, uint32_t align)
{
	struct ptx_variable **link = &edit->function->locals,
			    *variable = arena_alloc(&edit->module->arena, sizeof *variable);
	*variable = (struct ptx_variable){.space = space,
	                                  .type = PTX_B8,
	                                  .vector = 1,
	                                  .align = align,
	                                  .size = bytes,
	                                  .dimensions = 1,
	                                  .dimension = {bytes},
	                                  .function = edit->function,
	                                  .place = edit->function->place};
	uint32_t number = 0;
	for (; *link; link = &(*link)->next)
		number++;
	variable->name = edit_name(&edit->module->arena, "__", edit->stem, number);
	*link = variable;
	return variable;
}
