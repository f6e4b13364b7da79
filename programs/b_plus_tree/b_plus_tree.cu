// b_plus_tree: look-ups in a B+ tree, with one block per query and one thread per key of a node. findK looks up one
// key, findRangeK both ends of a range. TELEPORT and prefetch-CTA use it as BPT (Rodinia; fifteen array parameters in
// the two kernels). Scratchpad sharing uses it as b+tree (kernel findRangeK, limited by registers). A node is a struct
// of two arrays of 512 ints, 4 KB. A step down the tree compares the whole array of keys and reads one entry of the
// other array. The step before read the node's number from memory. The state of a query (its current node) is in global
// memory too. As in Rodinia, every thread reads it at every use. Blocks have 16 warps, and threads of findRangeK 26
// registers. So two blocks of it fit on an SM of 32,768 registers, the occupancy of 66 % that both papers name. findK
// has 20 registers, and three blocks fit. The root is never a leaf. With --announce the host announces one whole node
// for each block, by hand as in TELEPORT and prefetch-CTA. The form `rodinia` has the layout of Rodinia's nodes: 4084
// bytes, a number before the two arrays of 509 ints. So no node and no warp's keys begin at a line. Blocks have 508
// threads, and numbers of nodes 8 bytes.
#include "../program.h"

#include <algorithm>
#include <climits>
#include <sluice/cta_tracker.h>

const int ORDER = 511;

// Child or record indices[i] holds the keys from keys[i] to keys[i + 1] - 1. Unused entries have the key INT_MAX.
struct Node {
	int indices[ORDER + 1], keys[ORDER + 1];
};

const int RODINIA_ORDER = 508;

struct RodiniaNode {
	int location;
	int indices[RODINIA_ORDER + 1], keys[RODINIA_ORDER + 1];
	bool is_leaf;
	int num_keys;
};

struct Record {
	int value;
};

// As in Rodinia, an entry that points out of the tree is not followed.
__global__ void findK(int height, const Node *nodes, int node_count, const Record *records, int *current, int *offset,
                      const int *keys, Record *answers)
{
	int thid = threadIdx.x, bid = blockIdx.x, level = 0;
	do {
		if (nodes[current[bid]].keys[thid] <= keys[bid] && nodes[current[bid]].keys[thid + 1] > keys[bid])
			if (nodes[current[bid]].indices[thid] < node_count)
				offset[bid] = nodes[current[bid]].indices[thid];
		__syncthreads();
		if (thid == 0)
			current[bid] = offset[bid];
		__syncthreads();
	} while (++level < height);
	if (nodes[current[bid]].keys[thid] == keys[bid])
		answers[bid].value = records[nodes[current[bid]].indices[thid]].value;
}

__global__ void findRangeK(int height, const Node *nodes, int node_count, int *current, int *offset, int *last,
                           int *last_offset, const int *start, const int *end, int *first_record, int *length)
{
	int thid = threadIdx.x, bid = blockIdx.x, level = 0;
	do {
		if (nodes[current[bid]].keys[thid] <= start[bid] && nodes[current[bid]].keys[thid + 1] > start[bid])
			if (nodes[current[bid]].indices[thid] < node_count)
				offset[bid] = nodes[current[bid]].indices[thid];
		if (nodes[last[bid]].keys[thid] <= end[bid] && nodes[last[bid]].keys[thid + 1] > end[bid])
			if (nodes[last[bid]].indices[thid] < node_count)
				last_offset[bid] = nodes[last[bid]].indices[thid];
		__syncthreads();
		if (thid == 0) {
			current[bid] = offset[bid];
			last[bid] = last_offset[bid];
		}
		__syncthreads();
	} while (++level < height);
	if (nodes[current[bid]].keys[thid] == start[bid])
		first_record[bid] = nodes[current[bid]].indices[thid];
	__syncthreads();
	if (nodes[last[bid]].keys[thid] == end[bid])
		length[bid] = nodes[last[bid]].indices[thid] - first_record[bid] + 1;
}

// Rodinia's findK reads the entry from the node `offset`, which is the current one.
__global__ void findK_rodinia(int height, const RodiniaNode *nodes, int node_count, const Record *records,
                              long long *current, long long *offset, const int *keys, Record *answers)
{
	int thid = threadIdx.x, bid = blockIdx.x, level = 0;
	do {
		if (nodes[current[bid]].keys[thid] <= keys[bid] && nodes[current[bid]].keys[thid + 1] > keys[bid])
			if (nodes[offset[bid]].indices[thid] < node_count)
				offset[bid] = nodes[offset[bid]].indices[thid];
		__syncthreads();
		if (thid == 0)
			current[bid] = offset[bid];
		__syncthreads();
	} while (++level < height);
	if (nodes[current[bid]].keys[thid] == keys[bid])
		answers[bid].value = records[nodes[current[bid]].indices[thid]].value;
}

__global__ void findRangeK_rodinia(int height, const RodiniaNode *nodes, int node_count, long long *current,
                                   long long *offset, long long *last, long long *last_offset, const int *start,
                                   const int *end, int *first_record, int *length)
{
	int thid = threadIdx.x, bid = blockIdx.x, level = 0;
	do {
		if (nodes[current[bid]].keys[thid] <= start[bid] && nodes[current[bid]].keys[thid + 1] > start[bid])
			if (nodes[current[bid]].indices[thid] < node_count)
				offset[bid] = nodes[current[bid]].indices[thid];
		if (nodes[last[bid]].keys[thid] <= end[bid] && nodes[last[bid]].keys[thid + 1] > end[bid])
			if (nodes[last[bid]].indices[thid] < node_count)
				last_offset[bid] = nodes[last[bid]].indices[thid];
		__syncthreads();
		if (thid == 0) {
			current[bid] = offset[bid];
			last[bid] = last_offset[bid];
		}
		__syncthreads();
	} while (++level < height);
	if (nodes[current[bid]].keys[thid] == start[bid])
		first_record[bid] = nodes[current[bid]].indices[thid];
	__syncthreads();
	if (nodes[last[bid]].keys[thid] == end[bid])
		length[bid] = nodes[last[bid]].indices[thid] - first_record[bid] + 1;
}

// The tree on the host, built by insertion. A node with more than `order` entries splits in the middle.
class Tree
{
	struct Branch {
		bool leaf;
		std::vector<int> keys, children;
	};
	std::vector<Branch> branches_;
	int order_, root_ = 0, height_ = 0;

	// Returns the new right sibling of the branch, or -1.
	int insert_below(int branch, int key)
	{
		auto &keys = branches_[branch].keys;
		size_t at = (size_t)(std::upper_bound(keys.begin(), keys.end(), key) - keys.begin());
		if (branches_[branch].leaf) {
			keys.insert(keys.begin() + (long)at, key);
		} else {
			int right = insert_below(branches_[branch].children[at - 1], key);
			if (right >= 0) {
				Branch &parent = branches_[branch];
				parent.keys.insert(parent.keys.begin() + (long)at, branches_[right].keys[0]);
				parent.children.insert(parent.children.begin() + (long)at, right);
			}
		}
		return branches_[branch].keys.size() > (size_t)order_ ? split(branch) : -1;
	}

	int split(int branch)
	{
		const int half = (order_ + 1) / 2;
		branches_.push_back({branches_[branch].leaf, {}, {}});
		Branch &left = branches_[branch], &right = branches_.back();
		right.keys.assign(left.keys.begin() + half, left.keys.end());
		left.keys.resize(half);
		if (!left.leaf) {
			right.children.assign(left.children.begin() + half, left.children.end());
			left.children.resize(half);
		}
		return (int)branches_.size() - 1;
	}

      public:
	explicit Tree(int order) : order_(order)
	{
		branches_.push_back({true, {}, {}});
	}
	int height() const
	{
		return height_;
	}

	void insert(int key)
	{
		int right = insert_below(root_, key);
		if (right < 0)
			return;
		branches_.push_back({false, {INT_MIN, branches_[right].keys[0]}, {root_, right}});
		root_ = (int)branches_.size() - 1;
		height_++;
	}

	// Breadth first from the root. Records of the leaves are numbered in key order.
	template <class SomeNode> std::vector<SomeNode> flatten() const
	{
		std::vector<SomeNode> nodes;
		std::vector<int> order = {root_};
		int record = 0;
		for (size_t n = 0; n < order.size(); n++) {
			const Branch &branch = branches_[order[n]];
			SomeNode node = {};
			std::fill_n(node.keys, order_ + 1, INT_MAX);
			std::copy(branch.keys.begin(), branch.keys.end(), node.keys);
			for (size_t i = 0; i < branch.keys.size(); i++) {
				node.indices[i] = branch.leaf ? record++ : (int)order.size();
				if (!branch.leaf)
					order.push_back(branch.children[i]);
			}
			nodes.push_back(node);
		}
		return nodes;
	}
};

struct Look {
	std::vector<int> keys, start, end;
};

// Keys to look up, of which one in eight may be absent, and ranges of up to `range` records between two keys.
static Look make_queries(const std::vector<int> &sorted, int queries, int ranges, int range, program::Random &random)
{
	Look look;
	for (int q = 0; q < queries; q++)
		look.keys.push_back(sorted[random.below((uint32_t)sorted.size())] + (random.below(8) == 0));
	for (int r = 0; r < ranges; r++) {
		uint32_t first = random.below((uint32_t)sorted.size());
		uint32_t count = random.below((uint32_t)std::min<size_t>(range, sorted.size() - first));
		look.start.push_back(sorted[first]);
		look.end.push_back(sorted[first + count]);
	}
	return look;
}

enum { NOTHING, ROOT, NODE, NODE_AND_KEYS };

// Announces that each block reads the root, or the node with its own number, and perhaps the keys of its look-up.
template <class SomeNode> void announce(int what, const SomeNode *nodes, std::initializer_list<const int *> keys)
{
	if (what == NOTHING)
		return;
	int by = what != ROOT;
	CHECK(cudaFlushCTATracker());
	CHECK(cudaSetCTATracker(nodes, sizeof *nodes, by, 0, 0, 0, by, 0, 0, 0));
	if (what == NODE_AND_KEYS)
		for (const int *key : keys)
			CHECK(cudaSetCTATracker(key, sizeof *key, 1, 0, 0, 0, 1, 0, 0, 0));
}

struct Plain {
	using TheNode = Node;
	using Number = int;
	static const int order = ORDER;
	static constexpr auto find = findK;
	static constexpr auto find_range = findRangeK;
};

struct Rodinia {
	using TheNode = RodiniaNode;
	using Number = long long;
	static const int order = RODINIA_ORDER;
	static constexpr auto find = findK_rodinia;
	static constexpr auto find_range = findRangeK_rodinia;
};

struct Numbers {
	int count, queries, ranges, range, what;
};

template <class Form> int look_up(const Numbers &numbers, uint64_t seed)
{
	int count = numbers.count, queries = numbers.queries, ranges = numbers.ranges;
	program::Random random(seed);
	std::vector<int> sorted(count), shuffled;
	for (int i = 0; i < count; i++)
		sorted[i] = 3 * i + (int)random.below(3);
	shuffled = sorted;
	for (int i = count - 1; i > 0; i--)
		std::swap(shuffled[i], shuffled[random.below(i + 1)]);
	Tree tree(Form::order);
	for (int key : shuffled)
		tree.insert(key);
	std::vector<Record> records(count);
	for (Record &record : records)
		record.value = (int)random.below(1 << 30);
	Look look = make_queries(sorted, queries, ranges, numbers.range, random);

	program::Array<typename Form::TheNode> nodes(tree.flatten<typename Form::TheNode>());
	int node_count = (int)nodes.count();
	program::Array<Record> device_records(records), answers(std::vector<Record>(queries, Record{-1}));
	program::Array<typename Form::Number> current(queries), offset(queries);
	program::Array<int> keys(look.keys);
	current.clear();
	offset.clear();
	announce<typename Form::TheNode>(numbers.what, nodes, {keys});
	Form::find<<<queries, Form::order>>>(tree.height(), nodes, node_count, device_records, current, offset, keys,
	                                     answers);
	CHECK(cudaGetLastError());

	program::Array<typename Form::Number> left(ranges), left_offset(ranges), last(ranges), last_offset(ranges);
	program::Array<int> start(look.start), end(look.end), first_record(ranges), length(ranges);
	for (program::Array<typename Form::Number> *state : {&left, &left_offset, &last, &last_offset})
		state->clear();
	first_record.clear();
	length.clear();
	announce<typename Form::TheNode>(numbers.what, nodes, {start, end});
	Form::find_range<<<ranges, Form::order>>>(tree.height(), nodes, node_count, left, left_offset, last,
	                                          last_offset, start, end, first_record, length);
	CHECK(cudaGetLastError());

	std::vector<int> found, values, firsts, lengths;
	for (const Record &answer : answers.read())
		found.push_back(answer.value);
	auto position = [&](int key) {
		return (int)(std::lower_bound(sorted.begin(), sorted.end(), key) - sorted.begin());
	};
	for (int key : look.keys) {
		int at = position(key);
		values.push_back(at < count && sorted[at] == key ? records[at].value : -1);
	}
	for (int r = 0; r < ranges; r++) {
		firsts.push_back(position(look.start[r]));
		lengths.push_back(position(look.end[r]) - firsts[r] + 1);
	}
	program::Verdict verdict("b_plus_tree");
	verdict.equal("findK", found, values);
	verdict.equal("findRangeK, first record", first_record.read(), firsts);
	verdict.equal("findRangeK, length", length.read(), lengths);
	return verdict.status();
}

int main(int argc, char **argv)
{
	program::Arguments arguments(argc, argv, "b_plus_tree", {"plain", "rodinia"});
	Numbers numbers = {};
	numbers.count = arguments.number("keys", 4000, 200000, 1000000, "keys in the tree");
	numbers.queries = arguments.number("queries", 30, 1500, 10000, "keys to look up");
	numbers.ranges = arguments.number("ranges", 15, 900, 6000, "ranges to look up");
	numbers.range = arguments.number("range", 100, 3000, 3000, "records of the longest range");
	numbers.what = arguments.number("announce", NOTHING, NOTHING, NOTHING,
	                                "1: each block reads the root, 2: its node, 3: its node and its keys");
	arguments.end();
	arguments.require(numbers.count > ORDER && numbers.queries > 0 && numbers.ranges > 0 && numbers.range > 0,
	                  "more than 511 keys, and queries");
	arguments.require(numbers.what <= NODE_AND_KEYS, "an announcement of 0 to 3");
	return arguments.is("rodinia") ? look_up<Rodinia>(numbers, arguments.seed())
	                               : look_up<Plain>(numbers, arguments.seed());
}
