/* cuda: version and the few types of the driver API that programs and clang's own headers name. */
#ifndef __cuda_cuda_h__
#define __cuda_cuda_h__

#include <stdint.h>

#define CUDA_VERSION 11050

typedef uint32_t cuuint32_t;
typedef uint64_t cuuint64_t;
typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;

#endif
