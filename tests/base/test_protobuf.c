/* Protects the reader of protocol buffers. It reads fields of each kind as documented and skips unknown ones. In
 * arbitrary bytes it never reads past their end, and every message ends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/protobuf.h"

#include <stdlib.h>
#include <string.h>

static struct protobuf message(const void *bytes, size_t length)
{
	const uint8_t *begin = bytes;
	return (struct protobuf){begin, begin + length};
}

static void test_each_kind(void **state)
{
	(void)state;
	/* The examples of protobuf.dev: field 1 is 150, field 2 is "testing". Then field 16 as a double 1.0, 17 as 32
	 * bits. */
	static const uint8_t bytes[] = {0x08, 0x96, 0x01, 0x12, 7, 't', 'e',  's',  't',  'i',  'n',  'g',  0x81, 0x01,
	                                0,    0,    0,    0,    0, 0,   0xf0, 0x3f, 0x8d, 0x01, 0x78, 0x56, 0x34, 0x12};
	struct protobuf all = message(bytes, sizeof bytes);
	struct protobuf_field field;
	char text[8], little[4];
	assert_int_equal(protobuf_next(&all, &field), PROTOBUF_FIELD);
	assert_true(field.number == 1 && field.wire == PROTOBUF_VARINT && field.value == 150);
	assert_int_equal(protobuf_next(&all, &field), PROTOBUF_FIELD);
	assert_true(field.number == 2 && field.wire == PROTOBUF_BYTES);
	protobuf_text(&field.inside, text, sizeof text);
	protobuf_text(&field.inside, little, sizeof little);
	assert_string_equal(text, "testing");
	assert_string_equal(little, "tes");
	assert_int_equal(protobuf_next(&all, &field), PROTOBUF_FIELD);
	assert_true(field.number == 16 && field.wire == PROTOBUF_FIXED64 && protobuf_double(field.value) == 1.0);
	assert_int_equal(protobuf_next(&all, &field), PROTOBUF_FIELD);
	assert_true(field.number == 17 && field.wire == PROTOBUF_FIXED32 && field.value == 0x12345678);
	assert_int_equal(protobuf_next(&all, &field), PROTOBUF_END);

	/* When the message is cut anywhere, the whole fields come first, and then the error, always at the same
	 * point. */
	for (size_t length = 0; length < sizeof bytes; length++) {
		size_t whole = length < 3 ? 0 : length < 12 ? 3 : length < 22 ? 12 : 22;
		struct protobuf cut = message(bytes, length);
		enum protobuf_result result;
		while ((result = protobuf_next(&cut, &field)) == PROTOBUF_FIELD)
			;
		assert_int_equal(cut.at - bytes, whole);
		assert_int_equal(result, whole == length ? PROTOBUF_END : PROTOBUF_CUT);
		assert_int_equal(protobuf_next(&cut, &field), result);
	}
}

static void test_largest_numbers(void **state)
{
	(void)state;
	static const uint8_t largest[] = {0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01};
	struct protobuf all = message(largest, sizeof largest);
	struct protobuf_field field;
	assert_int_equal(protobuf_next(&all, &field), PROTOBUF_FIELD);
	assert_true(field.value == UINT64_MAX);
}

static void test_what_is_none(void **state)
{
	static const struct {
		uint8_t byte[12];
		size_t length;
	} broken[] = {
		{{0x0b, 0x0c}, 2}, /* a group, which is obsolete */
		{{0x0e}, 1},
		{{0x0f}, 1},                               /* kinds that do not exist */
		{{0x00, 0x01}, 2},                         /* field 0 */
		{{0xf8, 0xff, 0xff, 0xff, 0x7f, 0x01}, 6}, /* beyond the largest number of a field */
		{{0x08, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01},
	         12}, /* a varint of 11 bytes */
	};
	(void)state;
	for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
		struct protobuf all = message(broken[i].byte, broken[i].length);
		struct protobuf_field field;
		assert_int_equal(protobuf_next(&all, &field), PROTOBUF_BROKEN);
		assert_ptr_equal(all.at, broken[i].byte);
	}
}

/* Reads arbitrary bytes as nested messages; each step takes at least one byte. */
static size_t walk(struct protobuf all, int depth)
{
	struct protobuf_field field;
	size_t fields = 0;
	const uint8_t *before = all.at;
	while (protobuf_next(&all, &field) == PROTOBUF_FIELD) {
		assert_true(all.at > before && all.at <= all.end);
		before = all.at;
		fields++;
		if (field.wire == PROTOBUF_BYTES) {
			assert_true(field.inside.at <= field.inside.end && field.inside.end == all.at);
			fields += depth ? walk(field.inside, depth - 1) : 0;
		}
	}
	return fields;
}

static void test_any_bytes(void **state)
{
	size_t fields = 0;
	(void)state;
	srand(17);
	for (int i = 0; i < 20000; i++) {
		size_t length = (size_t)rand() % 64;
		/* a separate allocation, so that sanitizers see reads past its end */
		uint8_t *bytes = malloc(length + !length);
		assert_non_null(bytes);
		for (size_t at = 0; at < length; at++)
			bytes[at] = (uint8_t)(rand() % 3 ? rand() % 32 : rand());
		fields += walk(message(bytes, length), 4);
		free(bytes);
	}
	assert_true(fields > 10000); /* not everything was invalid at once */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_kind),
		cmocka_unit_test(test_largest_numbers),
		cmocka_unit_test(test_what_is_none),
		cmocka_unit_test(test_any_bytes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
