/* cuda_bf16: 16-bit numbers that are the upper half of a float, and pairs of them, on the host and on the device.
 *
 * Arithmetic uses float and rounds as CUDA does (sluice/half/rounding.h).
 */
#ifndef __CUDA_BF16_H__
#define __CUDA_BF16_H__

#include "sluice/macros_off.h"

#if defined(__cplusplus)

#include "cuda_runtime.h"
#include "sluice/half/rounding.h"

#define SLUICE_T      __nv_bfloat16
#define SLUICE_T2     __nv_bfloat162
#define SLUICE_RAW    __nv_bfloat16_raw
#define SLUICE_RAW2   __nv_bfloat162_raw
#define SLUICE_WORD   bfloat16
#define SLUICE_FORMAT sluice::half::bf16
/* the first architectures whose `atom.add` supports the type and pairs of it */
#define SLUICE_ATOM_TYPE   "bf16"
#define SLUICE_ATOM_SINGLE 900
#define SLUICE_ATOM_PAIR   900
#if defined(__CUDA_NO_BFLOAT16_CONVERSIONS__)
#define SLUICE_NO_CONVERSIONS
#endif
#if defined(__CUDA_NO_BFLOAT16_OPERATORS__)
#define SLUICE_NO_OPERATORS
#endif
#if defined(__CUDA_NO_BFLOAT162_OPERATORS__)
#define SLUICE_NO_PAIR_OPERATORS
#endif
#include "sluice/half/type.inc"
#include "sluice/half/arithmetic.inc"
#include "sluice/half/functions.inc"
#include "sluice/half/end.inc"

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

#define CUDART_INF_BF16        __ushort_as_bfloat16((unsigned short)0x7f80)
#define CUDART_NAN_BF16        __ushort_as_bfloat16((unsigned short)0x7fff)
#define CUDART_MIN_DENORM_BF16 __ushort_as_bfloat16((unsigned short)0x0001)
#define CUDART_MAX_NORMAL_BF16 __ushort_as_bfloat16((unsigned short)0x7f7f)
#define CUDART_NEG_ZERO_BF16   __ushort_as_bfloat16((unsigned short)0x8000)
#define CUDART_ZERO_BF16       __ushort_as_bfloat16((unsigned short)0x0000)
#define CUDART_ONE_BF16        __ushort_as_bfloat16((unsigned short)0x3f80)

#endif

#include "sluice/macros_on.h"

#endif
