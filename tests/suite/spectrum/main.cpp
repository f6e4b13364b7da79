// The loudest frequency of each piece of a sound that a file describes, compared with direct sums.
#include "spectrum.h"

#include <cmath>
#include <complex>
#include <cstdio>
#include <fstream>

static Peak model(const float *samples, int window)
{
	Peak best = {0, -1};
	for (int bin = 1; bin <= window / 2; bin++) {
		std::complex<double> sum = 0;
		for (int i = 0; i < window; i++)
			sum += (0.5 - 0.5 * std::cos(2 * M_PI * i / window)) * samples[i] *
			       std::polar(1.0, -2 * M_PI * ((long long)bin * i % window) / window);
		if (std::norm(sum) > best.power)
			best = {bin, (float)std::norm(sum)};
	}
	return best;
}

int main(int argc, char **argv)
{
	std::ifstream file(argc > 1 ? argv[1] : "tone.txt");
	std::vector<float> samples;
	int window, hop, length, wrong = 0;
	double from, step, loud;
	if (!(file >> window >> hop)) {
		std::fprintf(stderr, "no sound\n");
		return 1;
	}
	for (double phase = 0; file >> length >> from >> step >> loud;)
		for (int i = 0; i < length; i++, phase += from + step * i)
			samples.push_back((float)(loud * std::sin(2 * M_PI * phase)));
	std::vector<Peak> found = peaks(samples, window, hop);
	for (size_t i = 0; i < found.size(); i++) {
		Peak wanted = model(&samples[i * hop], window);
		bool fine = found[i].bin == wanted.bin && std::fabs(found[i].power - wanted.power) <= 1e-3 * wanted.power;
		wrong += !fine;
		std::printf("%zu: bin %d\n", i, found[i].bin);
	}
	std::printf("spectrum: %s\n", wrong ? "FAILED" : "PASSED");
	return wrong != 0;
}
