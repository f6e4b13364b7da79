// nearest_neighbor: the records of a text file that are nearest to a point, as in Rodinia's first nn. Each thread reads
// latitude and longitude from the text of its record and writes the distance; the host searches for the nearest.
// TELEPORT and prefetch-CTA call it NNC. Blocks have 16 threads, so that the limit of eight blocks fills 8 % of an SM.
// A record is 49 bytes: the threads of a warp read bytes 49 apart, eleven times, all within the 784 bytes of their
// block. The load indexes depend on an induction variable with known bounds.
// The variant pairs is Rodinia's later nn: the host reads the text, and 256 threads per block read pairs of floats.
#include "../program.h"

#include <algorithm>

const int BLOCK = 16, PAIRS_BLOCK = 256, NEAREST = 10;
const int RECORD = 49, LATITUDE = 27, LONGITUDE = 33; // bytes of a record, and offsets of its two numbers
const int LATITUDE_WIDTH = 5, LONGITUDE_WIDTH = 6;    // characters; the last digit is tenths

__global__ void euclid(const char *records, float *distances, int count, float latitude, float longitude)
{
	int record = blockIdx.x * blockDim.x + threadIdx.x;
	if (record >= count)
		return;
	int north = 0, east = 0; // in tenths of a degree
	for (int i = 0; i < LATITUDE_WIDTH; i++) {
		char c = records[record * RECORD + LATITUDE + i];
		if (c >= '0' && c <= '9')
			north = north * 10 + (c - '0');
	}
	for (int i = 0; i < LONGITUDE_WIDTH; i++) {
		char c = records[record * RECORD + LONGITUDE + i];
		if (c >= '0' && c <= '9')
			east = east * 10 + (c - '0');
	}
	float dy = north * 0.1f - latitude, dx = east * 0.1f - longitude;
	distances[record] = sqrtf(dy * dy + dx * dx);
}

__global__ void euclid_pairs(const float2 *places, float *distances, int count, float latitude, float longitude)
{
	int place = blockIdx.x * blockDim.x + threadIdx.x;
	if (place >= count)
		return;
	float dy = places[place].x - latitude, dx = places[place].y - longitude;
	distances[place] = sqrtf(dy * dy + dx * dx);
}

struct Place {
	int north, east; // in tenths of a degree
};

// Tracks of storms: every six hours, one line with date, name, position, wind and pressure.
static std::string write_records(program::Random &random, std::vector<Place> &places)
{
	static const char *const names[] = {"ALBERTO", "BERYL", "CHRIS", "DEBBY", "ERNESTO", "GORDON"};
	std::string text;
	Place place = {0, 0};
	int year = 1950, name = 0, hour = 0, left = 0;
	for (Place &now : places) {
		if (left-- == 0) { // the next storm begins in the tropics
			place = {(int)random.below(150) + 70, (int)random.below(3000) + 50};
			left = (int)random.below(60) + 4;
			year = 1950 + (int)random.below(55);
			name = (int)random.below(6);
		}
		place.north = std::min(place.north + (int)random.below(8), 650);
		place.east = std::max(place.east + (int)random.below(16) - 10, 0);
		hour = (hour + 6) % 24;
		now = place;
		char line[RECORD + 1];
		snprintf(line, sizeof line, "%4d %2d %2d %2d  1 %-10.10s%5.1f %6.1f %4d %3d\n", year,
		         6 + (int)random.below(5), 1 + (int)random.below(28), hour, names[name], place.north * 0.1,
		         place.east * 0.1, 25 + (int)random.below(120), 900 + (int)random.below(100));
		text += line;
	}
	return text;
}

static std::vector<char> bytes_of_pairs(const std::vector<Place> &places)
{
	std::vector<float2> pairs;
	for (const Place &place : places)
		pairs.push_back({place.north * 0.1f, place.east * 0.1f});
	const char *bytes = (const char *)pairs.data();
	return std::vector<char>(bytes, bytes + pairs.size() * sizeof pairs[0]);
}

static std::vector<float> smallest(std::vector<float> distances)
{
	std::sort(distances.begin(), distances.end());
	distances.resize(NEAREST);
	return distances;
}

int main(int argc, char **argv)
{
	program::Arguments arguments(argc, argv, "nearest_neighbor", {"plain", "pairs"});
	int count = arguments.number("records", 4000, 32768, 42764, "records of the file");
	arguments.end();
	arguments.require(count >= NEAREST && count <= 1 << 24, "10 to 2^24 records");

	program::Random random(arguments.seed());
	std::vector<Place> places(count);
	std::string text = write_records(random, places);
	const float latitude = 30, longitude = 90;

	bool pairs = arguments.is("pairs");
	program::Array<char> records(pairs ? bytes_of_pairs(places) : std::vector<char>(text.begin(), text.end()));
	program::Array<float> distances(count);
	if (pairs)
		euclid_pairs<<<program::blocks(count, PAIRS_BLOCK), PAIRS_BLOCK>>>(
			(const float2 *)(char *)records, distances, count, latitude, longitude);
	else
		euclid<<<program::blocks(count, BLOCK), BLOCK>>>(records, distances, count, latitude, longitude);
	CHECK(cudaGetLastError());

	std::vector<float> expected(count);
	for (int i = 0; i < count; i++)
		expected[i] = hypotf(places[i].north * 0.1f - latitude, places[i].east * 0.1f - longitude);
	program::Verdict verdict("nearest_neighbor");
	verdict.require(text.size() == (size_t)count * RECORD, "records of 49 bytes");
	verdict.close("distances", distances.read(), expected, 1e-5);
	verdict.close("nearest", smallest(distances.read()), smallest(expected), 1e-5);
	return verdict.status();
}
