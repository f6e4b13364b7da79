/* User objects: data that a program hands to graphs, with a destructor that is called after the last reference is
 * released. */
#include "cudart/graph.h"

#include "base/arena.h"
#include "base/list.h"

#include <stdlib.h>

struct CUuserObject_st {
	void *pointer;
	cudaHostFn_t destroy;
	uint64_t references; /* those of the program and of graphs; 0: the destructor must be called */
	struct CUuserObject_st *next;
};

/* A graph's references to an object. */
struct graph_object {
	struct CUuserObject_st *object;
	uint64_t references;
	struct graph_object *next;
};

/* Accepts only live objects. */
static cudaError_t check(const struct runtime *runtime, const char *call, const void *pointer, unsigned count)
{
	const struct CUuserObject_st *object = runtime->user_objects;
	while (object && object != pointer)
		object = object->next;
	if (runtime->error != cudaSuccess || (object && object->references && count && count <= INT32_MAX))
		return runtime->error;
	return runtime_refuse(call, cudaErrorInvalidValue, "%u references of %p", count, pointer);
}

static struct graph_object **place_of(cudaGraph_t graph, const struct CUuserObject_st *object)
{
	struct graph_object **at = &graph->objects;
	while (*at && (*at)->object != object)
		at = &(*at)->next;
	return at;
}

static void give_references(cudaGraph_t graph, struct CUuserObject_st *object, uint64_t references)
{
	struct graph_object **at = place_of(graph, object);
	if (!*at) {
		*at = base_calloc(1, sizeof **at);
		(*at)->object = object;
	}
	(*at)->references += references;
}

void graph_objects_copy(cudaGraph_t copy, const struct CUgraph_st *graph)
{
	for (const struct graph_object *held = graph->objects; held; held = held->next) {
		give_references(copy, held->object, held->references);
		held->object->references += held->references;
	}
}

void graph_objects_drop(cudaGraph_t graph)
{
	for (struct graph_object *held = graph->objects, *next; held; held = next) {
		next = held->next;
		held->object->references -= held->references;
		free(held);
	}
	graph->objects = NULL;
}

/* Removes an object that must be destroyed from the list and returns it; NULL: none. */
static struct CUuserObject_st *take_ended(struct runtime *runtime)
{
	struct CUuserObject_st **at = &runtime->user_objects;
	while (*at && (*at)->references)
		at = &(*at)->next;
	struct CUuserObject_st *object = *at;
	if (object)
		*at = object->next;
	return object;
}

void user_objects_end(void)
{
	for (;;) {
		struct runtime *runtime = runtime_enter_closed();
		struct CUuserObject_st *object = take_ended(runtime);
		runtime_leave(runtime, cudaSuccess);
		if (!object)
			return;
		object->destroy(object->pointer);
		free(object);
	}
}

void user_objects_free(struct runtime *runtime)
{
	LIST_FREE(runtime->user_objects);
}

cudaError_t cudaUserObjectCreate(cudaUserObject_t *made, void *pointer, cudaHostFn_t destroy, unsigned int references,
                                 unsigned int flags)
{
	static const char call[] = "cudaUserObjectCreate";
	struct runtime *runtime = runtime_enter();
	cudaError_t result = runtime_check(runtime, call, made);
	if (result == cudaSuccess &&
	    (!destroy || !references || references > INT32_MAX || flags != cudaUserObjectNoDestructorSync))
		result = runtime_refuse(call, cudaErrorInvalidValue, "%u references, flags 0x%x%s", references, flags,
		                        destroy ? "" : ", no destructor");
	if (result == cudaSuccess) {
		struct CUuserObject_st *object = base_calloc(1, sizeof *object);
		*object = (struct CUuserObject_st){pointer, destroy, references, runtime->user_objects};
		runtime->user_objects = object;
		*made = object;
	}
	return runtime_leave(runtime, result);
}

cudaError_t cudaUserObjectRetain(cudaUserObject_t object, unsigned int count)
{
	struct runtime *runtime = runtime_enter();
	cudaError_t result = check(runtime, "cudaUserObjectRetain", object, count);
	if (result == cudaSuccess)
		object->references += count;
	return runtime_leave(runtime, result);
}

/* Releases existing references. Calls the destructor if they were the last ones. */
static cudaError_t release(struct runtime *runtime, const char *call, cudaError_t result, cudaUserObject_t object,
                           unsigned count)
{
	if (result == cudaSuccess && count > object->references)
		result = runtime_refuse(call, cudaErrorInvalidValue, "%u references of %p, which has %llu", count,
		                        (void *)object, (unsigned long long)object->references);
	if (result == cudaSuccess)
		object->references -= count;
	runtime_leave(runtime, result);
	user_objects_end();
	return result;
}

cudaError_t cudaUserObjectRelease(cudaUserObject_t object, unsigned int count)
{
	static const char call[] = "cudaUserObjectRelease";
	struct runtime *runtime = runtime_enter();
	return release(runtime, call, check(runtime, call, object, count), object, count);
}

cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned int count,
                                      unsigned int flags)
{
	static const char call[] = "cudaGraphRetainUserObject";
	struct runtime *runtime = runtime_enter();
	bool moves = flags & cudaGraphUserObjectMove;
	cudaError_t result = graph_check(runtime, call, graph);
	if (result == cudaSuccess)
		result = check(runtime, call, object, count);
	if (result == cudaSuccess &&
	    (flags & ~(unsigned)cudaGraphUserObjectMove || (moves && count > object->references)))
		result = runtime_refuse(call, cudaErrorInvalidValue, "%u references, flags 0x%x", count, flags);
	if (result == cudaSuccess) {
		give_references(graph, object, count);
		object->references += moves ? 0 : count;
	}
	return runtime_leave(runtime, result);
}

cudaError_t cudaGraphReleaseUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned int count)
{
	static const char call[] = "cudaGraphReleaseUserObject";
	struct runtime *runtime = runtime_enter();
	cudaError_t result = graph_check(runtime, call, graph);
	if (result == cudaSuccess)
		result = check(runtime, call, object, count);
	if (result != cudaSuccess)
		return runtime_leave(runtime, result);
	struct graph_object **at = place_of(graph, object), *held = *at;
	if (!held || held->references < count)
		return runtime_leave(runtime, runtime_refuse(call, cudaErrorInvalidValue,
		                                             "the graph has fewer references of %p", (void *)object));
	held->references -= count;
	if (!held->references) {
		*at = held->next;
		free(held);
	}
	return release(runtime, call, cudaSuccess, object, count);
}
