/* cuda_fp16: 16-bit numbers in IEEE format and pairs of them, on the host and on the device.
 *
 * Arithmetic uses float and rounds as CUDA does (sluice/half/rounding.h). Conversions on the device are instructions.
 */
#ifndef __CUDA_FP16_H__
#define __CUDA_FP16_H__

#include "sluice/macros_off.h"

#if defined(__cplusplus)

#include "cuda_runtime.h"
#include "sluice/half/rounding.h"

#define SLUICE_T      __half
#define SLUICE_T2     __half2
#define SLUICE_RAW    __half_raw
#define SLUICE_RAW2   __half2_raw
#define SLUICE_WORD   half
#define SLUICE_FORMAT sluice::half::f16
/* the first architectures whose `atom.add` supports the type and pairs of it */
#define SLUICE_ATOM_TYPE   "f16"
#define SLUICE_ATOM_SINGLE 700
#define SLUICE_ATOM_PAIR   600
#if defined(__CUDA_NO_HALF_CONVERSIONS__)
#define SLUICE_NO_CONVERSIONS
#endif
#if defined(__CUDA_NO_HALF_OPERATORS__)
#define SLUICE_NO_OPERATORS
#endif
#if defined(__CUDA_NO_HALF2_OPERATORS__)
#define SLUICE_NO_PAIR_OPERATORS
#endif
#include "sluice/half/type.inc"
#include "sluice/half/arithmetic.inc"
#include "sluice/half/functions.inc"
#include "sluice/half/end.inc"

#if !defined(CUDA_NO_HALF)
typedef __half half;
typedef __half2 half2;
#endif
typedef __half nv_half;
typedef __half2 nv_half2;

#define CUDART_INF_FP16        __ushort_as_half((unsigned short)0x7c00)
#define CUDART_NAN_FP16        __ushort_as_half((unsigned short)0x7fff)
#define CUDART_MIN_DENORM_FP16 __ushort_as_half((unsigned short)0x0001)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half((unsigned short)0x7bff)
#define CUDART_NEG_ZERO_FP16   __ushort_as_half((unsigned short)0x8000)
#define CUDART_ZERO_FP16       __ushort_as_half((unsigned short)0x0000)
#define CUDART_ONE_FP16        __ushort_as_half((unsigned short)0x3c00)

#endif

#include "sluice/macros_on.h"

#endif
