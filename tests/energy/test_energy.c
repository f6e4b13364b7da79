/* Protects the energy model:
 * - Energy is exactly count times price, and totals are sums.
 * - Each price changes only its own component.
 * - Numbers of other technology nodes are scaled.
 * - A mechanism's price follows its declaration.
 * - Invalid entries in a table or in a mechanism's rows are refused with their position. */
#include "base/file.h"
#include "energy/price.h"
#include "gpu/gpu.h"
#include "seam/seam.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A table of two components with simple numbers. */
static const char small_table[] =
	"title: Small\n"
	"node: 40\n"
	"components:\n"
	"  core: {meaning: x}\n"
	"  memory: {meaning: y}\n"
	"events:\n"
	"  instruction: {component: core, events: sm.warp_instructions, picojoules: 100, source: s}\n"
	"  lane:\n"
	"    component: core\n"
	"    events: sm.fp32_instructions * sm.thread_instructions / sm.warp_instructions\n"
	"    picojoules: 2\n"
	"    source: s\n"
	"  byte: {component: memory, events: dram.reads * dram.atom_bytes, picojoules: 3, node: 80, source: s}\n"
	"power:\n"
	"  leakage: {component: core, each: sm.count, watts: 2, while: always, source: s}\n"
	"  clocks: {component: memory, watts: 10, node: 80, source: s}\n"
	"scaling:\n"
	"  80: {energy: 0.5, power: 0.25, source: s}\n";

/* Two launches of 1 us and 3 us on 4 SMs. */
static const char statistics[] =
	"{\"configuration\": {\"clock.core\": 700, \"sm.count\": 4, \"dram.atom_bytes\": 64}, \"kernels\": ["
	"{\"cycles\": 700, \"thread_instructions\": 3000, \"counters\": {\"sm.warp_instructions\": 100, "
	"\"sm.thread_instructions\": 3000, \"sm.fp32_instructions\": 50, \"dram.reads\": 10, \"m.used\": 7, "
	"\"m.issued\": 5}},"
	"{\"cycles\": 2100, \"thread_instructions\": 0, \"counters\": {\"sm.warp_instructions\": 0, "
	"\"sm.thread_instructions\": 0, \"sm.fp32_instructions\": 0, \"dram.reads\": 1, \"m.used\": 1, \"m.issued\": "
	"0}}],"
	"\"totals\": {}}";

struct priced {
	struct arena arena;
	struct energy_table table;
	struct energy_prices prices;
	struct energy_account account;
	json_t *stats;
	char message[ENERGY_MESSAGE];
};

/* Returns false with all messages in `says`. */
static bool read_table(struct arena *arena, struct energy_table *table, const char *text, char *says, size_t size)
{
	struct document document = {.arena = arena, .source = {"t.yaml", text, strlen(text)}};
	bool fine = energy_table_read(table, &document);
	assert_int_equal(fine, !document.diag.errors);
	snprintf(says, size, "%s", document.diag.text ? document.diag.text : "");
	diag_free(&document.diag);
	table->name = "t";
	return fine;
}

static bool add_all(struct priced *priced)
{
	const json_t *kernels = json_object_get(priced->stats, "kernels");
	for (size_t i = 0; i < json_array_size(kernels); i++)
		if (!energy_add(&priced->prices, json_array_get(kernels, i), &priced->account, priced->message))
			return false;
	return true;
}

static void open_priced(struct priced *priced, const char *table, const char *stats)
{
	char says[1024];
	*priced = (struct priced){.stats = json_loads(stats, 0, NULL)};
	assert_non_null(priced->stats);
	if (!read_table(&priced->arena, &priced->table, table, says, sizeof says))
		fail_msg("%s", says);
	if (!energy_open(&priced->prices, &priced->table, json_object_get(priced->stats, "configuration"),
	                 priced->message))
		fail_msg("%s", priced->message);
}

static void close_priced(struct priced *priced)
{
	energy_free(&priced->account);
	energy_close(&priced->prices);
	arena_free(&priced->arena);
	json_decref(priced->stats);
}

static void assert_near(double value, double expected)
{
	if (!(fabs(value - expected) <= 1e-12 * fabs(expected)))
		fail_msg("%.15g, expected %.15g", value, expected);
}

static double figure(const json_t *object, const char *key)
{
	return json_number_value(json_object_get(json_object_get(object, "energy"), key));
}

static void test_closed_form(void **state)
{
	(void)state;
	struct priced priced;
	open_priced(&priced, small_table, statistics);
	if (!energy_annotate(&priced.prices, priced.stats, priced.message))
		fail_msg("%s", priced.message);
	const json_t *kernels = json_object_get(priced.stats, "kernels");
	const json_t *one = json_array_get(kernels, 0), *two = json_array_get(kernels, 1);
	const json_t *all = json_object_get(priced.stats, "totals");
	/* 100 instructions at 100 pJ, 50 of 30 lanes at 2 pJ; 640 bytes at half of 3 pJ; 8 W and 2.5 W for 1 us */
	double core = (100 * 100 + 50 * 30 * 2) * 1e-12 + 8e-6, memory = 640 * 1.5e-12 + 2.5e-6;
	assert_near(figure(one, "core"), core);
	assert_near(figure(one, "memory"), memory);
	assert_near(figure(one, "constant"), 10.5e-6);
	assert_near(figure(one, "dynamic"), 13000e-12 + 960e-12);
	assert_near(figure(one, "total"), core + memory);
	assert_near(figure(one, "seconds"), 1e-6);
	assert_near(figure(one, "watts"), (core + memory) / 1e-6);
	assert_near(figure(one, "delay"), (core + memory) * 1e-6);
	assert_near(figure(one, "instruction"), (core + memory) / 3000);
	/* no instruction: a share of zero is zero */
	assert_near(figure(two, "core"), 24e-6);
	assert_true(json_is_null(json_object_get(json_object_get(two, "energy"), "instruction")));
	assert_near(figure(all, "core"), core + 24e-6);
	assert_near(figure(all, "memory"), memory + 64 * 1.5e-12 + 7.5e-6);
	assert_near(figure(all, "total"), figure(one, "total") + figure(two, "total"));
	assert_near(figure(all, "delay"), figure(all, "total") * 4e-6);
	assert_near(energy_idle_watts(&priced.prices), 8); /* clocks run with kernels */
	close_priced(&priced);
}

/* The default table on its own machine. */
static char *default_table(void)
{
	size_t length;
	char *text = file_read(SOURCE_DIR "/energies/gtx480-40nm.yaml", &length);
	assert_non_null(text);
	return text;
}

/* Statistics in which every counter has a different value that is not zero. */
static json_t *busy_statistics(void)
{
	json_t *configuration = json_object(), *counters = json_object();
	static const struct {
		const char *key;
		double value;
	} machine[] = {{"clock.core", 700},           {"clock.l2", 700},      {"clock.network", 700},
	               {"clock.dram", 924},           {"sm.count", 15},       {"map.channels", 6},
	               {"map.slices_per_channel", 2}, {"l2.line_bytes", 128}, {"l2.sectors", 1},
	               {"network.flit_bytes", 32},    {"dram.atom_bytes", 64}};
	for (size_t i = 0; i < sizeof machine / sizeof *machine; i++)
		json_object_set_new(configuration, machine[i].key, json_real(machine[i].value));
	for (size_t g = 0; g < gpu_counter_group_count; g++)
		for (size_t i = 0; i < *gpu_counter_groups[g].count; i++) {
			char name[96];
			snprintf(name, sizeof name, "%s.%s", gpu_counter_groups[g].name,
			         gpu_counter_groups[g].rows[i].name);
			json_object_set_new(counters, name, json_integer((json_int_t)(1000 * (100 + g) - 7 * i)));
		}
	json_object_set_new(counters, "sm.fp32_instructions", json_integer(5000));
	json_object_set_new(counters, "sm.fp64_instructions", json_integer(4000));
	json_object_set_new(counters, "sm.branches", json_integer(300));
	return json_pack("{s:o, s:[{s:i, s:i, s:o}]}", "configuration", configuration, "kernels", "cycles", 70000,
	                 "thread_instructions", 100000, "counters", counters);
}

static void test_sums(void **state)
{
	(void)state;
	char *table = default_table(), *text;
	struct priced priced;
	json_t *stats = busy_statistics();
	text = json_dumps(stats, 0);
	open_priced(&priced, table, text);
	if (!add_all(&priced))
		fail_msg("%s", priced.message);
	double rows = 0, components = 0;
	for (size_t i = 0; i < priced.prices.price_count; i++) {
		if (!(priced.account.joules[i] > 0))
			fail_msg("%s cost nothing", priced.prices.prices[i].name);
		rows += priced.account.joules[i];
	}
	for (size_t i = 0; i < priced.prices.component_count; i++) {
		struct energy_sum sum = energy_of_component(&priced.prices, &priced.account, i);
		if (!(sum.dynamic + sum.constant > 0))
			fail_msg("%s has no price", priced.prices.components[i].name);
		components += sum.dynamic + sum.constant;
	}
	struct energy_sum all = energy_of_all(&priced.prices, &priced.account);
	assert_near(components, all.dynamic + all.constant);
	assert_near(rows, all.dynamic + all.constant);
	close_priced(&priced);
	json_decref(stats);
	free(text);
	free(table);
}

/* One price doubles: only its component grows, by the original cost. */
static void test_one_price(void **state)
{
	(void)state;
	char *table = default_table();
	json_t *stats = busy_statistics();
	char *text = json_dumps(stats, 0);
	struct priced before, after;
	open_priced(&before, table, text);
	assert_true(add_all(&before));
	for (size_t i = 0; i < before.prices.price_count; i++) {
		open_priced(&after, table, text);
		after.prices.prices[i].value *= 2;
		assert_true(add_all(&after));
		for (size_t c = 0; c < before.prices.component_count; c++) {
			struct energy_sum old = energy_of_component(&before.prices, &before.account, c);
			struct energy_sum new = energy_of_component(&after.prices, &after.account, c);
			double moved = (new.dynamic + new.constant) - (old.dynamic + old.constant);
			if (before.prices.prices[i].component != c)
				assert_true(moved == 0);
			else
				assert_true(fabs(moved - before.account.joules[i]) <
				            1e-9 * (old.dynamic + old.constant));
		}
		close_priced(&after);
	}
	close_priced(&before);
	json_decref(stats);
	free(text);
	free(table);
}

/* Replaces the first `from` of the small table. */
static void change(char *text, size_t size, const char *from, const char *to)
{
	const char *at = strstr(small_table, from);
	assert_non_null(at);
	snprintf(text, size, "%.*s%s%s", (int)(at - small_table), small_table, to, at + strlen(from));
}

static void test_wrong_tables(void **state)
{
	(void)state;
	static const struct {
		const char *from, *to, *says;
	} row[] = {
		{"node: 40", "nod: 40", "t.yaml:2:1: error: unknown key 'nod'; did you mean 'node'?"},
		{"title: Small", "note: x", "unknown key 'note'"},
		{"title: Small\n", "", "expected a title"},
		{"  core: {meaning: x}", "  total: {meaning: x}",
	         "4:3: error: a component cannot have the name 'total'"},
		{"  core: {meaning: x}", "  Core: {meaning: x}", "component 'Core'; expected small letters"},
		{"  core: {meaning: x}", "  core: {}", "component core: expected a meaning"},
		{"sm.warp_instructions, pico", "sm.warp_instruction, pico",
	         "t.yaml:7:42: error: events: no counter 'sm.warp_instruction'; did you mean 'sm.warp_instructions'?"},
		{"sm.warp_instructions, pico", "energy.total, pico", "no counter 'energy.total'"},
		{"sm.warp_instructions, pico", "mthwp.useful, pico", "no counter 'mthwp.useful'"},
		{"picojoules: 100", "picojoules: -100",
	         "t.yaml:7:76: error: picojoules: expected a number of at least 0, not '-100'"},
		{"picojoules: 100", "picojoules: nan", "expected a number of at least 0, not 'nan'"},
		{"picojoules: 100", "picojoules: 1e999", "expected a number of at least 0"},
		{"picojoules: 100", "nanojoules: 100", "unknown key 'nanojoules'; did you mean 'picojoules'?"},
		{"picojoules: 100, ", "", "7:3: error: event instruction: expected picojoules"},
		{"events: sm.warp_instructions, ", "", "event instruction: expected events"},
		{"component: core, ev", "component: cor, ev", "no component 'cor'; did you mean 'core'?"},
		{"component: core, ev", "ev", "event instruction: expected a component"},
		{", node: 80, source: s}\npower", ", node: 80}\npower", "event byte: expected a source"},
		{"node: 80, source: s}\npower", "node: 28, source: s}\npower",
	         "event byte: its number is for 28 nm, and scaling has no factor from there to 40"},
		{"while: always", "while: idle", "while: expected always or running, not 'idle'"},
		{"watts: 2", "watts: -2", "watts: expected a number of at least 0"},
		{"each: sm.count", "each: sm.warp_instructions", "each: no counter 'sm.warp_instructions'"},
		{"each: sm.count", "each: cycles", "each: expected keys of the machine"},
		{"each: sm.count", "each: name", "each: 'name' is not a number"},
		{"  80: {energy", "  x: {energy", "scaling 'x'; expected a technology node in nm"},
		{"  80: {energy", "  40: {energy", "40 nm is the table's own node"},
		{"energy: 0.5, ", "", "scaling 80: expected energy, power and a source"},
		{"  byte:", "  instruction:", "'instruction' is set a second time; the first is in line 7"},
	};
	char text[2048], says[2048];
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct arena arena = {0};
		struct energy_table table;
		change(text, sizeof text, row[i].from, row[i].to);
		if (read_table(&arena, &table, text, says, sizeof says))
			fail_msg("'%s' is accepted", row[i].to);
		if (!strstr(says, row[i].says))
			fail_msg("'%s': %s; expected '%s'", row[i].to, says, row[i].says);
		arena_free(&arena);
	}
}

static void refuse(const char *stats, const char *says)
{
	struct priced priced;
	open_priced(&priced, small_table, stats);
	if (add_all(&priced))
		fail_msg("%s is accepted", stats);
	if (!strstr(priced.message, says))
		fail_msg("%s; expected '%s'", priced.message, says);
	close_priced(&priced);
}

static void test_wrong_statistics(void **state)
{
	(void)state;
#define MACHINE "{\"configuration\": {\"clock.core\": 700, \"sm.count\": 4, \"dram.atom_bytes\": 64}, \"kernels\": ["
	refuse(MACHINE "{\"cycles\": null}]}", "a functional run has no cycles, and therefore no energy");
	refuse(MACHINE "{\"cycles\": 7}]}", "instruction: the statistics have no 'sm.warp_instructions'");
	refuse(MACHINE "{\"cycles\": 7, \"counters\": {\"sm.warp_instructions\": -1}}]}", "instruction: -1 events");
	refuse("{\"configuration\": {\"sm.count\": 4}, \"kernels\": [{\"cycles\": 7}]}",
	       "the statistics have no 'clock.core'");
}

/* --- mechanisms --- */

struct m_stats {
	uint64_t used;
};
static const struct base_counter m_counters[] = {{"used", "", BASE_SCOPE_SM, 0, "", BASE_COMBINE_SUM}};
static struct mech_energy m_row[3];
static uint32_t m_rows;

static uint32_t m_energies(const void *config, const struct mech_machine *machine, struct mech_energy *energy)
{
	(void)config;
	(void)machine;
	for (uint32_t i = 0; i < 3; i++)
		energy[i] = m_row[i];
	return m_rows;
}

static const struct mech m = {.version = MECH_VERSION,
                              .name = "m",
                              .summary = "",
                              .citation = "",
                              .counters = m_counters,
                              .counter_count = 1,
                              .stats_size = sizeof(struct m_stats),
                              .energies = m_energies,
                              .sends = true};
static const struct mech_machine four_sms = {.sms = 4, .send_queue = 1};

static void test_mechanism(void **state)
{
	(void)state;
	const struct seam_attached attached = {&m, NULL};
	struct priced priced;
	m_row[0] = (struct mech_energy){
		.what = "table", .source = "s", .node = 80, .events = "used + 2 * m.issued", .picojoules = 10};
	m_row[1] = (struct mech_energy){.what = "leakage", .source = "s", .node = 40, .watts = 1};
	m_row[2] = (struct mech_energy){.what = "controller", .source = "s", .node = 80, .watts = 1, .of_gpu = true};
	m_rows = 3;
	open_priced(&priced, small_table, statistics);
	if (!energy_add_mechanism(&priced.prices, &attached, &four_sms, priced.message))
		fail_msg("%s", priced.message);
	if (!energy_annotate(&priced.prices, priced.stats, priced.message))
		fail_msg("%s", priced.message);
	const json_t *one = json_array_get(json_object_get(priced.stats, "kernels"), 0);
	/* 7 + 2 * 5 events at half of 10 pJ; 4 W, and a quarter of 1 W, for 1 us */
	assert_near(figure(one, "m"), 17 * 5e-12 + 4.25e-6);
	assert_near(figure(one, "total"), figure(one, "m") + figure(one, "core") + figure(one, "memory"));
	assert_near(energy_idle_watts(&priced.prices), 8);
	close_priced(&priced);
	m_row[1].node = 7;
	open_priced(&priced, small_table, statistics);
	assert_false(energy_add_mechanism(&priced.prices, &attached, &four_sms, priced.message));
	assert_string_equal(priced.message,
	                    "mechanism m: leakage: its number is for 7 nm, and scaling of the table t has no "
	                    "factor from there");
	close_priced(&priced);
}

static void test_wrong_mechanisms(void **state)
{
	(void)state;
	static const struct {
		struct mech_energy row;
		const char *says;
	} wrong[] = {
		{{.source = "s", .node = 40}, "energy 0 (no name): it lacks its meaning"},
		{{.what = "x", .node = 40}, "energy 0 (x): it lacks its meaning, or the source of its number"},
		{{.what = "x", .source = "s"}, "energy 0 (x): no technology node"},
		{{.what = "x", .source = "s", .node = 40, .events = "used", .watts = 1}, "expected either events"},
		{{.what = "x", .source = "s", .node = 40, .picojoules = 1}, "expected either events"},
		{{.what = "x", .source = "s", .node = 40, .events = "used", .of_gpu = true}, "expected either events"},
		{{.what = "x", .source = "s", .node = 40, .watts = -1}, "expected a number of at least 0"},
		{{.what = "x", .source = "s", .node = 40, .watts = NAN}, "expected a number of at least 0"},
		{{.what = "x", .source = "s", .node = 40, .events = "used", .picojoules = INFINITY},
	         "expected a number of at least 0"},
		{{.what = "x", .source = "s", .node = 40, .events = "usde"},
	         "energy 0 (x): no counter 'm.usde'; did you mean 'm.used'?"},
		{{.what = "x", .source = "s", .node = 40, .events = "sm.branches"}, "no counter 'sm.branches'"},
		{{.what = "x", .source = "s", .node = 40, .events = "used +"}, "expected a number, a counter"},
	};
	const struct seam_attached attached = {&m, NULL};
	char message[ENERGY_MESSAGE];
	struct priced priced;
	m_rows = 1;
	open_priced(&priced, small_table, statistics);
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		m_row[0] = wrong[i].row;
		assert_false(seam_check(&attached, 1, &four_sms, message, sizeof message));
		if (!strstr(message, wrong[i].says))
			fail_msg("%s; expected '%s'", message, wrong[i].says);
		/* a mechanism of a shared object that was loaded long after the run is not attached, and refused all
		 * the same */
		assert_false(energy_add_mechanism(&priced.prices, &attached, &four_sms, priced.message));
		assert_string_equal(priced.message, message);
	}
	close_priced(&priced);
	m_rows = MECH_MAX_ENERGIES + 1;
	assert_false(seam_check(&attached, 1, &four_sms, message, sizeof message));
	assert_string_equal(message, "mechanism m: 33 rows of energies; expected at most 32");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_closed_form),      cmocka_unit_test(test_sums),
		cmocka_unit_test(test_one_price),        cmocka_unit_test(test_wrong_tables),
		cmocka_unit_test(test_wrong_statistics), cmocka_unit_test(test_mechanism),
		cmocka_unit_test(test_wrong_mechanisms),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
