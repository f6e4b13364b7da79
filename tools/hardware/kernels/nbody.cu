// nbody: the accelerations of bodies by all others. Blocks pass tiles of 256 bodies through shared memory. Compute
// bound: about 20 floating-point operations per pair, among them one reciprocal square root.
#include "sample.h"

const int TILE = 256;
const float SOFTENING = 1e-2f;

__device__ float3 pull(float3 sum, float4 to, float4 from)
{
	float dx = from.x - to.x, dy = from.y - to.y, dz = from.z - to.z;
	float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + SOFTENING);
	float scale = from.w * inverse * inverse * inverse;
	return make_float3(sum.x + dx * scale, sum.y + dy * scale, sum.z + dz * scale);
}

// A body is x, y, z, mass.
__global__ void nbody(const float4 *bodies, float4 *pulls, int n)
{
	__shared__ float4 tile[TILE];
	int own = blockIdx.x * TILE + threadIdx.x;
	float4 body = bodies[own];
	float3 sum = make_float3(0, 0, 0);
	for (int first = 0; first < n; first += TILE) {
		tile[threadIdx.x] = bodies[first + threadIdx.x];
		__syncthreads();
#pragma unroll 8
		for (int i = 0; i < TILE; i++)
			sum = pull(sum, body, tile[i]);
		__syncthreads();
	}
	pulls[own] = make_float4(sum.x, sum.y, sum.z, 0);
}

static void host_pull(double (&sum)[3], const float4 &to, const float4 &from)
{
	double dx = (double)from.x - to.x, dy = (double)from.y - to.y, dz = (double)from.z - to.z;
	double scale = from.w / pow(dx * dx + dy * dy + dz * dz + SOFTENING, 1.5);
	sum[0] += dx * scale;
	sum[1] += dy * scale;
	sum[2] += dz * scale;
}

int main(int argc, char **argv)
{
	program::Arguments arguments(argc, argv, "nbody");
	int n = arguments.number("bodies", 1024, 4096, 1 << 16, "a multiple of 256");
	arguments.end();
	arguments.require(n > 0 && n % TILE == 0 && n <= 1 << 22, "bodies in multiples of 256");
	program::Random random(arguments.seed());
	std::vector<float4> bodies(n);
	for (float4 &body : bodies) {
		body.x = random.uniform(-1, 1);
		body.y = random.uniform(-1, 1);
		body.z = random.uniform(-1, 1);
		body.w = random.uniform(0, 1) / n;
	}
	program::Array<float4> device_bodies(bodies), device_pulls((size_t)n);
	nbody<<<n / TILE, TILE>>>(device_bodies, device_pulls, n);
	CHECK(cudaGetLastError());

	std::vector<float4> pulls = device_pulls.read();
	std::vector<float> got;
	std::vector<double> want;
	for (size_t body : sample::positions(n, 64, random)) {
		double sum[3] = {};
		for (const float4 &other : bodies)
			host_pull(sum, bodies[body], other);
		want.insert(want.end(), sum, sum + 3);
		got.insert(got.end(), {pulls[body].x, pulls[body].y, pulls[body].z});
	}
	program::Verdict verdict("nbody");
	verdict.close("pulls", got, want, 1e-4);
	return verdict.status();
}
