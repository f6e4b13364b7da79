// Protects libdevice's simd.c and its use by the headers: CUDA's functions on the halves and bytes of a word. Each is
// compared with an element-wise host model, for random words and for extreme elements. Clang-14's own forms are PTX
// that no device has.
#include "check.h"
#include <cstdint>
#include <vector>

enum { WORDS = 256 };

// A word's element as the function interprets it.
static int element(uint32_t word, int i, int bits, bool is_signed)
{
	uint32_t part = word >> i * bits & ((1u << bits) - 1);
	return is_signed && part >> (bits - 1) ? (int)part - (1 << bits) : (int)part;
}

static int saturated(int x, int bits, bool is_signed)
{
	int most = is_signed ? (1 << (bits - 1)) - 1 : (1 << bits) - 1, least = is_signed ? -most - 1 : 0;
	return x < least ? least : x > most ? most : x;
}

struct function {
	const char *name;
	int bits;
	bool is_signed, sums;
	int (*expected)(int a, int b, int bits, bool is_signed);
};

static uint32_t expect(const function &f, uint32_t x, uint32_t y)
{
	uint32_t word = 0, sum = 0;
	for (int i = 0; i < 32 / f.bits; i++) {
		int r = f.expected(element(x, i, f.bits, f.is_signed), element(y, i, f.bits, f.is_signed), f.bits,
		                   f.is_signed);
		word |= ((uint32_t)r & ((1u << f.bits) - 1)) << i * f.bits;
		sum += (uint32_t)r;
	}
	return f.sums ? sum : word;
}

// name without its number of elements, whether elements are signed, whether the results are added up, and the result.
#define BINARY(X)                                                                                                      \
	X(vadd, false, false, a + b)                                                                                   \
	X(vaddss, true, false, saturated(a + b, bits, s))                                                              \
	X(vaddus, false, false, saturated(a + b, bits, s))                                                             \
	X(vsub, false, false, a - b)                                                                                   \
	X(vsubss, true, false, saturated(a - b, bits, s))                                                              \
	X(vsubus, false, false, saturated(a - b, bits, s))                                                             \
	X(vabsdiffs, true, false, abs(a - b))                                                                          \
	X(vabsdiffu, false, false, abs(a - b))                                                                         \
	X(vavgs, true, false, a + b < 0 ? -(-(a + b) / 2 + -(a + b) % 2) : (a + b + 1) / 2)                            \
	X(vavgu, false, false, (a + b + 1) / 2)                                                                        \
	X(vhaddu, false, false, (a + b) / 2)                                                                           \
	X(vmaxs, true, false, a > b ? a : b)                                                                           \
	X(vmaxu, false, false, a > b ? a : b)                                                                          \
	X(vmins, true, false, a < b ? a : b)                                                                           \
	X(vminu, false, false, a < b ? a : b)                                                                          \
	X(vsads, true, true, abs(a - b))                                                                               \
	X(vsadu, false, true, abs(a - b))                                                                              \
	X(vcmpeq, true, false, -(a == b))                                                                              \
	X(vcmpne, true, false, -(a != b))                                                                              \
	X(vcmpges, true, false, -(a >= b))                                                                             \
	X(vcmpgeu, false, false, -(a >= b))                                                                            \
	X(vcmpgts, true, false, -(a > b))                                                                              \
	X(vcmpgtu, false, false, -(a > b))                                                                             \
	X(vcmples, true, false, -(a <= b))                                                                             \
	X(vcmpleu, false, false, -(a <= b))                                                                            \
	X(vcmplts, true, false, -(a < b))                                                                              \
	X(vcmpltu, false, false, -(a < b))                                                                             \
	X(vseteq, true, false, a == b)                                                                                 \
	X(vsetne, true, false, a != b)                                                                                 \
	X(vsetges, true, false, a >= b)                                                                                \
	X(vsetgeu, false, false, a >= b)                                                                               \
	X(vsetgts, true, false, a > b)                                                                                 \
	X(vsetgtu, false, false, a > b)                                                                                \
	X(vsetles, true, false, a <= b)                                                                                \
	X(vsetleu, false, false, a <= b)                                                                               \
	X(vsetlts, true, false, a < b)                                                                                 \
	X(vsetltu, false, false, a < b)
#define UNARY(X)                                                                                                       \
	X(vabs, true, false, abs(a))                                                                                   \
	X(vabsss, true, false, saturated(abs(a), bits, s))                                                             \
	X(vneg, false, false, -a)                                                                                      \
	X(vnegss, true, false, saturated(-a, bits, s))

#define EXPECTED(name, is_signed, sums, result)                                                                        \
	static int expected_##name(int a, int b, int bits, bool s)                                                     \
	{                                                                                                              \
		(void)b, (void)bits, (void)s;                                                                          \
		return result;                                                                                         \
	}
BINARY(EXPECTED)
UNARY(EXPECTED)

#define ROWS(name, is_signed, sums, result)                                                                            \
	{#name "2", 16, is_signed, sums, expected_##name}, {#name "4", 8, is_signed, sums, expected_##name},
static const function functions[] = {BINARY(ROWS) UNARY(ROWS)};
enum { FUNCTIONS = sizeof functions / sizeof functions[0] };

__global__ void compute(const uint32_t *x, const uint32_t *y, uint32_t *out)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x, at = i * FUNCTIONS;
#define CALL2(name, ...)                                                                                               \
	out[at++] = __##name##2(x[i], y[i]);                                                                           \
	out[at++] = __##name##4(x[i], y[i]);
#define CALL1(name, ...)                                                                                               \
	out[at++] = __##name##2(x[i]);                                                                                 \
	out[at++] = __##name##4(x[i]);
	BINARY(CALL2)
	UNARY(CALL1)
}

int main()
{
	std::vector<uint32_t> x(WORDS), y(WORDS), got(WORDS * FUNCTIONS);
	const uint32_t extreme[] = {0, ~0u, 0x80008000, 0x7fff7fff, 0x80808080, 0x7f7f7f7f, 0x80017fff, 0x0100ff80};
	uint32_t *device_x, *device_y, *out;
	srand(7);
	for (size_t i = 0; i < WORDS; i++) {
		x[i] = i < 64 ? extreme[i / 8] : (uint32_t)rand() * 2 + (uint32_t)(rand() & 1);
		y[i] = i < 64 ? extreme[i % 8] : (uint32_t)rand() * 2 + (uint32_t)(rand() & 1);
	}
	SUCCEEDS(cudaMalloc(&device_x, WORDS * sizeof *device_x));
	SUCCEEDS(cudaMalloc(&device_y, WORDS * sizeof *device_y));
	SUCCEEDS(cudaMalloc(&out, got.size() * sizeof *out));
	SUCCEEDS(cudaMemcpy(device_x, x.data(), WORDS * sizeof *device_x, cudaMemcpyHostToDevice));
	SUCCEEDS(cudaMemcpy(device_y, y.data(), WORDS * sizeof *device_y, cudaMemcpyHostToDevice));
	compute<<<WORDS / 64, 64>>>(device_x, device_y, out);
	SUCCEEDS(cudaMemcpy(got.data(), out, got.size() * sizeof *out, cudaMemcpyDeviceToHost));
	for (size_t i = 0; i < WORDS; i++)
		for (size_t f = 0; f < FUNCTIONS; f++) {
			uint32_t want = expect(functions[f], x[i], y[i]);
			if (got[i * FUNCTIONS + f] != want) {
				fprintf(stderr, "__%s(%08x, %08x): %08x, expected %08x\n", functions[f].name, x[i],
				        y[i], got[i * FUNCTIONS + f], want);
				failures++;
			}
		}
	return finish();
}
