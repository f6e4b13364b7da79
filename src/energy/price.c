#include "energy/price.h"

#include "seam/seam.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct energy_price *new_price(struct energy_prices *prices, size_t component)
{
	struct energy_price *grown = arena_array(&prices->arena, prices->price_count + 1, sizeof *grown);
	if (prices->price_count)
		memcpy(grown, prices->prices, prices->price_count * sizeof *grown);
	prices->prices = grown;
	grown[prices->price_count] = (struct energy_price){.component = component};
	return &grown[prices->price_count++];
}

/* The number of instances that draw a power. NAN with a message. */
static double count_of(const struct energy_power *power, const json_t *configuration, char message[ENERGY_MESSAGE])
{
	char text[FORMULA_MESSAGE] = "it is not a number";
	json_t *root = json_pack("{s:O}", "configuration", configuration);
	double count = power->each ? formula_value(power->each, root, NULL, text) : 1;
	json_decref(root);
	if (isfinite(count) && count >= 0)
		return count;
	snprintf(message, ENERGY_MESSAGE, "power %s: each: %s", power->name, count < 0 ? "it is negative" : text);
	return NAN;
}

bool energy_open(struct energy_prices *prices, const struct energy_table *table, json_t *configuration,
                 char message[ENERGY_MESSAGE])
{
	size_t events = table->event_count, count = table->component_count;
	*prices = (struct energy_prices){.table = table,
	                                 .configuration = json_incref(configuration),
	                                 .component_count = count,
	                                 .price_count = events + table->power_count};
	prices->components = arena_array(&prices->arena, count, sizeof *prices->components);
	memcpy(prices->components, table->components, count * sizeof *prices->components);
	prices->prices = arena_array(&prices->arena, prices->price_count + 1, sizeof *prices->prices);
	for (size_t i = 0; i < events; i++) {
		const struct energy_event *event = &table->events[i];
		double scale = energy_table_scale(table, event->node)->energy;
		prices->prices[i] = (struct energy_price){.name = event->name,
		                                          .source = event->source,
		                                          .text = event->text,
		                                          .component = energy_table_find(table, event->component),
		                                          .amount = event->events,
		                                          .value = event->picojoules * 1e-12 * scale};
	}
	for (size_t i = 0; i < table->power_count; i++) {
		const struct energy_power *power = &table->powers[i];
		double number = count_of(power, configuration, message);
		if (isnan(number))
			return false;
		prices->prices[events + i] = (struct energy_price){
			.name = power->name,
			.source = power->source,
			.text = power->text,
			.component = energy_table_find(table, power->component),
			.value = power->watts * number * energy_table_scale(table, power->node)->power,
			.always = power->always};
	}
	return true;
}

/* The index of the component of that name, which is added if it does not exist. */
static size_t component_of(struct energy_prices *prices, const struct mech *mech)
{
	size_t count = prices->component_count;
	for (size_t i = 0; i < count; i++)
		if (strcmp(prices->components[i].name, mech->name) == 0)
			return i;
	struct energy_component *grown = arena_array(&prices->arena, count + 1, sizeof *grown);
	memcpy(grown, prices->components, count * sizeof *grown);
	/* A copy, because the mechanism may be unloaded when the prices are printed. */
	const char *name = arena_string(&prices->arena, mech->name, strlen(mech->name));
	grown[count] = (struct energy_component){.name = name, .meaning = "the mechanism"};
	prices->components = grown;
	prices->component_count++;
	return count;
}

static bool add_row(struct energy_prices *prices, size_t component, const struct mech_energy *row,
                    const struct formula_names *names, double units, char message[ENERGY_MESSAGE])
{
	const struct energy_scale *scale = energy_table_scale(prices->table, row->node);
	struct energy_price *price = new_price(prices, component);
	struct arena *arena = &prices->arena;
	if (!scale) {
		snprintf(message, ENERGY_MESSAGE,
		         "mechanism %s: %s: its number is for %u nm, and scaling of the table %s has no factor from "
		         "there",
		         names->own, row->what, row->node, prices->table->name);
		return false;
	}
	price->name = arena_string(arena, row->what, strlen(row->what));
	price->source = arena_string(arena, row->source, strlen(row->source));
	price->value = row->watts * scale->power * units;
	if (!row->events)
		return true;
	price->text = arena_string(arena, row->events, strlen(row->events));
	price->value = row->picojoules * 1e-12 * scale->energy;
	price->amount = formula_parse(arena, price->text, names, message);
	return price->amount != NULL;
}

bool energy_add_mechanism(struct energy_prices *prices, const struct seam_attached *attached,
                          const struct mech_machine *machine, char message[ENERGY_MESSAGE])
{
	struct mech_energy row[MECH_MAX_ENERGIES];
	struct seam_energy_names names;
	if (!seam_check_energies(attached, machine, message, ENERGY_MESSAGE))
		return false;
	uint32_t count = seam_energies(attached, machine, row);
	if (!count)
		return true;
	if (energy_is_reserved(attached->mech->name)) {
		snprintf(message, ENERGY_MESSAGE,
		         "mechanism %s: energy.%s has another meaning: the mechanism needs another name",
		         attached->mech->name, attached->mech->name);
		return false;
	}
	seam_energy_names(&names, attached->mech);
	size_t component = component_of(prices, attached->mech);
	for (uint32_t i = 0; i < count; i++)
		if (!add_row(prices, component, &row[i], &names.names, row[i].of_gpu ? 1 : machine->sms, message))
			return false;
	return true;
}

void energy_close(struct energy_prices *prices)
{
	json_decref((json_t *)prices->configuration);
	arena_free(&prices->arena);
	*prices = (struct energy_prices){0};
}

/* --- accounts --- */

/* Simulated seconds of a launch; NAN with a message. */
static double seconds_of(const struct energy_prices *prices, const json_t *kernel, char message[ENERGY_MESSAGE])
{
	const json_t *cycles = json_object_get(kernel, "cycles");
	double mhz = json_number_value(json_object_get(prices->configuration, "clock.core"));
	if (!json_is_number(cycles))
		snprintf(message, ENERGY_MESSAGE, "a functional run has no cycles, and therefore no energy");
	else if (!(mhz > 0))
		snprintf(message, ENERGY_MESSAGE, "the statistics have no 'clock.core'");
	else
		return json_number_value(cycles) / (mhz * 1e6);
	return NAN;
}

/* The number of events in a launch; NAN with a message. */
static double amount_of(const struct energy_price *price, const json_t *launch, char message[ENERGY_MESSAGE])
{
	char text[FORMULA_MESSAGE] = "it is not a number";
	double amount = formula_value(price->amount, launch, NULL, text);
	if (isfinite(amount) && amount >= 0)
		return amount;
	if (amount < 0)
		snprintf(text, sizeof text, "%g events", amount);
	snprintf(message, ENERGY_MESSAGE, "%s: %s", price->name, text);
	return NAN;
}

bool energy_add(const struct energy_prices *prices, const json_t *kernel, struct energy_account *account,
                char message[ENERGY_MESSAGE])
{
	double seconds = seconds_of(prices, kernel, message);
	bool fine = !isnan(seconds);
	json_t *launch = json_pack("{s:O, s:[O]}", "configuration", prices->configuration, "kernels", kernel);
	if (!account->joules)
		account->joules = base_calloc(prices->price_count + 1, sizeof *account->joules);
	for (size_t i = 0; fine && i < prices->price_count; i++) {
		const struct energy_price *price = &prices->prices[i];
		double amount = price->amount ? amount_of(price, launch, message) : seconds;
		fine = !isnan(amount);
		account->joules[i] += fine ? amount * price->value : 0;
	}
	account->seconds += fine ? seconds : 0;
	account->thread_instructions += json_number_value(json_object_get(kernel, "thread_instructions"));
	json_decref(launch);
	return fine;
}

void energy_accumulate(const struct energy_prices *prices, struct energy_account *sum,
                       const struct energy_account *account)
{
	if (!account->joules)
		return;
	if (!sum->joules)
		sum->joules = base_calloc(prices->price_count + 1, sizeof *sum->joules);
	for (size_t i = 0; i < prices->price_count; i++)
		sum->joules[i] += account->joules[i];
	sum->seconds += account->seconds;
	sum->thread_instructions += account->thread_instructions;
}

void energy_free(struct energy_account *account)
{
	free(account->joules);
	*account = (struct energy_account){0};
}

static struct energy_sum sum_of(const struct energy_prices *prices, const struct energy_account *account, size_t from,
                                size_t end)
{
	struct energy_sum sum = {0};
	for (size_t i = 0; account->joules && i < prices->price_count; i++) {
		const struct energy_price *price = &prices->prices[i];
		if (price->component < from || price->component >= end)
			continue;
		*(price->amount ? &sum.dynamic : &sum.constant) += account->joules[i];
	}
	return sum;
}

struct energy_sum energy_of_component(const struct energy_prices *prices, const struct energy_account *account,
                                      size_t component)
{
	return sum_of(prices, account, component, component + 1);
}

struct energy_sum energy_of_all(const struct energy_prices *prices, const struct energy_account *account)
{
	return sum_of(prices, account, 0, prices->component_count);
}

double energy_idle_watts(const struct energy_prices *prices)
{
	double watts = 0;
	for (size_t i = 0; i < prices->price_count; i++)
		watts += prices->prices[i].always ? prices->prices[i].value : 0;
	return watts;
}

/* A quotient; null when nothing has run. */
static json_t *share(double value, double of)
{
	return of > 0 ? json_real(value / of) : json_null();
}

json_t *energy_json(const struct energy_prices *prices, const struct energy_account *account)
{
	json_t *object = json_object();
	struct energy_sum all = energy_of_all(prices, account);
	double total = all.dynamic + all.constant;
	json_object_set_new(object, "table", json_string(prices->table->name));
	json_object_set_new(object, "seconds", json_real(account->seconds));
	json_object_set_new(object, "total", json_real(total));
	json_object_set_new(object, "dynamic", json_real(all.dynamic));
	json_object_set_new(object, "constant", json_real(all.constant));
	json_object_set_new(object, "watts", share(total, account->seconds));
	json_object_set_new(object, "delay", json_real(total * account->seconds));
	json_object_set_new(object, "instruction", share(total, account->thread_instructions));
	for (size_t i = 0; i < prices->component_count; i++) {
		struct energy_sum part = energy_of_component(prices, account, i);
		json_object_set_new(object, prices->components[i].name, json_real(part.dynamic + part.constant));
	}
	return object;
}

/* Annotates one launch, which is also added to `all`. */
static bool annotate_kernel(const struct energy_prices *prices, json_t *kernel, struct energy_account *all,
                            char message[ENERGY_MESSAGE])
{
	struct energy_account account = {0};
	bool fine = energy_add(prices, kernel, &account, message);
	if (fine) {
		json_object_set_new(kernel, "energy", energy_json(prices, &account));
		energy_accumulate(prices, all, &account);
	}
	energy_free(&account);
	return fine;
}

bool energy_annotate(const struct energy_prices *prices, json_t *stats, char message[ENERGY_MESSAGE])
{
	const json_t *kernels = json_object_get(stats, "kernels");
	json_t *totals = json_object_get(stats, "totals");
	struct energy_account all = {0};
	bool fine = true;
	for (size_t i = 0; fine && i < json_array_size(kernels); i++)
		fine = annotate_kernel(prices, json_array_get(kernels, i), &all, message);
	if (fine && totals)
		json_object_set_new(totals, "energy", energy_json(prices, &all));
	energy_free(&all);
	return fine;
}
