/* opcodes: what the timing model needs to know of the opcodes in instruction traces: SASS of each generation, and
 * PTX in traces that Sluice wrote. */
#ifndef SLUICE_TRACE_OPCODES_H
#define SLUICE_TRACE_OPCODES_H

#include "simt/simt.h"

/* A set of opcodes. */
enum trace_isa { TRACE_KEPLER, TRACE_MAXWELL, TRACE_PASCAL, TRACE_VOLTA, TRACE_TURING, TRACE_AMPERE, TRACE_HOPPER, TRACE_PTX, TRACE_ISAS };

/* A row of the table. */
struct trace_opcode {
	const char *name;       /* the word before the first dot */
	uint8_t first, last;    /* enum trace_isa: first and last generation that has it */
	uint8_t kind;           /* enum simt_kind */
	uint8_t unit;           /* enum ptx_unit */
	uint8_t latency;        /* enum ptx_latency */
	uint8_t data_type;      /* enum ptx_data_type */
	uint8_t space;          /* enum ptx_space, for memory accesses */
	uint8_t async;          /* enum simt_async, for copies to shared memory and their groups */
	uint16_t op;            /* enum ptx_opcode that mechanisms see */
	bool is_bulk;           /* moves tiles by a separate engine: its addresses are ignored */
};

/* Finds the generation of a "binary version": 70 is Volta. Returns false when the number is unknown. */
bool trace_isa_of(uint32_t binary_version, enum trace_isa *isa);
const char *trace_isa_name(enum trace_isa isa);
/* Returns the size of an instruction in bytes of code. */
uint32_t trace_instruction_bytes(enum trace_isa isa);

/* Returns the row of a SASS opcode by its name of `length` characters, or NULL. */
const struct trace_opcode *trace_find_opcode(enum trace_isa isa, const char *name, size_t length);

/* Decodes an instruction's whole opcode, including suffixes. Sets kind, unit, latency class, data type, space,
 * cache operator and copy role. Sets the size if the suffixes state it, and opcode and order in *ptx. Returns NULL
 * on success, else the error, with *at at its position in the opcode. */
const char *trace_describe(enum trace_isa isa, const char *opcode, size_t length, struct simt_inst *inst,
                           struct ptx_inst *ptx, bool *is_bulk, const char **at);

/* Prints the opcode of an instruction in the form that Sluice's own traces use. */
void trace_print_opcode(const struct simt_inst *inst, char *text, size_t size);

#endif
