/* Compares two profiles: in words, and by the lines or instructions that gained and lost most. */
#include "cli/profile/profile.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

/* The same line or instruction in both profiles. If one profile lacks it, its costs are 0. */
struct pair {
	const struct profile_site *site; /* from either profile */
	struct profile_costs before, after;
};

static int64_t change(const struct profile_costs *before, const struct profile_costs *after)
{
	return (int64_t)profile_costs_slots(after) - (int64_t)profile_costs_slots(before);
}

static int by_change(const void *one, const void *other)
{
	const struct pair *a = one, *b = other;
	int64_t x = llabs(change(&a->before, &a->after)), y = llabs(change(&b->before, &b->after));
	return (x < y) - (x > y);
}

static bool is_same_text(const char *one, const char *other)
{
	return one && other ? strcmp(one, other) == 0 : one == other;
}

static bool has_file(const struct profile_data *data, const char *file)
{
	for (size_t i = 0; i < data->sites; i++)
		if (is_same_text(data->site[i].file, file))
			return true;
	return false;
}

/* Returns the only file that the other profile does not have; NULL: none or several. */
static const char *own_file(const struct profile_data *data, const struct profile_data *other)
{
	const char *own = NULL;
	for (size_t i = 0; i < data->sites; i++) {
		const char *file = data->site[i].file;
		if (!file || has_file(other, file))
			continue;
		if (own && strcmp(own, file) != 0)
			return NULL;
		own = file;
	}
	return own;
}

/* A copied and edited source has another name. If each profile has exactly one file that the other lacks, the two are
 * treated as the same. */
static void take_for_same(const struct profile_data *before, const struct profile_data *after)
{
	const char *old = own_file(before, after), *new = own_file(after, before);
	for (size_t i = 0; old && new &&i < after->sites; i++)
		if (is_same_text(after->site[i].file, new))
			after->site[i].file = old;
}

/* Instructions are the same when position and text are equal. Recompiled code has other instructions. */
static bool is_same(const struct profile_site *one, const struct profile_site *other)
{
	if (one->text)
		return one->index == other->index && is_same_text(one->text, other->text) &&
		       strcmp(one->kernel, other->kernel) == 0;
	return one->line == other->line && is_same_text(one->file, other->file) &&
	       (one->file || strcmp(one->kernel, other->kernel) == 0);
}

static struct pair *find(struct pair *pairs, size_t count, const struct profile_site *site)
{
	for (size_t i = 0; i < count; i++)
		if (is_same(pairs[i].site, site))
			return &pairs[i];
	return NULL;
}

static size_t pair_up(const struct profile_data *before, const struct profile_data *after, struct pair *pairs)
{
	size_t count = 0;
	for (size_t i = 0; i < before->sites; i++)
		pairs[count++] = (struct pair){.site = &before->site[i], .before = before->site[i].costs};
	for (size_t i = 0; i < after->sites; i++) {
		struct pair *pair = find(pairs, before->sites, &after->site[i]);
		if (!pair)
			*(pair = &pairs[count++]) = (struct pair){.site = &after->site[i]};
		profile_costs_add(&pair->after, &after->site[i].costs);
	}
	return count;
}

static double percent(double part, double whole)
{
	return whole > 0 ? 100 * part / whole : 0;
}

/* Prints the cause that grew or shrank most, for one place or for all. */
static void print_cause(const struct profile_costs *before, const struct profile_costs *after)
{
	size_t most = SHOWN_CAUSES;
	int64_t by = 0;
	for (size_t c = 0; c < SHOWN_CAUSES; c++) {
		int64_t difference = (int64_t)after->lost[c] - (int64_t)before->lost[c];
		if (llabs(difference) > llabs(by)) {
			by = difference;
			most = c;
		}
	}
	if (most != SHOWN_CAUSES)
		printf("%s %+lld", profile_cause_names[most], (long long)by);
}

static struct profile_costs sum_of(const struct profile_data *data)
{
	struct profile_costs sum = {0};
	for (size_t i = 0; i < data->sites; i++)
		profile_costs_add(&sum, &data->site[i].costs);
	return sum;
}

static void print_words(const struct profile_data *before, const struct profile_data *after)
{
	const struct profile_costs old = sum_of(before), new = sum_of(after);
	double by = percent((double)after->cycles - (double)before->cycles, (double)before->cycles);
	if (before->cycles == after->cycles)
		printf("Both take %llu cycles.\n", (unsigned long long)before->cycles);
	else
		printf("%s takes %.1f %% %s cycles than %s: %llu for %llu.\n", after->path, by < 0 ? -by : by,
		       by < 0 ? "fewer" : "more", before->path, (unsigned long long)after->cycles,
		       (unsigned long long)before->cycles);
	printf("Slots: issued %+lld, lost %+lld, without a warp %+lld", (long long)(new.issues - old.issues),
	       (long long)(profile_costs_lost(&new) - profile_costs_lost(&old)),
	       (long long)(after->idle - before->idle));
	fputs("; largest change among lost slots: ", stdout);
	print_cause(&old, &new);
	puts(".\n");
}

static void print_pairs(const struct pair *pairs, size_t count, uint64_t slots, const struct profile_wish *wish)
{
	printf(" %14s %14s %14s %7s  %-28s %s\n", "slots before", "slots after", "change", "of all", "most changed",
	       wish->by == PROFILE_BY_LINE ? "line" : "instruction");
	for (size_t i = 0; i < count && (!wish->top || i < wish->top); i++) {
		const struct pair *pair = &pairs[i];
		int64_t by = change(&pair->before, &pair->after);
		char name[160];
		if (!by)
			continue;
		printf(" %14llu %14llu %+14lld %+6.1f%%  ", (unsigned long long)profile_costs_slots(&pair->before),
		       (unsigned long long)profile_costs_slots(&pair->after), (long long)by,
		       percent((double)by, (double)slots));
		print_cause(&pair->before, &pair->after);
		profile_site_name(pair->site, name, sizeof name);
		printf("  %s\n", name);
	}
}

bool profile_diff(const struct profile_wish *wish)
{
	struct profile_data before, after;
	if (!profile_data_read(&before, wish->command, wish->word[1], wish->kernel, wish->by))
		return false;
	if (!profile_data_read(&after, wish->command, wish->word[2], wish->kernel, wish->by)) {
		profile_data_close(&before);
		return false;
	}
	take_for_same(&before, &after);
	struct pair *pairs = base_calloc(before.sites + after.sites + 1, sizeof *pairs);
	size_t count = pair_up(&before, &after, pairs);
	qsort(pairs, count, sizeof *pairs, by_change);
	print_words(&before, &after);
	print_pairs(pairs, count, before.slots, wish);
	free(pairs);
	profile_data_close(&before);
	profile_data_close(&after);
	return true;
}
