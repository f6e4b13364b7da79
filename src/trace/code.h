/* code: the different instructions of a trace, each once, and the simt_inst that it becomes. */
#ifndef SLUICE_TRACE_CODE_H
#define SLUICE_TRACE_CODE_H

#include "trace/lines.h"
#include "trace/trace.h"

/* What a line says of its instruction, whatever warp runs it. Pointers into the line. */
struct trace_words {
	const char *pc;           /* in hexadecimal */
	size_t pc_length;
	const char *fixed;        /* from the number of destinations to the width of the access */
	size_t fixed_length;
	const char *destination;  /* the first, where there is one */
	const char *opcode;
	size_t opcode_length;
	const char *source;
	uint32_t destinations, sources;
	uint32_t width;           /* bytes a lane; 0: no addresses follow */
	const char *rest;         /* behind it: to the end of the line */
	uint32_t line;            /* of the source; 0: not known */
};

/* An instruction, and what its lines have behind the width. */
struct trace_static {
	uint64_t pc;
	uint32_t index;       /* in the program: known when all are */
	bool has_addresses;   /* that are kept; */
	bool skips_addresses; /* that are there and not kept; */
	bool is_bulk;         /* all that is there is left out */
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

/* The number of the line's instruction in the list. UINT32_MAX after a message. */
uint32_t trace_code_find(struct trace_code *code, const struct trace_lines *lines, const struct trace_words *words,
                         struct diag *diag);
/* The number of an EXIT that no line has. */
uint32_t trace_code_exit(struct trace_code *code);
/* Gives each its place: by its pc, or behind all others where another one has that. False after a message. */
bool trace_code_place(struct trace_code *code, const struct trace_lines *lines, struct simt_program *program,
                      struct diag *diag);
void trace_code_free(struct trace_code *code);

#endif
