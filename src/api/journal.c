#include "api/journal.h"

#include "base/arena.h"
#include "gpu/gpu_snapshot.h"
#include "gpu/stats.h"
#include "seam/seam_snapshot.h"
#include "sluice_runtime.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- opening --- */

static const char *refused_mechanism(const sluice_gpu *gpu)
{
	for (uint32_t i = 0; i < gpu->attachments.count; i++)
		if (!seam_can_keep(gpu->attachments.list[i].mech))
			return gpu->attachments.list[i].mech->name;
	return NULL;
}

static const char *refused(const sluice_gpu *gpu)
{
	if (gpu->functional)
		return "a functional run simulates no launch in cycles";
	if (gpu->sampling.wish.launches || gpu->sampling.wish.blocks)
		return "sampling compares launches that a resumed run would not simulate";
	if (gpu->stray_read)
		return "stray reads must be reported of every launch";
	if (gpu->checks || gpu->footprint)
		return "checks must see every launch";
	if (recorders_are_open(&gpu->recorders) || gpu->on_interval)
		return "samples, timelines and profiles would lack the launches that a resumed run does not simulate";
	if (gpu->trace_out)
		return "a trace would lack the launches that a resumed run does not simulate";
	return NULL;
}

enum sluice_status sluice_journal_check(const sluice_gpu *gpu, struct sluice_error *error)
{
	const char *reason = refused(gpu), *mechanism = refused_mechanism(gpu);
	if (reason)
		return api_fail(error, SLUICE_BAD_SETTING, "journal: %s", reason);
	if (mechanism)
		return api_fail(error, SLUICE_BAD_SETTING,
		                "journal: mechanism %s does not say what it keeps from one kernel to the next "
		                "(.forgets, or hooks like .sm_keep)",
		                mechanism);
	return SLUICE_OK;
}

enum sluice_status journal_open(sluice_gpu *gpu, const struct sluice_settings *settings, struct sluice_error *error)
{
	char message[JOURNAL_MESSAGE];
	if (!settings->journal)
		return settings->resume ? api_fail(error, SLUICE_BAD_SETTING, "resume needs a journal") : SLUICE_OK;
	enum sluice_status status = sluice_journal_check(gpu, error);
	if (status != SLUICE_OK)
		return status;
	struct journal *journal = base_calloc(1, sizeof *journal);
	const struct journal_setup setup = journal_setup_of(gpu);
	if (!journal_file_open(&journal->file, settings->journal, settings->resume, &setup, message)) {
		free(journal);
		return api_fail(error, SLUICE_IO, "%s", message);
	}
	journal->resumes = settings->resume;
	gpu->journal = journal;
	return SLUICE_OK;
}

void journal_close(sluice_gpu *gpu)
{
	struct journal *journal = gpu->journal;
	if (!journal)
		return;
	journal_file_close(&journal->file);
	journal_memory_free(&journal->before);
	free(journal);
	gpu->journal = NULL;
}

/* --- a launch's content --- */

/* The results of gpu_run() for a launch that ran to its end. */
struct outcome {
	uint64_t cycles, started, first_block;
	uint32_t blocks_limit;
	struct gpu_stats stats;
};

static void outcome_snapshot(struct gpu_run *run, struct snapshot *snapshot)
{
	struct outcome outcome = {.cycles = run->cycles,
	                          .started = run->started,
	                          .first_block = run->first_block,
	                          .blocks_limit = run->blocks_limit,
	                          .stats = run->stats};
	snapshot_value(snapshot, outcome);
	run->end = GPU_DONE;
	run->cycles = outcome.cycles;
	run->started = outcome.started;
	run->first_block = outcome.first_block;
	run->blocks_limit = outcome.blocks_limit;
	run->stats = outcome.stats;
}

static void save_text(const char *text, size_t length, struct snapshot *snapshot)
{
	uint64_t size = length;
	snapshot_value(snapshot, size);
	snapshot_bytes(snapshot, (char *)text, length);
}

/* Prints what the kernel has printed. */
static bool restore_text(struct snapshot *snapshot)
{
	uint64_t size = 0;
	snapshot_value(snapshot, size);
	if (snapshot->is_short || size > snapshot->size - snapshot->at)
		return false;
	fwrite(snapshot->data + snapshot->at, 1, size, stdout);
	snapshot->at += size;
	return true;
}

/* --- a launch that the journal has --- */

/* The run goes on: the launch is simulated. */
__attribute__((format(printf, 1, 2))) static void tell(const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	fputs("sluice: ", stderr);
	vfprintf(stderr, format, arguments);
	fputc('\n', stderr);
	va_end(arguments);
}

static void tell_difference(struct journal *journal, const struct launch *launch, const char *difference,
                            const struct journal_identity *old)
{
	if (journal->differs)
		return;
	journal->differs = true;
	tell("journal %s: launch %zu, kernel %s, is not the one in the journal, kernel %.*s: %s. From here on, "
	     "launches are simulated, and replace those in the journal",
	     journal->file.folder, launch->number + 1, launch->gpu->records.record[launch->number].shown,
	     JOURNAL_KERNEL, old->kernel, difference);
}

/* True when the run's limit of instructions lies in the launch: it must stop there. */
static bool passes_limit(const sluice_gpu *gpu, const struct snapshot *content)
{
	struct outcome outcome;
	if (!gpu->max_instructions || content->size < sizeof outcome)
		return false;
	memcpy(&outcome, content->data, sizeof outcome);
	return gpu->instructions + outcome.stats.sm.thread_instructions >= gpu->max_instructions;
}

/* Reads what the journal has of the launch. Returns false when it must be simulated. */
static bool find(struct journal *journal, const struct launch *launch, const struct journal_identity *identity,
                 struct snapshot *content)
{
	char message[JOURNAL_MESSAGE];
	struct journal_identity old;
	if (!journal->resumes)
		return false;
	switch (journal_file_read(&journal->file, launch->number + 1, &old, content, message)) {
	case JOURNAL_ABSENT:
		return false;
	case JOURNAL_DAMAGED:
		tell("%s; the launch is simulated", message);
		return false;
	default:
		break;
	}
	const char *difference = journal_difference(identity, &old);
	if (!difference && !passes_limit(launch->gpu, content))
		return true;
	if (difference)
		tell_difference(journal, launch, difference, &old);
	snapshot_free(content);
	return false;
}

static enum sluice_status apply(struct launch *launch, struct snapshot *content, struct sluice_error *error)
{
	sluice_gpu *gpu = launch->gpu;
	struct gpu_run *run = launch->run;
	gpu_renew(gpu->gpu);
	outcome_snapshot(run, content);
	run->launch.id = gpu->gpu->kernels + 1;
	bool fine = restore_text(content);
	if (fine)
		simt_memory_snapshot(gpu->gpu->memory, content);
	fine = fine && journal_memory_restore(gpu->gpu->memory, content) && gpu_restore(gpu->gpu, run, content) &&
	       snapshot_is_complete(content);
	if (!fine)
		return api_fail(error, SLUICE_INTERNAL, "internal error: launch %zu of journal %s does not fit",
		                launch->number + 1, gpu->journal->file.folder);
	gpu->sampling.skipped = false;
	return launch_keep_timed(gpu, launch->checked.kernel, run, launch->number, error);
}

/* --- a launch that is simulated --- */

/* A launch whose kernel launched others cannot be applied: these would be missing. */
static bool is_alone(const struct launch *launch)
{
	const struct device_runtime *runtime = &launch->runtime;
	return !runtime->waiting.count && !runtime->prepared.count && !runtime->errors.count &&
	       launch->gpu->records.count == launch->number + 1;
}

static void write_entry(struct journal *journal, const struct launch *launch, const struct journal_identity *identity,
                        const struct snapshot *content)
{
	char message[JOURNAL_MESSAGE];
	if (journal->is_broken || journal->file.process != getpid() || !is_alone(launch) ||
	    journal_file_write(&journal->file, launch->number + 1, identity, content, message))
		return;
	journal->is_broken = true;
	tell("%s. The run goes on; no further launches are written", message);
}

/* Saves the launch, and begins the next one with what was saved. */
static enum sluice_status keep(struct launch *launch, const struct journal_identity *identity, const char *text,
                               size_t length, struct sluice_error *error)
{
	struct journal *journal = launch->gpu->journal;
	struct gpu *gpu = launch->gpu->gpu;
	struct snapshot content = {0};
	outcome_snapshot(launch->run, &content);
	save_text(text, length, &content);
	simt_memory_snapshot(gpu->memory, &content);
	journal_memory_save(&journal->before, gpu->memory, &content);
	content.at = content.size;
	gpu_save(gpu, &content);
	write_entry(journal, launch, identity, &content);
	content.restores = true;
	bool fine = gpu_restore(gpu, launch->run, &content) && snapshot_is_complete(&content);
	snapshot_free(&content);
	return fine ? SLUICE_OK : api_fail(error, SLUICE_INTERNAL, "internal error: the machine cannot be restored");
}

static enum sluice_status simulate(struct launch *launch, const struct journal_identity *identity,
                                   struct sluice_error *error)
{
	char *text = NULL;
	size_t length = 0;
	launch->runtime.printed = open_memstream(&text, &length);
	enum sluice_status status =
		launch_timed(launch->gpu, launch->checked.kernel, launch->run, launch->number, error);
	if (launch->runtime.printed)
		fclose(launch->runtime.printed);
	launch->runtime.printed = NULL;
	if (status == SLUICE_OK)
		status = keep(launch, identity, text, length, error);
	free(text);
	return status;
}

enum sluice_status journal_launch(struct launch *launch, struct sluice_error *error)
{
	struct journal *journal = launch->gpu->journal;
	struct journal_identity identity;
	struct snapshot content;
	journal_memory_read(&journal->before, launch->gpu->gpu->memory);
	journal_identify(journal, launch, &identity);
	digest_add(&journal->history, &identity, sizeof identity);
	if (!find(journal, launch, &identity, &content))
		return simulate(launch, &identity, error);
	enum sluice_status status = apply(launch, &content, error);
	snapshot_free(&content);
	return status;
}
