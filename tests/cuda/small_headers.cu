// Protects cuComplex.h against std::complex, on device and host, nvToolsExt.h's ranges, and names of objects.
#include "check.h"
#include <complex>
#include <cuComplex.h>
#include <nvToolsExt.h>
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtCuda.h>
#include <nvtx3/nvToolsExtCudaRt.h>

enum { RESULTS = 8 };

static __host__ __device__ void compute(cuDoubleComplex *out, cuFloatComplex *floats, cuDoubleComplex a,
                                        cuDoubleComplex b)
{
	cuFloatComplex x = cuComplexDoubleToFloat(a), y = cuComplexDoubleToFloat(b);
	out[0] = cuCadd(a, b);
	out[1] = cuCsub(a, b);
	out[2] = cuCmul(a, b);
	out[3] = cuCdiv(a, b);
	out[4] = cuConj(a);
	out[5] = make_cuDoubleComplex(cuCabs(a), cuCreal(b) + cuCimag(a));
	out[6] = cuCfma(a, b, a);
	out[7] = cuComplexFloatToDouble(make_cuComplex(2, 3));
	floats[0] = cuCaddf(x, y);
	floats[1] = cuCsubf(x, y);
	floats[2] = cuCmulf(x, y);
	floats[3] = cuCdivf(x, y);
	floats[4] = cuConjf(x);
	floats[5] = make_cuFloatComplex(cuCabsf(x), cuCrealf(y) + cuCimagf(x));
	floats[6] = cuCfmaf(x, y, x);
	floats[7] = make_cuFloatComplex(2, 3);
}

static __global__ void on_device(cuDoubleComplex *out, cuFloatComplex *floats, cuDoubleComplex a, cuDoubleComplex b)
{
	compute(out, floats, a, b);
}

static void compare(const cuDoubleComplex *out, const cuFloatComplex *floats, std::complex<double> a,
                    std::complex<double> b)
{
	const std::complex<double> right[RESULTS] = {
		a + b, a - b, a * b, a / b, std::conj(a), {std::abs(a), b.real() + a.imag()}, a * b + a, {2, 3}};
	for (int i = 0; i < RESULTS; i++) {
		CHECK(std::abs(std::complex<double>(out[i].x, out[i].y) - right[i]) <= 1e-14 * std::abs(right[i]));
		CHECK(std::abs(std::complex<double>(floats[i].x, floats[i].y) - right[i]) <= 2e-6 * std::abs(right[i]));
	}
}

static void test(std::complex<double> a, std::complex<double> b)
{
	cuDoubleComplex *device, out[RESULTS], x = make_cuDoubleComplex(a.real(), a.imag()),
					       y = make_cuDoubleComplex(b.real(), b.imag());
	cuFloatComplex *device_floats, floats[RESULTS];
	SUCCEEDS(cudaMalloc(&device, sizeof out));
	SUCCEEDS(cudaMalloc(&device_floats, sizeof floats));
	on_device<<<1, 1>>>(device, device_floats, x, y);
	SUCCEEDS(cudaMemcpy(out, device, sizeof out, cudaMemcpyDeviceToHost));
	SUCCEEDS(cudaMemcpy(floats, device_floats, sizeof floats, cudaMemcpyDeviceToHost));
	compare(out, floats, a, b);
	compute(out, floats, x, y);
	compare(out, floats, a, b);
	SUCCEEDS(cudaFree(device));
	SUCCEEDS(cudaFree(device_floats));
}

int main()
{
	nvtxEventAttributes_t attributes = {};
	attributes.version = NVTX_VERSION;
	attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
	CHECK(sizeof attributes == 48);
	attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
	attributes.message.ascii = "complex";
	nvtxRangePushEx(&attributes);
	nvtxRangeId_t range = nvtxRangeStart("all");
	test({1, 2}, {3, -4});
	test({-0.125, 7}, {1e-3, 5e-3});
	test({1, 2}, {-2e25, 1e25}); // whose squares overflow float
	nvtxMark("done");
	nvtxNameCudaStream(nullptr, "a name");
	nvtxNameCuDevice(0, "a name");
	nvtxRangeEnd(range);
	CHECK(nvtxRangePop() == 0);
	CHECK(nvtxRangePop() < 0);
	return finish();
}
