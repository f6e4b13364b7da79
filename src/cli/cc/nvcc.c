/* The output of nvcc about itself, in the format that scripts and CMake parse (CMakeDetermineCUDACompiler,
 * FindCUDAToolkit). */
#include "cli/cc/cc.h"

#include <stdio.h>
#include <stdlib.h>

/* The CUDA version that our headers implement (include/cuda/cuda.h). */
#define CUDA_RELEASE      "11.5"
#define CUDA_VERSION_TEXT CUDA_RELEASE ".0"

void cc_print_version(void)
{
	printf("nvcc: NVIDIA (R) Cuda compiler driver's place taken by Sluice %s: clang, Sluice's headers and runtime\n"
	       "Cuda compilation tools, release " CUDA_RELEASE ", V" CUDA_VERSION_TEXT "\n"
	       "Build sluice_%s.r" CUDA_RELEASE "\n",
	       sluice_version(), sluice_version());
}

void cc_print_variables(struct cc *cc)
{
	const char *toolkit = cc->toolkit, *path = getenv("PATH");
	fprintf(stderr,
	        "#$ _SPACE_= \n"
	        "#$ _CUDART_=cudart\n"
	        "#$ _HERE_=%s/bin\n"
	        "#$ _THERE_=%s/bin\n"
	        "#$ _TARGET_SIZE_=\n"
	        "#$ _TARGET_DIR_=\n"
	        "#$ TOP=%s/bin/..\n"
	        "#$ NVVMIR_LIBRARY_DIR=%s/bin/../nvvm/libdevice\n"
	        "#$ PATH=%s/bin:%s\n"
	        "#$ INCLUDES=\"-I%s/include\"\n"
	        "#$ LIBRARIES=  -L%s/lib64\n"
	        "#$ CICC_FLAGS=-arch compute_%u\n",
	        toolkit, toolkit, toolkit, toolkit, toolkit, path ? path : "", toolkit, toolkit,
	        cc->architecture ? cc->architecture : CC_DEFAULT_ARCHITECTURE);
}
