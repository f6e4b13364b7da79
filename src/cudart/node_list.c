/* Lists of nodes. */
#include "cudart/graph.h"

#include "base/arena.h"

#include <stdlib.h>

void nodes_add(struct node_list *list, cudaGraphNode_t node)
{
	if (!(list->count & (list->count - 1))) /* the capacity doubles at each power of two */
		list->node = base_realloc(list->node, (list->count ? 2 * list->count : 1) * sizeof *list->node);
	list->node[list->count++] = node;
}

static size_t place_of(const struct node_list *list, const struct CUgraphNode_st *node)
{
	size_t i = 0;
	while (i < list->count && list->node[i] != node)
		i++;
	return i;
}

bool nodes_have(const struct node_list *list, const struct CUgraphNode_st *node)
{
	return place_of(list, node) < list->count;
}

void nodes_remove(struct node_list *list, const struct CUgraphNode_st *node)
{
	struct node_list rest = {0};
	for (size_t i = 0; i < list->count; i++)
		if (list->node[i] != node)
			nodes_add(&rest, list->node[i]);
	nodes_free(list);
	*list = rest;
}

struct node_list nodes_copy(const struct node_list *list)
{
	struct node_list copy = {0};
	for (size_t i = 0; i < list->count; i++)
		nodes_add(&copy, list->node[i]);
	return copy;
}

void nodes_free(struct node_list *list)
{
	free(list->node);
	*list = (struct node_list){0};
}
