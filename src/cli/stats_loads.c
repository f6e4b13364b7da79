/* Prints the loads of a stored kernel: a prefetcher's account of each, and the load's demand accesses. */
#include "cli/stats_loads.h"

#include "base/arena.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 9 };

/* A load for which requests were sent, or that was executed, or both. */
struct load {
	uint32_t pc, line;  /* line 0: unknown */
	const json_t *sent; /* the mechanism's account, or NULL: it requested nothing */
	bool listed;        /* l1_by_load has counted it: */
	size_t element;     /* ... index in its vectors */
};

struct loads {
	const json_t *vectors;
	struct load *load;
	size_t count;
};

static const json_t *demand(const struct loads *loads, const char *what, const char *part)
{
	char name[64];
	snprintf(name, sizeof name, "l1_by_load.%s", what);
	return json_object_get(json_object_get(loads->vectors, name), part);
}

static double demanded(const struct loads *loads, const struct load *load, const char *what)
{
	return json_number_value(json_array_get(demand(loads, what, "values"), load->element));
}

static double sent(const struct load *load, const char *what)
{
	return json_number_value(json_object_get(load->sent, what));
}

/* --- which loads --- */

static struct load *find(struct loads *loads, uint32_t pc)
{
	for (size_t i = 0; i < loads->count; i++)
		if (loads->load[i].pc == pc)
			return &loads->load[i];
	loads->load[loads->count] = (struct load){.pc = pc};
	return &loads->load[loads->count++];
}

/* Parses "KERNEL pc 9 line 2", where the kernel's name may contain anything. */
static bool read_label(const char *label, uint32_t *pc, uint32_t *line)
{
	const char *last = NULL;
	for (const char *at = label; at && (at = strstr(at, " pc ")); at++)
		last = at;
	return last && sscanf(last, " pc %" SCNu32 " line %" SCNu32, pc, line) == 2;
}

static int by_pc(const void *one, const void *other)
{
	uint32_t a = ((const struct load *)one)->pc, b = ((const struct load *)other)->pc;
	return (a > b) - (a < b);
}

static struct loads find_loads(const json_t *kernel, const json_t *account)
{
	struct loads loads = {.vectors = json_object_get(kernel, "vectors")};
	const json_t *labels = demand(&loads, "accesses", "labels");
	loads.load = base_calloc(json_array_size(account) + json_array_size(labels) + 1, sizeof *loads.load);
	for (size_t i = 0; i < json_array_size(account); i++) {
		const json_t *sent = json_array_get(account, i);
		struct load *load = find(&loads, (uint32_t)json_integer_value(json_object_get(sent, "pc")));
		load->line = (uint32_t)json_integer_value(json_object_get(sent, "line"));
		load->sent = sent;
	}
	for (size_t i = 0; i < json_array_size(labels); i++) {
		const char *label = json_string_value(json_array_get(labels, i));
		uint32_t pc, line;
		if (!label || !read_label(label, &pc, &line))
			continue;
		struct load *load = find(&loads, pc);
		load->line = line;
		load->listed = true;
		load->element = i;
	}
	qsort(loads.load, loads.count, sizeof *loads.load, by_pc);
	return loads;
}

/* --- the table --- */

static void print_count(bool known, double value)
{
	if (known)
		printf(" %*.0f", WIDTH, value);
	else
		printf(" %*s", WIDTH, "-");
}

/* Prints a dash when the whole is 0. */
static void print_share(double scale, double part, double whole)
{
	if (whole > 0)
		printf(" %*.1f", WIDTH, scale * part / whole);
	else
		printf(" %*s", WIDTH, "-");
}

static void print_load(const struct loads *loads, const struct load *load)
{
	double accesses = load->listed ? demanded(loads, load, "accesses") : 0;
	double misses = load->listed ? demanded(loads, load, "misses") : 0;
	double first_uses = load->listed ? demanded(loads, load, "first_uses") : 0;
	double came = sent(load, "useful") + sent(load, "late");
	printf("    %6" PRIu32 " %5" PRIu32, load->line, load->pc);
	print_count(load->listed, accesses);
	print_share(100, misses, accesses);
	print_share(100, first_uses, first_uses + misses);
	print_count(true, sent(load, "issued"));
	print_count(true, sent(load, "useful"));
	print_count(true, sent(load, "late"));
	print_count(true, sent(load, "early_evicted"));
	print_share(100, came, sent(load, "issued"));
	print_share(1, sent(load, "prefetch_distance"), came);
	print_share(1, sent(load, "late_wait"), sent(load, "late"));
	putchar('\n');
}

static void print_head(const char *mechanism)
{
	static const char *const column[] = {"accesses", "% miss",  "% covered", "sent",     "useful",
	                                     "late",     "evicted", "% correct", "distance", "wait"};
	printf("  %s\n    %6s %5s", mechanism, "line", "pc");
	for (size_t i = 0; i < sizeof column / sizeof *column; i++)
		printf(" %*s", WIDTH, column[i]);
	putchar('\n');
}

static void print_loads(const json_t *kernel, const char *mechanism, const json_t *account)
{
	struct loads loads = find_loads(kernel, account);
	print_head(mechanism);
	for (size_t i = 0; i < loads.count; i++)
		print_load(&loads, &loads.load[i]);
	free(loads.load);
}

void stats_print_loads(const json_t *kernel)
{
	const json_t *senders = json_object_get(kernel, "loads");
	const char *mechanism;
	json_t *account;
	/* jansson's iteration takes a non-const pointer, but does not modify the object */
	json_object_foreach((json_t *)senders, mechanism, account) print_loads(kernel, mechanism, account);
	if (json_object_size(senders))
		return;
	if (json_object_get(json_object_get(kernel, "vectors"), "l1_by_load.accesses"))
		print_loads(kernel, "nothing was sent", NULL);
	else
		puts("  no mechanism that prefetches, and no l1_by_load");
}
