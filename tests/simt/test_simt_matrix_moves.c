/* Protects ldmatrix, stmatrix and movmatrix: every row of ops.h that moves matrices between shared memory and
 * registers, on random rows at random addresses, and the faults of such loads.
 *
 *   test_simt_matrix_moves [ROUNDS [SEED]] */
#include "row_numbers.h"

enum { LANES = 32 };

static uint32_t rounds = 1;
static uint64_t seed = 1;

/* Rows at random addresses. Each lane receives two elements of row lane / 4, or of that column. */
static void check_moved(const struct row *row, uint64_t *random)
{
	unsigned count = row_has(row, "x4") ? 4 : row_has(row, "x2") ? 2 : 1, start[LANES];
	bool transposes = row_has(row, "trans"), is_store = row_is(row, "stmatrix");
	static uint16_t rows[LANES][64];
	static uint32_t values[LANES][4];
	char text[8192] =
		".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry op(.param .u64 in, .param .u64 "
		"out)\n{\n"
		".reg .u64 %i, %o, %d;\n.reg .u32 %t, %s, %a, %z, %r<4>;\n.reg .b64 %x;\n.shared .align 16 .b8 "
		"s[4096];\n"
		"ld.param.u64 %i, [in];\nld.param.u64 %o, [out];\nmov.u32 %t, %tid.x;\nmad.wide.u32 %i, %t, 160, %i;\n"
		"mad.wide.u32 %o, %t, 160, %o;\nmov.u32 %s, s;\nmad.lo.u32 %s, %t, 128, %s;\n";
	size_t size = sizeof text;
	for (unsigned k = 0; k < 16; k++)
		snprintf(text + strlen(text), size - strlen(text),
		         "ld.global.b64 %%x, [%%i+%u];\nst.shared.b64 [%%s+%u], %%x;\n", 8 * k, 8 * k);
	for (unsigned k = 0; k < 4; k++)
		snprintf(text + strlen(text), size - strlen(text), "ld.global.b32 %%r%u, [%%i+%u];\n", k, 128 + 4 * k);
	snprintf(text + strlen(text), size - strlen(text),
	         "ld.global.b32 %%a, [%%i+144];\nmov.u32 %%z, s;\nadd.u32 %%a, %%a, %%z;\ncvt.u64.u32 %%d, %%a;\n%s%s",
	         row_has(row, "shared") || row_has(row, "shared::cta") ? "" : "cvta.shared.u64 %d, %d;\n", row->op);
	for (unsigned k = 0; k < row->count; k++)
		snprintf(text + strlen(text), size - strlen(text), ".%s", row->words[k]);
	const char *list = count == 4               ? "{%r0, %r1, %r2, %r3}"
	                   : count == 2             ? "{%r0, %r1}"
	                   : kit_random(random) % 2 ? "{%r0}"
	                                            : "%r0";
	snprintf(text + strlen(text), size - strlen(text), is_store ? ".b16 [%%d], %s;\n" : ".b16 %s, [%%d];\n", list);
	for (unsigned k = 0; k < 16; k++)
		snprintf(text + strlen(text), size - strlen(text),
		         "ld.shared.b64 %%x, [%%s+%u];\nst.global.b64 [%%o+%u], %%x;\n", 8 * k, 8 * k);
	for (unsigned k = 0; k < 4; k++)
		snprintf(text + strlen(text), size - strlen(text), "st.global.b32 [%%o+%u], %%r%u;\n", 128 + 4 * k, k);
	snprintf(text + strlen(text), size - strlen(text), "ret;\n}\n");
	struct kit kit;
	kit_open(&kit, text);
	uint8_t *in = kit_buffer(&kit, LANES * 160), *out = kit_buffer(&kit, LANES * 160);
	for (unsigned i = 0; i < LANES; i++) {
		for (unsigned k = 0; k < 64; k++)
			rows[i][k] = (uint16_t)kit_random(random);
		for (unsigned k = 0; k < 4; k++)
			values[i][k] = (uint32_t)kit_random(random);
		start[i] = (i * 7 % 32) * 128 + 16 * (unsigned)(kit_random(random) % 8);
		memcpy(in + 160 * i, rows[i], 128);
		memcpy(in + 160 * i + 128, values[i], 16);
		memcpy(in + 160 * i + 144, &start[i], 4);
	}
	kit_run(&kit);
	for (unsigned m = 0; m < count; m++)
		for (unsigned lane = 0; lane < LANES; lane++)
			for (unsigned h = 0; h < 2; h++) {
				unsigned line = lane / 4, place = lane % 4 * 2 + h, r = transposes ? place : line,
					 c = transposes ? line : place;
				unsigned from = start[8 * m + r];
				uint16_t *cell = &rows[from / 128][from % 128 / 2 + c];
				if (is_store)
					*cell = (uint16_t)(values[lane][m] >> 16 * h);
				else
					((uint16_t *)&values[lane][m])[h] = *cell;
			}
	for (unsigned i = 0; i < LANES; i++) {
		assert_memory_equal(out + 160 * i, rows[i], 128);
		assert_memory_equal(out + 160 * i + 128, values[i], 16);
	}
	kit_close(&kit);
}

static void moved_matrices(void **state)
{
	(void)state;
	uint64_t random = seed;
	for (uint32_t f = 0; f < rounds * ptx_form_count; f++) {
		struct row row = {.form = &ptx_forms[f % ptx_form_count],
		                  .op = ptx_ops[ptx_forms[f % ptx_form_count].op].name};
		if (row.form->op != PTX_OP_LDMATRIX && row.form->op != PTX_OP_STMATRIX)
			continue;
		for (unsigned group = 0; group < ROW_GROUPS; group++)
			for (unsigned word = 0; word < ROW_CHOICES; word++)
				if (row_words(&row, group, word, &random))
					check_moved(&row, &random);
	}
}

static void transposed(void **state)
{
	(void)state;
	struct kit kit;
	kit_open(&kit, ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry op(.param .u64 out)\n{\n.reg "
	               ".u64 %o;\n.reg .u32 %t, %a, %b;\n"
	               "ld.param.u64 %o, [out];\nmov.u32 %t, %tid.x;\nmad.wide.u32 %o, %t, 4, %o;\nmul.lo.u32 %a, %t, "
	               "0x20002;\n"
	               "add.u32 %a, %a, 0x10000;\nmovmatrix.sync.aligned.m8n8.trans.b16 %b, %a;\nst.global.u32 [%o], "
	               "%b;\nret;\n}\n");
	const uint16_t *out = kit_buffer(&kit, 128);
	kit_run(&kit);
	for (unsigned r = 0; r < 8; r++) /* element number 8 r + c was at row r, column c */
		for (unsigned c = 0; c < 8; c++)
			assert_int_equal(out[8 * r + c], 8 * c + r);
	kit_close(&kit);
}

/* A row that is not aligned to 16 bytes, or lies outside the block's shared memory, is a fault of the load. */
static void faults(void **state)
{
	(void)state;
	static const char *const address[] = {"8", "4096", "0"};
	static const char *const what[] = {"shared load at a misaligned address",
	                                   "shared load beyond the block's shared memory",
	                                   "matrix that lies outside shared memory"};
	for (unsigned k = 0; k < 3; k++) {
		char text[1024];
		snprintf(text, sizeof text,
		         ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry op(.param .u64 out)\n{\n.reg "
		         ".u64 %%o;\n.reg .u32 %%r;\n"
		         ".shared .align 16 .b8 s[64];\nld.param.u64 %%o, [out];\nadd.u64 %%o, %%o, %s;\n"
		         "ldmatrix.sync.aligned.m8n8.x1%s.b16 {%%r}, [%%o];\nst.global.u32 [%%o], %%r;\nret;\n}\n",
		         address[k], k < 2 ? ".shared" : "");
		struct kit kit;
		kit_open(&kit, text);
		if (k == 2)
			kit_buffer(&kit, 64);
		simt_run(&kit.launch, 0, &kit.run);
		assert_non_null(kit.run.fault.what);
		assert_string_equal(kit.run.fault.what, what[k]);
		kit_close(&kit);
	}
}

int main(int count, char **arguments)
{
	if (count > 1)
		rounds = (uint32_t)strtoul(arguments[1], NULL, 10);
	if (count > 2)
		seed = strtoull(arguments[2], NULL, 10);
	const struct CMUnitTest tests[] = {cmocka_unit_test(moved_matrices), cmocka_unit_test(transposed),
	                                   cmocka_unit_test(faults)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
