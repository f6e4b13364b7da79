// mma.h: the instructions of tensor cores from compute capability 8.0: mma.sync m16n8k16 of FP16 with FP32 sums,
// ldmatrix, and asynchronous copies of 16 bytes.
#ifndef SLUICE_HARDWARE_MMA_H
#define SLUICE_HARDWARE_MMA_H

#include <cuda_fp16.h>

namespace mma {

__device__ inline unsigned address(const void *shared)
{
	return (unsigned)__cvta_generic_to_shared(shared);
}

// Loads four matrices of 8 x 8. Lane l states row l % 8 of matrix l / 8.
__device__ inline void load(unsigned (&to)[4], const __half *row)
{
	asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
	             : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
	             : "r"(address(row))
	             : "memory");
}

__device__ inline void load_transposed(unsigned (&to)[4], const __half *row)
{
	asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
	             : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
	             : "r"(address(row))
	             : "memory");
}

// sums += a b, with a of 16 x 16 and b of 16 x 8 elements. Lane l has of `sums` the elements 2 (l % 4) and the next of
// row l / 4, and those of row l / 4 + 8.
__device__ inline void multiply(float (&sums)[4], const unsigned (&a)[4], unsigned b0, unsigned b1)
{
	asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
	             "{%0, %1, %2, %3};"
	             : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
	             : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// --- asynchronous copies ---

__device__ inline void copy16(void *shared, const void *global)
{
	asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address(shared)), "l"(global) : "memory");
}

__device__ inline void commit()
{
	asm volatile("cp.async.commit_group;" ::: "memory");
}

// Waits until at most PENDING groups are under way.
template <int PENDING> __device__ inline void wait()
{
	asm volatile("cp.async.wait_group %0;" ::"n"(PENDING) : "memory");
}

} // namespace mma

#endif
