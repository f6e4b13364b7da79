/* Protects against misplaced releases with bulk copies. A run stops if a thread releases data that its copy still
 * reads, or issues a copy after its release. The program's results would not show this, because each block has
 * separate bytes in the model. */
#include "sharing_kit.h"

#define COMMIT "cp.async.bulk.commit_group;\n"
#define WAIT   "cp.async.bulk.wait_group 0;\n"

#define OPENED "sharing:layout=no,release=block_end"

static const char *fault_of(const char *body)
{
	struct gpu_kit kit;
	static char what[200];
	OPEN(&kit, OPENED, ONE_PAIR);
	kit_load(&kit, body);
	kit_start(&kit, 2, WARP);
	snprintf(what, sizeof what, "%s",
	         kit.run.end == GPU_FAULT  ? kit.run.fault.what
	         : kit.run.end == GPU_DONE ? ""
	                                   : "ended otherwise");
	kit_close(&kit);
	return what;
}

#define SEND_4096 "st.shared.u32 [4096], 1; cp.async.bulk.global.shared::cta.bulk_group [%rd0], [4096], 64;\n"

static void a_run_stops_at_wrong_releases(void **state)
{
	(void)state;
	assert_string_equal(fault_of(SEND_4096 COMMIT WAIT "relssp; exit;"), "");
	assert_non_null(strstr(fault_of(SEND_4096 COMMIT "relssp;\n" WAIT "exit;"),
	                       "while its own copy in bulk may still read it"));
	assert_non_null(strstr(fault_of("st.shared.u32 [4096], 1; relssp;\n" SEND_4096 COMMIT WAIT "exit;"),
	                       "after its relssp"));
	assert_non_null(strstr(fault_of("st.shared.u32 [4096], 1; relssp; "
	                                "cp.async.bulk.global.shared::cta.bulk_group [%rd0], [4096], 64;\n" COMMIT WAIT
	                                "exit;"),
	                       "after its relssp"));
	assert_string_equal(fault_of("st.shared.u32 [4096], 1; relssp; "
	                             "cp.async.bulk.global.shared::cta.bulk_group [%rd0], [1024], 64;\n" COMMIT WAIT
	                             "exit;"),
	                    "");
}

/* Eight lanes of ldmatrix.x1 give addresses. The other lanes' registers touch nothing. */
static void lanes_without_a_row_touch_nothing(void **state)
{
	(void)state;
	assert_string_equal(fault_of("st.shared.u32 [4096], 1; relssp; mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 4; "
	                             "setp.ge.u32 %p1, %r1, 8; "
	                             "@%p1 add.u32 %r2, %r2, 8192;\n"
	                             "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r3}, [%r2]; exit;"),
	                    "");
	assert_non_null(strstr(fault_of("st.shared.u32 [4096], 1; relssp; mov.u32 %r2, 8192;\n"
	                                "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r3}, [%r2]; exit;"),
	                       "after its relssp"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(a_run_stops_at_wrong_releases),
	                                   cmocka_unit_test(lanes_without_a_row_touch_nothing)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
