// cuFFT: transforms along one dimension, by Stockham's passes. There is one pass per factor r of n; s is the product of
// the factors before it. Output o = (j / s) s r + m, with m = j % s + q s, sums over p:
// input[j + p n / r] * exp(-2 pi i p m / (s r)). Short lines stay in shared memory for all passes.
#include "inner.h"

#include <cmath>

using namespace fft;

enum { SHARED_BYTES = 32768, MAX_LINES = 16 }; // per block

template <typename T> __device__ number<T> root(const number<T> *roots, int index, bool inverse)
{
	number<T> w = roots[index];
	return inverse ? conjugate(w) : w;
}

// Transforms of R numbers. Those of 2 and 4 numbers need no multiplications.
template <typename T, int R> struct small {
	static __device__ void sum(number<T> (&v)[R], const number<T> *roots, int n, bool inverse)
	{
		number<T> w[R], in[R];
#pragma unroll
		for (int p = 0; p < R; p++) {
			w[p] = root(roots, p * (n / R), inverse);
			in[p] = v[p];
		}
#pragma unroll
		for (int q = 0; q < R; q++) {
			v[q] = in[0];
#pragma unroll
			for (int p = 1; p < R; p++)
				v[q] = v[q] + in[p] * w[p * q % R];
		}
	}
};
template <typename T> struct small<T, 2> {
	static __device__ void sum(number<T> (&v)[2], const number<T> *, int, bool)
	{
		number<T> first = v[0];
		v[0] = first + v[1];
		v[1] = first - v[1];
	}
};
template <typename T> struct small<T, 4> {
	static __device__ void sum(number<T> (&v)[4], const number<T> *, int, bool inverse)
	{
		number<T> a = v[0] + v[2], b = v[0] - v[2], c = v[1] + v[3], d = v[1] - v[3];
		number<T> turned = inverse ? number<T>{-d.y, d.x} : number<T>{d.y, -d.x}; // times -i or i
		v[0] = a + c;
		v[1] = b + turned;
		v[2] = a - c;
		v[3] = b - turned;
	}
};

// Butterfly j of n / R.
template <typename T, int R>
__device__ void butterfly(const number<T> *in, number<T> *out, size_t step, const number<T> *roots, int n, int s, int j, bool inverse)
{
	number<T> v[R];
	int k = j % s, unit = n / (s * R);
#pragma unroll
	for (int p = 0; p < R; p++) {
		v[p] = in[(size_t)(j + p * (n / R)) * step];
		if (p && k)
			v[p] = v[p] * root(roots, p * k * unit, inverse);
	}
	small<T, R>::sum(v, roots, n, inverse);
#pragma unroll
	for (int q = 0; q < R; q++)
		out[(size_t)(j / s * s * R + k + q * s) * step] = v[q];
}

// Output j of n, of a pass with any factor r.
template <typename T>
__device__ void output(const number<T> *in, number<T> *out, size_t step, const number<T> *roots, int n, int s, int r, int j, bool inverse)
{
	int m = j % (s * r), from = j / (s * r) * s + m % s, unit = n / (s * r);
	number<T> sum = {0, 0};
	for (int p = 0; p < r; p++)
		sum = sum + in[(size_t)(from + p * (n / r)) * step] * root(roots, (int)((long long)p * m % (s * r)) * unit, inverse);
	out[(size_t)j * step] = sum;
}

// Number of butterflies (or outputs) of a pass with factor r over a line of n.
__host__ __device__ inline int pieces(int n, int r)
{
	return r == 2 || r == 3 || r == 4 || r == 5 || r == 7 ? n / r : n;
}

template <typename T>
__device__ void piece(const number<T> *in, number<T> *out, size_t step, const number<T> *roots, int n, int s, int r, int j, bool inverse)
{
	switch (r) {
	case 2:
		return butterfly<T, 2>(in, out, step, roots, n, s, j, inverse);
	case 3:
		return butterfly<T, 3>(in, out, step, roots, n, s, j, inverse);
	case 4:
		return butterfly<T, 4>(in, out, step, roots, n, s, j, inverse);
	case 5:
		return butterfly<T, 5>(in, out, step, roots, n, s, j, inverse);
	case 7:
		return butterfly<T, 7>(in, out, step, roots, n, s, j, inverse);
	default:
		return output(in, out, step, roots, n, s, r, j, inverse);
	}
}

struct passes {
	int n, count;
	unsigned char factors[32];
};

// Index of the first element of a line. Elements of a line are `inner` apart.
__device__ inline size_t line_start(size_t line, int n, size_t inner)
{
	return line / inner * n * inner + line % inner;
}

// `each` lines per block, adjacent ones if lines interleave.
template <typename T>
__global__ void __launch_bounds__(THREADS)
	cufft_short(number<T> *data, const number<T> *roots, passes p, size_t lines, size_t inner, int each, bool inverse)
{
	extern __shared__ double memory[];
	number<T> *from = (number<T> *)memory, *to = from + each * p.n;
	size_t first = (size_t)blockIdx.x * each;
	int own = first + each <= lines ? each : (int)(lines - first);
	for (int i = threadIdx.x; i < own * p.n; i += THREADS) {
		int line = inner > 1 ? i % own : i / p.n, element = inner > 1 ? i / own : i % p.n;
		from[line * p.n + element] = data[line_start(first + line, p.n, inner) + element * inner];
	}
	__syncthreads();
	for (int pass = 0, s = 1; pass < p.count; s *= p.factors[pass++]) {
		int r = p.factors[pass], a_line = pieces(p.n, r);
		for (int i = threadIdx.x; i < own * a_line; i += THREADS) {
			int line = i / a_line;
			piece(from + line * p.n, to + line * p.n, 1, roots, p.n, s, r, i % a_line, inverse);
		}
		__syncthreads();
		number<T> *old = from;
		from = to;
		to = old;
	}
	for (int i = threadIdx.x; i < own * p.n; i += THREADS) {
		int line = inner > 1 ? i % own : i / p.n, element = inner > 1 ? i / own : i % p.n;
		data[line_start(first + line, p.n, inner) + element * inner] = from[line * p.n + element];
	}
}

// One pass over lines that are too long for shared memory.
template <typename T>
__global__ void cufft_pass(const number<T> *in, number<T> *out, const number<T> *roots, int n, int s, int r, size_t lines, size_t inner,
                           bool inverse)
{
	size_t a_line = pieces(n, r), i = (size_t)blockIdx.x * THREADS + threadIdx.x;
	if (i >= lines * a_line)
		return;
	size_t line = inner > 1 ? i % lines : i / a_line, start = line_start(line, n, inner);
	piece(in + start, out + start, inner, roots, n, s, r, (int)(inner > 1 ? i / lines : i % a_line), inverse);
}

// Bluestein, step 1: x times chirp, padded with zeros to lines of m.
template <typename T>
__global__ void cufft_chirp(const number<T> *data, number<T> *padded, const number<T> *chirp, int n, int m, size_t lines, size_t inner,
                            bool inverse)
{
	size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x, line = i / m;
	int j = (int)(i % m);
	if (line >= lines)
		return;
	number<T> zero = {0, 0};
	padded[i] = j < n ? data[line_start(line, n, inner) + j * inner] * root(chirp, j, inverse) : zero;
}

// Bluestein, step 2: the transform of step 1's result times the transform of the other chirp.
template <typename T> __global__ void cufft_multiply(number<T> *padded, const number<T> *transformed, int m, size_t count, bool inverse)
{
	size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
	if (i >= count)
		return;
	int j = (int)(i % m);
	// The transform of a conjugate is the reversed conjugate of the transform.
	padded[i] = padded[i] * (inverse ? conjugate(transformed[(m - j) % m]) : transformed[j]);
}

// Bluestein, step 3: the inverse transform times chirp.
template <typename T>
__global__ void cufft_unchirp(const number<T> *padded, number<T> *data, const number<T> *chirp, int n, int m, size_t lines, size_t inner,
                              bool inverse)
{
	size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x, line = i / n;
	int j = (int)(i % n);
	if (line >= lines)
		return;
	number<T> w = root(chirp, j, inverse), scaled = {w.x / m, w.y / m};
	data[line_start(line, n, inner) + j * inner] = padded[line * m + j] * scaled;
}

static unsigned blocks_of(size_t work)
{
	return (unsigned)((work + THREADS - 1) / THREADS);
}

// The factors of n, fours first. Empty if a prime factor exceeds MAX_FACTOR.
static std::vector<int> factors_of(int n)
{
	std::vector<int> factors;
	for (int r : {4, 2, 3, 5, 7})
		for (; n % r == 0; n /= r)
			factors.push_back(r);
	for (int r = 11; r <= MAX_FACTOR; r += 2)
		for (; n % r == 0; n /= r)
			factors.push_back(r);
	return n == 1 ? factors : std::vector<int>();
}

// exp(-pi i k / n), rounded to T.
template <typename T> static number<T> half_root(long long k, int n)
{
	double angle = M_PI * (double)(k % (2 * (long long)n)) / n;
	return {(T)std::cos(angle), (T)-std::sin(angle)};
}

template <typename T> static void open_chirp(dimension &d)
{
	int m = 1;
	while (m < 2 * d.n - 1)
		m *= 2;
	d.power = new dimension();
	open_dimension<T>(*d.power, m);
	std::vector<number<T>> chirp(d.n), other(m, number<T>{0, 0});
	for (int j = 0; j < d.n; j++)
		chirp[j] = half_root<T>((long long)j * j, d.n);
	for (int j = 0; j < d.n; j++)
		other[j] = other[(m - j) % m] = conjugate(chirp[j]);
	d.chirp.fill(chirp);
	d.transformed.fill(other);
	buffer work;
	work.allocate(work_numbers(*d.power, m) * sizeof(number<T>));
	transform<T>(*d.power, (number<T> *)d.transformed.get(), (number<T> *)work.get(), 1, 1, false, 0);
	cudaDeviceSynchronize();
}

template <typename T> void fft::open_dimension(dimension &d, int n)
{
	d.n = n;
	d.factors = factors_of(n);
	if (d.factors.empty() && n > 1)
		return open_chirp<T>(d);
	std::vector<number<T>> roots(n);
	for (int j = 0; j < n; j++)
		roots[j] = half_root<T>(2ll * j, n);
	d.roots.fill(roots);
}

size_t fft::bytes_of(const dimension &d)
{
	return d.roots.bytes() + d.chirp.bytes() + d.transformed.bytes() + (d.power ? bytes_of(*d.power) : 0);
}

size_t fft::work_numbers(const dimension &d, size_t count)
{
	return d.power ? 2 * (count / d.n) * d.power->n : count;
}

template <typename T> static size_t bytes_a_line(int n)
{
	return 2 * n * sizeof(number<T>);
}

template <typename T>
static void transform_short(const dimension &d, number<T> *data, size_t lines, size_t inner, bool inverse, cudaStream_t stream)
{
	passes p = {d.n, (int)d.factors.size(), {}};
	std::copy(d.factors.begin(), d.factors.end(), p.factors);
	size_t each = SHARED_BYTES / bytes_a_line<T>(d.n), most = d.n * MAX_LINES < 1024 ? 1024 / d.n : MAX_LINES;
	each = each > most ? most : each;
	each = each > lines ? lines : each;
	cufft_short<<<(unsigned)((lines + each - 1) / each), THREADS, each * bytes_a_line<T>(d.n), stream>>>(
		data, (const number<T> *)d.roots.get(), p, lines, inner, (int)each, inverse);
}

template <typename T>
static void transform_long(const dimension &d, number<T> *data, number<T> *work, size_t lines, size_t inner, bool inverse, cudaStream_t stream)
{
	number<T> *from = data, *to = work;
	int s = 1;
	for (int r : d.factors) {
		cufft_pass<<<blocks_of(lines * pieces(d.n, r)), THREADS, 0, stream>>>(from, to, (const number<T> *)d.roots.get(), d.n, s, r,
		                                                                     lines, inner, inverse);
		std::swap(from, to);
		s *= r;
	}
	if (from != data)
		cudaMemcpyAsync(data, from, lines * d.n * sizeof *data, cudaMemcpyDeviceToDevice, stream);
}

template <typename T>
static void transform_by_chirp(const dimension &d, number<T> *data, number<T> *work, size_t lines, size_t inner, bool inverse,
                               cudaStream_t stream)
{
	int m = d.power->n;
	number<T> *padded = work, *rest = work + lines * m;
	const number<T> *chirp = (const number<T> *)d.chirp.get();
	cufft_chirp<<<blocks_of(lines * m), THREADS, 0, stream>>>(data, padded, chirp, d.n, m, lines, inner, inverse);
	transform(*d.power, padded, rest, lines, 1, false, stream);
	cufft_multiply<<<blocks_of(lines * m), THREADS, 0, stream>>>(padded, (const number<T> *)d.transformed.get(), m, lines * m, inverse);
	transform(*d.power, padded, rest, lines, 1, true, stream);
	cufft_unchirp<<<blocks_of(lines * d.n), THREADS, 0, stream>>>(padded, data, chirp, d.n, m, lines, inner, inverse);
}

template <typename T>
void fft::transform(const dimension &d, number<T> *data, number<T> *work, size_t lines, size_t inner, bool inverse, cudaStream_t stream)
{
	if (d.n == 1)
		return;
	if (d.power)
		transform_by_chirp(d, data, work, lines, inner, inverse, stream);
	else if (bytes_a_line<T>(d.n) <= SHARED_BYTES)
		transform_short(d, data, lines, inner, inverse, stream);
	else
		transform_long(d, data, work, lines, inner, inverse, stream);
}

template void fft::open_dimension<float>(dimension &, int);
template void fft::open_dimension<double>(dimension &, int);
template void fft::transform<float>(const dimension &, number<float> *, number<float> *, size_t, size_t, bool, cudaStream_t);
template void fft::transform<double>(const dimension &, number<double> *, number<double> *, size_t, size_t, bool, cudaStream_t);
