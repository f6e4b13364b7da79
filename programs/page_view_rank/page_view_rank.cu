// page_view_rank: ranks the pages of a web log by their number of views, as a map-reduce in the style of Mars.
// map hashes the page address of each record. A bitonic sort groups the records of a page, reduce counts the
// records of each page, and a second sort orders the pages by views. CAPS uses it as PVR (Mars PageViewRank), an
// irregular program. Keys are pairs of a number and a record. The addresses stay in the log, have different
// lengths, and are read through the record's offset whenever two numbers are equal. Views follow Zipf's law, so
// most string comparisons are between a few pages. One thread counts the views of the most frequent page while
// its warp waits.
#include "../program.h"

#include <algorithm>
#include <map>

const int BLOCK = 256;

// number: the primary sort key. record: the record whose address orders equal numbers, or -1 for none.
struct Key {
	unsigned number;
	int record;
};

// Compares two addresses as strcmp does. An address ends before the blank.
__device__ int compare_addresses(const char *log, int a, int b)
{
	while (log[a] == log[b] && log[a] != ' ') {
		a++;
		b++;
	}
	return log[a] - log[b];
}

__global__ void map_records(const char *log, const int *offsets, Key *keys, int records, int count)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= count)
		return;
	unsigned hash = 2166136261u; // FNV-1a
	if (i < records)
		for (int at = offsets[i]; log[at] != ' '; at++)
			hash = (hash ^ (unsigned char)log[at]) * 16777619u;
	keys[i] = i < records ? Key{hash >> 1, i} : Key{~0u, -1};
}

// One step of a bitonic sort. A thread orders two keys at the distance `distance`, in the direction of their run of
// `run` keys. `descending` reverses the order of the numbers. Equal numbers are ordered by their addresses.
__global__ void sort_step(const char *log, const int *offsets, Key *keys, int distance, int run, bool descending,
                          int count)
{
	int thread = blockIdx.x * blockDim.x + threadIdx.x;
	int low = 2 * thread - (thread & (distance - 1));
	if (thread >= count / 2)
		return;
	Key a = keys[low], b = keys[low + distance];
	bool after = descending ? a.number < b.number : a.number > b.number;
	if (a.number == b.number && a.record >= 0)
		after = compare_addresses(log, offsets[a.record], offsets[b.record]) > 0;
	bool up = !(low & run);
	if (after == up) {
		keys[low] = b;
		keys[low + distance] = a;
	}
}

// Sets first[i] if key i is the first of its page.
__global__ void group_pages(const char *log, const int *offsets, const Key *keys, uint8_t *first, int records)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < records)
		first[i] = i == 0 || keys[i].number != keys[i - 1].number ||
		           compare_addresses(log, offsets[keys[i].record], offsets[keys[i - 1].record]);
}

// The thread at the first key of a page counts keys up to the next page. Others write a key that sorts last.
__global__ void reduce_pages(const Key *keys, const uint8_t *first, Key *pages, int records, int count)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= count)
		return;
	Key page = {0, -1};
	if (i < records && first[i]) {
		int next = i + 1;
		while (next < records && !first[next])
			next++;
		page = Key{(unsigned)(next - i), keys[i].record};
	}
	pages[i] = page;
}

// A log of lines "ADDRESS IP\n".
struct Log {
	std::vector<char> text;
	std::vector<int> offsets;
	std::string address(int record) const
	{
		const char *start = &text[offsets[record]];
		return std::string(start, (size_t)(strchr(start, ' ') - start));
	}
};

// Views of page p are proportional to 1 / (p + 1), Zipf's law. A page's number determines its site and depth.
static Log make_log(int records, int pages, program::Random &random)
{
	std::vector<double> cumulative(pages);
	double total = 0;
	for (int p = 0; p < pages; p++)
		cumulative[p] = total += 1.0 / (p + 1);
	const char *sections[] = {"news", "shop",         "wiki",         "blog/archive",
	                          "img",  "user/profile", "forum/thread", "download"};
	Log log;
	for (int r = 0; r < records; r++) {
		double choice = random.uniform() * total;
		unsigned page = (unsigned)(std::upper_bound(cumulative.begin(), cumulative.end() - 1, choice) -
		                           cumulative.begin());
		unsigned mixed = page * 2654435761u;
		std::string line = "www.site" + std::to_string(mixed % 97) + ".org/";
		for (unsigned depth = mixed >> 30; depth; depth--)
			line += std::string(sections[(mixed >> (3 * depth)) % 8]) + "/";
		line += std::to_string(page) + ".html ";
		for (int part = 0; part < 4; part++)
			line += std::to_string(random.below(256)) + (part < 3 ? "." : "\n");
		log.offsets.push_back((int)log.text.size());
		log.text.insert(log.text.end(), line.begin(), line.end());
	}
	return log;
}

static void sort_keys(const char *log, const int *offsets, Key *keys, bool descending, int count)
{
	for (int run = 2; run <= count; run *= 2)
		for (int distance = run / 2; distance; distance /= 2)
			sort_step<<<program::blocks(count / 2, BLOCK), BLOCK>>>(log, offsets, keys, distance, run,
			                                                        descending, count);
	CHECK(cudaGetLastError());
}

int main(int argc, char **argv)
{
	program::Arguments arguments(argc, argv, "page_view_rank");
	int records = arguments.number("records", 250, 4000, 130000, "records of the log");
	int pages = arguments.number("pages", 100, 2000, 20000, "pages of the sites");
	arguments.end();
	arguments.require(records > 1 && records < 1 << 24 && pages > 0, "2 to 16 million records, and pages");

	program::Random random(arguments.seed());
	Log log = make_log(records, pages, random);
	int count = 2;
	while (count < records)
		count *= 2;

	program::Array<char> text(log.text);
	program::Array<int> offsets(log.offsets);
	program::Array<Key> keys(count), ranks(count);
	program::Array<uint8_t> first(records);
	int grid = program::blocks(count, BLOCK);
	map_records<<<grid, BLOCK>>>(text, offsets, keys, records, count);
	sort_keys(text, offsets, keys, false, count);
	group_pages<<<grid, BLOCK>>>(text, offsets, keys, first, records);
	reduce_pages<<<grid, BLOCK>>>(keys, first, ranks, records, count);
	sort_keys(text, offsets, ranks, true, count);

	std::map<std::string, unsigned> views;
	for (int r = 0; r < records; r++)
		views[log.address(r)]++;
	std::vector<std::pair<std::string, unsigned>> expected(views.begin(), views.end()), got;
	std::stable_sort(expected.begin(), expected.end(), [](auto &a, auto &b) { return a.second > b.second; });
	for (const Key &rank : ranks.read())
		if (rank.record >= 0)
			got.emplace_back(log.address(rank.record), rank.number);

	std::vector<unsigned> got_views, expected_views;
	for (const auto &page : got)
		got_views.push_back(page.second);
	for (const auto &page : expected)
		expected_views.push_back(page.second);
	program::Verdict verdict("page_view_rank");
	verdict.equal("views", got_views, expected_views);
	verdict.require(got == expected, "pages in the order of their views");
	return verdict.status();
}
