/* Protects the timing class of every opcode: the row of ops.h agrees with the table of
 * docs/explanation/timing-model.md, which names every opcode outside the default class. */
#include "ptx/parse.h" /* first: cmocka.h has a macro fail */

#include "simt_kit.h"

static const struct {
	const char *name;
	enum ptx_latency latency;
	enum ptx_unit unit;
} classes[] = {
	{"move", PTX_LATENCY_MOVE, PTX_UNIT_SP},       {"add", PTX_LATENCY_ADD, PTX_UNIT_SP},
	{"max", PTX_LATENCY_MAX, PTX_UNIT_SP},         {"mul", PTX_LATENCY_MUL, PTX_UNIT_SP},
	{"mad", PTX_LATENCY_MAD, PTX_UNIT_SP},         {"fma", PTX_LATENCY_FMA, PTX_UNIT_SP},
	{"mul24", PTX_LATENCY_MUL24, PTX_UNIT_SP},     {"mad24", PTX_LATENCY_MAD24, PTX_UNIT_SP},
	{"div", PTX_LATENCY_DIV, PTX_UNIT_SFU},        {"rem", PTX_LATENCY_REM, PTX_UNIT_SFU},
	{"mma_256", PTX_LATENCY_MMA_256, PTX_UNIT_SP}, {"special", PTX_LATENCY_SPECIAL, PTX_UNIT_SFU},
	{"shuffle", PTX_LATENCY_SHUFFLE, PTX_UNIT_SP},
};
enum { CLASSES = sizeof classes / sizeof *classes };

/* Reads the class from the line's second column: "| add, sub | `add` | ...", or the one after the opcode's name where
 * the column lists several. CLASSES: none. */
static unsigned class_of_line(const char *line, const char *op)
{
	unsigned first = CLASSES;
	const char *column = strchr(line + 1, '|'), *end = column ? strchr(column + 1, '|') : NULL;
	for (unsigned k = 0; end && k < CLASSES; k++) {
		char quoted[16];
		snprintf(quoted, sizeof quoted, "`%s`", classes[k].name);
		const char *found = strstr(column, quoted);
		if (!found || found > end)
			continue;
		if (strcmp(classes[k].name, op) == 0)
			return k;
		first = first < CLASSES ? first : k;
	}
	return first;
}

static bool names(const char *line, const char *op)
{
	const char *end = strchr(line + 1, '|');
	size_t length = strlen(op);
	for (const char *at = line; end && (at = strstr(at, op)) && at < end; at++)
		if (at[-1] == ' ' && (at[length] == ',' || at[length] == ' '))
			return true;
	return false;
}

/* Returns the page's class for an opcode: from the line that names it, or else the default class. */
static unsigned class_on_page(const char *page, const char *op)
{
	const char *table = strstr(page, "| opcodes | row |"), *line = table;
	assert_non_null(table);
	while ((line = strchr(line, '\n')) && line[1] == '|') {
		line++;
		if (strstr(line, "all else that computes") == line + 2)
			return 0;
		if (names(line, op))
			return class_of_line(line, op);
	}
	return CLASSES;
}

static void classes_are_on_the_page(void **state)
{
	(void)state;
	char *page = kit_read_file(SOURCE_DIR "/docs/explanation/timing-model.md");
	for (unsigned op = 0; op < PTX_OPCODES; op++) {
		const struct op_row *row = &ptx_ops[op];
		if (row->latency == PTX_LATENCY_MEMORY) {
			assert_int_equal(row->unit, PTX_UNIT_MEM);
			continue;
		}
		if (row->latency == PTX_LATENCY_BRANCH || row->latency == PTX_LATENCY_BARRIER)
			continue;
		unsigned class = class_on_page(page, row->name);
		assert_true(class < CLASSES);
		if (row->latency != classes[class].latency || row->unit != classes[class].unit)
			fail_msg("%s is not in the class '%s' of docs/explanation/timing-model.md", row->name,
			         classes[class].name);
	}
	free(page);
}

/* Control and waiting: a few, listed by name. */
static void the_others(void **state)
{
	(void)state;
	static const char *const branches[] = {"bra", "call", "ret", "exit", "trap", "brkpt"};
	static const char *const waits[] = {"bar",
	                                    "barrier",
	                                    "barrier.cluster",
	                                    "membar",
	                                    "fence",
	                                    "cp.async.commit_group",
	                                    "cp.async.wait_group",
	                                    "cp.async.wait_all",
	                                    "cp.async.mbarrier.arrive"};
	/* bulk copies, which no memory instruction overtakes */
	enum { BULK = PTX_OP_CP_BULK_WAIT - PTX_OP_CP_BULK + 1 };
	unsigned count = 0;
	for (unsigned op = 0; op < PTX_OPCODES; op++)
		count += ptx_ops[op].latency == PTX_LATENCY_BRANCH || ptx_ops[op].latency == PTX_LATENCY_BARRIER;
	assert_int_equal(count, 15 + BULK);
	for (unsigned op = PTX_OP_CP_BULK; op <= PTX_OP_CP_BULK_WAIT; op++)
		assert_int_equal(ptx_op_unit((enum ptx_opcode)op), PTX_UNIT_SP);
	for (unsigned k = 0; k < 6; k++) {
		assert_int_equal(ptx_op_latency(ptx_op_find(branches[k])), PTX_LATENCY_BRANCH);
		assert_int_equal(ptx_op_unit(ptx_op_find(branches[k])), PTX_UNIT_SP);
	}
	for (unsigned k = 0; k < 9; k++) {
		assert_int_equal(ptx_op_latency(ptx_op_find(waits[k])), PTX_LATENCY_BARRIER);
		assert_int_equal(ptx_op_unit(ptx_op_find(waits[k])), k < 3 ? PTX_UNIT_SP : PTX_UNIT_MEM);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(classes_are_on_the_page), cmocka_unit_test(the_others)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
