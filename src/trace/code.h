/* code: the distinct instructions of an instruction trace, and the simt_inst of each. */
#ifndef SLUICE_TRACE_CODE_H
#define SLUICE_TRACE_CODE_H

#include "trace/lines.h"
#include "trace/trace.h"

/* The words of a trace line that describe its instruction, independent of the warp. Pointers into the line. */
struct trace_words {
	const char *pc;           /* in hexadecimal */
	size_t pc_length;
	const char *fixed;        /* from the number of destinations to the access width */
	size_t fixed_length;
	const char *destination;  /* the first one, if there is any */
	const char *opcode;
	size_t opcode_length;
	const char *source;
	uint32_t destinations, sources;
	uint32_t width;           /* bytes per lane; 0: no addresses follow */
	const char *rest;         /* after the width, to the end of the line */
	uint32_t line;            /* source line; 0: unknown */
};

/* An instruction, and what its trace lines contain after the width. */
struct trace_static {
	uint64_t pc;
	uint32_t index;       /* index in the program, valid after trace_code_place() */
	bool has_addresses;   /* addresses that are stored */
	bool skips_addresses; /* addresses that are present but not stored */
	bool is_bulk;         /* the rest of the line is ignored */
	struct simt_inst inst;
};

struct trace_code {
	struct arena *arena;
	enum trace_isa isa;
	struct trace_static **list;
	uint32_t count, capacity;
	struct trace_slot *slot;
	uint32_t slots;
	uint32_t registers;
};

/* Returns the number of the line's instruction in the list. Returns UINT32_MAX after a message. */
uint32_t trace_code_find(struct trace_code *code, const struct trace_lines *lines, const struct trace_words *words,
                         struct diag *diag);
/* Returns the number of an EXIT instruction that no trace line has. */
uint32_t trace_code_exit(struct trace_code *code);
/* Places each instruction by its pc, or after all others if its pc is already taken. Returns false after a message. */
bool trace_code_place(struct trace_code *code, const struct trace_lines *lines, struct simt_program *program,
                      struct diag *diag);
void trace_code_free(struct trace_code *code);

#endif
