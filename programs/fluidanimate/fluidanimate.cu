// fluidanimate: one step of a fluid of particles (smoothed particle hydrodynamics). It computes densities, then the
// forces of pressure and viscosity between particles nearer than a radius. TELEPORT and prefetch-CTA analyze it as FLD
// (PARSEC fluidanimate). Space is a grid of cells with the side of the radius; each can hold 16 particles. A thread
// owns a slot of a cell and visits the particles of the 27 cells around. Its own particle is at an index of the thread.
// The surrounding cells are read from a list, and their numbers of particles from memory, so most indexes depend on a
// load. Threads of empty slots idle. The counts differ between cells, most at the surface of the fluid. Size paper has
// 36,000 particles, as in PARSEC's smaller input.
#include "../program.h"

#include <cmath>

const int PLACES = 16, CELLS = 8, NEAR = 27; // particles per cell, cells per block, a cell and its neighbors

struct Vector {
	float x, y, z;
};

__host__ __device__ inline Vector operator-(Vector a, Vector b)
{
	return {a.x - b.x, a.y - b.y, a.z - b.z};
}

__host__ __device__ inline float dot(Vector a, Vector b)
{
	return a.x * b.x + a.y * b.y + a.z * b.z;
}

// PARSEC's constants: water, 204 particles per metre, and a radius of 1.695 times their distance.
struct Fluid {
	float radius = 1.695f / 204, rest_density = 1000, mass = 1000 / (204.0f * 204 * 204);
	float density_factor = 315 * mass / (64 * 3.14159265f * powf(radius, 9));
	float pressure_factor = 3 * 15 / (3.14159265f * powf(radius, 6)) * 0.5f * 1.5f * mass;
	float viscosity_factor = 45 / (3.14159265f * powf(radius, 6)) * 0.4f * mass;
};

__global__ void compute_densities(const Vector *positions, const int *counts, const int *near, float *densities,
                                  int cells, Fluid fluid)
{
	int cell = blockIdx.x * CELLS + threadIdx.y, self = cell * PLACES + threadIdx.x;
	if (cell >= cells || threadIdx.x >= counts[cell])
		return;
	Vector position = positions[self];
	float squared = fluid.radius * fluid.radius, sum = 0;
	for (int k = 0; k < NEAR; k++) {
		int other = near[cell * NEAR + k];
		if (other < 0)
			continue;
		for (int j = 0; j < counts[other]; j++) {
			Vector apart = position - positions[other * PLACES + j];
			float inside = squared - dot(apart, apart);
			if (inside > 0)
				sum += inside * inside * inside;
		}
	}
	densities[self] = sum * fluid.density_factor;
}

__global__ void compute_forces(const Vector *positions, const Vector *velocities, const float *densities,
                               const int *counts, const int *near, Vector *accelerations, int cells, Fluid fluid)
{
	int cell = blockIdx.x * CELLS + threadIdx.y, self = cell * PLACES + threadIdx.x;
	if (cell >= cells || threadIdx.x >= counts[cell])
		return;
	Vector position = positions[self], velocity = velocities[self], sum = {0, -9.8f, 0};
	float density = densities[self];
	for (int k = 0; k < NEAR; k++) {
		int other = near[cell * NEAR + k];
		if (other < 0)
			continue;
		for (int j = 0; j < counts[other]; j++) {
			int from = other * PLACES + j;
			Vector apart = position - positions[from];
			float squared = dot(apart, apart);
			if (squared >= fluid.radius * fluid.radius || from == self)
				continue;
			float distance = sqrtf(fmaxf(squared, 1e-12f)), inside = fluid.radius - distance;
			float pressure = fluid.pressure_factor * inside * inside / distance *
			                 (density + densities[from] - 2 * fluid.rest_density);
			float viscosity = fluid.viscosity_factor * inside, scale = 1 / (density * densities[from]);
			Vector faster = velocities[from] - velocity;
			sum.x += (apart.x * pressure + faster.x * viscosity) * scale;
			sum.y += (apart.y * pressure + faster.y * viscosity) * scale;
			sum.z += (apart.z * pressure + faster.z * viscosity) * scale;
		}
	}
	accelerations[self] = sum;
}

// Particles in cells: entry i of cell c has index c * PLACES + i.
struct Cells {
	std::vector<Vector> positions, velocities;
	std::vector<int> counts, near;
};

// A breaking dam: a column of fluid at one wall, as high as the box, next to a shallow pool with waves.
// Particles have their rest distance, and random displacements of up to a third of it.
static Cells make_cells(int width, const Fluid &fluid, program::Random &random)
{
	Cells cells;
	int number = width * width * width;
	cells.positions.resize((size_t)number * PLACES);
	cells.velocities.resize((size_t)number * PLACES);
	cells.counts.resize(number);
	auto index = [&](int x, int y, int z) { return (z * width + y) * width + x; };
	for (int z = 0; z < width; z++)
		for (int y = 0; y < width; y++)
			for (int x = 0; x < width; x++)
				for (int k = 0; k < NEAR; k++) {
					int nx = x + k % 3 - 1, ny = y + k / 3 % 3 - 1, nz = z + k / 9 - 1;
					bool in =
						nx >= 0 && nx < width && ny >= 0 && ny < width && nz >= 0 && nz < width;
					cells.near.push_back(in ? index(nx, ny, nz) : -1);
				}

	float size = width * fluid.radius, spacing = 1.0f / 204;
	for (float x = spacing / 2; x < size; x += spacing)
		for (float y = spacing / 2; y < size; y += spacing)
			for (float z = spacing / 2; z < size; z += spacing) {
				float surface = size * (0.2f + 0.05f * sinf(20 * x / size) * cosf(14 * z / size));
				if (x > 0.35f * size && y > surface)
					continue;
				auto displaced = [&](float at) {
					return fminf(fmaxf(at + spacing * random.uniform(-0.33f, 0.33f), 0),
					             size * 0.999f);
				};
				Vector position = {displaced(x), displaced(y), displaced(z)};
				int cell = index((int)(position.x / fluid.radius), (int)(position.y / fluid.radius),
				                 (int)(position.z / fluid.radius));
				if (cells.counts[cell] == PLACES)
					continue;
				int place = cell * PLACES + cells.counts[cell]++;
				cells.positions[place] = position;
				cells.velocities[place] = {random.uniform(-1, 1), -random.uniform(),
				                           random.uniform(-1, 1)};
			}
	return cells;
}

// Calls pair(self, other, vector between, its square) for all pairs nearer than the radius, in double precision.
template <typename Pair> static void for_pairs(const Cells &cells, const Fluid &fluid, Pair pair)
{
	for (size_t cell = 0; cell < cells.counts.size(); cell++)
		for (int i = 0; i < cells.counts[cell]; i++)
			for (int k = 0; k < NEAR; k++) {
				int other = cells.near[cell * NEAR + k];
				for (int j = 0; other >= 0 && j < cells.counts[other]; j++) {
					size_t self = cell * PLACES + i, from = (size_t)other * PLACES + j;
					Vector apart = cells.positions[self] - cells.positions[from];
					double squared = (double)apart.x * apart.x + (double)apart.y * apart.y +
					                 (double)apart.z * apart.z;
					if (squared < (double)fluid.radius * fluid.radius)
						pair(self, from, apart, squared);
				}
			}
}

int main(int argc, char **argv)
{
	program::Arguments arguments(argc, argv, "fluidanimate");
	int width = arguments.number("width", 4, 14, 25, "cells along each edge of the box");
	arguments.end();
	arguments.require(width > 1 && width <= 200, "2 to 200 cells along an edge");

	Fluid fluid;
	program::Random random(arguments.seed());
	Cells cells = make_cells(width, fluid, random);
	int number = (int)cells.counts.size(), grid = program::blocks(number, CELLS);
	size_t places = cells.positions.size();
	program::Array<Vector> positions(cells.positions), velocities(cells.velocities), accelerations(places);
	program::Array<int> counts(cells.counts), near(cells.near);
	program::Array<float> densities(places);
	densities.clear();
	accelerations.clear();
	dim3 block(PLACES, CELLS);
	compute_densities<<<grid, block>>>(positions, counts, near, densities, number, fluid);
	CHECK(cudaGetLastError());
	compute_forces<<<grid, block>>>(positions, velocities, densities, counts, near, accelerations, number, fluid);
	CHECK(cudaGetLastError());

	std::vector<double> density(places), acceleration(places * 3);
	for_pairs(cells, fluid, [&](size_t self, size_t, Vector, double squared) {
		density[self] += pow((double)fluid.radius * fluid.radius - squared, 3) * fluid.density_factor;
	});
	for_pairs(cells, fluid, [&](size_t self, size_t from, Vector apart, double squared) {
		if (self == from)
			return;
		double distance = sqrt(fmax(squared, 1e-12)), inside = fluid.radius - distance;
		double pressure = fluid.pressure_factor * inside * inside / distance *
		                  (density[self] + density[from] - 2 * fluid.rest_density);
		double viscosity = fluid.viscosity_factor * inside, scale = 1 / (density[self] * density[from]);
		Vector faster = cells.velocities[from] - cells.velocities[self];
		acceleration[self * 3] += (apart.x * pressure + faster.x * viscosity) * scale;
		acceleration[self * 3 + 1] += (apart.y * pressure + faster.y * viscosity) * scale;
		acceleration[self * 3 + 2] += (apart.z * pressure + faster.z * viscosity) * scale;
	});
	std::vector<float> got;
	std::vector<Vector> results = accelerations.read();
	for (size_t place = 0; place < places; place++) {
		bool there = (int)(place % PLACES) < cells.counts[place / PLACES];
		acceleration[place * 3 + 1] -= there ? 9.8 : 0;
		got.insert(got.end(), {results[place].x, results[place].y, results[place].z});
	}
	program::Verdict verdict("fluidanimate");
	verdict.close("densities", densities.read(), density, 1e-5);
	verdict.close("accelerations", got, acceleration, 5e-4);
	return verdict.status();
}
