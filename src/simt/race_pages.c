#include "simt/race_pages.h"

#include "base/arena.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

struct race_page {
	uint64_t number;
	uint32_t grain, shift; /* bytes of a cell, and their logarithm */
	char cell[];
};

static int by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return x < y ? -1 : x > y;
}

static struct race_page *new_page(struct race_pages *pages, uint64_t number, uint32_t grain)
{
	struct race_page *page = base_calloc(1, sizeof *page + RACE_PAGE / grain * pages->cell_size);
	page->number = number;
	page->grain = grain;
	page->shift = (uint32_t)__builtin_ctz(grain);
	tsearch(page, &pages->tree, by_number);
	return page;
}

/* From here on each `grain` bytes of the page have their own record. */
static struct race_page *split(struct race_pages *pages, struct race_page *page, uint32_t grain)
{
	tdelete(page, &pages->tree, by_number);
	struct race_page *fine = new_page(pages, page->number, grain);
	for (uint32_t at = 0; at < RACE_PAGE; at += grain)
		memcpy(fine->cell + at / grain * pages->cell_size, page->cell + (at >> page->shift) * pages->cell_size,
		       pages->cell_size);
	free(page);
	return fine;
}

static struct race_page *find(struct race_pages *pages, uint64_t number)
{
	if (pages->last && pages->last->number == number)
		return pages->last;
	void **found = tfind(&number, &pages->tree, by_number);
	return found ? *found : NULL;
}

void *race_pages_cell(struct race_pages *pages, uint64_t at, uint32_t grain, uint64_t *end)
{
	uint64_t number = at / RACE_PAGE;
	struct race_page *page = find(pages, number);
	if (!page)
		page = new_page(pages, number, grain);
	else if (page->grain > grain)
		page = split(pages, page, grain);
	pages->last = page;
	*end = ((at >> page->shift) + 1) << page->shift;
	return page->cell + (at % RACE_PAGE >> page->shift) * pages->cell_size;
}

void race_pages_forget(struct race_pages *pages, uint64_t address, uint64_t size)
{
	for (uint64_t at = address, end = address + size, next; at < end; at = next) {
		struct race_page *page = find(pages, at / RACE_PAGE);
		next = (at / RACE_PAGE + 1) * RACE_PAGE;
		next = next < end ? next : end;
		if (!page)
			continue;
		uint64_t first = at % RACE_PAGE >> page->shift, last = (next - 1) % RACE_PAGE >> page->shift;
		memset(page->cell + first * pages->cell_size, 0, (last - first + 1) * pages->cell_size);
	}
}

void race_pages_free(struct race_pages *pages)
{
	tdestroy(pages->tree, free);
	pages->tree = pages->last = NULL;
}
