/* edit: changes to a function's code. Internal to flow; passes use it through flow/pass.h.
 *
 * Changes are recorded against the existing code, and edit_apply() makes all of them at once. Until then
 * instruction indexes and all facts about the code stay valid. Operands of instructions that remain may be changed
 * in place.
 *
 * An instruction has three insertion points, because control reaches or leaves it in three ways:
 *     fall    before its labels: executed only on fall-through from the instruction above
 *     before  after its labels: executed on every way to it
 *     taken   executed when it (a branch, exit or return) leaves; in a separate block if it may also not leave
 */
#ifndef SLUICE_FLOW_EDIT_H
#define SLUICE_FLOW_EDIT_H

#include "flow/flow.h"

/* Instructions to be inserted at one point. */
struct edit_list {
	struct edit_node *first, **end;
	uint32_t near; /* the instruction whose source line they take */
};

/* An instruction, or the body's end. */
struct edit_point {
	struct edit_list fall, before, taken;
	bool splits_fall, splits_taken; /* needs a separate block, even if that contains only a branch */
	bool is_removed;
};

struct edit {
	struct ptx_module *module;
	struct ptx_function *function;
	struct arena scratch;     /* holds the recorded changes */
	struct edit_point *point; /* by instruction, and for the body's end; NULL: nothing is recorded */
	const char *stem;         /* prefix of new names: no other name begins with it after %, $ or __ */
	uint32_t own;             /* number of registers before the first change */
	uint32_t labels, register_room;
};

/* Begins changes to a function of the module. `stem` is the prefix of new names, extended if it is not unique. */
void edit_open(struct edit *edit, struct ptx_module *module, struct ptx_function *function, const char *stem);
/* Applies the changes. Returns false when there were none. Further changes may then be recorded against the new
 * code. */
bool edit_apply(struct edit *edit);
/* Discards recorded changes. */
void edit_close(struct edit *edit);

/* Return the insertion points of an instruction or, except edit_taken(), of the body's end. Insertions at one point
 * execute in the order in which they were made. */
struct edit_list *edit_fall(struct edit *edit, uint32_t at);
struct edit_list *edit_before(struct edit *edit, uint32_t at);
struct edit_list *edit_taken(struct edit *edit, uint32_t at);
/* Return the points where a block begins, on every entry, and where it ends, before its final branch if it has one.
 * The virtual exit has no begin: threads can reach it without executing another instruction. */
struct edit_list *edit_block_begin(struct edit *edit, const struct flow_cfg *cfg, uint32_t block);
struct edit_list *edit_block_end(struct edit *edit, const struct flow_cfg *cfg, uint32_t block);
/* Turns the edge into a block with no other predecessors or successors. An edge of a branch costs one more branch.
 * So does a fall-through edge if nothing is inserted there. */
struct edit_list *edit_split(struct edit *edit, const struct flow_cfg *cfg, uint32_t from, uint32_t to);
/* Returns a point that executes exactly when control passes from one block to the other. This is the end or the
 * beginning of one of the blocks if possible, else a block on the edge. */
struct edit_list *edit_on_edge(struct edit *edit, const struct flow_cfg *cfg, uint32_t from, uint32_t to);

/* Appends a copy of the instruction, including its operands, to the list. */
struct ptx_inst *edit_add(struct edit *edit, struct edit_list *list, const struct ptx_inst *inst);
/* Appends instructions given as PTX text. Returns false, with errors in `diag`, when the text is invalid. */
bool edit_add_text(struct edit *edit, struct edit_list *list, const char *text, struct diag *diag);
/* Removes an instruction: branches to it lead to the next one. Insertions at its points remain. */
void edit_remove(struct edit *edit, uint32_t at);

/* Creates a register, which can be used immediately. */
struct ptx_reg edit_register(struct edit *edit, enum ptx_type type);
/* Creates an array of bytes in the function's .local or .shared memory. */
struct ptx_variable *edit_variable(struct edit *edit, enum ptx_space space, uint32_t bytes, uint32_t align);

#endif
