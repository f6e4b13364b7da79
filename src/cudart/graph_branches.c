/* Launches of graphs. A node follows the nodes that it depends on. The graph's branches are queued as work of streams.
 * The first branch uses the stream of the launch. Each other branch uses a stream that the program does not see. */
#include "cudart/graph.h"

#include "cudart/stream_order.h"
#include "cudart/stream_work.h"

#include "base/arena.h"

#include <stdlib.h>

/* Each node continues the branch of one that it depends on, unless another node does. Returns the number of
 * branches. */
static size_t find_branches(const struct CUgraph_st *graph)
{
	size_t branches = 0;
	for (size_t i = 0; i < graph->order.count; i++)
		graph->order.node[i]->is_continued = false;
	for (size_t i = 0; i < graph->order.count; i++) {
		cudaGraphNode_t node = graph->order.node[i], previous = NULL;
		for (size_t d = 0; d < node->before.count && !previous; d++)
			if (!node->before.node[d]->is_continued)
				previous = node->before.node[d];
		node->branch = previous ? previous->branch : branches++;
		if (previous)
			previous->is_continued = true;
	}
	return branches;
}

static cudaError_t run_node(const struct CUgraphNode_st *node, cudaStream_t stream)
{
	return node->disabled ? cudaSuccess : work_run(&node->work, stream);
}

static cudaError_t run_in_order(const struct CUgraph_st *graph, cudaStream_t stream)
{
	cudaError_t result = cudaSuccess;
	for (size_t i = 0; i < graph->order.count && result == cudaSuccess; i++)
		result = run_node(graph->order.node[i], stream);
	return result;
}

/* Makes the node's branch follow the nodes of other branches that it depends on; without any, the launch. */
static void follow_others(const struct CUgraphNode_st *node, cudaStream_t branch, uint64_t launch)
{
	struct runtime *runtime = runtime_enter_beside();
	if (!node->before.count && node->branch)
		stream_follow(runtime, branch, launch);
	for (size_t d = 0; d < node->before.count; d++)
		if (node->before.node[d]->branch != node->branch)
			stream_follow(runtime, branch, node->before.node[d]->point);
	runtime_leave(runtime, cudaSuccess);
}

static uint64_t point_of(cudaStream_t stream)
{
	struct runtime *runtime = runtime_enter_beside();
	uint64_t point = stream_mark(runtime, stream);
	runtime_leave(runtime, cudaSuccess);
	return point;
}

static cudaError_t queue_nodes(const struct CUgraph_st *graph, const cudaStream_t *branch)
{
	cudaError_t result = cudaSuccess;
	uint64_t launch = point_of(branch[0]);
	for (size_t i = 0; i < graph->order.count && result == cudaSuccess; i++) {
		cudaGraphNode_t node = graph->order.node[i];
		follow_others(node, branch[node->branch], launch);
		result = run_node(node, branch[node->branch]);
		node->point = point_of(branch[node->branch]);
	}
	return result;
}

/* The stream's next work follows all nodes. */
static void join(const struct CUgraph_st *graph, cudaStream_t stream)
{
	struct runtime *runtime = runtime_enter_beside();
	for (size_t i = 0; i < graph->order.count; i++)
		if (!graph->order.node[i]->after.count)
			stream_follow(runtime, stream, graph->order.node[i]->point);
	runtime_leave(runtime, cudaSuccess);
}

/* Takes the streams for all branches; the first is the launch's. Returns false when work is not queued and its order is
 * not kept. */
static bool take_streams(cudaStream_t *branch, size_t count, cudaStream_t stream)
{
	struct runtime *runtime = runtime_enter_beside();
	bool queues = streams_queue(runtime) || (runtime->gpu && sluice_compares_works(runtime->gpu));
	branch[0] = stream;
	for (size_t i = 1; queues && i < count; i++)
		branch[i] = stream_take_branch(runtime, stream);
	runtime_leave(runtime, cudaSuccess);
	return queues;
}

static void give_back(const cudaStream_t *branch, size_t count)
{
	struct runtime *runtime = runtime_enter_beside();
	for (size_t i = 1; i < count; i++)
		stream_give_branch(runtime, branch[i]);
	runtime_leave(runtime, cudaSuccess);
}

cudaError_t graph_run(const struct CUgraph_st *graph, cudaStream_t stream)
{
	size_t branches = find_branches(graph);
	if (branches < 2)
		return run_in_order(graph, stream);
	cudaStream_t *branch = base_calloc(branches, sizeof(cudaStream_t));
	cudaError_t result;
	if (take_streams(branch, branches, stream)) {
		result = queue_nodes(graph, branch);
		join(graph, stream);
		give_back(branch, branches);
	} else {
		result = run_in_order(graph, stream);
	}
	free(branch);
	return result;
}
