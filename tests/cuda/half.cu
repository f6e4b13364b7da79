// Protects cuda_fp16.h, cuda_bf16.h and include/cuda/sluice/half: every f16 and bf16 operation, on device and host,
// against exact references. Unary operations take all 65,536 values; others take random and special pairs and triples.
#include "check.h"
#include <cmath>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <random>
#include <vector>

typedef unsigned short bits16;

// --- the model: a format by its parameters, rounding by scaling to an integer ---

template <class T> struct format;
template <> struct format<__half> {
	typedef __half2 pair;
	enum { FRACTION = 10, LOWEST = -24 };
	static double largest()
	{
		return 65504;
	}
	static __host__ __device__ __half make(bits16 bits)
	{
		return __ushort_as_half(bits);
	}
	static __host__ __device__ bits16 bits(__half value)
	{
		return __half_as_ushort(value);
	}
};
template <> struct format<__nv_bfloat16> {
	typedef __nv_bfloat162 pair;
	enum { FRACTION = 7, LOWEST = -133 };
	static double largest()
	{
		return ldexp(255, 120);
	}
	static __host__ __device__ __nv_bfloat16 make(bits16 bits)
	{
		return __ushort_as_bfloat16(bits);
	}
	static __host__ __device__ bits16 bits(__nv_bfloat16 value)
	{
		return __bfloat16_as_ushort(value);
	}
};

template <class T> static double value_of(bits16 bits)
{
	int ones = (0x7fff >> format<T>::FRACTION), fraction = bits & ((1 << format<T>::FRACTION) - 1);
	int exponent = (bits & 0x7fff) >> format<T>::FRACTION;
	double size = exponent == ones ? (fraction ? NAN : INFINITY)
	              : exponent       ? ldexp(fraction + (1 << format<T>::FRACTION), format<T>::LOWEST + exponent - 1)
	                               : ldexp(fraction, format<T>::LOWEST);
	return bits & 0x8000 ? -size : size;
}

enum mode { NEAREST, ZERO, DOWN, UP };

static double whole(double value, int mode)
{
	return mode == NEAREST ? nearbyint(value)
	       : mode == ZERO  ? trunc(value)
	       : mode == DOWN  ? floor(value)
	                       : ceil(value);
}

template <class T> static bits16 nearest(double value, int mode = NEAREST)
{
	if (std::isnan(value))
		return 0x7fff;
	bits16 sign = std::signbit(value) ? 0x8000 : 0, infinite = (bits16)(0x7fff & ~((1 << format<T>::FRACTION) - 1));
	if (std::isinf(value))
		return sign | infinite;
	int exponent;
	frexp(value, &exponent);
	int unit = std::max(exponent - 1 - format<T>::FRACTION, (int)format<T>::LOWEST);
	double rounded = fabs(ldexp(whole(ldexp(value, -unit), mode), unit));
	if (rounded > format<T>::largest()) {
		bool to_infinity = mode == NEAREST || mode == (sign ? DOWN : UP);
		return sign | (to_infinity ? infinite : (bits16)(infinite - 1));
	}
	if (rounded < ldexp(1 << format<T>::FRACTION, format<T>::LOWEST))
		return sign | (bits16)ldexp(rounded, -format<T>::LOWEST);
	frexp(rounded, &exponent);
	int steps = exponent - 1 - format<T>::FRACTION - format<T>::LOWEST;
	return sign | (bits16)(((steps + 1) << format<T>::FRACTION) + (int)ldexp(rounded, -format<T>::LOWEST - steps) -
	                       (1 << format<T>::FRACTION));
}

// a + b as a double that rounds as the exact sum does: a much smaller operand only sets a sticky bit.
static double sum_of(double a, double b)
{
	double &small = fabs(a) < fabs(b) ? a : b, &large = fabs(a) < fabs(b) ? b : a;
	if (small != 0 && std::isfinite(large) && fabs(small) < fabs(large) * 0x1p-30)
		small = copysign(fabs(large) * 0x1p-30, small);
	return a + b;
}

static bool is_nan16(bits16 bits, int fraction)
{
	return (bits & 0x7fff) > (0x7fff & ~((1 << fraction) - 1));
}

// --- the operations under test ---

enum {
	ADD,
	SUB,
	MUL,
	DIV,
	FMA,
	ADD_SAT,
	FMA_RELU,
	ADD2,
	FMA2,
	H2DIV,
	OPERATORS,
	COMPLEX,
	MOST,
	LEAST,
	MOST_NAN,
	LEAST2,
	COMPARES,
	PAIR_COMPARES,
	TERNARIES
};
enum {
	NEG,
	ABS,
	SQRT,
	RCP,
	CEIL,
	FLOOR,
	TRUNC,
	RINT,
	TO_FLOAT,
	NANS,
	STEPS,
	EXACT,
	RSQRT = EXACT,
	EXP,
	EXP2,
	EXP10,
	LOG,
	LOG2,
	LOG10,
	SIN,
	COS,
	TANH,
	UNARIES
};

template <class T> static __host__ __device__ unsigned compares(T a, T b)
{
	return (unsigned)(__heq(a, b) | __hne(a, b) << 1 | __hlt(a, b) << 2 | __hle(a, b) << 3 | __hgt(a, b) << 4 |
	                  __hge(a, b) << 5 | __hequ(a, b) << 6 | __hneu(a, b) << 7 | __hltu(a, b) << 8 |
	                  __hleu(a, b) << 9 | __hgtu(a, b) << 10 | __hgeu(a, b) << 11 | (a == b) << 12 | (a < b) << 13 |
	                  (a >= b) << 14 | (a != b) << 15);
}

template <class T> static __host__ __device__ bits16 ternary(int operation, bits16 x, bits16 y, bits16 z)
{
	typedef format<T> f;
	typedef typename f::pair pair;
	T a = f::make(x), b = f::make(y), c = f::make(z);
	pair ab(a, b), bc(b, c), cc(c, c);
	switch (operation) {
	case ADD:
		return f::bits(__hadd(a, b));
	case SUB:
		return f::bits(__hsub(a, b));
	case MUL:
		return f::bits(__hmul(a, b));
	case DIV:
		return f::bits(__hdiv(a, b));
	case FMA:
		return f::bits(__hfma(a, b, c));
	case ADD_SAT:
		return f::bits(__hadd_sat(a, b));
	case FMA_RELU:
		return f::bits(__hfma_relu(a, b, c));
	case ADD2:
		return f::bits(__hadd2(ab, bc).y);
	case FMA2:
		return f::bits(__hfma2(bc, ab, cc).x);
	case H2DIV:
		return f::bits((bc / ab).x);
	case OPERATORS:
		a += b;
		a = -(a * c) - b;
		return f::bits(a);
	case COMPLEX:
		return f::bits(__hcmadd(ab, bc, cc).x);
	case MOST:
		return f::bits(__hmax(a, b));
	case LEAST:
		return f::bits(__hmin(a, b));
	case MOST_NAN:
		return f::bits(__hmax_nan(a, b));
	case LEAST2:
		return f::bits(__hmin2(ab, bc).y);
	case COMPARES:
		return (bits16)compares(a, b);
	default:
		return (bits16)((__hblt2(ab, bc) ? 1 : 0) | (__hle2_mask(ab, bc) & 0x70070) >> 3 |
		                (f::bits(__hgeu2(ab, bc).y) & 0x3c00) | (ab == bc ? 0x8000 : 0));
	}
}

template <class T> static __host__ __device__ bits16 unary(int operation, bits16 x)
{
	typedef format<T> f;
	T a = f::make(x);
	switch (operation) {
	case NEG:
		return f::bits(__hneg(a));
	case ABS:
		return f::bits(__habs(a));
	case SQRT:
		return f::bits(hsqrt(a));
	case RCP:
		return f::bits(hrcp(a));
	case CEIL:
		return f::bits(hceil(a));
	case FLOOR:
		return f::bits(hfloor(a));
	case TRUNC:
		return f::bits(htrunc(a));
	case RINT:
		return f::bits(hrint(a));
	case TO_FLOAT:
		return f::bits((T)(float)a);
	case NANS:
		return (bits16)(__hisnan(a) + 2 * (__hisinf(a) + 1));
	case STEPS:
		a++;
		return f::bits(--a);
	case RSQRT:
		return f::bits(hrsqrt(a));
	case EXP:
		return f::bits(hexp(a));
	case EXP2:
		return f::bits(hexp2(a));
	case EXP10:
		return f::bits(hexp10(a));
	case LOG:
		return f::bits(hlog(a));
	case LOG2:
		return f::bits(hlog2(a));
	case LOG10:
		return f::bits(hlog10(a));
	case SIN:
		return f::bits(hsin(a));
	case COS:
		return f::bits(hcos(a));
	default:
		return f::bits(h2tanh(typename f::pair(a, a)).y);
	}
}

template <class T> static bits16 round_pair(double a, double b, double c)
{
	return nearest<T>(sum_of(a * b, c));
}
static unsigned right_compares(double a, double b)
{
	bool unordered = std::isnan(a) || std::isnan(b), eq = a == b, lt = a<b, gt = a> b;
	return (unsigned)(eq | (lt || gt) << 1 | lt << 2 | (lt || eq) << 3 | gt << 4 | (gt || eq) << 5 |
	                  (eq || unordered) << 6 | (lt || gt || unordered) << 7 | (lt || unordered) << 8 |
	                  (lt || eq || unordered) << 9 | (gt || unordered) << 10 | (gt || eq || unordered) << 11 |
	                  eq << 12 | lt << 13 | (gt || eq) << 14 | (lt || gt || unordered) << 15);
}
static double extreme(double a, double b, bool most, bool keeps_nan)
{
	if (std::isnan(a) || std::isnan(b))
		return keeps_nan || (std::isnan(a) && std::isnan(b)) ? NAN : std::isnan(a) ? b : a;
	if (a == b)
		return std::signbit(a) == most ? b : a;
	return (a > b) == most ? a : b;
}

template <class T> static bits16 right_ternary(int operation, bits16 x, bits16 y, bits16 z)
{
	double a = value_of<T>(x), b = value_of<T>(y), c = value_of<T>(z);
	auto rounded = [](double value) { return value_of<T>(nearest<T>(value)); };
	auto fma16 = [](double p, double q, double r) { return value_of<T>(round_pair<T>(p, q, r)); };
	double sum = rounded(sum_of(a, b));
	switch (operation) {
	case ADD:
		return nearest<T>(sum);
	case SUB:
		return nearest<T>(sum_of(a, -b));
	case MUL:
		return nearest<T>(a * b);
	case DIV:
		return nearest<T>(a / b);
	case FMA:
		return round_pair<T>(a, b, c);
	case ADD_SAT:
		return nearest<T>(sum >= 1 ? 1 : sum > 0 ? sum : 0);
	case FMA_RELU:
		return nearest<T>(fma16(a, b, c) <= 0 ? 0 : fma16(a, b, c));
	case ADD2:
		return nearest<T>(sum_of(b, c));
	case FMA2:
		return round_pair<T>(b, a, c);
	case H2DIV:
		return nearest<T>(b / a);
	case OPERATORS:
		return nearest<T>(sum_of(-rounded(sum * c), -b));
	case COMPLEX:
		return nearest<T>(fma16(-b, c, fma16(a, b, c)));
	case MOST:
		return nearest<T>(extreme(a, b, true, false));
	case LEAST:
		return nearest<T>(extreme(a, b, false, false));
	case MOST_NAN:
		return nearest<T>(extreme(a, b, true, true));
	case LEAST2:
		return nearest<T>(extreme(b, c, false, false));
	case COMPARES:
		return (bits16)right_compares(a, b);
	default:
		return (bits16)((a < b && b < c) | (((a <= b ? 0x70 : 0) | (b <= c ? 0x70000 : 0)) >> 3) |
		                (b < c ? 0 : nearest<T>(1) & 0x3c00) | (a == b && b == c ? 0x8000 : 0));
	}
}

template <class T> static bits16 right_unary(int operation, bits16 x)
{
	double a = value_of<T>(x);
	switch (operation) {
	case NEG:
		return x ^ 0x8000;
	case ABS:
		return x & 0x7fff;
	case SQRT:
		return nearest<T>(sqrt(a));
	case RCP:
		return nearest<T>(1 / a);
	case CEIL:
	case FLOOR:
	case TRUNC:
	case RINT: {
		static const int modes[] = {UP, DOWN, ZERO, NEAREST};
		return nearest<T>(whole(a, modes[operation - CEIL]));
	}
	case TO_FLOAT:
		return nearest<T>(a);
	case NANS:
		return (bits16)(std::isnan(a) + 2 * (1 + (std::isinf(a) ? (a < 0 ? -1 : 1) : 0)));
	case STEPS:
		return nearest<T>(sum_of(value_of<T>(nearest<T>(sum_of(a, 1))), -1));
	case RSQRT:
		return nearest<T>(1 / sqrt(a));
	case EXP:
		return nearest<T>(exp(a));
	case EXP2:
		return nearest<T>(exp2(a));
	case EXP10:
		return nearest<T>(pow(10, a));
	case LOG:
		return nearest<T>(log(a));
	case LOG2:
		return nearest<T>(log2(a));
	case LOG10:
		return nearest<T>(log10(a));
	case SIN:
		return nearest<T>(sin(a));
	case COS:
		return nearest<T>(cos(a));
	default:
		return nearest<T>(tanh(a));
	}
}

// The distance in units of the last place.
static int distance(bits16 a, bits16 b)
{
	int x = a & 0x8000 ? -(a & 0x7fff) : a, y = b & 0x8000 ? -(b & 0x7fff) : b;
	return abs(x - y);
}

template <class T> static bool agrees(bits16 got, bits16 right, int tolerance)
{
	if (is_nan16(right, format<T>::FRACTION))
		return is_nan16(got, format<T>::FRACTION);
	return got == right || (tolerance && !is_nan16(got, format<T>::FRACTION) && distance(got, right) <= tolerance);
}

template <class T> static __global__ void run_ternary(bits16 *out, const bits16 *in, int n)
{
	int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
	for (int operation = 0; operation < TERNARIES; operation++)
		out[operation * n + i] = ternary<T>(operation, in[i], in[n + i], in[2 * n + i]);
}
template <class T> static __global__ void run_unary(bits16 *out, int first)
{
	int x = (int)(blockIdx.x * blockDim.x + threadIdx.x);
	out[x] = unary<T>(first, (bits16)x);
}

static bool is_exact(int operation)
{
	return operation < EXACT;
}

template <class T>
static void expect(const char *what, const char *where, int operation, bits16 got, bits16 right, int tolerance,
                   bits16 x, bits16 y, bits16 z)
{
	static int told;
	bool bits = operation < 0;
	if (bits ? got == right : agrees<T>(got, right, tolerance))
		return;
	failures++;
	if (told++ < 20)
		fprintf(stderr, "%s %s %d of %#x, %#x, %#x: %#x, not %#x\n", what, where, operation, x, y, z, got,
		        right);
}

template <class T> static void test_ternaries(const char *what, std::mt19937 &random)
{
	enum { N = 8192 };
	std::vector<bits16> in(3 * N), out(TERNARIES * N);
	for (int i = 0; i < N; i++) {
		bits16 a = (bits16)random(), b = (bits16)random(), c = (bits16)random();
		if (i % 4 == 1) // sums that nearly cancel, and half units of the last place
			c = nearest<T>(-value_of<T>(a) * value_of<T>(b)) + (bits16)(random() % 5 - 2);
		if (i % 4 == 2) // numbers of similar size
			b = a + (bits16)(random() % 65 - 32), c = a ^ (bits16)(random() % 4);
		if (i % 16 == 3) { // a tie in the product and a far smaller addend
			a = nearest<T>(1 + ldexp(1, -format<T>::FRACTION)), b = nearest<T>(1.5);
			c = (bits16)(random() % 64 | (random() & 0x8000));
		}
		if (i % 16 == 7)
			b = (bits16)(0x8000 * (random() & 1)), a ^= b ^ a & 0x7fff;
		in[(size_t)i] = a, in[(size_t)(N + i)] = b, in[(size_t)(2 * N + i)] = c;
	}
	bits16 *device_in, *device_out;
	SUCCEEDS(cudaMalloc(&device_in, 2 * in.size()));
	SUCCEEDS(cudaMalloc(&device_out, 2 * out.size()));
	SUCCEEDS(cudaMemcpy(device_in, in.data(), 2 * in.size(), cudaMemcpyHostToDevice));
	run_ternary<T><<<N / 128, 128>>>(device_out, device_in, N);
	SUCCEEDS(cudaMemcpy(out.data(), device_out, 2 * out.size(), cudaMemcpyDeviceToHost));
	for (int operation = 0; operation < TERNARIES; operation++)
		for (size_t i = 0; i < N; i++) {
			bits16 a = in[i], b = in[N + i], c = in[2 * N + i],
			       right = right_ternary<T>(operation, a, b, c);
			int told = operation >= COMPARES ? -operation : operation;
			expect<T>(what, "device", told, out[(size_t)operation * N + i], right, 0, a, b, c);
			expect<T>(what, "host", told, ternary<T>(operation, a, b, c), right, 0, a, b, c);
		}
	SUCCEEDS(cudaFree(device_in));
	SUCCEEDS(cudaFree(device_out));
}

template <class T> static void test_unaries(const char *what)
{
	std::vector<bits16> out(65536);
	bits16 *device_out;
	SUCCEEDS(cudaMalloc(&device_out, 2 * out.size()));
	for (int operation = 0; operation < UNARIES; operation++) {
		run_unary<T><<<256, 256>>>(device_out, operation);
		SUCCEEDS(cudaMemcpy(out.data(), device_out, 2 * out.size(), cudaMemcpyDeviceToHost));
		for (unsigned x = 0; x < 65536; x++) {
			bits16 right = right_unary<T>(operation, (bits16)x);
			int told = operation == NEG || operation == ABS || operation == NANS ? -operation - 100
			                                                                     : operation;
			expect<T>(what, "unary, device", told, out[x], right, !is_exact(operation), (bits16)x, 0, 0);
			expect<T>(what, "unary, host", told, unary<T>(operation, (bits16)x), right,
			          !is_exact(operation), (bits16)x, 0, 0);
		}
	}
	SUCCEEDS(cudaFree(device_out));
}

// --- conversions ---

#define CONVERSIONS(T, word)                                                                                           \
	static __host__ __device__ bits16 from_float(T, int mode, float x)                                             \
	{                                                                                                              \
		return format<T>::bits(mode == NEAREST ? __float2##word##_rn(x)                                        \
		                       : mode == ZERO  ? __float2##word##_rz(x)                                        \
		                       : mode == DOWN  ? __float2##word##_rd(x)                                        \
		                                       : __float2##word##_ru(x));                                       \
	}                                                                                                              \
	static __host__ __device__ bits16 from_double(T, double x)                                                     \
	{                                                                                                              \
		return format<T>::bits(__double2##word(x));                                                            \
	}                                                                                                              \
	INTEGERS(T, word, short, short)                                                                                \
	INTEGERS(T, word, unsigned short, ushort)                                                                      \
	INTEGERS(T, word, int, int)                                                                                    \
	INTEGERS(T, word, unsigned, uint)                                                                              \
	INTEGERS(T, word, long long, ll)                                                                               \
	INTEGERS(T, word, unsigned long long, ull)
#define INTEGERS(T, word, type, name)                                                                                  \
	static __host__ __device__ bits16 from_integer(T, int mode, type x)                                            \
	{                                                                                                              \
		return format<T>::bits(mode == NEAREST ? __##name##2##word##_rn(x)                                     \
		                       : mode == ZERO  ? __##name##2##word##_rz(x)                                     \
		                       : mode == DOWN  ? __##name##2##word##_rd(x)                                     \
		                                       : __##name##2##word##_ru(x));                                    \
	}                                                                                                              \
	static __host__ __device__ type to_integer(T x, int mode, type)                                                \
	{                                                                                                              \
		return mode == NEAREST ? __##word##2##name##_rn(x)                                                     \
		       : mode == ZERO  ? __##word##2##name##_rz(x)                                                     \
		       : mode == DOWN  ? __##word##2##name##_rd(x)                                                     \
		                       : __##word##2##name##_ru(x);                                                     \
	}
CONVERSIONS(__half, half)
CONVERSIONS(__nv_bfloat16, bfloat16)

template <class T> static __global__ void run_from_float(bits16 *out, const float *in, int n)
{
	int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
	for (int mode = 0; mode < 4; mode++)
		out[mode * n + i] = from_float(T(), mode, in[i]);
	out[4 * n + i] = from_double(T(), (double)in[i] * (1 + 0x1p-40));
}

template <class T> static void test_from_float(const char *what, std::mt19937 &random)
{
	std::vector<float> in;
	for (unsigned x = 0; x < 65536; x += 2 + random() % 5)
		for (int step = -1; step <= 1; step++) { // near each number and near each midpoint
			float number = (float)value_of<T>((bits16)x);
			float halfway = (float)(value_of<T>((bits16)x) / 2 + value_of<T>((bits16)(x + 1)) / 2);
			for (float base : {number, halfway})
				in.push_back(step ? nextafterf(base, step * INFINITY) : base);
		}
	for (int i = 0; i < 5000; i++)
		in.push_back(sluice::half::float_of((unsigned)random()));
	while (in.size() % 128)
		in.push_back(ldexpf(1, (int)random() % 40 - 30));
	size_t n = in.size();
	std::vector<bits16> out(5 * n);
	float *device_in;
	bits16 *device_out;
	SUCCEEDS(cudaMalloc(&device_in, n * sizeof(float)));
	SUCCEEDS(cudaMalloc(&device_out, 2 * out.size()));
	SUCCEEDS(cudaMemcpy(device_in, in.data(), n * sizeof(float), cudaMemcpyHostToDevice));
	run_from_float<T><<<(unsigned)n / 128, 128>>>(device_out, device_in, (int)n);
	SUCCEEDS(cudaMemcpy(out.data(), device_out, 2 * out.size(), cudaMemcpyDeviceToHost));
	for (size_t i = 0; i < n; i++) {
		for (int mode = 0; mode < 4; mode++) {
			bits16 right = nearest<T>(in[i], mode);
			expect<T>(what, "from float, device", mode, out[(size_t)mode * n + i], right, 0, (bits16)i, 0,
			          0);
			expect<T>(what, "from float, host", mode, from_float(T(), mode, in[i]), right, 0, (bits16)i, 0,
			          0);
		}
		double near = (double)in[i] * (1 + 0x1p-40);
		expect<T>(what, "from double, device", 0, out[4 * n + i], nearest<T>(near), 0, (bits16)i, 0, 0);
		expect<T>(what, "from double, host", 0, from_double(T(), near), nearest<T>(near), 0, (bits16)i, 0, 0);
	}
	SUCCEEDS(cudaFree(device_in));
	SUCCEEDS(cudaFree(device_out));
}

template <class T, class Integer> static __global__ void run_integers(Integer *out, bits16 *back, const Integer *in)
{
	int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
	for (int mode = 0; mode < 4; mode++) {
		out[mode * 65536 + i] = to_integer(format<T>::make((bits16)i), mode, Integer());
		back[mode * 65536 + i] = from_integer(T(), mode, in[i]);
	}
}

// A double that rounds as the 64-bit integer does.
static double sticky(long double value)
{
	double near = (double)value;
	return (long double)near == value || fabsl(value) < 0x1p53l
	               ? near
	               : near + (value > (long double)near ? 1 : -1) * fabs(near) * 0x1p-30;
}

template <class T, class Integer>
static void test_integers(const char *what, std::mt19937 &random, Integer low, Integer high)
{
	std::vector<Integer> in(65536), out(4 * 65536);
	std::vector<bits16> back(4 * 65536);
	for (size_t i = 0; i < in.size(); i++) {
		unsigned long long any = (unsigned long long)random() << 32 | random();
		in[i] = (Integer)(i < 4000   ? i
		                  : i < 4200 ? high - (Integer)(i - 4000)
		                  : i < 4400 ? low + (Integer)(i - 4200)
		                             : any >> random() % 64);
		if (i % 7 == 0 && i > 4400) // midway between two numbers, or next to that
			in[i] = (Integer)((any % 4096 * 2 + 1) << random() % 50) + (Integer)(random() % 3) - 1;
	}
	Integer *device_in, *device_out;
	bits16 *device_back;
	SUCCEEDS(cudaMalloc(&device_in, in.size() * sizeof(Integer)));
	SUCCEEDS(cudaMalloc(&device_out, out.size() * sizeof(Integer)));
	SUCCEEDS(cudaMalloc(&device_back, 2 * back.size()));
	SUCCEEDS(cudaMemcpy(device_in, in.data(), in.size() * sizeof(Integer), cudaMemcpyHostToDevice));
	run_integers<T, Integer><<<256, 256>>>(device_out, device_back, device_in);
	SUCCEEDS(cudaMemcpy(out.data(), device_out, out.size() * sizeof(Integer), cudaMemcpyDeviceToHost));
	SUCCEEDS(cudaMemcpy(back.data(), device_back, 2 * back.size(), cudaMemcpyDeviceToHost));
	for (int mode = 0; mode < 4; mode++)
		for (size_t i = 0; i < 65536; i++) {
			double value = whole(value_of<T>((bits16)i), mode);
			Integer undefined = sizeof(Integer) == 8 ? (Integer)0x8000000000000000ull : 0;
			Integer right = std::isnan(value)       ? undefined
			                : value <= (double)low  ? low
			                : value >= (double)high ? high
			                                        : (Integer)value;
			CHECK(out[(size_t)mode * 65536 + i] == right);
			CHECK(to_integer(format<T>::make((bits16)i), mode, Integer()) == right);
			bits16 right_back = nearest<T>(sticky((long double)in[i]), mode);
			expect<T>(what, "from integer, device", mode, back[(size_t)mode * 65536 + i], right_back, 0,
			          (bits16)i, sizeof(Integer), 0);
			expect<T>(what, "from integer, host", mode, from_integer(T(), mode, in[i]), right_back, 0,
			          (bits16)i, sizeof(Integer), 0);
		}
	SUCCEEDS(cudaFree(device_in));
	SUCCEEDS(cudaFree(device_out));
	SUCCEEDS(cudaFree(device_back));
}

// --- shuffles, atomics, loads and stores ---

template <class T> static __global__ void move(T *numbers, typename format<T>::pair *pairs)
{
	unsigned i = threadIdx.x;
	T one = format<T>::make(format<T>::bits(T(1.0f)));
	atomicAdd(&numbers[i % 3], one);
	atomicAdd(&pairs[0], typename format<T>::pair(one, one + one));
	T got = __shfl_xor_sync(~0u, T((float)i), 5);
	typename format<T>::pair down = __shfl_down_sync(~0u, typename format<T>::pair(T((float)i), got), 2u, 16);
	__stcg(&numbers[4 + i], got);
	pairs[1 + i] = down;
	__syncwarp();
	numbers[4 + 32 + i] = __ldcg(&numbers[4 + (i + 1) % 32]);
}

template <class T> static void test_moves()
{
	typedef typename format<T>::pair pair;
	T numbers[68], *device_numbers;
	pair pairs[33], *device_pairs;
	SUCCEEDS(cudaMalloc(&device_numbers, sizeof numbers));
	SUCCEEDS(cudaMalloc(&device_pairs, sizeof pairs));
	SUCCEEDS(cudaMemset(device_numbers, 0, sizeof numbers));
	SUCCEEDS(cudaMemset(device_pairs, 0, sizeof pairs));
	move<T><<<1, 32>>>(device_numbers, device_pairs);
	SUCCEEDS(cudaMemcpy(numbers, device_numbers, sizeof numbers, cudaMemcpyDeviceToHost));
	SUCCEEDS(cudaMemcpy(pairs, device_pairs, sizeof pairs, cudaMemcpyDeviceToHost));
	CHECK((float)numbers[0] == 11 && (float)numbers[1] == 11 && (float)numbers[2] == 10 && (float)numbers[3] == 0);
	CHECK((float)pairs[0].x == 32 && __high2float(pairs[0]) == 64);
	for (unsigned i = 0; i < 32; i++) {
		unsigned from = i % 16 < 14 ? i + 2 : i;
		CHECK((float)numbers[4 + i] == (float)(i ^ 5) && (float)numbers[36 + i] == (float)((i + 1) % 32 ^ 5));
		CHECK((float)pairs[1 + i].x == (float)from && (float)pairs[1 + i].y == (float)(from ^ 5));
	}
	SUCCEEDS(cudaFree(device_numbers));
	SUCCEEDS(cudaFree(device_pairs));
}

template <class T> static void test(const char *what)
{
	std::mt19937 random(1);
	test_ternaries<T>(what, random);
	test_unaries<T>(what);
	test_from_float<T>(what, random);
	test_integers<T, short>(what, random, -0x8000, 0x7fff);
	test_integers<T, unsigned short>(what, random, 0, 0xffff);
	test_integers<T, int>(what, random, -0x7fffffff - 1, 0x7fffffff);
	test_integers<T, unsigned>(what, random, 0, 0xffffffff);
	test_integers<T, long long>(what, random, -0x7fffffffffffffff - 1, 0x7fffffffffffffff);
	test_integers<T, unsigned long long>(what, random, 0, 0xffffffffffffffff);
	test_moves<T>();
}

int main()
{
	test<__half>("half");
	test<__nv_bfloat16>("bfloat16");
	half2 pair = __halves2half2(half(1.5f), __float2half(-2));
	float2 both = __half22float2(__lowhigh2highlow(pair));
	CHECK(both.x == -2 && both.y == 1.5f && __low2float(__high2half2(pair)) == -2);
	nv_bfloat162 other = __floats2bfloat162_rn(3, 4);
	both = __bfloat1622float2(__lows2bfloat162(other, __bfloat162bfloat162(__high2bfloat16(other))));
	CHECK(both.x == 3 && both.y == 4);
	half number = 7;
	CHECK((int)number == 7 && (unsigned long long)(number * number) == 49 && number && !(bool)(number - number));
	return finish();
}
