#ifndef _MD_KERNEL_CU_
#define _MD_KERNEL_CU_

#define BLOCK_SIZE 64

texture<float4, 1, cudaReadModeElementType> positions_tex;

__constant__ float2 mixed[KINDS * KINDS]; /* sigma squared, 24 epsilon */
__constant__ float box[4];                /* side, its inverse, cutoff squared, step */
__constant__ int cells_a_side;

__device__ inline int cell_of(float4 p)
{
	int x = min((int)(p.x * box[1] * cells_a_side), cells_a_side - 1);
	int y = min((int)(p.y * box[1] * cells_a_side), cells_a_side - 1);
	int z = min((int)(p.z * box[1] * cells_a_side), cells_a_side - 1);
	return (z * cells_a_side + y) * cells_a_side + x;
}

__global__ void label(const float4 *positions, unsigned int *cells, unsigned int *atoms, int count)
{
	const int i = __mul24(blockIdx.x, blockDim.x) + threadIdx.x;
	if (i >= count)
		return;
	cells[i] = cell_of(positions[i]);
	atoms[i] = i;
}

/* Sorts the atoms by cell, and notes where each cell begins and ends. */
__global__ void order(const unsigned int *cells, const unsigned int *atoms, float4 *sorted, uint2 *ranges, int count)
{
	extern __shared__ unsigned int before[];
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned int cell = i < count ? cells[i] : ~0u;
	before[threadIdx.x + 1] = cell;
	if (threadIdx.x == 0)
		before[0] = i > 0 && i <= count ? cells[i - 1] : ~0u;
	__syncthreads();
	if (i >= count)
		return;
	if (i == 0 || before[threadIdx.x] != cell) {
		ranges[cell].x = i;
		if (i > 0)
			ranges[before[threadIdx.x]].y = i;
	}
	if (i == count - 1)
		ranges[cell].y = count;
	sorted[i] = tex1Dfetch(positions_tex, atoms[i]);
}

__device__ float3 against(float4 me, float4 other, float3 force)
{
	float dx = me.x - other.x, dy = me.y - other.y, dz = me.z - other.z;
	dx -= box[0] * rintf(dx * box[1]);
	dy -= box[0] * rintf(dy * box[1]);
	dz -= box[0] * rintf(dz * box[1]);
	float r2 = dx * dx + dy * dy + dz * dz;
	if (r2 < box[2] && r2 > 0.0f) {
		float2 pair = mixed[(int)me.w * KINDS + (int)other.w];
		float inverse = __fdividef(1.0f, r2), s2 = pair.x * inverse, s6 = s2 * s2 * s2;
		float f = pair.y * s6 * (2.0f * s6 - 1.0f) * inverse;
		force.x += f * dx;
		force.y += f * dy;
		force.z += f * dz;
	}
	return force;
}

/* One thread per atom visits the 27 cells around it. positions_tex has the atoms in the order of cells. */
__global__ void forces(const unsigned int *atoms, const uint2 *ranges, float3 *result, int count)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= count)
		return;
	float4 me = tex1Dfetch(positions_tex, i);
	float3 force = make_float3(0, 0, 0);
	int home = cell_of(me), n = cells_a_side;
	int x = home % n, y = home / n % n, z = home / (n * n);
#pragma unroll 3
	for (int dz = -1; dz <= 1; dz++)
		for (int dy = -1; dy <= 1; dy++)
			for (int dx = -1; dx <= 1; dx++) {
				int cell = ((z + dz + n) % n * n + (y + dy + n) % n) * n + (x + dx + n) % n;
				uint2 range = ranges[cell];
				for (unsigned int j = range.x; j < range.y; j++)
					force = against(me, tex1Dfetch(positions_tex, j), force);
			}
	result[atoms[i]] = force;
}

__global__ void move(float4 *positions, float4 *velocities, const float3 *force, int count)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < count) {
		float4 p = positions[i], v = velocities[i];
		v.x += box[3] * force[i].x;
		v.y += box[3] * force[i].y;
		v.z += box[3] * force[i].z;
		p.x += box[3] * v.x;
		p.y += box[3] * v.y;
		p.z += box[3] * v.z;
		p.x -= box[0] * floorf(p.x * box[1]);
		p.y -= box[0] * floorf(p.y * box[1]);
		p.z -= box[0] * floorf(p.z * box[1]);
		positions[i] = p;
		velocities[i] = v;
	}
}

#endif
