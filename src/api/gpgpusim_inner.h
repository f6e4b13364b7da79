/* gpgpusim_inner: what the files behind gpgpusim_config.h share. */
#ifndef SLUICE_API_GPGPUSIM_INNER_H
#define SLUICE_API_GPGPUSIM_INNER_H

#include "api/gpgpusim_config.h"
#include "base/diag.h"

#include <limits.h>
#include <stdio.h>

enum { WORD = 512, PARTS = 32 };

/* A file while it is read. */
struct config {
	struct source source;
	struct machine *machine;
	struct gpgpusim_options *options;
	struct diag *diag;
	FILE *list;
	const char *option, *value; /* the one just read */
	struct place place;
	/* of several options together */
	uint32_t shared_per_block; /* 0: as much as there is */
	uint32_t clusters, cores, chips, bus_bytes, burst, data_rate;
	uint32_t collectors, unified_kib, adaptive; /* 0: not given */
	uint32_t ccd, rrd, rcd, ras, rp, rc, cl, wl, cdlr, wr, groups, ccdl, rtpl; /* dram timing; 0: not given */
	char network[PATH_MAX];
};

/* The option's value is wrong. */
__attribute__((format(printf, 2, 3))) void gpgpusim_fail(struct config *config, const char *format, ...);
/* The model has no place for it. */
void gpgpusim_leave(struct config *config, const char *why);
/* Sets one of our keys; its range is that of the key. */
void gpgpusim_set(struct config *config, const char *key, const char *value);
void gpgpusim_set_number(struct config *config, const char *key, uint32_t number);
/* A whole number from 0; fractions are rounded. False after a message. */
bool gpgpusim_number(struct config *config, const char *text, uint32_t *number);
/* Parts the value at any of the separators, in place. Returns how many there are. */
size_t gpgpusim_part(char *text, const char *separators, char *parts[PARTS]);

/* gpgpusim_options.c: an option of gpgpusim.config, with its value. */
void gpgpusim_apply(struct config *config);
/* gpgpusim_cache.c: whether it is a cache's, which is set then. */
bool gpgpusim_is_cache(struct config *config);

#endif
