// Protects cuBLASLt against plain loops on the host: types, orders by rows and columns, transpositions and batches.
// Also every epilogue with its auxiliary matrix, scales of 8-bit factors, and refusals of what no kernel computes.
// Numbers are small integers, so sums are exact; GELU's results may differ by rounding.
// Flags: -lcublasLt
#include "check.h"
#include <cmath>
#include <cublasLt.h>
#include <cuda_fp8.h>
#include <type_traits>
#include <vector>

#define WORKS(call) CHECK((call) == CUBLAS_STATUS_SUCCESS)

static cublasLtHandle_t handle;
static cudaStream_t stream;
static unsigned state = 1;

static int below(int limit)
{
	state = state * 1664525 + 1013904223;
	return (int)(state >> 16) % limit;
}

// A matrix of host and device: any order, with padding and a distance of batches.
template <typename T> struct matrix {
	int rows, columns, ld, count;
	bool by_rows;
	size_t stride;
	std::vector<T> host;
	T *device;
	cublasLtMatrixLayout_t layout;

	matrix(cudaDataType type, int rows, int columns, bool by_rows, int multiple, int count, bool nan = false)
	    : rows(rows), columns(columns), count(count), by_rows(by_rows)
	{
		int line = by_rows ? columns : rows, lines = by_rows ? rows : columns;
		ld = (line + below(3) * multiple + multiple - 1) / multiple * multiple;
		stride = (size_t)ld * lines + 16;
		host.resize(stride * count);
		for (T &x : host)
			x = (T)(float)(nan ? NAN : below(5) - 2);
		SUCCEEDS(cudaMalloc(&device, host.size() * sizeof(T)));
		SUCCEEDS(cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
		cublasLtOrder_t order = by_rows ? CUBLASLT_ORDER_ROW : CUBLASLT_ORDER_COL;
		int64_t offset = stride;
		WORKS(cublasLtMatrixLayoutCreate(&layout, type, rows, columns, ld));
		WORKS(cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_ORDER, &order, sizeof order));
		WORKS(cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count,
		                                       sizeof count));
		WORKS(cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &offset,
		                                       sizeof offset));
	}
	matrix(const matrix &) = delete;
	~matrix()
	{
		SUCCEEDS(cudaFree(device));
		WORKS(cublasLtMatrixLayoutDestroy(layout));
	}
	T &at(int number, int row, int column)
	{
		return host[number * stride + (by_rows ? (size_t)row * ld + column : (size_t)column * ld + row)];
	}
	float op(int number, cublasOperation_t t, int row, int column)
	{
		return (float)(t == CUBLAS_OP_N ? at(number, row, column) : at(number, column, row));
	}
	void fetch()
	{
		SUCCEEDS(cudaMemcpy(host.data(), device, host.size() * sizeof(T), cudaMemcpyDeviceToHost));
	}
};

struct description {
	cublasLtMatmulDesc_t desc;
	description(cublasComputeType_t compute, cudaDataType scale)
	{
		WORKS(cublasLtMatmulDescCreate(&desc, compute, scale));
	}
	~description()
	{
		WORKS(cublasLtMatmulDescDestroy(desc));
	}
	template <typename T> void set(cublasLtMatmulDescAttributes_t attribute, T value)
	{
		T got = {};
		size_t written = 0;
		WORKS(cublasLtMatmulDescSetAttribute(desc, attribute, &value, sizeof value));
		WORKS(cublasLtMatmulDescGetAttribute(desc, attribute, &got, sizeof got, &written));
		CHECK(got == value && written == sizeof value);
	}
};

// Runs a product with the algorithm that the heuristics answer.
template <typename A, typename B, typename C, typename D>
static cublasStatus_t run(description &d, const void *alpha, matrix<A> &a, matrix<B> &b, const void *beta, matrix<C> &c,
                          matrix<D> &to)
{
	cublasLtMatmulPreference_t preference;
	cublasLtMatmulHeuristicResult_t result;
	uint64_t workspace = 1 << 20;
	int found = -1;
	WORKS(cublasLtMatmulPreferenceCreate(&preference));
	WORKS(cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspace,
	                                           sizeof workspace));
	cublasStatus_t status = cublasLtMatmulAlgoGetHeuristic(handle, d.desc, a.layout, b.layout, c.layout, to.layout,
	                                                       preference, 1, &result, &found);
	WORKS(cublasLtMatmulPreferenceDestroy(preference));
	CHECK(found == (status == CUBLAS_STATUS_SUCCESS));
	cublasStatus_t ran =
		cublasLtMatmul(handle, d.desc, alpha, a.device, a.layout, b.device, b.layout, beta, c.device, c.layout,
	                       to.device, to.layout, found ? &result.algo : nullptr, nullptr, 0, stream);
	CHECK(ran == status);
	return ran;
}

template <typename T> static bool equal(T got, double expected, double slack = 0)
{
	double rounded = (double)(float)(T)(float)expected, size = std::fabs(rounded);
	return std::fabs((double)(float)got - rounded) <= slack * (size > 1 ? size : 1);
}

static double gelu(double x)
{
	return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
}

static double gelu_slope(double x)
{
	const double h = 1e-5;
	return (gelu(x + h) - gelu(x - h)) / (2 * h);
}

// Types, orders, transpositions, batches, scalars on the device, and beta 0 with NaN in C.
template <typename AB, typename C, typename Scale>
static void try_types(cublasComputeType_t compute, cudaDataType scale, cudaDataType ab, cudaDataType ct)
{
	for (int i = 0; i < 8; i++) {
		int m = 1 + below(70), n = 1 + below(70), k = 1 + below(70), count = 1 + below(3);
		cublasOperation_t ta = below(2) ? CUBLAS_OP_T : CUBLAS_OP_N, tb = below(2) ? CUBLAS_OP_T : CUBLAS_OP_N;
		bool nan = below(2) && !std::is_integral<C>::value, on_device = below(2), rows_d = below(2);
		matrix<AB> a(ab, ta ? k : m, ta ? m : k, below(2), 1, count),
			b(ab, tb ? n : k, tb ? k : n, below(2), 1, count);
		matrix<C> c(ct, m, n, rows_d, 1, count, nan), d(ct, m, n, rows_d, 1, count);
		Scale scalars[2] = {(Scale)2.0f, (Scale)(float)!nan}, *copies;
		SUCCEEDS(cudaMalloc(&copies, sizeof scalars));
		SUCCEEDS(cudaMemcpy(copies, scalars, sizeof scalars, cudaMemcpyHostToDevice));
		description by(compute, scale);
		by.set(CUBLASLT_MATMUL_DESC_TRANSA, (int32_t)ta);
		by.set(CUBLASLT_MATMUL_DESC_TRANSB, (int32_t)tb);
		by.set(CUBLASLT_MATMUL_DESC_POINTER_MODE, (int32_t)on_device);
		const Scale *from = on_device ? copies : scalars;
		WORKS(run(by, from, a, b, from + 1, c, d));
		std::vector<C> before = d.host;
		d.fetch();
		int wrong = 0;
		for (int z = 0; z < count; z++)
			for (int col = 0; col < n; col++)
				for (int row = 0; row < m; row++) {
					double sum = nan ? 0 : (double)(float)c.at(z, row, col);
					for (int l = 0; l < k; l++)
						sum += 2 * a.op(z, ta, row, l) * b.op(z, tb, l, col);
					if (std::is_same<C, signed char>::value)
						sum = sum < -128 ? -128 : sum > 127 ? 127 : sum;
					wrong += !equal(d.at(z, row, col), sum);
					d.at(z, row, col) = before[&d.at(z, row, col) - d.host.data()];
				}
		if (wrong)
			fprintf(stderr, "types %d %d, ops %d %d, %d x %d x %d: %d wrong\n", ab, ct, ta, tb, m, n, k,
			        wrong);
		CHECK(wrong == 0);
		CHECK(memcmp(before.data(), d.host.data(), before.size() * sizeof(C)) ==
		      0); // what lies between columns
		SUCCEEDS(cudaFree(copies));
	}
}

// One epilogue on one product. The host recomputes each step from the exact sums.
template <typename T> static void try_epilogue(cublasLtEpilogue_t kind, cudaDataType type, double slack)
{
	const int m = 50, n = 37, k = 20, ld_aux = 128, count = 2;
	bool relu = kind & 2, biased = kind & 4, drelu = kind & 8, sums_d = kind & 16, gelus = kind & 32,
	     dgelus = kind & 64;
	bool aux = kind & 128, mask = aux && (relu || drelu), sums_a = kind & 256, sums_b = kind & 512;
	matrix<T> a(type, m, k, false, 1, count), b(type, k, n, true, 1, count), c(type, m, n, false, 1, count);
	matrix<T> d(type, m, n, false, 1, count);
	matrix<T> bias(type, 64, 1, false, 1, count), saved(type, ld_aux, n, false, ld_aux, count);
	float alpha = 0.125f, beta = 0.5f;
	description by(CUBLAS_COMPUTE_32F, CUDA_R_32F);
	by.set(CUBLASLT_MATMUL_DESC_EPILOGUE, (uint32_t)kind);
	by.set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, (void *)bias.device);
	by.set(CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE, (int64_t)bias.stride);
	by.set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, (void *)saved.device);
	by.set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, (int64_t)saved.ld);
	by.set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE, (int64_t)(mask ? saved.ld * n : saved.stride));
	std::vector<T> old_aux = saved.host, old_bias = bias.host;
	WORKS(run(by, &alpha, a, b, &beta, c, d));
	d.fetch();
	saved.fetch();
	bias.fetch();
	const unsigned char *bits = (const unsigned char *)saved.host.data(),
			    *old_bits = (const unsigned char *)old_aux.data();
	int wrong = 0;
	for (int z = 0; z < count; z++) {
		std::vector<double> row_sums(m);
		for (int col = 0; col < n; col++)
			for (int row = 0; row < m; row++) {
				double x = 0.5 * (float)c.at(z, row, col);
				size_t bit = ((size_t)z * n + col) * saved.ld + row,
				       at = z * saved.stride + (size_t)col * saved.ld + row;
				for (int l = 0; l < k; l++)
					x += 0.125 * (float)a.at(z, row, l) * (float)b.at(z, l, col);
				x += biased ? (double)(float)old_bias[z * bias.stride + row] : 0;
				if (aux && relu)
					wrong += (bits[bit / 8] >> bit % 8 & 1) != (x > 0);
				if (aux && gelus)
					wrong += !equal(saved.host[at], x);
				x = relu && x < 0 ? 0 : gelus ? gelu(x) : x;
				x = drelu && !(old_bits[bit / 8] >> bit % 8 & 1) ? 0 : x;
				x *= dgelus ? gelu_slope((float)old_aux[at]) : 1;
				wrong += !equal(d.at(z, row, col), x, slack);
				row_sums[row] += x;
			}
		for (int i = 0; i < (sums_b ? n : m) && (sums_a || sums_b || sums_d); i++) {
			double sum = sums_d ? row_sums[i] : 0;
			for (int l = 0; l < k && !sums_d; l++)
				sum += (float)(sums_a ? a.at(z, i, l) : b.at(z, l, i));
			wrong += !equal(bias.host[z * bias.stride + i], sum, sums_d ? 4 * slack : 0);
		}
	}
	if (wrong)
		fprintf(stderr, "epilogue %d of type %d: %d wrong\n", kind, type, wrong);
	CHECK(wrong == 0);
}

template <typename T> static void try_epilogues(cudaDataType type, double slack)
{
	const cublasLtEpilogue_t exact[] = {
		CUBLASLT_EPILOGUE_DEFAULT, CUBLASLT_EPILOGUE_RELU,      CUBLASLT_EPILOGUE_RELU_AUX,
		CUBLASLT_EPILOGUE_BIAS,    CUBLASLT_EPILOGUE_RELU_BIAS, CUBLASLT_EPILOGUE_RELU_AUX_BIAS,
		CUBLASLT_EPILOGUE_DRELU,   CUBLASLT_EPILOGUE_BGRADA,    CUBLASLT_EPILOGUE_BGRADB};
	const cublasLtEpilogue_t rounded[] = {CUBLASLT_EPILOGUE_GELU,       CUBLASLT_EPILOGUE_GELU_AUX,
	                                      CUBLASLT_EPILOGUE_GELU_BIAS,  CUBLASLT_EPILOGUE_GELU_AUX_BIAS,
	                                      CUBLASLT_EPILOGUE_DGELU,      CUBLASLT_EPILOGUE_DGELU_BGRAD,
	                                      CUBLASLT_EPILOGUE_DRELU_BGRAD};
	for (cublasLtEpilogue_t kind : exact)
		try_epilogue<T>(kind, type, 0);
	for (cublasLtEpilogue_t kind : rounded)
		try_epilogue<T>(kind, type, slack);
}

// 8-bit factors with scales; D of 8 bits is scaled, and the largest magnitude before that is returned.
template <typename A, typename B, typename C, typename D>
static void try_fp8(cudaDataType at, cudaDataType bt, cudaDataType ct, cudaDataType dt)
{
	const int m = 48, n = 33, k = 64;
	bool eight = sizeof(D) == 1;
	matrix<A> a(at, k, m, false, 16, 1);
	matrix<B> b(bt, k, n, false, 16, 1);
	matrix<C> c(ct, m, n, false, 16, 1);
	matrix<D> d(dt, m, n, false, 16, 1);
	float host[5] = {2, 0.5f, 0.25f, -1, 0}, alpha = 1, beta = 2, *scales;
	SUCCEEDS(cudaMalloc(&scales, sizeof host));
	SUCCEEDS(cudaMemcpy(scales, host, sizeof host, cudaMemcpyHostToDevice));
	description by(CUBLAS_COMPUTE_32F, CUDA_R_32F);
	by.set(CUBLASLT_MATMUL_DESC_TRANSA, (int32_t)CUBLAS_OP_T);
	by.set(CUBLASLT_MATMUL_DESC_FAST_ACCUM, (int8_t)1);
	by.set(CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, (void *)scales);
	by.set(CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, (void *)(scales + 1));
	if (eight) {
		by.set(CUBLASLT_MATMUL_DESC_D_SCALE_POINTER, (void *)(scales + 2));
		by.set(CUBLASLT_MATMUL_DESC_AMAX_D_POINTER, (void *)(scales + 3));
	}
	WORKS(run(by, &alpha, a, b, &beta, c, d));
	d.fetch();
	SUCCEEDS(cudaMemcpy(host, scales, sizeof host, cudaMemcpyDeviceToHost));
	double largest = 0;
	int wrong = 0;
	for (int col = 0; col < n; col++)
		for (int row = 0; row < m; row++) {
			double x = 2 * (float)c.at(0, row, col);
			for (int l = 0; l < k; l++)
				x += (float)a.at(0, l, row) * (float)b.at(0, l, col);
			largest = std::fabs(x) > largest ? std::fabs(x) : largest;
			wrong += !equal(d.at(0, row, col), eight ? x / 4 : x);
		}
	CHECK(wrong == 0 && host[3] == (eight ? (float)largest : -1));
	// The formats need whole 16 bytes and A transposed; a scale of D needs 8 bits.
	by.set(CUBLASLT_MATMUL_DESC_TRANSA, (int32_t)CUBLAS_OP_N);
	CHECK(run(by, &alpha, a, b, &beta, c, d) == CUBLAS_STATUS_NOT_SUPPORTED);
	by.set(CUBLASLT_MATMUL_DESC_TRANSA, (int32_t)CUBLAS_OP_T);
	by.set(CUBLASLT_MATMUL_DESC_C_SCALE_POINTER, (void *)scales);
	CHECK(run(by, &alpha, a, b, &beta, c, d) == CUBLAS_STATUS_NOT_SUPPORTED);
	SUCCEEDS(cudaFree(scales));
}

// Products that no kernel computes are refused, and D stays as it was.
static void try_refusals()
{
	matrix<float> a(CUDA_R_32F, 8, 8, false, 8, 1), d(CUDA_R_32F, 8, 8, false, 8, 1),
		rows(CUDA_R_32F, 8, 8, true, 8, 1);
	matrix<float> many(CUDA_R_32F, 8, 8, false, 8, 2), other(CUDA_R_32F, 9, 8, false, 1, 1);
	matrix<__half> halves(CUDA_R_16F, 8, 8, false, 8, 1);
	float one = 1;
	auto refused = [&](cublasLtMatmulDescAttributes_t attribute, auto value) {
		description by(CUBLAS_COMPUTE_32F, CUDA_R_32F);
		by.set(attribute, value);
		return run(by, &one, a, a, &one, d, d) == CUBLAS_STATUS_NOT_SUPPORTED;
	};
	CHECK(refused(CUBLASLT_MATMUL_DESC_POINTER_MODE, (int32_t)CUBLASLT_POINTER_MODE_DEVICE_VECTOR));
	CHECK(refused(CUBLASLT_MATMUL_DESC_TRANSC, (int32_t)CUBLAS_OP_T));
	CHECK(refused(CUBLASLT_MATMUL_DESC_FILL_MODE, (int32_t)0));
	CHECK(refused(CUBLASLT_MATMUL_DESC_EPILOGUE, (uint32_t)12345));
	CHECK(refused(CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, (void *)a.device));
	CHECK(refused(CUBLASLT_MATMUL_DESC_AMAX_D_POINTER, (void *)a.device));
	CHECK(refused(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_SCALE_POINTER, (void *)a.device));
	CHECK(refused(CUBLASLT_MATMUL_DESC_A_SCALE_MODE, (int32_t)CUBLASLT_MATMUL_MATRIX_SCALE_VEC32_UE8M0));
	description by(CUBLAS_COMPUTE_32F, CUDA_R_32F), wide(CUBLAS_COMPUTE_64F, CUDA_R_64F);
	CHECK(run(wide, &one, a, a, &one, d, d) == CUBLAS_STATUS_NOT_SUPPORTED);
	CHECK(run(by, &one, a, halves, &one, d, d) == CUBLAS_STATUS_NOT_SUPPORTED);
	CHECK(run(by, &one, a, a, &one, rows, d) == CUBLAS_STATUS_NOT_SUPPORTED);
	CHECK(run(by, &one, many, a, &one, d, d) == CUBLAS_STATUS_INVALID_VALUE);
	CHECK(run(by, &one, other, a, &one, d, d) == CUBLAS_STATUS_INVALID_VALUE);
	by.set(CUBLASLT_MATMUL_DESC_EPILOGUE, (uint32_t)CUBLASLT_EPILOGUE_BIAS);
	CHECK(run(by, &one, rows, rows, &one, rows, rows) == CUBLAS_STATUS_NOT_SUPPORTED);
	int32_t kept = 0;
	CHECK(cublasLtMatmulDescSetAttribute(by.desc, (cublasLtMatmulDescAttributes_t)99, &kept, 4) ==
	      CUBLAS_STATUS_NOT_SUPPORTED);
	CHECK(cublasLtMatmulDescSetAttribute(by.desc, CUBLASLT_MATMUL_DESC_TRANSA, &kept, 8) ==
	      CUBLAS_STATUS_INVALID_VALUE);
	CHECK(cublasLtMatmul(nullptr, by.desc, &one, a.device, a.layout, a.device, a.layout, &one, d.device, d.layout,
	                     d.device, d.layout, nullptr, nullptr, 0, 0) == CUBLAS_STATUS_NOT_INITIALIZED);
	CHECK(cublasLtMatmul(handle, by.desc, &one, a.device, a.layout, a.device, a.layout, &one, d.device, d.layout,
	                     d.device, d.layout, nullptr, nullptr, 0, 0) == CUBLAS_STATUS_INVALID_VALUE); // no bias
	std::vector<float> before = d.host;
	d.fetch();
	CHECK(before == d.host);
}

static void try_algorithms()
{
	cublasLtMatmulDescOpaque_t own;
	cublasLtMatrixLayoutOpaque_t layout;
	cublasLtMatmulAlgo_t algo;
	cublasLtMatmulHeuristicResult_t result;
	int ids[2] = {-1, -1}, found = 0;
	const cudaDataType type = CUDA_R_16F;
	WORKS(cublasLtMatmulDescInit(&own, CUBLAS_COMPUTE_16F, type));
	WORKS(cublasLtMatrixLayoutInit(&layout, type, 64, 64, 64));
	WORKS(cublasLtMatmulAlgoGetIds(handle, CUBLAS_COMPUTE_16F, type, type, type, type, type, 2, ids, &found));
	CHECK(found == 1 && ids[0] == 0);
	WORKS(cublasLtMatmulAlgoInit(handle, CUBLAS_COMPUTE_16F, type, type, type, type, type, ids[0], &algo));
	WORKS(cublasLtMatmulAlgoCheck(handle, &own, &layout, &layout, &layout, &layout, &algo, &result));
	CHECK(result.state == CUBLAS_STATUS_SUCCESS && result.workspaceSize == 0 && result.wavesCount > 0);
	CHECK(cublasLtMatmulAlgoGetIds(handle, CUBLAS_COMPUTE_16F, type, type, type, type, CUDA_R_32F, 2, ids,
	                               &found) == CUBLAS_STATUS_NOT_SUPPORTED);
	CHECK(cublasLtGetVersion() == CUBLAS_VERSION);
}

int main()
{
	WORKS(cublasLtCreate(&handle));
	SUCCEEDS(cudaStreamCreate(&stream));
	try_types<__half, __half, __half>(CUBLAS_COMPUTE_16F, CUDA_R_16F, CUDA_R_16F, CUDA_R_16F);
	try_types<__half, float, float>(CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_16F, CUDA_R_32F);
	try_types<__nv_bfloat16, __nv_bfloat16, float>(CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_16BF, CUDA_R_16BF);
	try_types<float, float, float>(CUBLAS_COMPUTE_32F_FAST_TF32, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F);
	try_types<double, double, double>(CUBLAS_COMPUTE_64F, CUDA_R_64F, CUDA_R_64F, CUDA_R_64F);
	try_types<signed char, int, int>(CUBLAS_COMPUTE_32I, CUDA_R_32I, CUDA_R_8I, CUDA_R_32I);
	try_types<signed char, signed char, float>(CUBLAS_COMPUTE_32I, CUDA_R_32F, CUDA_R_8I, CUDA_R_8I);
	try_epilogues<float>(CUDA_R_32F, 1e-4);
	try_epilogues<__half>(CUDA_R_16F, 2e-3);
	try_epilogues<__nv_bfloat16>(CUDA_R_16BF, 2e-2);
	try_fp8<__nv_fp8_e4m3, __nv_fp8_e4m3, __half, __nv_fp8_e4m3>(CUDA_R_8F_E4M3, CUDA_R_8F_E4M3, CUDA_R_16F,
	                                                             CUDA_R_8F_E4M3);
	try_fp8<__nv_fp8_e5m2, __nv_fp8_e4m3, __nv_bfloat16, __nv_fp8_e5m2>(CUDA_R_8F_E5M2, CUDA_R_8F_E4M3, CUDA_R_16BF,
	                                                                    CUDA_R_8F_E5M2);
	try_fp8<__nv_fp8_e4m3, __nv_fp8_e5m2, float, float>(CUDA_R_8F_E4M3, CUDA_R_8F_E5M2, CUDA_R_32F, CUDA_R_32F);
	try_refusals();
	try_algorithms();
	SUCCEEDS(cudaDeviceSynchronize());
	WORKS(cublasLtDestroy(handle));
	return finish();
}
