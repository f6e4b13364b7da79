/* Protects users from mechanisms with an invalid declaration: wrong names, tables or buffers are reported before the
 * machine is opened. */
#include "gpu_kit.h"

enum { LINE = 128 };

struct one_option {
	uint32_t value;
	bool flag;
};

static const struct one_option ones = {.value = 1};
static const char *const words[] = {"a", "b", NULL};

#define OPTION(name, type, offset, choices, unit, meaning)                                                             \
	(const struct base_option[])                                                                                   \
	{                                                                                                              \
		{                                                                                                      \
			name, type, offset, 2, 4, choices, unit, meaning                                               \
		}                                                                                                      \
	}
#define COUNTER(name, scope, offset, unit, meaning, combination)                                                       \
	(const struct base_counter[])                                                                                  \
	{                                                                                                              \
		{                                                                                                      \
			name, unit, scope, offset, meaning, combination                                                \
		}                                                                                                      \
	}
#define OPTIONS(table)                                                                                                 \
	.options = (table), .option_count = sizeof(table) / sizeof(struct base_option), .config_size = sizeof ones,    \
	.defaults = &ones
#define COUNTERS(table)                                                                                                \
	.counters = (table), .counter_count = sizeof(table) / sizeof(struct base_counter), .stats_size = 8,            \
	.sends = true
#define VECTORS(...) .vectors = (const struct base_counter_vector[]){{__VA_ARGS__}}, .vector_count = 1, .sends = true
#define TEXTS        .unit = "", .meaning = ""
#define NAMED(n)     .name = n, .summary = "", .citation = ""

static void test_tables(void **state)
{
	static const struct base_option twins[] = {{"on", BASE_OPTION_BOOL, 4, 0, 1, NULL, "", ""},
	                                           {"on", BASE_OPTION_BOOL, 4, 0, 1, NULL, "", ""}};
	static const struct base_counter same[] = {{"n", "", BASE_SCOPE_SM, 0, "", BASE_COMBINE_SUM},
	                                           {"n", "", BASE_SCOPE_SM, 0, "", BASE_COMBINE_SUM}};
	const struct {
		struct mech mech;
		const char *says;
	} row[] = {
		{{.name = NULL}, "its name is ''; expected a letter, then small letters, digits and _"},
		{{.name = "Next"}, "its name is 'Next'"},
		{{.name = "next-line"}, "its name is 'next-line'"},
		{{.name = "9th"}, "its name is '9th'"},
		{{.name = "m", .citation = ""}, "mechanism m has no summary"},
		{{NAMED("m"), .option_count = 1}, "mechanism m has no table of its options"},
		{{NAMED("m"), .counter_count = 1}, "mechanism m has no table of its counters"},
		{{NAMED("m"), .policies = MECH_POLICIES_END}, "some of its bits are not in enum mech_policy"},
		{{NAMED("m"), .config_size = 1}, "mechanism m has a config_size but no defaults"},
		{{NAMED("m"), OPTIONS(twins)}, "mechanism m: option 1 (on): another one has this name"},
		{{NAMED("m"), OPTIONS(OPTION("a=b", BASE_OPTION_BOOL, 4, NULL, "", ""))},
	         "option 0 (a=b): expected a name"},
		{{NAMED("m"), OPTIONS(OPTION(NULL, BASE_OPTION_BOOL, 4, NULL, "", ""))},
	         "option 0 (no name): expected a name"},
		{{NAMED("m"), OPTIONS(OPTION("o", BASE_OPTION_BOOL, 4, NULL, NULL, ""))}, "option 0 (o): no unit"},
		{{NAMED("m"), OPTIONS(OPTION("o", BASE_OPTION_BOOL, 4, NULL, "", NULL))}, "option 0 (o): no meaning"},
		{{NAMED("m"), OPTIONS(OPTION("o", (enum base_option_type)77, 4, NULL, "", ""))},
	         "77 is not a value of enum base_option_type"},
		{{NAMED("m"), OPTIONS(OPTION("o", BASE_OPTION_TEXT, 0, NULL, "", ""))},
	         "its field lies beyond the 8 bytes of config_size"},
		{{NAMED("m"), OPTIONS(OPTION("o", BASE_OPTION_ENUM, 0, NULL, "", ""))}, "option 0 (o): no choices"},
		{{NAMED("m"), OPTIONS(OPTION("o", BASE_OPTION_U32, 0, NULL, "", ""))},
	         "its default does not fit: o: expected"},
		{{NAMED("m"), COUNTERS(same)}, "mechanism m: counter 1 (n): another one has this name"},
		{{NAMED("m"), COUNTERS(COUNTER("late", BASE_SCOPE_SM, 0, "", "", BASE_COMBINE_SUM))},
	         "counter 0 (late): another one has"},
		{{NAMED("m"), COUNTERS(COUNTER("c d", BASE_SCOPE_SM, 0, "", "", BASE_COMBINE_SUM))},
	         "counter 0 (c d): expected a name"},
		{{NAMED("m"), COUNTERS(COUNTER("c", BASE_SCOPE_SM, 8, "", "", BASE_COMBINE_SUM))},
	         "its field is not a uint64_t within the 8 bytes"},
		{{NAMED("m"), COUNTERS(COUNTER("c", BASE_SCOPE_SM, 4, "", "", BASE_COMBINE_SUM))},
	         "its field is not a uint64_t within the 8 bytes"},
		{{NAMED("m"), COUNTERS(COUNTER("c", (enum base_scope)9, 0, "", "", BASE_COMBINE_SUM))},
	         "its scope or combination"},
		{{NAMED("m"), COUNTERS(COUNTER("c", BASE_SCOPE_SM, 0, NULL, "", BASE_COMBINE_SUM))},
	         "counter 0 (c): no unit"},
		{{NAMED("m"), .vector_count = 1}, "mechanism m has no table of its vectors"},
		{{NAMED("m"), VECTORS(.name = "v[]", TEXTS, .length = 1)}, "vector 0 (v[]): expected a name"},
		{{NAMED("m"), VECTORS(.name = "late", TEXTS, .length = 1)},
	         "vector 0 (late): another one has this name"},
		{{NAMED("m"), VECTORS(.name = "v", .meaning = "", .length = 1)}, "vector 0 (v): no unit"},
		{{NAMED("m"), VECTORS(.name = "v", TEXTS, .length = 1, .kind = 3)}, "its scope, kind or combination"},
		{{NAMED("m"), VECTORS(.name = "v", TEXTS)}, "no length, and no hook vector_length"},
		{{NAMED("m"), VECTORS(.name = "v", TEXTS, .length = 65537)}, "65537 elements; expected up to 65536"},
		{{NAMED("m"), VECTORS(.name = "v", TEXTS, .length = 2, .kind = BASE_VECTOR_LINEAR)},
	         "a bin of 0 values"},
		{{NAMED("m"), VECTORS(.name = "v", TEXTS, .length = 2, .kind = BASE_VECTOR_POWERS,
	                              .combination = BASE_COMBINE_LARGEST)},
	         "bins of a histogram are combined by BASE_COMBINE_SUM"},
		{{NAMED("m"), VECTORS(.name = "v", TEXTS, .length = 1, .named = true)}, "needs the hook vector_label"},
		{{NAMED("m"), VECTORS(.name = "v", TEXTS, .length = 3, .labels = words)},
	         "expected one label per element"},
		{{NAMED("m"), VECTORS(.name = "v", TEXTS, .length = 1, .labels = words)},
	         "expected one label per element"},
	};
	const struct mech good = {NAMED("m_2"), OPTIONS(OPTION("o.p", BASE_OPTION_ENUM, 0, words, "", ""))};
	char message[512];
	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		assert_false(seam_check_tables(&row[i].mech, message, sizeof message));
		if (!strstr(message, row[i].says))
			fail_msg("expected '%s', not '%s'", row[i].says, message);
	}
	assert_true(seam_check_tables(&good, message, sizeof message));
}

/* An invalid buffer is refused before the machine is opened. */
static struct mech_buffer given;

static struct mech_buffer give_buffer(const void *config, const struct mech_machine *machine)
{
	(void)config;
	(void)machine;
	return given;
}

static void test_buffers(void **state)
{
	static const struct mech owner = {.name = "owner", .policies = MECH_POLICY_BUFFER, .buffer = give_buffer};
	static const struct seam_attached attached = {&owner, NULL};
	static const struct mech_machine machine = {.line_bytes = LINE, .shared_bytes = 49152};
	static const struct {
		struct mech_buffer buffer;
		const char *says;
	} row[] = {
		{{.sets = 0}, "mechanism owner: its buffer has 0 sets; expected a power of two up to 65536"},
		{{.sets = 3}, "its buffer has 3 sets"},
		{{.sets = 1u << 31}, "its buffer has 2147483648 sets"},
		{{.sets = 4, .in_shared = true}, "its buffer has 0 bytes; a way of 4 lines takes 512"},
		{{.sets = 4, .bytes = 1024}, "its buffer has 1024 bytes and is not in_shared"},
	};
	char message[512];
	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		given = row[i].buffer;
		assert_false(seam_check(&attached, 1, &machine, message, sizeof message));
		if (!strstr(message, row[i].says))
			fail_msg("expected '%s', not '%s'", row[i].says, message);
	}
	given = (struct mech_buffer){.sets = 4, .ways = 2};
	assert_true(seam_check(&attached, 1, &machine, message, sizeof message));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tables),
		cmocka_unit_test(test_buffers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
