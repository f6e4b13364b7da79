// Protects ptxas' corrections of clang's PTX (toolkit/bin/ptxas): mul.wide.s32 for shifts by 31, and bfe.u64 for fields
// with copies of the sign bit. Also asm statements with these instructions. Constant shifts, fields, and products with
// powers of two, of every width, equal the host's.
#include "check.h"

#include <cstdint>
#include <type_traits>

enum { SHIFTS = 64, FORMS = 6, FIELDS = 7 };

// Every form for a shift by S and all smaller ones. The sums keep the operand in a register. Shifts that a wide type
// cannot hold are left out. Signed arithmetic is done unsigned, so that nothing overflows.
template <typename Narrow, typename Wide, int S> struct shifts {
	typedef typename std::make_unsigned<Wide>::type bits;
	static __host__ __device__ void apply(Narrow x, Narrow y, uint64_t addend, uint64_t *results)
	{
		bits wide = (bits)(Wide)(Narrow)(x + y), factor = (bits)((bits)1 << S % (8 * sizeof(Wide)));
		results[S * FORMS + 0] = (bits)(wide << S % (8 * sizeof(Wide)));
		results[S * FORMS + 1] = (bits)(wide * factor);
		results[S * FORMS + 2] = (bits)(wide * (bits)-factor);
		results[S * FORMS + 3] = (bits)(addend + wide * factor);
		results[S * FORMS + 4] = (bits)(addend + wide * (bits)-factor);
		results[S * FORMS + 5] = (bits)(wide * (bits)(factor + 1));
		shifts<Narrow, Wide, S - 1>::apply(x, y, addend, results);
	}
};
template <typename Narrow, typename Wide> struct shifts<Narrow, Wide, -1> {
	static __host__ __device__ void apply(Narrow, Narrow, uint64_t, uint64_t *)
	{
	}
};

template <typename Narrow, typename Wide>
__global__ void on_device(const Narrow *values, uint64_t addend, uint64_t *results)
{
	shifts<Narrow, Wide, SHIFTS - 1>::apply(values[threadIdx.x], 1, addend, results + threadIdx.x * SHIFTS * FORMS);
}

// Fields of signed numbers that begin at bit S and at all lower ones.
template <typename T, int S> struct fields {
	static __host__ __device__ void apply(T x, uint64_t *results)
	{
		T value = x >> S % (8 * sizeof(T));
		results[S * FIELDS + 0] = value & 1;
		results[S * FIELDS + 1] = value & 3;
		results[S * FIELDS + 2] = value & 7;
		results[S * FIELDS + 3] = value & 0x7fff;
		results[S * FIELDS + 4] = value & 0x7fffffff;
		results[S * FIELDS + 5] = value & 0xffffffffffull;
		results[S * FIELDS + 6] = x < 0 ? 7 : 0;
		fields<T, S - 1>::apply(x, results);
	}
};
template <typename T> struct fields<T, -1> {
	static __host__ __device__ void apply(T, uint64_t *)
	{
	}
};

template <typename T> __global__ void fields_on_device(T x, uint64_t *results)
{
	fields<T, SHIFTS - 1>::apply(x, results);
}

// The instructions that the compiler emits incorrectly, used on purpose.
__global__ void asked_for_field(long long value, long long *result)
{
	asm("bfe.u64 %0, %1, 63, 3;" : "=l"(*result) : "l"(value));
}
__global__ void asked_for(const int *value, long long *result)
{
	asm("mul.wide.s32 %0, %1, -2147483648;" : "=l"(*result) : "r"(*value));
}

template <typename Narrow, typename Wide> static void compare(const char *name)
{
	const Narrow values[] = {0,
	                         2,
	                         (Narrow)-2,
	                         (Narrow)0x12345678,
	                         (Narrow)0x8765cba9,
	                         (Narrow)((Narrow)1 << (8 * sizeof(Narrow) - 1)),
	                         (Narrow)-40};
	enum { COUNT = sizeof values / sizeof *values };
	const uint64_t addend = 0x123456789abcdef0;
	Narrow *device_values;
	uint64_t *device_results;
	static uint64_t got[COUNT][SHIFTS * FORMS], expected[SHIFTS * FORMS];
	SUCCEEDS(cudaMalloc(&device_values, sizeof values));
	SUCCEEDS(cudaMalloc(&device_results, sizeof got));
	SUCCEEDS(cudaMemcpy(device_values, values, sizeof values, cudaMemcpyHostToDevice));
	on_device<Narrow, Wide><<<1, COUNT>>>(device_values, addend, device_results);
	SUCCEEDS(cudaMemcpy(got, device_results, sizeof got, cudaMemcpyDeviceToHost));
	for (int v = 0; v < COUNT; v++) {
		shifts<Narrow, Wide, SHIFTS - 1>::apply(values[v], 1, addend, expected);
		for (int i = 0; i < SHIFTS * FORMS; i++)
			if (got[v][i] != expected[i]) {
				fprintf(stderr, "%s, value %d, shift %d, form %d: %llx, expected %llx\n", name, v,
				        i / FORMS, i % FORMS, (unsigned long long)got[v][i],
				        (unsigned long long)expected[i]);
				failures++;
			}
	}
	SUCCEEDS(cudaFree(device_values));
	SUCCEEDS(cudaFree(device_results));
}

static void check_asked_for()
{
	int value = 5, *device_value;
	long long result = 0, *device_result;
	SUCCEEDS(cudaMalloc(&device_value, sizeof value));
	SUCCEEDS(cudaMalloc(&device_result, sizeof result));
	SUCCEEDS(cudaMemcpy(device_value, &value, sizeof value, cudaMemcpyHostToDevice));
	asked_for<<<1, 1>>>(device_value, device_result);
	SUCCEEDS(cudaMemcpy(&result, device_result, sizeof result, cudaMemcpyDeviceToHost));
	CHECK(result == 5 * -2147483648ll);
}

template <typename T> static void compare_fields(T value)
{
	static uint64_t got[SHIFTS * FIELDS], expected[SHIFTS * FIELDS];
	uint64_t *results;
	SUCCEEDS(cudaMalloc(&results, sizeof got));
	fields_on_device<T><<<1, 1>>>(value, results);
	SUCCEEDS(cudaMemcpy(got, results, sizeof got, cudaMemcpyDeviceToHost));
	SUCCEEDS(cudaFree(results));
	fields<T, SHIFTS - 1>::apply(value, expected);
	CHECK(memcmp(got, expected, sizeof got) == 0);
}

static void check_asked_for_field()
{
	long long result = 0, *device_result;
	SUCCEEDS(cudaMalloc(&device_result, sizeof result));
	asked_for_field<<<1, 1>>>(-1, device_result);
	SUCCEEDS(cudaMemcpy(&result, device_result, sizeof result, cudaMemcpyDeviceToHost));
	CHECK(result == 1);
}

int main()
{
	const int64_t values[] = {0, 5, -1, -5, INT64_MIN, 0x123456789abcdef0, -0x123456789abcdef0};
	for (int64_t value : values) {
		compare_fields<int64_t>(value);
		compare_fields<int32_t>((int32_t)value);
	}
	check_asked_for_field();
	compare<int8_t, int16_t>("int8_t to int16_t");
	compare<int8_t, int32_t>("int8_t to int32_t");
	compare<int8_t, int64_t>("int8_t to int64_t");
	compare<int16_t, int32_t>("int16_t to int32_t");
	compare<int16_t, int64_t>("int16_t to int64_t");
	compare<int32_t, int64_t>("int32_t to int64_t");
	compare<uint8_t, uint16_t>("uint8_t to uint16_t");
	compare<uint8_t, uint32_t>("uint8_t to uint32_t");
	compare<uint8_t, uint64_t>("uint8_t to uint64_t");
	compare<uint16_t, uint32_t>("uint16_t to uint32_t");
	compare<uint16_t, uint64_t>("uint16_t to uint64_t");
	compare<uint32_t, uint64_t>("uint32_t to uint64_t");
	check_asked_for();
	return finish();
}
