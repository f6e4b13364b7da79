/* timeline_file: writes when kernels, blocks and the mechanisms' events began and ended, while kernels run
 * (docs/how-to/over-time.md).
 *
 * The file name selects the format. The default is JSON in the Trace Event Format of chrome://tracing and Perfetto,
 * with one process for the GPU, each SM and each L2 slice. ".csv": one row per event. ".perfetto": Perfetto's own
 * format; ".perfetto.zst": the same, compressed.
 */
#ifndef SLUICE_OUTPUT_TIMELINE_FILE_H
#define SLUICE_OUTPUT_TIMELINE_FILE_H

#include "output/append_file.h"
#include "output/record.h"

enum { TIMELINE_EVERY = 4096 }; /* core cycles between reads of the machine's events */

/* Selects the events to write; parsed from sluice_settings.timeline_filter. */
struct timeline_filter {
	double first, last; /* core cycles since the machine was opened; events that overlap this range are written */
	bool blocks;        /* include blocks */
	uint32_t counters;  /* core cycles between two values of each counter; 0: no counters */
	char sms[BASE_OPTION_TEXT_SIZE];
};

struct timeline_file {
	struct append_file file;
	const struct timeline_format *format;
	const struct records *records;
	struct gpu *gpu;
	struct timeline_filter wish;
	uint64_t sms[4]; /* the selected SMs, as bits */
	bool is_compressed;
	uint64_t left;  /* events that may still be written */
	uint64_t start; /* core cycle at which the launch began */
	void *tracks;   /* the tracks that have names: a tree of <search.h> */
	uint32_t track_count;
	struct piece piece; /* text being formatted */
	struct gpu_stats counted; /* counters at the last values written, at counted_cycle */
	uint64_t counted_cycle;   /* in cycles of the launch */
	const char *counter_name[16]; /* counters with a track in Perfetto's format */
	uint32_t counter_names;
};

/* Creates the file, for at most `most` events; `wish` is "KEY=VALUE,..." or NULL. Returns false with a message, or with
 * errno set and an empty message. */
bool timeline_file_open(struct timeline_file *file, struct gpu *gpu, const struct records *records, const char *path,
                        uint64_t most, const char *wish, char *message, size_t size);
/* Called before a kernel runs; to write the events collected so far; and after a kernel's end. */
void timeline_file_begin(struct timeline_file *file);
void timeline_file_take(struct timeline_file *file);
void timeline_file_end(struct timeline_file *file, const struct record *record, uint64_t cycles);
/* timeline_file_count() writes the counters' values for the cycles since the last ones, up to this cycle of the launch.
 * timeline_file_next_count() returns the cycle at which the next values are due. */
void timeline_file_count(struct timeline_file *file, uint64_t cycle);
uint64_t timeline_file_next_count(const struct timeline_file *file);
void timeline_file_close(struct timeline_file *file);

#endif
