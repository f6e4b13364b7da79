/* moves_ptx: writes a program of moves_random.h as a kernel. */
#ifndef SLUICE_TESTS_MOVES_PTX_H
#define SLUICE_TESTS_MOVES_PTX_H

#include "moves_random.h"

/* %t: the thread's number in the block, %g: in the grid, %b: the block, %a: the sum, %i: the iteration. */
#define MOVES_HEAD                                                                                                       \
	".version 7.0\n.target sm_80\n.address_size 64\n"                                                              \
	".visible .entry kernel(.param .u64 in, .param .u64 filled, .param .u64 out)\n{\n"                             \
	".reg .pred %%p<4>;\n.reg .b32 %%t, %%g, %%b, %%a, %%i, %%x, %%y, %%z, %%e, %%h, %%o<6>;\n"                    \
	".reg .b64 %%in, %%filled, %%out, %%own, %%d;\n.shared .align 16 .b8 shared[%u];\n"                            \
	"mov.u32 %%x, %%ntid.x;\nmov.u32 %%y, %%tid.y;\nmov.u32 %%t, %%tid.x;\nmad.lo.u32 %%t, %%y, %%x, %%t;\n"       \
	"mov.u32 %%b, %%ctaid.x;\nmad.lo.u32 %%g, %%b, %u, %%t;\nld.param.u64 %%in, [in];\nld.param.u64 %%out, [out];\n" \
	"ld.param.u64 %%filled, [filled];\nmad.wide.u32 %%filled, %%b, %u, %%filled;\n"                                \
	"mad.wide.u32 %%own, %%t, 4, %%filled;\nmad.wide.u32 %%out, %%g, 4, %%out;\n"                                  \
	"mad.lo.u32 %%a, %%g, 2654435761, 12345;\nmov.u32 %%i, 0;\n"                                                   \
	"mad.lo.u32 %%h, %%t, 4, %u;\nst.shared.b32 [%%h], %%a;\nshr.u32 %%z, %%t, 5;\nmad.lo.u32 %%z, %%z, 4, %u;\n"  \
	"mov.u32 %%x, 0;\nst.shared.b32 [%%z], %%x;\n"

struct moves_writer {
	struct random_text *text;
	const struct moves_program *program;
	uint32_t bytes; /* the element size that was set last; 0: none */
	bool in_loop;
	uint32_t loop, branch; /* labels */
	uint32_t rounds;
};

#define MOVES_WRITE(w, ...) random_add((w)->text, __VA_ARGS__)

/* A number as an operand: an immediate, or a register that holds it. */
struct moves_operand {
	char text[16];
};

static inline struct moves_operand moves_number(struct moves_writer *w, uint32_t place, uint32_t number)
{
	struct moves_operand operand;
	bool in_register = random_below(w->text, 3) == 0;
	if (in_register)
		MOVES_WRITE(w, "mov.u32 %%o%u, %u;\n", place, number);
	snprintf(operand.text, sizeof operand.text, in_register ? "%%o%u" : "%u", in_register ? place : number);
	return operand;
}

/* %e: the start of the half; %z: its buffer. */
static inline void moves_write_half(struct moves_writer *w, const struct moves_statement *s)
{
	const struct moves_tile *tile = &w->program->tile[s->tile];
	if (s->half == HALF_FIRST || s->half == HALF_SECOND)
		MOVES_WRITE(w, "mov.u32 %%z, %u;\n", s->half == HALF_SECOND);
	else
		MOVES_WRITE(w, "and.b32 %%z, %%i, 1;\nxor.b32 %%z, %%z, %u;\n", s->half == HALF_ODD);
	MOVES_WRITE(w, "mad.lo.u32 %%e, %%z, %u, %u;\n", tile->room, tile->place + s->pad);
	MOVES_WRITE(w, "mad.lo.u32 %%z, %%z, %u, %u;\n", tile->two_buffers, tile->buffer);
}

static inline void moves_write_source(struct moves_writer *w, const struct moves_source *source)
{
	if (source->filled) {
		MOVES_WRITE(w, "mov.u64 %%d, %%filled;\n");
		return;
	}
	MOVES_WRITE(w, "mad.wide.u32 %%d, %%b, %u, %%in;\n", source->by_block);
	MOVES_WRITE(w, "mad.wide.u32 %%d, %%i, %u, %%d;\nadd.u64 %%d, %%d, %u;\n", source->by_round, source->base);
}

static inline void moves_write_mode(struct moves_writer *w, const struct moves_shape *s)
{
	if (s->bytes != w->bytes || random_below(w->text, 2))
		MOVES_WRITE(w, "dma_type %u;\n", s->bytes);
	w->bytes = s->bytes;
	if (s->each_bank && random_below(w->text, 4) == 0) /* the last setting counts */
		MOVES_WRITE(w, "dma_halo %%z, 1, 2, 5, 77;\n");
	if (s->each_bank)
		MOVES_WRITE(w, "dma_spaced %%z, %s;\n", moves_number(w, 1, s->each_bank).text);
	if (!s->region)
		return;
	if (random_below(w->text, 4) == 0)
		MOVES_WRITE(w, "dma_spaced %%z, 3;\n");
	MOVES_WRITE(w, "mad.lo.u32 %%y, %%b, %u, %u;\nrem.u32 %%y, %%y, 9;\nadd.u32 %%y, %%y, 1;\n", s->turns, s->region - 1);
	MOVES_WRITE(w, "dma_halo %%z, %u, %u, %%y, %u;\n", s->halo_lines, s->halo_length, s->constant);
}

static inline void moves_write_configure(struct moves_writer *w, const struct moves_statement *s)
{
	const struct moves_shape *shape = &s->shape;
	moves_write_half(w, s);
	moves_write_source(w, &s->source);
	moves_write_mode(w, shape);
	struct moves_operand lines = moves_number(w, 2, shape->lines), length = moves_number(w, 3, shape->length),
			   pitch = moves_number(w, 4, shape->pitch);
	if (shape->kind == SHAPE_FLAT)
		MOVES_WRITE(w, "dma_flat %%z, %%e, %%d, %s;\n", length.text);
	else if (shape->kind == SHAPE_STRIDED)
		MOVES_WRITE(w, "dma_strided %%z, %%e, %%d, %s, %s;\n", lines.text, pitch.text);
	else
		MOVES_WRITE(w, "dma_matrix %%z, %%e, %%d, %s, %s, %s;\n", lines.text, length.text, pitch.text);
}

/* Sets %e to the address of element %x. */
static inline void moves_write_address(struct moves_writer *w, const struct moves_shape *s)
{
	MOVES_WRITE(w, "mad.lo.u32 %%e, %%x, %u, %%e;\n", s->bytes);
	if (s->each_bank)
		MOVES_WRITE(w, "div.u32 %%y, %%x, %u;\nmad.lo.u32 %%e, %%y, 4, %%e;\n", s->each_bank);
}

#define MOVES_ADD_TO_SUM "mad.lo.u32 %%a, %%a, 31, %%y;\n"

static inline void moves_write_load(struct moves_writer *w, const struct moves_shape *s)
{
	static const char *const types[] = {[1] = "u8", [2] = "u16", [4] = "b32"};
	if (s->bytes < 8)
		MOVES_WRITE(w, "ld.shared.%s %%y, [%%e];\n" MOVES_ADD_TO_SUM, types[s->bytes]);
	else if (s->each_bank)
		MOVES_WRITE(w, "ld.shared.b32 %%y, [%%e];\n" MOVES_ADD_TO_SUM "ld.shared.b32 %%y, [%%e+4];\n" MOVES_ADD_TO_SUM);
	else
		MOVES_WRITE(w, "ld.shared.v2.b32 {%%y, %%x}, [%%e];\n" MOVES_ADD_TO_SUM "mov.u32 %%y, %%x;\n" MOVES_ADD_TO_SUM);
}

static inline void moves_write_read(struct moves_writer *w, const struct moves_statement *s)
{
	for (uint32_t k = 0; k < s->count; k++) {
		moves_write_half(w, s);
		MOVES_WRITE(w, "mad.lo.u32 %%x, %%t, %u, %u;\nrem.u32 %%x, %%x, %u;\nadd.u32 %%x, %%x, %u;\n", s->factor,
		          s->term + k * s->step, s->most, s->first);
		moves_write_address(w, &s->shape);
		moves_write_load(w, &s->shape);
	}
}

static inline void moves_write_store(struct moves_writer *w, const struct moves_statement *s)
{
	const struct moves_shape *shape = &s->shape;
	if (s->kind == DO_ATOMIC)
		MOVES_WRITE(w, "atom.shared.add.u32 %%y, [%%e], %%a;\n" MOVES_ADD_TO_SUM);
	else if (shape->bytes == 8)
		MOVES_WRITE(w, "st.shared.b32 [%%e], %%a;\nst.shared.b32 [%%e+4], %%t;\n");
	else
		MOVES_WRITE(w, "st.shared.b%u [%%e], %%a;\n", 8 * shape->bytes);
}

/* The threads that have an element. */
static inline void moves_write_own(struct moves_writer *w, const struct moves_statement *s)
{
	uint32_t label = w->text->labels++;
	MOVES_WRITE(w, "setp.ge.u32 %%p0, %%t, %u;\n@%%p0 bra L%u;\n", moves_shape_elements(&s->shape), label);
	moves_write_half(w, s);
	MOVES_WRITE(w, "mov.u32 %%x, %%t;\n");
	moves_write_address(w, &s->shape);
	if (s->kind == DO_OWN_READ)
		moves_write_load(w, &s->shape);
	else
		moves_write_store(w, s);
	MOVES_WRITE(w, "L%u:\n", label);
}

static inline void moves_write_delay(struct moves_writer *w, const struct moves_statement *s)
{
	uint32_t label = w->text->labels++;
	MOVES_WRITE(w, "shr.u32 %%x, %%t, %u;\nmul.lo.u32 %%x, %%x, %u;\nrem.u32 %%x, %%x, %u;\n", s->first, s->factor, s->step);
	MOVES_WRITE(w, "L%u:\nsub.u32 %%x, %%x, 1;\nsetp.gt.s32 %%p0, %%x, 0;\n@%%p0 bra L%u;\n", label, label);
}

/* %p0: the chosen threads. */
static inline void moves_write_choice(struct moves_writer *w, const struct moves_statement *s)
{
	MOVES_WRITE(w, "shr.u32 %%x, %%t, %u;\nand.b32 %%x, %%x, %u;\nsetp.eq.u32 %%p0, %%x, %u;\n", s->step, s->factor, s->term);
	if (s->kind == DO_EXIT && w->in_loop)
		MOVES_WRITE(w, "setp.eq.and.u32 %%p0, %%i, %u, %%p0;\n", s->count);
}

static inline void moves_write_small(struct moves_writer *w, const struct moves_statement *s)
{
	if (s->kind == DO_OWN_WORD)
		MOVES_WRITE(w, "mad.lo.u32 %%e, %%t, 4, %u;\nld.shared.b32 %%x, [%%e];\nadd.u32 %%a, %%a, %%x;\n"
		             "st.shared.b32 [%%e], %%a;\n",
		          w->program->words);
	else if (s->kind == DO_WARP_SUM)
		MOVES_WRITE(w, "shr.u32 %%x, %%t, 5;\nmad.lo.u32 %%x, %%x, 4, %u;\nred.shared.add.u32 [%%x], %%a;\n"
		             "ld.shared.b32 %%y, [%%x];\n" MOVES_ADD_TO_SUM,
		          w->program->sums);
	else if (s->kind == DO_FILL)
		MOVES_WRITE(w, "st.global.b32 [%%own], %%a;\n");
	else if (s->kind == DO_MIX)
		MOVES_WRITE(w, "mad.lo.u32 %%a, %%a, %u, %u;\n", s->factor, s->term);
	else
		MOVES_WRITE(w, "bar.sync 0;\n");
}

static inline void moves_write_statement(struct moves_writer *w, const struct moves_statement *s)
{
	switch (s->kind) {
	case DO_CONFIGURE:
		moves_write_configure(w, s);
		return;
	case DO_EXECUTE:
		moves_write_half(w, s);
		moves_write_source(w, &s->source);
		MOVES_WRITE(w, "dma_execute %%z, %%e, %%d;\n");
		return;
	case DO_READ:
		moves_write_read(w, s);
		return;
	case DO_OWN_READ:
	case DO_STORE:
	case DO_ATOMIC:
		moves_write_own(w, s);
		return;
	case DO_DELAY:
		moves_write_delay(w, s);
		return;
	case DO_EXIT:
		moves_write_choice(w, s);
		MOVES_WRITE(w, "@%%p0 st.global.b32 [%%out], %%a;\n@%%p0 exit;\n");
		return;
	case DO_IF:
		moves_write_choice(w, s);
		w->branch = w->text->labels++;
		MOVES_WRITE(w, "@!%%p0 bra L%u;\n", w->branch);
		return;
	case DO_END_IF:
		MOVES_WRITE(w, "L%u:\n", w->branch);
		return;
	case DO_LOOP:
		w->loop = w->text->labels++;
		w->in_loop = true;
		MOVES_WRITE(w, "mov.u32 %%i, 0;\nL%u:\n", w->loop);
		w->bytes = 0; /* another one in the previous iteration */
		w->rounds = s->count;
		return;
	case DO_END_LOOP:
		MOVES_WRITE(w, "add.u32 %%i, %%i, 1;\nsetp.lt.u32 %%p0, %%i, %u;\n@%%p0 bra L%u;\nmov.u32 %%i, 0;\n", w->rounds,
		          w->loop);
		w->in_loop = false;
		return;
	default:
		moves_write_small(w, s);
		return;
	}
}

/* All of shared memory, one word per thread and iteration: written at the start, read at the end. */
static inline void moves_write_all(struct moves_writer *w, const char *each)
{
	uint32_t label = w->text->labels++;
	MOVES_WRITE(w, "mul.lo.u32 %%e, %%t, 4;\nL%u:\nsetp.ge.u32 %%p0, %%e, %u;\n%s", label, w->program->words, each);
	MOVES_WRITE(w, "add.u32 %%e, %%e, %u;\nsetp.lt.u32 %%p0, %%e, %u;\n@%%p0 bra L%u;\n", 4 * w->program->threads,
	          w->program->words, label);
}

static inline void moves_write_ptx(struct random_text *text, const struct moves_program *p)
{
	struct moves_writer w = {.text = text, .program = p};
	MOVES_WRITE(&w, MOVES_HEAD, p->shared, p->threads, 4 * MOVES_THREADS, p->words, p->sums);
	if (p->prefilled) {
		moves_write_all(&w, "xor.b32 %y, %e, %b;\n@!%p0 st.shared.b32 [%e], %y;\n");
		MOVES_WRITE(&w, "bar.sync 0;\n");
	}
	for (uint32_t i = 0; i < p->statements; i++)
		moves_write_statement(&w, &p->statement[i]);
	if (p->prefilled)
		moves_write_all(&w, "@!%p0 ld.shared.b32 %y, [%e];\n@!%p0 mad.lo.u32 %a, %a, 31, %y;\n");
	MOVES_WRITE(&w, "st.global.b32 [%%out], %%a;\nexit;\n}\n");
}

#endif
