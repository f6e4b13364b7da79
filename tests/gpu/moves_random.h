/* moves_random: random programs that move tiles by DMA (docs/reference/dma.md), as lists of statements. moves_ptx.h
 * writes them as a kernel; moves_model.h runs them in plain C. A program's results depend only on its input, whatever
 * the order in which warps run and transfers end. Without an ordering event between them (a barrier, a command of the
 * same buffer), no thread touches data that another one writes.
 *
 * A tile has one area in shared memory, or two that are filled in turn: by one buffer that alternates between them, or
 * by two buffers. Statements in a loop select the half by the parity of the iteration. */
#ifndef SLUICE_TESTS_MOVES_RANDOM_H
#define SLUICE_TESTS_MOVES_RANDOM_H

#include "ptx_random.h"

enum {
	MOVES_IN = 1 << 16,     /* bytes of input */
	MOVES_THREADS = 256,    /* of a block, at most */
	MOVES_BLOCKS = 6,       /* of a grid, at most */
	MOVES_SHARED = 1 << 14, /* bytes, at most */
	MOVES_TILES = 4,
	MOVES_STATEMENTS = 256,
	MOVES_MOST_ROUNDS = 5,
};

struct moves_shape {
	enum { SHAPE_FLAT, SHAPE_STRIDED, SHAPE_MATRIX } kind;
	/* elements; matrices: lines, elements of a line, both without the halo */
	uint32_t bytes, lines, length, pitch;
	uint32_t halo_lines, halo_length, region, constant; /* region: 0: no halo */
	uint32_t turns;     /* the region grows by this value with the block's number; 1 follows 9 */
	uint32_t each_bank; /* 0: dense */
};

struct moves_tile {
	uint32_t place, room;     /* in shared memory, of the first half */
	uint32_t halves;          /* consecutive halves: 1 or 2 */
	uint32_t buffer;          /* of the first half, */
	bool two_buffers;         /* and the next buffer for the second */
	struct moves_shape shape; /* while the program is generated: the last shape */
	uint32_t pad;             /* likewise: bytes between the area's start and the first element */
};

/* The tile half of a statement: the first or the second; in a loop the one of the iteration's parity, or the other. */
enum moves_half { HALF_FIRST, HALF_SECOND, HALF_EVEN, HALF_ODD };

enum moves_kind {
	DO_CONFIGURE, /* tile, half, shape, pad, source */
	DO_EXECUTE,   /* tile, half, shape (unchanged), pad, source */
	/* tile, half, shape, pad: adds `count` elements (thread * factor + term + k * step) % most + first to the
	 * sum */
	DO_READ,
	DO_OWN_READ, /* the thread's element: its number */
	DO_STORE,    /* stores the sum to the thread's element */
	DO_ATOMIC,   /* the same with an atomic add; elements of 4 bytes */
	DO_OWN_WORD, /* a word in shared memory outside all tiles: adds the sum to it; the result is the new sum */
	DO_WARP_SUM, /* all threads of a warp add to its word and read it */
	/* stores the sum to the thread's word in the block's part of global memory, which a transfer then reads */
	DO_FILL,
	DO_MIX,   /* sum = sum * factor + term */
	DO_DELAY, /* delays threads or warps by different times: (number >> first) * factor % step */
	DO_BARRIER,
	DO_EXIT, /* exits the threads for which (number >> step) & factor is term, in a loop in iteration `count` */
	DO_IF,   /* the threads selected in this way execute the statements up to */
	DO_END_IF,
	DO_LOOP, /* `count` iterations of the statements up to */
	DO_END_LOOP,
};

struct moves_statement {
	enum moves_kind kind;
	uint32_t tile;
	enum moves_half half;
	struct moves_shape shape;
	uint32_t pad;
	struct moves_source {
		bool filled;                       /* data that DO_FILL has written; otherwise from the input: */
		uint32_t base, by_block, by_round; /* bytes */
	} source;
	uint32_t factor, term, step, count, first, most;
};

struct moves_program {
	uint32_t threads, blocks, width; /* of a block: threads are in rows of this width */
	uint32_t shared;                 /* bytes; in it: */
	uint32_t words, sums;            /* the start of the threads' words and the warps' sums */
	bool prefilled;                  /* all of shared memory is written first and read at the end */
	struct moves_tile tile[MOVES_TILES];
	uint32_t tiles;
	struct moves_statement statement[MOVES_STATEMENTS];
	uint32_t statements;
};

static inline uint32_t moves_shape_elements(const struct moves_shape *s)
{
	return (s->lines + 2 * s->halo_lines) * (s->length + 2 * s->halo_length);
}

/* Returns an element's offset from the tile's first element. */
static inline uint32_t moves_shape_offset(const struct moves_shape *s, uint32_t element)
{
	return element * s->bytes + (s->each_bank ? element / s->each_bank * 4 : 0);
}

static inline uint32_t moves_shape_end(const struct moves_shape *s)
{
	return moves_shape_offset(s, moves_shape_elements(s) - 1) + s->bytes;
}

static inline uint32_t moves_region_of(const struct moves_shape *s, uint32_t block)
{
	return s->region ? (s->region - 1 + s->turns * block) % 9 + 1 : 0;
}

/* The borders of the matrix that the region touches, from the picture in docs/reference/dma.md. */
struct moves_borders {
	bool top, bottom, left, right;
};

static inline struct moves_borders moves_borders_of(uint32_t region)
{
	static const char picture[] = "123495678";
	const char *at = region ? strchr(picture, (int)('0' + region)) : NULL;
	uint32_t row = at ? (uint32_t)(at - picture) / 3 : 1, column = at ? (uint32_t)(at - picture) % 3 : 1;
	return (struct moves_borders){row == 0, row == 2, column == 0, column == 2};
}

/* The generator's state of a half of a tile: what threads may do with it after all warps have passed its command. */
enum moves_state {
	TILE_EMPTY, /* no data yet */
	TILE_CLEAN, /* anything: no thread has read or written since the warps were ordered */
	TILE_READ,  /* read what all have read */
	TILE_OWNED, /* read and write their own elements, and read those without an owner */
};

struct moves_maker {
	struct random_text *text;
	struct moves_program *program;
	/* by half; in a loop, for even iterations: `half` is HALF_EVEN or HALF_ODD */
	enum moves_state state[MOVES_TILES][2];
	bool in_loop, in_if;
	uint32_t rounds;
};

static inline uint32_t moves_pick(struct moves_maker *m, uint32_t bound)
{
	return random_below(m->text, bound);
}

static inline struct moves_statement *moves_add(struct moves_maker *m, enum moves_kind kind)
{
	struct moves_statement *s = &m->program->statement[m->program->statements++];
	*s = (struct moves_statement){.kind = kind};
	return s;
}

/* Adds a statement about a half of a tile, with the tile's current shape. */
static inline struct moves_statement *moves_add_of(struct moves_maker *m, enum moves_kind kind, uint32_t tile, uint32_t half)
{
	struct moves_statement *s = moves_add(m, kind);
	s->tile = tile;
	s->half = m->in_loop && m->program->tile[tile].halves == 2 ? HALF_EVEN + half : HALF_FIRST + half;
	s->shape = m->program->tile[tile].shape;
	s->pad = m->program->tile[tile].pad;
	return s;
}

static inline uint32_t moves_any_half(struct moves_maker *m, uint32_t tile)
{
	return moves_pick(m, m->program->tile[tile].halves);
}

/* --- shapes and their sources --- */

static inline void moves_make_matrix(struct moves_maker *m, struct moves_shape *s, uint32_t most)
{
	s->lines = 1 + moves_pick(m, 12);
	s->length = 1 + moves_pick(m, most < 40 ? most : 40);
	s->pitch = moves_pick(m, 8) ? s->length + moves_pick(m, 30) : 1 + moves_pick(m, s->length);
	if (moves_pick(m, 2)) {
		s->halo_lines = moves_pick(m, 4);
		s->halo_length = moves_pick(m, 4);
		s->region = 1 + moves_pick(m, 9);
		s->constant = moves_pick(m, 3) ? moves_pick(m, 65536) : 0;
		s->turns = moves_pick(m, 2) ? moves_pick(m, 9) : 0;
	}
}

static inline struct moves_shape moves_make_shape(struct moves_maker *m, uint32_t room)
{
	struct moves_shape s;
	do {
		s = (struct moves_shape){.kind = moves_pick(m, 3), .bytes = 1u << moves_pick(m, 4), .lines = 1, .length = 1};
		uint32_t most = room / s.bytes + 1, elements = 1 + moves_pick(m, moves_pick(m, 2) || most < 70 ? most : 70);
		s.pitch = s.kind == SHAPE_STRIDED ? 1 + moves_pick(m, moves_pick(m, 2) ? 8 : 200) : 1;
		if (s.kind == SHAPE_FLAT)
			s.length = elements;
		else if (s.kind == SHAPE_STRIDED)
			s.lines = elements;
		else
			moves_make_matrix(m, &s, most);
		if (!s.region && moves_pick(m, 3) == 0)
			s.each_bank = 1 + moves_pick(m, 40);
	} while (moves_shape_end(&s) > room);
	return s;
}

/* The range of bytes that it reads, relative to its first element, over all regions of the blocks. */
static inline void moves_span(const struct moves_shape *s, uint32_t blocks, int32_t *low, int32_t *high)
{
	int32_t top = 0, bottom = 0, left = 0, right = 0, bytes = (int32_t)s->bytes;
	for (uint32_t block = 0; block < blocks; block++) {
		struct moves_borders b = moves_borders_of(moves_region_of(s, block));
		top = b.top ? top : (int32_t)s->halo_lines;
		bottom = b.bottom ? bottom : (int32_t)s->halo_lines;
		left = b.left ? left : (int32_t)s->halo_length;
		right = b.right ? right : (int32_t)s->halo_length;
	}
	*low = -(top * (int32_t)s->pitch + left) * bytes;
	*high = (((int32_t)s->lines - 1 + bottom) * (int32_t)s->pitch + (int32_t)s->length + right) * bytes;
}

/* Chooses a source anywhere in the input, including its very ends. Returns false if it does not fit. */
static inline bool moves_make_source(struct moves_maker *m, const struct moves_shape *s, struct moves_source *source)
{
	int32_t low, high;
	const uint32_t steps[] = {0, s->bytes, s->pitch * s->bytes, s->length * s->bytes, s->bytes * moves_pick(m, 500)};
	*source = (struct moves_source){.by_block = steps[moves_pick(m, 5)], .by_round = steps[moves_pick(m, 5)]};
	moves_span(s, m->program->blocks, &low, &high);
	high += (int32_t)(source->by_block * (m->program->blocks - 1) + source->by_round * (m->in_loop ? m->rounds - 1 : 0));
	if (high - low > MOVES_IN)
		return false;
	uint32_t choices = (uint32_t)(MOVES_IN - (high - low)) / s->bytes + 1;
	uint32_t at = moves_pick(m, 4) ? moves_pick(m, choices) : moves_pick(m, 2) ? 0 : choices - 1;
	source->base = (uint32_t)((int32_t)(at * s->bytes) - low);
	return true;
}

/* --- statements --- */

/* The first command of a buffer, or a later one with another shape, which both halves of a tile then have. */
static inline void moves_make_configure(struct moves_maker *m, uint32_t tile)
{
	struct moves_tile *t = &m->program->tile[tile];
	struct moves_source source;
	do {
		t->shape = moves_make_shape(m, t->room - 16);
		t->pad = t->shape.bytes * moves_pick(m, 16 / t->shape.bytes + 1);
	} while (!moves_make_source(m, &t->shape, &source));
	for (uint32_t half = 0; half < t->halves; half++) {
		bool executes = half && !t->two_buffers;
		while (half && !moves_make_source(m, &t->shape, &source))
			;
		moves_add_of(m, executes ? DO_EXECUTE : DO_CONFIGURE, tile, half)->source = source;
		m->state[tile][half] = TILE_CLEAN;
	}
}

/* Repeats the transfer with the current shape. */
static inline void moves_make_execute(struct moves_maker *m, uint32_t tile)
{
	struct moves_source source;
	uint32_t half = moves_any_half(m, tile);
	if (m->in_if || m->state[tile][half] == TILE_EMPTY || !moves_make_source(m, &m->program->tile[tile].shape, &source))
		return;
	moves_add_of(m, moves_pick(m, 4) ? DO_EXECUTE : DO_CONFIGURE, tile, half)->source = source;
	m->state[tile][half] = TILE_CLEAN;
}

static inline uint32_t moves_owned(const struct moves_maker *m, uint32_t tile)
{
	uint32_t elements = moves_shape_elements(&m->program->tile[tile].shape);
	return elements < m->program->threads ? elements : m->program->threads;
}

static inline bool moves_make_read(struct moves_maker *m, uint32_t tile, uint32_t half)
{
	static const uint32_t factors[] = {0, 1, 1, 1, 2, 3, 4, 7, 31, 32, 33};
	enum moves_state *state = &m->state[tile][half];
	uint32_t elements = moves_shape_elements(&m->program->tile[tile].shape);
	uint32_t first = *state == TILE_OWNED ? moves_owned(m, tile) : 0;
	if (*state == TILE_EMPTY || first == elements)
		return false;
	struct moves_statement *s = moves_add_of(m, DO_READ, tile, half);
	s->factor = factors[moves_pick(m, sizeof factors / sizeof *factors)];
	s->term = moves_pick(m, elements);
	s->step = moves_pick(m, 40);
	s->count = 1 + moves_pick(m, 4);
	s->first = first;
	s->most = elements - first;
	if (*state == TILE_CLEAN)
		*state = TILE_READ;
	return true;
}

static inline void moves_make_some_read(struct moves_maker *m, uint32_t tile)
{
	moves_make_read(m, tile, moves_any_half(m, tile));
}

static inline void moves_clean(struct moves_maker *m)
{
	for (uint32_t i = 0; i < m->program->tiles; i++)
		for (uint32_t half = 0; half < 2; half++)
			if (m->state[i][half] != TILE_EMPTY)
				m->state[i][half] = TILE_CLEAN;
}

static inline void moves_make_barrier(struct moves_maker *m, uint32_t tile)
{
	(void)tile;
	if (m->in_if)
		return;
	moves_add(m, DO_BARRIER);
	moves_clean(m);
}

/* Accesses to a tile after its transfer, or to data written in this way. */
static inline void moves_make_own(struct moves_maker *m, uint32_t tile)
{
	uint32_t half = moves_any_half(m, tile), kind = moves_pick(m, 4);
	enum moves_state *state = &m->state[tile][half];
	if (*state == TILE_READ && !m->in_if && moves_pick(m, 2))
		moves_make_barrier(m, tile);
	if (*state != TILE_CLEAN && *state != TILE_OWNED)
		return;
	if (kind == 0)
		moves_add_of(m, DO_OWN_READ, tile, half);
	else if (kind < 3 && m->program->tile[tile].shape.bytes == 4)
		moves_add_of(m, DO_ATOMIC, tile, half);
	else
		moves_add_of(m, DO_STORE, tile, half);
	*state = TILE_OWNED;
}

static inline void moves_make_small(struct moves_maker *m, uint32_t tile)
{
	static const enum moves_kind kinds[] = {DO_MIX, DO_DELAY, DO_OWN_WORD, DO_WARP_SUM};
	enum moves_kind kind = kinds[moves_pick(m, 4)];
	(void)tile;
	if (kind == DO_WARP_SUM && m->in_if)
		return;
	struct moves_statement *s = moves_add(m, kind);
	s->factor = 1 + moves_pick(m, kind == DO_DELAY ? 7 : 1000);
	s->term = moves_pick(m, 1000);
	s->step = 1 + moves_pick(m, moves_pick(m, 3) ? 20 : 200);
	s->first = moves_pick(m, 3) ? 5 : 0;
}

/* Some threads, or some warps. */
static inline struct moves_statement *moves_add_choice(struct moves_maker *m, enum moves_kind kind)
{
	struct moves_statement *s = moves_add(m, kind);
	s->step = moves_pick(m, 3) ? 5 : moves_pick(m, 5);
	s->factor = moves_pick(m, 2) ? 7 : 3;
	s->term = moves_pick(m, s->factor + 1);
	return s;
}

static inline void moves_make_exit(struct moves_maker *m, uint32_t tile)
{
	(void)tile;
	if (m->in_if || moves_pick(m, 3))
		return;
	moves_add_choice(m, DO_EXIT)->count = moves_pick(m, m->in_loop ? m->rounds : 1);
}

/* A transfer reads data that threads write. A barrier separates them, or all threads arrive at a command that is not
 * the buffer's first. After it all threads read the tile, so that the transfer is over for them before they write there
 * again. */
static inline void moves_make_fill(struct moves_maker *m, uint32_t tile)
{
	struct moves_tile *t = &m->program->tile[tile];
	uint32_t half = moves_any_half(m, tile), room = 4 * m->program->threads;
	bool has_come = m->state[tile][half] != TILE_EMPTY;
	if (m->in_if || m->in_loop || t->halves > 1)
		return;
	do
		t->shape = moves_make_shape(m, t->room < room ? t->room : room);
	while (t->shape.kind != SHAPE_FLAT);
	moves_add(m, DO_FILL);
	if (!has_come || moves_pick(m, 2))
		moves_make_barrier(m, tile);
	t->pad = 0;
	moves_add_of(m, DO_CONFIGURE, tile, half)->source = (struct moves_source){.filled = true};
	m->state[tile][half] = TILE_CLEAN;
	moves_make_read(m, tile, half);
}

static inline void moves_make_statement(struct moves_maker *m);

static inline void moves_make_if(struct moves_maker *m, uint32_t tile)
{
	(void)tile;
	if (m->in_if)
		return;
	moves_add_choice(m, DO_IF);
	m->in_if = true;
	for (uint32_t count = 1 + moves_pick(m, 3); count; count--)
		moves_make_statement(m);
	m->in_if = false;
	moves_add(m, DO_END_IF);
}

/* At both ends of an iteration the data belong to another iteration: everything may have been read. */
static inline void moves_have_been_read(struct moves_maker *m)
{
	bool is_owned = false;
	for (uint32_t i = 0; i < m->program->tiles; i++)
		for (uint32_t half = 0; half < 2; half++)
			is_owned |= m->state[i][half] == TILE_OWNED;
	if (is_owned)
		moves_make_barrier(m, 0);
	for (uint32_t i = 0; i < m->program->tiles; i++)
		for (uint32_t half = 0; half < 2; half++)
			if (m->state[i][half] != TILE_EMPTY)
				m->state[i][half] = TILE_READ;
}

static inline void moves_make_loop(struct moves_maker *m, uint32_t tile)
{
	(void)tile;
	if (m->in_if || m->in_loop)
		return;
	moves_have_been_read(m);
	m->rounds = 1 + moves_pick(m, MOVES_MOST_ROUNDS);
	moves_add(m, DO_LOOP)->count = m->rounds;
	m->in_loop = true;
	for (uint32_t count = 3 + moves_pick(m, 8); count; count--)
		moves_make_statement(m);
	moves_have_been_read(m);
	m->in_loop = false;
	moves_add(m, DO_END_LOOP);
}

/* Not in loops: there all iterations have the same shape. */
static inline void moves_make_reconfigure(struct moves_maker *m, uint32_t tile)
{
	if (!m->in_if && !m->in_loop)
		moves_make_configure(m, tile);
}

static inline void moves_make_statement(struct moves_maker *m)
{
	static void (*const kinds[])(struct moves_maker *, uint32_t) = {
		moves_make_execute,     moves_make_execute, moves_make_execute, moves_make_some_read, moves_make_some_read,
		moves_make_some_read,   moves_make_own,     moves_make_own,     moves_make_small,     moves_make_small,
		moves_make_reconfigure, moves_make_if,      moves_make_loop,    moves_make_fill,      moves_make_exit,
		moves_make_barrier};
	if (m->program->statements < MOVES_STATEMENTS - 64)
		kinds[moves_pick(m, sizeof kinds / sizeof *kinds)](m, moves_pick(m, m->program->tiles));
}

/* --- whole programs --- */

/* Tiles with gaps between them, followed by the threads' words and the warps' sums. */
static inline void moves_make_tiles(struct moves_maker *m)
{
	struct moves_program *p = m->program;
	uint32_t buffer = 0, at = 8 * moves_pick(m, 4), most = moves_pick(m, 2) ? 600 : 1700;
	while (buffer < 4 && (p->tiles == 0 || moves_pick(m, 3))) {
		struct moves_tile *t = &p->tile[p->tiles++];
		t->halves = 1 + moves_pick(m, 2);
		t->two_buffers = t->halves == 2 && buffer < 3 && moves_pick(m, 2);
		t->buffer = buffer;
		t->room = 8 * (4 + moves_pick(m, most / 8));
		t->place = at;
		buffer += t->two_buffers ? 2 : 1;
		at += t->halves * t->room + 8 * moves_pick(m, 3);
	}
	p->words = at;
	p->sums = p->words + 4 * p->threads;
	p->shared = p->sums + MOVES_THREADS / 32 * 4;
}

static inline void moves_random(struct random_text *text, struct moves_program *program)
{
	static const uint32_t sizes[] = {32, 64, 96, 128, 256};
	struct moves_maker m = {.text = text, .program = program};
	memset(program, 0, sizeof *program);
	program->threads = moves_pick(&m, 3) ? sizes[moves_pick(&m, 5)] : 1 + moves_pick(&m, MOVES_THREADS);
	program->blocks = 1 + moves_pick(&m, MOVES_BLOCKS);
	program->width = program->threads % 2 == 0 && moves_pick(&m, 4) == 0 ? program->threads / 2 : program->threads;
	program->prefilled = moves_pick(&m, 2);
	moves_make_tiles(&m);
	moves_make_exit(&m, 0);
	for (uint32_t i = 0; i < program->tiles; i++)
		if (moves_pick(&m, 4))
			moves_make_configure(&m, i);
	for (uint32_t count = 6 + moves_pick(&m, 30); count; count--)
		moves_make_statement(&m);
	if (program->prefilled)
		moves_make_barrier(&m, 0);
}

/* --- programs that may race --- */

static inline bool moves_may_swap(const struct moves_statement *one, const struct moves_statement *other)
{
	bool commands = one->kind <= DO_EXECUTE && other->kind <= DO_EXECUTE;
	bool small = one->kind >= DO_OWN_WORD && other->kind >= DO_OWN_WORD;
	return one->kind < DO_IF && other->kind < DO_IF && !commands && !small;
}

/* Changes a program slightly: without a barrier, with reads of other threads' data, or with two statements in the other
 * order. */
static inline void moves_break(struct random_text *text, struct moves_program *p)
{
	enum { TRIES = 100 };
	for (uint32_t i = 0; i < TRIES && p->statements; i++) {
		struct moves_statement *s = &p->statement[random_below(text, p->statements)];
		bool has_next = s + 1 < p->statement + p->statements;
		if (s->kind == DO_BARRIER && random_below(text, 2)) {
			s->kind = DO_MIX;
			return;
		}
		if (s->kind == DO_READ && s->first) {
			s->most += s->first;
			s->first = 0;
			return;
		}
		if (has_next && moves_may_swap(s, s + 1)) {
			struct moves_statement first = *s;
			*s = s[1];
			s[1] = first;
			return;
		}
	}
}

#endif
