/* Prints graphs as text for Graphviz. */
#include "cudart/graph.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const char *type_name(enum cudaGraphNodeType type)
{
	static const char *const names[cudaGraphNodeTypeCount] = {
		[cudaGraphNodeTypeKernel] = "kernel",        [cudaGraphNodeTypeMemcpy] = "memcpy",
		[cudaGraphNodeTypeMemset] = "memset",        [cudaGraphNodeTypeHost] = "host",
		[cudaGraphNodeTypeGraph] = "graph",          [cudaGraphNodeTypeEmpty] = "empty",
		[cudaGraphNodeTypeWaitEvent] = "wait event", [cudaGraphNodeTypeEventRecord] = "event record",
		[cudaGraphNodeTypeMemAlloc] = "mem alloc",   [cudaGraphNodeTypeMemFree] = "mem free",
	};
	return names[type];
}

/* Returns the kernel's name in the device code. */
static const char *kernel_name(const struct runtime *runtime, const void *function)
{
	const struct symbol *symbol = runtime->kernels;
	while (symbol && symbol->host != function && symbol != function)
		symbol = symbol->next;
	return symbol ? symbol->name : "?";
}

static void print_work(const struct runtime *runtime, const struct graph_work *work, FILE *file)
{
	const struct graph_kernel *kernel = &work->kernel;
	const struct cudaMemcpy3DParms *copy = &work->copy;
	const struct cudaMemsetParams *fill = &work->fill;
	if (work->type == cudaGraphNodeTypeKernel)
		fprintf(file, "\\n%s\\ngrid %ux%ux%u, block %ux%ux%u, %zu bytes",
		        kernel_name(runtime, kernel->function), kernel->grid.x, kernel->grid.y, kernel->grid.z,
		        kernel->block.x, kernel->block.y, kernel->block.z, kernel->shared);
	else if (work->type == cudaGraphNodeTypeMemcpy)
		fprintf(file, "\\n%zux%zux%zu, kind %d", copy->extent.width, copy->extent.height, copy->extent.depth,
		        (int)copy->kind);
	else if (work->type == cudaGraphNodeTypeMemset)
		fprintf(file, "\\n%zux%zu of %u bytes, value %u", fill->width, fill->height, fill->elementSize,
		        fill->value);
	else if (work->type == cudaGraphNodeTypeMemAlloc)
		fprintf(file, "\\n%zu bytes", work->allocation.bytesize);
}

/* Prints the nodes; a child graph gets a box. */
static void print_graph(const struct runtime *runtime, const struct CUgraph_st *graph, bool with_work, FILE *file)
{
	for (const struct CUgraphNode_st *node = graph->first; node; node = node->next) {
		fprintf(file, "\tn%llu [label=\"%llu %s", node->id, node->id, type_name(node->work.type));
		if (with_work)
			print_work(runtime, &node->work, file);
		fputs("\"];\n", file);
		for (size_t i = 0; i < node->after.count; i++)
			fprintf(file, "\tn%llu -> n%llu;\n", node->id, node->after.node[i]->id);
		if (node->work.type != cudaGraphNodeTypeGraph)
			continue;
		fprintf(file, "\tsubgraph cluster_%llu {\n\tlabel=\"child of %llu\";\n", node->work.child->id,
		        node->id);
		print_graph(runtime, node->work.child, with_work, file);
		fputs("\t}\n", file);
	}
}

cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char *path, unsigned int flags)
{
	static const char call[] = "cudaGraphDebugDotPrint";
	struct runtime *runtime = runtime_enter();
	cudaError_t result = runtime_check(runtime, call, path);
	if (result == cudaSuccess)
		result = graph_check(runtime, call, graph);
	if (result != cudaSuccess)
		return runtime_leave(runtime, result);
	FILE *file = fopen(path, "w");
	if (file) {
		fprintf(file, "digraph graph_%llu {\n", graph->id);
		print_graph(runtime, graph, flags != 0, file);
		fputs("}\n", file);
	}
	if (!file || fclose(file) != 0)
		result = runtime_refuse(call, cudaErrorOperatingSystem, "cannot write %s: %s", path, strerror(errno));
	return runtime_leave(runtime, result);
}
