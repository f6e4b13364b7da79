// mummer: matches short DNA queries against a reference through its suffix tree. For every position of a query it finds
// the longest part from there that occurs in the reference. TELEPORT and prefetch-CTA analyze it as MUM (MUMmerGPU). A
// thread takes a query and walks down the tree letter by letter. It follows the suffix link from one position of the
// query to the next, so every read depends on the previous one. Walks of a warp's threads end after different numbers
// of steps. Each read of nodes, children and letters accesses another line. Compared letters select children and suffix
// links, so the indexes depend on control (TELEPORT section 2.2). The tree is in global memory, without textures.
// Reference and queries have the size of GPGPU-Sim's input: 50,000 queries of 25 letters.
#include "../program.h"

#include <algorithm>
#include <numeric>

const int BLOCK = 256, LETTERS = 4, NONE = 0, ROOT = 1;

// The label of the edge into a node is the letters start to end - 1 of the reference.
struct Node {
	int start, end, link;
};

struct Children {
	int child[LETTERS];
};

struct Match {
	int length, position;
};

__global__ void match_queries(const Node *nodes, const Children *children, const char *reference, const char *letters,
                              const int *starts, Match *matches, int queries)
{
	int thread = blockIdx.x * blockDim.x + threadIdx.x;
	if (thread >= queries)
		return;
	const char *query = letters + starts[thread];
	int size = starts[thread + 1] - starts[thread];
	// The match has `length` letters; its first `depth` lead from the root to `node`. After a suffix link, only the
	// length of an edge counts if its letters are known to match.
	int node = ROOT, depth = 0, length = 0, position = 0;
	for (int i = 0; i < size; i++) {
		while (i + depth < size) {
			int child = children[node].child[query[i + depth]];
			if (child == NONE)
				break;
			int start = nodes[child].start, edge = nodes[child].end - start;
			position = start - depth;
			while (length - depth < edge && i + length < size &&
			       reference[position + length] == query[i + length])
				length++;
			if (length - depth < edge)
				break;
			node = child;
			depth += edge;
		}
		matches[starts[thread] + i] = Match{length, position};

		if (node != ROOT) {
			node = nodes[node].link;
			depth--;
		}
		if (length) {
			length--;
			position++;
		}
	}
}

// Ukkonen's construction. The text ends in a unique letter, LETTERS.
class SuffixTree {
	std::vector<char> text_;
	std::vector<std::vector<int>> child_; // [node][letter]
	int active_ = ROOT, edge_ = 0, length_ = 0, remaining_ = 0;

	int add(int start, int end)
	{
		nodes.push_back({start, end, ROOT});
		child_.emplace_back(LETTERS + 1, NONE);
		return (int)nodes.size() - 1;
	}

	// Adds the letter text_[at] to all suffixes that are not in the tree yet.
	void extend(int at)
	{
		int last = NONE;
		auto link = [&](int node) {
			if (last != NONE)
				nodes[last].link = node;
			last = node;
		};
		remaining_++;
		while (remaining_) {
			if (!length_)
				edge_ = at;
			int next = child_[active_][text_[edge_]];
			if (next == NONE) {
				int leaf = add(at, (int)text_.size());
				child_[active_][text_[edge_]] = leaf;
				link(active_);
			} else {
				int size = std::min(nodes[next].end, at + 1) - nodes[next].start;
				if (length_ >= size) {
					active_ = next;
					edge_ += size;
					length_ -= size;
					continue;
				}
				if (text_[nodes[next].start + length_] == text_[at]) {
					length_++;
					link(active_);
					return;
				}
				split(next, at, link);
			}
			remaining_--;
			if (active_ == ROOT && length_) {
				length_--;
				edge_ = at - remaining_ + 1;
			} else if (active_ != ROOT) {
				active_ = nodes[active_].link;
			}
		}
	}

	template <typename Link> void split(int next, int at, Link link)
	{
		int start = nodes[next].start, middle = add(start, start + length_);
		int leaf = add(at, (int)text_.size());
		child_[active_][text_[edge_]] = middle;
		child_[middle][text_[at]] = leaf;
		nodes[next].start += length_;
		child_[middle][text_[nodes[next].start]] = next;
		link(middle);
	}

      public:
	std::vector<Node> nodes;

	explicit SuffixTree(const std::vector<char> &text) : text_(text)
	{
		text_.push_back(LETTERS);
		add(0, 0); // NONE
		add(0, 0); // ROOT
		for (int at = 0; at < (int)text_.size(); at++)
			extend(at);
	}

	std::vector<Children> children() const
	{
		std::vector<Children> all(child_.size());
		for (size_t n = 0; n < child_.size(); n++)
			std::copy_n(child_[n].begin(), LETTERS, all[n].child);
		return all;
	}
};

// DNA-like text: two letters are more frequent, and a third of it repeats earlier parts with one letter in 32 changed.
static std::vector<char> make_reference(int size, program::Random &random)
{
	std::vector<char> text;
	while ((int)text.size() < size) {
		int run = 20 + (int)random.below(200), have = (int)text.size();
		bool repeat = have > 1000 && random.below(3) == 0;
		int from = repeat ? (int)random.below(have - 300) : 0;
		for (int i = 0; i < run && (int)text.size() < size; i++) {
			char letter = (char)(random.below(10) < 7 ? random.below(2) : 2 + random.below(2));
			text.push_back(repeat && random.below(32) ? text[from + i] : letter);
		}
	}
	return text;
}

// A query is a part of the reference with one letter in 50 changed. One query in ten is unrelated to the reference.
static std::vector<char> make_queries(const std::vector<char> &text, int queries, int size, program::Random &random)
{
	std::vector<char> letters;
	for (int q = 0; q < queries; q++) {
		bool foreign = random.below(10) == 0;
		int from = (int)random.below((uint32_t)text.size() - size + 1);
		for (int i = 0; i < size; i++)
			letters.push_back(foreign || random.below(50) == 0 ? (char)random.below(LETTERS)
			                                                   : text[from + i]);
	}
	return letters;
}

// The match lengths, by binary search in the sorted suffixes of the reference.
static std::vector<int> match_lengths(const std::vector<char> &text, const std::vector<char> &letters, int size)
{
	std::vector<int> suffixes(text.size()), lengths;
	std::iota(suffixes.begin(), suffixes.end(), 0);
	auto less = [&](int a, int b) {
		return std::lexicographical_compare(text.begin() + a, text.end(), text.begin() + b, text.end());
	};
	std::sort(suffixes.begin(), suffixes.end(), less);
	for (size_t at = 0; at < letters.size(); at++) {
		auto begin = letters.begin() + (long)at, end = letters.begin() + (long)((at / size + 1) * size);
		auto below = [&](int suffix, int) {
			return std::lexicographical_compare(text.begin() + suffix, text.end(), begin, end);
		};
		auto common = [&](int suffix) {
			int length = 0;
			while (begin + length < end && suffix + length < (int)text.size() &&
			       begin[length] == text[suffix + length])
				length++;
			return length;
		};
		auto after = std::lower_bound(suffixes.begin(), suffixes.end(), 0, below);
		int best = after < suffixes.end() ? common(*after) : 0;
		lengths.push_back(std::max(best, after > suffixes.begin() ? common(after[-1]) : 0));
	}
	return lengths;
}

int main(int argc, char **argv)
{
	program::Arguments arguments(argc, argv, "mummer");
	int reference_size = arguments.number("reference", 4000, 20000, 20000, "letters of the reference");
	int queries = arguments.number("queries", 384, 8000, 50000, "queries");
	int size = arguments.number("length", 25, 25, 25, "letters of a query");
	arguments.end();
	arguments.require(queries > 0 && size > 0 && size <= reference_size, "queries, no longer than the reference");

	program::Random random(arguments.seed());
	std::vector<char> text = make_reference(reference_size, random);
	std::vector<char> query_letters = make_queries(text, queries, size, random);
	std::vector<int> query_starts(queries + 1);
	for (int q = 0; q <= queries; q++)
		query_starts[q] = q * size;
	SuffixTree tree(text);

	text.push_back(LETTERS);
	program::Array<Node> nodes(tree.nodes);
	program::Array<Children> children(tree.children());
	program::Array<char> reference(text), letters(query_letters);
	text.pop_back();
	program::Array<int> starts(query_starts);
	program::Array<Match> matches(query_letters.size());
	match_queries<<<program::blocks(queries, BLOCK), BLOCK>>>(nodes, children, reference, letters, starts, matches,
	                                                          queries);
	CHECK(cudaGetLastError());

	std::vector<int> lengths;
	bool found = true;
	std::vector<Match> results = matches.read();
	for (size_t at = 0; at < results.size(); at++) {
		const Match &match = results[at];
		lengths.push_back(match.length);
		found &= match.position >= 0 && match.position + match.length <= reference_size &&
		         std::equal(text.begin() + match.position, text.begin() + match.position + match.length,
		                    query_letters.begin() + (long)at);
	}
	program::Verdict verdict("mummer");
	verdict.equal("lengths", lengths, match_lengths(text, query_letters, size));
	verdict.require(found, "each match stands at its position of the reference");
	return verdict.status();
}
