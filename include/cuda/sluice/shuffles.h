/* shuffles: reads a value from another lane of the warp, for every type that CUDA supports.
 *
 * They replace clang-14's versions, whose forms for unsigned long long call themselves endlessly. The compiler treats
 * that as unreachable code and removes the kernel.
 */
#ifndef SLUICE_CUDA_SHUFFLES_H
#define SLUICE_CUDA_SHUFFLES_H

#define SLUICE_SHUFFLE static __device__ __forceinline__

/* `as` converts a 32-bit type to int, `back` converts int to the type. */
#define SLUICE_SHUFFLE_32(type, as, back, name, builtin, parameters, arguments, lane, last)                            \
	SLUICE_SHUFFLE type name(SLUICE_UNPAREN parameters type value, lane source, int width = warpSize)              \
	{                                                                                                              \
		return back(builtin(SLUICE_UNPAREN arguments as(value), (int)source, (warpSize - width) << 8 | last)); \
	}
/* Shuffles both halves of a 64-bit type. `as` converts it to unsigned long long, `back` converts back. */
#define SLUICE_SHUFFLE_64(type, as, back, name, builtin, parameters, arguments, lane, last)                            \
	SLUICE_SHUFFLE type name(SLUICE_UNPAREN parameters type value, lane source, int width = warpSize)              \
	{                                                                                                              \
		unsigned long long bits = (unsigned long long)as(value);                                               \
		int clamp = (warpSize - width) << 8 | last;                                                            \
		unsigned int low = (unsigned int)builtin(SLUICE_UNPAREN arguments(int) bits, (int)source, clamp);      \
		unsigned int high =                                                                                    \
			(unsigned int)builtin(SLUICE_UNPAREN arguments(int)(bits >> 32), (int)source, clamp);          \
		return back((long long)((unsigned long long)high << 32 | low));                                        \
	}
#define SLUICE_UNPAREN(...) __VA_ARGS__

/* `last`: the last lane of a segment; for "up" the first lane. */
#define SLUICE_SHUFFLES(...)                                                                                           \
	SLUICE_SHUFFLE_32(int, , , __VA_ARGS__)                                                                        \
	SLUICE_SHUFFLE_32(unsigned int, (int), (unsigned int), __VA_ARGS__)                                            \
	SLUICE_SHUFFLE_32(float, __float_as_int, __int_as_float, __VA_ARGS__)                                          \
	SLUICE_SHUFFLE_64(long, , (long), __VA_ARGS__)                                                                 \
	SLUICE_SHUFFLE_64(unsigned long, , (unsigned long), __VA_ARGS__)                                               \
	SLUICE_SHUFFLE_64(long long, , , __VA_ARGS__)                                                                  \
	SLUICE_SHUFFLE_64(unsigned long long, , (unsigned long long), __VA_ARGS__)                                     \
	SLUICE_SHUFFLE_64(double, __double_as_longlong, __longlong_as_double, __VA_ARGS__)

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 300
SLUICE_SHUFFLES(__shfl_sync, __nvvm_shfl_sync_idx_i32, (unsigned int mask, ), (mask, ), int, 0x1f)
SLUICE_SHUFFLES(__shfl_up_sync, __nvvm_shfl_sync_up_i32, (unsigned int mask, ), (mask, ), unsigned int, 0)
SLUICE_SHUFFLES(__shfl_down_sync, __nvvm_shfl_sync_down_i32, (unsigned int mask, ), (mask, ), unsigned int, 0x1f)
SLUICE_SHUFFLES(__shfl_xor_sync, __nvvm_shfl_sync_bfly_i32, (unsigned int mask, ), (mask, ), int, 0x1f)
#endif

/* The old names without a mask. Architectures from sm_70 on have no instruction for them. There the active lanes take
 * part, as programs of that time expect. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700
SLUICE_SHUFFLES(__shfl, __nvvm_shfl_sync_idx_i32, (), (__activemask(), ), int, 0x1f)
SLUICE_SHUFFLES(__shfl_up, __nvvm_shfl_sync_up_i32, (), (__activemask(), ), unsigned int, 0)
SLUICE_SHUFFLES(__shfl_down, __nvvm_shfl_sync_down_i32, (), (__activemask(), ), unsigned int, 0x1f)
SLUICE_SHUFFLES(__shfl_xor, __nvvm_shfl_sync_bfly_i32, (), (__activemask(), ), int, 0x1f)
#elif !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 300
SLUICE_SHUFFLES(__shfl, __nvvm_shfl_idx_i32, (), (), int, 0x1f)
SLUICE_SHUFFLES(__shfl_up, __nvvm_shfl_up_i32, (), (), unsigned int, 0)
SLUICE_SHUFFLES(__shfl_down, __nvvm_shfl_down_i32, (), (), unsigned int, 0x1f)
SLUICE_SHUFFLES(__shfl_xor, __nvvm_shfl_bfly_i32, (), (), int, 0x1f)
#endif

#undef SLUICE_SHUFFLES
#undef SLUICE_SHUFFLE_32
#undef SLUICE_SHUFFLE_64
#undef SLUICE_UNPAREN
#undef SLUICE_SHUFFLE

#endif
