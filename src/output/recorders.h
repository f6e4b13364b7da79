/* recorders: the files written while kernels run: samples of the counters, a timeline, and a profile. */
#ifndef SLUICE_OUTPUT_RECORDERS_H
#define SLUICE_OUTPUT_RECORDERS_H

#include "output/profile_file.h"
#include "output/samples.h"
#include "output/timeline_file.h"
#include "sluice.h"

struct recorders {
	struct gpu *gpu;
	const struct records *records; /* the last record is of the running kernel */
	struct samples samples;
	struct timeline_file timeline;
	struct profile_file profile;
	uint64_t interval; /* core cycles between two calls of on_interval; 0: it is not called */
	uint64_t next_interval; /* cycle of the kernel at which the next call happens */
	void (*on_interval)(void *user, uint64_t cycle);
	void *interval_user;
	uint64_t drained; /* cycle of the kernel up to which its events are written */
};

/* Opens the files that the settings request. */
enum sluice_status recorders_open(struct recorders *recorders, struct gpu *gpu, const struct records *records,
                               const struct sluice_settings *settings, struct sluice_error *error);
/* True when any file was requested. */
bool recorders_are_open(const struct recorders *recorders);
/* Starts a kernel. Returns the visitor to be called while it runs. */
struct gpu_visitor recorders_begin(struct recorders *recorders);
/* Ends at the process's end. Returns false with errno set, and in *path the file that could not be written. */
bool recorders_finish(struct recorders *recorders, const char **path);
/* Called in the handler of a signal that ends the process: stops all writing. */
void recorders_stop(struct recorders *recorders);
void recorders_close(struct recorders *recorders);

#endif
