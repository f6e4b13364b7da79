/* Protects the passes, mechanisms and checks that rely on the table of memory accesses (ptx/access.h), by comparing it
 * with the forms of ops.h. They would take an opcode whose address has no row for one without accesses. */
#include "ptx/access.h"
#include "ptx/parse.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* Letters that are not addresses: values, constants, predicates, labels, functions, fragments. */
static const char values[] = "tswuinpNqQvohVcglfTrRDABCS?>";

static void every_letter_is_an_address_or_a_value(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < ptx_form_count; i++)
		for (const char *letter = ptx_forms[i].operands; *letter; letter++)
			if (!ptx_letter_is_address(*letter) == !strchr(values, *letter))
				fail_msg("'%c' of %s is neither, or both", *letter, ptx_ops[ptx_forms[i].op].name);
}

static void every_address_has_a_row(void **state)
{
	(void)state;
	uint32_t addresses = 0;
	for (uint32_t i = 0; i < ptx_form_count; i++) {
		const struct form *form = &ptx_forms[i];
		uint32_t of_form = 0;
		for (const char *letter = form->operands; *letter; letter++) {
			unsigned how;
			enum ptx_ending ends;
			if (!ptx_letter_is_address(*letter))
				continue;
			of_form++;
			if (!ptx_access_row(form->op, *letter, &how, &ends))
				fail_msg("no row for '%c' of %s %s", *letter, ptx_ops[form->op].name, form->suffixes);
		}
		assert_in_range(of_form, 0, PTX_MAX_ACCESSES);
		addresses += of_form;
	}
	assert_in_range(addresses, 100, 100000);
}

/* A form whose suffixes name shared memory has an address there, or only orders accesses. */
static void forms_of_shared_memory_have_an_address(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < ptx_form_count; i++) {
		const struct form *form = &ptx_forms[i];
		bool orders = form->op == PTX_OP_FENCE || form->op == PTX_OP_CVTA || form->op == PTX_OP_ISSPACEP ||
		              form->op == PTX_OP_MAPA || form->op == PTX_OP_GETCTARANK || strchr(form->operands, 'v');
		bool counts = form->op == PTX_OP_MBARRIER && strstr(form->suffixes, "pending_count");
		if (strstr(form->suffixes, "shared") && !orders && !counts && !ptx_op_may_touch_shared(form->op))
			fail_msg("%s %s", ptx_ops[form->op].name, form->suffixes);
	}
}

/* The accesses that the checks of programs (simt/check.c) and the safety net of sharing (mech/sharing/touch.c) see:
 * addresses of lanes, bulk copies, and DMA transfers. Both see cp.async as a load and a store. They do not see an
 * opcode that is in no list. */
static void all_that_touch_shared_memory_are_seen(void **state)
{
	static const enum ptx_opcode seen[] = {
		PTX_OP_LD,       PTX_OP_LDU,      PTX_OP_ST,       PTX_OP_ATOM,     PTX_OP_RED,
		PTX_OP_LDMATRIX, PTX_OP_STMATRIX, PTX_OP_MBARRIER, PTX_OP_CP_ASYNC, PTX_OP_CP_ASYNC_ARRIVE};
	(void)state;
	for (int op = 0; op < PTX_OPCODES; op++) {
		bool is_seen = (op >= PTX_OP_CP_BULK && op <= PTX_OP_CP_REDUCE_BULK_TENSOR) ||
		               (op >= PTX_OP_DMA_FLAT && op <= PTX_OP_DMA_EXECUTE);
		for (size_t i = 0; i < sizeof seen / sizeof *seen; i++)
			is_seen |= seen[i] == (enum ptx_opcode)op;
		if (!is_seen && ptx_op_may_touch_shared((enum ptx_opcode)op))
			fail_msg("%s", ptx_op_name((enum ptx_opcode)op));
	}
}

/* --- instructions --- */

struct expected {
	const char *text;
	uint32_t accesses; /* to shared memory, or to memory that may be shared */
	unsigned how;
	enum ptx_ending ends; /* of the last access */
	uint32_t bytes;       /* of the first access */
};

static struct ptx_module *module_of(const char *inst)
{
	char text[2048];
	struct diag diag = {0};
	snprintf(text, sizeof text,
	         ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n.reg .pred %%p<4>;\n.reg .b16 "
	         "%%h<9>;\n"
	         ".reg .b32 %%r<9>;\n.reg .b64 %%d<9>;\n%s\nret;\n}\n",
	         inst);
	struct ptx_module *module = ptx_load_with_copies("t.ptx", text, strlen(text), &diag);
	if (!module || ptx_find_function(module, "k")->errors)
		fail_msg("%s: %s", inst, module ? ptx_find_function(module, "k")->errors : diag.text);
	diag_free(&diag);
	return module;
}

static void expect(const struct expected *expected)
{
	struct ptx_module *module = module_of(expected->text);
	struct ptx_access access[PTX_MAX_ACCESSES];
	uint32_t all = ptx_inst_accesses(&ptx_find_function(module, "k")->body[0], access), count = 0, bytes = 0;
	unsigned how = 0;
	enum ptx_ending ends = PTX_ENDS_AT_ONCE;
	for (uint32_t i = 0; i < all; i++) {
		if (!access[i].how || !ptx_space_may_be_shared(access[i].space))
			continue;
		bytes = count++ ? bytes : access[i].bytes;
		how |= access[i].how;
		ends = access[i].ends;
	}
	if (count != expected->accesses || how != expected->how || ends != expected->ends || bytes != expected->bytes)
		fail_msg("%s: %u accesses, %u, ends %d, %u bytes", expected->text, count, how, (int)ends, bytes);
	ptx_free(module);
}

enum { R = PTX_READS, W = PTX_WRITES };

static void instructions_are_known(void **state)
{
	(void)state;
	static const struct expected all[] = {
		{"ld.shared.v4.u32 {%r1, %r2, %r3, %r4}, [%r5];", 1, R, PTX_ENDS_AT_ONCE, 16},
		{"ld.u32 %r1, [%d1];", 1, R, PTX_ENDS_AT_ONCE, 4},
		{"ld.global.u32 %r1, [%d1];", 0, 0, PTX_ENDS_AT_ONCE, 0},
		{"st.shared.u8 [%r5], %h1;", 1, W, PTX_ENDS_AT_ONCE, 1},
		{"red.shared.add.u32 [%r5], 1;", 1, R | W, PTX_ENDS_AT_ONCE, 4},
		{"ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%r5];", 1, R, PTX_ENDS_AT_ONCE, 16},
		{"stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r5], {%r1};", 1, W, PTX_ENDS_AT_ONCE, 16},
		{"mbarrier.init.shared.b64 [%r5], 3;", 1, R | W, PTX_ENDS_AT_ONCE, 8},
		{"mbarrier.test_wait.b64 %p1, [%d1], %d2;", 1, R | W, PTX_ENDS_AT_ONCE, 8},
		{"cp.async.ca.shared.global [%r5], [%d1], 16;", 1, W, PTX_ENDS_BY_COPY_GROUP, 16},
		{"cp.async.mbarrier.arrive.shared.b64 [%r5];", 1, R | W, PTX_ENDS_BY_MBARRIER, 8},
		{"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r5], [%d1], 64, [%r6];", 2, R | W,
	         PTX_ENDS_BY_MBARRIER, 64},
		{"cp.async.bulk.global.shared::cta.bulk_group [%d1], [%r5], 64;", 1, R, PTX_ENDS_BY_BULK_GROUP, 64},
		{"cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%d1], [%r5], %r1;", 1, R,
	         PTX_ENDS_BY_BULK_GROUP, 0},
		{"cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r5], [%d1, "
	         "{%r1}], [%r6];",
	         2, R | W, PTX_ENDS_BY_MBARRIER, 0},
		{"cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group [%d1, {%r1}], [%r5];", 1, R,
	         PTX_ENDS_BY_BULK_GROUP, 0},
		{"cp.async.bulk.prefetch.L2.global [%d1], 64;", 0, 0, PTX_ENDS_AT_ONCE, 0},
		{"dma_flat 0, %r5, %d1, 64;", 1, W, PTX_ENDS_BY_ENGINE, 0},
		{"add.u32 %r1, %r2, %r3;", 0, 0, PTX_ENDS_AT_ONCE, 0},
	};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		expect(&all[i]);
}

/* The operands of an instruction that are addresses, and the bytes accessed at each; 0: unknown. */
static void each_address_has_its_bytes(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		uint32_t count;
		uint8_t operand[3];
		uint32_t bytes[3];
	} all[] = {
		{"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r5], [%d1], 64, [%r6];",
	         3,
	         {0, 1, 3},
	         {64, 64, 8}},
		{"cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r5], [%d1, "
	         "{%r1}], [%r6];",
	         3,
	         {0, 1, 2},
	         {0, 0, 8}},
		{"cp.async.ca.shared.global [%r5], [%d1], 16;", 2, {0, 1}, {16, 16}},
		{"cp.async.ca.shared.global [%r5], [%d1], 8, %r1;", 2, {0, 1}, {8, 8}},
		{"atom.shared.cas.b64 %d1, [%r5], %d2, %d3;", 1, {1}, {8}},
		{"ld.shared.v2.u64 {%d1, %d2}, [%r5];", 1, {1}, {16}},
		{"add.u32 %r1, %r2, %r3;", 0, {0}, {0}},
	};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		struct ptx_module *module = module_of(all[i].text);
		const struct ptx_inst *inst = &ptx_find_function(module, "k")->body[0];
		struct ptx_access access[PTX_MAX_ACCESSES];
		uint32_t count = ptx_inst_accesses(inst, access);
		bool same = count == all[i].count;
		for (uint32_t k = 0; same && k < count; k++)
			same = access[k].address == &inst->operand[all[i].operand[k]] &&
			       access[k].bytes == all[i].bytes[k];
		if (!same)
			fail_msg("%s: %u addresses, the first of %u bytes", all[i].text, count,
			         count ? access[0].bytes : 0);
		ptx_free(module);
	}
	assert_false(ptx_letter_is_address('\0')); /* the end of a form is no address */
}

/* The instructions that wait for groups of copies, and those that wait for all groups. */
static void waits_are_known(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		enum ptx_wait wait;
	} all[] = {
		{"cp.async.commit_group;", PTX_COPY_COMMIT},
		{"cp.async.wait_group 0;", PTX_COPY_WAIT},
		{"cp.async.wait_group 1;", PTX_NO_WAIT},
		{"cp.async.wait_all;", PTX_COPY_WAIT_ALL},
		{"cp.async.bulk.commit_group;", PTX_BULK_COMMIT},
		{"cp.async.bulk.wait_group 0;", PTX_BULK_WAIT},
		{"cp.async.bulk.wait_group.read 0;", PTX_BULK_WAIT},
		{"cp.async.bulk.wait_group 2;", PTX_NO_WAIT},
		{"bar.sync 0;", PTX_NO_WAIT},
	};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		struct ptx_module *module = module_of(all[i].text);
		enum ptx_wait wait = ptx_inst_waits(&ptx_find_function(module, "k")->body[0]);
		if (wait != all[i].wait)
			fail_msg("%s: %d", all[i].text, (int)wait);
		ptx_free(module);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_letter_is_an_address_or_a_value),
		cmocka_unit_test(every_address_has_a_row),
		cmocka_unit_test(forms_of_shared_memory_have_an_address),
		cmocka_unit_test(all_that_touch_shared_memory_are_seen),
		cmocka_unit_test(instructions_are_known),
		cmocka_unit_test(each_address_has_its_bytes),
		cmocka_unit_test(waits_are_known),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
