// kmeans: k-means clustering. A kernel transposes the points from one row per point to one row per feature. Then, in
// each iteration, one thread per point finds the nearest center, and the host moves the centers. CAPS uses it as KM
// (Rodinia kmeans). Scratchpad sharing uses it as kmeans (kernel kmeansPoint: two shared variables, 4,608 bytes, 576
// threads). The layout by features makes the reads of a warp contiguous, with a stride of a whole row between features.
// For each center the same values are reread, at a distance that exceeds L1. The transposing kernel reads rows of 136
// bytes in neighboring threads. The centers are in constant memory. The form `reduction` also counts the points that
// moved. It sums the points of each cluster, block by block, through shared memory.
#include "../program.h"

const int FEATURES = 34, MAX_CLUSTERS = 16, BLOCK = 256, THREADS = 576;

__constant__ float centres[MAX_CLUSTERS * FEATURES];

__global__ void invert_mapping(const float *input, float *output, int points)
{
	int point = blockIdx.x * blockDim.x + threadIdx.x;
	if (point < points)
		for (int j = 0; j < FEATURES; j++)
			output[points * j + point] = input[point * FEATURES + j];
}

// A block's contribution: the points that changed cluster, and the sums of the points of each cluster.
struct Partial {
	int moved;
	float sums[MAX_CLUSTERS * FEATURES];
};

// The center nearest to the point. Not unrolled, which saves registers, so that a fourth block fits on an SM.
__device__ int nearest(const float *features, int point, int points, int clusters)
{
	int index = 0;
	float smallest = INFINITY;
	for (int i = 0; i < clusters; i++) {
		float distance = 0;
#pragma unroll 1
		for (int j = 0; j < FEATURES; j++) {
			float difference = features[points * j + point] - centres[i * FEATURES + j];
			distance = fmaf(difference, difference, distance);
		}
		if (distance < smallest) {
			smallest = distance;
			index = i;
		}
	}
	return index;
}

__global__ void assign_points(const float *features, int points, int clusters, int *membership)
{
	int point = blockIdx.x * blockDim.x + threadIdx.x;
	if (point < points)
		membership[point] = nearest(features, point, points, clusters);
}

__global__ void kmeansPoint(const float *features, int points, int clusters, int *membership, Partial *partials)
{
	__shared__ int deltas[THREADS], center_ids[THREADS];
	unsigned tid = threadIdx.x, start = blockIdx.x * THREADS;
	int point = start + tid;
	int index = -1, moved = 0;
	if (point < points) {
		index = nearest(features, point, points, clusters);
		moved = membership[point] != index;
		membership[point] = index;
	}
	deltas[tid] = moved;
	center_ids[tid] = index;
	__syncthreads();

	for (unsigned half = 512; half; half /= 2) {
		if (tid < half && tid + half < THREADS)
			deltas[tid] += deltas[tid + half];
		__syncthreads();
	}
	if (tid == 0)
		partials[blockIdx.x].moved = deltas[0];

	unsigned cluster = tid / FEATURES, feature = tid % FEATURES;
	if (cluster < clusters) {
		float sum = 0;
		for (int i = 0; i < THREADS; i++)
			if (center_ids[i] == cluster)
				sum += features[points * feature + start + i];
		partials[blockIdx.x].sums[tid] = sum;
	}
}

// Points around a few true centers. Each cluster has half the size of the previous one.
static std::vector<float> make_points(int points, int clusters, program::Random &random)
{
	std::vector<float> true_centres = random.floats((size_t)clusters * FEATURES), rows;
	for (int p = 0; p < points; p++) {
		int cluster = 0;
		while (cluster + 1 < clusters && random.below(2))
			cluster++;
		for (int j = 0; j < FEATURES; j++)
			rows.push_back(true_centres[(size_t)cluster * FEATURES + j] + random.uniform(-0.5f, 0.5f) +
			               random.uniform(-0.5f, 0.5f));
	}
	return rows;
}

// One step on the host, from the same centers: membership, and the sum and number of the points of each cluster.
struct Step {
	std::vector<int> membership, sizes;
	std::vector<float> sums;
	int moved = 0;
};

static Step step(const std::vector<float> &rows, const std::vector<float> &from, const std::vector<int> &before,
                 int clusters)
{
	Step next;
	std::vector<double> sums((size_t)clusters * FEATURES);
	next.sizes.resize(clusters);
	for (size_t p = 0; p < before.size(); p++) {
		const float *point = &rows[p * FEATURES];
		int index = 0;
		float smallest = INFINITY;
		for (int i = 0; i < clusters; i++) {
			float distance = 0;
			for (int j = 0; j < FEATURES; j++) {
				float difference = point[j] - from[i * FEATURES + j];
				distance = fmaf(difference, difference, distance);
			}
			if (distance < smallest) {
				smallest = distance;
				index = i;
			}
		}
		next.membership.push_back(index);
		next.moved += index != before[p];
		next.sizes[index]++;
		for (int j = 0; j < FEATURES; j++)
			sums[index * FEATURES + j] += point[j];
	}
	next.sums.assign(sums.begin(), sums.end());
	return next;
}

int main(int argc, char **argv)
{
	program::Arguments arguments(argc, argv, "kmeans", {"plain", "reduction"});
	int points = arguments.number("points", 1000, 32768, 494020, "points of 34 features");
	int clusters = arguments.number("clusters", 5, 5, 5, "clusters");
	int iterations = arguments.number("iterations", 1, 2, 3, "iterations at most");
	arguments.end();
	arguments.require(clusters > 0 && clusters <= MAX_CLUSTERS, "1 to 16 clusters");
	arguments.require(points >= clusters && iterations > 0, "as many points as clusters, and an iteration");

	program::Random random(arguments.seed());
	std::vector<float> rows = make_points(points, clusters, random);
	std::vector<float> current(rows.begin(), rows.begin() + clusters * FEATURES);
	std::vector<int> members(points, -1);
	bool reduction = arguments.is("reduction");
	int groups = program::blocks(points, THREADS);

	program::Array<float> input(rows), features(rows.size());
	program::Array<int> membership(members);
	program::Array<Partial> partials(groups);
	partials.clear();
	invert_mapping<<<program::blocks(points, BLOCK), BLOCK>>>(input, features, points);
	CHECK(cudaGetLastError());

	program::Verdict verdict("kmeans");
	for (int moved = 1, iteration = 0; moved && iteration < iterations; iteration++) {
		CHECK(cudaMemcpyToSymbol(centres, current.data(), current.size() * sizeof(float)));
		if (reduction)
			kmeansPoint<<<groups, THREADS>>>(features, points, clusters, membership, partials);
		else
			assign_points<<<program::blocks(points, BLOCK), BLOCK>>>(features, points, clusters,
			                                                         membership);
		CHECK(cudaGetLastError());

		Step expected = step(rows, current, members, clusters);
		verdict.equal("membership", membership.read(), expected.membership);
		if (reduction) {
			std::vector<float> sums(current.size());
			int count = 0;
			for (const Partial &partial : partials.read()) {
				count += partial.moved;
				for (size_t i = 0; i < sums.size(); i++)
					sums[i] += partial.sums[i];
			}
			verdict.require(count == expected.moved, "number of points that moved");
			verdict.close("sums", sums, expected.sums, 1e-4);
		}
		for (size_t i = 0; i < current.size(); i++)
			if (expected.sizes[i / FEATURES])
				current[i] = expected.sums[i] / (float)expected.sizes[i / FEATURES];
		members = expected.membership;
		moved = expected.moved;
	}
	return verdict.status();
}
