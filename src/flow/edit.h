/* edit: changes of a function's code, inside flow; passes make them through flow/pass.h.
 *
 * Changes are recorded against the code as it is and made all at once by edit_apply(): until then indexes of instructions, and
 * every fact of the code, stay true. Operands of instructions that stay may be changed where they stand.
 *
 * There are three places at an instruction, because a branch to it, a fall into it and a branch away from it are three
 * ways:
 *   fall     in front of its labels: for what falls in from the instruction above alone
 *   before   behind its labels: for all that comes to it
 *   taken    on the way on which it, a branch, an exit or a return, leaves: in a block of its own where it may also not leave
 */
#ifndef SLUICE_FLOW_EDIT_H
#define SLUICE_FLOW_EDIT_H

#include "flow/flow.h"

/* Instructions to be inserted at a place. */
struct edit_list {
	struct edit_node *first, **end;
	uint32_t near; /* the instruction whose line of source they have */
};

/* An instruction, or the body's end. */
struct edit_point {
	struct edit_list fall, before, taken;
	bool splits_fall, splits_taken; /* a block of its own, if only with a branch in it */
	bool is_removed;
};

struct edit {
	struct ptx_module *module;
	struct ptx_function *function;
	struct arena scratch;     /* what is recorded */
	struct edit_point *point; /* by instruction, and the body's end; NULL: nothing is recorded */
	const char *stem;         /* of names that are made: no other name begins with it behind %, $ or __ */
	uint32_t own;             /* the registers that the function had at first */
	uint32_t labels, register_room;
};

void edit_open(struct edit *edit, struct ptx_module *module, struct ptx_function *function, const char *stem);
/* Makes the changes; false when there were none. More may be recorded then, against the new code. */
bool edit_apply(struct edit *edit);
/* Forgets what is recorded. */
void edit_close(struct edit *edit);

/* The places, of an instruction or, but for edit_taken(), of the body's end. What is put there first is executed first. */
struct edit_list *edit_fall(struct edit *edit, uint32_t at);
struct edit_list *edit_before(struct edit *edit, uint32_t at);
struct edit_list *edit_taken(struct edit *edit, uint32_t at);
/* Where the block begins, for each time that it does; not of the virtual exit, to which threads also go without another
 * instruction. And where it ends, in front of the branch that ends it, if one does. */
struct edit_list *edit_block_begin(struct edit *edit, const struct flow_cfg *cfg, uint32_t block);
struct edit_list *edit_block_end(struct edit *edit, const struct flow_cfg *cfg, uint32_t block);
/* The edge becomes a block, to which nothing else leads and which leads nowhere else. An edge of a branch costs one more branch,
 * and so does one that falls through if nothing is put there. */
struct edit_list *edit_split(struct edit *edit, const struct flow_cfg *cfg, uint32_t from, uint32_t to);
/* What is executed whenever control goes from one block to the other, and at no other time: where one of them ends or begins
 * if that says so, else in a block on the edge. */
struct edit_list *edit_on_edge(struct edit *edit, const struct flow_cfg *cfg, uint32_t from, uint32_t to);

/* Puts a copy of the instruction, with its operands, behind what is in the list. */
struct ptx_inst *edit_add(struct edit *edit, struct edit_list *list, const struct ptx_inst *inst);
/* The same with instructions as PTX has them; false, with what is wrong in `diag`, when they are none. */
bool edit_add_text(struct edit *edit, struct edit_list *list, const char *text, struct diag *diag);
/* What led to it leads to what follows it. What is put at its places stays. */
void edit_remove(struct edit *edit, uint32_t at);

/* A fresh register, which is there at once. */
struct ptx_reg edit_register(struct edit *edit, enum ptx_type type);
/* A fresh array of bytes of the function's own in .local or .shared memory. */
struct ptx_variable *edit_variable(struct edit *edit, enum ptx_space space, uint32_t bytes, uint32_t align);

#endif
