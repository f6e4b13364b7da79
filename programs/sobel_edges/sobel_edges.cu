// sobel_edges: the strength of edges in a gray picture, by Sobel's filter. TELEPORT and prefetch-CTA (EDS). Pixels are
// bytes and blocks 16 x 16, so that half a warp reads 16 bytes of a line. For these, 32-byte transactions suffice; a
// prefetcher of whole lines fetches several times that amount (prefetch-CTA, V.B). The form `plain` checks for each
// neighbor whether it is in the picture; pixels outside count as dark. `shared`, TELEPORT's hand-written form, checks
// once, when it fills a tile in shared memory, and so executes fewer instructions.
#include "../program.h"

typedef unsigned char Pixel;

const int EDGE = 16; // side of a block
const Pixel DARK = 0;

__global__ void sobel_edges(const Pixel *image, Pixel *edges, int width, int height)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	int y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x >= width || y >= height)
		return;
	int i = y * width + x;
	bool north = y > 0, south = y<height - 1, west = x> 0, east = x < width - 1;
	int nw = north && west ? image[i - width - 1] : DARK;
	int n = north ? image[i - width] : DARK;
	int ne = north && east ? image[i - width + 1] : DARK;
	int w = west ? image[i - 1] : DARK;
	int e = east ? image[i + 1] : DARK;
	int sw = south && west ? image[i + width - 1] : DARK;
	int s = south ? image[i + width] : DARK;
	int se = south && east ? image[i + width + 1] : DARK;
	int across = ne + 2 * e + se - nw - 2 * w - sw;
	int down = sw + 2 * s + se - nw - 2 * n - ne;
	edges[i] = min(abs(across) + abs(down), 255);
}

__global__ void sobel_edges_shared(const Pixel *image, Pixel *edges, int width, int height)
{
	__shared__ Pixel tile[EDGE + 2][EDGE + 2];
	int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
	int left = blockIdx.x * EDGE - 1, top = blockIdx.y * EDGE - 1;
	int x = left + tx, y = top + ty;
	auto pixel = [=](int column, int row) {
		bool inside = column >= 0 && column < width && row >= 0 && row < height;
		return inside ? image[row * width + column] : DARK;
	};
	tile[ty][tx] = pixel(x, y);
	// The ring around the tile: one warp loads the rows above and below, another one the columns on both sides.
	int thread = threadIdx.y * EDGE + threadIdx.x;
	if (thread < EDGE + 2) {
		tile[0][thread] = pixel(left + thread, top);
		tile[EDGE + 1][thread] = pixel(left + thread, top + EDGE + 1);
	} else if (thread >= 32 && thread < 32 + EDGE) {
		int row = thread - 31;
		tile[row][0] = pixel(left, top + row);
		tile[row][EDGE + 1] = pixel(left + EDGE + 1, top + row);
	}
	__syncthreads();
	if (x >= width || y >= height)
		return;
	int across = tile[ty - 1][tx + 1] + 2 * tile[ty][tx + 1] + tile[ty + 1][tx + 1] - tile[ty - 1][tx - 1] -
	             2 * tile[ty][tx - 1] - tile[ty + 1][tx - 1];
	int down = tile[ty + 1][tx - 1] + 2 * tile[ty + 1][tx] + tile[ty + 1][tx + 1] - tile[ty - 1][tx - 1] -
	           2 * tile[ty - 1][tx] - tile[ty - 1][tx + 1];
	edges[y * width + x] = min(abs(across) + abs(down), 255);
}

static std::vector<Pixel> expect(const std::vector<Pixel> &image, int width, int height)
{
	std::vector<Pixel> edges(image.size());
	auto pixel = [&](int x, int y) {
		return x < 0 || x >= width || y < 0 || y >= height ? (int)DARK : (int)image[y * width + x];
	};
	for (int y = 0; y < height; y++)
		for (int x = 0; x < width; x++) {
			int across = 0, down = 0;
			for (int d = -1; d <= 1; d++) {
				int weight = d ? 1 : 2;
				across += weight * (pixel(x + 1, y + d) - pixel(x - 1, y + d));
				down += weight * (pixel(x + d, y + 1) - pixel(x + d, y - 1));
			}
			edges[y * width + x] = (Pixel)std::min(std::abs(across) + std::abs(down), 255);
		}
	return edges;
}

// Rectangles of many shades over a brightness gradient, with noise.
static std::vector<Pixel> picture(program::Random &random, int width, int height)
{
	std::vector<Pixel> image((size_t)width * height);
	for (int y = 0; y < height; y++)
		for (int x = 0; x < width; x++)
			image[y * width + x] = (Pixel)(32 + 96LL * (x + y) / (width + height));
	for (int shape = 0; shape < 40; shape++) {
		int w = 1 + random.below((width + 2) / 3), h = 1 + random.below((height + 2) / 3);
		int left = random.below(width), top = random.below(height);
		Pixel shade = (Pixel)random.below(248);
		for (int y = top; y < height && y < top + h; y++)
			for (int x = left; x < width && x < left + w; x++)
				image[y * width + x] = shade;
	}
	for (Pixel &pixel : image)
		pixel = (Pixel)(pixel + random.below(8));
	return image;
}

int main(int argc, char **argv)
{
	program::Arguments arguments(argc, argv, "sobel_edges", {"plain", "shared"});
	int width = arguments.number("width", 192, 1024, 2048, "pixels in a row");
	int height = arguments.number("height", 128, 1024, 2048, "rows");
	arguments.end();
	arguments.require(width > 0 && height > 0, "a picture");

	program::Random random(arguments.seed());
	std::vector<Pixel> image = picture(random, width, height);

	program::Array<Pixel> device_image(image), edges(image.size());
	dim3 grid(program::blocks(width, EDGE), program::blocks(height, EDGE)), block(EDGE, EDGE);
	if (arguments.is("shared"))
		sobel_edges_shared<<<grid, block>>>(device_image, edges, width, height);
	else
		sobel_edges<<<grid, block>>>(device_image, edges, width, height);
	CHECK(cudaGetLastError());

	program::Verdict verdict("sobel_edges");
	verdict.equal("edges", edges.read(), expect(image, width, height));
	return verdict.status();
}
