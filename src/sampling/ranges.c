#include "sampling/ranges.h"

#include "base/arena.h"

#include <inttypes.h>
#include <pthread.h>
#include <search.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* An open range. */
struct open_range {
	struct range range;
	struct range_name *name;
	char *domain;             /* "": none */
	struct open_range *outer; /* the older one of the thread, or of the started ranges */
	struct open_range *same;  /* the older one of the same name */
};

struct range_name {
	char *text;
	uint64_t entered;
	struct open_range *open; /* the newest one */
	struct range_name *next; /* in the order of the first entries */
};

static struct {
	pthread_mutex_t lock;
	void *names; /* a tree for tsearch() */
	struct range_name *first, **end;
	struct open_range *started; /* the newest one */
	uint64_t count;             /* of all ranges */
	atomic_bool used;
} ranges = {.lock = PTHREAD_MUTEX_INITIALIZER, .end = &ranges.first};

static _Thread_local struct open_range *pushed; /* the newest one */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t thread_end;

static int compare(const void *one, const void *other)
{
	return strcmp(((const struct range_name *)one)->text, ((const struct range_name *)other)->text);
}

/* Returns the name's entry, a new one if necessary. Names stay until the process ends. */
static struct range_name *find_name(const char *domain, const char *name)
{
	struct range_name wanted = {0};
	bool has_domain = domain && *domain;
	name = name ? name : "";
	if (asprintf(&wanted.text, "%s%s%s", name, has_domain ? "@" : "", has_domain ? domain : "") < 0)
		abort();
	struct range_name **found = tfind(&wanted, &ranges.names, compare);
	if (found) {
		free(wanted.text);
		return *found;
	}
	struct range_name *entry = base_calloc(1, sizeof *entry);
	*entry = wanted;
	tsearch(entry, &ranges.names, compare);
	*ranges.end = entry;
	ranges.end = &entry->next;
	return entry;
}

static struct open_range *open_range(const char *domain, const char *name, struct open_range **list)
{
	struct open_range *open = base_calloc(1, sizeof *open);
	open->name = find_name(domain, name);
	open->domain = base_strdup(domain ? domain : "");
	open->range = (struct range){open->name, ++open->name->entered, ++ranges.count};
	open->same = open->name->open;
	open->name->open = open;
	open->outer = *list;
	*list = open;
	atomic_store(&ranges.used, true);
	return open;
}

/* `place` points to the range in its list. */
static void close_range(struct open_range **place)
{
	struct open_range *open = *place, **same = &open->name->open;
	while (*same != open)
		same = &(*same)->same;
	*same = open->same;
	*place = open->outer;
	free(open->domain);
	free(open);
}

/* A thread ends with ranges that it has not popped. */
static void end_thread(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&ranges.lock);
	while (pushed)
		close_range(&pushed);
	pthread_mutex_unlock(&ranges.lock);
}

static void make_key(void)
{
	pthread_key_create(&thread_end, end_thread);
}

/* Returns the number of the thread's ranges in the domain, from `open` outward. */
static int depth(const struct open_range *open, const char *domain)
{
	int count = 0;
	for (; open; open = open->outer)
		count += strcmp(open->domain, domain) == 0;
	return count;
}

int ranges_push(const char *domain, const char *name)
{
	pthread_once(&once, make_key);
	pthread_setspecific(thread_end, &ranges); /* any value but NULL: end_thread() runs */
	pthread_mutex_lock(&ranges.lock);
	const struct open_range *open = open_range(domain, name, &pushed);
	int level = depth(open->outer, open->domain);
	pthread_mutex_unlock(&ranges.lock);
	return level;
}

int ranges_pop(const char *domain)
{
	domain = domain ? domain : "";
	int level = RANGES_NONE;
	pthread_mutex_lock(&ranges.lock);
	struct open_range **place = &pushed;
	while (*place && strcmp((*place)->domain, domain) != 0)
		place = &(*place)->outer;
	if (*place) {
		level = depth((*place)->outer, domain);
		close_range(place);
	}
	pthread_mutex_unlock(&ranges.lock);
	return level;
}

uint64_t ranges_start(const char *domain, const char *name)
{
	pthread_mutex_lock(&ranges.lock);
	uint64_t number = open_range(domain, name, &ranges.started)->range.order;
	pthread_mutex_unlock(&ranges.lock);
	return number;
}

bool ranges_end(uint64_t number)
{
	pthread_mutex_lock(&ranges.lock);
	struct open_range **place = &ranges.started;
	while (*place && (*place)->range.order != number)
		place = &(*place)->outer;
	bool found = *place;
	if (found)
		close_range(place);
	pthread_mutex_unlock(&ranges.lock);
	return found;
}

bool ranges_are_used(void)
{
	return atomic_load(&ranges.used);
}

const char *range_text(const struct range_name *name)
{
	return name->text;
}

/* Both lists have the newest range first. Their merge is written from its end. */
static void merge(const struct open_range *one, const struct open_range *other, struct range_list *list)
{
	for (size_t at = list->count; at-- > 0;) {
		const struct open_range **from =
			!other || (one && one->range.order > other->range.order) ? &one : &other;
		list->range[at] = (*from)->range;
		*from = (*from)->outer;
	}
}

struct range_list ranges_now(void)
{
	struct range_list list = {0};
	pthread_mutex_lock(&ranges.lock);
	for (const struct open_range *open = pushed; open; open = open->outer)
		list.count++;
	for (const struct open_range *open = ranges.started; open; open = open->outer)
		list.count++;
	if (list.count) {
		list.range = base_calloc(list.count, sizeof *list.range);
		merge(pushed, ranges.started, &list);
	}
	pthread_mutex_unlock(&ranges.lock);
	return list;
}

/* --- the user's list --- */

/* Parses NAME or NAME:K. A name may contain "::". */
static void read_wish(struct range_wishes *wishes, const char *text, struct diag *diag)
{
	wishes->item = base_realloc(wishes->item, (wishes->items + 1) * sizeof *wishes->item);
	struct range_wish *wish = &wishes->item[wishes->items++];
	const char *colon = strrchr(text, ':');
	bool numbered = colon && colon > text && colon[-1] != ':' && colon[1] &&
	                strspn(colon + 1, "0123456789") == strlen(colon + 1);
	*wish = (struct range_wish){.text = strndup(text, numbered ? (size_t)(colon - text) : strlen(text)),
	                            .number = numbered ? strtoull(colon + 1, NULL, 10) : 0};
	if (!*wish->text)
		diag_plain(diag, "selected ranges: expected NAME, NAME@DOMAIN or NAME:NUMBER at a comma");
	else if (numbered && !wish->number)
		diag_plain(diag, "selected ranges: '%s' is no range; the ranges of a name are numbered from 1", text);
}

void range_wishes_open(struct range_wishes *wishes, const char *list, struct diag *diag)
{
	*wishes = (struct range_wishes){.text = list ? base_strdup(list) : NULL};
	char *copy = list ? base_strdup(list) : NULL, *rest = copy;
	for (char *word; (word = strsep(&rest, ","));)
		read_wish(wishes, word, diag);
	free(copy);
}

void range_wishes_close(struct range_wishes *wishes)
{
	for (size_t i = 0; i < wishes->items; i++)
		free(wishes->item[i].text);
	free(wishes->item);
	free(wishes->text);
}

static bool holds(const struct range_wish *wish, const struct range *range)
{
	return (!wish->number || wish->number == range->number) && strcmp(wish->text, range->name->text) == 0;
}

bool range_wishes_hold(const struct range_wishes *wishes, const struct range_list *now)
{
	for (size_t i = 0; i < wishes->items; i++)
		for (size_t k = 0; k < now->count; k++)
			if (holds(&wishes->item[i], &now->range[k]))
				return true;
	return false;
}

/* Returns NULL when the program has not entered it. */
static const struct range_name *name_of(const struct range_wish *wish)
{
	const struct range_name wanted = {.text = wish->text};
	struct range_name **found = tfind(&wanted, &ranges.names, compare);
	return found && (*found)->entered >= wish->number ? *found : NULL;
}

static bool is_over(const struct range_wish *wish)
{
	const struct range_name *name = name_of(wish);
	for (const struct open_range *open = name ? name->open : NULL; open; open = open->same)
		if (holds(wish, &open->range))
			return false;
	return name;
}

bool range_wishes_are_over(const struct range_wishes *wishes)
{
	bool over = wishes->items;
	pthread_mutex_lock(&ranges.lock);
	for (size_t i = 0; i < wishes->items; i++)
		over = over && is_over(&wishes->item[i]);
	pthread_mutex_unlock(&ranges.lock);
	return over;
}

static void print_names(FILE *file)
{
	enum { MOST = 10 };
	uint64_t count = 0;
	for (const struct range_name *name = ranges.first; name; name = name->next, count++)
		if (count < MOST)
			fprintf(file, "%s%s", count ? ", " : "", name->text);
	if (count > MOST)
		fprintf(file, " and %" PRIu64 " more", count - MOST);
}

void range_wishes_print_missed(const struct range_wishes *wishes, FILE *file)
{
	pthread_mutex_lock(&ranges.lock);
	for (size_t i = 0; i < wishes->items; i++) {
		const struct range_wish *wish = &wishes->item[i];
		if (name_of(wish))
			continue;
		fprintf(file, "range %s", wish->text);
		if (wish->number)
			fprintf(file, ":%" PRIu64, wish->number);
		fprintf(file, " did not occur; ");
		if (ranges.first)
			fprintf(file, "the program had ");
		else
			fprintf(file, "the program had no range");
		print_names(file);
		fputc('\n', file);
	}
	pthread_mutex_unlock(&ranges.lock);
}
