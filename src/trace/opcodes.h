/* opcodes: what the timing model must know of the opcodes of traces: of each generation's SASS, and of PTX as our own traces have it. */
#ifndef SLUICE_TRACE_OPCODES_H
#define SLUICE_TRACE_OPCODES_H

#include "simt/simt.h"

/* A set of opcodes. */
enum trace_isa { TRACE_KEPLER, TRACE_MAXWELL, TRACE_PASCAL, TRACE_VOLTA, TRACE_TURING, TRACE_AMPERE, TRACE_HOPPER, TRACE_PTX, TRACE_ISAS };

/* What a row says. */
struct trace_opcode {
	const char *name;       /* the word before the first dot */
	uint8_t first, last;    /* enum trace_isa: the generations that have it */
	uint8_t kind;           /* enum simt_kind */
	uint8_t unit;           /* enum ptx_unit */
	uint8_t latency;        /* enum ptx_latency */
	uint8_t data_type;      /* enum ptx_data_type */
	uint8_t space;          /* enum ptx_space, of what accesses memory */
	uint8_t async;          /* enum simt_async, of copies to shared memory and their groups */
	uint16_t op;            /* enum ptx_opcode: what it is called towards mechanisms */
	bool is_bulk;           /* moves tiles by an engine of its own: its addresses are left out */
};

/* The generation of a "binary version": 70 is Volta. False: there is none of that number. */
bool trace_isa_of(uint32_t binary_version, enum trace_isa *isa);
const char *trace_isa_name(enum trace_isa isa);
/* Bytes of code an instruction takes. */
uint32_t trace_instruction_bytes(enum trace_isa isa);

/* The row of a SASS opcode by its name of `length` characters, or NULL. */
const struct trace_opcode *trace_find_opcode(enum trace_isa isa, const char *name, size_t length);

/* Fills in kind, unit, latency class, data type, space, cache, what it has to do with copies and, in *ptx, opcode and order of an instruction by its whole opcode,
 * suffixes included. Its size, where they say it. NULL: it is known; else what is wrong, with *at where in the opcode. */
const char *trace_describe(enum trace_isa isa, const char *opcode, size_t length, struct simt_inst *inst,
                           struct ptx_inst *ptx, bool *is_bulk, const char **at);

/* The same of our own: how an instruction's opcode is written. */
void trace_print_opcode(const struct simt_inst *inst, char *text, size_t size);

#endif
