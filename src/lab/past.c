#include "lab/past.h"

#include "base/arena.h"

#include <stdlib.h>

/* Levels of similarity of two runs: equal except for the build; on the same machine; with the same arguments; of the
 * same program. */
enum { LEVELS = 4, FIRST_SIZE = 1024 };

struct known {
	uint64_t key; /* 0: free */
	double seconds;
	size_t runs; /* number of runs summed in `seconds` */
	uint64_t peak;
};

struct past {
	struct known *table;
	size_t size, used; /* size: a power of 2 */
};

static uint64_t add_text(uint64_t key, const char *text)
{
	for (; *text; text++)
		key = (key ^ (unsigned char)*text) * 0x100000001b3u;
	return (key ^ 0xff) * 0x100000001b3u;
}

static uint64_t key_of(const struct run_config *config, int level)
{
	uint64_t key = add_text(0xcbf29ce484222325u + (unsigned)level, config->program);
	if (level <= 2) {
		key = add_text(key, config->variant);
		key = add_text(key, config->size);
		key = add_text(key, config->arguments);
	}
	if (level <= 1)
		key = add_text(key, config->machine);
	if (level == 0) {
		key = add_text(key, config->options);
		key = add_text(key, config->mechanisms);
	}
	return key ? key : 1;
}

static struct known *find(const struct past *past, uint64_t key)
{
	size_t place = (size_t)(key ^ key >> 32) & (past->size - 1);
	while (past->table[place].key && past->table[place].key != key)
		place = (place + 1) & (past->size - 1);
	return &past->table[place];
}

static void grow(struct past *past)
{
	struct past larger = {.size = 2 * past->size, .used = past->used};
	larger.table = base_calloc(larger.size, sizeof *larger.table);
	for (size_t i = 0; i < past->size; i++)
		if (past->table[i].key)
			*find(&larger, past->table[i].key) = past->table[i];
	free(past->table);
	*past = larger;
}

void past_add(struct past *past, const struct run_config *config, struct past_cost cost)
{
	for (int level = 0; level < LEVELS; level++) {
		uint64_t key = key_of(config, level);
		struct known *known = find(past, key);
		past->used += !known->key;
		known->key = key;
		known->seconds += cost.seconds;
		known->runs++;
		known->peak = cost.peak > known->peak ? cost.peak : known->peak;
		if (2 * past->used > past->size)
			grow(past);
	}
}

struct past_cost past_expect(const struct past *past, const struct run_config *config)
{
	struct past_cost cost = {0};
	for (int level = 0; level < LEVELS && !(cost.seconds > 0 && cost.peak); level++) {
		const struct known *known = find(past, key_of(config, level));
		if (known->runs && cost.seconds <= 0)
			cost.seconds = known->seconds / (double)known->runs;
		if (!cost.peak)
			cost.peak = known->peak;
	}
	return cost;
}

static void add_row(void *context, const struct run_config *config, const struct run_result *result)
{
	past_add(context, config, (struct past_cost){result->seconds, result->peak});
}

struct past *past_open(struct store *store, char message[STORE_MESSAGE])
{
	struct past *past = base_calloc(1, sizeof *past);
	past->size = FIRST_SIZE;
	past->table = base_calloc(past->size, sizeof *past->table);
	if (store_each_cost(store, add_row, past, message))
		return past;
	past_close(past);
	return NULL;
}

void past_close(struct past *past)
{
	if (past)
		free(past->table);
	free(past);
}
