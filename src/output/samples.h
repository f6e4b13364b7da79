/* samples: writes the counters' increments of each `every` core cycles of a kernel as a row of a CSV file, while
 * kernels run (docs/how-to/over-time.md). The rows of a kernel add up to its statistics. */
#ifndef SLUICE_OUTPUT_SAMPLES_H
#define SLUICE_OUTPUT_SAMPLES_H

#include "output/append_file.h"
#include "output/record.h"

struct samples {
	struct append_file file;
	uint64_t every; /* core cycles per row; 0: no samples */
	const struct records *records;
	struct record_mech *mech; /* by records->attached: values read for the current sample */
	size_t counters, filled;  /* counters per row; entries of `now` filled so far */
	uint64_t *before, *now;   /* counters at the previous sample, and at this one */
	bool *largest; /* by counter: it is a maximum, which does not add up, and the largest value so far is shown */
	struct gpu_stats last;    /* the machine's counters at the previous sample */
	uint64_t *units_before;   /* with records->units_of: warp instructions by SM at the previous sample */
	uint64_t cycle;           /* the kernel has been sampled up to this cycle */
};

/* Creates the file with a header line. Returns false with errno set. */
bool samples_open(struct samples *samples, const struct records *records, const char *path, uint64_t every);
/* Starts a kernel. */
void samples_begin(struct samples *samples);
/* Adds a row of the increments since the previous sample, up to `cycle`. After the kernel's end adds the remainder: its
 * last cycles, and what other clocks and the end hooks have counted since. */
void samples_take(struct samples *samples, struct gpu *gpu, const struct record *record, uint64_t cycle);
void samples_close(struct samples *samples);

/* Returns the cycle of the next sample. */
static inline uint64_t samples_next(const struct samples *samples)
{
	return samples->every ? samples->cycle + samples->every - samples->cycle % samples->every : UINT64_MAX;
}

#endif
