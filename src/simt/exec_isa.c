/* exec_isa: the lookup functions of one instruction-set level. */
#include "simt/exec.h"

simt_exec *ISA(exec_find_int)(const struct exec_query *query);
simt_exec *ISA(exec_find_real)(const struct exec_query *query);
simt_exec *ISA(exec_find_compare)(const struct exec_query *query);
simt_exec *ISA(exec_find_convert)(const struct exec_query *query);
simt_exec *ISA(exec_find_move)(const struct exec_query *query);
simt_exec *ISA(exec_find_memory)(const struct exec_query *query, simt_exec **commit);
simt_exec *ISA(exec_find_matrix)(const struct ptx_inst *ptx);

#define TEXT_(x) #x
#define TEXT(x)  TEXT_(x)

const struct exec_isa ISA(exec_isa) = {
	.name = TEXT(SIMT_ISA),
	.integer = ISA(exec_find_int),
	.real = ISA(exec_find_real),
	.compare = ISA(exec_find_compare),
	.convert = ISA(exec_find_convert),
	.move = ISA(exec_find_move),
	.memory = ISA(exec_find_memory),
	.matrix = ISA(exec_find_matrix),
};
