#include "lab/reuse_reason.h"

#include "lab/run_record.h"

#include <stdlib.h>
#include <string.h>

/* The requested run, and the newest earlier one of the same name, as records. */
struct asked {
	json_t *run, *before;
	uint64_t id, before_id;
};

static void take_run(void *context, const struct run_config *config, const struct run_result *result)
{
	struct asked *asked = context;
	asked->run = run_record_json(config, result);
	asked->id = result->id;
}

static void take_before(void *context, const struct run_config *config, const struct run_result *result)
{
	struct asked *asked = context;
	if (result->id >= asked->id)
		return;
	json_decref(asked->before);
	asked->before = run_record_json(config, result);
	asked->before_id = result->id;
}

static const char *text_of(const json_t *run, const char *name)
{
	const char *text = json_string_value(json_object_get(run, name));
	return text ? text : "";
}

static bool find_before(struct store *store, struct asked *asked, char *message)
{
	static const char *const same[] = {"program", "variant", "size",      "arguments",
	                                   "machine", "options", "mechanisms"};
	enum { SAME = sizeof same / sizeof *same };
	struct store_filter filters[SAME + 1];
	char seed[24];
	for (size_t i = 0; i < SAME; i++)
		filters[i] = (struct store_filter){same[i], text_of(asked->run, same[i])};
	snprintf(seed, sizeof seed, "%llu",
	         (unsigned long long)json_integer_value(json_object_get(asked->run, "seed")));
	filters[SAME] = (struct store_filter){"seed", seed};
	return store_each(store, filters, SAME + 1, take_before, asked, message);
}

static void print_value(const json_t *value, FILE *file)
{
	char *text = value ? json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(6)) : NULL;
	fputs(text ? text : "nothing", file);
	free(text);
}

/* Reports keys of the machine with other values, from the runs' statistics. Returns their number. */
static size_t tell_keys(const struct asked *asked, FILE *file)
{
	const json_t *now = json_object_get(json_object_get(asked->run, "stats"), "configuration");
	const json_t *then = json_object_get(json_object_get(asked->before, "stats"), "configuration"), *value;
	const char *key;
	size_t found = 0;
	json_object_foreach((json_t *)now, key, value)
	{
		const json_t *other = json_object_get(then, key);
		if (!then || json_equal(other, value))
			continue;
		fprintf(file, "    %s: ", key);
		print_value(other, file);
		fputs(" -> ", file);
		print_value(value, file);
		fputc('\n', file);
		found++;
	}
	return found;
}

static void tell_mechanisms(const struct asked *asked, FILE *file)
{
	const json_t *now = json_object_get(json_object_get(asked->run, "stats"), "mechanisms");
	const json_t *then = json_object_get(json_object_get(asked->before, "stats"), "mechanisms");
	if (!now || !then || json_equal(now, then))
		return;
	fputs("    mechanisms: ", file);
	print_value(then, file);
	fputs(" -> ", file);
	print_value(now, file);
	fputc('\n', file);
}

static bool is_other(const struct asked *asked, const char *digest)
{
	return strcmp(text_of(asked->run, digest), text_of(asked->before, digest)) != 0;
}

static void tell_difference(const struct asked *asked, FILE *file)
{
	const char *now = text_of(asked->run, "revision"), *then = text_of(asked->before, "revision");
	fprintf(file, "Run %llu, made %s UTC (%s), has the same names but could not be reused:\n",
	        (unsigned long long)asked->before_id, text_of(asked->before, "finished"),
	        text_of(asked->before, "verdict"));
	if (is_other(asked, "library"))
		fprintf(file, "  the simulator is another build (revision %s -> %s)\n", *then ? then : "unknown",
		        *now ? now : "unknown");
	if (is_other(asked, "binary"))
		fputs("  the program was recompiled or changed\n", file);
	if (is_other(asked, "inputs"))
		fputs("  an input file changed, or other files are named\n", file);
	if (!is_other(asked, "description"))
		return;
	fputs("  the machine's keys, the mechanisms' options or the shared objects differ\n", file);
	if (!tell_keys(asked, file))
		fputs("    (no key of the machine)\n", file);
	tell_mechanisms(asked, file);
}

static void tell_identity(const struct asked *asked, FILE *file)
{
	static const char *const names[] = {"program",    "variant", "size",   "arguments",   "machine", "options",
	                                    "mechanisms", "library", "binary", "description", "inputs"};
	fprintf(file, "run %llu, made %s UTC%s%s: %s\n", (unsigned long long)asked->id, text_of(asked->run, "finished"),
	        *text_of(asked->run, "host") ? " on " : "", text_of(asked->run, "host"),
	        text_of(asked->run, "verdict"));
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (*text_of(asked->run, names[i]))
			fprintf(file, "  %-12s %s\n", names[i], text_of(asked->run, names[i]));
	fprintf(file, "  %-12s %llu\n", "seed",
	        (unsigned long long)json_integer_value(json_object_get(asked->run, "seed")));
	fputs("These are its identity; the last four, except the seed, are digests. A run is reused for another when "
	      "all are the same and it passed or was cut by a limit.\n",
	      file);
}

bool reuse_reason_print(struct store *store, const char *run, FILE *file, char message[STORE_MESSAGE])
{
	const struct store_filter filter = {"id", run};
	struct asked asked = {0};
	bool fine = store_each(store, &filter, 1, take_run, &asked, message);
	if (fine && !asked.run) {
		snprintf(message, STORE_MESSAGE, "no run %s; the column 'run' of 'sluice results' has the numbers",
		         run);
		fine = false;
	}
	fine = fine && find_before(store, &asked, message);
	if (fine) {
		tell_identity(&asked, file);
		if (asked.before)
			tell_difference(&asked, file);
		else
			fputs("No earlier run has the same program, arguments, machine, options and mechanisms; this "
			      "run would have replaced a failed one.\n",
			      file);
	}
	json_decref(asked.run);
	json_decref(asked.before);
	return fine;
}
