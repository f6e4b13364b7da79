// marching_cubes: the triangles of a field's isosurface. sampleVolume fills a volume. classifyVoxel finds which corners
// of each voxel are inside. A scan numbers the voxels that the surface cuts, and their vertices; compactVoxels lists
// these voxels. generateTriangles, which scratchpad sharing measures, has one thread per listed voxel. It evaluates the
// field and its growth at eight corners. For each of twelve edges it writes a vertex and a normal to shared memory (288
// bytes per thread). Then one loop copies those that the case needs to the mesh. `mc1` (MC1, Table 1) has blocks of 32
// threads, `mc2` (MC2, Table 5) of 48. Adjacent threads write runs of different length.
// The field is that of CUDA's marchingCubes sample without a file. Only then does its kernel generateTriangles run,
// which keeps vertices and normals in shared memory. At level 0.2 the surface cuts 2,992 of 32^3 voxels: 94 blocks, the
// 3,008 threads of Table 4.
// The other forms are MC of Tables 7 to 9, with one thread for every voxel: `mc`, and Yang et al.'s forms, which join
// two logical blocks of 32 threads. In `vtb` the halves evaluate together and use shared memory in turn. In `vtb_pipe`
// the second half computes its vertices while the first computes its normals. In `co_vtb` each half has its own
// vertices, and only the normals are in turn. `work` is no paper's: mc1 with more work before, or after, the first
// shared access.
#include "../program.h"
#include "surface.h"

const int THREADS = 32, BLOCK = 256;
template <int N> using List = float3[EDGES][N];

__global__ void sampleVolume(float *volume, int bits)
{
	int i = blockIdx.x * BLOCK + threadIdx.x, side = 1 << bits, row = side + 1;
	if (i < row * row * row) {
		float3 at = point(i % row, i / row % row, i / row / row, 2.0f / side);
		volume[i] = value_at(at.x, at.y, at.z);
	}
}

// Writes two counts per voxel: 1 if the surface cuts it, and its number of vertices.
__global__ void classifyVoxel(const float *volume, const Byte *triangles, Byte *cases, uint2 *counts, int bits)
{
	int voxel = blockIdx.x * BLOCK + threadIdx.x, side = 1 << bits, mask = side - 1;
	if (voxel >= side * side * side)
		return;
	int row = side + 1, inside = 0;
	const float *first = volume + (voxel & mask) + row * (voxel >> bits & mask) + row * row * (voxel >> 2 * bits);
#pragma unroll
	for (int c = 0; c < 8; c++)
		inside |= (first[(c & 1) + (c >> 1 & 1) * row + (c >> 2) * row * row] < LEVEL) << c;
	int vertices = triangles[inside * ROW + ROW - 1];
	cases[voxel] = inside;
	counts[voxel] = make_uint2(vertices > 0, vertices);
}

// Replaces each count by the sum of the earlier counts in its block.
__global__ void scanBlocks(uint2 *counts, uint2 *sums, int count)
{
	__shared__ uint2 sum[BLOCK];
	int t = threadIdx.x, i = blockIdx.x * BLOCK + t;
	uint2 mine = i < count ? counts[i] : make_uint2(0, 0);
	sum[t] = mine;
	__syncthreads();
	for (int reach = 1; reach < BLOCK; reach *= 2) {
		uint2 left = t >= reach ? sum[t - reach] : make_uint2(0, 0);
		__syncthreads();
		sum[t] = make_uint2(sum[t].x + left.x, sum[t].y + left.y);
		__syncthreads();
	}
	if (i < count)
		counts[i] = make_uint2(sum[t].x - mine.x, sum[t].y - mine.y);
	if (t == BLOCK - 1)
		sums[blockIdx.x] = sum[t];
}

__global__ void addSums(uint2 *counts, const uint2 *sums, int count)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < count)
		counts[i] = make_uint2(counts[i].x + sums[blockIdx.x].x, counts[i].y + sums[blockIdx.x].y);
}

__global__ void compactVoxels(const uint2 *offsets, int *voxels, int count)
{
	int voxel = blockIdx.x * BLOCK + threadIdx.x;
	if (voxel < count && offsets[voxel + 1].x > offsets[voxel].x)
		voxels[offsets[voxel].x] = voxel;
}

// The threads read the case table and each voxel's place in the mesh, and write the mesh.
struct Mesh {
	const Byte *triangles;
	const uint2 *offsets;
	float4 *vertices, *normals;
	int limit, bits;
};

template <int N> __device__ __forceinline__ void list_vertices(List<N> &list, const Corners &corners, int lane)
{
#pragma unroll
	for (int e = 0; e < EDGES; e++)
		list[e][lane] = vertex_of(corners, e);
}

template <int N> __device__ __forceinline__ void list_normals(List<N> &list, const Corners &corners, int lane)
{
#pragma unroll
	for (int e = 0; e < EDGES; e++)
		list[e][lane] = normal_of(corners, e);
}

// Copies the edges that a row of the triangle table names, from one list or both.
template <int N>
__device__ __forceinline__ void emit(const Mesh &mesh, const List<N> *vertices, const List<N> *normals, int inside,
                                     int voxel, int lane)
{
	const Byte *row = mesh.triangles + inside * ROW;
	int count = row[ROW - 1];
	for (int i = 0; i < count; i++) {
		int edge = row[i], place = mesh.offsets[voxel].y + i;
		if (place >= mesh.limit)
			continue;
		if (vertices) {
			float3 one = (*vertices)[edge][lane];
			mesh.vertices[place] = make_float4(one.x, one.y, one.z, 1);
		}
		if (normals) {
			float3 one = (*normals)[edge][lane];
			mesh.normals[place] = make_float4(one.x, one.y, one.z, 0);
		}
	}
}

template <int N>
__device__ __forceinline__ void generate(List<N> &vertices, List<N> &normals, const Mesh &mesh, int voxel)
{
	Corners corners;
	evaluate(corners, voxel, mesh.bits);
	int inside = case_of(corners), lane = threadIdx.x;
#pragma unroll
	for (int e = 0; e < EDGES; e++) {
		vertices[e][lane] = vertex_of(corners, e);
		normals[e][lane] = normal_of(corners, e);
	}
	__syncthreads();
	emit<N>(mesh, &vertices, &normals, inside, voxel, lane);
}

// Threads after the list's end repeat its last voxel.
__global__ void generateTriangles(const int *voxels, int count, Mesh mesh)
{
	__shared__ List<THREADS> vertices, normals;
	generate<THREADS>(vertices, normals, mesh, voxels[min((int)(blockIdx.x * THREADS + threadIdx.x), count - 1)]);
}

__global__ void generateTriangles_48(const int *voxels, int count, Mesh mesh)
{
	__shared__ List<48> vertices, normals;
	generate<48>(vertices, normals, mesh, voxels[min((int)(blockIdx.x * 48 + threadIdx.x), count - 1)]);
}

// The sums of equal values over a power of two of rounds, and their mean, are exact. The compiler does not know that
// they are equal.
__global__ void generateTriangles_work(const int *voxels, int count, Mesh mesh, int rounds, int copies)
{
	__shared__ List<THREADS> vertices, normals;
	int voxel = voxels[min((int)(blockIdx.x * THREADS + threadIdx.x), count - 1)], lane = threadIdx.x;
	Corners corners = {}, one;
#pragma unroll 1
	for (int round = 0; round < rounds; round++) {
		asm volatile("" : "+r"(voxel));
		evaluate(one, voxel, mesh.bits);
#pragma unroll
		for (int c = 0; c < 8; c++) {
			float4 &sum = corners.field[c], more = one.field[c];
			corners.at[c] = one.at[c];
			sum = make_float4(sum.x + more.x, sum.y + more.y, sum.z + more.z, sum.w + more.w);
		}
	}
	float part = 1.0f / rounds;
#pragma unroll
	for (int c = 0; c < 8; c++) {
		float4 sum = corners.field[c];
		corners.field[c] = make_float4(sum.x * part, sum.y * part, sum.z * part, sum.w * part);
	}
	int inside = case_of(corners);
#pragma unroll
	for (int e = 0; e < EDGES; e++) {
		vertices[e][lane] = vertex_of(corners, e);
		normals[e][lane] = normal_of(corners, e);
	}
	__syncthreads();
	for (int copy = 0; copy < copies; copy++)
		emit<THREADS>(mesh, &vertices, &normals, inside, voxel, lane);
}

__global__ void generateTriangles_all(Mesh mesh)
{
	__shared__ List<THREADS> vertices, normals;
	generate<THREADS>(vertices, normals, mesh, blockIdx.x * THREADS + threadIdx.x);
}

__global__ void generateTriangles_VTB(Mesh mesh)
{
	__shared__ List<THREADS> vertices, normals;
	int lane = threadIdx.x % THREADS, half = threadIdx.x / THREADS;
	int voxel = blockIdx.x * 2 * THREADS + threadIdx.x;
	Corners corners;
	evaluate(corners, voxel, mesh.bits);
	int inside = case_of(corners);
	for (int turn = 0; turn < 2; turn++) {
		if (half == turn) {
			list_vertices<THREADS>(vertices, corners, lane);
			list_normals<THREADS>(normals, corners, lane);
			emit<THREADS>(mesh, &vertices, &normals, inside, voxel, lane);
		}
		__syncthreads();
	}
}

__global__ void generateTriangles_VTB_PIPE(Mesh mesh)
{
	__shared__ List<THREADS> vertices, normals;
	int lane = threadIdx.x % THREADS, half = threadIdx.x / THREADS;
	int voxel = blockIdx.x * 2 * THREADS + threadIdx.x;
	Corners corners;
	evaluate(corners, voxel, mesh.bits);
	int inside = case_of(corners);
	for (int step = 0; step < 3; step++) {
		if (step == half) {
			list_vertices<THREADS>(vertices, corners, lane);
			emit<THREADS>(mesh, &vertices, nullptr, inside, voxel, lane);
		} else if (step == half + 1) {
			list_normals<THREADS>(normals, corners, lane);
			emit<THREADS>(mesh, nullptr, &normals, inside, voxel, lane);
		}
		__syncthreads();
	}
}

__global__ void generateTriangles_CO_VTB(Mesh mesh)
{
	__shared__ List<THREADS> vertices[2], normals;
	int lane = threadIdx.x % THREADS, half = threadIdx.x / THREADS;
	int voxel = blockIdx.x * 2 * THREADS + threadIdx.x;
	Corners corners;
	evaluate(corners, voxel, mesh.bits);
	int inside = case_of(corners);
	list_vertices<THREADS>(vertices[half], corners, lane);
	for (int turn = 0; turn < 2; turn++) {
		if (half == turn) {
			list_normals<THREADS>(normals, corners, lane);
			emit<THREADS>(mesh, &vertices[half], &normals, inside, voxel, lane);
		}
		__syncthreads();
	}
}

static void scan(uint2 *counts, int count)
{
	int blocks = program::blocks(count, BLOCK);
	program::Array<uint2> sums(blocks);
	scanBlocks<<<blocks, BLOCK>>>(counts, sums, count);
	if (blocks > 1) {
		scan(sums, blocks);
		addSums<<<blocks, BLOCK>>>(counts, sums, count);
	}
	CHECK(cudaDeviceSynchronize()); // sums are in use until here
}

static std::vector<float> without_w(const std::vector<float4> &all)
{
	std::vector<float> flat;
	for (const float4 &one : all)
		flat.insert(flat.end(), {one.x, one.y, one.z});
	return flat;
}

// Checks that the surface is closed. The vector areas of its triangles cancel. Its volume is that of the cells whose
// first corner is inside, except for a part of the cells that are cut.
static void check_closed(program::Verdict &verdict, const std::vector<float> &vertices, double inside, double cut)
{
	double volume = 0, area[3] = {}, all = 0;
	for (size_t i = 0; i < vertices.size(); i += 9) {
		const float *a = &vertices[i], *b = a + 3, *c = b + 3;
		for (int k = 0; k < 3; k++) {
			int u = (k + 1) % 3, v = (k + 2) % 3;
			double part = ((double)b[u] - a[u]) * ((double)c[v] - a[v]) -
			              ((double)b[v] - a[v]) * ((double)c[u] - a[u]);
			volume += a[k] * part / 6;
			area[k] += part;
			all += std::fabs(part);
		}
	}
	for (double sum : area)
		verdict.require(std::fabs(sum) < 1e-4 * all, "closed surface");
	verdict.require(std::fabs(volume - inside) < 0.1 * cut, "volume within the surface");
}

int main(int argc, char **argv)
{
	program::Arguments arguments(argc, argv, "marching_cubes", {"mc1", "mc2", "mc", "vtb", "vtb_pipe", "co_vtb", "work"});
	int bits = arguments.number("bits", 4, 5, 5, "logarithm of the voxels along an edge of the volume");
	int rounds = arguments.number("rounds", 2, 1, 1, "work: times the field is evaluated, a power of two");
	int copies = arguments.number("copies", 2, 1, 1, "work: times the mesh is written");
	arguments.end();
	arguments.require(bits >= 2 && bits <= 8, "2 to 8 bits");
	arguments.require(rounds > 0 && !(rounds & (rounds - 1)) && copies > 0, "rounds: a power of two; copies: 1 or more");

	std::vector<Byte> table = make_triangles();
	int side = 1 << bits, voxels = 1 << 3 * bits, corners = (side + 1) * (side + 1) * (side + 1),
	    double_blocks = voxels / THREADS / 2;

	program::Array<float> volume(corners);
	program::Array<Byte> triangles(table), cases(voxels);
	program::Array<uint2> offsets(voxels + 1); // the last entry holds the totals
	offsets.clear();
	sampleVolume<<<program::blocks(corners, BLOCK), BLOCK>>>(volume, bits);
	classifyVoxel<<<program::blocks(voxels, BLOCK), BLOCK>>>(volume, triangles, cases, offsets, bits);
	scan(offsets, voxels + 1);
	CHECK(cudaGetLastError());

	std::vector<uint2> starts = offsets.read();
	int cut = starts[voxels].x, count = starts[voxels].y;
	program::Array<int> list(cut);
	program::Array<float4> vertices(count), normals(count);
	Mesh mesh = {triangles, offsets, vertices, normals, count, bits};
	if (arguments.is("mc1") || arguments.is("mc2") || arguments.is("work"))
		compactVoxels<<<program::blocks(voxels, BLOCK), BLOCK>>>(offsets, list, voxels);
	if (arguments.is("mc1"))
		generateTriangles<<<program::blocks(cut, THREADS), THREADS>>>(list, cut, mesh);
	else if (arguments.is("mc2"))
		generateTriangles_48<<<program::blocks(cut, 48), 48>>>(list, cut, mesh);
	else if (arguments.is("work"))
		generateTriangles_work<<<program::blocks(cut, THREADS), THREADS>>>(list, cut, mesh, rounds, copies);
	else if (arguments.is("mc"))
		generateTriangles_all<<<voxels / THREADS, THREADS>>>(mesh);
	else if (arguments.is("vtb"))
		generateTriangles_VTB<<<double_blocks, 2 * THREADS>>>(mesh);
	else if (arguments.is("vtb_pipe"))
		generateTriangles_VTB_PIPE<<<double_blocks, 2 * THREADS>>>(mesh);
	else
		generateTriangles_CO_VTB<<<double_blocks, 2 * THREADS>>>(mesh);
	CHECK(cudaGetLastError());

	program::Verdict verdict("marching_cubes");
	std::vector<float> expected_volume(corners), got_volume = volume.read(), expected_vertices, expected_normals;
	int row = side + 1, inside = 0;
	for (int i = 0; i < corners; i++) {
		float3 at = point(i % row, i / row % row, i / row / row, 2.0f / side);
		expected_volume[i] = value_at(at.x, at.y, at.z);
		inside += got_volume[i] < LEVEL;
	}
	std::vector<Byte> expected_cases(voxels);
	bool placed = true;
	for (int voxel = 0; voxel < voxels; voxel++) {
		Corners corner;
		evaluate(corner, voxel, bits);
		expected_cases[voxel] = (Byte)case_of(corner);
		const Byte *mine = &table[expected_cases[voxel] * ROW];
		placed = placed && starts[voxel].y * 3 == expected_vertices.size();
		for (int i = 0; i < mine[ROW - 1]; i++) {
			float3 vertex = vertex_of(corner, mine[i]), normal = normal_of(corner, mine[i]);
			expected_vertices.insert(expected_vertices.end(), {vertex.x, vertex.y, vertex.z});
			expected_normals.insert(expected_normals.end(), {normal.x, normal.y, normal.z});
		}
	}
	std::vector<float> got_vertices = without_w(vertices.read());
	verdict.require(placed, "each voxel's place in the mesh");
	verdict.close("volume", got_volume, expected_volume, 1e-4);
	verdict.equal("cases", cases.read(), expected_cases);
	verdict.close("vertices", got_vertices, expected_vertices, 1e-4);
	// Differences over a short step: rounding leaves them an absolute error.
	verdict.close("normals", without_w(normals.read()), expected_normals, 1e-4);
	double cell = 8.0 / voxels;
	check_closed(verdict, got_vertices, inside * cell, cut * cell);
	return verdict.status();
}
