/* moves_model: computes in plain C the result of a program of moves_random.h, statement by statement, all threads of a
 * block in turn. It computes the elements' positions row by row, without src/base/dma.h. */
#ifndef SLUICE_TESTS_MOVES_MODEL_H
#define SLUICE_TESTS_MOVES_MODEL_H

#include "moves_random.h"

struct moves_model {
	const struct moves_program *program;
	const uint8_t *in;
	uint8_t *filled; /* the block's part */
	uint32_t block, round;
	bool in_loop;
	uint8_t shared[MOVES_SHARED];
	uint32_t sum[MOVES_THREADS];
	bool alive[MOVES_THREADS], active[MOVES_THREADS];
};

static inline uint8_t *moves_half_place(struct moves_model *m, const struct moves_statement *s)
{
	const struct moves_tile *tile = &m->program->tile[s->tile];
	bool second = s->half == HALF_SECOND || (s->half >= HALF_EVEN && ((m->round & 1) != (s->half == HALF_ODD)));
	return m->shared + tile->place + (second ? tile->room : 0) + s->pad;
}

static inline void moves_model_transfer(struct moves_model *m, const struct moves_statement *s)
{
	const struct moves_shape *shape = &s->shape;
	const struct moves_source *source = &s->source;
	const struct moves_borders borders = moves_borders_of(moves_region_of(shape, m->block));
	const uint8_t *from = source->filled ? m->filled
	                                     : m->in + source->base + source->by_block * m->block + source->by_round * m->round;
	uint8_t *to = moves_half_place(m, s);
	int64_t lines = shape->lines, length = shape->length, above = shape->halo_lines, before = shape->halo_length;
	uint32_t behind = 0; /* elements since a bank was skipped */
	for (int64_t line = -above; line < lines + above; line++)
		for (int64_t at = -before; at < length + before; at++) {
			bool beyond = (borders.top && line < 0) || (borders.bottom && line >= lines) ||
			              (borders.left && at < 0) || (borders.right && at >= length);
			if (shape->each_bank && behind == shape->each_bank) {
				to += 4;
				behind = 0;
			}
			for (int64_t k = 0; k < shape->bytes; k++)
				*to++ = !beyond ? from[(line * shape->pitch + at) * shape->bytes + k]
				        : k < 2 ? (uint8_t)(shape->constant >> 8 * k)
				                : 0;
			behind++;
		}
}

static inline uint32_t moves_word(const uint8_t *at, uint32_t bytes)
{
	uint32_t value = 0;
	memcpy(&value, at, bytes);
	return value;
}

static inline void moves_add_to_sum(struct moves_model *m, uint32_t thread, uint32_t value)
{
	m->sum[thread] = m->sum[thread] * 31 + value;
}

static inline void moves_model_load(struct moves_model *m, const struct moves_statement *s, uint32_t thread, uint32_t element)
{
	const uint8_t *at = moves_half_place(m, s) + moves_shape_offset(&s->shape, element);
	moves_add_to_sum(m, thread, moves_word(at, s->shape.bytes < 4 ? s->shape.bytes : 4));
	if (s->shape.bytes == 8)
		moves_add_to_sum(m, thread, moves_word(at + 4, 4));
}

static inline void moves_model_own(struct moves_model *m, const struct moves_statement *s, uint32_t thread)
{
	uint8_t *at = moves_half_place(m, s) + moves_shape_offset(&s->shape, thread);
	if (thread >= moves_shape_elements(&s->shape))
		return;
	if (s->kind == DO_OWN_READ) {
		moves_model_load(m, s, thread, thread);
	} else if (s->kind == DO_ATOMIC) {
		uint32_t old = moves_word(at, 4), new = old + m->sum[thread];
		memcpy(at, &new, 4);
		moves_add_to_sum(m, thread, old);
	} else {
		memcpy(at, &m->sum[thread], s->shape.bytes < 4 ? s->shape.bytes : 4);
		if (s->shape.bytes == 8)
			memcpy(at + 4, &thread, 4);
	}
}

static inline bool moves_is_chosen(const struct moves_model *m, const struct moves_statement *s, uint32_t thread)
{
	bool comes = s->kind == DO_IF || !m->in_loop || m->round == s->count;
	return comes && ((thread >> s->step) & s->factor) == s->term;
}

static inline void moves_model_thread(struct moves_model *m, const struct moves_statement *s, uint32_t thread)
{
	uint8_t *word = m->shared + m->program->words + 4 * thread, *sum = m->shared + m->program->sums + thread / 32 * 4;
	switch (s->kind) {
	case DO_READ:
		for (uint32_t k = 0; k < s->count; k++)
			moves_model_load(m, s, thread, (thread * s->factor + s->term + k * s->step) % s->most + s->first);
		break;
	case DO_OWN_READ:
	case DO_STORE:
	case DO_ATOMIC:
		moves_model_own(m, s, thread);
		break;
	case DO_OWN_WORD:
		m->sum[thread] += moves_word(word, 4);
		memcpy(word, &m->sum[thread], 4);
		break;
	case DO_WARP_SUM: /* all threads have added */
		moves_add_to_sum(m, thread, moves_word(sum, 4));
		break;
	case DO_FILL:
		memcpy(m->filled + 4 * thread, &m->sum[thread], 4);
		break;
	case DO_MIX:
		m->sum[thread] = m->sum[thread] * s->factor + s->term;
		break;
	case DO_IF:
		m->active[thread] = moves_is_chosen(m, s, thread);
		break;
	case DO_EXIT:
		m->alive[thread] = !moves_is_chosen(m, s, thread);
		break;
	default:
		break;
	}
}

static inline void moves_model_warp_sums(struct moves_model *m)
{
	for (uint32_t t = 0; t < m->program->threads; t++) {
		uint8_t *at = m->shared + m->program->sums + t / 32 * 4;
		uint32_t sum = moves_word(at, 4) + (m->alive[t] ? m->sum[t] : 0);
		memcpy(at, &sum, 4);
	}
}

static inline bool moves_has_threads(const struct moves_model *m)
{
	return memchr(m->alive, true, m->program->threads) != NULL;
}

static inline void moves_model_statement(struct moves_model *m, const struct moves_statement *s)
{
	if (s->kind == DO_CONFIGURE || s->kind == DO_EXECUTE)
		moves_model_transfer(m, s);
	if (s->kind == DO_WARP_SUM)
		moves_model_warp_sums(m);
	if (s->kind == DO_END_IF)
		memset(m->active, true, sizeof m->active);
	for (uint32_t t = 0; t < m->program->threads; t++)
		if (m->alive[t] && m->active[t])
			moves_model_thread(m, s, t);
}

static inline void moves_model_fill_shared(struct moves_model *m)
{
	for (uint32_t at = 0; at < m->program->words; at += 4) {
		uint32_t value = at ^ m->block;
		memcpy(m->shared + at, &value, 4);
	}
}

static inline void moves_model_read_shared(struct moves_model *m)
{
	for (uint32_t at = 0; at < m->program->words; at += 4) {
		uint32_t thread = at / 4 % m->program->threads;
		if (m->alive[thread])
			moves_add_to_sum(m, thread, moves_word(m->shared + at, 4));
	}
}

static inline void moves_model_statements(struct moves_model *m)
{
	const struct moves_program *p = m->program;
	uint32_t loop = 0;
	for (uint32_t i = 0; i < p->statements && moves_has_threads(m); i++) {
		const struct moves_statement *s = &p->statement[i];
		if (s->kind == DO_LOOP) {
			loop = i;
			m->in_loop = true;
		} else if (s->kind == DO_END_LOOP && ++m->round < p->statement[loop].count) {
			i = loop;
		} else if (s->kind == DO_END_LOOP) {
			m->in_loop = false;
			m->round = 0;
		} else {
			moves_model_statement(m, s);
		}
	}
}

/* Computes the block's results in `out`, one word per thread. */
static inline void moves_model_block(const struct moves_program *program, uint32_t block, const uint8_t *in, uint8_t *filled,
                                   uint32_t *out)
{
	static struct moves_model m;
	m = (struct moves_model){.program = program, .in = in, .filled = filled, .block = block};
	memset(m.alive, true, program->threads);
	memset(m.active, true, sizeof m.active);
	for (uint32_t t = 0; t < program->threads; t++) {
		m.sum[t] = (block * program->threads + t) * 2654435761u + 12345;
		memcpy(m.shared + program->words + 4 * t, &m.sum[t], 4);
	}
	if (program->prefilled)
		moves_model_fill_shared(&m);
	moves_model_statements(&m);
	if (program->prefilled)
		moves_model_read_shared(&m);
	memcpy(out, m.sum, program->threads * sizeof *out);
}

#endif
