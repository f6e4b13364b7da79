// srad: speckle reducing anisotropic diffusion of an ultrasound picture. One kernel computes how freely each pixel may
// mix with its neighbors, and a second one mixes. TELEPORT and prefetch-CTA (SRD), scratchpad sharing (SRAD1, SRAD2:
// the two kernels). It is bound by memory: four differences and a coefficient per pixel are written to global memory
// and read back. The form `plain` has no shared memory, as in the first two papers. `shared` is scratchpad sharing's
// form, with blocks of 24 x 24, so that shared memory limits the number of resident blocks. Every thread has its pixel,
// the pixels beyond the block's four edges, and its result in separate tiles. Rows are padded to whole lines. 2040 x
// 2040 pixels are the 85 x 85 blocks of that paper's Table 4.
#include "../program.h"

const int EDGE = 16;       // side of a block of plain
const int BLOCK_SIZE = 24; // side of a block of shared: sharing, Table 3

// How freely a pixel may mix: little if it differs from its neighbors by more than speckle.
__device__ __host__ static inline float coefficient(float here, float n, float s, float w, float e, float speckle)
{
	float gradient = (n * n + s * s + w * w + e * e) / (here * here);
	float laplacian = (n + s + w + e) / here;
	float variation = 0.5f * gradient - laplacian * laplacian / 16;
	float mean = 1 + 0.25f * laplacian;
	float excess = (variation / (mean * mean) - speckle) / (speckle * (1 + speckle));
	float c = 1 / (1 + excess);
	return c < 0 ? 0 : c > 1 ? 1 : c;
}

__global__ void srad_1(const float *image, float *c, float *north, float *south, float *west, float *east, int width,
                       int height, int pitch, float speckle)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	int y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x >= width || y >= height)
		return;
	int i = y * pitch + x;
	float here = image[i];
	float n = y > 0 ? image[i - pitch] - here : 0;
	north[i] = n;
	float s = y < height - 1 ? image[i + pitch] - here : 0;
	south[i] = s;
	float w = x > 0 ? image[i - 1] - here : 0;
	west[i] = w;
	float e = x < width - 1 ? image[i + 1] - here : 0;
	east[i] = e;
	c[i] = coefficient(here, n, s, w, e, speckle);
}

__global__ void srad_2(float *image, const float *c, const float *north, const float *south, const float *west,
                       const float *east, int width, int height, int pitch, float quarter)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	int y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x >= width || y >= height)
		return;
	int i = y * pitch + x;
	bool below = y < height - 1, beside = x < width - 1;
	float here = c[i];
	float divergence = here * north[i] + here * west[i];
	divergence += (below ? c[i + pitch] : here) * south[i];
	divergence += (beside ? c[i + 1] : here) * east[i];
	image[i] += quarter * divergence;
}

// Pixels beyond the block, one per thread. Without volatile, the compiler would select an address and load once. The
// paper's program (sharing, Fig. 7) branches instead, and each load names its variable.
typedef volatile float Beyond[BLOCK_SIZE][BLOCK_SIZE];
typedef float Pixels[BLOCK_SIZE][BLOCK_SIZE];

// Rodinia has barriers between the loads.
template <bool rodinia>
__device__ void find_coefficients(Pixels &temp, Pixels &temp_result, Beyond &north_of, Beyond &south_of,
                                  Beyond &west_of, Beyond &east_of, float *east, float *west, float *north,
                                  float *south, const float *image, float *c, int width, int height, int pitch,
                                  float speckle)
{
	int tx = threadIdx.x, ty = threadIdx.y;
	int left = blockIdx.x * BLOCK_SIZE, top = blockIdx.y * BLOCK_SIZE;
	int x = left + tx, y = top + ty, i = y * pitch + x;

	// At the picture's edge, the edge pixel replaces the one beyond.
	north_of[ty][tx] = image[max(top - 1, 0) * pitch + x];
	south_of[ty][tx] = image[min(top + BLOCK_SIZE, height - 1) * pitch + x];
	if (rodinia)
		__syncthreads();
	west_of[ty][tx] = image[y * pitch + max(left - 1, 0)];
	east_of[ty][tx] = image[y * pitch + min(left + BLOCK_SIZE, width - 1)];
	if (rodinia)
		__syncthreads();
	temp[ty][tx] = image[i];
	__syncthreads();

	float here = temp[ty][tx];
	float n = (ty == 0 ? north_of[ty][tx] : temp[ty - 1][tx]) - here;
	float s = (ty == BLOCK_SIZE - 1 ? south_of[ty][tx] : temp[ty + 1][tx]) - here;
	float w = (tx == 0 ? west_of[ty][tx] : temp[ty][tx - 1]) - here;
	float e = (tx == BLOCK_SIZE - 1 ? east_of[ty][tx] : temp[ty][tx + 1]) - here;
	temp_result[ty][tx] = coefficient(here, n, s, w, e, speckle);
	__syncthreads();

	c[i] = temp_result[ty][tx];
	east[i] = e;
	west[i] = w;
	north[i] = n;
	south[i] = s;
}

__global__ void srad_cuda_1(float *east, float *west, float *north, float *south, const float *image, float *c,
                            int width, int height, int pitch, float speckle)
{
	__shared__ Pixels temp, temp_result;
	__shared__ Beyond north_of, south_of, west_of, east_of;
	find_coefficients<false>(temp, temp_result, north_of, south_of, west_of, east_of, east, west, north, south,
	                         image, c, width, height, pitch, speckle);
}

// Rodinia loads the image first, and has barriers between the loads.
template <bool rodinia>
__device__ void mix(Pixels &c_cuda_temp, Pixels &c_cuda_result, Pixels &temp, Beyond &south_of, Beyond &east_of,
                    const float *east, const float *west, const float *north, const float *south, float *image,
                    const float *c, int width, int height, int pitch, float quarter)
{
	int tx = threadIdx.x, ty = threadIdx.y;
	int left = blockIdx.x * BLOCK_SIZE, top = blockIdx.y * BLOCK_SIZE;
	int x = left + tx, y = top + ty, i = y * pitch + x;

	if (rodinia) {
		temp[ty][tx] = image[i];
		__syncthreads();
	}
	south_of[ty][tx] = c[min(top + BLOCK_SIZE, height - 1) * pitch + x];
	if (rodinia)
		__syncthreads();
	east_of[ty][tx] = c[y * pitch + min(left + BLOCK_SIZE, width - 1)];
	if (rodinia)
		__syncthreads();
	else
		temp[ty][tx] = image[i];
	c_cuda_temp[ty][tx] = c[i];
	__syncthreads();

	float here = c_cuda_temp[ty][tx];
	float c_south = ty == BLOCK_SIZE - 1 ? south_of[ty][tx] : c_cuda_temp[ty + 1][tx];
	float c_east = tx == BLOCK_SIZE - 1 ? east_of[ty][tx] : c_cuda_temp[ty][tx + 1];
	float divergence = here * north[i] + c_south * south[i] + here * west[i] + c_east * east[i];
	c_cuda_result[ty][tx] = temp[ty][tx] + quarter * divergence;
	__syncthreads();

	image[i] = c_cuda_result[ty][tx];
}

__global__ void srad_cuda_2(const float *east, const float *west, const float *north, const float *south, float *image,
                            const float *c, int width, int height, int pitch, float quarter)
{
	__shared__ Pixels c_cuda_temp, c_cuda_result, temp;
	__shared__ Beyond south_of, east_of;
	mix<false>(c_cuda_temp, c_cuda_result, temp, south_of, east_of, east, west, north, south, image, c, width,
	           height, pitch, quarter);
}

// CUDA 4.0 places shared variables in the order of their first use.
__global__ void srad_cuda_1_rodinia(float *east, float *west, float *north, float *south, const float *image, float *c,
                                    int width, int height, int pitch, float speckle)
{
	__shared__ Beyond north_of, south_of, west_of, east_of;
	__shared__ Pixels temp, temp_result;
	find_coefficients<true>(temp, temp_result, north_of, south_of, west_of, east_of, east, west, north, south,
	                        image, c, width, height, pitch, speckle);
}

__global__ void srad_cuda_2_rodinia(const float *east, const float *west, const float *north, const float *south,
                                    float *image, const float *c, int width, int height, int pitch, float quarter)
{
	__shared__ Pixels temp;
	__shared__ Beyond south_of, east_of;
	__shared__ Pixels c_cuda_temp, c_cuda_result;
	mix<true>(c_cuda_temp, c_cuda_result, temp, south_of, east_of, east, west, north, south, image, c, width,
	          height, pitch, quarter);
}

struct Picture {
	int width, height, pitch;
	std::vector<float> pixels;

	// Strength of the speckle: the variance of an area of one shade, relative to its squared mean.
	float speckle(const std::vector<float> &now) const
	{
		double sum = 0, squares = 0;
		int edge = std::min(std::min(width, height), 128);
		for (int y = 0; y < edge; y++)
			for (int x = 0; x < edge; x++) {
				sum += now[y * pitch + x];
				squares += (double)now[y * pitch + x] * now[y * pitch + x];
			}
		double mean = sum / edge / edge;
		return (float)((squares / edge / edge - mean * mean) / (mean * mean));
	}
};

// A few round organs of different echo in tissue, under multiplicative speckle.
static Picture ultrasound(program::Random &random, int width, int height)
{
	Picture picture = {width, height, (width + 31) / 32 * 32, {}};
	picture.pixels.assign((size_t)picture.pitch * height, 0);
	struct {
		float x, y, radius, echo;
	} organs[8];
	for (auto &organ : organs)
		organ = {random.uniform() * width, random.uniform() * height, random.uniform(0.05f, 0.2f) * width,
		         random.uniform(0.2f, 0.9f)};
	for (int y = 0; y < height; y++)
		for (int x = 0; x < width; x++) {
			float echo = 0.5f;
			for (auto &organ : organs)
				if ((x - organ.x) * (x - organ.x) + (y - organ.y) * (y - organ.y) <
				    organ.radius * organ.radius)
					echo = organ.echo;
			picture.pixels[y * picture.pitch + x] = std::exp(echo + random.uniform(-0.3f, 0.3f));
		}
	return picture;
}

static std::vector<float> expect(const Picture &picture, int steps, float quarter)
{
	int width = picture.width, height = picture.height, pitch = picture.pitch;
	std::vector<float> image(picture.pixels), c(image.size()), north(c), south(c), west(c), east(c);
	for (int step = 0; step < steps; step++) {
		float speckle = picture.speckle(image);
		for (int y = 0; y < height; y++)
			for (int x = 0; x < width; x++) {
				int i = y * pitch + x;
				float here = image[i];
				north[i] = y > 0 ? image[i - pitch] - here : 0;
				south[i] = y < height - 1 ? image[i + pitch] - here : 0;
				west[i] = x > 0 ? image[i - 1] - here : 0;
				east[i] = x < width - 1 ? image[i + 1] - here : 0;
				c[i] = coefficient(here, north[i], south[i], west[i], east[i], speckle);
			}
		for (int y = 0; y < height; y++)
			for (int x = 0; x < width; x++) {
				int i = y * pitch + x;
				float c_south = y < height - 1 ? c[i + pitch] : c[i];
				float c_east = x < width - 1 ? c[i + 1] : c[i];
				image[i] += quarter *
				            (c[i] * north[i] + c_south * south[i] + c[i] * west[i] + c_east * east[i]);
			}
	}
	return image;
}

int main(int argc, char **argv)
{
	program::Arguments arguments(argc, argv, "srad", {"plain", "shared", "rodinia"});
	int width = arguments.number("width", 96, 480, 2040, "pixels in a row");
	int height = arguments.number("height", 72, 480, 2040, "rows");
	int steps = arguments.number("steps", 2, 2, 1, "steps of diffusion");
	arguments.end();
	bool fits = arguments.is("plain") || (width % BLOCK_SIZE == 0 && height % BLOCK_SIZE == 0);
	arguments.require(width > 0 && height > 0 && fits,
	                  "a width and a height, except in the form plain multiples of 24");

	program::Random random(arguments.seed());
	const float quarter = 0.25f * 0.5f; // a quarter of lambda, the speed
	Picture picture = ultrasound(random, width, height);
	std::vector<float> expected = expect(picture, steps, quarter);

	size_t count = picture.pixels.size();
	int pitch = picture.pitch;
	program::Array<float> image(picture.pixels), c(count), north(count), south(count), west(count), east(count);
	dim3 tiles(width / BLOCK_SIZE, height / BLOCK_SIZE), tile(BLOCK_SIZE, BLOCK_SIZE);
	dim3 grid(program::blocks(width, EDGE), program::blocks(height, EDGE)), block(EDGE, EDGE);
	for (int step = 0; step < steps; step++) {
		float speckle = picture.speckle(image.read());
		if (arguments.is("shared")) {
			srad_cuda_1<<<tiles, tile>>>(east, west, north, south, image, c, width, height, pitch, speckle);
			srad_cuda_2<<<tiles, tile>>>(east, west, north, south, image, c, width, height, pitch, quarter);
		} else if (arguments.is("rodinia")) {
			srad_cuda_1_rodinia<<<tiles, tile>>>(east, west, north, south, image, c, width, height, pitch,
			                                     speckle);
			srad_cuda_2_rodinia<<<tiles, tile>>>(east, west, north, south, image, c, width, height, pitch,
			                                     quarter);
		} else {
			srad_1<<<grid, block>>>(image, c, north, south, west, east, width, height, pitch, speckle);
			srad_2<<<grid, block>>>(image, c, north, south, west, east, width, height, pitch, quarter);
		}
		CHECK(cudaGetLastError());
	}

	program::Verdict verdict("srad");
	verdict.close("image", image.read(), expected, 1e-4);
	return verdict.status();
}
