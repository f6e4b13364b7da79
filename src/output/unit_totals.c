#include "output/unit_totals.h"

#include "gpu/stats.h"

#include <stdlib.h>

static const enum seam_unit kinds[2] = {SEAM_OF_SM, SEAM_OF_PARTITION};

/* Bytes from one unit's counters to the next: whole uint64_t. */
size_t unit_totals_stride(const struct mech *mech)
{
	return (mech->stats_size + sizeof(uint64_t) - 1) / sizeof(uint64_t) * sizeof(uint64_t);
}

uint32_t unit_totals_units(const struct gpu *gpu, enum unit_totals_kind kind)
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
			uint32_t units = unit_totals_units(gpu, kind);
			mech->stats = base_calloc(units, unit_totals_stride(gpu->attached[i].mech) + 1);
			mech->requests = base_calloc(units, sizeof *mech->requests);
		}
}

static void add_mechanism(struct unit_totals *totals, const struct gpu *gpu, uint32_t number, unsigned kind)
{
	const struct mech *mech = gpu->attached[number].mech;
	struct unit_totals_mech *sum = &totals->mech[number][kind];
	for (uint32_t unit = 0; unit < unit_totals_units(gpu, kind); unit++) {
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

static int compare_blocks(const void *one, const void *other)
{
	const struct unit_block *a = one, *b = other;
	return (a->life.number > b->life.number) - (a->life.number < b->life.number);
}

void unit_totals_keep_blocks(struct unit_totals *totals, const struct gpu *gpu)
{
	size_t count = 0;
	for (uint32_t sm = 0; sm < gpu->machine.sms; sm++)
		count += gpu->sm[sm].blocks.several ? 0 : gpu->sm[sm].blocks.ended_count;
	totals->block = base_calloc(count + 1, sizeof *totals->block);
	for (uint32_t sm = 0; count && sm < gpu->machine.sms; sm++)
		for (size_t i = 0; i < gpu->sm[sm].blocks.ended_count; i++)
			totals->block[totals->blocks++] = (struct unit_block){gpu->sm[sm].blocks.ended[i], sm};
	qsort(totals->block, totals->blocks, sizeof *totals->block, compare_blocks);
}

static void combine_mechanism(struct unit_totals_mech *sum, const struct unit_totals_mech *more,
                              const struct mech *mech, uint32_t units)
{
	for (uint32_t unit = 0; unit < units; unit++) {
		size_t at = unit * unit_totals_stride(mech);
		seam_stats_add(mech, sum->stats + at, more->stats + at);
		seam_requests_add(&sum->requests[unit], &more->requests[unit]);
	}
}

void unit_totals_combine(struct unit_totals *totals, const struct unit_totals *more, const struct gpu *gpu)
{
	if (!totals->machine)
		prepare(totals, gpu);
	for (size_t i = 0; i < stats_unit_elements(gpu); i++)
		totals->machine[i] += more->machine[i];
	for (uint32_t i = 0; i < totals->mechs; i++)
		for (unsigned kind = 0; kind < 2; kind++)
			combine_mechanism(&totals->mech[i][kind], &more->mech[i][kind], gpu->attached[i].mech,
			                  unit_totals_units(gpu, kind));
	totals->launch = more->launch;
}

uint64_t unit_totals_value(const struct unit_totals *totals, const struct mech *mech, uint32_t number,
                           const struct base_counter *row, bool is_request, enum unit_totals_kind kind, uint32_t unit)
{
	const struct unit_totals_mech *sum = &totals->mech[number][kind];
	const uint8_t *counters =
		is_request ? (const uint8_t *)&sum->requests[unit] : sum->stats + unit * unit_totals_stride(mech);
	return *(const uint64_t *)(const void *)(counters + row->offset);
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
	free(totals->block);
}
