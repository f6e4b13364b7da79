/* Protects branches by an index (brx.idx): every lane goes to the target that its index selects, and the lanes
 * reconverge. */
#include "simt_kit.h"

enum { THREADS = 64 };

/* A switch over `count` targets, where target k adds 100 + 7k; out[t] for index t % count. With a guard, lanes of odd
 * numbers fall through. */
static void write_switch(char *text, size_t size, unsigned count, const char *guard)
{
	FILE *file = fmemopen(text, size, "w");
	fprintf(file,
	        ".version 8.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n"
	        ".reg .b32 %%t, %%i, %%r<4>;\n.reg .b64 %%o, %%d;\n.reg .pred %%p<3>;\nld.param.u64 %%o, [out];\n"
	        "mov.u32 %%t, %%tid.x;\nmul.wide.u32 %%d, %%t, 4;\nadd.u64 %%o, %%o, %%d;\nrem.u32 %%i, %%t, %u;\n"
	        "and.b32 %%r1, %%t, 1;\nsetp.eq.u32 %%p1, %%r1, 0;\nmov.u32 %%r0, 0;\nLIST: .branchtargets\nT0",
	        count);
	for (unsigned k = 1; k < count; k++)
		fprintf(file, ", T%u", k);
	fprintf(file, ";\n%sbrx.idx %%i, LIST;\nadd.u32 %%r0, %%r0, 5;\nbra JOIN;\n", guard);
	for (unsigned k = 0; k < count; k++)
		fprintf(file, "T%u: add.u32 %%r0, %%r0, %u;\nbra JOIN;\n", k, 100 + 7 * k);
	fprintf(file, "JOIN:\nactivemask.b32 %%r2;\npopc.b32 %%r2, %%r2;\nmad.lo.u32 %%r0, %%r2, 1000, "
	              "%%r0;\nst.global.u32 [%%o], %%r0;\nret;\n}\n");
	fclose(file);
}

static void run(const char *text, unsigned count, bool guarded)
{
	struct kit kit;
	kit_open(&kit, text);
	const uint32_t *out = kit_buffer(&kit, THREADS * sizeof *out);
	kit.launch.block.x = THREADS;
	kit_run(&kit);
	for (unsigned t = 0; t < THREADS; t++)
		assert_int_equal(out[t], 32000 + (guarded && t % 2 ? 5 : 100 + 7 * (t % count)));
	kit_close(&kit);
}

static void switches(void **state)
{
	(void)state;
	static char text[16384];
	for (unsigned count = 1; count <= 40; count++) {
		write_switch(text, sizeof text, count, "");
		run(text, count, false);
		write_switch(text, sizeof text, count, "@%p1 ");
		run(text, count, true);
	}
}

/* The parsed branch is printed as its equivalent comparisons, which parse again. */
static void printed(void **state)
{
	(void)state;
	static char text[16384];
	char *again = NULL;
	size_t length;
	struct diag diag = {0};
	write_switch(text, sizeof text, 9, "@!%p1 ");
	struct ptx_module *module = ptx_parse("switch.ptx", text, strlen(text), &diag);
	assert_non_null(module);
	FILE *file = open_memstream(&again, &length);
	ptx_print(module, file);
	fclose(file);
	assert_null(strstr(again, "brx.idx"));
	for (uint32_t i = 0; i < module->functions->body_count; i++)
		if (module->functions->body[i].op == PTX_OP_SETP && i > 10)
			assert_int_equal(module->functions->body[i].place.line, 19);
	ptx_free(module);
	module = ptx_parse("again.ptx", again, length, &diag);
	if (!module)
		fail_msg("%s\n%s", diag.text, again);
	ptx_free(module);
	free(again);
}

static void refused(void **state)
{
	(void)state;
	static const char *const wrong[][2] = {
		{"brx.idx %r1, NONE;", "unknown list 'NONE'; expected the label of a .branchtargets directive"},
		{"brx.idx %r1, L;", "unknown list 'L'"},
		{"brx %r1, LIST;", "expected '.idx'"},
		{"brx.idx %x9, LIST;", "unknown name '%x9'"},
		{"W: .branchtargets L, NOWHERE;\nbrx.idx %r1, W;", "unknown label 'NOWHERE'"},
		{"W: .branchtargets ;", "expected a label"},
		{"W: .branchtargets L, 7;\nbrx.idx %r1, W;", "expected a label"},
	};
	for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
		char text[512];
		struct diag diag = {0};
		snprintf(text, sizeof text,
		         ".version 8.0\n.target sm_70\n.address_size 64\n.entry k()\n{\n.reg .b32 %%r<3>;\n"
		         "LIST: .branchtargets L, L;\n%s\nL: ret;\n}\n",
		         wrong[k][0]);
		assert_null(ptx_parse("wrong.ptx", text, strlen(text), &diag));
		if (!strstr(diag.text, wrong[k][1]))
			fail_msg("%s", diag.text);
		diag_free(&diag);
	}
}

/* An index outside the table stops the kernel, unless the guard disables its lane. */
static void outside(void **state)
{
	(void)state;
	for (unsigned count = 1; count <= 9; count++)
		for (unsigned guarded = 0; guarded < 2; guarded++) {
			struct kit kit;
			char text[8192], *at;
			write_switch(text, sizeof text, count, guarded ? "@%p1 " : "");
			at = strstr(text, "rem.u32");
			memset(at, ' ', strcspn(at, ";") + 1);
			/* lane t has index t: the first invalid one is `count`; with the guard, the first even one */
			memcpy(at, "mov.u32 %i, %t;", 15);
			kit_open(&kit, text);
			kit_buffer(&kit, THREADS * sizeof(uint32_t));
			kit.launch.block.x = THREADS;
			simt_run(&kit.launch, 0, &kit.run);
			assert_string_equal(kit.run.fault.what, "brx.idx with an index outside its table");
			assert_int_equal(kit.run.fault.kind, SIMT_FAULT_INSTRUCTION);
			assert_int_equal(kit.run.fault.value, guarded ? (count + 1) / 2 * 2 : count);
			assert_int_equal(kit.run.fault.most, count - 1);
			kit_close(&kit);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(switches), cmocka_unit_test(printed),
	                                   cmocka_unit_test(refused), cmocka_unit_test(outside)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
