// cuBLASLt: products that descriptions describe.
#include "bias.h"
#include "product.h"
#include "types.h"

#include <cstring>
#include <utility>

using namespace cublaslt;
using products::factor;
using products::matrices;
using products::product;

// The descriptions and pointers of a call.
struct call {
	const description *desc;
	const layout *a, *b, *c, *d;
	const void *data_a, *data_b, *data_c;
	void *data_d;
	const combination *types;
};

static bool is_known_epilogue(unsigned kind)
{
	switch (kind) {
	case CUBLASLT_EPILOGUE_DEFAULT:
	case CUBLASLT_EPILOGUE_RELU:
	case CUBLASLT_EPILOGUE_RELU_AUX:
	case CUBLASLT_EPILOGUE_BIAS:
	case CUBLASLT_EPILOGUE_RELU_BIAS:
	case CUBLASLT_EPILOGUE_RELU_AUX_BIAS:
	case CUBLASLT_EPILOGUE_DRELU:
	case CUBLASLT_EPILOGUE_DRELU_BGRAD:
	case CUBLASLT_EPILOGUE_GELU:
	case CUBLASLT_EPILOGUE_GELU_AUX:
	case CUBLASLT_EPILOGUE_GELU_BIAS:
	case CUBLASLT_EPILOGUE_GELU_AUX_BIAS:
	case CUBLASLT_EPILOGUE_DGELU:
	case CUBLASLT_EPILOGUE_DGELU_BGRAD:
	case CUBLASLT_EPILOGUE_BGRADA:
	case CUBLASLT_EPILOGUE_BGRADB:
		return true;
	default:
		return false;
	}
}

enum { BIAS = 4, MASK = 2 | 8, SUM_D = 16, GELUS = 32 | 64, AUX = 128, SUM_A = 256, SUM_B = 512 };

static bool needs_bias(unsigned kind)
{
	return kind & (BIAS | SUM_D | SUM_A | SUM_B);
}

// The type of GELU's auxiliary matrix: D's, or C's if D has 8 bits.
static cudaDataType aux_type(const combination &types)
{
	return is_fp8(types.d) ? types.c : types.d;
}

static bool is_epilogue_supported(const call &c)
{
	const description &d = *c.desc;
	bool by_rows = c.d->order == CUBLASLT_ORDER_ROW, many = c.d->batch > 1;
	unsigned kind = d.epilogue;
	if (!is_known_epilogue(kind) || (c.types->allowed == ONLY_DEFAULT && kind != CUBLASLT_EPILOGUE_DEFAULT) ||
	    (c.types->allowed == NO_GELU && kind & ~7u))
		return false;
	if (by_rows && (needs_bias(kind) || kind & AUX))
		return false;
	// A sum of 8-bit factors or of scaled numbers is not what a gradient needs.
	if (kind & (SUM_D | SUM_A | SUM_B) && (is_fp8(c.types->a) || is_fp8(c.types->d)))
		return false;
	if (needs_bias(kind) && ((d.bias_type != -1 && d.bias_type != c.types->bias) ||
	                         (many && !d.bias_stride && kind & (SUM_D | SUM_A | SUM_B))))
		return false;
	if (kind & AUX && kind & GELUS && d.aux_type != aux_type(*c.types) && (d.aux_type != -1 || is_fp8(c.types->d)))
		return false;
	return !(kind & AUX && kind & MASK && d.aux_type != -1);
}

// Attributes that nothing here implements have their first values, and scales belong to 8-bit matrices.
static bool are_attributes_supported(const call &c)
{
	const description &d = *c.desc;
	bool eight = is_fp8(c.types->a), eight_d = is_fp8(c.types->d);
	return (d.pointers == CUBLASLT_POINTER_MODE_HOST || d.pointers == CUBLASLT_POINTER_MODE_DEVICE) &&
	       d.transc == CUBLAS_OP_N && d.fill == 2 && !d.alpha_stride && !d.aux_scale && !d.aux_amax &&
	       !d.out_scale && !d.emulation && !(d.mode_a | d.mode_b | d.mode_c | d.mode_d | d.mode_aux | d.mode_out) &&
	       !d.scale_c && (eight || !(d.scale_a || d.scale_b)) && (eight_d || !(d.scale_d || d.amax));
}

static bool is_layout_supported(const layout &l)
{
	return (l.order == CUBLASLT_ORDER_COL || l.order == CUBLASLT_ORDER_ROW) && !l.plane && !l.batch_mode;
}

static bool is_layout_valid(const layout &l, int batch)
{
	uint64_t line = l.order == CUBLASLT_ORDER_ROW ? l.columns : l.rows;
	return l.ld >= 0 && (uint64_t)l.ld >= line && l.batch == batch && l.rows <= 0x7fffffff &&
	       l.columns <= 0x7fffffff;
}

static int rows_of(const layout &l, int op)
{
	return (int)(op == CUBLAS_OP_N ? l.rows : l.columns);
}

static int columns_of(const layout &l, int op)
{
	return (int)(op == CUBLAS_OP_N ? l.columns : l.rows);
}

// Kernels for 8-bit floating-point factors need A transposed, B not, and columns of whole 16 bytes.
static bool is_fp8_supported(const call &c)
{
	const layout *all[] = {c.a, c.b, c.c, c.d};
	for (const layout *l : all)
		if (l->order != CUBLASLT_ORDER_COL || l->ld * bytes_of(l->type) % 16 ||
		    l->rows * bytes_of(l->type) % 16)
			return false;
	return c.desc->transa == CUBLAS_OP_T && c.desc->transb == CUBLAS_OP_N;
}

// Checks the descriptions, and finds the types.
static cublasStatus_t check(call &c)
{
	const description &d = *c.desc;
	auto is_op = [](int op) { return op == CUBLAS_OP_N || op == CUBLAS_OP_T || op == CUBLAS_OP_C; };
	if (!is_op(d.transa) || !is_op(d.transb) || c.d->batch < 1)
		return CUBLAS_STATUS_INVALID_VALUE;
	c.types = find(d.compute, d.scale, c.a->type, c.b->type, c.c->type, c.d->type);
	if (!c.types || !is_layout_supported(*c.a) || !is_layout_supported(*c.b) || !is_layout_supported(*c.c) ||
	    !is_layout_supported(*c.d) || c.c->order != c.d->order || !is_epilogue_supported(c) ||
	    !are_attributes_supported(c) || (is_fp8(c.types->a) && !is_fp8_supported(c)))
		return CUBLAS_STATUS_NOT_SUPPORTED;
	int batch = c.d->batch;
	if (!is_layout_valid(*c.a, batch) || !is_layout_valid(*c.b, batch) || !is_layout_valid(*c.c, batch) ||
	    !is_layout_valid(*c.d, batch) || rows_of(*c.a, d.transa) != (int)c.d->rows ||
	    columns_of(*c.b, d.transb) != (int)c.d->columns || columns_of(*c.a, d.transa) != rows_of(*c.b, d.transb) ||
	    c.c->rows != c.d->rows || c.c->columns != c.d->columns)
		return CUBLAS_STATUS_INVALID_VALUE;
	// ReLU's mask has one bit per element, in words of 128.
	int unit = d.epilogue & MASK ? 128 : 8;
	if (d.epilogue & AUX && (d.aux_ld < (int64_t)c.d->rows || d.aux_ld % unit || d.aux_stride % unit))
		return CUBLAS_STATUS_INVALID_VALUE;
	return CUBLAS_STATUS_SUCCESS;
}

static matrices matrices_of(const layout &l, const void *base)
{
	return {(void *)base, nullptr, l.stride, l.ld, l.type};
}

static factor factor_of(const layout &l, const void *base, int op, bool index_is_first)
{
	factor f;
	static_cast<matrices &>(f) = matrices_of(l, base);
	f.index_is_row = index_is_first == ((l.order == CUBLASLT_ORDER_COL) == (op == CUBLAS_OP_N));
	f.conjugate = op == CUBLAS_OP_C;
	return f;
}

static product product_of(const call &c, const void *alpha, const void *beta)
{
	const description &d = *c.desc;
	bool on_device = d.pointers == CUBLASLT_POINTER_MODE_DEVICE;
	product p = {(int)c.d->rows, (int)c.d->columns, columns_of(*c.a, d.transa), c.d->batch};
	p.alpha = products::scalar_at(alpha, c.types->scale, on_device);
	p.beta = products::scalar_at(beta, c.types->scale, on_device);
	p.a = factor_of(*c.a, c.data_a, d.transa, true);
	p.b = factor_of(*c.b, c.data_b, d.transb, false);
	p.c = matrices_of(*c.c, c.data_c);
	p.d = matrices_of(*c.d, c.data_d);
	p.compute = d.compute;
	// D by rows is the transposed product by columns.
	if (c.d->order == CUBLASLT_ORDER_ROW) {
		std::swap(p.m, p.n);
		std::swap(p.a, p.b);
	}
	p.after.kind = (int)(d.epilogue & ~(unsigned)CUBLASLT_EPILOGUE_DEFAULT);
	p.after.bias = d.bias;
	p.after.bias_type = c.types->bias;
	p.after.bias_stride = d.bias_stride;
	p.after.aux = {d.aux, nullptr, d.aux_stride, d.aux_ld, aux_type(*c.types)};
	p.after.scale_a = (const float *)d.scale_a;
	p.after.scale_b = (const float *)d.scale_b;
	p.after.scale_d = (const float *)d.scale_d;
	p.after.amax = (float *)d.amax;
	return p;
}

// Gradients of a bias: sums of D's rows, of op(A)'s rows, or of op(B)'s columns.
static cublasStatus_t run_gradient(const call &c, const product &p, cudaStream_t stream)
{
	unsigned kind = c.desc->epilogue;
	products::sums s = {p.d, p.m, p.n, 1, p.d.ld, (void *)p.after.bias, p.after.bias_type, p.after.bias_stride};
	const factor *f = kind & SUM_A ? &p.a : kind & SUM_B ? &p.b : nullptr;
	if (f) {
		s.of = *f;
		s.count = kind & SUM_A ? p.m : p.n;
		s.terms = p.k;
		s.step = f->index_is_row ? 1 : f->ld;
		s.term_step = f->index_is_row ? f->ld : 1;
	}
	return run_sums(s, p.count, stream);
}

static cublasStatus_t run(const call &c, const void *alpha, const void *beta, cudaStream_t stream)
{
	const description &d = *c.desc;
	product p = product_of(c, alpha, beta);
	bool reads_c = p.beta.device || p.beta.real != 0 || p.beta.imaginary != 0;
	if (!c.data_a || !c.data_b || !c.data_d || (reads_c && !c.data_c) || (needs_bias(d.epilogue) && !d.bias) ||
	    (d.epilogue & AUX && !d.aux) ||
	    (c.data_c == c.data_d && reads_c && (c.c->ld != c.d->ld || c.c->type != c.d->type)))
		return CUBLAS_STATUS_INVALID_VALUE;
	if (!p.m || !p.n)
		return CUBLAS_STATUS_SUCCESS;
	if (p.after.amax && cudaMemsetAsync(p.after.amax, 0, sizeof(float), stream) != cudaSuccess)
		return CUBLAS_STATUS_EXECUTION_FAILED;
	cublasStatus_t status = cublasLtRunProduct(&p, stream);
	bool sums = d.epilogue & (SUM_D | SUM_A | SUM_B);
	return status == CUBLAS_STATUS_SUCCESS && sums ? run_gradient(c, p, stream) : status;
}

static call call_of(cublasLtMatmulDesc_t desc, cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                    cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d)
{
	return {(const description *)desc, (const layout *)a, (const layout *)b, (const layout *)c, (const layout *)d};
}

static const uint64_t ALGORITHM = 0x5c1ce; // marks an algorithm of this library

static void describe(cublasLtMatmulHeuristicResult_t *result, const layout &d)
{
	int device = 0, multiprocessors = 1;
	cudaGetDevice(&device);
	cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
	memset(result, 0, sizeof *result);
	result->algo.data[0] = ALGORITHM;
	result->wavesCount = (float)((d.rows + 63) / 64) * ((d.columns + 63) / 64) * d.batch / multiprocessors;
}

static bool are_types_supported(cublasComputeType_t compute, cudaDataType_t scale, cudaDataType_t a, cudaDataType_t b,
                                cudaDataType_t c, cudaDataType_t d)
{
	return find(compute, scale, a, b, c, d) != nullptr;
}

extern "C" {

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc,
                                              cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                              cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                              cublasLtMatmulPreference_t preference, int requested,
                                              cublasLtMatmulHeuristicResult_t results[], int *returned)
{
	if (!handle)
		return CUBLAS_STATUS_NOT_INITIALIZED;
	if (!desc || !a || !b || !c || !d || !preference || requested < 1 || !results || !returned)
		return CUBLAS_STATUS_INVALID_VALUE;
	call made = call_of(desc, a, b, c, d);
	cublasStatus_t status = check(made);
	*returned = status == CUBLAS_STATUS_SUCCESS;
	if (*returned)
		describe(results, *made.d);
	return status;
}

cublasStatus_t cublasLtMatmulAlgoGetIds(cublasLtHandle_t handle, cublasComputeType_t compute, cudaDataType_t scale,
                                        cudaDataType_t a, cudaDataType_t b, cudaDataType_t c, cudaDataType_t d,
                                        int requested, int ids[], int *returned)
{
	if (!handle)
		return CUBLAS_STATUS_NOT_INITIALIZED;
	if (requested < 1 || !ids || !returned)
		return CUBLAS_STATUS_INVALID_VALUE;
	*returned = are_types_supported(compute, scale, a, b, c, d);
	if (!*returned)
		return CUBLAS_STATUS_NOT_SUPPORTED;
	ids[0] = 0;
	return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulAlgoInit(cublasLtHandle_t handle, cublasComputeType_t compute, cudaDataType_t scale,
                                      cudaDataType_t a, cudaDataType_t b, cudaDataType_t c, cudaDataType_t d, int id,
                                      cublasLtMatmulAlgo_t *algo)
{
	if (!handle)
		return CUBLAS_STATUS_NOT_INITIALIZED;
	if (!algo || id)
		return CUBLAS_STATUS_INVALID_VALUE;
	if (!are_types_supported(compute, scale, a, b, c, d))
		return CUBLAS_STATUS_NOT_SUPPORTED;
	memset(algo, 0, sizeof *algo);
	algo->data[0] = ALGORITHM;
	return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulAlgoCheck(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc, cublasLtMatrixLayout_t a,
                                       cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                       const cublasLtMatmulAlgo_t *algo, cublasLtMatmulHeuristicResult_t *result)
{
	if (!handle)
		return CUBLAS_STATUS_NOT_INITIALIZED;
	if (!desc || !a || !b || !c || !d || !algo || !result || algo->data[0] != ALGORITHM)
		return CUBLAS_STATUS_INVALID_VALUE;
	call made = call_of(desc, a, b, c, d);
	cublasStatus_t status = check(made);
	if (status == CUBLAS_STATUS_SUCCESS)
		describe(result, *made.d);
	return status;
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc, const void *alpha, const void *a,
                              cublasLtMatrixLayout_t layout_a, const void *b, cublasLtMatrixLayout_t layout_b,
                              const void *beta, const void *c, cublasLtMatrixLayout_t layout_c, void *d,
                              cublasLtMatrixLayout_t layout_d, const cublasLtMatmulAlgo_t *algo, void *, size_t,
                              cudaStream_t stream)
{
	if (!handle)
		return CUBLAS_STATUS_NOT_INITIALIZED;
	if (!desc || !layout_a || !layout_b || !layout_c || !layout_d || !alpha || !beta ||
	    (algo && algo->data[0] != ALGORITHM))
		return CUBLAS_STATUS_INVALID_VALUE;
	call made = call_of(desc, layout_a, layout_b, layout_c, layout_d);
	made.data_a = a;
	made.data_b = b;
	made.data_c = c;
	made.data_d = d;
	cublasStatus_t status = check(made);
	return status == CUBLAS_STATUS_SUCCESS ? run(made, alpha, beta, stream) : status;
}

} // extern "C"
