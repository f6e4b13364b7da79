// Protects cudaSetCTATracker and cudaFlushCTATracker as TELEPORT's Listing 3 uses them for the kernel of Listing 2.
// Without a mechanism they have no effect. tests/cli/test_cta_tracker.sh runs this program with one, with and without
// the argument "calls".
#include "check.h"

#include <sluice/cta_tracker.h>

enum { BLOCK = 128, BLOCKS = 40, NODES = BLOCK * BLOCKS };

struct node {
	int start, degree;
};

// Each thread owns a node. Nodes that the last launch reached visit their edges.
__global__ void level(const node *nodes, const int *edges, int *mask, const int *visited, int *reached, int *cost)
{
	int id = blockIdx.x * blockDim.x + threadIdx.x;
	if (!mask[id])
		return;
	mask[id] = 0;
	for (int i = nodes[id].start; i < nodes[id].start + nodes[id].degree; i++) {
		int other = edges[i];
		if (!visited[other]) {
			cost[other] = cost[id] + 1;
			reached[other] = 1;
		}
	}
}

__global__ void advance(int *mask, int *visited, int *reached, int *over)
{
	int id = blockIdx.x * blockDim.x + threadIdx.x;
	if (!reached[id])
		return;
	mask[id] = 1;
	visited[id] = 1;
	reached[id] = 0;
	*over = 0;
}

template <typename T> static T *copied(const T *from, size_t count)
{
	T *to;
	SUCCEEDS(cudaMalloc(&to, count * sizeof *to));
	SUCCEEDS(cudaMemcpy(to, from, count * sizeof *to, cudaMemcpyHostToDevice));
	return to;
}

// A block's own part of an array.
template <typename T> static void announce(const T *array)
{
	SUCCEEDS(cudaSetCTATracker(array, sizeof *array, BLOCK, 0, 0, 0, BLOCK, 0, 0, BLOCK - 1));
}

static void check_errors(const int *array)
{
	int on_host = 0;
	FAILS(cudaErrorInvalidValue, cudaSetCTATracker(NULL, 4, 0, 0, 0, 0, 0, 0, 0, 0));
	FAILS(cudaErrorInvalidValue, cudaSetCTATracker(&on_host, 4, 0, 0, 0, 0, 0, 0, 0, 0));
	FAILS(cudaErrorInvalidValue, cudaSetCTATracker(array, 0, 0, 0, 0, 0, 0, 0, 0, 0));
	FAILS(cudaErrorInvalidValue, cudaSetCTATracker(array, (size_t)1 << 40, 1, 0, 0, 0, 1, 0, 0, 0));
	CHECK(cudaGetLastError() == cudaErrorInvalidValue);
	SUCCEEDS(cudaFlushCTATracker());
	// The largest numbers: clipped to the array without overflow.
	SUCCEEDS(cudaSetCTATracker(array, INT32_MAX, INT32_MIN, INT32_MIN, INT32_MIN, INT32_MIN, INT32_MAX, INT32_MAX, INT32_MAX,
	                           INT32_MAX));
}

int main(int argc, char **argv)
{
	bool calls = argc > 1 && strcmp(argv[1], "calls") == 0;
	static node nodes[NODES];
	static int edges[2 * NODES], mask[NODES], cost[NODES], expected[NODES], zero[NODES];
	// Each block has its own tree, whose root is its first node.
	for (int id = 0, edge = 0; id < NODES; id++) {
		int at = id % BLOCK, root = id - at;
		nodes[id].start = edge;
		for (int child = 2 * at + 1; child <= 2 * at + 2 && child < BLOCK; child++)
			edges[edge++] = root + child;
		nodes[id].degree = edge - nodes[id].start;
		mask[id] = at == 0;
		expected[id] = at ? expected[root + (at - 1) / 2] + 1 : 0;
	}
	node *d_nodes = copied(nodes, NODES);
	int *d_edges = copied(edges, 2 * NODES), *d_mask = copied(mask, NODES), *d_visited = copied(mask, NODES);
	int *d_reached = copied(zero, NODES), *d_cost = copied(zero, NODES), *d_over = copied(zero, 1);
	if (argc > 1 && strcmp(argv[1], "errors") == 0)
		check_errors(d_mask);

	for (int over = 0, levels = 0; !over; levels++) {
		CHECK(levels < 10);
		over = 1;
		SUCCEEDS(cudaMemcpy(d_over, &over, sizeof over, cudaMemcpyHostToDevice));
		if (calls) {
			SUCCEEDS(cudaFlushCTATracker());
			announce(d_nodes);
			announce(d_mask);
			announce(d_cost);
		}
		level<<<BLOCKS, BLOCK>>>(d_nodes, d_edges, d_mask, d_visited, d_reached, d_cost);
		if (calls) {
			SUCCEEDS(cudaFlushCTATracker());
			announce(d_reached);
		}
		advance<<<BLOCKS, BLOCK>>>(d_mask, d_visited, d_reached, d_over);
		SUCCEEDS(cudaMemcpy(&over, d_over, sizeof over, cudaMemcpyDeviceToHost));
	}
	SUCCEEDS(cudaMemcpy(cost, d_cost, sizeof cost, cudaMemcpyDeviceToHost));
	CHECK(memcmp(cost, expected, sizeof cost) == 0);
	return finish();
}
