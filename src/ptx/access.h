/* access: what instructions do with memory, address by address: one table for the passes, for mechanisms and for
 * the checks of programs.
 *
 * The table (access.c) has a row for each opcode and each letter of ops.h that stands for an address in its forms.
 * tests/ptx/test_ptx_touches.c walks all forms and fails for an address without a row. An address without a row
 * counts as read and written, with an unknown end. */
#ifndef SLUICE_PTX_ACCESS_H
#define SLUICE_PTX_ACCESS_H

#include "ptx/module.h"

enum { PTX_READS = 1, PTX_WRITES = 2, PTX_MAX_ACCESSES = 4 };

/* When an access is over. */
enum ptx_ending {
	PTX_ENDS_AT_ONCE,       /* with its instruction */
	PTX_ENDS_BY_COPY_GROUP, /* behind the thread's wait for its groups of cp.async */
	PTX_ENDS_BY_BULK_GROUP, /* behind the thread's wait for its groups of copies in bulk */
	PTX_ENDS_BY_MBARRIER,   /* behind any thread's wait for an mbarrier's phase, which names no copy */
	PTX_ENDS_BY_ENGINE, /* a DMA engine keeps accesses to the range waiting until it is over (docs/reference/dma.md) */
};

struct ptx_access {
	const struct ptx_operand *address;
	enum ptx_space space; /* PTX_GENERIC: any */
	unsigned how;         /* PTX_READS, PTX_WRITES, or 0: it names a place and accesses none */
	enum ptx_ending ends;
	uint32_t bytes; /* of a lane; 0: not known */
};

/* The addresses of an instruction, in the order of its operands. Returns their number. Calls and texture units
 * have rows of their own kind: what a callee accesses is its code's, and a texture lies in no shared memory. */
uint32_t ptx_inst_accesses(const struct ptx_inst *inst, struct ptx_access access[PTX_MAX_ACCESSES]);

/* Of an opcode's operand letter: false where the table has no row. */
bool ptx_access_row(enum ptx_opcode op, char letter, unsigned *how, enum ptx_ending *ends);
/* Whether a letter of ops.h stands for an address. */
bool ptx_letter_is_address(char letter);

/* What ends accesses: 0 where the instruction is none such. */
enum ptx_wait {
	PTX_NO_WAIT,
	PTX_COPY_COMMIT,   /* the thread's copies become a group */
	PTX_COPY_WAIT,     /* all of its groups of cp.async are over */
	PTX_COPY_WAIT_ALL, /* all of its cp.async are, in groups or not */
	PTX_BULK_COMMIT,
	PTX_BULK_WAIT,
};
enum ptx_wait ptx_inst_waits(const struct ptx_inst *inst);

/* An address of that space, or a generic one, may lie in shared memory. */
static inline bool ptx_space_may_be_shared(enum ptx_space space)
{
	return space == PTX_SHARED || space == PTX_GENERIC;
}

/* Whether an opcode has a form that accesses shared memory, or may. */
bool ptx_op_may_touch_shared(enum ptx_opcode op);

#endif
