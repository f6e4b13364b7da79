/* Protects the calls that device code can make: printf with every conversion, malloc, free, and the assertion
 * message. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "api/api.h"
#include "api/device_launch.h"
#include "api/syscall.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TEXT_SIZE = 4096 };

static const uint64_t heap_base = 0x80000000;
static const struct simt_windows no_windows;
static struct simt_memory *memory;
static struct gpu machine;
static sluice_gpu gpu = {.gpu = &machine};
static struct device_runtime runtime = {.gpu = &gpu};

static int open_memory(void **state)
{
	(void)state;
	memory = simt_memory_open(heap_base, 1 << 20, true);
	machine.memory = memory;
	return memory ? 0 : -1;
}

static int close_memory(void **state)
{
	(void)state;
	simt_memory_close(memory);
	return 0;
}

/* Copies a text to a device allocation of exactly its size. */
static uint64_t device_text(const char *text)
{
	uint64_t address = simt_alloc(memory, strlen(text) + 1);
	assert_int_not_equal(address, 0);
	strcpy(simt_host(memory, address), text);
	return address;
}

/* A lane's local memory that holds printf arguments. */
struct lane {
	_Alignas(8) uint8_t local[256];
	size_t bytes;
};

static void put(struct lane *lane, const void *value, size_t size)
{
	lane->bytes = (lane->bytes + size - 1) / size * size;
	memcpy(lane->local + lane->bytes, value, size);
	lane->bytes += size;
}

static void put_int(struct lane *lane, int32_t value)
{
	put(lane, &value, sizeof value);
}

static void put_long(struct lane *lane, uint64_t value)
{
	put(lane, &value, sizeof value);
}

static void put_double(struct lane *lane, double value)
{
	put(lane, &value, sizeof value);
}

/* Makes a call whose stream is a file, and returns the file's content in `text`. */
static uint64_t call(FILE *stream, const char *name, const uint64_t *arguments, const struct simt_windows *windows,
                     char text[TEXT_SIZE])
{
	FILE *file = tmpfile();
	assert_non_null(file);
	fflush(stream);
	int saved = dup(fileno(stream));
	assert_true(saved >= 0 && dup2(fileno(file), fileno(stream)) >= 0);
	uint64_t result = syscall_run(&runtime, ptx_system_named(name), arguments, windows);
	fflush(stream);
	assert_true(dup2(saved, fileno(stream)) >= 0);
	close(saved);
	rewind(file);
	text[fread(text, 1, TEXT_SIZE - 1, file)] = '\0';
	fclose(file);
	return result;
}

/* Prints with an argument buffer in local memory, as compiled code does. */
static int print(const char *format, struct lane *lane, char text[TEXT_SIZE])
{
	uint64_t arguments[] = {device_text(format), lane->bytes ? SIMT_LOCAL_WINDOW : 0};
	struct simt_windows windows = {.local = lane->local, .local_bytes = sizeof lane->local};
	return (int)(uint32_t)call(stdout, "vprintf", arguments, &windows, text);
}

/* Signed and unsigned integers of 4 and 8 bytes at their natural alignment. */
static void test_printf_integers(void **state)
{
	(void)state;
	struct lane lane = {0};
	char text[TEXT_SIZE];
	put_int(&lane, -7);
	put_long(&lane, (uint64_t)-1234567890123); /* after 4 bytes of padding */
	put_int(&lane, -1);
	put_int(&lane, 255);
	put_int(&lane, 8);
	put_long(&lane, 0xfedcba9876543210);
	put_int(&lane, 42);
	put_long(&lane, UINT64_MAX);
	int count = print("%d|%lld|%u|%x|%o|%lX|%5i|%lu\n", &lane, text);
	assert_string_equal(text, "-7|-1234567890123|4294967295|ff|10|FEDCBA9876543210|   42|18446744073709551615\n");
	assert_int_equal(count, 8);
}

/* hh and h use the low part of a 4-byte argument. */
static void test_printf_narrow(void **state)
{
	(void)state;
	struct lane lane = {0};
	char text[TEXT_SIZE];
	put_int(&lane, 0x1ff);
	put_int(&lane, 0x1ff);
	put_int(&lane, 0x18000);
	put_int(&lane, 0x18000);
	assert_int_equal(print("%hhd %hhu %hd %hu", &lane, text), 4);
	assert_string_equal(text, "-1 255 -32768 32768");
}

static void test_printf_floats(void **state)
{
	(void)state;
	struct lane lane = {0};
	char text[TEXT_SIZE];
	put_double(&lane, 3.14159);
	put_int(&lane, 1);
	put_double(&lane, -0.5);
	put_double(&lane, 1e10);
	put_double(&lane, 1.0);
	put_double(&lane, INFINITY);
	put_double(&lane, 12345.678);
	assert_int_equal(print("%.2f %d %8.3f %e %a %f %G", &lane, text), 7);
	assert_string_equal(text, "3.14 1   -0.500 1.000000e+10 0x1p+0 inf 12345.7");
}

/* Flags, widths and precisions, as literals and as arguments. */
static void test_printf_layout(void **state)
{
	(void)state;
	struct lane lane = {0};
	char text[TEXT_SIZE];
	put_int(&lane, 5);
	put_int(&lane, 5);
	put_int(&lane, 5);
	put_int(&lane, 255);
	put_int(&lane, 6);
	put_int(&lane, 3);
	put_int(&lane, 9);
	put_int(&lane, -4);
	put_int(&lane, 9);
	put_int(&lane, -1);
	put_double(&lane, 2.5);
	assert_int_equal(print("[%-4d][%04d][%+d][%#x][%*.*d][%*d][%.*f]", &lane, text), 11);
	assert_string_equal(text, "[5   ][0005][+5][0xff][   009][9   ][2.500000]");
}

/* Characters, device strings, pointers and per cent signs. */
static void test_printf_texts(void **state)
{
	(void)state;
	struct lane lane = {0};
	char text[TEXT_SIZE];
	put_int(&lane, 'x');
	put_long(&lane, device_text("global"));
	put_long(&lane, device_text("cut short"));
	put_long(&lane, SIMT_LOCAL_WINDOW + 128);
	memcpy(lane.local + 128, "local", 6);
	put_long(&lane, 0);
	put_long(&lane, 0x80001000);
	assert_int_equal(print("%c %-8s|%.3s|%s %s %p 100%%", &lane, text), 6);
	assert_string_equal(text, "x global  |cut|local (null) 0x80001000 100%");
}

/* A text without a terminator stops at its allocation's end. An invalid address is not followed. */
static void test_printf_bad_texts(void **state)
{
	(void)state;
	struct lane lane = {0};
	char text[TEXT_SIZE];
	uint64_t endless = simt_alloc(memory, 3);
	memcpy(simt_host(memory, endless), "abcdef", 6);
	put_long(&lane, endless);
	put_long(&lane, 0xdead00000000);
	assert_int_equal(print("%s %s", &lane, text), 2);
	assert_string_equal(text, "abc (no address)");
	uint64_t arguments[] = {0xdead00000000, 0};
	assert_int_equal((int32_t)call(stdout, "vprintf", arguments, &no_windows, text), -1);
}

/* Texts in shared memory, and pointers past the end of the lane's shared or local memory. No text, format or argument
 * may expose host memory beyond that end. */
static void test_printf_windows(void **state)
{
	(void)state;
	static const char shared[16] = "shared\0wide open";
	static const uint8_t local[8] = "private";
	const struct simt_windows windows = {
		.shared = (const uint8_t *)shared, .shared_bytes = 12, .local = local, .local_bytes = 4};
	struct lane lane = {0};
	char text[TEXT_SIZE];
	put_long(&lane, SIMT_SHARED_WINDOW + 2);
	put_long(&lane, SIMT_SHARED_WINDOW + 7);
	put_long(&lane, SIMT_SHARED_WINDOW + 12);
	put_long(&lane, SIMT_LOCAL_WINDOW + 1);
	put_long(&lane, SIMT_LOCAL_WINDOW + 4);
	uint64_t buffer = simt_alloc(memory, lane.bytes);
	memcpy(simt_host(memory, buffer), lane.local, lane.bytes);
	uint64_t arguments[] = {device_text("%s|%s|%s|%s|%s|%.20s|%d"), buffer};
	call(stdout, "vprintf", arguments, &windows, text);
	assert_string_equal(text, "ared|wide |(no address)|riv|(no address)|(null)|0");
	uint64_t outside[] = {SIMT_LOCAL_WINDOW + 5, buffer};
	assert_int_equal((int32_t)call(stdout, "vprintf", outside, &windows, text), -1);
}

/* %n consumes its argument and stores nothing. Widths beyond CUDA's buffer size are cut. */
static void test_printf_harmless(void **state)
{
	(void)state;
	int untouched = 77;
	struct lane lane = {0};
	char text[TEXT_SIZE];
	put_long(&lane, (uintptr_t)&untouched);
	put_int(&lane, 5);
	put_double(&lane, 1.5);
	assert_int_equal(print("a%nb%d %Lg", &lane, text), 3);
	assert_string_equal(text, "ab5 1.5");
	assert_int_equal(untouched, 77);
	struct lane wide = {0};
	put_int(&wide, INT32_MIN);
	put_int(&wide, INT32_MAX);
	put_int(&wide, 1);
	assert_int_equal(print("%*.*d", &wide, text), 3);
	assert_int_equal(text[TEXT_SIZE - 2], '0');
}

/* --- random formats compared with the host's printf --- */

static uint64_t random_state = 5;

static uint64_t random_below(uint64_t limit)
{
	random_state = random_state * 6364136223846793005 + 1442695040888963407;
	return (random_state >> 33) % limit;
}

/* Appends a random conversion and its argument, and prints it with the host's printf. */
static void add_conversion(char *format, struct lane *lane, char *expected)
{
	static const char *const types[] = {"d",  "i",  "u",   "x", "X", "o", "c", "lld", "llx",
	                                    "lu", "hd", "hhu", "f", "e", "g", "a", "G"};
	const char *type = types[random_below(sizeof types / sizeof *types)];
	char one[64], flags[6] = "";
	size_t count = 0;
	bool is_float = strchr("feagG", *type), is_plain = *type == 'c';
	for (const char *flag = is_plain ? "-" : strchr("uxXolh", *type) ? "-0" : "-+ 0"; *flag; flag++)
		if (random_below(4) == 0)
			flags[count++] = *flag;
	snprintf(one, sizeof one, "<%%%s", flags);
	if (random_below(2))
		snprintf(one + strlen(one), sizeof one - strlen(one), "%u", (unsigned)random_below(30) + 1);
	if (!is_plain && random_below(2))
		snprintf(one + strlen(one), sizeof one - strlen(one), ".%u", (unsigned)random_below(12));
	snprintf(one + strlen(one), sizeof one - strlen(one), "%s>%%%%", type);
	strcat(format, one);
	uint64_t bits = random_below(3) ? random_below(1000) : random_below(1u << 31) << 33 | random_below(1u << 31);
	double value = (double)(int64_t)bits / 64;
	char *to = expected + strlen(expected);
	if (is_float) {
		put_double(lane, value);
		sprintf(to, one, value);
	} else if (*type == 'l') {
		put_long(lane, bits);
		sprintf(to, one, bits);
	} else {
		put_int(lane, (int32_t)bits);
		sprintf(to, one, (int32_t)bits);
	}
}

/* Valid formats print the same text as the host's printf. */
static void test_printf_random(void **state)
{
	(void)state;
	for (unsigned step = 0; step < 500; step++) {
		struct lane lane = {0};
		char format[TEXT_SIZE] = "", expected[TEXT_SIZE] = "", text[TEXT_SIZE];
		unsigned count = (unsigned)random_below(8);
		for (unsigned k = 0; k < count; k++)
			add_conversion(format, &lane, expected);
		assert_int_equal(print(format, &lane, text), (int)count);
		assert_string_equal(text, expected);
	}
}

/* Invalid formats do no harm: random characters with random arguments. */
static void test_printf_noise(void **state)
{
	(void)state;
	static const char letters[] = "%%%%%%dxsscfgnphlLjz.*0123-+ #'$q\\";
	for (unsigned step = 0; step < 500; step++) {
		struct lane lane = {.bytes = sizeof lane.local};
		char format[40], text[TEXT_SIZE];
		for (size_t k = 0; k < sizeof lane.local; k++)
			lane.local[k] = (uint8_t)(random_below(2) ? 0 : random_below(256));
		for (size_t k = 0; k < sizeof format - 1; k++)
			format[k] = letters[random_below(sizeof letters - 1)];
		format[sizeof format - 1] = '\0';
		print(format, &lane, text);
	}
}

/* An unknown conversion is printed unchanged, as is a single per cent sign at the end. */
static void test_printf_unknown(void **state)
{
	(void)state;
	struct lane lane = {0};
	char text[TEXT_SIZE];
	assert_int_equal(print("no arguments", &lane, text), 0);
	assert_string_equal(text, "no arguments");
	print("%y 5%", &lane, text);
	assert_string_equal(text, "%y 5%");
}

/* Allocations of device code are ordinary allocations. An invalid free has a reason, with which the kernel stops
 * (simt/control.c). */
static void test_malloc_free(void **state)
{
	(void)state;
	char text[TEXT_SIZE];
	uint64_t size[] = {100}, too_much[] = {1ull << 40};
	uint64_t address = syscall_run(&runtime, PTX_SYSTEM_MALLOC, size, &no_windows);
	assert_true(simt_valid(memory, address, 100));
	assert_int_equal(syscall_run(&runtime, PTX_SYSTEM_MALLOC, too_much, &no_windows), 0);
	uint64_t inside[] = {address + 8}, start[] = {address}, null[] = {0};
	assert_non_null(strstr(simt_free_problem(memory, inside[0], SIMT_KERNEL), "which lies inside an allocation"));
	assert_true(simt_valid(memory, address, 100));
	call(stderr, "free", start, &no_windows, text);
	assert_string_equal(text, "");
	assert_null(simt_find(memory, address));
	assert_non_null(strstr(simt_free_problem(memory, start[0], SIMT_KERNEL), "which has been freed already"));
	uint64_t hosts[] = {simt_alloc(memory, 16)}, nowhere[] = {0x1234};
	assert_non_null(strstr(simt_free_problem(memory, hosts[0], SIMT_KERNEL), "which the host has allocated"));
	assert_true(simt_valid(memory, hosts[0], 16));
	assert_non_null(strstr(simt_free_problem(memory, nowhere[0], SIMT_KERNEL), "where no allocation begins"));
	call(stderr, "free", null, &no_windows, text);
	assert_string_equal(text, "");
	/* A program cannot free a module's variable. */
	uint64_t variable[] = {simt_alloc_static(memory, 16, 16)};
	assert_non_null(
		strstr(simt_free_problem(memory, variable[0], SIMT_KERNEL), "which is a variable of the program"));
	assert_true(simt_valid(memory, variable[0], 16));
}

/* The message has the wording that CUDA programmers know. */
static void test_assertion(void **state)
{
	(void)state;
	char text[TEXT_SIZE];
	uint64_t arguments[] = {device_text("i < n"), device_text("sum.cu"), 19, device_text("void sum(int)"), 1};
	call(stderr, "__assertfail", arguments, &no_windows, text);
	assert_string_equal(text, "sum.cu:19: void sum(int): Assertion `i < n` failed.\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_printf_integers), cmocka_unit_test(test_printf_narrow),
		cmocka_unit_test(test_printf_floats),   cmocka_unit_test(test_printf_layout),
		cmocka_unit_test(test_printf_texts),    cmocka_unit_test(test_printf_bad_texts),
		cmocka_unit_test(test_printf_unknown),  cmocka_unit_test(test_malloc_free),
		cmocka_unit_test(test_assertion),       cmocka_unit_test(test_printf_windows),
		cmocka_unit_test(test_printf_harmless), cmocka_unit_test(test_printf_random),
		cmocka_unit_test(test_printf_noise),
	};
	return cmocka_run_group_tests(tests, open_memory, close_memory);
}
