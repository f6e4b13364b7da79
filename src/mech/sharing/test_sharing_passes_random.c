/* The passes of scratchpad sharing on kernels at random: what instructions touch, looked at while they run; every thread executes relssp
 * once, at the earliest place behind its last access to the common part; results stay what they were; and the chosen order is the
 * best there is. */
#include "passes_kit.h"

#include "accesses.h"

#include "simt_kit.h"

enum { VARIABLES = 5, POINTERS = 4, INTS = 8, THREADS = 50, BLOCKS = 2, BUFFER = 1 << 16, DEEPEST = 3 };

struct generator {
	FILE *file;
	uint64_t seed;
	uint32_t labels, own, dynamic; /* dynamic: bytes */
	uint32_t rare;                 /* one statement in so many accesses shared memory */
	bool exposes, calls, exits, aligns;
};

static uint32_t any(struct generator *g, uint32_t count)
{
	return (uint32_t)(kit_random(&g->seed) % count);
}

__attribute__((format(printf, 2, 3))) static void put(struct generator *g, const char *format, ...)
{
	va_list values;
	va_start(values, format);
	vfprintf(g->file, format, values);
	va_end(values);
}

/* --- kernels: each thread has four bytes at 4 * %tid.x of every variable, and others at constant places --- */

static const char functions[] =
	".shared .align 8 .b8 M0[300];\n.shared .b8 M1[256];\n.extern .shared .align 16 .b8 D[];\n"
	/* stores by a pointer */
	".func f(.param .b64 a, .param .b32 i)\n{\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\nld.param.u64 %rd1, [a];\n"
	"ld.param.u32 %r1, [i];\ncvt.u64.u32 %rd2, %r1;\nadd.s64 %rd1, %rd1, %rd2;\nst.u32 [%rd1], %r1;\nret;\n}\n"
	/* stores to the module's */
	".func g(.param .b32 i)\n{\n.reg .b32 %r<9>;\n.shared .b8 F[256];\nld.param.u32 %r1, [i];\nmov.u32 %r2, M0;\n"
	"add.u32 %r2, %r2, %r1;\nst.shared.u32 [%r2], %r1;\nmov.u32 %r2, F;\nadd.u32 %r2, %r2, "
	"%r1;\natom.shared.add.u32 %r3, [%r2], 5;\nret;\n}\n"
	/* some threads end here */
	".func h(.param .b32 i)\n{\n.reg .b32 %r<9>;\n.reg .pred %p<9>;\nld.param.u32 %r1, [i];\nand.b32 %r1, %r1, 7;\n"
	"setp.eq.u32 %p1, %r1, 5;\n@%p1 exit;\nret;\n}\n"
	/* gives a pointer back */
	".func (.param .b64 c) e(.param .b64 a)\n{\n.reg .b64 %rd<9>;\nld.param.u64 %rd1, [a];\nst.param.b64 [c], "
	"%rd1;\nret;\n}\n";

static void name_of(struct generator *g, char name[16])
{
	uint32_t kind = any(g, g->own + (g->dynamic ? 2 : 1));
	if (kind < g->own)
		snprintf(name, 16, "V%u", kind);
	else
		snprintf(name, 16, kind == g->own ? "M1" : "D");
}

static void set_pointer(struct generator *g)
{
	char name[16];
	uint32_t to = any(g, POINTERS), from = any(g, POINTERS), n = any(g, 8);
	name_of(g, name);
	const char *guard = any(g, 3) ? "" : "@%p1 ";
	switch (any(g, g->exposes ? 7 : 5)) {
	case 0:
		put(g, "%smov.u32 %%s%u, %s;\n", guard, to, name);
		return;
	case 1:
		put(g, "%scvta.shared.u64 %%g%u, %s;\n", guard, to, name);
		return;
	case 2:
		put(g, "selp.b32 %%s%u, %%s%u, %%s%u, %%p%u;\n", to, from, any(g, POINTERS), any(g, 4));
		return;
	case 3:
		put(g, "cvta.to.shared.u64 %%x, %%g%u;\ncvt.u32.u64 %%s%u, %%x;\n", from, to);
		return;
	case 4:
		put(g, "cvt.u64.u32 %%x, %%s%u;\ncvta.shared.u64 %%g%u, %%x;\n", from, to);
		return;
	case 5:
		put(g, "%sst.local.u64 [L+%u], %%g%u;\n", guard, 8 * n, from);
		return;
	default:
		put(g, "%sld.local.u64 %%g%u, [L+%u];\n", guard, to, 8 * n);
	}
}

static void call(struct generator *g)
{
	uint32_t n = g->labels++;
	switch (any(g, g->exits ? 4 : 3)) {
	case 0:
		put(g,
		    "{ .param .b64 a%u; .param .b32 i%u;\nst.param.b64 [a%u], %%g%u;\nst.param.b32 [i%u], %%t4;\ncall "
		    "f, (a%u, i%u); }\n",
		    n, n, n, any(g, POINTERS), n, n, n);
		return;
	case 1:
		put(g, "{ .param .b32 i%u;\nst.param.b32 [i%u], %%t4;\ncall g, (i%u); }\n", n, n, n);
		return;
	case 2:
		put(g,
		    "{ .param .b64 a%u; .param .b64 c%u;\nst.param.b64 [a%u], %%g%u;\ncall (c%u), e, "
		    "(a%u);\nld.param.b64 %%g%u, [c%u]; }\n",
		    n, n, n, any(g, POINTERS), n, n, any(g, POINTERS), n);
		return;
	default:
		put(g, "{ .param .b32 i%u;\nst.param.b32 [i%u], %%r%u;\ncall h, (i%u); }\n", n, n, any(g, INTS), n);
	}
}

static void access(struct generator *g)
{
	char name[16];
	uint32_t p = any(g, POINTERS), r = any(g, INTS);
	const char *guard = any(g, 3) ? "" : "@!%p2 ";
	name_of(g, name);
	switch (any(g, g->calls ? 10 : 8)) {
	case 0:
		put(g, "%sst.shared.u32 [%s+%u], %%r%u;\n", guard, name, 4 * any(g, 64), r);
		return;
	case 1:
		put(g, "mov.u32 %%y, %s;\nadd.u32 %%y, %%y, %%t4;\n%sld.shared.u32 %%r%u, [%%y];\n", name, guard, r);
		return;
	case 2:
		put(g, "add.u32 %%y, %%s%u, %%t4;\n%sst.shared.u32 [%%y], %%r%u;\n", p, guard, r);
		return;
	case 3:
		put(g, "add.s64 %%x, %%g%u, %%w4;\n%sld.u32 %%r%u, [%%x];\n", p, guard, r);
		return;
	case 4:
		put(g, "add.s64 %%x, %%g%u, %%w4;\n%satom.add.u32 %%r%u, [%%x], 3;\n", p, guard, r);
		return;
	case 5:
		put(g,
		    "and.b32 %%y, %%r%u, 15;\nshl.b32 %%y, %%y, 2;\nmov.u32 %%z, %s;\nadd.u32 %%z, %%z, "
		    "%%y;\n%sst.shared.u32 [%%z+%u], %%r%u;\n",
		    r, name, guard, 4 * any(g, 48), any(g, INTS));
		return;
	case 6:
		put(g,
		    "mov.u32 %%y, %%laneid;\nshr.u32 %%y, %%y, 2;\nmov.u32 %%z, %s;\nmad.lo.u32 %%z, %%y, 4, "
		    "%%z;\n%sred.shared.add.u32 [%%z], 1;\n",
		    name, guard);
		return;
	case 7:
		put(g,
		    "mov.u32 %%z, %s;\nadd.u32 %%z, %%z, 64;\nsub.u32 %%z, %%z, %u;\n%sst.shared.u16 [%%z], %%rs1;\n",
		    name, 4 * any(g, 16), guard);
		return;
	default:
		call(g);
	}
}

static void simple(struct generator *g)
{
	static const char *const words[] = {"add.s32", "sub.s32", "mul.lo.s32", "xor.b32", "min.u32"};
	if (any(g, g->rare) == 0)
		access(g);
	else if (any(g, 4) == 0)
		set_pointer(g);
	else if (any(g, 4) == 0)
		put(g, "setp.lt.u32 %%p%u, %%r%u, %%r%u;\n", any(g, 4), any(g, INTS), any(g, INTS));
	else
		put(g, "%s %%r%u, %%r%u, %%r%u;\n", words[any(g, 5)], any(g, INTS), any(g, INTS), any(g, INTS));
}

static void leave(struct generator *g)
{
	put(g, "@%s%%p%u %s;\n", any(g, 2) ? "!" : "", any(g, 4), any(g, 2) ? "exit" : "ret");
}

/* Branches and loops within each other, ways out among them; barriers where all threads come that have not ended. */
static void statements(struct generator *g, uint32_t count, uint32_t depth)
{
	while (count--) {
		uint32_t n = g->labels++, what = any(g, depth < DEEPEST ? 12 : 9);
		if (depth == 0 && any(g, 6) == 0)
			put(g, "bar.sync 0;\n");
		if (what < 9) {
			simple(g);
		} else if (what == 9 && g->exits) {
			leave(g);
		} else if (what == 10) {
			put(g, "and.b32 %%c%u, %%r%u, 3;\nL%u:\n", depth, any(g, INTS), n);
			statements(g, 4, depth + 1);
			put(g, "sub.s32 %%c%u, %%c%u, 1;\nsetp.gt.s32 %%q%u, %%c%u, 0;\n@%%q%u bra L%u;\n", depth,
			    depth, depth, depth, depth, n);
		} else {
			bool has_else = any(g, 2);
			put(g, "@%%p%u bra E%u;\n", any(g, 4), n);
			statements(g, 3, depth + 1);
			if (has_else)
				put(g, "bra J%u;\n", n);
			put(g, "E%u:\n", n);
			if (has_else)
				statements(g, 3, depth + 1);
			put(g, "J%u:\n", n);
		}
	}
}

/* How a block ends that need not end at all. */
static void end_somehow(struct generator *g)
{
	static const char *const ends[] = {"ret", "exit", "trap", "@%p1 trap", "@!%p2 exit", "bra DONE"};
	put(g, "%s;\n", ends[any(g, 6)]);
}

/* Blocks that branch anywhere. Where they are to end each turn takes fuel. */
static void anywhere(struct generator *g, bool ends)
{
	uint32_t blocks = 2 + any(g, 10);
	for (uint32_t block = 0; block < blocks; block++) {
		put(g, "B%u:\n", block);
		if (ends)
			put(g, "sub.s32 %%fuel, %%fuel, 1;\nsetp.lt.s32 %%q0, %%fuel, 0;\n@%%q0 bra DONE;\n");
		else if (any(g, 4) == 0)
			end_somehow(g);
		for (uint32_t i = any(g, 6); i-- > 0;)
			simple(g);
		put(g, "setp.lt.u32 %%p%u, %%r%u, %%r%u;\n", any(g, 4), any(g, INTS), any(g, INTS));
		uint32_t kind = any(g, 8);
		if (kind == 0)
			put(g, "bra B%u;\n", any(g, blocks));
		else if (kind == 1 && g->exits)
			leave(g);
		else if (kind < 6)
			put(g, "@%s%%p%u bra B%u;\n", any(g, 2) ? "!" : "", any(g, 4), any(g, blocks));
	}
}

static void begin(struct generator *g)
{
	put(g, "%s%s.visible .entry k(.param .u64 q)\n{\n%s", PTX_HEAD, functions, PTX_REGS);
	put(g, ".reg .b64 %%g<9>, %%x, %%w4, %%base;\n.reg .b32 %%s<9>, %%y, %%z, %%t, %%t4, %%c<9>, %%fuel;\n.reg "
	       ".pred %%q<9>;\n"
	       ".local .align 8 .b8 L[64];\n");
	for (uint32_t v = 0; v < g->own; v++)
		put(g, ".shared .align %u .b8 V%u[%u];\n", g->aligns ? 4u << any(g, 3) : 4, v, 256 + 4 * any(g, 40));
	put(g,
	    "ld.param.u64 %%base, [q];\nmov.u32 %%t, %%tid.x;\nshl.b32 %%t4, %%t, 2;\nmul.wide.u32 %%w4, %%t, "
	    "4;\nmov.u32 %%r0, %%ctaid.x;\n"
	    "mad.lo.u32 %%r0, %%r0, %u, %%t;\nmul.wide.u32 %%x, %%r0, 128;\nadd.s64 %%base, %%base, %%x;\nmov.u32 "
	    "%%fuel, 40;\n",
	    THREADS);
	for (uint32_t i = 0; i < INTS; i++)
		put(g, "ld.global.u32 %%r%u, [%%base+%u];\n", i, 4 * i);
	for (uint32_t i = 0; i < 4; i++)
		put(g, "setp.lt.u32 %%p%u, %%r%u, %%r%u;\n", i, i, i + 1);
	for (uint32_t i = 0; i < POINTERS; i++) {
		char name[16];
		name_of(g, name);
		put(g, "mov.u32 %%s%u, %s;\ncvta.shared.u64 %%g%u, %s;\n", i, name, i, name);
	}
	for (uint32_t i = 0; g->exposes && i < 8; i++)
		put(g, "st.local.u64 [L+%u], %%g%u;\n", 8 * i, any(g, POINTERS));
}

/* `ends`: it may be run. */
static char *random_kernel(uint64_t seed, bool aligns, bool ends, struct generator *g)
{
	char *text = NULL;
	size_t length;
	*g = (struct generator){.file = open_memstream(&text, &length), .seed = seed, .aligns = aligns};
	g->own = any(g, VARIABLES + 1);
	g->dynamic = any(g, 2) ? 256 + 4 * any(g, 100) : 0;
	g->rare = any(g, 3) ? 3 : 12;
	g->exposes = any(g, 2) == 0;
	g->calls = any(g, 2) == 0;
	g->exits = any(g, 2) == 0;
	begin(g);
	if (ends && any(g, 2))
		statements(g, 12, 0);
	else
		anywhere(g, ends);
	put(g, "DONE:\n");
	for (uint32_t i = 0; i < INTS; i++)
		put(g, "st.global.u32 [%%base+%u], %%r%u;\n", 4 * i, i);
	put(g, any(g, 2) ? "ret;\n}\n" : "}\n");
	fclose(g->file);
	return text;
}

/* --- runs --- */

struct watched {
	struct kit kit;
	struct simt_block block;
	uint64_t boundary;
	uint8_t released[THREADS],
		ended_below[THREADS]; /* by thread of the block: relssp executed; it has ended in a function */
	bool has_relssp;
	const struct sharing_accesses *accesses; /* to be looked at, or NULL */
	uint64_t instructions, common;           /* of threads: all, those that access the common part */
	const char *text;
};

static bool is_shared_access(const struct simt_step *step)
{
	enum ptx_opcode op = step->inst->ptx ? step->inst->ptx->op : PTX_OP_RET;
	return (op == PTX_OP_LD || op == PTX_OP_ST || op == PTX_OP_ATOM || op == PTX_OP_RED) &&
	       step->space == PTX_SHARED;
}

/* What the instruction touches is what it is said to touch. */
static void check_touch(const struct watched *w, const struct simt_step *step, uint64_t address)
{
	const struct sharing_accesses *accesses = w->accesses;
	const struct sharing_touch *touch = &accesses->touch[flow_number(accesses->on, step->inst->ptx)];
	bool is_told = touch->variables == SHARING_EVERYTHING;
	for (uint32_t i = 0; i < accesses->layout.count && !is_told; i++) {
		const struct sharing_variable *v = &accesses->layout.variable[i];
		is_told = touch->variables & sharing_bit(i) && address >= v->offset &&
		          address + step->inst->size <= v->offset + v->size &&
		          (touch->end == UINT64_MAX || address + step->inst->size <= v->offset + touch->end);
	}
	if (!is_told)
		fail_msg("line %u touches byte %llu, which nobody said:\n%s", step->inst->ptx->place.line,
		         (unsigned long long)address, w->text);
}

static bool is_in_function(const struct watched *w, const struct simt_inst *inst)
{
	const struct ptx_function *kernel = w->kit.program->kernel;
	return inst->ptx && (inst->ptx < kernel->body || inst->ptx >= kernel->body + kernel->body_count);
}

static void look(struct watched *w, const struct simt_warp *warp, const struct simt_step *step, uint32_t exited)
{
	for (uint32_t lane = 0; lane < WARP_SIZE; lane++) {
		uint32_t thread = warp->index * WARP_SIZE + lane;
		if (warp->exited >> lane & 1 && !(exited >> lane & 1))
			w->ended_below[thread] = is_in_function(w, step->inst);
		if (!(step->lanes >> lane & 1))
			continue;
		w->instructions++;
		w->released[thread] += step->inst->ptx && step->inst->ptx->op == PTX_OP_RELSSP;
		if (!is_shared_access(step))
			continue;
		check_touch(w, step, step->address[lane]);
		if (step->address[lane] + step->inst->size <= w->boundary)
			continue;
		w->common++;
		if (w->released[thread] || !w->has_relssp)
			fail_msg("thread %u accesses byte %llu behind relssp, or without:\n%s", thread,
			         (unsigned long long)step->address[lane], w->text);
	}
}

static void run_warp(struct watched *w, struct simt_warp *warp)
{
	while (!warp->done && !(w->block.waiting >> warp->index & 1)) {
		struct simt_step step;
		uint32_t exited = warp->exited;
		simt_step(warp, &step);
		assert_null(step.fault.what);
		simt_commit(warp, &step);
		look(w, warp, &step, exited);
		if (step.exited || step.inst->kind == SIMT_BARRIER)
			simt_barrier(warp, &step);
	}
}

static void check_threads(const struct watched *w)
{
	for (uint32_t thread = 0; thread < THREADS; thread++) {
		bool may_lack = !w->has_relssp || w->ended_below[thread];
		if (w->released[thread] > 1 || (w->released[thread] == 0 && !may_lack))
			fail_msg("thread %u releases %u times:\n%s", thread, w->released[thread], w->text);
	}
}

/* Whether variables lie where the simulator has them. */
static void check_places(const struct watched *w)
{
	const struct simt_program *program = w->kit.program;
	for (uint32_t i = 0; i < program->variable_count; i++) {
		const struct simt_variable *v = &program->variables[i];
		uint32_t k = 0;
		if (v->space != PTX_SHARED)
			continue;
		while (k < w->accesses->layout.count &&
		       strcmp(w->accesses->layout.variable[k].variable->name, v->name) != 0)
			k++;
		if (k == w->accesses->layout.count || w->accesses->layout.variable[k].offset != v->offset)
			fail_msg("%s lies elsewhere, at %u:\n%s", v->name, v->offset, w->text);
	}
	assert_int_equal(w->accesses->layout.bytes, w->block.shared_bytes);
}

/* Runs a kernel, looks at each step, and keeps what is in its buffer. */
static void run_watched(struct watched *w, const char *text, double t, uint32_t dynamic, uint8_t *buffer)
{
	struct arena arena = {0};
	uint64_t seed = 1;
	*w = (struct watched){.text = text, .has_relssp = strstr(text, "relssp;")};
	kit_open(&w->kit, text);
	w->kit.launch.block = (struct dim3){THREADS, 1, 1};
	w->kit.launch.grid = (struct dim3){BLOCKS, 1, 1};
	w->kit.launch.dynamic_shared_bytes = dynamic;
	w->accesses = sharing_accesses(&arena, w->kit.program->kernel, dynamic);
	uint8_t *memory = kit_buffer(&w->kit, BUFFER);
	for (uint32_t i = 0; i < BUFFER; i += 8) {
		uint64_t number = kit_random(&seed);
		memcpy(memory + i, &number, sizeof number);
	}
	for (uint64_t number = 0; number < BLOCKS; number++) {
		simt_block_start(&w->block, &w->kit.launch, number, 0);
		memset(w->released, 0, sizeof w->released);
		memset(w->ended_below, 0, sizeof w->ended_below);
		w->boundary = sharing_own_bytes(t, w->block.shared_bytes);
		check_places(w);
		while (w->block.live)
			for (uint32_t warp = 0; warp < w->block.warps; warp++)
				run_warp(w, &w->block.warp[warp]);
		check_threads(w);
	}
	memcpy(buffer, memory, BUFFER);
	simt_block_free(&w->block);
	kit_close(&w->kit);
	arena_free(&arena);
}

/* --- ways through the code --- */

/* The code of a kernel as ways through it see it. */
struct code {
	const struct ptx_function *kernel;
	struct arena arena;
	bool *accesses; /* by instruction: the common part */
	bool *ahead;    /* by instruction, and the end: an access can come from there on */
};

static struct code code_of(const struct ptx_function *kernel, double t, uint32_t dynamic)
{
	struct code code = {.kernel = kernel};
	const struct sharing_accesses *accesses = sharing_accesses(&code.arena, kernel, dynamic);
	uint32_t count = kernel->body_count;
	code.accesses = arena_array(&code.arena, count + 1, sizeof(bool));
	code.ahead = arena_array(&code.arena, count + 1, sizeof(bool));
	for (uint32_t i = 0; i < count; i++)
		code.accesses[i] = sharing_touches_from(accesses, i, sharing_own_bytes(t, accesses->layout.bytes));
	for (bool grown = true; grown;) {
		grown = false;
		for (uint32_t i = count; i-- > 0;) {
			const struct ptx_inst *inst = &kernel->body[i];
			bool leaves = flow_ends_block(inst), goes_on = !leaves || inst->guard != PTX_NO_REG;
			bool ahead = code.accesses[i] || (goes_on && code.ahead[i + 1]) ||
			             (inst->op == PTX_OP_BRA && code.ahead[flow_branch_target(inst)]);
			grown |= ahead && !code.ahead[i];
			code.ahead[i] |= ahead;
		}
	}
	return code;
}

/* One way at random, to an end or so far: relssp once, not before an access, and, if it stands as early as can be, behind an
 * instruction from which on there was one. */
static void walk(const struct code *code, uint64_t *seed, bool is_optimal, const char *text)
{
	uint32_t released = 0, at = 0, before = FLOW_NONE, steps = 0;
	while (at < code->kernel->body_count && steps++ < 2000) {
		const struct ptx_inst *inst = &code->kernel->body[at];
		bool taken = flow_ends_block(inst) && (inst->guard == PTX_NO_REG || kit_random(seed) % 3 == 0);
		if (inst->op == PTX_OP_RELSSP) {
			released++;
			if (inst->guard != PTX_NO_REG || (is_optimal && (before == FLOW_NONE || !code->ahead[before])))
				fail_msg("relssp of line %u can go earlier:\n%s", at, text);
		}
		if (released > 1 || (released && code->accesses[at]))
			fail_msg("relssp %u times, at instruction %u:\n%s", released, at, text);
		before = at;
		if (taken && inst->op != PTX_OP_BRA)
			break;
		at = taken ? flow_branch_target(inst) : at + 1;
	}
	if (steps < 2000 && released != code->ahead[0])
		fail_msg("relssp %u times on a way:\n%s", released, text);
}

static void walk_all(const char *text, double t, uint32_t dynamic, bool is_optimal, uint64_t seed)
{
	struct ptx_module *module = kit_parse(text);
	struct code code = code_of(ptx_find_function(module, "k"), t, dynamic);
	for (int way = 0; way < 60; way++)
		walk(&code, &seed, is_optimal, text);
	arena_free(&code.arena);
	ptx_free(module);
}

/* --- the best order --- */

/* The cost of an order by the definitions: instructions that lie on a way from an access of the common variables to one, both
 * included, by looking from each. */
static uint64_t plain_cost(const struct ptx_function *kernel, const struct sharing_accesses *accesses, uint64_t set)
{
	uint32_t count = kernel->body_count;
	bool *up_to = calloc(count + 1, 1), *from = calloc(count + 1, 1), *reached = calloc(count + 1, 1);
	uint64_t cost = 0;
	reached[0] = true;
	for (uint32_t round = 0; round <= count; round++)
		for (uint32_t i = 0; i < count; i++) {
			const struct ptx_inst *inst = &kernel->body[i];
			bool own = accesses->touch[i].variables & set;
			uint32_t next[2] = {inst->op == PTX_OP_BRA ? flow_branch_target(inst) : count,
			                    flow_ends_block(inst) && inst->guard == PTX_NO_REG ? count : i + 1};
			up_to[i] |= own && reached[i];
			from[i] |= own || from[next[0]] || from[next[1]];
			for (int k = 0; k < 2; k++) {
				up_to[next[k]] |= up_to[i];
				reached[next[k]] |= reached[i];
			}
		}
	for (uint32_t i = 0; i < count; i++)
		cost += reached[i] && up_to[i] && from[i];
	free(up_to);
	free(from);
	free(reached);
	return cost;
}

/* The cost of the order in which the variables lie. */
static uint64_t cost_as_it_is(const char *text, double t, uint32_t dynamic)
{
	struct arena arena = {0};
	struct ptx_module *module = kit_parse(text);
	const struct ptx_function *kernel = ptx_find_function(module, "k");
	const struct sharing_accesses *accesses = sharing_accesses(&arena, kernel, dynamic);
	uint64_t boundary = sharing_own_bytes(t, accesses->layout.bytes), set = 0;
	for (uint32_t i = 0; i < accesses->layout.count; i++) {
		const struct sharing_variable *v = &accesses->layout.variable[i];
		if (v->is_dynamic || v->offset + v->size > boundary)
			set |= sharing_bit(i);
	}
	uint64_t cost = plain_cost(kernel, accesses, set);
	arena_free(&arena);
	ptx_free(module);
	return cost;
}

static uint64_t bytes_of(const char *text, uint32_t dynamic)
{
	struct arena arena = {0};
	struct ptx_module *module = kit_parse(text);
	uint64_t bytes = sharing_accesses(&arena, ptx_find_function(module, "k"), dynamic)->layout.bytes;
	arena_free(&arena);
	ptx_free(module);
	return bytes;
}

/* Declares the kernel's own variables in another order, at random. */
static char *shuffled(const char *text, uint64_t *seed)
{
	char *copy = strdup(text), *line[VARIABLES], *begin = strstr(copy, "\t.shared"), *end = begin;
	uint32_t lines = 0;
	while (begin && strncmp(end, "\t.shared", 8) == 0) {
		char *next = strchr(end, '\n') + 1;
		line[lines++] = strndup(end, (size_t)(next - end));
		end = next;
	}
	for (char *to = begin; lines; lines--) {
		uint32_t pick = (uint32_t)(kit_random(seed) % lines);
		size_t length = strlen(line[pick]);
		memcpy(to, line[pick], length);
		to += length;
		free(line[pick]);
		line[pick] = line[lines - 1];
	}
	return copy;
}

/* --- the tests --- */

static uint32_t rounds = 60;
static uint8_t before[BUFFER], after[BUFFER];

static void one_variant(const char *text, const char *passes, double t, uint32_t dynamic, bool is_optimal,
                        uint64_t seed)
{
	struct rewritten r = kit_rewrite(text, passes);
	struct watched w;
	assert_true(bytes_of(r.text, dynamic) <= bytes_of(text, dynamic));
	run_watched(&w, r.text, t, dynamic, after);
	if (memcmp(before, after, BUFFER) != 0)
		fail_msg("other results behind %s:\n%s\n---\n%s", passes, text, r.text);
	walk_all(r.text, t, dynamic, is_optimal, seed);
	rewritten_free(&r);
}

/* A part that is read as it is written. */
static double part(struct generator *g, uint32_t hundredths)
{
	char text[16];
	snprintf(text, sizeof text, "0.%02u", hundredths * any(g, 100 / hundredths));
	return strtod(text, NULL);
}

static void releases_once_behind_the_last_access(void **state)
{
	static const char *const places[] = {"optimal", "postdom", "exit"};
	(void)state;
	for (uint64_t seed = 1; seed <= rounds; seed++) {
		struct generator g;
		struct watched w;
		char *text = random_kernel(seed, true, true, &g), relssp[128], both[256];
		double t = part(&g, 5);
		run_watched(&w, text, 1, g.dynamic, before);
		for (int place = 0; place < 3; place++) {
			snprintf(relssp, sizeof relssp, "relssp:t=%g,dynamic=%u,place=%s", t, g.dynamic, places[place]);
			one_variant(text, relssp, t, g.dynamic, place == 0, seed);
			snprintf(both, sizeof both, "scratchpad-layout:t=%g,dynamic=%u,loops=4,%s", t, g.dynamic,
			         relssp);
			one_variant(text, both, t, g.dynamic, place == 0, seed);
		}
		free(text);
	}
}

/* Loops with several entries and without an end, traps, code that nothing leads to. */
static void any_way_through_any_code(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 4 * rounds; seed++) {
		struct generator g;
		char *text = random_kernel(seed, true, false, &g), passes[128];
		double t = part(&g, 5);
		static const char *const places[] = {"optimal", "postdom", "exit"};
		for (int place = 0; place < 3; place++) {
			snprintf(passes, sizeof passes, "relssp:t=%g,dynamic=%u,place=%s", t, g.dynamic, places[place]);
			struct rewritten r = kit_rewrite(text, passes);
			walk_all(r.text, t, g.dynamic, place == 0, seed);
			rewritten_free(&r);
		}
		free(text);
	}
}

/* Where nobody says how much dynamic memory there is, all of it is common, and the boundary is lower: right for any. */
static void dynamic_memory_need_not_be_told(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= rounds; seed++) {
		struct generator g;
		struct watched w;
		char *text = random_kernel(seed, true, true, &g), passes[128];
		double t = part(&g, 5);
		run_watched(&w, text, 1, g.dynamic, before);
		snprintf(passes, sizeof passes, "relssp:t=%g", t);
		struct rewritten r = kit_rewrite(text, passes);
		run_watched(&w, r.text, t, g.dynamic, after);
		assert_memory_equal(before, after, BUFFER);
		rewritten_free(&r);
		free(text);
	}
}

/* No other order of the kernel's own variables, with no more bytes, has a shorter range; and where nothing is gained nothing changes. */
static void no_order_is_better(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 2 * rounds; seed++) {
		struct generator g;
		char *text = random_kernel(seed, false, true, &g), passes[128];
		double t = part(&g, 10);
		snprintf(passes, sizeof passes, "scratchpad-layout:t=%g,dynamic=%u", t, g.dynamic);
		struct rewritten r = kit_rewrite(text, passes);
		uint64_t is = cost_as_it_is(r.text, t, g.dynamic), was = cost_as_it_is(text, t, g.dynamic);
		bool left = kit_counter(&r, "left");
		if (!left && (kit_counter(&r, "before") != was || kit_counter(&r, "after") != is))
			fail_msg("%u instructions, then %u:\n%s", (unsigned)was, (unsigned)is, r.text);
		assert_true(kit_counter(&r, "changed") ? is < was : is == was);
		assert_true(bytes_of(r.text, g.dynamic) <= bytes_of(text, g.dynamic));
		for (int order = 0; order < 20 && !left; order++) {
			char *other = shuffled(text, &g.seed);
			if (cost_as_it_is(other, t, g.dynamic) < is &&
			    bytes_of(other, g.dynamic) <= bytes_of(text, g.dynamic))
				fail_msg("t=%g, dynamic %u: better is\n%s\n---\n%s", t, g.dynamic, other, r.text);
			free(other);
		}
		rewritten_free(&r);
		free(text);
	}
}

/* `test_sharing_passes_random ROUNDS` for more. */
int main(int count, char **arguments)
{
	if (count > 1)
		rounds = (uint32_t)strtoul(arguments[1], NULL, 10);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(releases_once_behind_the_last_access),
		cmocka_unit_test(any_way_through_any_code),
		cmocka_unit_test(dynamic_memory_need_not_be_told),
		cmocka_unit_test(no_order_is_better),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
