// Molecular dynamics with cell lists: label, sort (thrust), order, forces, move.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>
#include <unistd.h>

#include <thrust/device_ptr.h>
#include <thrust/sort.h>

#include "atoms.h"
#include "safe_call.h"
#include "md_kernel.cu"

static void fill_tables(const struct system *s, int cells)
{
	float2 pairs[KINDS * KINDS];
	float numbers[4] = {s->side, 1 / s->side, s->cutoff * s->cutoff, s->step};
	for (int a = 0; a < KINDS; a++)
		for (int b = 0; b < KINDS; b++) {
			float sigma = 0.5f * (s->sigma[a] + s->sigma[b]);
			pairs[a * KINDS + b] = make_float2(sigma * sigma, 24 * sqrtf(s->epsilon[a] * s->epsilon[b]));
		}
	CUDA_SAFE_CALL(cudaMemcpyToSymbol(mixed, pairs, sizeof(pairs)));
	CUDA_SAFE_CALL(cudaMemcpyToSymbol(box, numbers, sizeof(numbers)));
	CUDA_SAFE_CALL(cudaMemcpyToSymbol(cells_a_side, &cells, sizeof(int), 0, cudaMemcpyHostToDevice));
}

static float run(const struct system *s, int steps, float4 *positions, float3 *force)
{
	int count = s->count, cells = (int)(s->side / s->cutoff);
	size_t size = count * sizeof(float4);
	float4 *d_positions, *d_velocities, *d_sorted;
	float3 *d_force;
	uint2 *d_ranges;
	unsigned int *d_cells, *d_atoms;
	cudaEvent_t start, stop;
	float ms;

	if (cells < 3) {
		fprintf(stderr, "the box has fewer than 3 cells a side\n");
		exit(1);
	}
	fill_tables(s, cells);
	CUDA_SAFE_CALL(cudaMalloc((void **)&d_positions, size));
	CUDA_SAFE_CALL(cudaMalloc((void **)&d_velocities, size));
	CUDA_SAFE_CALL(cudaMalloc((void **)&d_sorted, size));
	CUDA_SAFE_CALL(cudaMalloc((void **)&d_force, count * sizeof(float3)));
	CUDA_SAFE_CALL(cudaMalloc((void **)&d_ranges, cells * cells * cells * sizeof(uint2)));
	CUDA_SAFE_CALL(cudaMalloc((void **)&d_cells, count * sizeof(unsigned int)));
	CUDA_SAFE_CALL(cudaMalloc((void **)&d_atoms, count * sizeof(unsigned int)));
	CUDA_SAFE_CALL(cudaMemcpy(d_positions, s->position, size, cudaMemcpyHostToDevice));
	CUDA_SAFE_CALL(cudaMemcpy(d_velocities, s->velocity, size, cudaMemcpyHostToDevice));
	CUDA_SAFE_CALL(cudaEventCreate(&start));
	CUDA_SAFE_CALL(cudaEventCreate(&stop));

	dim3 threads(BLOCK_SIZE, 1, 1), blocks((count + BLOCK_SIZE - 1) / BLOCK_SIZE, 1, 1);
	CUDA_SAFE_CALL(cudaEventRecord(start, 0));
	for (int i = 0; i < steps; i++) {
		label<<< blocks, threads >>>(d_positions, d_cells, d_atoms, count);
		CUT_CHECK_ERROR("label failed");
		thrust::sort_by_key(thrust::device_ptr<unsigned int>(d_cells), thrust::device_ptr<unsigned int>(d_cells + count),
		                    thrust::device_ptr<unsigned int>(d_atoms));
		CUDA_SAFE_CALL(cudaMemset(d_ranges, 0, cells * cells * cells * sizeof(uint2)));
		CUDA_SAFE_CALL(cudaBindTexture(0, positions_tex, d_positions, size));
		order<<< blocks, threads, (BLOCK_SIZE + 1) * sizeof(unsigned int) >>>(d_cells, d_atoms, d_sorted, d_ranges,
		                                                                     count);
		CUT_CHECK_ERROR("order failed");
		CUDA_SAFE_CALL(cudaUnbindTexture(positions_tex));
		CUDA_SAFE_CALL(cudaBindTexture(0, positions_tex, d_sorted, size));
		forces<<< blocks, threads >>>(d_atoms, d_ranges, d_force, count);
		move<<< blocks, threads >>>(d_positions, d_velocities, d_force, count);
		CUT_CHECK_ERROR("forces failed");
	}
	CUDA_SAFE_CALL(cudaEventRecord(stop, 0));
	CUDA_SAFE_CALL(cudaEventSynchronize(stop));
	CUDA_SAFE_CALL(cudaEventElapsedTime(&ms, start, stop));
	CUDA_SAFE_CALL(cudaMemcpy(positions, d_positions, size, cudaMemcpyDeviceToHost));
	CUDA_SAFE_CALL(cudaMemcpy(force, d_force, count * sizeof(float3), cudaMemcpyDeviceToHost));
	cudaEventDestroy(start);
	cudaEventDestroy(stop);
	cudaFree(d_positions);
	cudaFree(d_velocities);
	cudaFree(d_sorted);
	cudaFree(d_force);
	cudaFree(d_ranges);
	cudaFree(d_cells);
	cudaFree(d_atoms);
	return ms;
}

static int compare(struct system *s, int steps, const float4 *positions, const float3 *force)
{
	float *wanted = (float *)malloc(s->count * 3 * sizeof(float)), largest = 0;
	int wrong = 0;
	for (int i = 0; i < steps; i++)
		step_on_host(s, wanted);
	for (int i = 0; i < 3 * s->count; i++)
		largest = fmaxf(largest, fabsf(wanted[i]));
	for (int i = 0; i < s->count; i++) {
		const float *got = &force[i].x, *at = &positions[i].x;
		for (int k = 0; k < 3; k++) {
			wrong += !(fabsf(got[k] - wanted[3 * i + k]) <= 1e-3f * largest);
			float off = at[k] - s->position[4 * i + k];
			off -= s->side * rintf(off / s->side);
			wrong += !(fabsf(off) <= 1e-3f);
		}
	}
	free(wanted);
	printf("largest force %.4g\n", largest);
	return wrong;
}

int main(int argc, char **argv)
{
	const char *input = NULL;
	int steps = 1, option;
	struct system s;
	while ((option = getopt(argc, argv, "i:s:h")) != -1) {
		switch (option) {
		case 'i':
			input = optarg;
			break;
		case 's':
			steps = atoi(optarg);
			break;
		default:
			fprintf(stderr, "usage: md -i FILE [-s STEPS]\n");
			return 1;
		}
	}
	if (!input || read_system(input, &s) != 0) {
		fprintf(stderr, "md: cannot read the atoms\n");
		return 1;
	}
	float4 *positions = (float4 *)malloc(s.count * sizeof(float4));
	float3 *force = (float3 *)malloc(s.count * sizeof(float3));
	float ms = run(&s, steps, positions, force);
	fprintf(stderr, "%d atoms, %d steps: %f (ms)\n", s.count, steps, ms);
	int wrong = compare(&s, steps, positions, force);
	printf("Test %s\n", wrong ? "FAILED" : "PASSED");
	free(positions);
	free(force);
	free_system(&s);
	cudaThreadExit();
	return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
