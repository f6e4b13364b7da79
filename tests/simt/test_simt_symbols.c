/* Protects how `--check bounds` finds the array of a shared access (simt/check_symbol.c). It follows moves, sums,
 * differences, selections and conversions. It reports nothing if an address depends on two arrays or on other
 * instructions. */
#include "simt_kit.h"

#include "simt/check.h"

/* A kernel for one thread. Arrays of 256 bytes: a at 0, b after it, g in global memory; %p1 is true. */
static const char head[] = ".version 7.0\n.target sm_80\n.address_size 64\n.global .align 256 .b8 g[256];\n"
			   ".visible .entry kernel() {\n.reg .b32 %r<20>;\n.reg .b64 %rd<20>;\n.reg .pred %p<4>;\n"
			   ".shared .align 256 .b8 a[256], b[256];\n"
			   "mov.u32 %r1, a; mov.u32 %r2, b; setp.eq.u32 %p1, %r1, %r1;\n";

struct row {
	const char *body;
	uint64_t found;
};

static void check_row(const struct row *row)
{
	struct kit kit;
	char text[4096];
	snprintf(text, sizeof text, "%s%s\nexit;\n}\n", head, row->body);
	kit_open(&kit, text);
	struct simt_checks *checks = simt_checks_open(SIMT_CHECK_BOUNDS);
	simt_check_program(checks, kit.program);
	kit.launch.checks = checks;
	kit.launch.block.x = 1;
	kit_run(&kit);
	uint64_t found = simt_checks_found(checks);
	simt_checks_close(checks);
	kit_close(&kit);
	if (found != row->found)
		fail_msg("%llu findings, expected %llu: %s", (unsigned long long)found, (unsigned long long)row->found,
		         row->body);
}

#define READ(address) "ld.shared.u32 %r9, [" address "];"

static void check_rows(const struct row *row, size_t count)
{
	for (size_t i = 0; i < count; i++)
		check_row(&row[i]);
}
#define CHECK(rows) check_rows(rows, sizeof rows / sizeof *rows)

static void ends(void **state)
{
	static const struct row rows[] = {{READ("%r1"), 0},
	                                  {READ("%r1+252"), 0},
	                                  {READ("%r1+256"), 1},
	                                  {READ("%r2"), 0},
	                                  {READ("%r2+252"), 0},
	                                  {READ("%r2+-4"), 1},
	                                  {READ("a+252"), 0},
	                                  {READ("%r2+-256"), 1},
	                                  {"st.shared.u32 [%r1+256], 1;", 1},
	                                  {"st.shared.u8 [%r1+255], %r1;", 0},
	                                  {"ld.shared.v4.u32 {%r3, %r4, %r5, %r6}, [%r1+240];", 0},
	                                  {"atom.shared.add.u32 %r3, [%r1+256], 1;", 1}};
	(void)state;
	CHECK(rows);
}

static void addresses_that_are_known(void **state)
{
	static const struct row rows[] = {
		{"add.u32 %r3, %r1, 256;" READ("%r3"), 1},
		{"add.u32 %r3, 256, %r1;" READ("%r3"), 1},
		{"sub.u32 %r3, %r2, 4;" READ("%r3"), 1},
		{"mov.u32 %r4, 64; mad.lo.u32 %r3, %r4, 4, %r1;" READ("%r3"), 1},
		{"mov.u32 %r4, 63; mad.lo.u32 %r3, %r4, 4, %r1;" READ("%r3"), 0},
		{"or.b32 %r3, %r1, 256;" READ("%r3"), 1},
		{"selp.u32 %r3, %r1, %r1, %p1;" READ("%r3+256"), 1},
		/* the difference of two addresses in one array is a number */
		{"add.u32 %r3, %r2, 16; sub.u32 %r4, %r3, %r2; add.u32 %r5, %r1, %r4;" READ("%r5+240"), 1},
		{"add.u32 %r3, %r2, 16; sub.u32 %r4, %r3, %r2; add.u32 %r5, %r1, %r4;" READ("%r5+236"), 0},
		/* bits of an address in global memory are a number too */
		{"mov.u64 %rd1, g; cvt.u32.u64 %r3, %rd1; and.b32 %r4, %r3, 4; add.u32 %r5, %r1, %r4;" READ("%r5+256"),
	         1},
		{"cvta.shared.u64 %rd1, a; ld.u32 %r9, [%rd1+256];", 1},
		{"cvta.shared.u64 %rd1, a; ld.u32 %r9, [%rd1+252];", 0},
		{"cvt.u64.u32 %rd1, %r1; cvt.u32.u64 %r3, %rd1;" READ("%r3+256"), 1}};
	(void)state;
	CHECK(rows);
}

static void addresses_that_are_not(void **state)
{
	static const struct row rows[] = {/* depends on two arrays */
	                                  {"mov.u32 %r3, %r2; @%p1 mov.u32 %r3, %r1;" READ("%r3"), 0},
	                                  {"mov.u32 %r3, %r2; @%p1 mov.u32 %r3, %r1;" READ("%r3+256"), 0},
	                                  {"selp.u32 %r3, %r1, %r2, %p1;" READ("%r3+256"), 0},
	                                  {"add.u32 %r3, %r1, %r2;" READ("%r3"), 0},
	                                  {"sub.u32 %r3, %r2, %r1;" READ("%r3"), 0},
	                                  /* depends on an array in one of two cases */
	                                  {"mov.u32 %r3, 256; @%p1 mov.u32 %r3, %r1;" READ("%r3+256"), 0},
	                                  /* changed by other instructions */
	                                  {"xor.b32 %r3, %r1, %r1; add.u32 %r4, %r2, %r3;" READ("%r4+-4"), 0},
	                                  {"mul.lo.u32 %r3, %r2, 1;" READ("%r3+-4"), 0},
	                                  /* a number, and a value loaded from memory */
	                                  {"mov.u32 %r3, 256;" READ("%r3"), 0},
	                                  {"st.shared.u32 [%r1], %r2; ld.shared.u32 %r3, [%r1];" READ("%r3+-4"), 0}};
	(void)state;
	CHECK(rows);
}

static void take(void *user, bool is_stray, const char *text)
{
	char *all = user;
	assert_false(is_stray);
	strcat(all, text);
}

/* Messages are in the order of the lines, whatever the order of execution. */
static void messages_by_lines(void **state)
{
	struct kit kit;
	char text[4096], all[8192] = "";
	(void)state;
	snprintf(text, sizeof text, "%sbra LATER;\nEARLIER: %s\nexit;\nLATER: %s\nbra EARLIER;\n}\n", head,
	         READ("%r1+260"), READ("%r2+-8"));
	kit_open(&kit, text);
	struct simt_checks *checks = simt_checks_open(SIMT_CHECK_BOUNDS);
	simt_check_program(checks, kit.program);
	kit.launch.checks = checks;
	kit.launch.block.x = 1;
	kit_run(&kit);
	assert_int_equal(simt_checks_found(checks), 2);
	simt_checks_report(checks, &kit.launch, take, all);
	simt_checks_close(checks);
	kit_close(&kit);
	const char *a = strstr(all, "through 'a', 0x0, 256 bytes, which ends 4 bytes before the address"),
		   *b = strstr(all, "through 'b', 0x100, 256 bytes, which begins 8 bytes after the address");
	if (!a || !b || a > b)
		fail_msg("%s", all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(ends), cmocka_unit_test(addresses_that_are_known),
	                                   cmocka_unit_test(addresses_that_are_not),
	                                   cmocka_unit_test(messages_by_lines)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
