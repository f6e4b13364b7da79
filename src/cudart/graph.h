/* graph: what the files of CUDA's graphs share.
 *
 * A graph holds nodes, each of some work and behind others. It is made call by call (graph.c, graph_nodes.c, graph_params.c) or out
 * of what is given to a stream that is captured (capture.c). What is instantiated is a copy of it, in an order (graph_exec.c), which can be
 * made to do other work (graph_update.c). A graph's nodes run one after the other: in the order in which they were made, but for those
 * that others have to wait for, which come before these.
 */
#ifndef SLUICE_CUDART_GRAPH_H
#define SLUICE_CUDART_GRAPH_H

#include "cudart/launch_attributes.h"

/* ---- work: what a node does (graph_work.c) ---- */

struct graph_kernel {
	const void *function;
	dim3 grid, block;
	size_t shared;
	struct launch_attributes attributes;
	void **arguments; /* as many pointers as there are parameters, and behind them the values: one piece of memory */
	size_t bytes;     /* of that */
	uint32_t count;   /* parameters */
};

struct graph_work {
	enum cudaGraphNodeType type;
	union {
		struct graph_kernel kernel;
		struct cudaMemcpy3DParms copy;
		struct cudaMemsetParams fill;
		struct cudaHostNodeParams host;
		cudaGraph_t child; /* the node's own */
		cudaEvent_t event;
		struct cudaMemAllocNodeParams allocation;
		void *freed;
	};
};

/* The work with arguments and a child of its own. */
struct graph_work work_copy(struct runtime *runtime, const struct graph_work *work);
void work_free(struct runtime *runtime, struct graph_work *work);
/* Does it; the lock is not held. A child's nodes are those of an instance. */
cudaError_t work_run(const struct graph_work *work, cudaStream_t stream);

/* A kernel with the arguments' values as they are now: each at its pointer, or all in the buffer of `extra`. */
cudaError_t work_kernel(struct runtime *runtime, const char *call, const struct graph_kernel *kernel, void **arguments,
                        void **extra, struct graph_work *work);
/* A copy of bytes in a row. */
struct graph_work work_bytes(void *to, const void *from, size_t size, enum cudaMemcpyKind kind);

/* ---- graphs and their nodes (graph.c; the program's calls are in graph_calls.c) ---- */

enum graph_kind { GRAPH, GRAPH_NODE, GRAPH_INSTANCE };

struct node_list {
	cudaGraphNode_t *node;
	size_t count;
};

struct CUgraphNode_st {
	enum graph_kind kind;
	bool disabled;               /* of an instance */
	unsigned long long id;       /* of all nodes that there have been */
	unsigned long long original; /* the id of the node that it is a copy of, or 0 */
	cudaGraph_t graph;
	struct graph_work work;
	struct node_list before, after; /* which it waits for, and which wait for it */
	cudaGraphNode_t next;           /* of the graph, in the order in which they were made */
	size_t looked_at;               /* while an order is made: how many of `before` */
	enum { NODE_NEW, NODE_OPEN, NODE_DONE } state; /* and how far it is */
};

struct CUgraph_st {
	enum graph_kind kind;
	unsigned long long id;
	bool is_owned; /* a node's child, an instance's copy or what is captured */
	cudaGraphNode_t first, last;
	size_t count;
	struct node_list order; /* of an instance's copy */
	struct graph_object *objects; /* user_object.c */
};

struct CUgraphExec_st {
	enum graph_kind kind;
	cudaGraph_t graph; /* its own */
	unsigned long long flags;
};

cudaGraph_t graph_find(const struct runtime *runtime, const void *pointer);
cudaGraphNode_t graph_find_node(const struct runtime *runtime, const void *pointer);
cudaGraphExec_t graph_find_instance(const struct runtime *runtime, const void *pointer);
/* An error unless there is such a one, else the sticky one. */
cudaError_t graph_check(const struct runtime *runtime, const char *call, const void *graph);
cudaError_t graph_check_node(const struct runtime *runtime, const char *call, const void *node);
cudaError_t graph_check_instance(const struct runtime *runtime, const char *call, const void *instance);
/* That the graph is there and the nodes are its own, each once. */
cudaError_t graph_check_nodes(const struct runtime *runtime, const char *call, cudaGraph_t graph,
                              const cudaGraphNode_t *nodes, size_t count);

void graph_register(struct runtime *runtime, void *object);
void graph_forget(struct runtime *runtime, void *object);
cudaGraph_t graph_new(struct runtime *runtime);
/* The work is the node's from then on. */
cudaGraphNode_t graph_add(struct runtime *runtime, cudaGraph_t graph, const cudaGraphNode_t *dependencies, size_t count,
                          struct graph_work work);
/* One node waits for another from now on. */
void graph_connect(cudaGraphNode_t from, cudaGraphNode_t to);
/* Of one that no graph and no other node knows any more. */
void graph_free_node(struct runtime *runtime, cudaGraphNode_t node);
cudaGraph_t graph_copy(struct runtime *runtime, const struct CUgraph_st *graph);
void graph_free(struct runtime *runtime, cudaGraph_t graph);
/* Whether it, or a child of it, has a node of that type. */
bool graph_has(const struct CUgraph_st *graph, enum cudaGraphNodeType type);
/* The node in the graph, or in a child of it, that is a copy of the one with that id; NULL: none. */
cudaGraphNode_t graph_find_copy(cudaGraph_t graph, unsigned long long id);
/* Puts its nodes, and its children's, in the order in which they run. False: they wait for each other in a circle. */
bool graph_order(cudaGraph_t graph);

/* Lists of nodes (node_list.c). */
void nodes_add(struct node_list *list, cudaGraphNode_t node);
bool nodes_have(const struct node_list *list, const struct CUgraphNode_st *node);
void nodes_remove(struct node_list *list, const struct CUgraphNode_st *node);
struct node_list nodes_copy(const struct node_list *list);
void nodes_free(struct node_list *list);

/* ---- what programs give graphs to keep (user_object.c) ---- */

/* The copy has as many references as the graph. */
void graph_objects_copy(cudaGraph_t copy, const struct CUgraph_st *graph);
/* The graph's references are given up. */
void graph_objects_drop(cudaGraph_t graph);
/* Calls the destructors of objects that nobody has a reference to any more; the lock is not held. */
void user_objects_end(void);
void user_objects_free(struct runtime *runtime);

/* ---- parameters (graph_params.c): what a program says of a node, as work ---- */

cudaError_t params_kernel(struct runtime *runtime, const char *call, const struct cudaKernelNodeParams *parameters,
                          struct graph_work *work);
cudaError_t params_copy(struct runtime *runtime, const char *call, const struct cudaMemcpy3DParms *parameters,
                        struct graph_work *work);
cudaError_t params_fill(struct runtime *runtime, const char *call, const struct cudaMemsetParams *parameters,
                        struct graph_work *work);
cudaError_t params_host(struct runtime *runtime, const char *call, const struct cudaHostNodeParams *parameters,
                        struct graph_work *work);
cudaError_t params_child(struct runtime *runtime, const char *call, cudaGraph_t child, struct graph_work *work);
cudaError_t params_event(struct runtime *runtime, const char *call, cudaEvent_t event, enum cudaGraphNodeType type,
                         struct graph_work *work);
/* Of any type, memory excepted. */
cudaError_t params_any(struct runtime *runtime, const char *call, const struct cudaGraphNodeParams *parameters,
                       struct graph_work *work);
/* Conditional nodes and semaphores: why there are none. */
cudaError_t params_refuse(const char *call, enum cudaGraphNodeType type);

/* Whether an instance's node may do that instead of what it does. */
enum cudaGraphExecUpdateResult update_check(const struct graph_work *old, const struct graph_work *work);
/* From now on it does; the work was checked, and is the instance's from then on. */
void update_work(struct runtime *runtime, struct graph_work *old, struct graph_work work);

/* ---- memory that graphs allocate (graph_memory.c) ---- */

/* An address for an allocation node, which keeps it until graph_memory_drop(). */
cudaError_t graph_memory_reserve(struct runtime *runtime, const char *call, size_t size, void **pointer);
void graph_memory_keep(struct runtime *runtime, const void *pointer);
void graph_memory_drop(struct runtime *runtime, const void *pointer);
/* What allocation and free nodes do. */
cudaError_t graph_memory_allocate(struct runtime *runtime, const void *pointer);
cudaError_t graph_memory_release(struct runtime *runtime, const char *call, const void *pointer);
/* Whether a graph has that address. */
bool graph_memory_has(const struct runtime *runtime, const void *pointer);
/* Takes back what the instance has allocated and nobody has freed. */
void graph_memory_take_back(struct runtime *runtime, const struct CUgraph_st *graph);
void graph_memories_free(struct runtime *runtime);

#endif
