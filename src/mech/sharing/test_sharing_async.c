/* Protects a pair's common part from copies that continue after their instruction, and from accesses other than
 * loads and stores. relssp is inserted after the wait that ends them, or not at all. */
#include "passes_kit.h"

/* The first 25 of 256 bytes are private: A is, B+64 is not. */
#define PLACED(code)                                                                                                   \
	".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 q)\n{\n" PTX_REGS                \
	".shared .align 16 .b8 A[16], B[240];\nld.param.u64 %rd1, [q];\n" code "\nret;\n}\n"
#define SEND   "cp.async.bulk.global.shared::cta.bulk_group [%rd1], [B+64], 64;\n"
#define COMMIT "cp.async.bulk.commit_group;\n"
#define WAIT   "cp.async.bulk.wait_group 0;\n"
#define BRING(place, barrier)                                                                                          \
	"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [" place "], [%rd1], 16, [" barrier "];\n"

#define COPY "cp.async.ca.shared.global [B+64], [%rd1], 16;\n"
/* A kernel that calls a function; M+64 is in the shared scratchpad of the block pair. */
#define CALLING(code)                                                                                                  \
	".version 8.0\n.target sm_90\n.address_size 64\n.shared .align 16 .b8 M[256];\n.func f(.param .b32 "           \
	"a)\n{\n" PTX_REGS code "ret;\n}\n.visible .entry k(.param .u64 q)\n{\n" PTX_REGS "ld.param.u64 %rd1, [q];\n"  \
	"{\n.param .b32 x;\nst.param.b32 [x], %r1;\ncall f, (x);\n}\n" WORK "\nret;\n}\n"

/* Expects the instruction before relssp to contain this text; NULL: no relssp. */
static void expect_behind(const char *code, const char *text)
{
	struct rewritten r = kit_rewrite(code, "relssp");
	char *release = strstr(r.text, "relssp;");
	if (!release != !text)
		fail_msg("relssp %s:\n%s", release ? "where none is expected" : "is missing", r.text);
	if (release) {
		char *end = release;
		while (end[-1] == '\t' || end[-1] == '\n')
			end--;
		*end = 0;
		const char *line = strrchr(r.text, '\n');
		if (!strstr(line, text))
			fail_msg("relssp is after '%s', not '%s'", line, text);
	}
	assert_int_equal(kit_counter(&r, "unended"), !text);
	rewritten_free(&r);
}

static void behind_accesses_of_all_kinds(void **state)
{
	(void)state;
	expect_behind(PLACED("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [B+64];\n" WORK), "ldmatrix");
	expect_behind(PLACED("stmatrix.sync.aligned.m8n8.x1.shared.b16 [B+64], {%r1};\n" WORK), "stmatrix");
	expect_behind(PLACED("mbarrier.arrive.shared.b64 %rd2, [B+64];\n" WORK), "mbarrier.arrive");
	expect_behind(PLACED(ST("B+64") "mbarrier.inval.shared.b64 [B+72];\n" WORK), "mbarrier.inval");
	/* the address of a matrix' rows is in a register */
	expect_behind(PLACED("mov.u32 %r2, B+64;\nadd.u32 %r2, %r2, %r1;\n" ST(
			      "B+64") "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%r2];\n" WORK),
	              "ldmatrix");
}

static void behind_the_wait_for_a_group(void **state)
{
	(void)state;
	expect_behind(PLACED(ST("B+64") SEND COMMIT WORK WAIT WORK), "wait_group 0");
	expect_behind(PLACED(ST("B+64") SEND COMMIT WORK "cp.async.bulk.wait_group.read 0;\n" WORK),
	              "wait_group.read 0");
	expect_behind(PLACED(ST("B+64") SEND COMMIT WAIT SEND COMMIT WAIT WORK), "wait_group 0");
	expect_behind(PLACED(ST("B+64") "L: " SEND COMMIT "@%p1 bra L;\n" WAIT WORK), "wait_group 0");
	expect_behind(PLACED(ST("B+64") "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd1], [B+64], "
	                                "16;\n" COMMIT WAIT WORK),
	              "wait_group 0");
	/* the boundary decides, not the kind of copy */
	expect_behind(PLACED(ST("B+64") "cp.async.bulk.global.shared::cta.bulk_group [%rd1], [A], 16;\n" COMMIT WORK),
	              "st.shared.u8 [B+64]");
}

static void behind_the_wait_for_a_copy(void **state)
{
	(void)state;
	expect_behind(PLACED(ST("B+64") COPY "cp.async.commit_group;\n" WORK "cp.async.wait_group 0;\n" WORK),
	              "cp.async.wait_group 0");
	expect_behind(PLACED(ST("B+64") COPY WORK "cp.async.wait_all;\n" WORK), "cp.async.wait_all");
	expect_behind(PLACED(ST("B+64") COPY "cp.async.commit_group;\n" WORK "cp.async.wait_all;\n" WORK),
	              "cp.async.wait_all");
	expect_behind(PLACED(ST("B+64") COPY WORK), NULL);
	expect_behind(PLACED(ST("B+64") COPY "cp.async.wait_group 0;\n" WORK), NULL); /* the copy is in no group */
	expect_behind(PLACED(ST("B+64") COPY "cp.async.commit_group;\ncp.async.wait_group 1;\n" WORK), NULL);
	/* WAIT waits for bulk groups */
	expect_behind(PLACED(ST("B+64") COPY "cp.async.commit_group;\n" WAIT WORK), NULL);
}

/* The analysis does not follow a wait in a called function. */
static void of_a_function_that_is_called(void **state)
{
	(void)state;
	expect_behind(CALLING(ST("M+64")), "call");
	expect_behind(CALLING("cp.async.bulk.global.shared::cta.bulk_group [%rd1], [M+64], 64;\n" COMMIT WAIT), NULL);
}

/* No place is known at which the copy is complete, other than the block's end. */
static void nowhere(void **state)
{
	(void)state;
	expect_behind(PLACED(ST("B+64") SEND COMMIT WORK), NULL);
	expect_behind(PLACED(ST("B+64") SEND WAIT WORK), NULL); /* it is in no group */
	expect_behind(PLACED(ST("B+64") SEND COMMIT "cp.async.bulk.wait_group 1;\n" WORK), NULL);
	expect_behind(PLACED(ST("B+64") SEND COMMIT "@%p1 bra L;\n" WAIT "L:\n" WORK), NULL);
	expect_behind(PLACED(ST("B+64") SEND COMMIT "@%p1 cp.async.bulk.wait_group 0;\n" WORK), NULL);
	expect_behind(PLACED(ST("B+64") BRING(
			      "B+64", "A") "W: mbarrier.try_wait.parity.shared.b64 %p1, [A], 0;\n@!%p1 bra W;\n" WORK),
	              NULL);
	expect_behind(PLACED(ST("B+64") BRING("A", "B+64") WORK), NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(behind_accesses_of_all_kinds),
		cmocka_unit_test(behind_the_wait_for_a_group),
		cmocka_unit_test(behind_the_wait_for_a_copy),
		cmocka_unit_test(of_a_function_that_is_called),
		cmocka_unit_test(nowhere),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
