#include "cli/run/trace.h"

#include "base/arena.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNTERS_EVERY = 500 };

static const char *const words[RUN_TRACE_WORDS + 1] = {"blocks", "warps",    "requests", "transfers",
                                                       "banks",  "counters", NULL};
enum { BLOCKS, WARPS, REQUESTS, TRANSFERS, BANKS, COUNTERS };

void run_trace_what(struct run_trace *trace, const char *what, const struct argp_state *state)
{
	char *copy = base_strdup(what), *rest = NULL;
	for (char *word = strtok_r(copy, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
		const char *choice = cli_choice("--trace-what", word, words, state);
		for (uint32_t i = 0; i < RUN_TRACE_WORDS; i++)
			trace->shows[i] |= strcmp(words[i], choice) == 0;
		trace->chooses = true;
	}
	free(copy);
}

void run_trace_cycles(struct run_trace *trace, const char *cycles, const struct argp_state *state)
{
	char *end, *first_end;
	unsigned long long first = strtoull(cycles, &first_end, 10), last = UINT64_MAX;
	bool good = first_end != cycles && *first_end == '-';
	if (good && first_end[1]) {
		last = strtoull(first_end + 1, &end, 10);
		good = end != first_end + 1 && *end == '\0' && last >= first;
	}
	if (!good || strchr(cycles, '+') || strspn(cycles, "0123456789-") != strlen(cycles))
		cli_usage(state, "--trace-cycles: expected FIRST-LAST or FIRST-, in core cycles, not '%s'", cycles);
	trace->first = first;
	trace->last = last;
}

void run_trace_sms(struct run_trace *trace, const char *sms, const struct argp_state *state)
{
	if (!*sms || strspn(sms, "0123456789-,") != strlen(sms) || strlen(sms) >= sizeof trace->sms)
		cli_usage(state, "--trace-sm: expected numbers and ranges of SMs as in 0-3,7, not '%s'", sms);
	for (size_t i = 0; i <= strlen(sms); i++)
		trace->sms[i] = sms[i] == ',' ? '+' : sms[i];
}

static const char *yes_or_no(bool value)
{
	return value ? "yes" : "no";
}

static bool shows(const struct run_trace *trace, uint32_t word)
{
	return !trace->chooses || trace->shows[word];
}

static bool has_options(const struct run_trace *trace)
{
	return trace->chooses || trace->last || *trace->sms || trace->every;
}

void run_trace_apply(struct run *run, const struct argp_state *state)
{
	const struct run_trace *trace = &run->trace;
	char *mechanism;
	if (!trace->file && has_options(trace))
		cli_usage(state, "--trace-cycles, --trace-sm, --trace-what and --trace-every choose what --trace "
		                 "shows; give --trace too");
	if (!trace->file)
		return;
	if (run->timeline_file)
		cli_usage(state, "--trace and --timeline both write the timeline: give one of them");
	const char *sms = *trace->sms ? trace->sms : "all";
	if (asprintf(&mechanism, "trace:warps=%s,requests=%s,prefetches=%s,banks=%s,sms=%s",
	             yes_or_no(shows(trace, WARPS)), yes_or_no(shows(trace, REQUESTS)),
	             yes_or_no(shows(trace, TRANSFERS)), yes_or_no(shows(trace, BANKS)), sms) < 0 ||
	    asprintf(&run->timeline_filter, "first=%" PRIu64 ",last=%.0f,blocks=%s,counters=%" PRIu64 ",sms=%s",
	             trace->first, trace->last ? (double)trace->last : 1e18, yes_or_no(shows(trace, BLOCKS)),
	             shows(trace, COUNTERS) ? trace->every ? trace->every : COUNTERS_EVERY : 0, sms) < 0)
		abort();
	cli_add_word(&run->mechanisms, mechanism);
	run->timeline_file = trace->file;
}
