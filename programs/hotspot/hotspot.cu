// hotspot: temperatures on a chip over time. Each cell turns power into heat, and heat flows to its four neighbors and
// to the air. TELEPORT and prefetch-CTA (HSP), CAPS (HSP). A block reads two 2-D tiles and writes one; five threads
// read every temperature. The form `plain` leaves that reuse to the caches, with one launch per time step. `shared` is
// TELEPORT's hand-written form; the other two papers run it too, as in Rodinia. It has a tile of both inputs in shared
// memory. It can take several steps per launch (`--pyramid`), each of which costs a ring of cells at the tile's edge.
// With 1 step it does the same as `plain`, as in TELEPORT's comparison (5.1.1). TELEPORT reports 50 % occupancy because
// of its registers: with blocks of 256 threads on that machine, 33 to 42 per thread.
#include "../program.h"

const int EDGE = 16; // side of a block

// Temperature changes of one time step, per degree of difference and per watt.
struct Chip {
	float by_row, by_column, by_air, by_power, air;
};

__global__ void hotspot(const float *temperature, const float *power, float *result, int width, int height, Chip chip)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	int y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x >= width || y >= height)
		return;
	// No heat leaves the chip sideways: a cell at the edge is its own neighbor.
	int i = y * width + x;
	float here = temperature[i];
	float north = y > 0 ? temperature[i - width] : here;
	float south = y < height - 1 ? temperature[i + width] : here;
	float west = x > 0 ? temperature[i - 1] : here;
	float east = x < width - 1 ? temperature[i + 1] : here;
	result[i] = here + chip.by_power * power[i] + chip.by_row * (north + south - 2 * here) +
	            chip.by_column * (west + east - 2 * here) + chip.by_air * (chip.air - here);
}

__global__ void hotspot_shared(const float *temperature, const float *power, float *result, int width, int height,
                               int steps, Chip chip)
{
	__shared__ float now[EDGE][EDGE], heat[EDGE][EDGE], next[EDGE][EDGE];
	int tx = threadIdx.x, ty = threadIdx.y;

	// Tiles overlap by the cells that are lost at their edges: one on each side per step.
	int kept = EDGE - 2 * steps;
	int left = blockIdx.x * kept - steps, top = blockIdx.y * kept - steps;
	int x = left + tx, y = top + ty;
	bool inside = x >= 0 && x < width && y >= 0 && y < height;
	if (inside) {
		now[ty][tx] = temperature[y * width + x];
		heat[ty][tx] = power[y * width + x];
	}
	int north = max(ty - 1, max(-top, 0)), south = min(ty + 1, min(height - 1 - top, EDGE - 1));
	int west = max(tx - 1, max(-left, 0)), east = min(tx + 1, min(width - 1 - left, EDGE - 1));

	bool good = inside;
	for (int step = 1; step <= steps; step++) {
		__syncthreads();
		good = inside && tx >= step && tx < EDGE - step && ty >= step && ty < EDGE - step;
		if (good) {
			float here = now[ty][tx];
			next[ty][tx] = here + chip.by_power * heat[ty][tx] +
			               chip.by_row * (now[north][tx] + now[south][tx] - 2 * here) +
			               chip.by_column * (now[ty][west] + now[ty][east] - 2 * here) +
			               chip.by_air * (chip.air - here);
		}
		if (step == steps)
			break;
		__syncthreads();
		if (good)
			now[ty][tx] = next[ty][tx];
	}
	if (good)
		result[y * width + x] = next[ty][tx];
}

static std::vector<float> expect(std::vector<float> temperature, const std::vector<float> &power, int width, int height,
                                 int steps, Chip chip)
{
	std::vector<float> result(temperature.size());
	for (int step = 0; step < steps; step++) {
		for (int y = 0; y < height; y++)
			for (int x = 0; x < width; x++) {
				int i = y * width + x;
				float here = temperature[i];
				float north = y > 0 ? temperature[i - width] : here;
				float south = y < height - 1 ? temperature[i + width] : here;
				float west = x > 0 ? temperature[i - 1] : here;
				float east = x < width - 1 ? temperature[i + 1] : here;
				result[i] = here + chip.by_power * power[i] + chip.by_row * (north + south - 2 * here) +
				            chip.by_column * (west + east - 2 * here) + chip.by_air * (chip.air - here);
			}
		temperature.swap(result);
	}
	return temperature;
}

// A silicon die of 16 x 16 x 0.5 mm with a heat sink.
static Chip material(int width, int height)
{
	const double edge = 0.016, thickness = 0.0005, conductivity = 100, heat_capacity = 1.75e6, drain = 2.5e4;
	double dx = edge / width, dy = edge / height;
	double capacity = heat_capacity * thickness * dx * dy;
	double row = conductivity * thickness * dx / dy, column = conductivity * thickness * dy / dx,
	       air = drain * dx * dy;
	double step = 0.5 * capacity / (2 * row + 2 * column + air); // half of the stability limit
	return {(float)(step / capacity * row), (float)(step / capacity * column), (float)(step / capacity * air),
	        (float)(step / capacity), 318.0f};
}

// Units of the chip: rectangles, each with its power density, over a base of leakage.
static std::vector<float> floor_plan(program::Random &random, int width, int height)
{
	double cell = 0.016 * 0.016 / ((double)width * height);
	std::vector<float> power((size_t)width * height, (float)(5e4 * cell));
	for (int unit = 0; unit < 24; unit++) {
		int w = 1 + random.below((width + 3) / 4), h = 1 + random.below((height + 3) / 4);
		int left = random.below(width), top = random.below(height);
		float watts = (float)(random.uniform(2e5f, 3e6f) * cell);
		for (int y = top; y < height && y < top + h; y++)
			for (int x = left; x < width && x < left + w; x++)
				power[y * width + x] = watts;
	}
	return power;
}

int main(int argc, char **argv)
{
	program::Arguments arguments(argc, argv, "hotspot", {"plain", "shared"});
	int width = arguments.number("width", 96, 512, 1024, "cells in a row");
	int height = arguments.number("height", 96, 512, 1024, "rows");
	int steps = arguments.number("steps", 2, 4, 4, "steps of time");
	int pyramid = arguments.number("pyramid", 1, 1, 1, "steps in one launch of shared, 1 to 7");
	arguments.end();
	arguments.require(width > 0 && height > 0 && steps > 0, "positive sizes");
	arguments.require(pyramid >= 1 && pyramid <= 7, "a pyramid of 1 to 7 steps");

	program::Random random(arguments.seed());
	Chip chip = material(width, height);
	std::vector<float> power = floor_plan(random, width, height);
	std::vector<float> temperature = random.floats(power.size(), 323, 343);
	std::vector<float> expected = expect(temperature, power, width, height, steps, chip);

	program::Array<float> device_power(power), first(temperature), second(temperature.size());
	float *from = first, *to = second;
	dim3 block(EDGE, EDGE);
	int pace = arguments.is("shared") ? pyramid : 1;
	for (int done = 0; done < steps; done += pace) {
		if (arguments.is("shared")) {
			int now = std::min(pyramid, steps - done), kept = EDGE - 2 * now;
			dim3 grid(program::blocks(width, kept), program::blocks(height, kept));
			hotspot_shared<<<grid, block>>>(from, device_power, to, width, height, now, chip);
		} else {
			dim3 grid(program::blocks(width, EDGE), program::blocks(height, EDGE));
			hotspot<<<grid, block>>>(from, device_power, to, width, height, chip);
		}
		CHECK(cudaGetLastError());
		std::swap(from, to);
	}

	program::Verdict verdict("hotspot");
	verdict.close("temperature", from == first ? first.read() : second.read(), expected, 1e-6);
	return verdict.status();
}
