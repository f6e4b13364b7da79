// Heat in a plate that a file describes, compared with the same steps on the host.
#include <cuda.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heat_kernel.cu"

static float *read_plate(const char *name, int *rows, int *columns, float *factors)
{
	FILE *file = fopen(name, "r");
	int spots, row, column;
	float heat;
	if (!file || fscanf(file, "%d %d %f %f %f %d", rows, columns, &factors[0], &factors[1], &factors[2], &spots) != 6) {
		fprintf(stderr, "cannot read %s\n", name);
		exit(1);
	}
	float *plate = (float *)calloc(*rows * *columns, sizeof(float));
	while (spots-- > 0 && fscanf(file, "%d %d %f", &row, &column, &heat) == 3)
		plate[row * *columns + column] = heat;
	fclose(file);
	return plate;
}

int main(int argc, char **argv)
{
	int rows, columns, steps = argc > 2 ? atoi(argv[2]) : 8;
	float factors[3], hottest = 0, most = 0;
	float *plate = read_plate(argc > 1 ? argv[1] : "plate.txt", &rows, &columns, factors);
	size_t size = rows * columns * sizeof(float);
	float *from, *to, *other = (float *)malloc(size), *result = (float *)malloc(size);
	cudaMalloc((void **)&from, size);
	cudaMalloc((void **)&to, size);
	cudaMemcpy(from, plate, size, cudaMemcpyHostToDevice);
	cudaMemcpyToSymbol(weights, factors, sizeof factors);
	dim3 block(TILE, TILE), grid((columns + TILE - 1) / TILE, (rows + TILE - 1) / TILE);
	double start = seconds_now();
	for (int i = 0; i < steps; i++) {
		step<< <grid, block>> >(from, to, rows, columns);
		float *swap = from;
		from = to;
		to = swap;
	}
	find_hottest<< <4, 64>> >(from, rows * columns);
	cudaThreadSynchronize();
	fprintf(stderr, "%f s\n", seconds_now() - start);
	cudaMemcpy(result, from, size, cudaMemcpyDeviceToHost);
	cudaMemcpyFromSymbol(&hottest, hottest_bits, sizeof hottest);
	for (int i = 0; i < steps; i++) {
		host_step(plate, other, rows, columns, factors);
		memcpy(plate, other, size);
	}
	int wrong = 0;
	for (int i = 0; i < rows * columns; i++) {
		wrong += !(fabsf(result[i] - plate[i]) <= 1e-4f * (1 + fabsf(plate[i])));
		most = fmaxf(most, plate[i]);
	}
	printf("%d x %d, %d steps, hottest %.2f\n", rows, columns, steps, hottest);
	printf("%s\n", wrong || fabsf(hottest - most) > 1e-3f ? "FAILED" : "PASSED");
	cudaFree(from);
	cudaFree(to);
	free(plate);
	free(other);
	free(result);
	return wrong != 0;
}
