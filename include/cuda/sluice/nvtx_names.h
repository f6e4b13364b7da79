/* nvtx_names: functions of NVTX that name objects of one API, without effect. The including header defines
 * SLUICE_NVTX_NAMED(N), which calls N(object, type) for each of its objects. */
#pragma GCC system_header /* the functions do not use their parameters */

#if defined(__CUDA__)
#define SLUICE_NVTX_NAME(object, type, letter, character)                                                              \
	static inline __attribute__((host)) __attribute__((unused)) void nvtxName##object##letter(                     \
		type handle, const character *text)                                                                    \
	{                                                                                                              \
	}
#else
#define SLUICE_NVTX_NAME(object, type, letter, character)                                                              \
	static inline __attribute__((unused)) void nvtxName##object##letter(type handle, const character *text)        \
	{                                                                                                              \
	}
#endif
#define SLUICE_NVTX_NAMES(object, type)                                                                                \
	SLUICE_NVTX_NAME(object, type, A, char)                                                                        \
	SLUICE_NVTX_NAME(object, type, W, wchar_t)
SLUICE_NVTX_NAMED(SLUICE_NVTX_NAMES)
#undef SLUICE_NVTX_NAMES
#undef SLUICE_NVTX_NAME
#undef SLUICE_NVTX_NAMED
