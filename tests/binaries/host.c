/* The host part of a program in the form that nvcc emits, written by hand. VERSION (11, 12, 13) is the CUDA version it
 * was linked for, and CONTAINER is its fat binary. It prints the kernel's sum and fails if a returned struct does not
 * have its version's layout. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
	unsigned x, y, z;
} dim3;

void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int limit, void *tid,
                            void *bid, void *bdim, void *gdim, int *warp);
void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int is_extern, size_t size,
                       int is_constant, int is_global);
int cudaMalloc(void **pointer, size_t size);
int cudaMemset(void *pointer, int value, size_t size);
int cudaMemcpy(void *to, const void *from, size_t size, int kind);
int cudaMemcpyFromSymbol(void *to, const void *symbol, size_t size, size_t offset, int kind);
int cudaDeviceSynchronize(void);
int cudaGetLastError(void);
int cudaDeviceGetAttribute(int *value, int attribute, int device);
int cudaFuncGetAttributes(void *attributes, const void *function);
int cudaPointerGetAttributes(void *attributes, const void *pointer);
#if VERSION == 12
#define cudaGetDeviceProperties cudaGetDeviceProperties_v2
#endif
int cudaGetDeviceProperties(void *properties, int device);
#if VERSION == 13
char __cudaInitModule(void **handle);
int __cudaGetKernel(void **kernel, const void *function);
int __cudaLaunchKernel(void *kernel, dim3 grid, dim3 block, void **arguments, size_t shared, void *stream);
int __cudaLaunchKernel_ptsz(void *kernel, dim3 grid, dim3 block, void **arguments, size_t shared, void *stream);
#else
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, void *stream);
int __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream);
int cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **arguments, size_t shared, void *stream);
#endif

__asm__(".section .nv_fatbin, \"a\"\n"
        ".balign 8\n"
        "first_code: .incbin \"first.bin\"\n"
        ".balign 8\n"
        "device_code: .incbin \"" CONTAINER "\"\n"
        "code_end: .byte 0\n"
        ".previous");
extern const char first_code[], device_code[], code_end[];

struct wrapper {
	int magic, version;
	const void *data;
	void *unused;
};
static struct wrapper wrappers[] __attribute__((section(".nvFatBinSegment"))) = {{0x466243b1, 1, first_code, NULL},
                                                                                 {0x466243b1, 1, device_code, NULL}};
static void **handles[2];
static int counter; /* the host's shadow of the device variable */

static void add(int *p, int n);

__attribute__((constructor)) static void register_all(void)
{
	handles[0] = __cudaRegisterFatBinary(&wrappers[0]);
	__cudaRegisterFatBinaryEnd(handles[0]);
#ifdef COPY_CODE
	/* text in ordinary heap memory */
	char *copy = calloc(1, (size_t)(code_end - device_code) + 1); /* as text it ends with a NUL */
	memcpy(copy, device_code, (size_t)(code_end - device_code));
	wrappers[1].data = copy;
#endif
	handles[1] = __cudaRegisterFatBinary(&wrappers[1]);
	__cudaRegisterFunction(handles[1], (const char *)add, (char *)"_Z3addPii", "_Z3addPii", -1, NULL, NULL, NULL,
	                       NULL, NULL);
	__cudaRegisterVar(handles[1], (char *)&counter, (char *)"counter", "counter", 0, 4, 0, 0);
	__cudaRegisterFatBinaryEnd(handles[1]);
}

__attribute__((destructor)) static void unregister_all(void)
{
	__cudaUnregisterFatBinary(handles[1]);
	__cudaUnregisterFatBinary(handles[0]);
}

static void launch(void **arguments, int by_thread)
{
	dim3 grid = {2, 1, 1}, block = {50, 1, 1};
#if VERSION == 13
	void *kernel;
	if (!__cudaInitModule(handles[1]) || __cudaGetKernel(&kernel, (const void *)add) != 0)
		exit(3);
	(by_thread ? __cudaLaunchKernel_ptsz : __cudaLaunchKernel)(kernel, grid, block, arguments, 0, NULL);
#else
	size_t shared;
	void *stream;
	(void)by_thread;
	__cudaPushCallConfiguration(grid, block, 0, NULL);
	__cudaPopCallConfiguration(&grid, &block, &shared, &stream);
	cudaLaunchKernel((const void *)add, grid, block, arguments, shared, stream);
#endif
}

static void add(int *p, int n)
{
	void *arguments[] = {&p, &n};
	launch(arguments, 0);
	launch(arguments, 1);
}

static void check(int is_true, const char *what)
{
	if (is_true)
		return;
	printf("wrong: %s\n", what);
	exit(2);
}

/* Exactly this version's number of bytes of a struct is written. */
static void check_layouts(void *device)
{
	static const size_t properties_bytes[] = {[11] = 728, [12] = 1032, [13] = 1008},
			    function_bytes[] = {[11] = 56, [12] = 144, [13] = 144},
			    pointer_bytes[] = {[11] = 24, [12] = 24, [13] = 88};
	static const size_t processors[] = {[11] = 388, [12] = 388, [13] = 384},
			    major[] = {[11] = 360, [12] = 360, [13] = 360},
			    bus[] = {[11] = 612, [12] = 612, [13] = 592};
	static unsigned char room[2048];
	int value;
	memset(room, 0xaa, sizeof room);
	check(cudaGetDeviceProperties(room, 0) == 0, "cudaGetDeviceProperties");
	check(room[properties_bytes[VERSION]] == 0xaa && room[properties_bytes[VERSION] - 1] != 0xaa,
	      "size of cudaDeviceProp");
	check(strncmp((char *)room, "Sluice", 6) == 0, "name");
	memcpy(&value, room + processors[VERSION], 4);
	check(value == 15, "multiProcessorCount");
	memcpy(&value, room + major[VERSION], 4);
	check(value == 2, "major");
	memcpy(&value, room + bus[VERSION], 4);
	check(value == 384, "memoryBusWidth");
	memset(room, 0xaa, sizeof room);
	check(cudaFuncGetAttributes(room, (const void *)add) == 0, "cudaFuncGetAttributes");
	check(room[function_bytes[VERSION]] == 0xaa && room[function_bytes[VERSION] - 1] != 0xaa,
	      "size of cudaFuncAttributes");
	memset(room, 0xaa, sizeof room);
	check(cudaPointerGetAttributes(room, device) == 0, "cudaPointerGetAttributes");
	check(room[pointer_bytes[VERSION]] == 0xaa && room[pointer_bytes[VERSION] - 1] != 0xaa,
	      "size of cudaPointerAttributes");
	for (int attribute = 1; attribute <= 146; attribute++)
		check(cudaDeviceGetAttribute(&value, attribute, 0) == 0, "an attribute's number");
	static const int has[] = {15, 19, 40}; /* overlap, mapped memory, copy engines */
	for (size_t i = 0; i < sizeof has / sizeof *has; i++)
		check(cudaDeviceGetAttribute(&value, has[i], 0) == 0 && value == 1, "what a GTX 480 has");
}

int main(int argc, char **argv)
{
	int *p, h[100], sum = 0, count = 0;
	if (cudaMalloc((void **)&p, sizeof h) != 0)
		return 4;
	cudaMemset(p, 0, sizeof h);
	add(p, 100);
	if (argc > 1 && strcmp(argv[1], "careless") == 0)
		return 0;
	int error = cudaGetLastError();
	if (error) {
		printf("error %d\n", error);
		return argc > 1 ? 0 : 5;
	}
	cudaMemcpy(h, p, sizeof h, 2);
	for (int i = 0; i < 100; i++)
		sum += h[i];
	cudaMemcpyFromSymbol(&count, &counter, 4, 0, 2);
	check_layouts(p);
	printf("sum %d count %d\n", sum, count);
	return 0;
}
