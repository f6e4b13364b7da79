/* kernel_random: random PTX kernels without races. They load, store, compute, loop, diverge, call, and use barriers and
 * atomics. The memory that they leave depends only on their input, not on the order of threads.
 *
 * All have the same parameters. Each thread has KERNEL_OWN words of `out`, which no other thread touches between
 * barriers of its block. `in` is read only. Threads of all blocks share `meet`, with operations whose order does not
 * matter. If the caller sets `races`, they load other threads' stores, and the result depends on each cycle. */
#ifndef SLUICE_TESTS_KERNEL_RANDOM_H
#define SLUICE_TESTS_KERNEL_RANDOM_H

#include "ptx_random.h"

enum {
	KERNEL_OWN = 8,
	KERNEL_IN = 1 << 15,   /* words */
	KERNEL_THREADS = 4096, /* of a grid, at most */
	KERNEL_MEET = 1 << 15, /* words: 16 by operation, then the words that tickets mark */
	KERNEL_TICKET = 256,   /* the word that holds the ticket counter, */
	KERNEL_LOCK = 257,     /* a lock, followed by the word that it protects, */
	KERNEL_TICKETS = 1024, /* and the words that tickets mark */
	KERNEL_VALUES = 6,     /* registers %a */
	KERNEL_RACES = 128,    /* words that threads race for: few, so that they collide */
	KERNEL_LARGEST_BLOCK = 512,
};

#define KERNEL_MODULE                                                                                                  \
	".version 7.0\n.target sm_80\n.address_size 64\n.const .align 4 .b32 table[16] = {3, 1, 4, 1, 5, 9, 2, 6, "   \
	"5, 3, 5, 8, 9, 7, 9, 3};\n.global .align 16 .b32 total[16];\n.global .align 8 .b64 pair[2];\n"               \
	".extern .shared .align 16 .b8 dynamic[];\n"                                                                   \
	".func (.param .b32 r) mix(.param .b32 x, .param .b32 y)\n{\n.reg .b32 %r<4>;\nld.param.b32 %r1, [x];\n"       \
	"ld.param.b32 %r2, [y];\nmad.lo.u32 %r3, %r1, 31, %r2;\nst.param.b32 [r], %r3;\nret;\n}\n"                     \
	".func (.param .b32 r) stack(.param .b32 x, .param .b32 y)\n{\n.reg .b32 %r<5>;\n.reg .b64 %d<3>;\n"           \
	".local .align 4 .b32 l[4];\nld.param.b32 %r1, [x];\nld.param.b32 %r2, [y];\nst.local.b32 [l], %r1;\n"         \
	"st.local.b32 [l+4], %r2;\nst.local.b32 [l+8], %r1;\nst.local.b32 [l+12], 7;\nand.b32 %r3, %r2, 3;\n"          \
	"mov.u64 %d1, l;\nmad.wide.u32 %d1, %r3, 4, %d1;\nld.local.b32 %r4, [%d1];\nxor.b32 %r4, %r4, %r1;\n"          \
	"st.param.b32 [r], %r4;\nret;\n}\n"                                                                            \
	".func (.param .b32 r) sum(.param .b32 n, .param .b32 y)\n{\n.reg .pred %p;\n.reg .b32 %r<6>;\n"               \
	"ld.param.b32 %r1, [n];\nld.param.b32 %r2, [y];\nand.b32 %r1, %r1, 7;\nsetp.eq.u32 %p, %r1, 0;\n"              \
	"@%p bra done;\nsub.u32 %r3, %r1, 1;\ncall (%r4), sum, (%r3, %r2);\nadd.u32 %r2, %r4, %r1;\ndone:\n"           \
	"st.param.b32 [r], %r2;\nret;\n}\n"

/* The kernel's head: %g: the thread's number in the grid, %n: threads of the grid, %t: its number in the block, %nt:
 * threads of the block, %nr: the same rounded up to whole warps, %w: its warp. */
#define KERNEL_HEAD                                                                                                    \
	".visible .entry kernel%u(.param .u64 in, .param .u64 out, .param .u64 meet, .param .u32 salt)\n{\n"           \
	".reg .pred %%p<4>, %%q<8>, %%k;\n.reg .b32 %%a<6>, %%c<8>, %%g, %%n, %%t, %%nt, %%nr, %%w, %%x, %%y, %%z;\n"  \
	".reg .b64 %%in, %%out, %%own, %%meet, %%d, %%e, %%s, %%l, %%fp;\n.reg .f32 %%f<3>;\n.reg .f64 %%h<3>;\n"      \
	".shared .align 16 .b8 sh[%u];\n.local .align 16 .b8 lo[64];\n"                                                \
	"mov.u32 %%nt, %%ntid.x;\nmov.u32 %%x, %%ntid.y;\nmov.u32 %%z, %%tid.z;\nmov.u32 %%y, %%tid.y;\n"              \
	"mad.lo.u32 %%y, %%z, %%x, %%y;\nmov.u32 %%t, %%tid.x;\nmad.lo.u32 %%t, %%y, %%nt, %%t;\n"                     \
	"mul.lo.u32 %%nt, %%nt, %%x;\nmov.u32 %%z, %%ntid.z;\nmul.lo.u32 %%nt, %%nt, %%z;\n"                           \
	"mov.u32 %%x, %%nctaid.x;\nmov.u32 %%y, %%ctaid.y;\nmov.u32 %%z, %%ctaid.x;\n"                                 \
	"mad.lo.u32 %%z, %%y, %%x, %%z;\nmad.lo.u32 %%g, %%z, %%nt, %%t;\nmov.u32 %%y, %%nctaid.y;\n"                  \
	"mul.lo.u32 %%n, %%x, %%y;\nmul.lo.u32 %%n, %%n, %%nt;\nadd.u32 %%nr, %%nt, 31;\nand.b32 %%nr, %%nr, -32;\n"   \
	"shr.u32 %%w, %%t, 5;\nld.param.u64 %%in, [in];\nld.param.u64 %%out, [out];\nld.param.u64 %%meet, [meet];\n"   \
	"mov.u64 %%s, sh;\nmov.u64 %%l, lo;\n"

/* The state of the generator. */
struct kernel_random {
	struct random_text *text;
	uint32_t step;  /* bytes between a thread's words */
	uint32_t depth; /* of loops and branches */
	bool uses_dynamic;
	/* lanes of a warp have waited for others: from now on time decides which lanes are active together */
	bool apart;
	bool all_come; /* all threads reach the current position, */
	bool all_stay; /* and no thread leaves early: barriers count them */
	bool tickets;  /* a statement with tickets exists: only one, so that they fit */
	bool races;    /* loads read KERNEL_RACES words of `out`, to which all threads store at any time */
};

static inline uint32_t kernel_pick(struct kernel_random *k, uint32_t bound)
{
	return random_below(k->text, bound);
}

static inline const char *kernel_word(struct kernel_random *k, const char *const *words, uint32_t count)
{
	return words[kernel_pick(k, count)];
}
#define KERNEL_WORD(k, ...)                                                                                            \
	kernel_word(k, (const char *const[]){__VA_ARGS__},                                                             \
	            sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

static inline uint32_t kernel_value(struct kernel_random *k)
{
	return kernel_pick(k, KERNEL_VALUES);
}

/* %x: an index into the input: affine in the thread number, or from computed values, or the same for all threads. */
static inline void kernel_index(struct kernel_random *k, uint32_t align)
{
	static const uint32_t strides[] = {1, 1, 1, 2, 3, 4, 7, 8, 17, 32, 33, 64, 1024};
	uint32_t stride = strides[kernel_pick(k, sizeof strides / sizeof *strides)];
	switch (kernel_pick(k, 5)) {
	case 0: /* only for the address: an affine form */
		if (k->races)
			break;
		random_add(k->text, "mad.lo.u32 %%x, %%g, %u, %u;\n", align * (1 + kernel_pick(k, 4 / align)) & -align,
		           kernel_pick(k, KERNEL_IN - 4 * KERNEL_THREADS + 1) & -align);
		return;
	case 1:
	case 2:
		random_add(k->text, "mad.lo.u32 %%x, %%g, %u, %u;\n", stride, kernel_pick(k, KERNEL_IN));
		break;
	case 3:
		random_add(k->text, "mul.lo.u32 %%x, %%a%u, %u;\n", kernel_value(k), stride);
		break;
	default:
		random_add(k->text, "mov.u32 %%x, %u;\n", kernel_pick(k, KERNEL_IN));
		break;
	}
	random_add(k->text, "and.b32 %%x, %%x, %u;\n", (k->races ? KERNEL_RACES - 1 : KERNEL_IN - 1) & ~(align - 1));
}

static inline void kernel_compute(struct kernel_random *k)
{
	uint32_t to = kernel_value(k), a = kernel_value(k), b = kernel_value(k), c = kernel_value(k);
	switch (kernel_pick(k, 6)) {
	case 0:
		random_add(k->text, "%s.u32 %%a%u, %%a%u, %%a%u, %%a%u;\n", KERNEL_WORD(k, "mad.lo", "mad.hi", "sad"),
		           to, a, b, c);
		break;
	case 1: /* in floating point, with any result */
		random_add(k->text,
		           "cvt.rn.f32.u32 %%f0, %%a%u;\ncvt.rn.f32.u32 %%f1, %%a%u;\n%s.f32 %%f2, %%f0, %%f1;\n"
		           "mov.b32 %%a%u, %%f2;\n",
		           a, b, KERNEL_WORD(k, "add.rn", "mul.rn", "div.rn", "sub.rn", "max"), to);
		break;
	case 2:
		random_add(k->text,
		           "cvt.rn.f64.u32 %%h0, %%a%u;\n%s.f64 %%h1, %%h0;\nfma.rn.f64 %%h1, %%h1, %%h0, %%h0;\n"
		           "mov.b64 {%%a%u, %%x}, %%h1;\n",
		           a, KERNEL_WORD(k, "sqrt.rn", "rcp.rn", "neg"), to);
		break;
	case 3:
		random_add(k->text, "%s.u32 %%a%u, %%a%u, %u;\n", KERNEL_WORD(k, "div", "rem", "mul.lo", "shr"), to, a,
		           1 + kernel_pick(k, 31));
		break;
	default:
		random_add(k->text, "%s %%a%u, %%a%u, %%a%u;\n",
		           KERNEL_WORD(k, "add.u32", "sub.u32", "xor.b32", "or.b32", "and.b32", "min.s32", "max.u32",
		                       "mul.hi.u32", "shl.b32"),
		           to, a, b);
		break;
	}
}

static inline void kernel_load(struct kernel_random *k)
{
	uint32_t to = kernel_value(k), kind = kernel_pick(k, 6);
	uint32_t other = (to + 1) % KERNEL_VALUES;
	const char *how = k->races ? KERNEL_WORD(k, ".global", ".global.cv", ".relaxed.gpu.global", ".volatile.global", "")
	                           : KERNEL_WORD(k, ".global", ".global.ca", ".global.cg", ".global.cs", ".global.nc",
	                                         ".volatile.global", "");
	kernel_index(k, kind == 0 ? 2 : kind == 1 ? 4 : 1);
	random_add(k->text, "mad.wide.u32 %%d, %%x, 4, %%%s;\n", k->races ? "out" : "in");
	if (kind == 0)
		random_add(k->text, "ld%s.v2.b32 {%%a%u, %%a%u}, [%%d];\n", how, to, other);
	else if (kind == 1)
		random_add(k->text, "ld%s.v4.b32 {%%a%u, %%x, %%y, %%a%u}, [%%d];\nxor.b32 %%a%u, %%a%u, %%y;\n", how,
		           to, other, to, to);
	else if (kind == 2)
		random_add(k->text, "ld%s.%s %%a%u, [%%d+%u];\n", how, KERNEL_WORD(k, "u8", "s8"), to,
		           kernel_pick(k, 4));
	else if (kind == 3)
		random_add(k->text, "ld%s.u16 %%a%u, [%%d+%u];\n", how, to, 2 * kernel_pick(k, 2));
	else
		random_add(k->text, "ld%s.b32 %%a%u, [%%d];\n", how, to);
}

/* The thread's own words: stores, loads, and both. With races, stores to other threads' words, too. */
static inline void kernel_own(struct kernel_random *k)
{
	uint32_t value = kernel_value(k), word = kernel_pick(k, KERNEL_OWN);
	const char *store = KERNEL_WORD(k, "st.global", "st.global.wb", "st.global.cg", "st.volatile.global", "st");
	if (k->races) {
		kernel_index(k, 1);
		random_add(k->text, "mad.wide.u32 %%d, %%x, 4, %%out;\n%s.b32 [%%d], %%a%u;\n", store, value);
	} else if (kernel_pick(k, 2))
		random_add(k->text, "%s.b32 [%%own+%u], %%a%u;\n", store, word * k->step, value);
	else
		random_add(k->text, "%s.b32 %%a%u, [%%own+%u];\n",
		           KERNEL_WORD(k, "ld.global", "ld.global.cg", "ld", "ld.global.ca"), value, word * k->step);
}

static inline void kernel_small_memories(struct kernel_random *k)
{
	uint32_t a = kernel_value(k), b = kernel_value(k);
	switch (kernel_pick(k, 4)) {
	case 0:
		random_add(k->text,
		           "and.b32 %%x, %%a%u, 15;\nmul.lo.u32 %%x, %%x, 4;\ncvt.u64.u32 %%d, %%x;\nmov.u64 %%e, table;\n"
		           "add.u64 %%d, %%d, %%e;\nld.const.b32 %%a%u, [%%d];\n",
		           a, b);
		break;
	case 1:
		random_add(k->text, "ld.param.u32 %%a%u, [salt];\n", a);
		break;
	case 2:
		random_add(k->text, "and.b32 %%x, %%a%u, 15;\nmad.wide.u32 %%d, %%x, 4, %%l;\nst.local.b32 [%%d], %%a%u;\n",
		           a, b);
		break;
	default:
		random_add(k->text, "and.b32 %%x, %%a%u, 15;\nmad.wide.u32 %%d, %%x, 4, %%l;\nld.local.b32 %%a%u, [%%d];\n",
		           a, b);
		break;
	}
}

/* Words that threads of all blocks share: each operation has its own words. */
static inline void kernel_meet(struct kernel_random *k)
{
	static const char *const operations[] = {"add.u32", "min.u32", "max.s32", "and.b32", "or.b32", "xor.b32", "inc.u32"};
	uint32_t op = kernel_pick(k, sizeof operations / sizeof *operations), a = kernel_value(k), b = kernel_value(k);
	char value[16];
	snprintf(value, sizeof value, op == 6 ? "%u" : "%%a%u", op == 6 ? 1000 : b);
	if (kernel_pick(k, 4) == 0) { /* in named variables */
		random_add(k->text, "red.global.add.u32 [total+%u], %%a%u;\n", 4 * kernel_pick(k, 16), b);
		random_add(k->text, "cvt.u64.u32 %%d, %%a%u;\nred.global.add.u64 [pair+%u], %%d;\n", a,
		           8 * kernel_pick(k, 2));
		return;
	}
	if (kernel_pick(k, 3) == 0)
		random_add(k->text, "mov.u32 %%x, %u;\n", kernel_pick(k, 16));
	else
		random_add(k->text, "and.b32 %%x, %%%s, 15;\n", kernel_pick(k, 2) ? "g" : "t");
	random_add(k->text, "mad.wide.u32 %%d, %%x, 4, %%meet;\n");
	if (kernel_pick(k, 2))
		random_add(k->text, "red%s.%s [%%d+%u], %s;\n", KERNEL_WORD(k, ".global", ""), operations[op], 64 * op,
		           value);
	else
		random_add(k->text, "atom%s.%s %%y, [%%d+%u], %s;\n", KERNEL_WORD(k, ".global", ""), operations[op],
		           64 * op, value);
}

/* Tickets, sums by compare-and-swap, and a lock: the result is the same in any order. */
static inline void kernel_contend(struct kernel_random *k)
{
	k->apart = true;
	uint32_t label = k->text->labels++, a = kernel_value(k);
	if (k->depth)
		return;
	switch (kernel_pick(k, 3)) {
	case 0:
		if (k->tickets)
			return;
		k->tickets = true;
		random_add(k->text,
		           "atom.global.add.u32 %%x, [%%meet+%u], 1;\nmad.wide.u32 %%d, %%x, 4, %%meet;\n"
		           "st.global.b32 [%%d+%u], 1;\n",
		           4 * KERNEL_TICKET, 4 * KERNEL_TICKETS);
		break;
	case 1:
		k->apart = true;
		random_add(k->text,
		           "and.b32 %%x, %%t, 31;\nsetp.ne.u32 %%k, %%x, %u;\n@%%k bra M%u;\n"
		           "atom.global.or.b32 %%x, [%%meet+%u], 0;\nL%u:\nadd.u32 %%y, %%x, %%a%u;\n"
		           "atom.global.cas.b32 %%z, [%%meet+%u], %%x, %%y;\nsetp.ne.u32 %%k, %%x, %%z;\n"
		           "mov.u32 %%x, %%z;\n@%%k bra L%u;\nM%u:\n",
		           kernel_pick(k, 8), label, 64 * 8, label, a, 64 * 8, label, label);
		break;
	default: /* one thread of the block */
		k->apart = true;
		random_add(k->text,
		           "setp.ne.u32 %%k, %%t, %u;\n@%%k bra M%u;\nL%u:\natom.global.cas.b32 %%x, [%%meet+%u], 0, 1;\n"
		           "setp.ne.u32 %%k, %%x, 0;\n@%%k bra L%u;\nmembar.gl;\nld.volatile.global.b32 %%y, [%%meet+%u];\n"
		           "add.u32 %%y, %%y, %%a%u;\nst.volatile.global.b32 [%%meet+%u], %%y;\nmembar.gl;\n"
		           "atom.global.exch.b32 %%x, [%%meet+%u], 0;\nM%u:\n",
		           kernel_pick(k, 3), label, label, 4 * KERNEL_LOCK, label, 4 * KERNEL_LOCK + 4, a,
		           4 * KERNEL_LOCK + 4, 4 * KERNEL_LOCK, label);
		break;
	}
}

/* A shuffle from an inactive lane has no defined result: its value is replaced. */
static inline void kernel_shuffle(struct kernel_random *k)
{
	static const struct {
		const char *mode, *source;
		uint32_t clamp;
	} modes[] = {{"bfly", "xor.b32", 31}, {"down", "add.u32", 31}, {"up", "sub.u32", 0}};
	uint32_t mode = kernel_pick(k, 3), to = kernel_value(k), away = kernel_pick(k, 32);
	random_add(k->text,
	           "mov.u32 %%x, %%laneid;\n%s %%x, %%x, %u;\nshr.u32 %%z, %%y, %%x;\nand.b32 %%z, %%z, 1;\n"
	           "setp.eq.u32 %%k, %%z, 0;\nshfl.sync.%s.b32 %%a%u|%%p%u, %%a%u, %u, %u, %%y;\n"
	           "@%%k mov.b32 %%a%u, 77;\n",
	           modes[mode].source, away, modes[mode].mode, to, kernel_pick(k, 4), kernel_value(k), away,
	           modes[mode].clamp, to);
}

static inline void kernel_warp(struct kernel_random *k)
{
	if (k->apart) {
		kernel_compute(k);
		return;
	}
	uint32_t a = kernel_value(k), b = kernel_value(k), p = kernel_pick(k, 4);
	random_add(k->text, "activemask.b32 %%y;\n");
	switch (kernel_pick(k, 5)) {
	case 0:
	case 1:
		kernel_shuffle(k);
		break;
	case 2:
		random_add(k->text, "vote.sync.%s.pred %%p%u, %%p%u, %%y;\n", KERNEL_WORD(k, "any", "all", "uni"), p,
		           kernel_pick(k, 4));
		break;
	case 3:
		random_add(k->text, "vote.sync.ballot.b32 %%x, %%p%u, %%y;\nxor.b32 %%a%u, %%a%u, %%x;\n", p, a, b);
		break;
	default:
		random_add(k->text, "match.any.sync.b32 %%x, %%a%u, %%y;\npopc.b32 %%x, %%x;\nadd.u32 %%a%u, %%a%u, %%x;\n",
		           a, b, b);
		break;
	}
}

static inline void kernel_call(struct kernel_random *k)
{
	uint32_t to = kernel_value(k), a = kernel_value(k), b = kernel_value(k);
	const char *one = KERNEL_WORD(k, "mix", "stack", "sum"), *other = KERNEL_WORD(k, "mix", "stack", "sum");
	if (kernel_pick(k, 2)) {
		random_add(k->text, "call (%%a%u), %s, (%%a%u, %%a%u);\n", to, one, a, b);
		return;
	}
	random_add(k->text,
	           "mov.u64 %%fp, %s;\nmov.u64 %%d, %s;\nselp.b64 %%fp, %%fp, %%d, %%p%u;\n"
	           "call (%%a%u), %%fp, (%%a%u, %%a%u), %s;\n",
	           one, other, kernel_pick(k, 4), to, a, b, KERNEL_WORD(k, "prototype", "targets"));
}

/* --- where all threads of a block arrive --- */

static inline void kernel_barrier(struct kernel_random *k)
{
	uint32_t p = kernel_pick(k, 4), a = kernel_value(k);
	switch (k->all_stay ? kernel_pick(k, 5) : 4) {
	case 0:
		random_add(k->text, "bar.sync %u, %%nr;\n", kernel_pick(k, 16));
		break;
	case 1:
		random_add(k->text, "bar.red.popc.u32 %%a%u, %u, %%p%u;\n", a, kernel_pick(k, 16), p);
		break;
	case 2:
		random_add(k->text, "bar.red.%s.pred %%p%u, %u, %%p%u;\n", KERNEL_WORD(k, "and", "or"), p,
		           kernel_pick(k, 16), kernel_pick(k, 4));
		break;
	default:
		random_add(k->text, "bar.sync 0;\n");
		break;
	}
}

/* Each thread stores a value and loads another thread's after a barrier: in shared memory, in its dynamic part, or in
 * the thread's words of global memory. */
static inline void kernel_exchange(struct kernel_random *k)
{
	uint32_t a = kernel_value(k), b = kernel_value(k), away = 1 + kernel_pick(k, 40);
	const char *base = "%s";
	if (k->uses_dynamic && kernel_pick(k, 2)) {
		random_add(k->text, "mov.u64 %%e, dynamic;\n");
		base = "%e";
	}
	random_add(k->text,
	           "mad.wide.u32 %%d, %%t, 4, %s;\nst.shared.b32 [%%d], %%a%u;\nbar.sync 0;\nadd.u32 %%x, %%t, %u;\n"
	           "rem.u32 %%x, %%x, %%nt;\nmad.wide.u32 %%d, %%x, 4, %s;\nld.shared.b32 %%a%u, [%%d];\nbar.sync 0;\n",
	           base, a, away, base, b);
}

/* Atomics on a few words of shared memory. */
static inline void kernel_shared_atomics(struct kernel_random *k)
{
	uint32_t a = kernel_value(k), b = kernel_value(k);
	random_add(k->text,
	           "and.b32 %%x, %%t, %u;\nsetp.eq.u32 %%k, %%x, %%t;\nmad.wide.u32 %%d, %%x, 4, %%s;\n"
	           "@%%k st.shared.b32 [%%d], 0;\nbar.sync 0;\nred.shared.add.u32 [%%d], %%nt;\nbar.sync 0;\nld.shared.b32 %%a%u, [%%d];\nbar.sync 0;\n",
	           (1u << kernel_pick(k, 6)) - 1, b);
	random_add(k->text, "atom.shared.xor.b32 %%y, [%%d], %%a%u;\nbar.sync 0;\nld.shared.b32 %%a%u, [%%d];\nbar.sync 0;\n",
	           a, b);
}

/* Warps of even number produce and those of odd number consume, with named barriers. */
static inline void kernel_named(struct kernel_random *k)
{
	uint32_t label = k->text->labels++, a = kernel_value(k), b = kernel_value(k);
	uint32_t full = 1 + kernel_pick(k, 7), empty = 8 + kernel_pick(k, 8), rounds = 1 + kernel_pick(k, 3);
	random_add(k->text,
	           "mov.u32 %%z, %u;\nand.b32 %%x, %%w, 1;\nsetp.ne.u32 %%k, %%x, 0;\nmad.wide.u32 %%d, %%t, 4, %%s;\n"
	           "@%%k bra L%u;\n"
	           "N%u:\nst.shared.b32 [%%d], %%a%u;\nbar.arrive %u, %%nr;\nbar.sync %u, %%nr;\nadd.u32 %%a%u, %%a%u, %%z;\n"
	           "sub.u32 %%z, %%z, 1;\nsetp.ne.u32 %%k, %%z, 0;\n@%%k bra N%u;\nbra M%u;\n",
	           rounds, label, label, a, full, empty, a, a, label, label);
	random_add(k->text,
	           "L%u:\nbar.sync %u, %%nr;\nld.shared.b32 %%y, [%%d+-128];\nadd.u32 %%a%u, %%a%u, %%y;\n"
	           "bar.arrive %u, %%nr;\nsub.u32 %%z, %%z, 1;\nsetp.ne.u32 %%k, %%z, 0;\n@%%k bra L%u;\nM%u:\nbar.sync 0;\n",
	           label, full, b, b, empty, label, label);
}

/* --- control flow --- */

static inline void kernel_part(struct kernel_random *k, bool all_come, uint32_t count);

static inline void kernel_branch(struct kernel_random *k)
{
	uint32_t label = k->text->labels++;
	if (k->depth > 3)
		return;
	random_add(k->text, "setp.%s.u32 %%q%u, %%a%u, %%%s;\n@%%q%u bra L%u;\n", KERNEL_WORD(k, "lt", "gt", "ne"),
	           k->depth, kernel_value(k), KERNEL_WORD(k, "t", "g", "a0", "a1"), k->depth, label);
	kernel_part(k, false, 1 + kernel_pick(k, 4));
	if (kernel_pick(k, 2)) {
		random_add(k->text, "bra.uni M%u;\nL%u:\n", label, label);
		kernel_part(k, false, 1 + kernel_pick(k, 4));
		random_add(k->text, "M%u:\n", label);
	} else {
		random_add(k->text, "L%u:\n", label);
	}
}

/* The number of iterations is the same for all threads, or follows from the thread's number or its values. Some threads
 * leave early. */
static inline void kernel_loop(struct kernel_random *k)
{
	uint32_t label = k->text->labels++, kind = kernel_pick(k, 3), most = k->depth < 2 ? 7 : 3;
	if (k->depth > 2)
		return;
	if (kind == 0)
		random_add(k->text, "mov.u32 %%c%u, %u;\n", k->depth, kernel_pick(k, most));
	else
		random_add(k->text, "and.b32 %%c%u, %%%s, %u;\n", k->depth, KERNEL_WORD(k, "t", "a2", "a3", "w"), most);
	random_add(k->text, "L%u:\n", label);
	kernel_part(k, k->all_come && kind == 0, 1 + kernel_pick(k, 4));
	if (kind != 0 && kernel_pick(k, 2))
		random_add(k->text, "setp.eq.u32 %%q%u, %%a%u, %u;\n@%%q%u bra M%u;\n", k->depth, kernel_value(k),
		           kernel_pick(k, 8), k->depth, label);
	random_add(k->text, "sub.u32 %%c%u, %%c%u, 1;\nsetp.gt.s32 %%q%u, %%c%u, 0;\n@%%q%u bra L%u;\nM%u:\n", k->depth,
	           k->depth, k->depth, k->depth, k->depth, label, label);
}

static inline void kernel_compare(struct kernel_random *k)
{
	random_add(k->text, "setp.%s.u32 %%p%u, %%a%u, %%a%u;\n", KERNEL_WORD(k, "lt", "ge", "eq"), kernel_pick(k, 4),
	           kernel_value(k), kernel_value(k));
}

static inline void kernel_fence(struct kernel_random *k)
{
	random_add(k->text, "%s;\n",
	           KERNEL_WORD(k, "membar.cta", "membar.gl", "fence.sc.gpu", "prefetch.global.L2 [%own]",
	                       "prefetch.global.L1 [%in]"));
}

static inline void kernel_statement(struct kernel_random *k)
{
	static void (*const kinds[])(struct kernel_random *) = {
		kernel_load,    kernel_load,    kernel_load,    kernel_own,     kernel_own,     kernel_small_memories,
		kernel_meet,    kernel_warp,    kernel_call,    kernel_branch,  kernel_loop,    kernel_contend,
		/* from here on only where all threads arrive, */
		kernel_compare, kernel_fence,   kernel_compute, kernel_compute,
		kernel_barrier, kernel_barrier, /* and from here on only where all have stayed */
		kernel_exchange, kernel_exchange, kernel_shared_atomics, kernel_named};
	enum { ANYWHERE = 16, WITH_BARRIERS = 18, ALL = sizeof kinds / sizeof *kinds };
	kinds[kernel_pick(k, !k->all_come ? ANYWHERE : k->all_stay ? ALL : WITH_BARRIERS)](k);
}

/* The statements of a loop or a branch. */
static inline void kernel_part(struct kernel_random *k, bool all_come, uint32_t count)
{
	bool outside = k->all_come;
	k->all_come = all_come;
	k->depth++;
	for (; count; count--)
		kernel_statement(k);
	k->depth--;
	k->all_come = outside;
}

/* --- whole kernels --- */

/* %own: the thread's words are contiguous or interleaved with all threads' words, in order or not. */
static inline void kernel_layout(struct kernel_random *k)
{
	uint32_t kind = kernel_pick(k, 3);
	if (kind == 0) {
		random_add(k->text, "mad.wide.u32 %%own, %%g, %u, %%out;\n", 4 * KERNEL_OWN);
		k->step = 4;
		return;
	}
	if (kind == 1)
		random_add(k->text, "mov.u32 %%x, %%g;\n");
	else /* reversed */
		random_add(k->text, "sub.u32 %%x, %%n, %%g;\nsub.u32 %%x, %%x, 1;\n");
	random_add(k->text, "mad.wide.u32 %%own, %%x, 4, %%out;\n");
	k->step = 4 * KERNEL_THREADS;
}

/* Adds kernel `number`. Blocks have up to KERNEL_LARGEST_BLOCK threads, grids up to KERNEL_THREADS. */
static inline void kernel_random(struct kernel_random *k, uint32_t number)
{
	random_add(k->text, KERNEL_HEAD, number, 4 * KERNEL_LARGEST_BLOCK);
	random_add(k->text, "prototype: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b32 _);\n"
	                    "targets: .calltargets mix, stack, sum;\n");
	k->uses_dynamic = kernel_pick(k, 3) == 0;
	k->all_come = k->all_stay = true;
	k->tickets = k->apart = false;
	k->depth = 0;
	kernel_layout(k);
	for (uint32_t i = 0; i < 16; i += 4)
		random_add(k->text, "st.local.v4.b32 [lo+%u], {%%t, %%g, %%n, %%w};\n", 4 * i);
	for (uint32_t i = 0; i < KERNEL_VALUES; i++)
		random_add(k->text, "mad.lo.u32 %%a%u, %%%s, %u, %u;\n", i, KERNEL_WORD(k, "g", "t", "w"),
		           kernel_pick(k, 100), kernel_pick(k, 1000));
	for (uint32_t i = 0; i < 4; i++)
		random_add(k->text, "setp.gt.u32 %%p%u, %%a%u, %u;\n", i, i, kernel_pick(k, 3000));
	if (kernel_pick(k, 6) == 0) { /* some threads, or whole warps, exit at once */
		random_add(k->text, "and.b32 %%x, %%%s, 3;\nsetp.eq.u32 %%k, %%x, %u;\n@%%k %s;\n", KERNEL_WORD(k, "t", "w"),
		           kernel_pick(k, 4), KERNEL_WORD(k, "exit", "ret"));
		k->all_stay = false;
	}
	for (uint32_t count = 3 + kernel_pick(k, 20); count; count--)
		kernel_statement(k);
	for (uint32_t i = 0; i < KERNEL_VALUES; i++)
		random_add(k->text, "st.global.b32 [%%own+%u], %%a%u;\n", i * k->step, i);
	random_add(k->text, "%s;\n}\n", KERNEL_WORD(k, "ret", "exit"));
}

#endif
