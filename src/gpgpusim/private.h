/* private: declarations shared by the files that implement config.h. */
#ifndef SLUICE_GPGPUSIM_PRIVATE_H
#define SLUICE_GPGPUSIM_PRIVATE_H

#include "gpgpusim/config.h"
#include "base/diag.h"

#include <limits.h>
#include <stdio.h>

enum { WORD = 512, PARTS = 32 };

/* A file while it is read. */
struct config {
	struct diag_source source;
	struct machine *machine;
	struct gpgpusim_options *options;
	struct diag *diag;
	FILE *list;
	const char *option, *value; /* the one being read */
	struct diag_place place;
	/* values collected from several options */
	uint32_t shared_per_block; /* 0: all shared memory of the SM */
	uint32_t clusters, cores, chips, bus_bytes, burst, data_rate;
	uint32_t collectors, unified_kib, adaptive; /* 0: not given */
	uint32_t dp_units, int_units, tensor_units, has_tensor, coalescing, own_collectors; /* 0: not given */
	char dl1[WORD]; /* -gpgpu_cache:dl1 */
	bool is_version_4, has_sub_cores;
	FILE *moving;
	uint32_t ccd, rrd, rcd, ras, rp, rc, cl, wl, cdlr, wr, groups, ccdl, rtpl; /* DRAM timing; 0: not given */
	char network[PATH_MAX];
};

/* Reports that the option's value is wrong. */
__attribute__((format(printf, 2, 3))) void gpgpusim_fail(struct config *config, const char *format, ...);
/* Lists the option as unsupported, and as one that can change cycles. */
void gpgpusim_leave(struct config *config, const char *why);
/* Sets one of our keys, and checks its range. */
void gpgpusim_set(struct config *config, const char *key, const char *value);
void gpgpusim_set_number(struct config *config, const char *key, uint32_t number);
/* Reads a whole number of at least 0; fractions are rounded. Returns false after a message. */
bool gpgpusim_number(struct config *config, const char *text, uint32_t *number);
/* Splits the value in place at any of the separators. Returns the number of parts. */
size_t gpgpusim_part(char *text, const char *separators, char *parts[PARTS]);

/* options.c: applies one option of gpgpusim.config with its value. */
void gpgpusim_apply(struct config *config);
/* fixed.c: takes an option of which the model has one value, or one that changes no cycle. Returns false for any other
 * option. */
bool gpgpusim_apply_fixed(struct config *config);
bool gpgpusim_apply_idle(struct config *config);
/* finish.c: sets the values of options that a file of version 4 need not name, before its own; and at the end what
 * depends on several options. */
void gpgpusim_set_defaults(struct config *config);
void gpgpusim_finish(struct config *config);
/* cache.c: sets a cache of the machine when the option describes one. Returns false for any other option. */
bool gpgpusim_apply_cache(struct config *config);

#endif
