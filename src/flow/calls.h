/* calls: the call graph of a module, inside flow. */
#ifndef SLUICE_FLOW_CALLS_H
#define SLUICE_FLOW_CALLS_H

#include "flow/flow.h"

/* Calls from one function to another, or by address to all that such calls can reach: they would be an edge for each pair
 * of functions. */
struct call_edge {
	struct call_node *caller, *callee; /* callee: NULL by address */
	uint32_t across; /* 32-bit registers held across the call: the most of all these calls */
	struct call_edge *next;
};

struct call_node {
	const struct ptx_function *function;
	struct call_edge *edges, *by_address; /* by_address: of these, the one without a callee, or NULL */
	struct call_edge *found;              /* the edge to this function that was looked up last */
	const struct call_edge *next; /* on the walk's path: the next to follow, and where the walk came from */
	struct call_node *caller;
	bool address_taken, is_on_path, is_done;
	uint32_t registers;   /* with all that it calls */
	uint64_t local_bytes; /* likewise */
};

/* Of what code the registers are summed. */
enum calls_code {
	CALLS_AS_WRITTEN, /* the PTX */
	CALLS_FOLDED,     /* as an assembler has it, in the order of the PTX and as tight as can be */
	CALLS_SCHEDULED,  /* as an assembler has it that hides latencies and has registers to spare */
};

/* The call graph of a module, built as far as a kernel leads into it. */
struct calls {
	struct arena arena;
	enum calls_code code;
	struct call_node *node;
	uint32_t nodes;
	uint32_t addressed; /* calls by address reach no function from here on that the walk has not entered */
	uint32_t addressed_registers;   /* the most that those have which it has left */
	uint64_t addressed_local_bytes; /* likewise */
};

/* Frees with arena_free(&calls->arena). */
void calls_open(struct calls *calls, const struct ptx_module *module);
struct call_node *calls_node(const struct calls *calls, const struct ptx_function *function);

/* Visits what a function can call, callees first, and at last itself. A recursive call is passed over: how deep it goes is
 * not known. While a function is visited those whose calls led there are on the path. */
void calls_walk(struct calls *calls, struct call_node *node, void (*visit)(void *user, struct call_node *node),
                void *user);
/* For visits: the registers of a function with all that it calls. */
void calls_sum_registers(struct calls *calls, struct call_node *node);
/* For visits: the most local memory that a callee needs. */
uint64_t calls_local_bytes_below(const struct calls *calls, const struct call_node *node);
/* For visits: the most registers that a call's target needs. */
uint32_t calls_registers_below(const struct calls *calls, const struct ptx_inst *call);

/* Calls `visit` with each operand of an instruction and of its vectors and lists. */
void calls_each_operand(const struct ptx_operand *operand, uint32_t count,
                        void (*visit)(void *user, const struct ptx_operand *operand), void *user);

#endif
