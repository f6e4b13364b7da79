// bfs: breadth-first search, one launch per level. A thread owns a node and, when the node is in the frontier, visits
// its edges. TELEPORT and prefetch-CTA use it as BFS (Rodinia; TELEPORT's Listing 2 and Table 1), CAPS as BFS (Rodinia,
// Fig. 6b). Scratchpad sharing uses it as BFS (kernel Kernel, Table 2: limited by threads and registers). Mask, nodes
// and cost are read at the thread's own index, which a prefetcher can compute from the block. `edges` is read at a loop
// index and `visited` at a loaded value, so those reads scatter. The degrees follow a power law and make warps diverge.
// Five of Kernel's seven read indexes are precalculable. Threads that reach the same node in one launch store the same
// values.
#include "../program.h"

#include <algorithm>
#include <numeric>

const int BLOCK = 512;

struct Node {
	int start, degree;
};

// mask[node] is 0, or the phase (1 or 2) of the launch that expands the node. Phases alternate to separate levels: a
// node that this launch discovers waits for the next one. A node is visited from its discovery on. All flags are set to
// the next phase instead of 1, which saves a register. With 20 registers, three blocks fit on an SM of 32,768. This is
// the occupancy of 100 % that TELEPORT reports (section 5.2.1).
__global__ void Kernel(const Node *nodes, const int *edges, uint8_t *mask, uint8_t *visited, int *cost, uint8_t *over,
                       int count, uint8_t phase, uint8_t next)
{
	int tid = blockIdx.x * blockDim.x + threadIdx.x;
	if (tid < count && mask[tid] == phase) {
		mask[tid] = 0;
		int i = nodes[tid].start;
		int end = nodes[tid].start + nodes[tid].degree;
		for (; i < end; i++) {
			int id = edges[i];
			if (!visited[id]) {
				visited[id] = next;
				cost[id] = cost[tid] + 1;
				mask[id] = next;
				*over = next;
			}
		}
	}
}

// Rodinia's form with two kernels. The first marks nodes that it discovers; the second makes them the next frontier.
__global__ void expand(const Node *nodes, const int *edges, uint8_t *mask, uint8_t *updating_mask,
                       const uint8_t *visited, int *cost, int count)
{
	int tid = blockIdx.x * blockDim.x + threadIdx.x;
	if (tid < count && mask[tid]) {
		mask[tid] = false;
		int i = nodes[tid].start;
		int end = nodes[tid].start + nodes[tid].degree;
		for (; i < end; i++) {
			int id = edges[i];
			if (!visited[id]) {
				cost[id] = cost[tid] + 1;
				updating_mask[id] = true;
			}
		}
	}
}

// The first of the two with the bounds in the loop's condition, as in the public suites. The loop's stores may alias
// the node. Each iteration therefore rereads the node, at an address that a prefetcher can compute from the block.
__global__ void expand_rereading(const Node *nodes, const int *edges, uint8_t *mask, uint8_t *updating_mask,
                                 const uint8_t *visited, int *cost, int count)
{
	int tid = blockIdx.x * blockDim.x + threadIdx.x;
	if (tid < count && mask[tid]) {
		mask[tid] = false;
		for (int i = nodes[tid].start; i < nodes[tid].start + nodes[tid].degree; i++) {
			int id = edges[i];
			if (!visited[id]) {
				cost[id] = cost[tid] + 1;
				updating_mask[id] = true;
			}
		}
	}
}

__global__ void advance(uint8_t *mask, uint8_t *updating_mask, uint8_t *visited, uint8_t *over, int count)
{
	int tid = blockIdx.x * blockDim.x + threadIdx.x;
	if (tid < count && updating_mask[tid]) {
		mask[tid] = true;
		visited[tid] = true;
		updating_mask[tid] = false;
		*over = true;
	}
}

struct Graph {
	std::vector<Node> nodes;
	std::vector<int> edges;
};

using Pairs = std::vector<std::pair<int, int>>;

// An undirected R-MAT graph: each edge selects a quadrant of the adjacency matrix, bit by bit, with the usual weights
// 0.57, 0.19, 0.19, 0.05. Labels are shuffled, so that nodes of high degree have random positions.
static Pairs rmat_edges(int nodes, int degree, program::Random &random)
{
	std::vector<int> label(nodes);
	std::iota(label.begin(), label.end(), 0);
	for (int i = nodes - 1; i > 0; i--)
		std::swap(label[i], label[random.below(i + 1)]);

	Pairs pairs;
	for (long e = 0; e < (long)nodes * degree / 2; e++) {
		int from = 0, to = 0;
		for (int bit = 1; bit < nodes; bit *= 2) {
			float choice = random.uniform();
			from |= choice >= 0.76f ? bit : 0;
			to |= (choice >= 0.57f && choice < 0.76f) || choice >= 0.95f ? bit : 0;
		}
		pairs.emplace_back(label[from], label[to]);
		pairs.emplace_back(label[to], label[from]);
	}
	return pairs;
}

// An undirected uniform random graph, as from the public suite's generator. Each node draws degree / 2 edges, plus or
// minus one, to random nodes. Degrees are nearly equal, so warps hardly diverge and most threads of a level are active.
static Pairs uniform_edges(int nodes, int degree, program::Random &random)
{
	Pairs pairs;
	for (int from = 0; from < nodes; from++)
		for (int drawn = degree / 2 - 1 + random.below(3); drawn > 0; drawn--) {
			int to = random.below(nodes);
			pairs.emplace_back(from, to);
			pairs.emplace_back(to, from);
		}
	return pairs;
}

static Graph make_graph(int nodes, Pairs pairs)
{
	std::sort(pairs.begin(), pairs.end());

	Graph graph;
	graph.nodes.resize(nodes);
	for (size_t e = 0; e < pairs.size(); e++) {
		Node &node = graph.nodes[pairs[e].first];
		if (!node.degree++)
			node.start = (int)e;
		graph.edges.push_back(pairs[e].second);
	}
	return graph;
}

static std::vector<int> search(const Graph &graph, int source)
{
	std::vector<int> cost(graph.nodes.size(), -1), queue = {source};
	cost[source] = 0;
	for (size_t head = 0; head < queue.size(); head++) {
		const Node &node = graph.nodes[queue[head]];
		for (int i = node.start; i < node.start + node.degree; i++)
			if (cost[graph.edges[i]] < 0) {
				cost[graph.edges[i]] = cost[queue[head]] + 1;
				queue.push_back(graph.edges[i]);
			}
	}
	return cost;
}

int main(int argc, char **argv)
{
	program::Arguments arguments(argc, argv, "bfs", {"plain", "two_kernels", "reread"});
	int count = arguments.number("nodes", 1 << 12, 1 << 16, 1 << 20, "nodes, a power of two");
	int degree = arguments.number("degree", 6, 6, 6, "mean number of edges a node");
	bool uniform = arguments.number("uniform", 0, 0, 0, "1: a uniform random graph; 0: R-MAT, degrees follow a power law");
	arguments.end();
	arguments.require(count >= 2 && !(count & (count - 1)) && degree >= 2,
	                  "a power of two nodes, degree 2 or more");

	program::Random random(arguments.seed());
	Graph graph = make_graph(count, uniform ? uniform_edges(count, degree, random) : rmat_edges(count, degree, random));
	auto less = [](const Node &a, const Node &b) { return a.degree < b.degree; };
	int source = (int)(std::max_element(graph.nodes.begin(), graph.nodes.end(), less) - graph.nodes.begin());

	std::vector<int> start_cost(count, -1);
	std::vector<uint8_t> start(count, 0);
	start_cost[source] = 0;
	start[source] = 1;
	program::Array<Node> nodes(graph.nodes);
	program::Array<int> edges(graph.edges), cost(start_cost);
	program::Array<uint8_t> mask(start), visited(start), updating_mask(count), over(1);
	updating_mask.clear();

	int grid = program::blocks(count, BLOCK);
	uint8_t phase = 1, next = 2;
	do {
		over.clear();
		if (!arguments.is("plain")) {
			auto first = arguments.is("reread") ? expand_rereading : expand;
			first<<<grid, BLOCK>>>(nodes, edges, mask, updating_mask, visited, cost, count);
			advance<<<grid, BLOCK>>>(mask, updating_mask, visited, over, count);
		} else {
			Kernel<<<grid, BLOCK>>>(nodes, edges, mask, visited, cost, over, count, phase, next);
			std::swap(phase, next);
		}
		CHECK(cudaGetLastError());
	} while (over.read()[0]);

	program::Verdict verdict("bfs");
	verdict.equal("cost", cost.read(), search(graph, source));
	return verdict.status();
}
