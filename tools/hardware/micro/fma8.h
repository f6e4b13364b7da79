// fma8.h: eight independent FMAs as measured code, for the microbenchmarks of fetch and order. A kernel holds
// a[8], x and y: fill() loads them, RUN(FMA8 ...) executes, keep() uses the results.
#ifndef SLUICE_HARDWARE_FMA8_H
#define SLUICE_HARDWARE_FMA8_H

#define FMA8                                                                                                           \
	"fma.rn.f32 %0, %0, %8, %9; fma.rn.f32 %1, %1, %8, %9; fma.rn.f32 %2, %2, %8, %9; fma.rn.f32 %3, %3, %8, %9; " \
	"fma.rn.f32 %4, %4, %8, %9; fma.rn.f32 %5, %5, %8, %9; fma.rn.f32 %6, %6, %8, %9; fma.rn.f32 %7, %7, %8, %9; "
#define OPERANDS                                                                                                       \
	"+f"(a[0]), "+f"(a[1]), "+f"(a[2]), "+f"(a[3]), "+f"(a[4]), "+f"(a[5]), "+f"(a[6]), "+f"(a[7]) : "f"(x), "f"(y)
#define RUN(text) asm volatile(text:OPERANDS : "memory")

__device__ __forceinline__ void fill(float *a, const float *values)
{
	for (int i = 0; i < 8; i++)
		a[i] = values[i];
}

__device__ __forceinline__ void keep(const float *a, float *sink)
{
	float sum = 0;
	for (int i = 0; i < 8; i++)
		sum += a[i];
	if (sum == 12345)
		*sink = sum;
}

#endif
