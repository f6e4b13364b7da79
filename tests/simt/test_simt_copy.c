/* Protects copies from global to shared memory (cp.async), as an instruction and as the load and store into which it is
 * split. Covers all sizes, bytes that are not read, guards, and the checks of both addresses. */
#include "simt_kit.h"

enum { THREADS = 64, BYTES = 16 };

/* Each lane copies to its 16 bytes of shared memory, which held 0xff, and stores these. %n is the lane's number of
 * bytes, 0 to 20; %p1 is true if it is odd. */
static void run(const char *copy, uint8_t in[THREADS][BYTES], const uint32_t numbers[THREADS],
                uint8_t out[THREADS][BYTES])
{
	static const char head[] =
		".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 numbers, "
		".param .u64 out)\n{\n"
		".reg .b32 %t, %n, %s, %r<5>;\n.reg .b64 %i, %o, %d<3>;\n.reg .pred %p<3>;\n.shared .align 16 .b8 "
		"s[1024];\n"
		"ld.param.u64 %i, [in];\nld.param.u64 %o, [out];\nld.param.u64 %d1, [numbers];\nmov.u32 %t, %tid.x;\n"
		"mad.wide.u32 %i, %t, 16, %i;\nmad.wide.u32 %o, %t, 16, %o;\nmad.wide.u32 %d1, %t, 4, %d1;\n"
		"ld.global.u32 %n, [%d1];\nmov.u32 %s, s;\nmad.lo.u32 %s, %t, 16, %s;\nand.b32 %r0, %n, 1;\n"
		"setp.ne.u32 %p1, %r0, 0;\nmov.b32 %r0, -1;\nst.shared.v4.b32 [%s], {%r0, %r0, %r0, %r0};\n";
	static const char tail[] =
		"cp.async.commit_group;\ncp.async.wait_group 0;\ncp.async.wait_all;\n"
		"ld.shared.v4.b32 {%r1, %r2, %r3, %r4}, [%s];\nst.global.v4.b32 [%o], {%r1, %r2, %r3, %r4};\nret;\n}\n";
	char text[4096];
	struct kit kit;
	snprintf(text, sizeof text, "%s%s\n%s", head, copy, tail);
	kit_open(&kit, text);
	void *from = kit_buffer(&kit, THREADS * BYTES);
	memcpy(kit_buffer(&kit, THREADS * sizeof *numbers), numbers, THREADS * sizeof *numbers);
	const void *to = kit_buffer(&kit, THREADS * BYTES);
	memcpy(from, in, THREADS * BYTES);
	kit.launch.block.x = THREADS;
	kit_run(&kit);
	memcpy(out, to, THREADS * BYTES);
	kit_close(&kit);
}

static void check_copies(void)
{
	static const struct {
		const char *text;
		unsigned bytes, offset; /* of the copy, in both memories */
		enum { WHOLE, PART, IGNORED, GUARDED, GUARDED_PART } kind;
	} cases[] = {
		{"cp.async.ca.shared.global [%s], [%i], 4;", 4, 0, WHOLE},
		{"cp.async.ca.shared::cta.global.L2::128B [%s+8], [%i+8], 8;", 8, 8, WHOLE},
		{"cp.async.cg.shared.global.L2::cache_hint [%s], [%i], 16, %d2;", 16, 0, WHOLE},
		{"cp.async.ca.shared.global [%s+4], [%i+4], 4, %n;", 4, 4, PART},
		{"cp.async.ca.shared.global [%s+8], [%i+8], 8, %n;", 8, 8, PART},
		{"cp.async.cg.shared.global [%s], [%i], 16, %n;", 16, 0, PART},
		{"cp.async.cg.shared.global [%s], [%i], 16, %p1;", 16, 0, IGNORED},
		{"@!%p1 cp.async.cg.shared.global [%s], [%i], 16;", 16, 0, GUARDED},
		{"@!%p1 cp.async.ca.shared.global [%s], [%i], 8, %n;", 8, 0, GUARDED_PART},
	};
	uint8_t in[THREADS][BYTES], out[THREADS][BYTES];
	uint32_t numbers[THREADS];
	uint64_t random = 2;
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		for (unsigned t = 0; t < THREADS; t++) {
			numbers[t] = (uint32_t)(kit_random(&random) % 21);
			for (unsigned b = 0; b < BYTES; b++)
				in[t][b] = (uint8_t)kit_random(&random);
		}
		run(cases[k].text, in, numbers, out);
		for (unsigned t = 0; t < THREADS; t++) {
			bool odd = numbers[t] & 1, runs = cases[k].kind < GUARDED || !odd;
			unsigned read = cases[k].kind == PART || cases[k].kind == GUARDED_PART ? numbers[t]
			                : cases[k].kind == IGNORED && odd                      ? 0
			                                                                       : BYTES;
			for (unsigned b = 0; b < BYTES; b++) {
				unsigned at = b - cases[k].offset;
				bool inside = runs && b >= cases[k].offset && at < cases[k].bytes;
				assert_int_equal(out[t][b], !inside ? 0xff : at < read ? in[t][b] : 0);
			}
		}
	}
}

static void copies(void **state)
{
	(void)state;
	for (int with = 0; with < 2; with++) {
		kit_with_copies = with;
		check_copies();
	}
	kit_with_copies = false;
}

/* Faults of a copy: its address in shared memory; the bytes that it reads, but not the bytes after them. */
static void faults(void **state)
{
	(void)state;
	static const struct {
		const char *copy, *what; /* NULL: none */
		uint32_t size;
	} cases[] = {
		{"mov.u32 %s, 1020; cp.async.cg.shared.global [%s], [%i], 16;",
	         "copy to a misaligned address in shared memory", 16},
		{"mov.u32 %s, 1024; cp.async.cg.shared.global [%s], [%i], 16;", "copy beyond the block's shared memory",
	         16},
		{"mov.u32 %s, 1016; cp.async.ca.shared.global [%s+4], [%i], 8;",
	         "copy to a misaligned address in shared memory", 8},
		{"mov.u32 %s, 1016; cp.async.ca.shared.global [%s], [%i], 8;", NULL, 0},
		{"cp.async.ca.shared.global [s], [%i+2], 4;", "global load at a misaligned address", 4},
		{"cp.async.cg.shared.global [s], [%i+1048576], 16;", "global load outside every allocation", 16},
		{"cp.async.cg.shared.global [s], [%i+1048576], 16, 0;", NULL, 0},
		{"cp.async.cg.shared.global [s], [%e], 16, 4;", NULL, 0},
		{"cp.async.cg.shared.global [s], [%e], 16, 5;", "global load outside every allocation", 5},
		{"cp.async.ca.shared.global [s], [%e+4], 8, 1;", "global load at a misaligned address", 1},
	};
	kit_with_copies = true;
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		char text[1024];
		struct kit kit;
		snprintf(text, sizeof text,
		         ".version 8.0\n.target sm_80\n.address_size 64\n.entry k(.param .u64 in)\n{\n.reg .b32 "
		         "%%s;\n.reg .b64 "
		         "%%i, %%e;\n.shared .align 16 .b8 s[1024];\nld.param.u64 %%i, [in];\nadd.u64 %%e, %%i, "
		         "1008;\n%s\nret;\n}\n",
		         cases[k].copy);
		kit_open(&kit, text);
		kit_buffer(&kit, 1012); /* 4 of the last 16 bytes are allocated */
		kit.launch.block.x = 1;
		simt_run(&kit.launch, 0, &kit.run);
		if (!cases[k].what)
			assert_null(kit.run.fault.what);
		else if (!kit.run.fault.what || strcmp(kit.run.fault.what, cases[k].what) != 0)
			fail_msg("%s: %s", cases[k].copy, kit.run.fault.what ? kit.run.fault.what : "no fault");
		else
			assert_int_equal(kit.run.fault.size, cases[k].size);
		kit_close(&kit);
	}
	kit_with_copies = false;
}

static void check_refused(const char *const wrong[][2], size_t count, bool with_copies)
{
	for (size_t k = 0; k < count; k++) {
		char text[512];
		struct diag diag = {0};
		struct ptx_module *module;
		snprintf(text, sizeof text,
		         ".version 8.0\n.target sm_80\n.address_size 64\n.entry k()\n{\n.reg .b32 %%r<3>;\n.reg .b64 "
		         "%%d<3>;\n%s\nL: ret;\n}\n",
		         wrong[k][0]);
		module = with_copies ? ptx_load_with_copies("wrong.ptx", text, strlen(text), &diag)
		                     : ptx_parse("wrong.ptx", text, strlen(text), &diag);
		const char *said = module ? module->functions->errors : diag.text;
		if (module && !said)
			assert_null(simt_decode(module->functions, kit_reconverge, &diag));
		said = said ? said : diag.text;
		if (!said || !strstr(said, wrong[k][1]))
			fail_msg("%s: %s", wrong[k][0], said);
		ptx_free(module);
		diag_free(&diag);
	}
}

static void refused_with_copies(void **state)
{
	(void)state;
	static const char *const wrong[][2] = {
		{"cp.async.ca.shared.global [%r1], [%d1], 12;", "a copy of 12 bytes; expected 4, 8 or 16"},
		{"cp.async.cg.shared.global [%r1], [%d1], 8;", "a copy of 8 bytes; expected 16"},
		{"cp.async.ca.global.shared [%d1], [%r1], 16;", "expected '.shared' before '.global'"},
		{"cp.async.bulk.global.shared::cta.mbarrier::complete_tx::bytes [%d1], [%r1], 16, [%r2];",
	         "expected '.shared' before '.global'"},
		{"cp.async.ca.shared.global [%r1], [%d1], 16, %d2;", "too many operands"},
		{"cp.async.wait_group %r1;", "expected"},
		{"cp.async.mbarrier.b64 [%r1];", "expected '.arrive'"},
	};
	check_refused(wrong, sizeof wrong / sizeof *wrong, true);
}

static void refused(void **state)
{
	(void)state;
	static const char *const wrong[][2] = {
		{"cp.async.ca.shared.global [%r1], [%d1], 12;", "a copy of 12 bytes; expected 4, 8 or 16"},
		{"cp.async.bulk.shared.global [%r1], [%d1], 16;", "there is no 'cp.async.bulk.shared.global'"},
		{"cp.async.ca.global.shared [%r1], [%d1], 16;", "expected '.shared.global'"},
		{"cp.async.ca.shared.global [%r1, [%d1], 16;", "expected ']'"},
		{"cp.async.ca.shared.global [%r1], [%d1], 16, L;", "expected a number of bytes or a predicate"},
		{"cp.sync [%r1], [%d1], 16;", "expected '.async'"},
		{"cp.async.wait_group %r1;", "expected a number of groups"},
	};
	check_refused(wrong, sizeof wrong / sizeof *wrong, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(copies), cmocka_unit_test(faults),
	                                   cmocka_unit_test(refused), cmocka_unit_test(refused_with_copies)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
