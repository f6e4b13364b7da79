/* The output of nvcc about itself, in the format that scripts and CMake parse (CMakeDetermineCUDACompiler,
 * FindCUDAToolkit). */
#include "cli/cc/cc.h"

#include <stdio.h>
#include <stdlib.h>

void cc_print_version(const struct cc *cc)
{
	const char *release = cc_cuda_release(cc->cuda);
	printf("nvcc: NVIDIA (R) Cuda compiler driver's place taken by Sluice %s: clang, Sluice's headers and runtime\n"
	       "Cuda compilation tools, release %s, V%s.0\n"
	       "Build sluice_%s.r%s\n",
	       sluice_version(), release, release, sluice_version(), release);
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
