/* access: the memory accesses of instructions, per address operand. Passes, mechanisms and the checks of programs
 * use this one table.
 *
 * The table (access.c) has a row for each opcode and each letter of ops.h that denotes an address in its forms.
 * tests/ptx/test_ptx_touches.c walks all forms and fails for an address without a row. An address without a row
 * counts as read and written, with an unknown end. */
#ifndef SLUICE_PTX_ACCESS_H
#define SLUICE_PTX_ACCESS_H

#include "ptx/module.h"

enum { PTX_READS = 1, PTX_WRITES = 2, PTX_MAX_ACCESSES = 4 };

/* The event after which an access is complete. */
enum ptx_ending {
	PTX_ENDS_AT_ONCE,       /* with its instruction */
	PTX_ENDS_BY_COPY_GROUP, /* when the thread's wait for its groups of cp.async returns */
	PTX_ENDS_BY_BULK_GROUP, /* when the thread's wait for its groups of bulk copies returns */
	PTX_ENDS_BY_MBARRIER,   /* when any thread's wait for an mbarrier's phase returns; the wait names no copy */
	/* a DMA engine delays accesses to the range until the transfer is complete (docs/reference/dma.md) */
	PTX_ENDS_BY_ENGINE,
};

struct ptx_access {
	const struct ptx_operand *address;
	enum ptx_space space; /* PTX_GENERIC: any */
	unsigned how;         /* PTX_READS, PTX_WRITES, or 0: it names a location without accessing it */
	enum ptx_ending ends;
	uint32_t bytes; /* per lane; 0: not known */
};

/* Stores the addresses of an instruction, in operand order, and returns their number. Calls and texture
 * instructions have special rows: a callee's code has its own accesses, and a texture never lies in shared memory. */
uint32_t ptx_inst_accesses(const struct ptx_inst *inst, struct ptx_access access[PTX_MAX_ACCESSES]);

/* Looks up the row of an opcode's operand letter. Returns false when the table has none. */
bool ptx_access_row(enum ptx_opcode op, char letter, unsigned *how, enum ptx_ending *ends);
/* Returns true when a letter of ops.h denotes an address. */
bool ptx_letter_is_address(char letter);

/* Instructions that complete accesses; 0 for all other instructions. */
enum ptx_wait {
	PTX_NO_WAIT,
	PTX_COPY_COMMIT,   /* the thread's copies become a group */
	PTX_COPY_WAIT,     /* waits for all of its groups of cp.async */
	PTX_COPY_WAIT_ALL, /* waits for all of its cp.async, in groups or not */
	PTX_BULK_COMMIT,
	PTX_BULK_WAIT,
};
enum ptx_wait ptx_inst_waits(const struct ptx_inst *inst);

/* Returns true when an address of that space may lie in shared memory; a generic address may. */
static inline bool ptx_space_may_be_shared(enum ptx_space space)
{
	return space == PTX_SHARED || space == PTX_GENERIC;
}

/* Returns true when an opcode has a form that accesses shared memory, or may access it. */
bool ptx_op_may_touch_shared(enum ptx_opcode op);

#endif
