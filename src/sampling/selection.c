#include "sampling/selection.h"

#include "base/arena.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Parses "N" or "N-M". False: the text is a name. */
static bool read_numbers(const char *text, struct selection_item *item)
{
	char *end;
	if (!isdigit((unsigned char)*text))
		return false;
	item->first = item->last = strtoull(text, &end, 10);
	if (*end == '-' && isdigit((unsigned char)end[1]))
		item->last = strtoull(end + 1, &end, 10);
	return !*end;
}

/* Parses "NAME" or "NAME:K". A name in C++ may contain "::". */
static void read_name(const char *text, struct selection_item *item)
{
	const char *colon = strrchr(text, ':');
	size_t length = strlen(text);
	if (colon && colon > text && colon[-1] != ':' && colon[1] &&
	    strspn(colon + 1, "0123456789") == strlen(colon + 1)) {
		item->is_numbered = true;
		item->number = strtoull(colon + 1, NULL, 10);
		length = (size_t)(colon - text);
	}
	item->name = strndup(text, length);
}

static void read_item(struct selection *selection, const char *text, struct diag *diag)
{
	selection->item = base_realloc(selection->item, (selection->items + 1) * sizeof *selection->item);
	struct selection_item *item = &selection->item[selection->items++];
	*item = (struct selection_item){0};
	if (!*text)
		diag_plain(diag, "selected kernels: expected a number, FIRST-LAST, NAME or NAME:NUMBER at a comma");
	else if (!read_numbers(text, item))
		read_name(text, item);
	bool is_empty = item->name ? item->is_numbered && !item->number : !item->first || item->last < item->first;
	if (*text && is_empty)
		diag_plain(diag, "selected kernels: '%s' contains no launch; launches are numbered from 1", text);
}

static void check(const struct selection *selection, struct diag *diag)
{
	bool endless = false;
	for (size_t i = 0; i < selection->items; i++) {
		endless |= selection->item[i].name && !selection->item[i].is_numbered;
		if (selection->item[i].name && selection->warm) {
			diag_plain(
				diag,
				"launches before '%s' cannot warm the caches: the next kernel's name is not known in "
				"advance. Select it by the launch's number, which --functional shows",
				selection->item[i].name);
			return;
		}
	}
	if (selection->warm && !selection->items)
		diag_plain(diag, "launches that warm the caches need selected numbers");
	if (selection->stops && endless)
		diag_plain(diag, "the run cannot end after the last launch of a name; NAME:NUMBER has a last one");
	if (selection->stops && !selection_is_used(selection))
		diag_plain(diag, "the run cannot end after the last selected launch: none is selected");
}

void selection_open(struct selection *selection, const struct selection_wish *wish, struct diag *diag)
{
	*selection = (struct selection){.warm = wish->warm, .by_region = wish->by_region, .stops = wish->stops};
	selection->text = wish->kernels ? base_strdup(wish->kernels) : NULL;
	char *list = wish->kernels ? base_strdup(wish->kernels) : NULL, *rest = list;
	for (char *word; (word = strsep(&rest, ","));)
		read_item(selection, word, diag);
	free(list);
	range_wishes_open(&selection->ranges, wish->ranges, diag);
	check(selection, diag);
}

void selection_close(struct selection *selection)
{
	for (size_t i = 0; i < selection->items; i++)
		free(selection->item[i].name);
	free(selection->item);
	range_wishes_close(&selection->ranges);
	free(selection->text);
}

/* Compares with the symbol, or with the name in the source without parameters and template arguments. */
static bool is_named(const char *name, const char *symbol, const char *shown)
{
	size_t length = strlen(name);
	if (strcmp(name, symbol) == 0 || strcmp(name, shown) == 0)
		return true;
	const char *space = strchr(shown, ' '); /* a template's instance has its type before the name */
	const char *at = space && strcspn(shown, " ") < strcspn(shown, "(<") ? space + 1 : shown;
	return strncmp(name, at, length) == 0 && (at[length] == '(' || at[length] == '<');
}

static bool is_selected(struct selection_item *item, uint64_t number, const char *symbol, const char *shown)
{
	if (!item->name)
		return number >= item->first && number <= item->last;
	if (!is_named(item->name, symbol, shown))
		return false;
	item->seen++;
	return !item->is_numbered || item->seen == item->number;
}

static bool is_done(const struct selection_item *item, uint64_t number)
{
	return item->name ? item->is_numbered && item->seen >= item->number : number >= item->last;
}

/* True when no later launch can be selected by the list. */
static bool is_last(const struct selection *selection, uint64_t number)
{
	bool done = selection->items > 0;
	for (size_t i = 0; i < selection->items; i++)
		done &= is_done(&selection->item[i], number);
	return done;
}

enum launch_choice selection_choose(struct selection *selection, uint64_t number, const char *symbol, const char *shown,
                                    const struct range_list *ranges)
{
	bool selected = !selection->items, warms = false;
	for (size_t i = 0; i < selection->items; i++) {
		struct selection_item *item = &selection->item[i];
		selected |= is_selected(item, number, symbol, shown);
		warms |= !item->name && number < item->first && item->first - number <= selection->warm;
	}
	selection->is_over |= selection->stops && is_last(selection, number);
	bool in_region = !selection->by_region || selection->is_in_region;
	bool in_ranges = !selection->ranges.items || range_wishes_hold(&selection->ranges, ranges);
	if (selected && in_region && in_ranges)
		return LAUNCH_SELECTED;
	return warms ? LAUNCH_WARMS : LAUNCH_LEFT_OUT;
}

void selection_region(struct selection *selection, bool enters)
{
	selection->is_over |= selection->stops && !selection->items && selection->is_in_region && !enters;
	selection->is_in_region = enters;
}

bool selection_is_over(const struct selection *selection)
{
	bool by_ranges = selection->stops && !selection->items;
	return selection->is_over || (by_ranges && range_wishes_are_over(&selection->ranges));
}
