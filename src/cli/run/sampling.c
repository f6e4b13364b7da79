#include "cli/run/sampling.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { USUAL_LAUNCHES = 32 };

/* Parses "0.03" or "3%". */
static double share(const char *option, const char *text, const struct argp_state *state)
{
	char *end;
	double value = strtod(text, &end);
	bool is_percent = end != text && strcmp(end, "%") == 0;
	if (is_percent)
		value /= 100;
	if (end == text || (*end && !is_percent) || !(value >= 0 && value <= 1))
		cli_usage(state, "%s: expected a fraction, such as 0.05 or 5%%, not '%s'", option, text);
	return value;
}

void run_sampling_launches(struct run_sampling *sampling, const char *value, const struct argp_state *state)
{
	uint64_t launches = value ? cli_number("--sample-launches", value, 1, state) : USUAL_LAUNCHES;
	sampling->launches = launches < UINT32_MAX ? (uint32_t)launches : UINT32_MAX;
}

void run_sampling_blocks(struct run_sampling *sampling, const char *value, const struct argp_state *state)
{
	sampling->chooses_blocks = true;
	sampling->blocks = value ? share("--sample-blocks", value, state) : 0;
}

void run_sampling_error(struct run_sampling *sampling, const char *value, const struct argp_state *state)
{
	sampling->error = share("--sample-error", value, state);
	if (!(sampling->error > 0))
		cli_usage(state, "--sample-error: expected a fraction above 0");
}

void run_sampling_check(const struct run *run, const struct argp_state *state)
{
	const struct run_sampling *sampling = &run->sampling;
	if (sampling->launches && sampling->chooses_blocks)
		cli_usage(state, "--sample-launches and --sample-blocks exclude each other");
	if (sampling->error > 0 && !sampling->chooses_blocks)
		cli_usage(state, "--sample-error needs --sample-blocks");
	if ((sampling->launches || sampling->chooses_blocks) && run->stats_format &&
	    strcmp(run->stats_format, "gpgpusim") == 0)
		cli_usage(state, "--stats-format gpgpusim cannot show estimates, and a sampled run has little else");
}

static void export_share(const char *variable, double value)
{
	char text[32];
	snprintf(text, sizeof text, "%.17g", value);
	run_set(variable, text);
}

void run_sampling_export(const struct run_sampling *sampling)
{
	char text[24];
	snprintf(text, sizeof text, "%u", sampling->launches);
	run_set("SLUICE_SAMPLE_LAUNCHES", sampling->launches ? text : NULL);
	if (sampling->chooses_blocks)
		export_share("SLUICE_SAMPLE_BLOCKS", sampling->blocks);
	if (sampling->error > 0)
		export_share("SLUICE_SAMPLE_ERROR", sampling->error);
}
