/* sluice programs run. */
#include "cli/programs/batch.h"
#include "cli/programs/programs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Returns the program's command line; `variant` may be NULL. */
static char **command_line(struct program_request *request, char *binary, const char *variant)
{
	const char *const options[][2] = {{"--size", request->size}, {"--variant", variant}, {"--seed", request->seed}};
	size_t own = 0, count = 1;
	while (request->own && request->own[own])
		own++;
	char **words = arena_array(&request->arena, own + 8, sizeof *words);
	words[0] = binary;
	for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
		if (!options[i][1])
			continue;
		words[count++] = (char *)options[i][0];
		words[count++] = (char *)options[i][1];
	}
	for (size_t i = 0; i < own; i++)
		words[count++] = request->own[i];
	return words;
}

static void report_variant(const struct program_request *request, const struct program *program)
{
	char known[256] = "";
	for (size_t i = 0; i < program->variants.count; i++) {
		size_t length = strlen(known);
		snprintf(known + length, sizeof known - length, "%s%s", i ? ", " : "", program->variants.word[i]);
	}
	cli_error(request->name, "%s has no variant '%s'; it has %s", program->name, request->variant, known);
}

/* Replaces this process by the program. */
static int run_one(struct program_request *request)
{
	const struct program *program = program_request_find(request, request->names.word[0]);
	if (!program)
		return CLI_USAGE;
	if (request->variant && !words_have(&program->variants, request->variant)) {
		report_variant(request, program);
		return CLI_USAGE;
	}
	char *binary = programs_compiled(request, program);
	if (!binary)
		return CLI_USAGE;
	const char *variant = request->variant,
		   *meant = program_request_variant(request, program, request->names.word[0]);
	if (!variant && strcmp(meant, program->variants.word[0]) != 0)
		variant = meant;
	char **words = command_line(request, binary, variant);
	request->run.program = words;
	return run_prepare(&request->run) ? run_become(&request->run, binary, words) : CLI_USAGE;
}

/* Adds the runs of a program to the batch: the requested variant, if the program has it, or all. */
static bool add_jobs(struct program_request *request, const struct program *program, struct batch *batch)
{
	char *binary = programs_compiled(request, program);
	struct batch_job *jobs = arena_array(&request->arena, batch->count + program->variants.count, sizeof *jobs);
	if (batch->count)
		memcpy(jobs, batch->jobs, batch->count * sizeof *jobs);
	for (size_t i = 0; binary && i < program->variants.count; i++) {
		const char *variant = program->variants.word[i];
		if (!request->variant || strcmp(request->variant, variant) == 0)
			jobs[batch->count++] =
				(struct batch_job){program, variant, command_line(request, binary, variant)};
	}
	batch->jobs = jobs;
	return binary;
}

/* Returns false after a message. */
static bool collect(struct program_request *request, struct batch *batch)
{
	bool fine = true;
	for (size_t i = 0; i < request->names.count; i++) {
		const struct program *program = program_request_find(request, request->names.word[i]);
		fine = program && add_jobs(request, program, batch) && fine;
	}
	for (size_t i = 0; !request->names.count && i < request->known.count; i++)
		if (program_request_covers(request, &request->known.list[i]))
			fine = add_jobs(request, &request->known.list[i], batch) && fine;
	if (fine && !batch->count)
		cli_error(request->name, "no program has the variant '%s'", request->variant);
	return fine && batch->count;
}

static int run_many(struct program_request *request)
{
	struct batch batch = {
		.command = request->name, .parallel = request->parallel, .stats_folder = request->run.stats};
	if (request->run.stats_format && strcmp(request->run.stats_format, "json") != 0) {
		cli_error(request->name, "--stats-format: with --all statistics are JSON");
		return CLI_USAGE;
	}
	if (batch.stats_folder && strcmp(batch.stats_folder, "-") == 0) {
		cli_error(request->name,
		          "--stats: with --all statistics are files in a folder; expected its name, not '-'");
		return CLI_USAGE;
	}
	if (request->run.journal) {
		cli_error(request->name, "--journal: a journal belongs to one program; it excludes --all");
		return CLI_USAGE;
	}
	request->run.stats = NULL; /* each run writes its own file */
	if (!collect(request, &batch) || !run_prepare(&request->run))
		return CLI_USAGE;
	if (batch.stats_folder && mkdir(batch.stats_folder, 0777) != 0 && errno != EEXIST) {
		cli_error(request->name, "cannot make the folder %s: %s", batch.stats_folder, strerror(errno));
		return CLI_USAGE;
	}
	return batch_run(&batch);
}

int programs_run(struct program_request *request)
{
	if (request->all)
		return run_many(request);
	if (request->names.count == 1)
		return run_one(request);
	cli_error(request->name,
	          request->names.count ? "several programs need --all" : "no program given; --all runs every one");
	return CLI_USAGE;
}
