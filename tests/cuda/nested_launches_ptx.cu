// Protects device-side launches in PTX: both versions of CUDA's calls, and their names with per-thread streams. A
// kernel that calls an undefined function is refused by that name; the others run.
#include "check.h"
#include <cuda.h>

static const char ptx[] =
	".version 7.0\n.target sm_70\n.address_size 64\n"
	".extern .func (.param .b64 r) cudaGetParameterBuffer_ptsz(.param .b64 alignment, .param .b64 size);\n"
	".extern .func (.param .b32 r) cudaLaunchDevice(.param .b64 function, .param .b64 buffer,\n"
	"	.param .align 4 .b8 grid[12], .param .align 4 .b8 block[12], .param .b32 shared, .param .b64 stream);\n"
	".extern .func (.param .b64 r) cudaGetParameterBufferV2(.param .b64 function, .param .align 4 .b8 grid[12],\n"
	"	.param .align 4 .b8 block[12], .param .b32 shared);\n"
	".extern .func (.param .b32 r) cudaLaunchDeviceV2_ptsz(.param .b64 buffer, .param .b64 stream);\n"
	".extern .func (.param .b32 r) cudaFuncGetAttributes(.param .b64 of, .param .b64 function);\n"
	// to[block] += value * threads of the block; to[4]: bytes of dynamic shared memory
	".visible .entry child(.param .u64 to, .param .u32 value)\n{\n"
	"	.reg .b64 %d<4>;\n	.reg .b32 %r<4>;\n"
	"	ld.param.u64 %d1, [to];\n	ld.param.u32 %r1, [value];\n	mov.u32 %r2, %ctaid.x;\n"
	"	mov.u32 %r3, %dynamic_smem_size;\n	st.global.u32 [%d1+16], %r3;\n"
	"	mul.wide.u32 %d2, %r2, 4;\n	add.u64 %d1, %d1, %d2;\n	red.global.add.u32 [%d1], %r1;\n"
	"	ret;\n}\n"
	".visible .entry first(.param .u64 to)\n{\n"
	"	.reg .b64 %d<4>;\n	.reg .b32 %r<4>;\n"
	"	.param .b64 p0;\n	.param .b64 p1;\n	.param .b64 buffer;\n"
	"	st.param.b64 [p0], 8;\n	st.param.b64 [p1], 12;\n"
	"	call.uni (buffer), cudaGetParameterBuffer_ptsz, (p0, p1);\n	ld.param.b64 %d1, [buffer];\n"
	"	ld.param.u64 %d2, [to];\n	st.u64 [%d1], %d2;\n	st.u32 [%d1+8], 5;\n"
	"	.param .b64 f;\n	.param .b64 b;\n	.param .align 4 .b8 grid[12];\n"
	"	.param .align 4 .b8 block[12];\n	.param .b32 shared;\n	.param .b64 stream;\n	.param .b32 error;\n"
	"	mov.u64 %d3, child;\n	st.param.b64 [f], %d3;\n	st.param.b64 [b], %d1;\n"
	"	st.param.b32 [grid], 2;\n	st.param.b32 [grid+4], 1;\n	st.param.b32 [grid+8], 1;\n"
	"	st.param.b32 [block], 3;\n	st.param.b32 [block+4], 1;\n	st.param.b32 [block+8], 2;\n"
	"	st.param.b32 [shared], 640;\n	st.param.b64 [stream], 0;\n"
	"	call.uni (error), cudaLaunchDevice, (f, b, grid, block, shared, stream);\n"
	"	ld.param.b32 %r1, [error];\n	st.global.u32 [%d2+12], %r1;\n	ret;\n}\n"
	".visible .entry second(.param .u64 to)\n{\n"
	"	.reg .b64 %d<4>;\n	.reg .b32 %r<4>;\n"
	"	.param .b64 f;\n	.param .align 4 .b8 grid[12];\n	.param .align 4 .b8 block[12];\n"
	"	.param .b32 shared;\n	.param .b64 buffer;\n	.param .b64 b;\n	.param .b64 stream;\n"
	"	.param .b32 error;\n"
	"	mov.u64 %d3, child;\n	st.param.b64 [f], %d3;\n"
	"	st.param.b32 [grid], 1;\n	st.param.b32 [grid+4], 1;\n	st.param.b32 [grid+8], 1;\n"
	"	st.param.b32 [block], 7;\n	st.param.b32 [block+4], 1;\n	st.param.b32 [block+8], 1;\n"
	"	st.param.b32 [shared], 96;\n"
	"	call.uni (buffer), cudaGetParameterBufferV2, (f, grid, block, shared);\n"
	"	ld.param.b64 %d1, [buffer];\n	ld.param.u64 %d2, [to];\n	st.u64 [%d1], %d2;\n"
	"	st.u32 [%d1+8], 1;\n	st.param.b64 [b], %d1;\n	st.param.b64 [stream], 0;\n"
	"	call.uni (error), cudaLaunchDeviceV2_ptsz, (b, stream);\n"
	"	ld.param.b32 %r1, [error];\n	st.global.u32 [%d2+12], %r1;\n	ret;\n}\n"
	".visible .entry refused(.param .u64 to)\n{\n"
	"	.param .b64 of;\n	.param .b64 function;\n	.param .b32 error;\n"
	"	st.param.b64 [of], 0;\n	st.param.b64 [function], 0;\n"
	"	call.uni (error), cudaFuncGetAttributes, (of, function);\n	ret;\n}\n";

static CUmodule module;
static CUdeviceptr data;

static CUresult launch(const char *name)
{
	CUfunction function;
	void *arguments[] = {&data};
	CHECK(cuModuleGetFunction(&function, module, name) == CUDA_SUCCESS);
	CHECK(cuMemsetD32(data, 0, 3) == CUDA_SUCCESS && cuMemsetD32(data + 12, 99, 1) == CUDA_SUCCESS);
	return cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL);
}

static void check(unsigned zero, unsigned one, unsigned shared)
{
	unsigned host[5];
	CHECK(cuMemcpyDtoH(host, data, sizeof host) == CUDA_SUCCESS);
	CHECK(host[0] == zero && host[1] == one && host[2] == 0 && host[3] == 0 && host[4] == shared);
}

int main()
{
	CHECK(cuInit(0) == CUDA_SUCCESS && cuMemAlloc(&data, 20) == CUDA_SUCCESS);
	CHECK(cuModuleLoadData(&module, ptx) == CUDA_SUCCESS);
	CHECK(launch("first") == CUDA_SUCCESS);
	check(30, 30, 640);
	CHECK(launch("refused") == CUDA_ERROR_INVALID_PTX);
	CHECK(launch("second") == CUDA_SUCCESS);
	check(7, 0, 96);
	return finish();
}
