/* cutil_inline.h: checks and device selection, with the names of the GPU Computing SDK of CUDA 3 and 4. */
#ifndef CUTIL_INLINE_H
#define CUTIL_INLINE_H

#include "cutil.h"

#define cutilSafeCall(call)             CUDA_SAFE_CALL(call)
#define cutilSafeCallNoSync(call)       CUDA_SAFE_CALL(call)
#define cutilSafeThreadSync()           CUDA_SAFE_THREAD_SYNC()
#define cutilDeviceSynchronize()        CUDA_SAFE_THREAD_SYNC()
#define cutilCheckError(call)           CUT_SAFE_CALL(call)
#define cutilCheckMsg(message)          cut_check_cuda(cudaGetLastError(), message, __FILE__, __LINE__)
#define cutilCheckMsgAndSync(message)   (cutilCheckMsg(message), CUDA_SAFE_THREAD_SYNC())
#define cutilSafeMalloc(call)           CUT_SAFE_MALLOC(call)
#define cutilCondition(condition)       CUT_CONDITION(condition)
#define cutilBankChecker(array, index)  CUT_BANK_CHECKER(array, index)
#define cutilDeviceInit(argc, argv)     cut_choose_device()
#define cutilChooseCudaDevice(argc, argv) cut_choose_device()
#define cutilDeviceReset()              CUDA_SAFE_CALL(cudaDeviceReset())
#define cutilExit(argc, argv)           CUT_EXIT(argc, argv)
#define cutilExitSuccess(argc, argv)    CUT_EXIT(argc, argv)
#define cutGetMaxGflopsDeviceId()       0
#define cutilGetLastError(message)      cutilCheckMsg(message)

static inline int cut_choose_device(void)
{
	CUDA_SAFE_CALL(cudaSetDevice(0)); /* the only device */
	return 0;
}

#endif
