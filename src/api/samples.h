/* samples: what each stretch of so many core cycles of a kernel has added to the counters, a row each of a CSV file that is kept while
 * kernels run (docs/how-to/over-time.md). The rows of a kernel add up to its statistics. */
#ifndef SLUICE_API_SAMPLES_H
#define SLUICE_API_SAMPLES_H

#include "api/kept_file.h"
#include "api/record.h"

struct samples {
	struct kept_file file;
	uint64_t every; /* core cycles; 0: there are none */
	const struct records *records;
	struct record_mech *mech; /* by records->attached: what is read at a time */
	size_t counters, filled;  /* of a row; and how many of `now` are there */
	uint64_t *before, *now;   /* counters at the sample before, and at this one */
	bool *largest;            /* those that do not add up: the largest value so far is shown */
	struct gpu_stats last;    /* the machine's, at the sample before */
	uint64_t cycle;           /* up to which the kernel has been sampled */
};

/* Makes the file, with a line of columns. False with errno set. */
bool samples_open(struct samples *samples, const struct records *records, const char *path, uint64_t every);
/* A kernel begins. */
void samples_begin(struct samples *samples);
/* Adds what has been counted from the sample before up to that cycle; behind the kernel's end what is left: of cycles, and of what other
 * clocks than the core's and hooks at its end have counted since. */
void samples_take(struct samples *samples, struct gpu *gpu, const struct record *record, uint64_t cycle);
void samples_close(struct samples *samples);

/* The cycle of the next sample. */
static inline uint64_t samples_next(const struct samples *samples)
{
	return samples->every ? samples->cycle + samples->every - samples->cycle % samples->every : UINT64_MAX;
}

#endif
