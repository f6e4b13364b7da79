/* GPGPU-Sim's cache descriptions: GEOMETRY,POLICIES,MSHRS,QUEUES[,PORT]. */
#include "gpgpusim/private.h"

#include <ctype.h>
#include <string.h>

/* A letter of a cache description, and our value for it. */
struct letter {
	char letter;
	const char *value;
};

static const struct letter replacements[] = {{'L', "lru"}, {'F', "fifo"}, {0, NULL}};
static const struct letter writes[] = {{'R', NULL},    {'B', "back"},  {'T', "through"},
                                       {'E', "evict"}, {'L', "evict"}, {0, NULL}};
static const struct letter allocations[] = {{'m', "on_miss"}, {'f', "on_fill"}, {'s', "on_fill"}, {0, NULL}};
static const struct letter write_misses[] = {{'N', "none"}, {'W', "fetch"}, {'F', "fetch"}, {'L', "lazy"}, {0, NULL}};
static const struct letter indexes[] = {{'L', "linear"}, {'H', "hashed"}, {'P', "polynomial"}, {'X', NULL}, {0, NULL}};

static void set_letter(struct config *config, const char *prefix, const char *key, const struct letter *letters,
                       const char *text)
{
	char name[64];
	snprintf(name, sizeof name, "%s.%s", prefix, key);
	while (letters->letter && letters->letter != *text)
		letters++;
	if (!letters->letter || text[1])
		gpgpusim_fail(config, "'%s' is not a letter for %s", text, name);
	else if (letters->value)
		gpgpusim_set(config, name, letters->value);
}

static void set_cache_number(struct config *config, const char *prefix, const char *key, const char *text)
{
	char name[64];
	uint32_t number;
	snprintf(name, sizeof name, "%s.%s", prefix, key);
	if (gpgpusim_number(config, text, &number))
		gpgpusim_set_number(config, name, number);
}

/* Parses SETS:LINE:WAYS. */
static void set_geometry(struct config *config, const char *prefix, char *text)
{
	static const char *const keys[] = {"sets", "line_bytes", "ways"};
	char *parts[PARTS], *kind = text;
	bool sectored = false;
	if (isalpha((unsigned char)*kind) && kind[1] == ':') { /* version 4 prefixes N: (lines) or S: (sectors) */
		sectored = *kind == 'S';
		text += 2;
	}
	if (gpgpusim_part(text, ":", parts) != 3) {
		gpgpusim_fail(config, "'%s' is not a geometry; expected SETS:LINE:WAYS", text);
		return;
	}
	for (size_t i = 0; i < 3; i++)
		set_cache_number(config, prefix, keys[i], parts[i]);
	if (strcmp(prefix, "l1d") == 0)
		gpgpusim_set(config, "l1d.sectors", sectored ? "4" : "1");
	if (strcmp(prefix, "l2") == 0) {
		gpgpusim_set(config, "l2.sectors", sectored ? "4" : "1");
		gpgpusim_set(config, "l2.by_sectors", sectored ? "true" : "false");
	}
}

/* Parses REPLACEMENT:WRITE:ALLOCATION:WRITE_MISS[:INDEX]; the index is newer. */
static void set_policies(struct config *config, const char *prefix, char *text)
{
	char *parts[PARTS];
	size_t count = gpgpusim_part(text, ":", parts);
	bool is_texture = strcmp(prefix, "l1t") == 0;
	bool takes_writes = strcmp(prefix, "l1d") == 0 || strcmp(prefix, "l2") == 0;
	if (count < 4) {
		gpgpusim_fail(config, "'%s' has too few policies; expected REPLACEMENT:WRITE:ALLOCATION:WRITE_MISS",
		              text);
		return;
	}
	set_letter(config, prefix, "replacement", replacements, parts[0]);
	if (!is_texture)
		set_letter(config, prefix, "allocation", allocations, parts[2]);
	if (takes_writes) {
		/* "local write-back, global write-evict" corresponds to our "evict" of L1 */
		set_letter(config, prefix, "write_hit", writes, parts[1]);
		set_letter(config, prefix, "write_miss", write_misses, parts[3]);
	}
	if (count > 4)
		set_letter(config, prefix, "index", indexes, parts[4]);
}

static void set_mshrs(struct config *config, const char *prefix, char *text)
{
	bool is_texture = strcmp(prefix, "l1t") == 0;
	char *parts[PARTS];
	if (gpgpusim_part(text, ":", parts) < 3) {
		gpgpusim_fail(config, "'%s' does not describe MSHRs; expected KIND:ENTRIES:MERGES", text);
		return;
	}
	set_cache_number(config, prefix, is_texture ? "fragments" : "mshrs", parts[1]);
	set_cache_number(config, prefix, is_texture ? "requests" : "merges", parts[2]);
}

/* Parses the length of the miss queue, or a texture cache's lines in flight and results. */
static void set_queues(struct config *config, const char *prefix, char *text)
{
	char *parts[PARTS];
	size_t count = gpgpusim_part(text, ":", parts);
	bool is_texture = strcmp(prefix, "l1t") == 0;
	set_cache_number(config, prefix, is_texture ? "lines" : "miss_queue", parts[0]);
	if (is_texture && count > 1)
		set_cache_number(config, prefix, "results", parts[1]);
}

/* Parses GEOMETRY,POLICIES,MSHRS,QUEUES[,PORT]. */
static void set_cache(struct config *config, const char *prefix)
{
	char copy[WORD], *parts[PARTS];
	snprintf(copy, sizeof copy, "%s", config->value);
	if (strcmp(prefix, "l1d") == 0)
		snprintf(config->dl1, sizeof config->dl1, "%s", config->value);
	size_t count = gpgpusim_part(copy, ",", parts);
	if (count < 4) {
		gpgpusim_fail(config, "'%s' is not a cache; expected GEOMETRY,POLICIES,MSHRS,QUEUE", config->value);
		return;
	}
	set_geometry(config, prefix, parts[0]);
	set_policies(config, prefix, parts[1]);
	set_mshrs(config, prefix, parts[2]);
	set_queues(config, prefix, parts[3]);
	if (count > 4 && strcmp(prefix, "l1t") != 0)
		set_cache_number(config, prefix, "port_bytes", parts[4]);
	config->options->honored++;
}

bool gpgpusim_apply_cache(struct config *config)
{
	static const struct {
		const char *option, *prefix;
	} caches[] = {{"-gpgpu_cache:dl1", "l1d"},
	              {"-gpgpu_cache:dl2", "l2"},
	              {"-gpgpu_cache:il1", "l1i"},
	              {"-gpgpu_const_cache:l1", "l1c"},
	              {"-gpgpu_tex_cache:l1", "l1t"}};
	for (size_t i = 0; i < sizeof caches / sizeof *caches; i++)
		if (strcmp(caches[i].option, config->option) == 0) {
			set_cache(config, caches[i].prefix);
			return true;
		}
	return false;
}
