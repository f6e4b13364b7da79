/* traces: what is written of kernels while they run: samples of their counters, a timeline, and a profile. */
#ifndef SLUICE_API_TRACES_H
#define SLUICE_API_TRACES_H

#include "api/profile_file.h"
#include "api/samples.h"
#include "api/timeline_file.h"
#include "sluice.h"

struct traces {
	struct gpu *gpu;
	const struct records *records; /* the last one is of the kernel that runs */
	struct samples samples;
	struct timeline_file timeline;
	struct profile_file profile;
	uint64_t interval; /* core cycles between two calls of on_interval; 0: it is not called */
	uint64_t next_interval; /* cycle of the kernel of the next call */
	void (*on_interval)(void *user, uint64_t cycle);
	void *interval_user;
	uint64_t drained; /* cycle of the kernel up to which its events are in the file */
};

/* What the settings ask for. */
enum sluice_status traces_open(struct traces *traces, struct gpu *gpu, const struct records *records,
                               const struct sluice_settings *settings, struct sluice_error *error);
/* A kernel begins: who is called while it runs. */
struct gpu_visitor traces_begin(struct traces *traces);
/* The process ends. False with errno set, and the path of what could not be written. */
bool traces_finish(struct traces *traces, const char **path);
/* In the handler of a signal that ends it: nothing is written any more. */
void traces_stop(struct traces *traces);
void traces_close(struct traces *traces);

#endif
