/* The limits of all that a run's statistics count. */
#include "limits/limits.h"

struct walk {
	struct limits_account account;
	const json_t *totals;
	void (*visit)(void *user, const struct limits_of_one *one);
	void *user;
	char *message;
};

static void take(struct walk *walk, const json_t *object, const char *kind, const char *title)
{
	struct limits limits;
	struct limits_of_one one = {kind, title, object, 0, &limits};
	if (!limits_read_account(object, &walk->account, walk->message))
		return;
	walk->account.is_sum = object == walk->totals;
	*walk->message = '\0';
	limits_of(&walk->account, &limits);
	one.cycles = walk->account.cycles;
	walk->visit(walk->user, &one);
}

static void take_kernel(struct walk *walk, const json_t *kernel)
{
	const char *name = json_string_value(json_object_get(kernel, "demangled"));
	char title[512];
	snprintf(title, sizeof title, "%.400s, launch %lld", name ? name : "?",
	         (long long)json_integer_value(json_object_get(kernel, "launch")));
	take(walk, kernel, "kernel", title);
}

static void take_session(struct walk *walk, const json_t *session)
{
	char title[128];
	snprintf(title, sizeof title, "session %lld, %zu launches that ran together",
	         (long long)json_integer_value(json_object_get(session, "session")),
	         json_array_size(json_object_get(session, "launches")));
	take(walk, session, "session", title);
}

void limits_of_run(const json_t *stats, void (*visit)(void *user, const struct limits_of_one *one), void *user,
                   char message[LIMITS_MESSAGE])
{
	const json_t *kernels = json_object_get(stats, "kernels"), *sessions = json_object_get(stats, "sessions");
	const json_t *totals = json_object_get(stats, "totals");
	struct walk walk = {.totals = totals, .visit = visit, .user = user, .message = message};
	snprintf(message, LIMITS_MESSAGE, "it has no launch");
	if (!limits_read_machine(json_object_get(stats, "configuration"), &walk.account.machine, message))
		return;
	for (size_t i = 0; i < json_array_size(kernels); i++)
		take_kernel(&walk, json_array_get(kernels, i));
	for (size_t i = 0; i < json_array_size(sessions); i++)
		take_session(&walk, json_array_get(sessions, i));
	if (totals && json_array_size(kernels) > 1)
		take(&walk, totals, "totals", "all launches");
}

json_t *limits_of_one_json(const struct limits_of_one *one)
{
	json_t *row = json_object();
	json_object_set_new(row, "of", json_string(one->kind));
	json_object_set_new(row, "name", json_string(one->title));
	json_object_set_new(row, "cycles", json_real(one->cycles));
	json_object_set_new(row, "limits", limits_json(one->limits));
	return row;
}
