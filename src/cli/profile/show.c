/* Shows the lines or instructions with the highest costs. */
#include "cli/profile/profile.h"

#include <stdlib.h>
#include <string.h>

static int by_slots(const void *one, const void *other)
{
	const struct profile_site *a = one, *b = other;
	uint64_t x = profile_costs_slots(&a->costs), y = profile_costs_slots(&b->costs);
	return x != y ? (x < y) - (x > y) : (a->index > b->index) - (a->index < b->index);
}

void profile_site_name(const struct profile_site *site, char *text, size_t size)
{
	const char *slash = site->file ? strrchr(site->file, '/') : NULL;
	const char *file = slash ? slash + 1 : site->file;
	if (site->text)
		snprintf(text, size, "%u: %s", site->index, site->text);
	else if (file)
		snprintf(text, size, "%s:%u", file, site->line);
	else
		snprintf(text, size, "no line (%s)", site->kernel);
}

/* Prints the instruction that waited longest for a load. */
static void print_waiter(const struct profile_site *site)
{
	size_t i;
	const json_t *waiter, *most = NULL;
	json_array_foreach(site->waiters, i,
	                   waiter) if (!most || json_integer_value(json_object_get(waiter, "slots")) >
	                                                json_integer_value(json_object_get(most, "slots"))) most =
		waiter;
	if (most)
		printf("   (%lld slots wait for it, most at %lld)",
		       (long long)json_integer_value(json_object_get(most, "slots")),
		       (long long)json_integer_value(json_object_get(most, "index")));
}

static void print_site(const struct profile_data *data, const struct profile_site *site)
{
	char name[160];
	profile_print_costs(&site->costs, data->slots, stdout);
	profile_site_name(site, name, sizeof name);
	fputs(name, stdout);
	print_waiter(site);
	putchar('\n');
}

bool profile_show(const struct profile_wish *wish)
{
	struct profile_data data;
	if (!profile_data_read(&data, wish->command, wish->word[1], wish->kernel, wish->by))
		return false;
	printf("%llu cycles, %llu launch%s; %.1f %% of the schedulers' slots had no warp\n",
	       (unsigned long long)data.cycles, (unsigned long long)data.launches, data.launches == 1 ? "" : "es",
	       data.slots ? 100 * (double)data.idle / (double)data.slots : 0);
	profile_print_heads(stdout);
	puts(wish->by == PROFILE_BY_LINE ? "line" : "instruction");
	if (data.sites)
		qsort(data.site, data.sites, sizeof *data.site, by_slots);
	for (size_t i = 0; i < data.sites && (!wish->top || i < wish->top); i++)
		if (profile_costs_slots(&data.site[i].costs))
			print_site(&data, &data.site[i]);
	profile_data_close(&data);
	return true;
}
