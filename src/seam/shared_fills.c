#include "seam/shared_fills.h"

enum { WORD = 4 };

void shared_fills_open(struct shared_fills *fills, uint32_t blocks, uint32_t block_bytes,
                       const struct base_prefetch_listener *listener, struct arena *arena)
{
	uint32_t words = (block_bytes + WORD - 1) / WORD;
	*fills = (struct shared_fills){.arena = arena,
	                               .block_words = words,
	                               .word = arena_array(arena, (size_t)blocks * words, sizeof *fills->word),
	                               .on_way = arena_array(arena, (size_t)blocks * words, sizeof *fills->on_way),
	                               .listener = *listener};
}

static void tell_listener(const struct shared_fills *fills, struct shared_fill *fill,
                          enum base_prefetch_outcome outcome)
{
	if (fill->kept.sender)
		fills->listener.outcome(fills->listener.user, outcome, &fill->kept);
	fill->kept.sender = 0;
}

void shared_fills_free(struct shared_fills *fills, struct shared_fill *fill)
{
	fill->next = fills->free;
	fills->free = fill;
}

/* Where the request does not list the words that its data go to, the words are contiguous. */
static void place(struct shared_fill *fill, const struct mech_request *request)
{
	uint32_t first = request->shared / WORD, end = (request->shared + request->bytes + WORD - 1) / WORD;
	fill->words = request->words ? request->words : end - first;
	for (uint32_t i = 0; i < fill->words; i++)
		fill->word[i] = request->words ? request->word[i] : first + i;
}

struct shared_fill *shared_fills_new(struct shared_fills *fills, const struct mech_request *request)
{
	struct shared_fill *fill = fills->free;
	if (fill)
		fills->free = fill->next;
	else
		fill = arena_alloc(fills->arena, sizeof *fill);
	fill->kept.sender = 0;
	fill->block = request->block;
	fill->holds = 0;
	fill->next = NULL;
	place(fill, request);
	return fill;
}

static size_t place_of(const struct shared_fills *fills, uint32_t block, uint32_t word)
{
	return (size_t)block * fills->block_words + word;
}

void shared_fills_sent(struct shared_fills *fills, struct shared_fill *fill, const struct base_prefetch *kept)
{
	fill->kept = *kept;
	fill->next = fills->coming;
	fills->coming = fill;
	for (uint32_t i = 0; i < fill->words; i++)
		fills->on_way[place_of(fills, fill->block, fill->word[i])]++;
}

static void no_more_coming(struct shared_fills *fills, const struct shared_fill *fill)
{
	struct shared_fill **link = &fills->coming;
	while (*link && *link != fill)
		link = &(*link)->next;
	if (!*link)
		return;
	*link = fill->next;
	for (uint32_t i = 0; i < fill->words; i++)
		fills->on_way[place_of(fills, fill->block, fill->word[i])]--;
}

static struct shared_fill **word_of(const struct shared_fills *fills, uint32_t block, uint32_t word)
{
	return &fills->word[place_of(fills, block, word)];
}

/* The word's data are overwritten, or no longer belong to a block. */
static void release_word(struct shared_fills *fills, struct shared_fill **word, enum base_prefetch_outcome outcome)
{
	struct shared_fill *fill = *word;
	*word = NULL;
	if (!fill || --fill->holds)
		return;
	tell_listener(fills, fill, outcome);
	shared_fills_free(fills, fill);
}

/* The data of a fill have arrived. If the fill was late, its outcome has already been reported. */
static void come(const struct shared_fills *fills, struct shared_fill *fill)
{
	struct base_prefetch *kept = &fill->kept;
	kept->came = *fills->listener.clock;
	if (!kept->wanted)
		return;
	fills->listener.came_late(fills->listener.user, kept);
	kept->sender = 0;
}

void shared_fills_arrived(struct shared_fills *fills, struct shared_fill *fill)
{
	no_more_coming(fills, fill);
	come(fills, fill);
	fill->holds = 1; /* prevents a free while filling, when the request names a word twice */
	for (uint32_t i = 0; i < fill->words; i++) {
		struct shared_fill **word = word_of(fills, fill->block, fill->word[i]);
		release_word(fills, word, BASE_PREFETCH_EARLY_EVICTED);
		*word = fill;
		fill->holds++;
	}
	fill->holds--;
}

void shared_fills_lost(struct shared_fills *fills, struct shared_fill *fill)
{
	no_more_coming(fills, fill);
	come(fills, fill);
	tell_listener(fills, fill, BASE_PREFETCH_REDUNDANT);
}

/* An instruction wants a word that is in flight. */
static void want(const struct shared_fills *fills, uint32_t block, uint32_t word)
{
	for (struct shared_fill *fill = fills->coming; fill; fill = fill->next)
		for (uint32_t i = 0; i < fill->words && !fill->kept.wanted && fill->block == block; i++)
			if (fill->word[i] == word) {
				fill->kept.wanted = *fills->listener.clock;
				fills->listener.outcome(fills->listener.user, BASE_PREFETCH_LATE, &fill->kept);
			}
}

static void read_word(struct shared_fills *fills, uint32_t block, uint32_t word)
{
	struct shared_fill *fill = *word_of(fills, block, word);
	if (fill)
		tell_listener(fills, fill, BASE_PREFETCH_USEFUL);
	if (fills->on_way[place_of(fills, block, word)])
		want(fills, block, word);
}

static void write_word(struct shared_fills *fills, uint32_t block, uint32_t word)
{
	release_word(fills, word_of(fills, block, word), BASE_PREFETCH_EARLY_EVICTED);
}

static void touch(struct shared_fills *fills, uint32_t block, const uint64_t *address, uint32_t lanes, uint32_t bytes,
                  void (*word)(struct shared_fills *fills, uint32_t block, uint32_t word))
{
	for (uint32_t left = lanes; left; left &= left - 1) {
		uint64_t first = address[__builtin_ctz(left)], end = (first + bytes + WORD - 1) / WORD;
		for (uint64_t at = first / WORD; at < end; at++)
			word(fills, block, (uint32_t)at);
	}
}

void shared_fills_read(struct shared_fills *fills, uint32_t block, const uint64_t *address, uint32_t lanes,
                       uint32_t bytes)
{
	touch(fills, block, address, lanes, bytes, read_word);
}

void shared_fills_written(struct shared_fills *fills, uint32_t block, const uint64_t *address, uint32_t lanes,
                          uint32_t bytes)
{
	touch(fills, block, address, lanes, bytes, write_word);
}

void shared_fills_block_ended(struct shared_fills *fills, uint32_t block)
{
	for (uint32_t word = 0; word < fills->block_words; word++)
		release_word(fills, word_of(fills, block, word), BASE_PREFETCH_REDUNDANT);
}
