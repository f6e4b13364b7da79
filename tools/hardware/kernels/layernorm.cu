// layernorm: each row of 1024 values is shifted and scaled to mean 0 and variance 1, then multiplied by gain and added
// to offset. One block per row; a thread holds 4 values in registers, so that memory is read once, 16 bytes a lane.
#include "sample.h"
#include "warp.h"

const int THREADS = 256, WARPS = THREADS / 32, COLUMNS = 4 * THREADS;

__global__ void layernorm(const float4 *x, const float4 *gain, const float4 *offset, float4 *y)
{
	__shared__ float scratch[WARPS];
	size_t at = (size_t)blockIdx.x * THREADS + threadIdx.x;
	float4 own = x[at], g = gain[threadIdx.x], o = offset[threadIdx.x];
	float mean = warp::block_sum<WARPS>(own.x + own.y + own.z + own.w, scratch) / COLUMNS;
	own = make_float4(own.x - mean, own.y - mean, own.z - mean, own.w - mean);
	float squares = own.x * own.x + own.y * own.y + own.z * own.z + own.w * own.w;
	float scale = rsqrtf(warp::block_sum<WARPS>(squares, scratch) / COLUMNS + 1e-5f);
	y[at] = make_float4(own.x * scale * g.x + o.x, own.y * scale * g.y + o.y, own.z * scale * g.z + o.z,
	                    own.w * scale * g.w + o.w);
}

static void normalize(std::vector<double> &to, const float *x, const float *gain, const float *offset)
{
	double mean = 0, squares = 0;
	for (int i = 0; i < COLUMNS; i++)
		mean += x[i] / (double)COLUMNS;
	for (int i = 0; i < COLUMNS; i++)
		squares += (x[i] - mean) * (x[i] - mean) / COLUMNS;
	for (int i = 0; i < COLUMNS; i++)
		to.push_back((x[i] - mean) / sqrt(squares + 1e-5) * gain[i] + offset[i]);
}

int main(int argc, char **argv)
{
	program::Arguments arguments(argc, argv, "layernorm");
	int rows = arguments.number("rows", 128, 8192, 131072, "of 1024 values");
	arguments.end();
	arguments.require(rows > 0, "rows");
	program::Random random(arguments.seed());
	std::vector<float> x = random.floats((size_t)rows * COLUMNS, -1, 3);
	std::vector<float> gain = random.floats(COLUMNS, 0, 2), offset = random.floats(COLUMNS, -1, 1);
	program::Array<float> device_x(x), device_gain(gain), device_offset(offset), device_y(x.size());
	layernorm<<<rows, THREADS>>>((const float4 *)(float *)device_x, (const float4 *)(float *)device_gain,
	                             (const float4 *)(float *)device_offset, (float4 *)(float *)device_y);
	CHECK(cudaGetLastError());

	std::vector<float> got;
	std::vector<double> want;
	for (size_t row : sample::positions(rows, 512, random)) {
		std::vector<float> y = sample::part(device_y, row * COLUMNS, COLUMNS);
		got.insert(got.end(), y.begin(), y.end());
		normalize(want, &x[row * COLUMNS], gain.data(), offset.data());
	}
	program::Verdict verdict("layernorm");
	verdict.close("y", got, want, 1e-4);
	return verdict.status();
}
