/* energies: the energy tables that mechanisms declare for their hardware. */
#include "seam/seam.h"

#include <math.h>
#include <stdio.h>

const struct base_counter seam_request_counters[] = {
#define X(name, unit, meaning)                                                                                         \
	{#name, unit, BASE_SCOPE_SM, offsetof(struct mech_requests, name), meaning, BASE_COMBINE_SUM},
	MECH_REQUEST_COUNTERS(X)
#undef X
};
const size_t seam_request_counter_count = sizeof seam_request_counters / sizeof *seam_request_counters;

void seam_energy_names(struct seam_energy_names *names, const struct mech *mech)
{
	names->group[0] = (struct base_counter_group){mech->name, mech->counters, &mech->counter_count, 0};
	names->group[1] =
		(struct base_counter_group){mech->name, seam_request_counters, &seam_request_counter_count, 0};
	names->names = (struct formula_names){
		.groups = {{names->group, mech->sends ? 2 : 1, FORMULA_RUN}}, .own = mech->name, .empty_shares = true};
}

uint32_t seam_energies(const struct seam_attached *attached, const struct mech_machine *machine,
                       struct mech_energy energy[MECH_MAX_ENERGIES])
{
	const struct mech *mech = attached->mech;
	return mech->energies ? mech->energies(attached->config, machine, energy) : 0;
}

static bool is_amount(double value)
{
	return isfinite(value) && value >= 0;
}

/* The error in a row, or NULL. `room` holds the text of a formula's error. */
static const char *wrong_of(const struct mech_energy *row, const struct seam_energy_names *names,
                            char room[FORMULA_MESSAGE])
{
	if (!row->what || !*row->what || !row->source || !*row->source)
		return "it lacks its meaning, or the source of its number";
	if (!row->node)
		return "no technology node";
	if (row->events ? row->watts != 0 || row->of_gpu : row->picojoules != 0)
		return "expected either events with picojoules each, or watts";
	if (!is_amount(row->picojoules) || !is_amount(row->watts))
		return "expected a number of at least 0";
	if (!row->events)
		return NULL;
	struct arena arena = {0};
	bool good = formula_parse(&arena, row->events, &names->names, room);
	arena_free(&arena);
	return good ? NULL : room;
}

bool seam_check_energies(const struct seam_attached *attached, const struct mech_machine *machine, char *message,
                         size_t size)
{
	const struct mech *mech = attached->mech;
	struct mech_energy energy[MECH_MAX_ENERGIES];
	struct seam_energy_names names;
	char room[FORMULA_MESSAGE];
	uint32_t count = seam_energies(attached, machine, energy);
	seam_energy_names(&names, mech);
	if (count > MECH_MAX_ENERGIES) {
		snprintf(message, size, "mechanism %s: %u rows of energies; expected at most %d", mech->name, count,
		         MECH_MAX_ENERGIES);
		return false;
	}
	for (uint32_t i = 0; i < count; i++) {
		const char *wrong = wrong_of(&energy[i], &names, room);
		if (!wrong)
			continue;
		snprintf(message, size, "mechanism %s: energy %u (%s): %s", mech->name, i,
		         energy[i].what ? energy[i].what : "no name", wrong);
		return false;
	}
	return true;
}
