// marching_cubes: the triangles of a field's isosurface. sampleVolume fills a volume. classifyVoxel finds which corners
// of each voxel are inside. A scan numbers the voxels that the surface cuts, and their vertices; compactVoxels lists
// these voxels. generateTriangles, which scratchpad sharing measures, has one thread per listed voxel. It evaluates the
// field at eight corners and writes a vertex and a normal for each of twelve edges to shared memory (288 bytes per
// thread). Then it copies those that the case needs to the mesh. `mc1` (MC1, Table 1) has blocks of 32 threads, `mc2`
// (MC2, Table 5) of 48. The code before the first shared access is long. Adjacent threads write runs of different
// length.
// The other forms are MC of Tables 7 to 9, with one thread for every voxel: `mc`, and Yang et al.'s forms, which join
// two logical blocks of 32 threads. In `vtb` the halves evaluate together and use shared memory in turn. In `vtb_pipe`
// the second half computes its vertices while the first computes its normals. In `co_vtb` each half has its own
// vertices, and only the normals are in turn.
#include "../program.h"
#include "surface.h"

const int THREADS = 32, BLOCK = 256;
template <int N> using List = float3[EDGES][N];

// Centers and squared radii.
__constant__ float4 balls[BALLS];

__global__ void sampleVolume(float *volume, int side)
{
	int i = blockIdx.x * BLOCK + threadIdx.x, row = side + 1;
	if (i < row * row * row)
		volume[i] = field(balls, point(i % row, i / row % row, i / row / row, side)).w;
}

// Writes two counts per voxel: 1 if the surface cuts it, and its number of vertices.
__global__ void classifyVoxel(const float *volume, const Byte *triangles, Byte *cases, uint2 *counts, int side)
{
	int voxel = blockIdx.x * BLOCK + threadIdx.x;
	if (voxel < side * side * side) {
		int mine = case_of(volume, voxel, side), vertices = triangles[mine * ROW + ROW - 1];
		cases[voxel] = mine;
		counts[voxel] = make_uint2(vertices > 0, vertices);
	}
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

__device__ __forceinline__ void evaluate(float4 *corner, int voxel, int side)
{
#pragma unroll
	for (int c = 0; c < 8; c++)
		corner[c] = field(balls, corner_at(voxel, c, side));
}

// Writes the edges that a row of the triangle table names.
template <int N> __device__ __forceinline__ void emit(const List<N> &list, const Byte *row, int lane, float4 *out)
{
	int count = row[ROW - 1];
	for (int i = 0; i < count; i++) {
		float3 one = list[row[i]][lane];
		out[i] = make_float4(one.x, one.y, one.z, 1);
	}
}

template <int N>
__device__ __forceinline__ void emit_vertices(List<N> &list, const float4 *corner, const Byte *row, int lane, int voxel,
                                              int side, float4 *out)
{
#pragma unroll
	for (int e = 0; e < EDGES; e++)
		list[e][lane] = vertex_of(corner, e, voxel, side);
	emit<N>(list, row, lane, out);
}

template <int N>
__device__ __forceinline__ void emit_normals(List<N> &list, const float4 *corner, const Byte *row, int lane,
                                             float4 *out)
{
#pragma unroll
	for (int e = 0; e < EDGES; e++)
		list[e][lane] = normal_of(corner, e);
	emit<N>(list, row, lane, out);
}

template <int N>
__device__ __forceinline__ void generate(List<N> &vertices, List<N> &normals, int voxel, const Byte *cases,
                                         const uint2 *offsets, const Byte *triangles, float4 *out_vertices,
                                         float4 *out_normals, int side)
{
	const Byte *row = triangles + cases[voxel] * ROW;
	unsigned first = offsets[voxel].y;
	float4 corner[8];
	evaluate(corner, voxel, side);
	emit_vertices<N>(vertices, corner, row, threadIdx.x, voxel, side, out_vertices + first);
	emit_normals<N>(normals, corner, row, threadIdx.x, out_normals + first);
}

__global__ void generateTriangles(const int *voxels, int count, const Byte *cases, const uint2 *offsets,
                                  const Byte *triangles, float4 *out_vertices, float4 *out_normals, int side)
{
	__shared__ List<THREADS> vertices, normals;
	int i = blockIdx.x * THREADS + threadIdx.x;
	if (i < count)
		generate<THREADS>(vertices, normals, voxels[i], cases, offsets, triangles, out_vertices, out_normals,
		                  side);
}

__global__ void generateTriangles_48(const int *voxels, int count, const Byte *cases, const uint2 *offsets,
                                     const Byte *triangles, float4 *out_vertices, float4 *out_normals, int side)
{
	__shared__ List<48> vertices, normals;
	int i = blockIdx.x * 48 + threadIdx.x;
	if (i < count)
		generate<48>(vertices, normals, voxels[i], cases, offsets, triangles, out_vertices, out_normals, side);
}

__global__ void generateTriangles_all(const Byte *cases, const uint2 *offsets, const Byte *triangles,
                                      float4 *out_vertices, float4 *out_normals, int side)
{
	__shared__ List<THREADS> vertices, normals;
	generate<THREADS>(vertices, normals, blockIdx.x * THREADS + threadIdx.x, cases, offsets, triangles,
	                  out_vertices, out_normals, side);
}

__global__ void generateTriangles_VTB(const Byte *cases, const uint2 *offsets, const Byte *triangles,
                                      float4 *out_vertices, float4 *out_normals, int side)
{
	__shared__ List<THREADS> vertices, normals;
	int lane = threadIdx.x % THREADS, half = threadIdx.x / THREADS;
	int voxel = blockIdx.x * 2 * THREADS + threadIdx.x;
	const Byte *row = triangles + cases[voxel] * ROW;
	unsigned first = offsets[voxel].y;
	float4 corner[8];
	evaluate(corner, voxel, side);
	for (int turn = 0; turn < 2; turn++) {
		if (half == turn) {
			emit_vertices<THREADS>(vertices, corner, row, lane, voxel, side, out_vertices + first);
			emit_normals<THREADS>(normals, corner, row, lane, out_normals + first);
		}
		__syncthreads();
	}
}

__global__ void generateTriangles_VTB_PIPE(const Byte *cases, const uint2 *offsets, const Byte *triangles,
                                           float4 *out_vertices, float4 *out_normals, int side)
{
	__shared__ List<THREADS> vertices, normals;
	int lane = threadIdx.x % THREADS, half = threadIdx.x / THREADS;
	int voxel = blockIdx.x * 2 * THREADS + threadIdx.x;
	const Byte *row = triangles + cases[voxel] * ROW;
	unsigned first = offsets[voxel].y;
	float4 corner[8];
	evaluate(corner, voxel, side);
	for (int step = 0; step < 3; step++) {
		if (step == half)
			emit_vertices<THREADS>(vertices, corner, row, lane, voxel, side, out_vertices + first);
		else if (step == half + 1)
			emit_normals<THREADS>(normals, corner, row, lane, out_normals + first);
		__syncthreads();
	}
}

__global__ void generateTriangles_CO_VTB(const Byte *cases, const uint2 *offsets, const Byte *triangles,
                                         float4 *out_vertices, float4 *out_normals, int side)
{
	__shared__ List<THREADS> vertices[2], normals;
	int lane = threadIdx.x % THREADS, half = threadIdx.x / THREADS;
	int voxel = blockIdx.x * 2 * THREADS + threadIdx.x;
	const Byte *row = triangles + cases[voxel] * ROW;
	unsigned first = offsets[voxel].y;
	float4 corner[8];
	evaluate(corner, voxel, side);
	emit_vertices<THREADS>(vertices[half], corner, row, lane, voxel, side, out_vertices + first);
	for (int turn = 0; turn < 2; turn++) {
		if (half == turn)
			emit_normals<THREADS>(normals, corner, row, lane, out_normals + first);
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

// One ball in every other octant. Random radii and positions decide whether they touch.
static std::vector<float4> make_balls(program::Random &random)
{
	std::vector<float4> all;
	for (int octant : {0, 3, 5, 6}) {
		float at[3], radius = random.uniform(0.36f, 0.43f);
		for (int axis = 0; axis < 3; axis++)
			at[axis] = (octant >> axis & 1 ? 0.42f : -0.42f) + random.uniform(-0.08f, 0.08f);
		all.push_back(make_float4(at[0], at[1], at[2], radius * radius));
	}
	return all;
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
	program::Arguments arguments(argc, argv, "marching_cubes", {"mc1", "mc2", "mc", "vtb", "vtb_pipe", "co_vtb"});
	int side = arguments.number("side", 12, 48, 32, "voxels along an edge of the volume, a multiple of 4");
	arguments.end();
	arguments.require(side > 0 && side % 4 == 0 && side <= 256, "a side that is a multiple of 4, at most 256");

	program::Random random(arguments.seed());
	std::vector<float4> all = make_balls(random);
	CHECK(cudaMemcpyToSymbol(balls, all.data(), sizeof(balls)));
	std::vector<Byte> table = make_triangles();
	int voxels = side * side * side, corners = (side + 1) * (side + 1) * (side + 1),
	    double_blocks = voxels / THREADS / 2;

	program::Array<float> volume(corners);
	program::Array<Byte> triangles(table), cases(voxels);
	program::Array<uint2> offsets(voxels + 1); // the last entry holds the totals
	offsets.clear();
	sampleVolume<<<program::blocks(corners, BLOCK), BLOCK>>>(volume, side);
	classifyVoxel<<<program::blocks(voxels, BLOCK), BLOCK>>>(volume, triangles, cases, offsets, side);
	scan(offsets, voxels + 1);
	CHECK(cudaGetLastError());

	std::vector<uint2> starts = offsets.read();
	int cut = starts[voxels].x, count = starts[voxels].y;
	program::Array<int> list(cut);
	program::Array<float4> vertices(count), normals(count);
	if (arguments.is("mc1") || arguments.is("mc2"))
		compactVoxels<<<program::blocks(voxels, BLOCK), BLOCK>>>(offsets, list, voxels);
	if (arguments.is("mc1"))
		generateTriangles<<<program::blocks(cut, THREADS), THREADS>>>(list, cut, cases, offsets, triangles,
		                                                              vertices, normals, side);
	else if (arguments.is("mc2"))
		generateTriangles_48<<<program::blocks(cut, 48), 48>>>(list, cut, cases, offsets, triangles, vertices,
		                                                       normals, side);
	else if (arguments.is("mc"))
		generateTriangles_all<<<voxels / THREADS, THREADS>>>(cases, offsets, triangles, vertices, normals,
		                                                     side);
	else if (arguments.is("vtb"))
		generateTriangles_VTB<<<double_blocks, 2 * THREADS>>>(cases, offsets, triangles, vertices, normals,
		                                                      side);
	else if (arguments.is("vtb_pipe"))
		generateTriangles_VTB_PIPE<<<double_blocks, 2 * THREADS>>>(cases, offsets, triangles, vertices, normals,
		                                                           side);
	else
		generateTriangles_CO_VTB<<<double_blocks, 2 * THREADS>>>(cases, offsets, triangles, vertices, normals,
		                                                         side);
	CHECK(cudaGetLastError());

	program::Verdict verdict("marching_cubes");
	std::vector<float> expected_volume(corners), got_volume = volume.read(), expected_vertices, expected_normals;
	int row = side + 1, inside = 0;
	for (int i = 0; i < corners; i++) {
		expected_volume[i] = field(all.data(), point(i % row, i / row % row, i / row / row, side)).w;
		inside += got_volume[i] > 1;
	}
	// A corner on the surface may round to either side, so the cases are derived from the device's volume.
	std::vector<Byte> expected_cases(voxels);
	bool placed = true;
	for (int voxel = 0; voxel < voxels; voxel++) {
		expected_cases[voxel] = (Byte)case_of(got_volume.data(), voxel, side);
		const Byte *mine = &table[expected_cases[voxel] * ROW];
		float4 corner[8];
		for (int c = 0; c < 8; c++)
			corner[c] = field(all.data(), corner_at(voxel, c, side));
		placed = placed && starts[voxel].y * 3 == expected_vertices.size();
		for (int i = 0; i < mine[ROW - 1]; i++) {
			float3 vertex = vertex_of(corner, mine[i], voxel, side), normal = normal_of(corner, mine[i]);
			expected_vertices.insert(expected_vertices.end(), {vertex.x, vertex.y, vertex.z});
			expected_normals.insert(expected_normals.end(), {normal.x, normal.y, normal.z});
		}
	}
	std::vector<float> got_vertices = without_w(vertices.read());
	verdict.require(placed, "each voxel's place in the mesh");
	verdict.close("volume", got_volume, expected_volume, 1e-4);
	verdict.equal("cases", cases.read(), expected_cases);
	verdict.close("vertices", got_vertices, expected_vertices, 1e-4);
	verdict.close("normals", without_w(normals.read()), expected_normals, 1e-3);
	double cell = 8.0 / voxels;
	check_closed(verdict, got_vertices, inside * cell, cut * cell);
	return verdict.status();
}
