/* passes_random: random kernels that use shared memory in many ways, for tests of the passes. Each thread owns four
 * bytes at 4 * %tid.x of every variable; other accesses use separate places. */
#ifndef SLUICE_MECH_SHARING_PASSES_RANDOM_H
#define SLUICE_MECH_SHARING_PASSES_RANDOM_H

#include "passes_kit.h"

#include "simt_kit.h"

enum { VARIABLES = 5, POINTERS = 4, INTS = 8, DEEPEST = 3, THREADS = 50, BLOCKS = 2 };

struct generator {
	FILE *file;
	uint64_t seed;
	uint32_t labels, own, dynamic; /* dynamic: bytes */
	uint32_t rare;                 /* one statement in this many accesses shared memory */
	bool exposes, calls, exits, aligns;
};

static inline uint32_t any(struct generator *g, uint32_t count)
{
	return (uint32_t)(kit_random(&g->seed) % count);
}

__attribute__((format(printf, 2, 3))) static inline void put(struct generator *g, const char *format, ...)
{
	va_list values;
	va_start(values, format);
	vfprintf(g->file, format, values);
	va_end(values);
}

static const char functions[] =
	".shared .align 8 .b8 M0[300];\n.shared .b8 M1[256];\n.extern .shared .align 16 .b8 D[];\n"
	/* stores by a pointer */
	".func f(.param .b64 a, .param .b32 i)\n{\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\nld.param.u64 %rd1, [a];\n"
	"ld.param.u32 %r1, [i];\ncvt.u64.u32 %rd2, %r1;\nadd.s64 %rd1, %rd1, %rd2;\nst.u32 [%rd1], %r1;\nret;\n}\n"
	/* stores to the module's variables */
	".func g(.param .b32 i)\n{\n.reg .b32 %r<9>;\n.shared .b8 F[256];\nld.param.u32 %r1, [i];\nmov.u32 %r2, M0;\n"
	"add.u32 %r2, %r2, %r1;\nst.shared.u32 [%r2], %r1;\nmov.u32 %r2, F;\nadd.u32 %r2, %r2, "
	"%r1;\natom.shared.add.u32 %r3, [%r2], 5;\nret;\n}\n"
	/* some threads exit here */
	".func h(.param .b32 i)\n{\n.reg .b32 %r<9>;\n.reg .pred %p<9>;\nld.param.u32 %r1, [i];\nand.b32 %r1, %r1, 7;\n"
	"setp.eq.u32 %p1, %r1, 5;\n@%p1 exit;\nret;\n}\n"
	/* returns a pointer */
	".func (.param .b64 c) e(.param .b64 a)\n{\n.reg .b64 %rd<9>;\nld.param.u64 %rd1, [a];\nst.param.b64 [c], "
	"%rd1;\nret;\n}\n";

static inline void name_of(struct generator *g, char name[16])
{
	uint32_t kind = any(g, g->own + (g->dynamic ? 2 : 1));
	if (kind < g->own)
		snprintf(name, 16, "V%u", kind);
	else
		snprintf(name, 16, kind == g->own ? "M1" : "D");
}

static inline void set_pointer(struct generator *g)
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

static inline void call(struct generator *g)
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

static inline void access(struct generator *g)
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

static inline void simple(struct generator *g)
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

static inline void leave(struct generator *g)
{
	put(g, "@%s%%p%u %s;\n", any(g, 2) ? "!" : "", any(g, 4), any(g, 2) ? "exit" : "ret");
}

/* Nested branches and loops, with exits and returns among them; barriers where all threads arrive that have not
 * ended. */
static inline void statements(struct generator *g, uint32_t count, uint32_t depth)
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

/* Ends a block of a kernel that need not terminate. */
static inline void end_somehow(struct generator *g)
{
	static const char *const ends[] = {"ret", "exit", "trap", "@%p1 trap", "@!%p2 exit", "bra DONE"};
	put(g, "%s;\n", ends[any(g, 6)]);
}

/* Blocks that branch anywhere. If the kernel must terminate, each block consumes fuel. */
static inline void anywhere(struct generator *g, bool ends)
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

static inline void begin(struct generator *g)
{
	put(g, "%s%s.visible .entry k(.param .u64 q)\n{\n%s", HEAD, functions, PTX_REGS);
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

/* `ends`: the kernel terminates, so that it can be run. */
static inline char *random_kernel(uint64_t seed, bool aligns, bool ends, struct generator *g)
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

#endif
