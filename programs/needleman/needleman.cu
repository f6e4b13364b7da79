// needleman: global alignment of two sequences by Needleman and Wunsch's dynamic programming. The score table is cut
// into tiles of 32 x 32. All tiles of an anti-diagonal are one launch, with a block of 32 threads per tile.
// needle_cuda_shared_1 (NW1 of scratchpad sharing) processes the growing anti-diagonals, needle_cuda_shared_2 (NW2) the
// shrinking ones. A tile and its similarities are in shared memory, 8452 bytes. Therefore a single block of one warp
// uses over half of a scratchpad of 16 KB. On average half the lanes idle, and a barrier ends each of the tile's 63
// anti-diagonals. With 198 tiles a launch has 3184 and 3168 threads on average, as in Table 4 of the paper.
#include "../program.h"

#include <algorithm>

const int TILE = 32;
typedef int Cells[TILE + 1][TILE + 1], Similarities[TILE][TILE];

// Row 0 and column 0 are the edges of the neighboring tiles.
__device__ void fill_cell(Cells &cell, const Similarities &similarity, int gap, int x, int y)
{
	int diagonal = cell[y - 1][x - 1] + similarity[y - 1][x - 1];
	cell[y][x] = max(diagonal, max(cell[y][x - 1], cell[y - 1][x]) - gap);
}

// The order in which a tile is loaded. Rodinia has one for each kernel, with barriers between the steps.
enum Order { EDGES_FIRST, CORNER_FIRST, SIMILARITIES_FIRST };

template <Order order>
__device__ void align_tile(Cells &cell, Similarities &similarity, const int *similarities, int *scores, int columns,
                           int gap, int tile_x, int tile_y)
{
	int lane = threadIdx.x;
	int corner = columns * TILE * tile_y + TILE * tile_x, inside = corner + columns + 1;
	auto load_corner = [&] {
		if (lane == 0)
			cell[0][0] = scores[corner];
	};
	auto load_left_edge = [&] { cell[lane + 1][0] = scores[corner + columns * (lane + 1)]; };
	auto load_upper_edge = [&] { cell[0][lane + 1] = scores[corner + lane + 1]; };
	if (order != SIMILARITIES_FIRST)
		load_corner();
	if (order == EDGES_FIRST) {
		load_left_edge();
		load_upper_edge();
	}
	for (int y = 0; y < TILE; y++)
		similarity[y][lane] = similarities[inside + columns * y + lane];
	__syncthreads();
	if (order == SIMILARITIES_FIRST)
		load_corner();
	if (order != EDGES_FIRST) {
		load_left_edge();
		__syncthreads();
		load_upper_edge();
		__syncthreads();
	}

	for (int last = 0; last < TILE; last++) {
		if (lane <= last)
			fill_cell(cell, similarity, gap, lane + 1, last - lane + 1);
		__syncthreads();
	}
	for (int last = TILE - 2; last >= 0; last--) {
		if (lane <= last)
			fill_cell(cell, similarity, gap, TILE - last + lane, TILE - lane);
		__syncthreads();
	}

	for (int y = 0; y < TILE; y++)
		scores[inside + columns * y + lane] = cell[y + 1][lane + 1];
}

// Processes `length` tiles of the anti-diagonal that begins at the left edge.
__global__ void needle_cuda_shared_1(const int *similarities, int *scores, int columns, int gap, int length)
{
	__shared__ Cells cell;
	__shared__ Similarities similarity;
	align_tile<EDGES_FIRST>(cell, similarity, similarities, scores, columns, gap, blockIdx.x,
	                        length - 1 - blockIdx.x);
}

// Processes `length` tiles of the anti-diagonal that begins at the bottom edge of `tiles` x `tiles` tiles.
__global__ void needle_cuda_shared_2(const int *similarities, int *scores, int columns, int gap, int length, int tiles)
{
	__shared__ Cells cell;
	__shared__ Similarities similarity;
	align_tile<EDGES_FIRST>(cell, similarity, similarities, scores, columns, gap, tiles - length + blockIdx.x,
	                        tiles - 1 - blockIdx.x);
}

// The order of Rodinia's kernels. CUDA 4.0 places shared variables in the order of their first use.
__global__ void needle_cuda_shared_1_rodinia(const int *similarities, int *scores, int columns, int gap, int length)
{
	__shared__ Cells cell;
	__shared__ Similarities similarity;
	align_tile<CORNER_FIRST>(cell, similarity, similarities, scores, columns, gap, blockIdx.x,
	                         length - 1 - blockIdx.x);
}

__global__ void needle_cuda_shared_2_rodinia(const int *similarities, int *scores, int columns, int gap, int length,
                                             int tiles)
{
	__shared__ Similarities similarity;
	__shared__ Cells cell;
	align_tile<SIMILARITIES_FIRST>(cell, similarity, similarities, scores, columns, gap,
	                               tiles - length + blockIdx.x, tiles - 1 - blockIdx.x);
}

const int LETTERS = 20, CLASSES = 6;

// A relative of a protein: one letter in four is replaced, a few are inserted or deleted.
static std::vector<int> relative(const std::vector<int> &sequence, program::Random &random)
{
	std::vector<int> other;
	size_t next = 0;
	while (other.size() < sequence.size()) {
		uint32_t event = random.below(100);
		bool inherited = event >= 28 && next < sequence.size();
		other.push_back(inherited ? sequence[next] : (int)random.below(LETTERS));
		next += event < 3 ? 0 : event < 6 ? 2 : 1;
	}
	return other;
}

// Equal letters, letters of one chemical class, others.
static int score_of(int a, int b)
{
	return a == b ? 5 : a % CLASSES == b % CLASSES ? 1 : -3;
}

int main(int argc, char **argv)
{
	program::Arguments arguments(argc, argv, "needleman", {"plain", "rodinia"});
	int tiles = arguments.number("tiles", 5, 32, 198, "length of the sequences in tiles of 32");
	int gap = arguments.number("gap", 4, 4, 4, "cost of a gap's letter");
	arguments.end();
	arguments.require(tiles > 0 && tiles <= 512, "1 to 512 tiles");
	arguments.require(gap <= 1000, "a gap of at most 1000");

	program::Random random(arguments.seed());
	int length = tiles * TILE, columns = length + 1;
	std::vector<int> down(length), across;
	for (int &letter : down)
		letter = (int)random.below(LETTERS);
	across = relative(down, random);

	std::vector<int> similarities((size_t)columns * columns), scores(similarities.size());
	for (int i = 0; i <= length; i++)
		scores[i] = scores[(size_t)i * columns] = -gap * i;
	for (int y = 1; y <= length; y++)
		for (int x = 1; x <= length; x++)
			similarities[(size_t)y * columns + x] = score_of(down[y - 1], across[x - 1]);

	program::Array<int> device_similarities(similarities), device_scores(scores);
	auto growing = arguments.is("rodinia") ? needle_cuda_shared_1_rodinia : needle_cuda_shared_1;
	auto shrinking = arguments.is("rodinia") ? needle_cuda_shared_2_rodinia : needle_cuda_shared_2;
	for (int diagonal = 1; diagonal <= tiles; diagonal++)
		growing<<<diagonal, TILE>>>(device_similarities, device_scores, columns, gap, diagonal);
	for (int diagonal = tiles - 1; diagonal >= 1; diagonal--)
		shrinking<<<diagonal, TILE>>>(device_similarities, device_scores, columns, gap, diagonal, tiles);
	CHECK(cudaGetLastError());

	for (int y = 1; y <= length; y++)
		for (int x = 1; x <= length; x++) {
			size_t at = (size_t)y * columns + x;
			scores[at] = std::max(scores[at - columns - 1] + similarities[at],
			                      std::max(scores[at - 1], scores[at - columns]) - gap);
		}
	program::Verdict verdict("needleman");
	verdict.equal("scores", device_scores.read(), scores);
	return verdict.status();
}
