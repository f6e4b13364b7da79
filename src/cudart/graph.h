/* graph: declarations shared by the files that implement CUDA graphs.
 *
 * A graph holds nodes. Each node has some work and depends on other nodes. A program builds a graph by calls (graph.c,
 * graph_nodes.c, graph_params.c) or by capturing a stream (capture.c). Instantiation makes a copy in execution order
 * (graph_exec.c); the copy's work can be changed later (graph_update.c). Branches of a graph run at the same time if
 * streams do (graph_branches.c). Otherwise nodes run one at a time, in order of creation. A node that others depend on
 * runs before them.
 */
#ifndef SLUICE_CUDART_GRAPH_H
#define SLUICE_CUDART_GRAPH_H

#include "cudart/launch_attributes.h"

/* ---- work: the operation of a node (graph_work.c) ---- */

struct graph_kernel {
	const void *function;
	dim3 grid, block;
	size_t shared;
	struct launch_attributes attributes;
	void **arguments; /* one block of memory: the pointers, one per parameter, and the values after them */
	size_t bytes;     /* size of that block */
	uint32_t count;   /* number of parameters */
};

struct graph_work {
	enum cudaGraphNodeType type;
	union {
		struct graph_kernel kernel;
		struct cudaMemcpy3DParms copy;
		struct cudaMemsetParams fill;
		struct cudaHostNodeParams host;
		cudaGraph_t child; /* owned by the node */
		cudaEvent_t event;
		struct cudaMemAllocNodeParams allocation;
		void *freed;
	};
};

/* Returns a copy of the work with its own arguments and child graph. */
struct graph_work work_copy(struct runtime *runtime, const struct graph_work *work);
void work_free(struct runtime *runtime, struct graph_work *work);
/* Performs the work; the caller must not hold the lock. A child's nodes must be those of an instance. */
cudaError_t work_run(const struct graph_work *work, cudaStream_t stream);

/* Performs the work of an instance's graph, or queues it (graph_branches.c). The caller must not hold the lock. */
cudaError_t graph_run(const struct CUgraph_st *graph, cudaStream_t stream);

/* Makes kernel work with the arguments' current values, read through `arguments` or from the buffer in `extra`. */
cudaError_t work_kernel(struct runtime *runtime, const char *call, const struct graph_kernel *kernel, void **arguments,
                        void **extra, struct graph_work *work);
/* Makes a copy of contiguous bytes. */
struct graph_work work_bytes(void *to, const void *from, size_t size, enum cudaMemcpyKind kind);

/* ---- graphs and their nodes (graph.c; the public calls are in graph_calls.c) ---- */

enum graph_kind { GRAPH, GRAPH_NODE, GRAPH_INSTANCE };

struct node_list {
	cudaGraphNode_t *node;
	size_t count;
};

struct CUgraphNode_st {
	enum graph_kind kind;
	bool disabled;               /* of an instance: launches skip the node */
	unsigned long long id;       /* unique among all nodes ever created */
	unsigned long long original; /* id of the node that this one was copied from, or 0 */
	cudaGraph_t graph;
	struct graph_work work;
	struct node_list before, after; /* nodes that it depends on, and nodes that depend on it */
	cudaGraphNode_t next;           /* next node of the graph, by creation */
	size_t looked_at;               /* while sorting: visited entries of `before` */
	/* of an instance, while a launch queues its work (graph_branches.c) */
	size_t branch;
	bool is_continued; /* a later node has taken its branch */
	uint64_t point;    /* work that ends after the node's */
	enum { NODE_NEW, NODE_OPEN, NODE_DONE } state; /* while sorting */
};

struct CUgraph_st {
	enum graph_kind kind;
	unsigned long long id;
	bool is_owned; /* owned by a node, an instance or a capture; the program must not destroy it */
	cudaGraphNode_t first, last;
	size_t count;
	/* An instance's copy, or a child in it. A graph that the program has destroyed may have had its address. */
	bool is_hidden;
	struct node_list order; /* execution order, of such a graph */
	struct graph_object *objects; /* user_object.c */
};

struct CUgraphExec_st {
	enum graph_kind kind;
	cudaGraph_t graph; /* owned by the instance */
	unsigned long long flags;
	uint64_t last; /* marks the end of its last launch, which the next one follows */
};

/* Each returns an error unless the object exists, otherwise the sticky error. */
cudaError_t graph_check(const struct runtime *runtime, const char *call, const void *graph);
cudaError_t graph_check_node(const struct runtime *runtime, const char *call, const void *node);
cudaError_t graph_check_instance(const struct runtime *runtime, const char *call, const void *instance);
/* Checks that the graph exists and that the nodes belong to it, each listed once. */
cudaError_t graph_check_nodes(const struct runtime *runtime, const char *call, cudaGraph_t graph,
                              const cudaGraphNode_t *nodes, size_t count);

/* Add the object to, or remove it from, the objects that programs may name. */
void graph_register(struct runtime *runtime, void *object);
void graph_forget(struct runtime *runtime, void *object);
cudaGraph_t graph_new(struct runtime *runtime);
/* The node takes ownership of the work. */
cudaGraphNode_t graph_add(struct runtime *runtime, cudaGraph_t graph, const cudaGraphNode_t *dependencies, size_t count,
                          struct graph_work work);
/* Makes `to` depend on `from`. */
void graph_connect(cudaGraphNode_t from, cudaGraphNode_t to);
/* Frees a node that no graph and no other node refers to any more. */
void graph_free_node(struct runtime *runtime, cudaGraphNode_t node);
cudaGraph_t graph_copy(struct runtime *runtime, const struct CUgraph_st *graph);
void graph_free(struct runtime *runtime, cudaGraph_t graph);
/* True when the graph, or a child graph of it, has a node of that type. */
bool graph_has(const struct CUgraph_st *graph, enum cudaGraphNodeType type);
/* Returns the copy of the node with that id in the graph or in a child graph; NULL: none. */
cudaGraphNode_t graph_find_copy(cudaGraph_t graph, unsigned long long id);
/* Sorts the nodes of the graph and of its children into execution order. These graphs become hidden. Returns false when
 * there is a dependency cycle. */
bool graph_order(cudaGraph_t graph);

/* Lists of nodes (node_list.c). */
void nodes_add(struct node_list *list, cudaGraphNode_t node);
bool nodes_have(const struct node_list *list, const struct CUgraphNode_st *node);
void nodes_remove(struct node_list *list, const struct CUgraphNode_st *node);
struct node_list nodes_copy(const struct node_list *list);
void nodes_free(struct node_list *list);

/* ---- user objects, which programs hand to graphs (user_object.c) ---- */

/* Gives the copy the same number of references as the graph has. */
void graph_objects_copy(cudaGraph_t copy, const struct CUgraph_st *graph);
/* Releases the graph's references. */
void graph_objects_drop(cudaGraph_t graph);
/* Calls the destructors of objects without references; the caller must not hold the lock. */
void user_objects_end(void);
void user_objects_free(struct runtime *runtime);

/* ---- parameters (graph_params.c): convert node parameters to work ---- */

/* Each checks the parameters and fills in `work`. Returns an error after a message, otherwise the sticky error. */
cudaError_t params_kernel(struct runtime *runtime, const char *call, const struct cudaKernelNodeParams *parameters,
                          struct graph_work *work);
cudaError_t params_copy(struct runtime *runtime, const char *call, const struct cudaMemcpy3DParms *parameters,
                        struct graph_work *work);
cudaError_t params_fill(struct runtime *runtime, const char *call, const struct cudaMemsetParams *parameters,
                        struct graph_work *work);
cudaError_t params_host(struct runtime *runtime, const char *call, const struct cudaHostNodeParams *parameters,
                        struct graph_work *work);
cudaError_t params_child(struct runtime *runtime, const char *call, cudaGraph_t child, struct graph_work *work);
/* The same for a graph that exists. */
cudaError_t params_copy_child(struct runtime *runtime, const char *call, cudaGraph_t child, struct graph_work *work);
cudaError_t params_event(struct runtime *runtime, const char *call, cudaEvent_t event, enum cudaGraphNodeType type,
                         struct graph_work *work);
/* Converts parameters of any type except memory nodes. */
cudaError_t params_any(struct runtime *runtime, const char *call, const struct cudaGraphNodeParams *parameters,
                       struct graph_work *work);
/* Refuses conditional nodes and semaphores, with the reason. */
cudaError_t params_refuse(const char *call, enum cudaGraphNodeType type);

/* Checks whether an instance's node may change its work from `old` to `work`. */
enum cudaGraphExecUpdateResult update_check(const struct graph_work *old, const struct graph_work *work);
/* Replaces the work of an instance's node. `work` was checked, and the instance takes ownership of it. */
void update_work(struct runtime *runtime, struct graph_work *old, struct graph_work work);

/* ---- memory allocated by graphs (graph_memory.c) ---- */

/* Reserves an address for an allocation node. graph_memory_keep() adds a user; graph_memory_drop() removes one. */
cudaError_t graph_memory_reserve(struct runtime *runtime, const char *call, size_t size, void **pointer);
void graph_memory_keep(struct runtime *runtime, const void *pointer);
void graph_memory_drop(struct runtime *runtime, const void *pointer);
/* The operations of allocation nodes and free nodes. */
cudaError_t graph_memory_allocate(struct runtime *runtime, const void *pointer);
cudaError_t graph_memory_release(struct runtime *runtime, const char *call, const void *pointer);
/* True when an allocation node of a graph has that address. */
bool graph_memory_has(const struct runtime *runtime, const void *pointer);
/* Frees the instance's allocations that have not been freed. */
void graph_memory_take_back(struct runtime *runtime, const struct CUgraph_st *graph);
void graph_memories_free(struct runtime *runtime);

#endif
