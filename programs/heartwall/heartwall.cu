// heartwall: tracks points of a beating heart's wall through a sequence of ultrasound images. A block of 128 threads
// handles one point (heartwall of scratchpad sharing, after Rodinia). The first frame only cuts out a template of 51 x
// 51 pixels around each point. In each later frame a block loads its template to shared memory and correlates it with
// the image at all shifts up to `reach` pixels. Then it moves the point to the best shift. Eight shared variables,
// 11872 bytes, hold the template, its sums and the best shift of each row. One block fills most of a 16 KB scratchpad.
// The paper runs 140 points and only the first frame, whose path returns before any shared access. Therefore the blocks
// that sharing adds never wait. Templates are read as broadcasts, image rows at adjacent addresses. Windows of
// neighboring points overlap in the caches.
#include "../program.h"

#include <algorithm>

const int THREADS = 128, EDGE = 51, HALF = EDGE / 2, PIXELS = EDGE * EDGE, FARTHEST = 65;
const int SHIFTS = 2 * FARTHEST + 1; // maximum, in a row or column
const float KEPT = 0.9f;             // weight of the old template in each frame

// Subtracts the mean from the template.
__device__ __forceinline__ void prepare(float *pixels, float *partial_sum, float *partial_square, float &sum,
                                        float &square, float &deviation)
{
	int t = threadIdx.x;
	if (t < EDGE) {
		float column_sum = 0, column_square = 0;
		for (int row = 0; row < EDGE; row++) {
			float pixel = pixels[row * EDGE + t];
			column_sum += pixel;
			column_square += pixel * pixel;
		}
		partial_sum[t] = column_sum;
		partial_square[t] = column_square;
	}
	__syncthreads();
	if (t == 0 || t == 32) { // two threads, of different warps
		const float *partial = t == 0 ? partial_sum : partial_square;
		float total = 0;
		for (int column = 0; column < EDGE; column++)
			total += partial[column];
		(t == 0 ? sum : square) = total;
	}
	__syncthreads();
	float mean = sum / PIXELS;
	if (t == 0)
		deviation = sqrtf(square - sum * mean);
	for (int i = t; i < PIXELS; i += THREADS)
		pixels[i] -= mean;
	__syncthreads();
}

// For each window column and shift: the sum of the pixels under the template, and the sum of their squares.
__device__ __forceinline__ void sum_columns(const float *window, int columns, int side, float2 *sums)
{
	int width = EDGE + side - 1;
	for (int column = threadIdx.x; column < width; column += THREADS) {
		float sum = 0, square = 0;
		for (int row = 0; row < EDGE - 1 + side; row++) {
			float pixel = window[row * columns + column];
			sum += pixel;
			square += pixel * pixel;
			if (row < EDGE - 1)
				continue;
			int shift = row - (EDGE - 1);
			sums[shift * width + column] = make_float2(sum, square);
			float top = window[shift * columns + column];
			sum -= top;
			square -= top * top;
		}
	}
	__syncthreads();
}

__device__ __forceinline__ void correlate(const float *pixels, float deviation, const float *window, int columns,
                                          int side, const float2 *sums, float *surface)
{
	int width = EDGE + side - 1;
	for (int shift = threadIdx.x; shift < side * side; shift += THREADS) {
		int down = shift / side, right = shift % side;
		const float *covered = window + down * columns + right;
		float product = 0, sum = 0, square = 0;
		for (int row = 0; row < EDGE; row++)
			for (int column = 0; column < EDGE; column++)
				product += pixels[row * EDGE + column] * covered[row * columns + column];
		for (int column = 0; column < EDGE; column++) {
			float2 mine = sums[down * width + right + column];
			sum += mine.x;
			square += mine.y;
		}
		surface[shift] = product / (deviation * sqrtf(square - sum * sum / PIXELS));
	}
	__syncthreads();
}

// Writes the best shift to best_at[0].
__device__ __forceinline__ void find_best(const float *surface, int side, float *best, int *best_at)
{
	for (int row = threadIdx.x; row < side; row += THREADS) {
		int at = row * side;
		for (int shift = at + 1; shift < (row + 1) * side; shift++)
			if (surface[shift] > surface[at])
				at = shift;
		best[row] = surface[at];
		best_at[row] = at;
	}
	__syncthreads();
	if (threadIdx.x == 0)
		for (int row = 1; row < side; row++)
			if (best[row] > best[0]) {
				best[0] = best[row];
				best_at[0] = best_at[row];
			}
	__syncthreads();
}

// Pixel i of the template's square around a point. Beyond the image, border pixels are replicated.
__device__ __forceinline__ float pixel_around(const float *image, int columns, int rows, int2 point, int i)
{
	int x = min(max(point.x - HALF + i % EDGE, 0), columns - 1);
	int y = min(max(point.y - HALF + i / EDGE, 0), rows - 1);
	return image[y * columns + x];
}

// Tracked points keep a distance from the border, so that no window leaves the image.
__global__ void kernel(const float *image, int columns, int rows, int frame, int reach, int2 *points, float *templates,
                       float2 *column_sums, float *surfaces)
{
	__shared__ float pixels[PIXELS], partial_sum[EDGE], partial_square[EDGE], sum, square, best[SHIFTS], deviation;
	__shared__ int best_at[SHIFTS];
	int2 point = points[blockIdx.x];
	templates += blockIdx.x * PIXELS;
	if (frame == 0) {
		for (int i = threadIdx.x; i < PIXELS; i += THREADS)
			templates[i] = pixel_around(image, columns, rows, point, i);
		return;
	}

	int side = 2 * reach + 1, margin = HALF + reach;
	column_sums += blockIdx.x * side * (EDGE + side - 1);
	surfaces += blockIdx.x * side * side;
	const float *window = image + (point.y - margin) * columns + point.x - margin;
	for (int i = threadIdx.x; i < PIXELS; i += THREADS)
		pixels[i] = templates[i];
	__syncthreads();
	prepare(pixels, partial_sum, partial_square, sum, square, deviation);
	sum_columns(window, columns, side, column_sums);
	correlate(pixels, deviation, window, columns, side, column_sums, surfaces);
	find_best(surfaces, side, best, best_at);

	float mean = sum / PIXELS;
	point = make_int2(point.x - reach + best_at[0] % side, point.y - reach + best_at[0] / side);
	for (int i = threadIdx.x; i < PIXELS; i += THREADS)
		templates[i] = KEPT * (pixels[i] + mean) + (1 - KEPT) * pixel_around(image, columns, rows, point, i);
	if (threadIdx.x == 0)
		points[blockIdx.x] = make_int2(min(max(point.x, margin), columns - 1 - margin),
		                               min(max(point.y, margin), rows - 1 - margin));
}

// A beating heart: speckled tissue with a wall that is a bright ring around a dark chamber. It swells and shrinks by
// `reach` pixels at the ring's outer edge, or by a twentieth, so that templates keep their shape.
struct Heart {
	int size, reach;
	float middle, outer, inner;
	std::vector<float> speckle; // one grain for every third pixel

	Heart(int pixels, int reach_pixels, program::Random &random)
	    : size(pixels), reach(reach_pixels), middle((float)size / 2), outer(middle - (float)(HALF + 2 * reach + 2)),
	      inner(0.55f * outer), speckle(random.floats((size_t)size * size, 0.2f, 1))
	{
	}

	float swelling(int frame) const
	{
		const float beat[8] = {0, 0.7f, 1, 0.7f, 0, -0.7f, -1, -0.7f};
		return 1 + beat[frame % 8] * std::min((float)reach / outer, 0.05f);
	}

	// The tissue at this position, relative to the middle, in frame 0.
	float tissue(float x, float y) const
	{
		float radius = std::sqrt(x * x + y * y), bright = radius < inner ? 80 : radius < outer ? 240 : 160;
		float across = (x + (float)size) / 3, down = (y + (float)size) / 3;
		const float *grain = &speckle[(size_t)down * size + (size_t)across];
		across -= std::floor(across);
		down -= std::floor(down);
		return bright * ((1 - down) * ((1 - across) * grain[0] + across * grain[1]) +
		                 down * ((1 - across) * grain[size] + across * grain[size + 1]));
	}

	std::vector<float> image(int frame, program::Random &random) const
	{
		std::vector<float> pixels;
		float by = 1 / swelling(frame);
		for (int y = 0; y < size; y++)
			for (int x = 0; x < size; x++)
				pixels.push_back(std::floor(random.uniform(0, 8) + tissue(by * ((float)x - middle),
				                                                          by * ((float)y - middle))));
		return pixels;
	}

	// Two of five points are on the inner edge of the wall, the others on the outer edge.
	std::vector<int2> points(int count) const
	{
		std::vector<int2> all;
		for (int i = 0; i < count; i++) {
			int within = count * 2 / 5, on_ring = i < within ? within : count - within;
			float radius = i < within ? inner : outer, angle = 6.2831853f * (float)i / (float)on_ring;
			all.push_back(make_int2((int)(middle + radius * std::cos(angle)),
			                        (int)(middle + radius * std::sin(angle))));
		}
		return all;
	}
};

// The reference for one point in a later frame, in plain loops.
static void follow(const std::vector<float> &image, int size, int reach, int2 &point, double *pixels, float *surface)
{
	double mean = 0, variance = 0, best = -2;
	for (int i = 0; i < PIXELS; i++)
		mean += pixels[i] / PIXELS;
	for (int i = 0; i < PIXELS; i++)
		variance += (pixels[i] - mean) * (pixels[i] - mean);
	int2 moved = point;
	for (int y = point.y - reach; y <= point.y + reach; y++)
		for (int x = point.x - reach; x <= point.x + reach; x++) {
			const float *corner = &image[(size_t)(y - HALF) * size + x - HALF];
			double product = 0, sum = 0, square = 0;
			for (int i = 0; i < PIXELS; i++) {
				double pixel = corner[i / EDGE * size + i % EDGE];
				product += (pixels[i] - mean) * pixel;
				sum += pixel;
				square += pixel * pixel;
			}
			double match = product / std::sqrt(variance * (square - sum * sum / PIXELS));
			*surface++ = (float)match;
			if (match > best) {
				best = match;
				moved = make_int2(x, y);
			}
		}
	const float *corner = &image[(size_t)(moved.y - HALF) * size + moved.x - HALF];
	for (int i = 0; i < PIXELS; i++)
		pixels[i] = KEPT * pixels[i] + (1 - KEPT) * corner[i / EDGE * size + i % EDGE];
	int margin = HALF + reach;
	point.x = std::min(std::max(moved.x, margin), size - 1 - margin);
	point.y = std::min(std::max(moved.y, margin), size - 1 - margin);
}

int main(int argc, char **argv)
{
	program::Arguments arguments(argc, argv, "heartwall");
	int count = arguments.number("points", 4, 51, 140, "points on the wall");
	int frames = arguments.number("frames", 2, 3, 1, "images");
	int reach = arguments.number("reach", 2, 4, 15, "pixels that a point moves in a frame at most");
	int size = arguments.number("image", 160, 384, 600, "edge of an image in pixels");
	arguments.end();
	arguments.require(count > 0 && count <= 4096, "1 to 4096 points");
	arguments.require(frames > 0, "at least one frame");
	arguments.require(reach > 0 && reach <= FARTHEST, "a reach of 1 to 65");
	arguments.require(size > 4 * (HALF + 2 * reach + 2) && size <= 4096,
	                  "images larger than 4 (29 + 2 reach), at most 4096");

	program::Random random(arguments.seed());
	Heart heart(size, reach, random);
	int side = 2 * reach + 1, shifts = side * side;
	std::vector<int2> start = heart.points(count), expected = start;
	std::vector<double> expected_templates((size_t)count * PIXELS);
	std::vector<float> expected_surfaces((size_t)count * shifts);

	program::Array<float> image((size_t)size * size), templates(expected_templates.size()),
		surfaces(expected_surfaces.size());
	program::Array<float2> column_sums((size_t)count * side * (EDGE + side - 1));
	program::Array<int2> points(start);
	for (int frame = 0; frame < frames; frame++) {
		std::vector<float> pixels = heart.image(frame, random);
		image.write(pixels);
		kernel<<<count, THREADS>>>(image, size, size, frame, reach, points, templates, column_sums, surfaces);
		CHECK(cudaGetLastError());
		for (int p = 0; p < count; p++) {
			double *mine = &expected_templates[(size_t)p * PIXELS];
			const float *corner = &pixels[(size_t)(start[p].y - HALF) * size + start[p].x - HALF];
			if (frame > 0)
				follow(pixels, size, reach, expected[p], mine, &expected_surfaces[(size_t)p * shifts]);
			else
				for (int i = 0; i < PIXELS; i++)
					mine[i] = corner[i / EDGE * size + i % EDGE];
		}
	}

	program::Verdict verdict("heartwall");
	std::vector<int2> got = points.read();
	bool same = true, near = true;
	for (int p = 0; p < count; p++) {
		same = same && got[p].x == expected[p].x && got[p].y == expected[p].y;
		float by = heart.swelling(frames - 1);
		float off_x = heart.middle + by * ((float)start[p].x - heart.middle) - (float)got[p].x;
		float off_y = heart.middle + by * ((float)start[p].y - heart.middle) - (float)got[p].y;
		near = near && off_x * off_x + off_y * off_y < 4;
	}
	verdict.require(same, "points where the host finds them");
	verdict.require(near, "points within 2 pixels of the tissue that they follow");
	verdict.close("templates", templates.read(), expected_templates, 1e-4);
	if (frames > 1)
		verdict.close("surfaces", surfaces.read(), expected_surfaces, 1e-4);
	return verdict.status();
}
