// components: connected component labeling of an image by label equivalence. Every pixel gets the smallest index among
// the connected pixels of its color. CAPS uses it as CCL, one of its irregular programs. In a round each pixel looks
// for a smaller label among its four neighbors and records that the two labels are equivalent. Then the chains of
// equivalences are followed to their roots, and the pixels take the labels of the roots. Rounds repeat until nothing
// changes. Pixels and labels are read with strides, which a prefetcher can follow. The chains are read by loaded
// indexes, scattered over the image. Only threads whose pixel is a root read them, so that warps diverge.
#include "../program.h"

#include <algorithm>

const int TILE = 16; // a block is 16 x 16 pixels

__global__ void start_labels(int *labels, int *references, int width, int height)
{
	int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y, i = y * width + x;
	if (x < width && y < height)
		labels[i] = references[i] = i;
}

// references[label] becomes the smallest label next to a pixel of that label.
__global__ void scan_neighbours(const uint8_t *pixels, const int *labels, int *references, int *changed, int width,
                                int height)
{
	int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y, i = y * width + x;
	if (x >= width || y >= height)
		return;
	int colour = pixels[i], label = labels[i], low = label;
	if (y > 0 && pixels[i - width] == colour)
		low = min(low, labels[i - width]);
	if (x > 0 && pixels[i - 1] == colour)
		low = min(low, labels[i - 1]);
	if (x + 1 < width && pixels[i + 1] == colour)
		low = min(low, labels[i + 1]);
	if (y + 1 < height && pixels[i + width] == colour)
		low = min(low, labels[i + width]);
	if (low < label) {
		atomicMin(&references[label], low);
		*changed = true;
	}
}

// A label is in use if its own pixel still has it. Its root is the end of its chain.
__global__ void follow_references(const int *labels, const int *references, int *roots, int width, int height)
{
	int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y, i = y * width + x;
	if (x < width && y < height && labels[i] == i) {
		int root = references[i];
		while (references[root] != root)
			root = references[root];
		roots[i] = root;
	}
}

__global__ void take_roots(int *labels, const int *roots, int width, int height)
{
	int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y, i = y * width + x;
	if (x < width && y < height)
		labels[i] = roots[labels[i]];
}

// Regions of many sizes: smooth noise of several scales in four gray levels. One pixel in 64 is random.
static std::vector<uint8_t> make_image(int width, int height, program::Random &random)
{
	std::vector<float> level((size_t)width * height, 0);
	for (int scale = 4; scale <= 64; scale *= 2) {
		int columns = width / scale + 2;
		std::vector<float> grid = random.floats((size_t)columns * (height / scale + 2), -1, 1);
		for (int y = 0; y < height; y++)
			for (int x = 0; x < width; x++) {
				const float *corner = &grid[(size_t)(y / scale) * columns + x / scale];
				float fx = (float)(x % scale) / scale, fy = (float)(y % scale) / scale;
				float upper = corner[0] + fx * (corner[1] - corner[0]);
				float lower = corner[columns] + fx * (corner[columns + 1] - corner[columns]);
				level[(size_t)y * width + x] += sqrtf((float)scale) * (upper + fy * (lower - upper));
			}
	}
	std::vector<uint8_t> pixels;
	for (float value : level) {
		int grey = std::min(std::max((int)floorf(value / 4 + 2), 0), 3);
		pixels.push_back((uint8_t)(random.below(64) ? grey : random.below(4)));
	}
	return pixels;
}

// Flood fill from each pixel that no earlier fill has reached.
static std::vector<int> fill(const std::vector<uint8_t> &pixels, int width, int height)
{
	std::vector<int> labels(pixels.size(), -1), stack;
	for (int start = 0; start < (int)pixels.size(); start++) {
		if (labels[start] >= 0)
			continue;
		auto visit = [&](int i) {
			if (labels[i] < 0 && pixels[i] == pixels[start]) {
				labels[i] = start;
				stack.push_back(i);
			}
		};
		visit(start);
		while (!stack.empty()) {
			int i = stack.back(), x = i % width, y = i / width;
			stack.pop_back();
			if (x > 0)
				visit(i - 1);
			if (x + 1 < width)
				visit(i + 1);
			if (y > 0)
				visit(i - width);
			if (y + 1 < height)
				visit(i + width);
		}
	}
	return labels;
}

int main(int argc, char **argv)
{
	program::Arguments arguments(argc, argv, "components");
	int width = arguments.number("width", 64, 384, 1024, "columns of the image");
	int height = arguments.number("height", 48, 256, 1024, "rows of the image");
	arguments.end();
	arguments.require(width > 0 && height > 0 && (long long)width * height < 1 << 30,
	                  "an image of fewer than 2^30 pixels");

	program::Random random(arguments.seed());
	std::vector<uint8_t> image = make_image(width, height, random);
	program::Array<uint8_t> pixels(image);
	program::Array<int> labels(image.size()), references(image.size()), roots(image.size()), changed(1);
	dim3 grid(program::blocks(width, TILE), program::blocks(height, TILE)), block(TILE, TILE);
	start_labels<<<grid, block>>>(labels, references, width, height);
	do {
		changed.clear();
		scan_neighbours<<<grid, block>>>(pixels, labels, references, changed, width, height);
		follow_references<<<grid, block>>>(labels, references, roots, width, height);
		take_roots<<<grid, block>>>(labels, roots, width, height);
		CHECK(cudaGetLastError());
	} while (changed.read()[0]);

	program::Verdict verdict("components");
	verdict.equal("labels", labels.read(), fill(image, width, height));
	return verdict.status();
}
