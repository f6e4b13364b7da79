// parallel: the building blocks of generate.py's kernels, on the device and in order on the host.
//
// A kernel is a sequence of steps. A `local` step is a function of one thread, with the same text on both sides. In all
// other steps threads exchange values. Each such step is written twice: as CUDA's operation on the device, and on the
// host as a loop over all threads of the block that defines the operation's meaning.
#ifndef PARALLEL_H
#define PARALLEL_H

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <type_traits>

#ifdef __CUDACC__
#define BOTH       __host__ __device__
#define OUTLINED   __host__ __device__ __attribute__((noinline))
#else
#define BOTH
#define OUTLINED __attribute__((noinline))
#endif

enum { WARP = 32, TABLE = 64, COUNTERS = 8 };

struct Thread { // its variables
	int32_t i[2];
	uint32_t u[2];
	int64_t l[2];
	uint64_t q[2];
	float f[2];
	double d[2];
};

// Data that all threads read and counters that they update.
struct Input {
	uint8_t bytes[TABLE];
	int16_t shorts[TABLE];
	uint32_t words[TABLE];
	double doubles[TABLE];
};

// --- arithmetic without undefined behavior ---

template <typename T> BOTH T add(T a, T b)
{
	typedef typename std::make_unsigned<T>::type U;
	return (T)((U)a + (U)b);
}
template <typename T> BOTH T subtract(T a, T b)
{
	typedef typename std::make_unsigned<T>::type U;
	return (T)((U)a - (U)b);
}
template <typename T> BOTH T multiply(T a, T b)
{
	typedef typename std::make_unsigned<T>::type U;
	return (T)((U)a * (U)b);
}
template <typename T> BOTH T divide(T a, T b)
{
	return a / (T)((b & 0xff) + 1);
}
template <typename T> BOTH T remainder_of(T a, T b)
{
	return a % (T)((b & 0xffff) + 1);
}
template <typename T> BOTH T shift_left(T a, uint32_t by)
{
	typedef typename std::make_unsigned<T>::type U;
	return (T)((U)a << (by % (8 * sizeof(T))));
}
template <typename T> BOTH T shift_right(T a, uint32_t by)
{
	return a >> (by % (8 * sizeof(T)));
}
// Converts a real number to an integer; values out of range give 0.
template <typename T> BOTH T whole(double value)
{
	return value > -1e9 && value < 1e9 ? (T)(int64_t)value : 0;
}

// --- steps in which threads exchange values ---

// Lanes of a warp that take part together: those with the same bits of `by`.
BOTH inline uint32_t members(uint32_t lane, uint32_t by)
{
	uint32_t mask = 0;
	for (uint32_t other = 0; other < WARP; other++)
		mask |= (uint32_t)((other & by) == (lane & by)) << other;
	return mask;
}

BOTH inline uint32_t lowest(uint32_t mask)
{
	uint32_t lane = 0;
	while (!(mask >> lane & 1))
		lane++;
	return lane;
}

// A member of the mask, selected by `which`.
BOTH inline uint32_t chosen(uint32_t mask, uint32_t which)
{
	uint32_t count = 0, lane = 0;
	for (uint32_t other = 0; other < WARP; other++)
		count += mask >> other & 1;
	for (which %= count; which || !(mask >> lane & 1); lane++)
		which -= mask >> lane & 1;
	return lane;
}

enum Vote { VOTE_ANY, VOTE_ALL, VOTE_BALLOT, VOTES };
enum Reduction { REDUCE_ADD, REDUCE_MIN, REDUCE_MAX, REDUCE_AND, REDUCE_OR, REDUCE_XOR, REDUCTIONS };

BOTH inline uint32_t reduce(uint32_t a, uint32_t b, int how)
{
	switch (how) {
	case REDUCE_ADD:
		return a + b;
	case REDUCE_MIN:
		return a < b ? a : b;
	case REDUCE_MAX:
		return a > b ? a : b;
	case REDUCE_AND:
		return a & b;
	case REDUCE_OR:
		return a | b;
	default:
		return a ^ b;
	}
}

#ifdef __CUDACC__

__device__ inline uint32_t vote(uint32_t mask, uint32_t value, int how)
{
	if (how == VOTE_BALLOT)
		return __ballot_sync(mask, value & 1);
	return how == VOTE_ANY ? __any_sync(mask, value & 1) : __all_sync(mask, value & 1);
}

__device__ inline void atomic(uint32_t *at, uint32_t value, int how)
{
	switch (how) {
	case REDUCE_ADD:
		atomicAdd(at, value);
		break;
	case REDUCE_MIN:
		atomicMin(at, value);
		break;
	case REDUCE_MAX:
		atomicMax(at, value);
		break;
	case REDUCE_AND:
		atomicAnd(at, value);
		break;
	case REDUCE_OR:
		atomicOr(at, value);
		break;
	default:
		atomicXor(at, value);
	}
}

#else

// A value for each thread of a block, before and after a step.
template <typename T> struct Row {
	const T *before;
	T *after;
	uint32_t threads;
};

inline uint32_t vote_of(const uint32_t *value, uint32_t warp, uint32_t mask, int how)
{
	uint32_t ballot = 0;
	for (uint32_t lane = 0; lane < WARP; lane++)
		ballot |= (mask >> lane & 1 & value[warp + lane]) << lane;
	if (how == VOTE_BALLOT)
		return ballot;
	return how == VOTE_ANY ? ballot != 0 : ballot == mask;
}

#endif

#endif
