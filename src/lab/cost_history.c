#include "lab/cost_history.h"

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

struct cost_history {
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

static struct known *find(const struct cost_history *history, uint64_t key)
{
	size_t place = (size_t)(key ^ key >> 32) & (history->size - 1);
	while (history->table[place].key && history->table[place].key != key)
		place = (place + 1) & (history->size - 1);
	return &history->table[place];
}

static void grow(struct cost_history *history)
{
	struct cost_history larger = {.size = 2 * history->size, .used = history->used};
	larger.table = base_calloc(larger.size, sizeof *larger.table);
	for (size_t i = 0; i < history->size; i++)
		if (history->table[i].key)
			*find(&larger, history->table[i].key) = history->table[i];
	free(history->table);
	*history = larger;
}

void cost_history_add(struct cost_history *history, const struct run_config *config, struct run_cost cost)
{
	for (int level = 0; level < LEVELS; level++) {
		uint64_t key = key_of(config, level);
		struct known *known = find(history, key);
		history->used += !known->key;
		known->key = key;
		known->seconds += cost.seconds;
		known->runs++;
		known->peak = cost.peak > known->peak ? cost.peak : known->peak;
		if (2 * history->used > history->size)
			grow(history);
	}
}

struct run_cost cost_history_expect(const struct cost_history *history, const struct run_config *config)
{
	struct run_cost cost = {0};
	for (int level = 0; level < LEVELS && !(cost.seconds > 0 && cost.peak); level++) {
		const struct known *known = find(history, key_of(config, level));
		if (known->runs && cost.seconds <= 0)
			cost.seconds = known->seconds / (double)known->runs;
		if (!cost.peak)
			cost.peak = known->peak;
	}
	return cost;
}

static void add_row(void *context, const struct run_config *config, const struct run_result *result)
{
	cost_history_add(context, config, (struct run_cost){result->seconds, result->peak});
}

struct cost_history *cost_history_open(struct store *store, char message[STORE_MESSAGE])
{
	struct cost_history *history = base_calloc(1, sizeof *history);
	history->size = FIRST_SIZE;
	history->table = base_calloc(history->size, sizeof *history->table);
	if (store_each_cost(store, add_row, history, message))
		return history;
	cost_history_close(history);
	return NULL;
}

void cost_history_close(struct cost_history *history)
{
	if (history)
		free(history->table);
	free(history);
}
