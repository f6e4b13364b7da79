// Protects include/cuda/mma.h: matrix products of every shape, type and layout against a plain product of small
// integers, which all types hold exactly. Tests fragments that are filled and changed element by element, sub-byte
// types and single bits.
#include "check.h"
#include <mma.h>
#include <type_traits>
#include <vector>

using namespace nvcuda;

// --- values ---

template <class T> __host__ __device__ float number(T value)
{
	return (float)value;
}

template <class T> static T make(int value)
{
	return (T)value;
}

template <> __half make(int value)
{
	return __float2half((float)value);
}

template <> __nv_bfloat16 make(int value)
{
	return __float2bfloat16((float)value);
}

static unsigned state = 1;

static int next(int bound)
{
	state = state * 1664525 + 1013904223;
	return (int)(state >> 16) % bound;
}

template <class Layout> struct is_row {
	static const bool value = std::is_same<Layout, wmma::row_major>::value;
};

// --- one warp ---

// D = (A B + C) * 2 - 1, where the fragments of C are filled or loaded.
template <int m, int n, int k, class T, class Kept, class Sum, class Result, class LayoutA, class LayoutB>
__global__ void product(const Kept *a, const Kept *b, const Sum *c, Result *d, unsigned lda, unsigned ldb, bool row_c, bool row_d)
{
	wmma::fragment<wmma::matrix_a, m, n, k, T, LayoutA> fa;
	wmma::fragment<wmma::matrix_b, m, n, k, T, LayoutB> fb;
	wmma::fragment<wmma::accumulator, m, n, k, Sum> fc;
	wmma::fragment<wmma::accumulator, m, n, k, Result> fd;
	wmma::load_matrix_sync(fa, a, lda);
	wmma::load_matrix_sync(fb, b, ldb);
	wmma::fill_fragment(fc, Sum(3));
	if (c)
		wmma::load_matrix_sync(fc, c, row_c ? n : m, row_c ? wmma::mem_row_major : wmma::mem_col_major);
	wmma::mma_sync(fd, fa, fb, fc);
	for (int i = 0; i < fd.num_elements; i++)
		fd.x[i] = Result(number(fd.x[i]) * 2.0f - 1.0f);
	wmma::store_matrix_sync(d, fd, row_d ? n : m, row_d ? wmma::mem_row_major : wmma::mem_col_major);
}

template <class T> static T *device(const std::vector<T> &values)
{
	T *memory;
	SUCCEEDS(cudaMalloc(&memory, values.size() * sizeof(T)));
	SUCCEEDS(cudaMemcpy(memory, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
	return memory;
}

template <int m, int n, int k, class T, class Kept, class Sum, class Result, class LayoutA, class LayoutB> static void try_one(bool loads)
{
	const bool row_a = is_row<LayoutA>::value, row_b = is_row<LayoutB>::value, row_c = next(2), row_d = next(2);
	const unsigned lda = (row_a ? k : m) + 16 * next(2), ldb = (row_b ? n : k) + 16 * next(2);
	std::vector<Kept> a(4096), b(4096);
	std::vector<Sum> c(m * n);
	std::vector<Result> d(m * n);
	int low = std::is_same<T, unsigned char>::value ? 0 : -3;
	for (Kept &value : a)
		value = make<Kept>(low + next(7));
	for (Kept &value : b)
		value = make<Kept>(low + next(7));
	for (Sum &value : c)
		value = make<Sum>(next(9) - 4);
	Kept *on_a = device(a), *on_b = device(b);
	Sum *on_c = device(c);
	Result *on_d = device(d);
	product<m, n, k, T, Kept, Sum, Result, LayoutA, LayoutB><<<1, 32>>>(on_a, on_b, loads ? on_c : nullptr, on_d, lda, ldb, row_c, row_d);
	SUCCEEDS(cudaMemcpy(d.data(), on_d, d.size() * sizeof(Result), cudaMemcpyDeviceToHost));
	for (int i = 0; i < m; i++)
		for (int j = 0; j < n; j++) {
			float sum = loads ? number(c[row_c ? i * n + j : j * m + i]) : 3;
			for (int l = 0; l < k; l++)
				sum += number(a[row_a ? i * lda + l : l * lda + i]) * number(b[row_b ? l * ldb + j : j * ldb + l]);
			CHECK(number(d[row_d ? i * n + j : j * m + i]) == sum * 2 - 1);
		}
	SUCCEEDS(cudaFree(on_a));
	SUCCEEDS(cudaFree(on_b));
	SUCCEEDS(cudaFree(on_c));
	SUCCEEDS(cudaFree(on_d));
}

template <int m, int n, int k, class T, class Kept, class Sum, class Result> static void try_layouts()
{
	try_one<m, n, k, T, Kept, Sum, Result, wmma::row_major, wmma::row_major>(true);
	try_one<m, n, k, T, Kept, Sum, Result, wmma::row_major, wmma::col_major>(false);
	try_one<m, n, k, T, Kept, Sum, Result, wmma::col_major, wmma::row_major>(true);
	try_one<m, n, k, T, Kept, Sum, Result, wmma::col_major, wmma::col_major>(true);
}

template <int m, int n, int k> static void try_types()
{
	try_layouts<m, n, k, __half, __half, float, float>();
	try_layouts<m, n, k, __half, __half, __half, float>();
	try_layouts<m, n, k, __half, __half, float, __half>();
	try_layouts<m, n, k, __half, __half, __half, __half>();
	try_layouts<m, n, k, __nv_bfloat16, __nv_bfloat16, float, float>();
	try_layouts<m, n, k, signed char, signed char, int, int>();
	try_layouts<m, n, k, unsigned char, unsigned char, int, int>();
}

// --- sub-byte types ---

template <class Sum, class A, class B> __device__ void multiply(Sum &sum, A &a, B &b, bool clamps)
{
	wmma::mma_sync(sum, a, b, sum, clamps);
}

typedef wmma::fragment<wmma::matrix_a, 8, 8, 128, wmma::precision::b1, wmma::row_major> bits_a;
typedef wmma::fragment<wmma::matrix_b, 8, 8, 128, wmma::precision::b1, wmma::col_major> bits_b;

static __device__ void multiply(wmma::fragment<wmma::accumulator, 8, 8, 128, int> &sum, bits_a &a, bits_b &b, bool ands)
{
	wmma::bmma_sync(sum, a, b, sum, ands ? wmma::bmmaBitOpAND : wmma::bmmaBitOpXOR);
}

template <int k, class T> __global__ void small_product(const unsigned *a, const unsigned *b, int *d, bool ands)
{
	wmma::fragment<wmma::matrix_a, 8, 8, k, T, wmma::row_major> fa;
	wmma::fragment<wmma::matrix_b, 8, 8, k, T, wmma::col_major> fb;
	wmma::fragment<wmma::accumulator, 8, 8, k, int> sum;
	wmma::fill_fragment(sum, 5);
	wmma::load_matrix_sync(fa, a, k);
	wmma::load_matrix_sync(fb, b, k);
	multiply(sum, fa, fb, ands);
	wmma::store_matrix_sync(d, sum, 8, wmma::mem_row_major);
}

static int element(const std::vector<unsigned> &words, int bits, bool is_signed, int at)
{
	int value = (int)(words[at * bits / 32] >> at * bits % 32 & ((1u << bits) - 1));
	return is_signed && value >> (bits - 1) ? value - (1 << bits) : value;
}

template <int k, class T> static void try_small(int bits, bool is_signed, bool ands)
{
	std::vector<unsigned> a(8 * k * bits / 32), b(a.size());
	std::vector<int> d(64);
	for (unsigned &word : a)
		word = (unsigned)next(65536) << 16 | (unsigned)next(65536);
	for (unsigned &word : b)
		word = (unsigned)next(65536) << 16 | (unsigned)next(65536);
	unsigned *on_a = device(a), *on_b = device(b);
	int *on_d = device(d);
	small_product<k, T><<<1, 32>>>(on_a, on_b, on_d, ands);
	SUCCEEDS(cudaMemcpy(d.data(), on_d, sizeof(int) * 64, cudaMemcpyDeviceToHost));
	for (int i = 0; i < 8; i++)
		for (int j = 0; j < 8; j++) {
			int sum = 5;
			for (int l = 0; l < k; l++) {
				int x = element(a, bits, is_signed, i * k + l), y = element(b, bits, is_signed, j * k + l);
				sum += bits > 1 || ands ? x * y : x ^ y;
			}
			CHECK(d[i * 8 + j] == sum);
		}
}

int main()
{
	try_types<16, 16, 16>();
	try_types<8, 32, 16>();
	try_types<32, 8, 16>();
	try_layouts<16, 16, 8, wmma::precision::tf32, float, float, float>();
	try_layouts<8, 8, 4, double, double, double, double>();
	try_small<32, wmma::precision::s4>(4, true, false);
	try_small<32, wmma::precision::u4>(4, false, true);
	try_small<128, wmma::precision::b1>(1, false, false);
	try_small<128, wmma::experimental::precision::b1>(1, false, true);
	return finish();
}
