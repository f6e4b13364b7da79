/* Protects the vectors of mechanisms in the table and the JSON file. */
#include "record_kit.h"

#include <stdlib.h>

/* A mechanism with an indexed vector whose elements are named, and a histogram; two launches. */
static const struct base_counter_vector mine_vectors[] = {
	{.name = "by_array", .unit = "accesses", .meaning = "of arrays", .named = true},
	{.name = "distance", .unit = "cycles", .meaning = "to the demand", .kind = BASE_VECTOR_POWERS, .length = 4},
};
static const struct mech mine = {.name = "mine", .vectors = mine_vectors, .vector_count = 2};
static const struct seam_attached attached = {&mine, NULL};

static struct vector filled(const uint64_t *value, uint32_t length, uint64_t sum, const char *const *label)
{
	struct vector vector = vector_new(length);
	memcpy(vector.value, value, length * sizeof *value);
	vector.sum = sum;
	vector.label = label ? base_calloc(length, sizeof *vector.label) : NULL;
	for (uint32_t i = 0; label && i < length; i++)
		vector.label[i] = base_strdup(label[i]);
	return vector;
}

static void add_vectors(struct record *record, const char *first, const char *second)
{
	record->mech = base_calloc(1, sizeof *record->mech);
	record->mech->stats = base_calloc(1, 1);
	record->mech->vector = base_calloc(2, sizeof *record->mech->vector);
	record->mech->vector[0] = filled((const uint64_t[]){1000, 500}, 2, 0, (const char *const[]){first, second});
	record->mech->vector[1] = filled((const uint64_t[]){0, 1, 0, 3}, 4, 25, NULL);
}

static struct records make_vectors(void)
{
	struct records records = make_records(2);
	records.attached = &attached;
	records.attachments = 1;
	add_vectors(&storage[0], "a", "b");
	add_vectors(&storage[1], "b", "c");
	return records;
}

static void free_vectors(const struct records *records)
{
	record_free(records, &storage[0]);
	record_free(records, &storage[1]);
}

/* For one launch, the table has the largest elements of a vector and the mean of a histogram; for several, the
 * names. */
static void test_table_of_vectors(void **state)
{
	(void)state;
	struct records records = make_vectors();
	char *text = capture(&records, records_write_table);
	assert_contains(text, "  mine          1,500 by_array (a: 1,000; b: 500): of arrays\n");
	assert_contains(text, "  mine          4 distance (mean 6.2 cycles; 4 and more: 3; 1: 1): to the demand\n");
	assert_contains(text, "  mine          3,000 by_array (b: 1,500; a: 1,000; c: 500): of arrays\n");
	free(text);
	free_vectors(&records);
}

/* The JSON file has every element of a vector. Without vectors the key is absent (test_json). */
static void test_json_of_vectors(void **state)
{
	(void)state;
	struct records records = make_vectors();
	char *text = capture(&records, write_json);
	assert_contains(text, "\"vectors\": {\"mine.by_array\": {\"unit\": \"accesses\", \"labels\": [\"b\", \"c\"], "
	                      "\"values\": [1000, 500]}, \"mine.distance\": {\"unit\": \"cycles\", "
	                      "\"bins\": [0, 1, 2, 4], \"sum\": 25, \"values\": [0, 1, 0, 3]}}");
	assert_contains(strstr(text, "totals"), "\"labels\": [\"a\", \"b\", \"c\"], \"values\": [1000, 1500, 500]");
	assert_contains(strstr(text, "totals"), "\"sum\": 50, \"values\": [0, 2, 0, 6]");
	free(text);
	free_vectors(&records);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table_of_vectors),
		cmocka_unit_test(test_json_of_vectors),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
