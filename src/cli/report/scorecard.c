/* The published numbers of the papers, as 'sluice figure --scorecard' lists them from the existing runs: one object for
 * each, with
 *
 *   paper, place, experiment, title, row, column, machine, size, from   texts, if known
 *   ours, published   as texts
 *   points, quotient  numbers, if known (lab/scorecard.h)
 *   verdict           its name
 *   beyond            true: more than 10 points
 *   cause, proof, page   if the experiment states them
 */
#include "cli/report/report.h"

#include "base/json_text.h"
#include "cli/figure/scorecard.h"

#include <math.h>

static json_t *score_json(const struct score *score)
{
	const struct experiment *experiment = score->of->experiment;
	const struct experiment_cause none = {0}, *cause = score->cause ? score->cause : &none;
	const char *const texts[][2] = {{"paper", score->of->paper},
	                                {"place", experiment->source},
	                                {"experiment", score->of->name},
	                                {"title", experiment->title},
	                                {"row", score->row},
	                                {"column", score->column},
	                                {"machine", score->machine},
	                                {"size", score->of->size},
	                                {"from", score_kind_name(score->kind)},
	                                {"ours", score->ours},
	                                {"published", score->published},
	                                {"verdict", score_verdict_name(score->verdict)},
	                                {"cause", cause->cause},
	                                {"proof", cause->proof},
	                                {"page", cause->page}};
	json_t *object = json_object();
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		if (texts[i][1] && *texts[i][1])
			json_object_set_new(object, texts[i][0], json_text(texts[i][1]));
	if (isfinite(score->points))
		json_object_set_new(object, "points", json_real(score->points));
	if (isfinite(score->quotient))
		json_object_set_new(object, "quotient", json_real(score->quotient));
	if (score->verdict >= SCORE_PROVEN && score->verdict < SCORE_MISSING && score->kind != SCORE_TAKEN)
		json_object_set_new(object, "beyond", json_true());
	return object;
}

bool report_take_scorecard(struct collection *collection, struct study *study)
{
	struct scorecard card = {.arena = &study->programs.arena};
	if (!study_prepare(study))
		return false;
	bool fine = figure_take_scores(study, program_papers, &card) != CLI_USAGE;
	for (size_t i = 0; i < card.count; i++)
		json_array_append_new(collection->scorecard, score_json(&card.list[i]));
	scorecard_free(&card);
	return fine;
}
