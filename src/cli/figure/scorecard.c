#include "cli/figure/scorecard.h"

#include "cli/commands.h"
#include "cli/figure/source.h"
#include "cli/figure/table.h"
#include "lab/store.h"

#include <stdlib.h>
#include <string.h>

/* The state of a collection. */
struct collecting {
	struct study *study;
	struct store *store;
	struct scorecard *card;
	struct scored *of;
};

static const char *keep(struct study *study, const char *text)
{
	return arena_string(&study->programs.arena, text, strlen(text));
}

/* --- kinds of experiments --- */

static int take_table(const struct collecting *collecting)
{
	const struct experiment *experiment = collecting->of->experiment;
	const char **ours = figure_table_texts(&collecting->study->programs, experiment);
	if (!ours)
		return CLI_USAGE;
	for (size_t r = 0; r < experiment->row_count; r++)
		for (size_t c = 0; c < experiment->column_count; c++) {
			const struct experiment_row *row = &experiment->rows[r];
			const struct experiment_column *column = &experiment->columns[c];
			if (row->stated.count && !experiment_is_nothing(row->stated.word[c]))
				scorecard_text(collecting->card, collecting->of, row, column->name, column->machine,
				               SCORE_SETTING, ours[r * experiment->column_count + c],
				               row->stated.word[c]);
		}
	return 0;
}

static void take_index(void *context, const struct figure_index *index)
{
	const struct collecting *collecting = context;
	const char *array = index->kernel->arrays[index->index->array].name;
	char *name;
	if (!index->paper)
		return;
	if (asprintf(&name, "%s[%s]", array, index->index->text) < 0)
		abort();
	scorecard_text(collecting->card, collecting->of, index->row, keep(collecting->study, name), "", SCORE_SOURCE,
	               source_status_name(index->index->status), index->paper);
	free(name);
}

static int take_indexes(struct collecting *collecting)
{
	const struct figure_index_visitor visitor = {.context = collecting, .index = take_index};
	return figure_visit_indexes(&collecting->study->programs, collecting->of->experiment, &visitor) ? 0 : CLI_USAGE;
}

static int take_runs(const struct collecting *collecting)
{
	struct study *study = collecting->study;
	struct plan plan = {0};
	struct figure figure;
	const struct plan_source source = study_source(study, collecting->of->experiment);
	int status = CLI_USAGE;
	if (study->way.slurm || study->way.journal)
		study_set_folder(study, collecting->of->name);
	if (plan_make(&plan, collecting->of->experiment, &source)) {
		status = CLI_FAILED;
		if ((study->no_run || plan_run(&plan, collecting->store, &study->way) >= 0) &&
		    plan_figure(&plan, collecting->store, study->way.any_build, &figure)) {
			scorecard_figure(collecting->card, collecting->of, &figure);
			plan_tell_missing(&plan, &figure, collecting->of->name, "");
			status = figure.missing ? CLI_FAILED : 0;
		}
	}
	plan_free(&plan);
	return status;
}

/* --- experiments --- */

static bool has_published(const struct experiment *experiment)
{
	bool any = experiment->stated_mean.count > 0;
	for (size_t r = 0; r < experiment->row_count; r++)
		any |= experiment->rows[r].stated.count > 0;
	return any && !experiment->repeats;
}

/* Returns the paper to which an experiment's file belongs: the name up to its first point; NULL if it is no paper's. */
static const char *paper_of(const char *file)
{
	size_t length = strcspn(file, ".");
	for (size_t i = 0; i < PROGRAM_PAPERS; i++)
		if (strlen(program_papers[i]) == length && strncmp(program_papers[i], file, length) == 0)
			return program_papers[i];
	return NULL;
}

static int take_experiment(struct collecting *collecting, const char *folder, const char *file)
{
	struct study *study = collecting->study;
	char path[2 * PATH_MAX];
	snprintf(path, sizeof path, "%s/%s", folder, file);
	struct experiment *experiment = arena_alloc(&study->programs.arena, sizeof *experiment);
	struct scored *of = arena_alloc(&study->programs.arena, sizeof *of);
	if (!study_read(study, experiment, path, NULL) || !study_check_named(study, experiment, folder))
		return CLI_USAGE;
	if (!has_published(experiment) || experiment->show == SHOW_PROGRAMS || experiment->show == SHOW_TIMELINE)
		return 0;
	if (!study_take_paper(study, experiment))
		return CLI_USAGE;
	experiment->size = experiment->scored_at ? experiment->scored_at : experiment->size;
	*of = (struct scored){.experiment = experiment,
	                      .paper = paper_of(file),
	                      .name = arena_string(&study->programs.arena, file, strlen(file) - strlen(".yaml"))};
	collecting->of = of;
	if (experiment->show == SHOW_INDEXES)
		return take_indexes(collecting);
	if (experiment_is_table(experiment))
		return take_table(collecting);
	if (experiment_needs(experiment, FORMULA_RUN) && experiment_has_size(experiment))
		of->size = study->size ? study->size : experiment->size;
	return take_runs(collecting);
}

static int is_of_paper(const struct dirent *entry)
{
	return study_ends_in_yaml(entry->d_name) && paper_of(entry->d_name);
}

static int take_paper(struct collecting *collecting, const char *paper)
{
	struct study *study = collecting->study;
	char room[PATH_MAX];
	const char *folder = study_folder(room);
	struct dirent **entries;
	int worst = 0, count = study_scan(study, folder, is_of_paper, &entries);
	if (count < 0)
		return CLI_USAGE;
	for (int i = 0; i < count; i++) {
		if (paper_of(entries[i]->d_name) == paper) {
			int status = take_experiment(collecting, folder, entries[i]->d_name);
			worst = status > worst ? status : worst;
		}
		free(entries[i]);
	}
	free(entries);
	return worst;
}

int figure_take_scores(struct study *study, const char *const *papers, struct scorecard *card)
{
	char message[STORE_MESSAGE];
	int worst = 0;
	struct collecting collecting = {
		.study = study, .card = card, .store = store_open(study->results, study->no_run, message)};
	if (!collecting.store) {
		cli_error(study->programs.name, "%s", message);
		return CLI_FAILED;
	}
	for (; *papers; papers++) {
		int status = take_paper(&collecting, *papers);
		worst = status > worst ? status : worst;
	}
	store_close(collecting.store);
	return worst;
}

/* Fills in the papers that the study names, or all papers if it names none; NULL-terminated. Returns false after a
 * message. */
static bool find_papers(struct study *study, const char *papers[PROGRAM_PAPERS + 1])
{
	const struct words *names = &study->programs.names;
	size_t count = 0;
	for (size_t p = 0; p < PROGRAM_PAPERS; p++)
		if (!names->count || words_have(names, program_papers[p]))
			papers[count++] = program_papers[p];
	papers[count] = NULL;
	for (size_t i = 0; i < names->count; i++)
		if (!study_paper(study->programs.name, "--scorecard", names->word[i]))
			return false;
	return true;
}

int figure_scorecard(struct study *study)
{
	struct program_request *programs = &study->programs;
	struct scorecard card = {.arena = &programs->arena};
	const char *papers[PROGRAM_PAPERS + 1];
	char name[64] = "scorecard";
	if (!find_papers(study, papers) || !study_prepare(study))
		return CLI_USAGE;
	if (papers[0] && !papers[1])
		snprintf(name, sizeof name, "scorecard.%s", papers[0]);
	int status = figure_take_scores(study, papers, &card);
	if (card.count) {
		scorecard_table(&card, stdout);
		fflush(stdout);
		if (scorecard_files(&card, programs->name, study->out, name))
			printf("\n%s/%s: .csv, .svg, .pdf, .gp\n", study->out, name);
		else
			status = status > CLI_FAILED ? status : CLI_FAILED;
	}
	scorecard_free(&card);
	return status;
}
