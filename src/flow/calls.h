/* calls: the call graph of a module. Internal to flow. */
#ifndef SLUICE_FLOW_CALLS_H
#define SLUICE_FLOW_CALLS_H

#include "flow/flow.h"

/* All calls from one function to another, or all its calls by address. Calls by address can reach many functions,
 * so they share one edge instead of one per pair. */
struct call_edge {
	struct call_node *caller, *callee; /* callee: NULL for calls by address */
	uint32_t across; /* most 32-bit registers held across any of these calls */
	struct call_edge *next;
};

struct call_node {
	const struct ptx_function *function;
	struct call_edge *edges, *by_address; /* by_address: the edge without a callee, or NULL */
	struct call_edge *found;              /* the edge to this function that was last looked up */
	/* on the walk's path: the next edge to follow, and the node from which the walk came */
	const struct call_edge *next;
	struct call_node *caller;
	bool address_taken, is_on_path, is_done;
	uint32_t registers; /* including all functions that it calls */
};

/* The code whose registers are counted. */
enum calls_code {
	CALLS_AS_WRITTEN, /* the PTX */
	CALLS_FOLDED,     /* as an assembler transforms it, in PTX order, with as few registers as possible */
	CALLS_SCHEDULED,  /* as an assembler transforms it that hides latencies and has registers to spare */
};

/* The call graph of a module, built only for functions that a kernel reaches. */
struct calls {
	struct arena arena;
	enum calls_code code;
	struct call_node *node;
	uint32_t nodes;
	/* index: no function from here on is new to calls by address; the walk lowers it */
	uint32_t addressed;
	uint32_t addressed_registers; /* most registers of the addressed functions that the walk has left */
};

/* Opens a call graph. Free it with arena_free(&calls->arena). */
void calls_open(struct calls *calls, const struct ptx_module *module);
struct call_node *calls_node(const struct calls *calls, const struct ptx_function *function);

/* Visits the functions that a function can call, callees first, and finally the function itself. Recursive calls
 * are skipped: their depth is unknown. While a function is visited, the functions on the call path to it are marked
 * is_on_path. */
void calls_walk(struct calls *calls, struct call_node *node, void (*visit)(void *user, struct call_node *node),
                void *user);
/* For visits: computes the registers of a function including all that it calls. */
void calls_sum_registers(struct calls *calls, struct call_node *node);
/* For visits: returns the most registers that a call's target needs. */
uint32_t calls_registers_below(const struct calls *calls, const struct ptx_inst *call);

/* Calls `visit` with each operand of an instruction, including elements of vectors and lists. */
void calls_each_operand(const struct ptx_operand *operand, uint32_t count,
                        void (*visit)(void *user, const struct ptx_operand *operand), void *user);

#endif
