#include "cli/profile/data.h"

#include "base/arena.h"
#include "base/formula.h"
#include "cli/commands.h"
#include "cli/json_file.h"

#include <stdlib.h>
#include <string.h>

const char *const profile_cause_names[SHOWN_CAUSES] = {
#define X(name, shown) shown,
	PROFILE_SHOWN_CAUSES(X)
#undef X
};

static const char *const keys[SHOWN_CAUSES] = {
#define X(name, shown) #name,
	PROFILE_SHOWN_CAUSES(X)
#undef X
};

static uint64_t number(const json_t *object, const char *key)
{
	return (uint64_t)json_integer_value(json_object_get(object, key));
}

static const char *string(const json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}

static struct profile_costs costs_of(const json_t *inst)
{
	const json_t *waits = json_object_get(inst, "waits");
	struct profile_costs costs = {
		.issues = number(inst, "issues"),
		.lanes = number(inst, "lanes"),
		.diverged = number(inst, "diverged"),
		.transactions = number(inst, "transactions"),
		.bank_cycles = number(inst, "bank_cycles"),
		.l1_accesses = number(inst, "l1_accesses"),
		.l1_hits = number(inst, "l1_hits"),
		.l2_accesses = number(inst, "l2_accesses"),
		.l2_hits = number(inst, "l2_hits"),
		.dram_bytes = number(inst, "dram_bytes"),
		.answers = number(inst, "answers"),
		.p95 = json_number_value(json_object_get(inst, "latency_p95")),
	};
	for (size_t c = 0; c < SHOWN_CAUSES; c++)
		costs.lost[c] = number(waits, keys[c]);
	costs.requests = costs.transactions ? costs.issues : 0;
	costs.shared = costs.bank_cycles ? costs.issues : 0;
	costs.latency = (double)costs.answers * json_number_value(json_object_get(inst, "latency_mean"));
	return costs;
}

uint64_t profile_costs_lost(const struct profile_costs *costs)
{
	uint64_t lost = 0;
	for (size_t c = 0; c < SHOWN_CAUSES; c++)
		lost += costs->lost[c];
	return lost;
}

uint64_t profile_costs_slots(const struct profile_costs *costs)
{
	return costs->issues + profile_costs_lost(costs);
}

void profile_costs_add(struct profile_costs *sum, const struct profile_costs *costs)
{
	sum->issues += costs->issues;
	sum->lanes += costs->lanes;
	sum->diverged += costs->diverged;
	for (size_t c = 0; c < SHOWN_CAUSES; c++)
		sum->lost[c] += costs->lost[c];
	sum->transactions += costs->transactions;
	sum->requests += costs->requests;
	sum->bank_cycles += costs->bank_cycles;
	sum->shared += costs->shared;
	sum->l1_accesses += costs->l1_accesses;
	sum->l1_hits += costs->l1_hits;
	sum->l2_accesses += costs->l2_accesses;
	sum->l2_hits += costs->l2_hits;
	sum->dram_bytes += costs->dram_bytes;
	sum->answers += costs->answers;
	sum->latency += costs->latency;
	if (sum->p95 < costs->p95)
		sum->p95 = costs->p95;
}

/* --- reading --- */

static void add_site(struct profile_data *data, const struct profile_site *site)
{
	data->site = base_realloc(data->site, (data->sites + 1) * sizeof *data->site);
	data->site[data->sites++] = *site;
}

static bool is_same_line(const struct profile_site *one, const struct profile_site *other)
{
	bool files = one->file && other->file ? strcmp(one->file, other->file) == 0 : one->file == other->file;
	return files && one->line == other->line;
}

/* Costs without a line are kept separate by kernel. */
static void add_to_line(struct profile_data *data, const struct profile_site *site)
{
	for (size_t i = 0; i < data->sites; i++) {
		struct profile_site *there = &data->site[i];
		if (is_same_line(there, site) && (site->file || strcmp(there->kernel, site->kernel) == 0)) {
			profile_costs_add(&there->costs, &site->costs);
			return;
		}
	}
	struct profile_site line = *site;
	line.text = NULL;
	line.waiters = NULL;
	add_site(data, &line);
}

static void add_inst(struct profile_data *data, const char *kernel, const json_t *inst, enum profile_by by)
{
	const struct profile_site site = {
		.kernel = kernel,
		.function = string(inst, "function"),
		.file = string(inst, "file"),
		.line = (uint32_t)number(inst, "line"),
		.index = (uint32_t)number(inst, "index"),
		.text = string(inst, "text") ? string(inst, "text") : "(the end of the function)",
		.waiters = json_object_get(inst, "waited_for_by"),
		.costs = costs_of(inst),
	};
	data->slots += profile_costs_slots(&site.costs);
	if (by == PROFILE_BY_LINE)
		add_to_line(data, &site);
	else
		add_site(data, &site);
}

static bool is_meant(const json_t *kernel, const char *name)
{
	return !name || formula_kernel_is(string(kernel, "name"), name) ||
	       strcmp(string(kernel, "demangled"), name) == 0;
}

static void add_kernel(struct profile_data *data, const json_t *kernel, enum profile_by by)
{
	size_t i;
	const json_t *inst;
	data->idle += number(kernel, "idle");
	data->slots += number(kernel, "idle");
	data->cycles += number(kernel, "cycles");
	data->launches += number(kernel, "launches");
	json_array_foreach(json_object_get(kernel, "instructions"), i, inst)
		add_inst(data, string(kernel, "demangled"), inst, by);
}

/* True when the kernel has the texts needed for display. */
static bool is_kernel(const json_t *kernel)
{
	return string(kernel, "name") && string(kernel, "demangled") &&
	       json_is_array(json_object_get(kernel, "instructions"));
}

static bool is_profile(const json_t *json)
{
	size_t i;
	const json_t *kernel, *kernels = json_object_get(json, "kernels");
	if (number(json, "profile") != 1 || !json_is_array(kernels))
		return false;
	json_array_foreach(kernels, i, kernel) if (!is_kernel(kernel)) return false;
	return true;
}

static bool load(struct profile_data *data, const char *command, const char *path)
{
	data->json = cli_read_json(command, path);
	bool fine = data->json && is_profile(data->json);
	if (data->json && !fine)
		cli_error(command, "%s is not a profile; 'sluice run --profile FILE -- PROGRAM' makes one", path);
	return fine;
}

static bool has_kernel(const struct profile_data *data, const char *command, const char *name)
{
	size_t i;
	const json_t *kernel;
	const json_t *kernels = json_object_get(data->json, "kernels");
	json_array_foreach(kernels, i, kernel) if (is_meant(kernel, name)) return true;
	if (json_array_size(kernels))
		cli_error(command, "%s has no kernel '%s'; its first is '%s'", data->path, name,
		          string(json_array_get(kernels, 0), "demangled"));
	else
		cli_error(command, "%s has no kernel: the program launched none, or was stopped in the first",
		          data->path);
	return false;
}

bool profile_data_read(struct profile_data *data, const char *command, const char *path, const char *kernel,
                       enum profile_by by)
{
	size_t i;
	const json_t *one;
	*data = (struct profile_data){.path = path};
	if (!load(data, command, path) || !has_kernel(data, command, kernel)) {
		profile_data_close(data);
		return false;
	}
	json_array_foreach(json_object_get(data->json, "kernels"), i, one) if (is_meant(one, kernel))
		add_kernel(data, one, by);
	return true;
}

void profile_data_close(struct profile_data *data)
{
	json_decref(data->json);
	free(data->site);
}

/* --- columns --- */

static double share(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : 0;
}

void profile_print_heads(FILE *out)
{
	fprintf(out, " %6s %10s %5s %5s %5s %5s %7s  %-24s", "slots", "issues", "lanes", "tr/rq", "bank", "L1 %",
	        "latency", "mostly");
}

/* Prints a mean, or blanks when the count is 0. */
static void print_mean(uint64_t sum, uint64_t count, double by, int width, FILE *out)
{
	if (count)
		fprintf(out, " %*.1f", width, by * share(sum, count));
	else
		fprintf(out, " %*s", width, "");
}

void profile_costs_why(const struct profile_costs *costs, char why[PROFILE_WHY])
{
	size_t main = SHOWN_CAUSES;
	uint64_t most = costs->issues;
	for (size_t c = 0; c < SHOWN_CAUSES; c++)
		if (costs->lost[c] > most)
			most = costs->lost[main = c];
	snprintf(why, PROFILE_WHY, "%s %.0f %%", main == SHOWN_CAUSES ? "issued" : profile_cause_names[main],
	         100 * share(most, profile_costs_slots(costs)));
}

void profile_print_costs(const struct profile_costs *costs, uint64_t slots, FILE *out)
{
	char why[PROFILE_WHY];
	profile_costs_why(costs, why);
	fprintf(out, " %5.1f%% %10llu", 100 * share(profile_costs_slots(costs), slots),
	        (unsigned long long)costs->issues);
	print_mean(costs->lanes, costs->issues, 1, 5, out);
	print_mean(costs->transactions, costs->requests, 1, 5, out);
	print_mean(costs->bank_cycles, costs->shared, 1, 5, out);
	print_mean(costs->l1_hits, costs->l1_accesses, 100, 5, out);
	if (costs->answers)
		fprintf(out, " %7.0f", costs->latency / (double)costs->answers);
	else
		fprintf(out, " %7s", "");
	fprintf(out, "  %-24s", why);
}
