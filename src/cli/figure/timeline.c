#include "cli/figure/timeline.h"

#include "cli/commands.h"
#include "lab/store.h"
#include "lab/report.h"
#include "lab/gantt.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void write_csv(const void *context, FILE *file)
{
	gantt_csv(context, file);
}

static void write_script(const void *context, const char *path, FILE *file)
{
	gantt_script(context, path, file);
}

static int show(const struct plan *plan, const char *out, const char *name)
{
	struct gantt gantt = {0};
	const struct report_writer writer = {&gantt, write_csv, write_script};
	int status = CLI_FAILED;
	if (gantt_take(&gantt, plan)) {
		gantt_table(&gantt, stdout);
		fflush(stdout);
		if (report_write(&writer, plan->source->command, out, name)) {
			printf("\n%s/%s: .csv, .svg, .pdf, .gp\n", out, name);
			status = 0;
		}
	}
	gantt_free(&gantt);
	return status;
}

/* Repeats all runs, even if their statistics are stored: the stored runs have no timelines. */
static int run(struct plan *plan, const struct plan_way *way, const char *results, const char *out, const char *name)
{
	char message[STORE_MESSAGE];
	struct plan_way again = *way;
	struct store *store = store_open(results, false, message);
	int status = CLI_FAILED;
	again.again = true;
	if (!store)
		cli_error(plan->source->command, "%s", message);
	else if (plan_run(plan, store, &again) >= 0)
		status = show(plan, out, name);
	store_close(store);
	return status;
}

/* Removes the runs' timelines and their folder. */
static void clean_up(const struct plan *plan, const char *folder)
{
	for (size_t i = 0; i < plan->count; i++)
		unlink(plan->runs[i].timeline);
	rmdir(folder);
}

int figure_timeline(const struct experiment *experiment, const struct plan_source *source, const struct plan_way *way,
                    const char *results, const char *out, const char *name)
{
	const char *place = getenv("TMPDIR");
	char folder[PATH_MAX - 64];
	struct plan plan = {0};
	struct plan_source own = *source;
	int status = CLI_USAGE;
	snprintf(folder, sizeof folder, "%s/sluice-XXXXXX", place && *place ? place : "/tmp");
	if (!mkdtemp(folder)) {
		cli_error(source->command, "cannot make a folder for timelines, %s: %s", folder, strerror(errno));
		return CLI_FAILED;
	}
	own.folder = folder;
	if (plan_make(&plan, experiment, &own))
		status = run(&plan, way, results, out, name);
	clean_up(&plan, folder);
	plan_free(&plan);
	return status;
}
