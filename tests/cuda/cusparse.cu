// Protects cuSPARSE against plain loops on the host: random matrices with empty rows, all formats, types of numbers and
// indices, bases, operations, orders and scalars. Numbers are small integers, so every result is exact. Results that
// must not be read are NaN, and numbers between columns stay unchanged.
// Flags: -lcusparse
#include "check.h"
#include <cmath>
#include <complex>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cusparse.h>
#include <vector>

static unsigned long long state = 88172645463325252ull;

static unsigned below(unsigned limit)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (unsigned)((state >> 33) % limit);
}

#define WORKS(call)         GIVES(SUCCESS, call)
#define GIVES(status, call) CHECK((call) == CUSPARSE_STATUS_##status)

static cusparseHandle_t handle;

// A number on the host, for all types.
typedef std::complex<double> number;

template <typename T> struct kind;
#define KIND(T, type_, sum_, sums_, make_, back_)                                                                      \
	template <> struct kind<T> {                                                                                   \
		static constexpr cudaDataType type = type_, sums = sums_;                                              \
		static constexpr bool complex = type_ == CUDA_C_32F || type_ == CUDA_C_64F;                            \
		typedef sum_ sum;                                                                                      \
		static T make(number x)                                                                                \
		{                                                                                                      \
			return make_;                                                                                  \
		}                                                                                                      \
		static number back(T x)                                                                                \
		{                                                                                                      \
			return back_;                                                                                  \
		}                                                                                                      \
	};
KIND(float, CUDA_R_32F, float, CUDA_R_32F, (float)x.real(), x)
KIND(double, CUDA_R_64F, double, CUDA_R_64F, x.real(), x)
KIND(__half, CUDA_R_16F, float, CUDA_R_32F, __float2half((float)x.real()), __half2float(x))
KIND(__nv_bfloat16, CUDA_R_16BF, float, CUDA_R_32F, __float2bfloat16((float)x.real()), __bfloat162float(x))
KIND(std::complex<float>, CUDA_C_32F, std::complex<float>, CUDA_C_32F, std::complex<float>(x), number(x))
KIND(number, CUDA_C_64F, number, CUDA_C_64F, x, x)

template <typename T> static number any()
{
	return {(double)below(5) - 2, kind<T>::complex ? (double)below(5) - 2 : 0};
}

template <typename T> static number any_but_zero()
{
	return {(double)below(2) + 1, kind<T>::complex ? (double)below(5) - 2 : 0};
}

// An array on the device. An empty one has memory too, so that its pointer is not null.
template <typename T> struct array {
	T *at;
	size_t count;
	explicit array(const std::vector<T> &from) : count(from.size())
	{
		SUCCEEDS(cudaMalloc(&at, count * sizeof(T) + 16));
		SUCCEEDS(cudaMemcpy(at, from.data(), count * sizeof(T), cudaMemcpyHostToDevice));
	}
	array(const array &) = delete;
	~array()
	{
		cudaFree(at);
	}
	std::vector<T> read() const
	{
		std::vector<T> into(count);
		SUCCEEDS(cudaMemcpy(into.data(), at, count * sizeof(T), cudaMemcpyDeviceToHost));
		return into;
	}
};

template <typename T> static std::vector<T> made(const std::vector<number> &from)
{
	std::vector<T> into;
	for (number x : from)
		into.push_back(kind<T>::make(x));
	return into;
}

template <typename T> static void same(const std::vector<T> &found, const std::vector<number> &expected)
{
	CHECK(found.size() == expected.size());
	int wrong = 0;
	for (size_t i = 0; i < found.size() && i < expected.size(); i++)
		wrong += kind<T>::back(found[i]) != expected[i];
	CHECK(wrong == 0);
}

template <typename I> constexpr cusparseIndexType_t index_type = sizeof(I) == 8 ? CUSPARSE_INDEX_64I : CUSPARSE_INDEX_32I;

// A matrix by rows, with at most 20 numbers in a row or column.
struct full {
	int rows, columns;
	std::vector<number> numbers;
	number at(cusparseOperation_t op, int row, int column) const
	{
		bool turned = op != CUSPARSE_OPERATION_NON_TRANSPOSE;
		number x = turned ? numbers[column * columns + row] : numbers[row * columns + column];
		return op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE ? std::conj(x) : x;
	}
};

template <typename T> static full any_matrix(int rows, int columns)
{
	full m = {rows, columns, std::vector<number>(rows * columns)};
	for (int row = 0; row < rows; row++)
		for (int column = 0; row % 3 != 1 && column < columns; column++)
			if (below(rows + columns) < 12)
				m.numbers[row * columns + column] = any_but_zero<T>();
	return m;
}

// The arrays of a matrix in a format. `lines` has offsets, or the row of each entry (COO).
template <typename T, typename L, typename I> struct arrays {
	std::vector<L> lines;
	std::vector<I> indices;
	std::vector<T> values;
	arrays(const full &m, cusparseFormat_t format, int base)
	{
		bool columns = format == CUSPARSE_FORMAT_CSC, entries = format == CUSPARSE_FORMAT_COO;
		for (int line = 0; line < (columns ? m.columns : m.rows); line++) {
			if (!entries)
				lines.push_back(indices.size() + base);
			for (int i = 0; i < (columns ? m.rows : m.columns); i++) {
				number x = columns ? m.numbers[i * m.columns + line] : m.numbers[line * m.columns + i];
				if (x == 0.)
					continue;
				indices.push_back(i + base);
				values.push_back(kind<T>::make(x));
				if (entries)
					lines.push_back(line + base);
			}
		}
		if (!entries)
			lines.push_back(indices.size() + base);
	}
};

template <typename T, typename L, typename I> struct sparse {
	array<L> lines;
	array<I> indices;
	array<T> values;
	cusparseSpMatDescr_t descr;
	sparse(const full &m, const arrays<T, L, I> &a, cusparseFormat_t format, int base)
	    : lines(a.lines), indices(a.indices), values(a.values)
	{
		cusparseIndexBase_t b = (cusparseIndexBase_t)base;
		int64_t nnz = values.count;
		auto create = format == CUSPARSE_FORMAT_CSC ? cusparseCreateCsc : cusparseCreateCsr;
		if (format == CUSPARSE_FORMAT_COO)
			WORKS(cusparseCreateCoo(&descr, m.rows, m.columns, nnz, lines.at, indices.at, values.at, index_type<I>, b,
			                        kind<T>::type));
		else
			WORKS(create(&descr, m.rows, m.columns, nnz, lines.at, indices.at, values.at, index_type<L>, index_type<I>,
			             b, kind<T>::type));
	}
	~sparse()
	{
		WORKS(cusparseDestroySpMat(descr));
	}
};

// alpha and beta, on the host or the device. A beta of 0 comes in a third of the cases.
template <typename T> struct scalars {
	typedef typename kind<T>::sum sum;
	number alpha = any_but_zero<T>(), beta = below(3) ? any<T>() : 0;
	sum host[2] = {kind<sum>::make(alpha), kind<sum>::make(beta)};
	array<sum> device{{host[0], host[1]}};
	const sum *at;
	scalars()
	{
		bool on_device = below(2);
		WORKS(cusparseSetPointerMode(handle, on_device ? CUSPARSE_POINTER_MODE_DEVICE : CUSPARSE_POINTER_MODE_HOST));
		at = on_device ? device.at : host;
	}
	~scalars()
	{
		WORKS(cusparseSetPointerMode(handle, CUSPARSE_POINTER_MODE_HOST));
	}
	// alpha sum + beta old, where `old` becomes NaN if beta is 0.
	number result(number sum, number &old) const
	{
		number x = beta == 0. ? alpha * sum : alpha * sum + beta * old;
		if (beta == 0.)
			old = NAN;
		return x;
	}
};

static const cusparseFormat_t formats[] = {CUSPARSE_FORMAT_CSR, CUSPARSE_FORMAT_CSC, CUSPARSE_FORMAT_COO};
static const cusparseOperation_t operations[] = {CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_TRANSPOSE,
                                                 CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE};

template <typename T, typename L, typename I>
static void test_spmv(int rows, int columns, cusparseFormat_t format, cusparseOperation_t op, cusparseSpMVAlg_t alg)
{
	int base = below(2);
	full m = any_matrix<T>(rows, columns);
	sparse<T, L, I> a(m, arrays<T, L, I>(m, format, base), format, base);
	scalars<T> s;
	bool turned = op != CUSPARSE_OPERATION_NON_TRANSPOSE;
	int from = turned ? rows : columns, to = turned ? columns : rows;
	std::vector<number> x, y, expected;
	for (int i = 0; i < from; i++)
		x.push_back(any<T>());
	for (int i = 0; i < to; i++) {
		number sum = 0;
		for (int j = 0; j < from; j++)
			sum += m.at(op, i, j) * x[j];
		y.push_back(any<T>());
		expected.push_back(s.result(sum, y[i]));
	}
	array<T> on_x(made<T>(x)), on_y(made<T>(y));
	cusparseDnVecDescr_t vx, vy;
	WORKS(cusparseCreateDnVec(&vx, from, on_x.at, kind<T>::type));
	WORKS(cusparseCreateDnVec(&vy, to, on_y.at, kind<T>::type));
	size_t bytes = 0;
	const auto *alpha = s.at, *beta = s.at + 1;
	WORKS(cusparseSpMV_bufferSize(handle, op, alpha, a.descr, vx, beta, vy, kind<T>::sums, alg, &bytes));
	array<char> buffer{std::vector<char>(bytes)};
	WORKS(cusparseSpMV(handle, op, alpha, a.descr, vx, beta, vy, kind<T>::sums, alg, buffer.at));
	same(on_y.read(), expected);
	WORKS(cusparseDestroyDnVec(vx));
	WORKS(cusparseDestroyDnVec(vy));
}

// A dense matrix on the device, with a gap after each row or column.
template <typename T> struct dense {
	std::vector<number> numbers;
	int64_t rows, columns, ld, count;
	cusparseOrder_t order;
	dense(int64_t rows_, int64_t columns_, int64_t count_) : rows(rows_), columns(columns_), count(count_)
	{
		order = below(2) ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL;
		ld = (order == CUSPARSE_ORDER_ROW ? columns : rows) + below(3);
		for (int64_t i = 0; i < stride() * count; i++)
			numbers.push_back(any<T>());
	}
	int64_t stride() const
	{
		return ld * (order == CUSPARSE_ORDER_ROW ? rows : columns);
	}
	number &at(int64_t of, int64_t row, int64_t column)
	{
		return numbers[of * stride() + (order == CUSPARSE_ORDER_ROW ? row * ld + column : column * ld + row)];
	}
	cusparseDnMatDescr_t describe(array<T> &on)
	{
		cusparseDnMatDescr_t descr;
		WORKS(cusparseCreateDnMat(&descr, rows, columns, ld, on.at, kind<T>::type, order));
		WORKS(cusparseDnMatSetStridedBatch(descr, count, stride()));
		return descr;
	}
};

template <typename T, typename L, typename I>
static void test_spmm(int rows, int inner, int columns, cusparseFormat_t format, cusparseOperation_t op_a, cusparseOperation_t op_b)
{
	int base = below(2), count = 1 + below(2);
	bool a_turned = op_a != CUSPARSE_OPERATION_NON_TRANSPOSE, b_turned = op_b != CUSPARSE_OPERATION_NON_TRANSPOSE;
	full m = any_matrix<T>(a_turned ? inner : rows, a_turned ? rows : inner);
	sparse<T, L, I> a(m, arrays<T, L, I>(m, format, base), format, base);
	scalars<T> s;
	dense<T> b(b_turned ? columns : inner, b_turned ? inner : columns, count), c(rows, columns, count), expected = c;
	for (int of = 0; of < count; of++)
		for (int i = 0; i < rows; i++)
			for (int j = 0; j < columns; j++) {
				number sum = 0;
				for (int k = 0; k < inner; k++) {
					number x = b_turned ? b.at(of, j, k) : b.at(of, k, j);
					sum += m.at(op_a, i, k) * (op_b == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE ? std::conj(x) : x);
				}
				expected.at(of, i, j) = s.result(sum, c.at(of, i, j));
			}
	array<T> on_b(made<T>(b.numbers)), on_c(made<T>(c.numbers));
	cusparseDnMatDescr_t mb = b.describe(on_b), mc = c.describe(on_c);
	size_t bytes = 0;
	const auto *alpha = s.at, *beta = s.at + 1;
	cusparseSpMMAlg_t alg = CUSPARSE_SPMM_ALG_DEFAULT;
	WORKS(cusparseSpMM_bufferSize(handle, op_a, op_b, alpha, a.descr, mb, beta, mc, kind<T>::sums, alg, &bytes));
	array<char> buffer{std::vector<char>(bytes)};
	WORKS(cusparseSpMM(handle, op_a, op_b, alpha, a.descr, mb, beta, mc, kind<T>::sums, alg, buffer.at));
	same(on_c.read(), expected.numbers);
	WORKS(cusparseDestroyDnMat(mb));
	WORKS(cusparseDestroyDnMat(mc));
}

template <typename T, typename L, typename I> static void test_format(cusparseFormat_t format)
{
	for (cusparseOperation_t op : operations) {
		test_spmv<T, L, I>(1 + below(90), 1 + below(90), format, op, CUSPARSE_SPMV_ALG_DEFAULT);
		test_spmv<T, L, I>(1, 40, format, op, CUSPARSE_SPMV_ALG_DEFAULT);
		if (format == CUSPARSE_FORMAT_COO)
			test_spmv<T, L, I>(70, 20, format, op, CUSPARSE_SPMV_COO_ALG2);
		test_spmm<T, L, I>(1 + below(30), 1 + below(30), 1 + below(40), format, op, operations[below(3)]);
		test_spmm<T, L, I>(5, 9, 3, format, op, CUSPARSE_OPERATION_NON_TRANSPOSE);
	}
}

// Rows and columns of entries (COO) have one type.
template <typename T, typename L, typename I> static void test_products()
{
	test_format<T, L, I>(CUSPARSE_FORMAT_CSR);
	test_format<T, L, I>(CUSPARSE_FORMAT_CSC);
	test_format<T, I, I>(CUSPARSE_FORMAT_COO);
}

template <typename T, typename L, typename I> static void test_conversions(cusparseFormat_t format)
{
	int base = below(2);
	full m = any_matrix<T>(1 + below(70), 1 + below(70));
	arrays<T, L, I> expected(m, format, base), blank = expected;
	sparse<T, L, I> a(m, expected, format, base);
	dense<T> b(m.rows, m.columns, 1), filled = b;
	for (int row = 0; row < m.rows; row++)
		for (int column = 0; column < m.columns; column++)
			filled.at(0, row, column) = m.numbers[row * m.columns + column];
	array<T> on_b(made<T>(b.numbers));
	cusparseDnMatDescr_t mb = b.describe(on_b);
	size_t bytes = 1;
	WORKS(cusparseSparseToDense_bufferSize(handle, a.descr, mb, CUSPARSE_SPARSETODENSE_ALG_DEFAULT, &bytes));
	array<char> first{std::vector<char>(bytes)};
	WORKS(cusparseSparseToDense(handle, a.descr, mb, CUSPARSE_SPARSETODENSE_ALG_DEFAULT, first.at));
	same(on_b.read(), filled.numbers);

	for (auto &line : blank.lines)
		line = -1;
	for (auto &index : blank.indices)
		index = -1;
	for (auto &value : blank.values)
		value = kind<T>::make(0);
	sparse<T, L, I> back(m, blank, format, base);
	cusparseDenseToSparseAlg_t alg = CUSPARSE_DENSETOSPARSE_ALG_DEFAULT;
	WORKS(cusparseDenseToSparse_bufferSize(handle, mb, back.descr, alg, &bytes));
	array<char> buffer{std::vector<char>(bytes)};
	WORKS(cusparseDenseToSparse_analysis(handle, mb, back.descr, alg, buffer.at));
	int64_t rows, columns, nnz;
	WORKS(cusparseSpMatGetSize(back.descr, &rows, &columns, &nnz));
	CHECK(rows == m.rows && columns == m.columns && nnz == (int64_t)expected.values.size());
	WORKS(cusparseDenseToSparse_convert(handle, mb, back.descr, alg, buffer.at));
	CHECK(back.lines.read() == expected.lines && back.indices.read() == expected.indices);
	std::vector<T> found = back.values.read();
	CHECK(!found.size() || !memcmp(found.data(), expected.values.data(), found.size() * sizeof(T)));
	WORKS(cusparseDestroyDnMat(mb));
}

template <typename T, typename I> static void test_vectors(int size)
{
	int base = below(2);
	std::vector<number> x, y, gathered, scattered, added;
	std::vector<I> indices;
	for (int i = 0; i < size; i++)
		y.push_back(any<T>());
	scattered = y;
	scalars<T> s;
	number dot = 0;
	for (int i = 0; i < size; i++) {
		added.push_back(s.beta * y[i]);
		if (below(3))
			continue;
		indices.push_back(i + base);
		x.push_back(any<T>());
		gathered.push_back(y[i]);
		scattered[i] = x.back();
		added[i] += s.alpha * x.back();
		dot += x.back() * y[i];
	}
	array<T> on_x(made<T>(x)), on_y(made<T>(y)), into(made<T>(x)), to_scatter(made<T>(y));
	array<I> on_indices(indices);
	cusparseSpVecDescr_t sx, sinto;
	cusparseDnVecDescr_t vy, vs;
	cusparseIndexBase_t b = (cusparseIndexBase_t)base;
	WORKS(cusparseCreateSpVec(&sx, size, x.size(), on_indices.at, on_x.at, index_type<I>, b, kind<T>::type));
	WORKS(cusparseCreateSpVec(&sinto, size, x.size(), on_indices.at, into.at, index_type<I>, b, kind<T>::type));
	WORKS(cusparseCreateDnVec(&vy, size, on_y.at, kind<T>::type));
	WORKS(cusparseCreateDnVec(&vs, size, to_scatter.at, kind<T>::type));
	WORKS(cusparseGather(handle, vy, sinto));
	same(into.read(), gathered);
	WORKS(cusparseScatter(handle, sx, vs));
	same(to_scatter.read(), scattered);
	size_t bytes;
	cusparsePointerMode_t mode;
	WORKS(cusparseGetPointerMode(handle, &mode));
	typename kind<T>::sum product = {};
	array<typename kind<T>::sum> on_device{{product}};
	auto *result = mode == CUSPARSE_POINTER_MODE_DEVICE ? on_device.at : &product;
	cusparseOperation_t op = CUSPARSE_OPERATION_NON_TRANSPOSE;
	WORKS(cusparseSpVV_bufferSize(handle, op, sx, vy, result, kind<T>::sums, &bytes));
	array<char> buffer{std::vector<char>(bytes)};
	WORKS(cusparseSpVV(handle, op, sx, vy, result, kind<T>::sums, buffer.at));
	same(result == &product ? std::vector<typename kind<T>::sum>{product} : on_device.read(), {dot});
	WORKS(cusparseAxpby(handle, s.at, sx, s.at + 1, vy));
	same(on_y.read(), added);
	WORKS(cusparseDestroySpVec(sx));
	WORKS(cusparseDestroySpVec(sinto));
	WORKS(cusparseDestroyDnVec(vy));
	WORKS(cusparseDestroyDnVec(vs));
}

template <typename T, typename L, typename I> static void test_all()
{
	test_products<T, L, I>();
	for (cusparseFormat_t format : formats)
		test_conversions<T, L, I>(format);
	test_vectors<T, I>(1 + below(600));
	test_vectors<T, I>(3);
}

static void test_indices(int rows, cusparseIndexBase_t base)
{
	full m = any_matrix<float>(rows, 30);
	arrays<float, int, int> csr(m, CUSPARSE_FORMAT_CSR, base), coo(m, CUSPARSE_FORMAT_COO, base);
	array<int> offsets(csr.lines), lines(coo.lines), to_offsets(std::vector<int>(rows + 1)),
		to_lines(std::vector<int>(coo.lines.size()));
	int nnz = coo.lines.size();
	WORKS(cusparseXcsr2coo(handle, offsets.at, nnz, rows, to_lines.at, base));
	CHECK(to_lines.read() == coo.lines);
	WORKS(cusparseXcoo2csr(handle, lines.at, nnz, rows, to_offsets.at, base));
	CHECK(to_offsets.read() == csr.lines);
	WORKS(cusparseCreateIdentityPermutation(handle, nnz, to_lines.at));
	std::vector<int> p = to_lines.read();
	for (int i = 0; i < nnz; i++)
		CHECK(p[i] == i);
}

static void test_errors()
{
	float one = 1, numbers[4] = {};
	size_t bytes;
	array<float> memory({1, 2, 3, 4});
	array<int> offsets({0, 1, 2}), indices({0, 1});
	cusparseSpMatDescr_t a;
	cusparseDnVecDescr_t x, y;
	cusparseIndexBase_t base = CUSPARSE_INDEX_BASE_ZERO;
	cusparseIndexType_t narrow = CUSPARSE_INDEX_32I;
	cusparseOperation_t op = CUSPARSE_OPERATION_NON_TRANSPOSE;
	GIVES(NOT_SUPPORTED, cusparseCreateCsr(&a, 2, 2, 2, offsets.at, indices.at, memory.at, CUSPARSE_INDEX_16U, narrow, base,
	                                       CUDA_R_32F));
	GIVES(INVALID_VALUE, cusparseCreateCsr(&a, -2, 2, 2, offsets.at, indices.at, memory.at, narrow, narrow, base, CUDA_R_32F));
	WORKS(cusparseCreateCsr(&a, 2, 2, 2, offsets.at, indices.at, memory.at, narrow, narrow, base, CUDA_R_32F));
	WORKS(cusparseCreateDnVec(&x, 3, memory.at, CUDA_R_32F));
	WORKS(cusparseCreateDnVec(&y, 2, memory.at, CUDA_R_32F));
	cusparseSpMVAlg_t alg = CUSPARSE_SPMV_ALG_DEFAULT;
	GIVES(INVALID_VALUE, cusparseSpMV(handle, op, &one, a, x, &one, y, CUDA_R_32F, alg, nullptr));
	GIVES(NOT_INITIALIZED, cusparseSpMV(nullptr, op, &one, a, y, &one, y, CUDA_R_32F, alg, nullptr));
	GIVES(INVALID_VALUE, cusparseSpMV(handle, op, nullptr, a, y, &one, y, CUDA_R_32F, alg, nullptr));
	GIVES(NOT_SUPPORTED, cusparseSpMV(handle, op, &one, a, y, &one, y, CUDA_R_64F, alg, nullptr));
	GIVES(NOT_SUPPORTED,
	      cusparseSpMV_bufferSize(handle, op, &one, a, y, &one, y, CUDA_R_32F, CUSPARSE_SPMV_COO_ALG1, &bytes));
	GIVES(INVALID_VALUE, cusparseCooSetPointers(a, offsets.at, indices.at, numbers));
	cusparseFormat_t format;
	WORKS(cusparseSpMatGetFormat(a, &format));
	CHECK(format == CUSPARSE_FORMAT_CSR);
	GIVES(NOT_SUPPORTED, cusparseSpSV_createDescr(nullptr));
	GIVES(NOT_SUPPORTED, cusparseScsrilu02(handle, 2));
	GIVES(NOT_SUPPORTED, cusparseSpGEMM_compute(handle));
	WORKS(cusparseDestroySpMat(a));
	WORKS(cusparseDestroyDnVec(x));
	WORKS(cusparseDestroyDnVec(y));
}

static void test_handle()
{
	int version = 0, major = 0;
	cudaStream_t stream, found;
	GIVES(NOT_INITIALIZED, cusparseGetVersion(nullptr, &version));
	WORKS(cusparseGetVersion(handle, &version));
	WORKS(cusparseGetProperty(MAJOR_VERSION, &major));
	CHECK(version / 1000 == major && major >= 11);
	CHECK(!strcmp(cusparseGetErrorName(CUSPARSE_STATUS_INVALID_VALUE), "CUSPARSE_STATUS_INVALID_VALUE"));
	SUCCEEDS(cudaStreamCreateWithFlags(&stream, cudaStreamDefault));
	WORKS(cusparseSetStream(handle, stream));
	WORKS(cusparseGetStream(handle, &found));
	CHECK(found == stream);
	test_indices(7, CUSPARSE_INDEX_BASE_ONE);
	WORKS(cusparseSetStream(handle, nullptr));
	SUCCEEDS(cudaStreamDestroy(stream));
}

int main()
{
	GIVES(INVALID_VALUE, cusparseCreate(nullptr));
	WORKS(cusparseCreate(&handle));
	test_all<float, int, int>();
	test_all<float, int64_t, int64_t>();
	test_all<double, int, int>();
	test_products<double, int64_t, int>();
	test_all<__half, int, int>();
	test_all<__nv_bfloat16, int, int>();
	test_all<std::complex<float>, int, int>();
	test_all<number, int, int>();
	for (int rows : {1, 3, 200})
		for (int base : {0, 1})
			test_indices(rows, (cusparseIndexBase_t)base);
	test_errors();
	test_handle();
	WORKS(cusparseDestroy(handle));
	return finish();
}
