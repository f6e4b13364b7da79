/* spill_kit: kernels with many registers in PTX, for the tests of spilling. */
#ifndef SLUICE_TESTS_SPILL_KIT_H
#define SLUICE_TESTS_SPILL_KIT_H

#include "ptx_kit.h"
#include "simt_kit.h"

#define REGS                                                                                                           \
	".reg .pred %p<9>;\n.reg .b16 %rs<9>;\n.reg .b32 %r<99>;\n.reg .b64 %rd<99>;\n.reg .f32 %f<9>;\n"              \
	".reg .f64 %fd<9>;\n"
#define KERNEL(body) HEAD ".visible .entry k(.param .u64 p)\n{\n" REGS body "\n}\n"

/* A kernel with directives: it reads `values` values of 32 bits, then writes them in the same order. All are live at
 * once, together with their address. */
static inline char *many_values(uint32_t values, const char *directives)
{
	char *text = NULL;
	size_t length;
	FILE *file = open_memstream(&text, &length);
	fprintf(file, "%s.visible .entry k(.param .u64 p)\n%s{\n%sld.param.u64 %%rd1, [p];\n", HEAD, directives, REGS);
	for (uint32_t i = 0; i < values; i++)
		fprintf(file, "ld.global.u32 %%r%u, [%%rd1+%u];\n", i, 4 * i);
	fputs("bar.sync 0;\n", file); /* no store moves before a load, in any order that an assembler chooses */
	for (uint32_t i = 0; i < values; i++)
		fprintf(file, "st.global.u32 [%%rd1+%u], %%r%u;\n", 1024 + 4 * i, i);
	fputs("ret;\n}\n", file);
	fclose(file);
	return text;
}

/* A function with its own live values. */
static const char function_text[] =
	".func (.param .b32 c) f(.param .b32 a, .param .b64 b)\n{\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n"
	"ld.param.u32 %r1, [a];\nld.param.u64 %rd1, [b];\nmul.wide.u32 %rd2, %r1, %r1;\nadd.s64 %rd3, %rd1, %rd2;\n"
	"mul.lo.s64 %rd4, %rd3, %rd1;\nxor.b64 %rd5, %rd4, %rd2;\nadd.s64 %rd6, %rd5, %rd3;\nadd.s64 %rd6, %rd6, "
	"%rd4;\n"
	"cvt.u32.u64 %r2, %rd6;\nadd.s32 %r2, %r2, %r1;\nst.param.b32 [c], %r2;\nret;\n}\n";

/* A random kernel: straight-line code of all widths, guards, divergent branches, loops and calls. All its variables
 * live to the end. */
enum { INTS = 12, WIDES = 6, FLOATS = 6, DOUBLES = 4, SHORTS = 4, PREDICATES = 4, DEEPEST = 3 };

struct generator {
	FILE *file;
	uint64_t seed;
	uint32_t labels;
};

static inline uint32_t any(struct generator *g, uint32_t count)
{
	return (uint32_t)(kit_random(&g->seed) % count);
}

static inline const char *one_of(struct generator *g, const char *const *words, uint32_t count)
{
	return words[any(g, count)];
}

static inline void int_operation(struct generator *g)
{
	static const char *const words[] = {"add.s32", "sub.s32", "mul.lo.s32", "xor.b32",
	                                    "min.u32", "max.s32", "and.b32"};
	fprintf(g->file, "%s %%r%u, %%r%u, %%r%u;\n", one_of(g, words, 7), any(g, INTS), any(g, INTS), any(g, INTS));
}

static inline void wide_operation(struct generator *g)
{
	static const char *const words[] = {"add.s64", "xor.b64", "mul.lo.s64", "or.b64"};
	uint32_t to = any(g, WIDES), from = any(g, WIDES);
	switch (any(g, 4)) {
	case 0:
		fprintf(g->file, "mad.wide.u32 %%rd%u, %%r%u, %%r%u, %%rd%u;\n", to, any(g, INTS), any(g, INTS), from);
		return;
	case 1:
		fprintf(g->file, "mov.b64 {%%r%u, %%r%u}, %%rd%u;\n", any(g, INTS / 2), INTS / 2 + any(g, INTS / 2),
		        from);
		return;
	case 2:
		fprintf(g->file, "mov.b64 %%rd%u, {%%r%u, %%r%u};\n", to, any(g, INTS), any(g, INTS));
		return;
	default:
		fprintf(g->file, "%s %%rd%u, %%rd%u, %%rd%u;\n", one_of(g, words, 4), to, from, any(g, WIDES));
	}
}

static inline void real_operation(struct generator *g)
{
	if (any(g, 2))
		fprintf(g->file, "fma.rn.f32 %%f%u, %%f%u, %%f%u, %%f%u;\n", any(g, FLOATS), any(g, FLOATS),
		        any(g, FLOATS), any(g, FLOATS));
	else
		fprintf(g->file, "fma.rn.f64 %%fd%u, %%fd%u, %%fd%u, %%fd%u;\n", any(g, DOUBLES), any(g, DOUBLES),
		        any(g, DOUBLES), any(g, DOUBLES));
}

static inline void conversion(struct generator *g)
{
	switch (any(g, 4)) {
	case 0:
		fprintf(g->file, "cvt.u16.u32 %%rs%u, %%r%u;\n", any(g, SHORTS), any(g, INTS));
		return;
	case 1:
		fprintf(g->file, "cvt.s32.s16 %%r%u, %%rs%u;\n", any(g, INTS), any(g, SHORTS));
		return;
	case 2:
		fprintf(g->file, "cvt.rn.f32.s32 %%f%u, %%r%u;\n", any(g, FLOATS), any(g, INTS));
		return;
	default:
		fprintf(g->file, "cvt.rn.f64.s64 %%fd%u, %%rd%u;\n", any(g, DOUBLES), any(g, WIDES));
	}
}

/* In the thread's part of the buffer. */
static inline void memory_access(struct generator *g)
{
	uint32_t offset = 16 * any(g, 60), reg = 4 * any(g, INTS / 4);
	switch (any(g, 4)) {
	case 0:
		fprintf(g->file, "ld.global.v4.u32 {%%r%u, %%r%u, %%r%u, %%r%u}, [%%base+%u];\n", reg, reg + 1, reg + 2,
		        reg + 3, offset);
		return;
	case 1:
		fprintf(g->file, "st.global.v2.u64 [%%base+%u], {%%rd%u, %%rd%u};\n", offset, any(g, WIDES),
		        any(g, WIDES));
		return;
	case 2:
		fprintf(g->file, "ld.global.u16 %%rs%u, [%%base+%u];\n", any(g, SHORTS), offset);
		return;
	default:
		fprintf(g->file, "st.global.u32 [%%base+%u], %%r%u;\n", offset, any(g, INTS));
	}
}

static inline void simple(struct generator *g)
{
	static void (*const kinds[])(struct generator *) = {int_operation,  int_operation, wide_operation,
	                                                    real_operation, conversion,    memory_access};
	kinds[any(g, 6)](g);
}

/* The guard may be the predicate that is written. */
static inline void guarded(struct generator *g)
{
	uint32_t guard = any(g, PREDICATES);
	fprintf(g->file, "@%s%%p%u ", any(g, 2) ? "!" : "", guard);
	if (any(g, 4) == 0)
		fprintf(g->file, "setp.lt.u32 %%p%u, %%r%u, %%r%u;\n", guard, any(g, INTS), any(g, INTS));
	else
		simple(g);
}

static inline void call(struct generator *g)
{
	uint32_t n = g->labels++;
	fprintf(g->file,
	        "{ .param .b32 a%u; .param .b64 b%u; .param .b32 c%u;\nst.param.b32 [a%u], %%r%u;\nst.param.b64 [b%u], "
	        "%%rd%u;\ncall (c%u), f, (a%u, b%u);\nld.param.b32 %%r%u, [c%u]; }\n",
	        n, n, n, n, any(g, INTS), n, any(g, WIDES), n, n, n, any(g, INTS), n);
}

static inline void statements(struct generator *g, uint32_t count, uint32_t depth);

static inline void branch(struct generator *g, uint32_t depth)
{
	uint32_t n = g->labels++;
	fprintf(g->file, "setp.lt.u32 %%p%u, %%r%u, %%r%u;\n@%%p%u bra E%u;\n", n % PREDICATES, any(g, INTS),
	        any(g, INTS), n % PREDICATES, n);
	statements(g, 4, depth + 1);
	fprintf(g->file, "bra J%u;\nE%u:\n", n, n);
	statements(g, 4, depth + 1);
	fprintf(g->file, "J%u:\n", n);
}

/* Some lanes iterate more often than others. */
static inline void loop(struct generator *g, uint32_t depth)
{
	uint32_t n = g->labels++;
	fprintf(g->file, "and.b32 %%c%u, %%r%u, 3;\nL%u:\n", depth, any(g, INTS), n);
	statements(g, 5, depth + 1);
	fprintf(g->file, "sub.s32 %%c%u, %%c%u, 1;\nsetp.gt.s32 %%q%u, %%c%u, 0;\n@%%q%u bra L%u;\n", depth, depth,
	        depth, depth, depth, n);
}

static inline void statements(struct generator *g, uint32_t count, uint32_t depth)
{
	while (count--)
		switch (any(g, depth < DEEPEST ? 10 : 8)) {
		case 8:
			branch(g, depth);
			break;
		case 9:
			loop(g, depth);
			break;
		case 7:
			call(g);
			break;
		case 6:
			fprintf(g->file, "setp.ge.s32 %%p%u, %%r%u, %%r%u;\n", any(g, PREDICATES), any(g, INTS),
			        any(g, INTS));
			break;
		case 5:
		case 4:
			guarded(g);
			break;
		default:
			simple(g);
		}
}

/* Loads each variable from the thread's part of the buffer, or stores it there. */
static inline void each_variable(struct generator *g, bool is_load)
{
	static const struct {
		const char *type, *name;
		uint32_t count;
	} variables[] = {{"u32", "r", INTS},
	                 {"u64", "rd", WIDES},
	                 {"f32", "f", FLOATS},
	                 {"f64", "fd", DOUBLES},
	                 {"u16", "rs", SHORTS}};
	for (uint32_t v = 0, offset = 0; v < 5; v++)
		for (uint32_t i = 0; i < variables[v].count; i++, offset += 8)
			if (is_load)
				fprintf(g->file, "ld.global.%s %%%s%u, [%%base+%u];\n", variables[v].type,
				        variables[v].name, i, offset);
			else
				fprintf(g->file, "st.global.%s [%%base+%u], %%%s%u;\n", variables[v].type, offset,
				        variables[v].name, i);
}

static inline char *random_kernel(uint64_t seed)
{
	char *text = NULL;
	size_t length;
	struct generator g = {.file = open_memstream(&text, &length), .seed = seed};
	fputs(HEAD, g.file);
	fputs(function_text, g.file);
	fputs(".visible .entry k(.param .u64 p)\n{\n" REGS
	      ".reg .b64 %base, %own;\n.reg .b32 %c<9>, %t;\n.reg .pred %q<9>;\n"
	      "ld.param.u64 %base, [p];\nmov.u32 %t, %tid.x;\nmul.wide.u32 %own, %t, 1024;\nadd.s64 %base, %base, "
	      "%own;\n",
	      g.file);
	each_variable(&g, true);
	for (uint32_t i = 0; i < PREDICATES; i++)
		fprintf(g.file, "setp.lt.u32 %%p%u, %%r%u, %%r%u;\n", i, i, i + 1);
	statements(&g, 25, 0);
	each_variable(&g, false);
	fputs("ret;\n}\n", g.file);
	fclose(g.file);
	return text;
}

enum { BUFFER = 1 << 16 };

/* Returns the contents that a kernel k(p) leaves in a buffer of `bytes`, which initially holds a fixed sequence of
 * numbers. */
static inline void run(const char *text, uint32_t threads, void *buffer, uint32_t bytes)
{
	struct kit kit;
	uint64_t seed = 1;
	kit_open(&kit, text);
	kit.launch.block = (struct dim3){threads, 1, 1};
	uint8_t *memory = kit_buffer(&kit, bytes);
	for (uint32_t i = 0; i < bytes; i += 8) {
		uint64_t number = kit_random(&seed);
		memcpy(memory + i, &number, sizeof number);
	}
	kit_run(&kit);
	memcpy(buffer, memory, bytes);
	kit_close(&kit);
}

#endif
