#include "output/unit_totals.h"

#include "gpu/stats.h"

#include <stdlib.h>

static const enum seam_unit kinds[2] = {SEAM_OF_SM, SEAM_OF_PARTITION};

/* Bytes from one unit's counters to the next: whole uint64_t. */
size_t unit_totals_stride(const struct mech *mech)
{
	return (mech->stats_size + sizeof(uint64_t) - 1) / sizeof(uint64_t) * sizeof(uint64_t);
}

static uint32_t units_of(const struct gpu *gpu, unsigned kind)
{
	return kinds[kind] == SEAM_OF_SM ? gpu->machine.sms : gpu->slices;
}

static void prepare(struct unit_totals *totals, const struct gpu *gpu)
{
	totals->machine = base_calloc(stats_unit_elements(gpu), sizeof *totals->machine);
	totals->mechs = gpu->attachments;
	totals->mech = base_calloc(gpu->attachments + 1, sizeof *totals->mech);
	for (uint32_t i = 0; i < gpu->attachments; i++)
		for (unsigned kind = 0; kind < 2; kind++) {
			struct unit_totals_mech *mech = &totals->mech[i][kind];
			uint32_t units = units_of(gpu, kind);
			mech->stats = base_calloc(units, unit_totals_stride(gpu->attached[i].mech) + 1);
			mech->requests = base_calloc(units, sizeof *mech->requests);
		}
}

static void add_mechanism(struct unit_totals *totals, const struct gpu *gpu, uint32_t number, unsigned kind)
{
	const struct mech *mech = gpu->attached[number].mech;
	struct unit_totals_mech *sum = &totals->mech[number][kind];
	for (uint32_t unit = 0; unit < units_of(gpu, kind); unit++) {
		const struct mech_requests *requests;
		const void *stats = seam_unit_stats(gpu->seam, number, kinds[kind], unit, &requests);
		seam_stats_add(mech, sum->stats + unit * unit_totals_stride(mech), stats);
		seam_requests_add(&sum->requests[unit], requests);
	}
}

void unit_totals_add(struct unit_totals *totals, const struct gpu *gpu, uint64_t launch)
{
	if (!totals->machine)
		prepare(totals, gpu);
	stats_add_units(gpu, totals->machine);
	for (uint32_t i = 0; i < totals->mechs; i++)
		for (unsigned kind = 0; kind < 2; kind++)
			add_mechanism(totals, gpu, i, kind);
	totals->launch = launch;
}

void unit_totals_free(struct unit_totals *totals)
{
	for (uint32_t i = 0; i < totals->mechs; i++)
		for (unsigned kind = 0; kind < 2; kind++) {
			free(totals->mech[i][kind].stats);
			free(totals->mech[i][kind].requests);
		}
	free(totals->mech);
	free(totals->machine);
}
