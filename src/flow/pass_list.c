/* pass_list: passes by name: the list of general-purpose passes, and the parser of pipelines. */
#include "base/edit_distance.h"
#include "flow/passes.h"
#include "flow/pipeline.h"

#include <stdlib.h>
#include <string.h>

const struct flow_pass *const pass_list[] = {&pass_dead_code, &pass_spill, &pass_split_critical_edges};
const uint32_t pass_list_count = sizeof pass_list / sizeof *pass_list;

/* Returns the pass of that name in a list, or NULL; updates the nearest name so far. */
static const struct flow_pass *find_in(const struct flow_pass *const *list, uint32_t count, const char *name,
                                       const char **nearest, uint32_t *best)
{
	for (uint32_t i = 0; i < count; i++) {
		if (strcmp(list[i]->name, name) == 0)
			return list[i];
		if (edit_distance_is_nearer(name, list[i]->name, best))
			*nearest = list[i]->name;
	}
	return NULL;
}

/* Returns the pass, or NULL; then `nearest` is the nearest name or NULL. */
static const struct flow_pass *find(const struct pipeline *pipeline, const char *name, const char **nearest)
{
	uint32_t best = EDIT_DISTANCE_FAR;
	*nearest = NULL;
	const struct flow_pass *pass = find_in(pass_list, pass_list_count, name, nearest, &best);
	return pass ? pass : find_in(pipeline->more, pipeline->more_count, name, nearest, &best);
}

bool pipeline_has(const struct pipeline *pipeline, const char *name)
{
	const char *nearest;
	return find(pipeline, name, &nearest);
}

const struct flow_pass *pipeline_find(const struct pipeline *pipeline, const char *name, struct diag *diag)
{
	const char *nearest;
	const struct flow_pass *pass = find(pipeline, name, &nearest);
	if (pass)
		return pass;
	if (nearest)
		diag_plain(diag, "no pass '%s'; did you mean '%s'?", name, nearest);
	else
		diag_plain(diag, "no pass '%s'; 'sluice opt --list' lists them", name);
	return NULL;
}

static bool set_option(const struct pipeline_step *step, char *assignment, struct diag *diag)
{
	const struct flow_pass *pass = step->pass;
	char message[256], *value = strchr(assignment, '=');
	if (!value || value == assignment) {
		diag_plain(diag, "pass %s: '%s'; expected KEY=VALUE", pass->name, assignment);
		return false;
	}
	*value++ = '\0';
	const struct base_option *option = base_option_find(pass->options, pass->option_count, assignment);
	if (!option) {
		const struct base_option *near = base_option_nearest(pass->options, pass->option_count, assignment);
		diag_plain(diag, "pass %s has no option '%s'%s%s%s; 'sluice opt --list' lists them", pass->name,
		           assignment, near ? "; did you mean '" : "", near ? near->name : "", near ? "'?" : "");
		return false;
	}
	if (base_option_set(option, step->config, value, message, sizeof message))
		return true;
	diag_plain(diag, "pass %s: %s", pass->name, message);
	return false;
}

static void add_step(struct pipeline *pipeline, const struct flow_pass *pass)
{
	if (pipeline->count == pipeline->capacity) {
		pipeline->capacity = 2 * pipeline->capacity + 4;
		pipeline->step = base_realloc(pipeline->step, pipeline->capacity * sizeof *pipeline->step);
	}
	struct pipeline_step *step = &pipeline->step[pipeline->count++];
	*step = (struct pipeline_step){.pass = pass,
	                               .config = arena_alloc(&pipeline->arena, pass->config_size + 1),
	                               .counters = arena_alloc(&pipeline->arena, pass->counters_size + 1)};
	if (pass->config_size)
		memcpy(step->config, pass->defaults, pass->config_size);
}

/* Adds one word between commas. */
static bool add_word(struct pipeline *pipeline, char *word, bool is_first, struct diag *diag)
{
	char *colon = strchr(word, ':'), *equals = strchr(word, '=');
	if (!is_first && equals && (!colon || equals < colon))
		return set_option(&pipeline->step[pipeline->count - 1], word, diag);
	if (colon)
		*colon = '\0';
	const struct flow_pass *pass = pipeline_find(pipeline, word, diag);
	if (!pass)
		return false;
	add_step(pipeline, pass);
	return !colon || set_option(&pipeline->step[pipeline->count - 1], colon + 1, diag);
}

bool pipeline_add(struct pipeline *pipeline, const char *text, struct diag *diag)
{
	char *copy = base_strdup(text), *rest = copy;
	bool fine = true, is_first = true;
	for (char *word; fine && (word = strsep(&rest, ",")); is_first = false)
		fine = add_word(pipeline, word, is_first, diag);
	free(copy);
	return fine;
}

void pipeline_close(struct pipeline *pipeline)
{
	arena_free(&pipeline->arena);
	free(pipeline->step);
	pipeline->step = NULL;
	pipeline->count = pipeline->capacity = 0;
}
