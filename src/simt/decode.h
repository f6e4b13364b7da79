/* decode: interface between the files that turn a kernel into a program. */
#ifndef SLUICE_SIMT_DECODE_H
#define SLUICE_SIMT_DECODE_H

#include "simt/exec.h"
#include "simt/program.h"

/* Location of a variable of shared, local or (functions') param space. */
struct place_of {
	const struct ptx_variable *variable;
	struct simt_slot slot;
};

/* A row of constants, in a table that finds equal rows. */
struct constant_row {
	uint64_t value;
	uint32_t offset;
	uint8_t bytes; /* bytes per lane; 0: a special row, selected by `value` */
	bool used;     /* this slot of the table is occupied */
};

/* Decoding state of a function, parallel to its simt_function. */
struct decode_function {
	uint32_t *offset; /* by register id: its row, or SIMT_NO_REGISTER if unused */
	uint16_t *id;     /* by register id: its program-wide id */
	uint32_t carry;   /* row of the carry flag, or SIMT_NO_REGISTER */
	uint16_t carry_id;
	uint32_t code_count; /* instructions, including an added return */
	bool adds_return;
};

struct decoder {
	struct simt_program *program;
	struct arena *arena; /* the program's arena */
	struct diag *diag;
	const struct diag_source *source;
	const struct exec_isa *isa;
	struct simt_function *functions; /* functions of the program; [0] is the kernel */
	struct decode_function *details;
	uint32_t function_count, function_capacity;
	uint32_t *function_index; /* index in `functions` by index in the module; UINT32_MAX: not in the program */
	uint32_t current;         /* index of the function being decoded */
	const struct ptx_inst *inst; /* instruction being decoded, or NULL */
	struct place_of *places;
	uint32_t place_count, place_capacity;
	uint32_t *place_slot; /* hash table by variable, its size a power of two: 1 + index in `places`; 0: unused */
	uint32_t place_slots;
	uint32_t dynamic_shared;            /* offset of extern shared arrays */
	const struct ptx_variable *dynamic; /* an extern shared array that the program uses, or NULL */
	uint8_t *constants;
	uint32_t constant_bytes, constant_capacity;
	struct constant_row *constant; /* hash table; its size is a power of two */
	uint32_t constant_count, constant_slots;
	uint32_t sreg_row[PTX_SREGS]; /* register row, or 0 (row 0 is never a special register's) */
	struct simt_sreg_row *sreg_rows;
	uint32_t sreg_row_count;
	uint32_t sink; /* a register row that is never read, or SIMT_NO_REGISTER while there is none */
	uint32_t errors_before;
};

/* layout.c: finds the functions of the program, and lays out their registers and variables. */
void layout_functions(struct decoder *decoder, const struct ptx_function *kernel);
void layout_registers(struct decoder *decoder);
void layout_memory(struct decoder *decoder);
const struct place_of *layout_find(const struct decoder *decoder, const struct ptx_variable *variable);
uint32_t layout_function_index(const struct decoder *decoder, const struct ptx_function *function);

/* recursion.c: marks the functions of the program that may run again before they have returned. */
void recursion_mark(struct decoder *decoder);

/* decode_operands.c */
__attribute__((format(printf, 3, 4))) void decode_error(struct decoder *decoder, struct diag_place place, const char *format,
                                                        ...);
const struct ptx_reg *decode_reg(const struct decoder *decoder, uint32_t reg);
uint32_t decode_reg_bytes(const struct decoder *decoder, uint32_t reg); /* bytes per lane; predicates 0 */
uint32_t decode_constant(struct decoder *decoder, uint64_t value, uint32_t bytes);
void decode_source(struct decoder *decoder, struct simt_inst *inst, unsigned k, const struct ptx_operand *operand,
                   enum ptx_type type);
void decode_destination(struct decoder *decoder, struct simt_inst *inst, unsigned k, const struct ptx_operand *operand);
/* Operands of 128 bits occupy two positions: k and k + 1. */
void decode_wide_source(struct decoder *decoder, struct simt_inst *inst, unsigned k, const struct ptx_operand *operand);
void decode_wide_destination(struct decoder *decoder, struct simt_inst *inst, unsigned k,
                             const struct ptx_operand *operand);
void decode_address(struct decoder *decoder, struct simt_inst *inst, const struct ptx_operand *operand);
void decode_registers(struct decoder *decoder, struct simt_inst *inst);
/* Returns the address of a symbol in its own space. `in_frame`: the address is relative to the frame. */
uint64_t decode_symbol(struct decoder *decoder, const struct ptx_operand *operand, bool *in_frame);
bool decode_is_kernel_param(const struct decoder *decoder, const struct ptx_variable *variable);
/* Returns the bytes per lane of a type: 8 or 4. */
uint32_t decode_lane_bytes(enum ptx_type type);

/* decode_memory.c: mov, cvta, loads, stores, atomics, prefetches. */
void decode_mov(struct decoder *decoder, struct simt_inst *inst);
void decode_cvta(struct decoder *decoder, struct simt_inst *inst);
void decode_memory(struct decoder *decoder, struct simt_inst *inst);

/* decode_call.c */
void decode_call(struct decoder *decoder, struct simt_inst *inst);

/* decode_image.c: instructions on textures and surfaces. */
void decode_image(struct decoder *decoder, struct simt_inst *inst);

/* decode_matrix.c: instructions on matrices. */
void decode_matrix(struct decoder *decoder, struct simt_inst *inst);

/* decode_barrier.c: barriers of a block; barriers of a cluster, which is one block; mbarriers. */
void decode_barrier(struct decoder *decoder, struct simt_inst *inst);
void decode_mbarrier(struct decoder *decoder, struct simt_inst *inst);

/* decode_copy.c: cp.async, its groups and arrivals. */
void decode_copy(struct decoder *decoder, struct simt_inst *inst);
/* decode_bulk.c: bulk copies, and the instructions that wait for them. */
void decode_bulk(struct decoder *decoder, struct simt_inst *inst);

/* decode.c: an instruction with value operands only. Decodes its destinations, and its sources from 0 on. */
void decode_ordinary(struct decoder *decoder, struct simt_inst *inst);

/* decode.c: simt_decode() for a given level of the instruction set instead of the best one. */
struct simt_program *decode_for(const struct ptx_function *kernel,
                                uint32_t *(*reconverge)(struct arena *arena, const struct ptx_function *function),
                                const struct exec_isa *isa, struct diag *diag);

#endif
