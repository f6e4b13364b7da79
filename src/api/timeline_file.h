/* timeline_file: when kernels, blocks and what mechanisms draw began and ended, kept in a file while kernels run (docs/how-to/over-time.md): for
 * chrome://tracing and Perfetto as JSON of their Trace Event Format, with a process for the GPU, each SM and each L2 slice; where its
 * name ends in .csv, a row an event; where it ends in .perfetto, Perfetto's own format, and with .zst behind that, compressed. */
#ifndef SLUICE_API_TIMELINE_FILE_H
#define SLUICE_API_TIMELINE_FILE_H

#include "api/kept_file.h"
#include "api/record.h"

enum { TIMELINE_EVERY = 4096 }; /* core cycles after which events are taken from the machine */

/* What of all that happens is wanted; text, as sluice_settings.timeline_wish has it. */
struct timeline_wish {
	double first, last; /* core cycles from the machine's opening on: what lies between them, even in part */
	bool blocks;        /* those, too */
	uint32_t counters;  /* core cycles from one value of each counter to the next; 0: none */
	char sms[OPTION_TEXT_SIZE];
};

struct timeline_file {
	struct kept_file file;
	const struct timeline_format *format;
	const struct records *records;
	struct gpu *gpu;
	struct timeline_wish wish;
	uint64_t sms[4]; /* those that are wanted, as bits */
	bool is_compressed;
	uint64_t left;  /* events for which there is room */
	uint64_t start; /* core cycle of the launch */
	void *tracks;   /* those that have been named: a tree of <search.h> */
	uint32_t track_count;
	struct piece piece; /* what is being made */
	struct gpu_stats counted; /* up to the counters' last values, of cycle */
	uint64_t counted_cycle;   /* of the launch */
	const char *counter_name[16]; /* of those that have got their tracks in Perfetto's format */
	uint32_t counter_names;
};

/* Makes the file, for at most so many events; `wish` is "KEY=VALUE,..." or NULL. False with a message, or with errno set and none. */
bool timeline_file_open(struct timeline_file *file, struct gpu *gpu, const struct records *records, const char *path,
                        uint64_t most, const char *wish, char *message, size_t size);
/* A kernel is about to run; what has happened is to be written; it has ended. */
void timeline_file_begin(struct timeline_file *file);
void timeline_file_take(struct timeline_file *file);
void timeline_file_end(struct timeline_file *file, const struct record *record, uint64_t cycles);
/* The counters' values of the cycles of the launch up to this one, from the last on; and when the next are due. */
void timeline_file_count(struct timeline_file *file, uint64_t cycle);
uint64_t timeline_file_next_count(const struct timeline_file *file);
void timeline_file_close(struct timeline_file *file);

#endif
