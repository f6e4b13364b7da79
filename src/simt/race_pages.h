/* race_pages: records of the accesses to global memory, found by address: one cell per word. A page with accesses to
 * parts of words has one per byte. A page that is only accessed as a whole has a single one. */
#ifndef SLUICE_SIMT_RACE_PAGES_H
#define SLUICE_SIMT_RACE_PAGES_H

#include <stddef.h>
#include <stdint.h>

enum { RACE_PAGE = 4096, RACE_WORD = 4, RACE_BYTE = 1 }; /* bytes of a cell */

struct race_page;

struct race_pages {
	void *tree; /* of search.h */
	struct race_page *last;
	size_t cell_size; /* of a record; a new one is zero-filled */
};

/* Returns the record of the bytes from an address on, of at most `grain` bytes, and their end. */
void *race_pages_cell(struct race_pages *pages, uint64_t at, uint32_t grain, uint64_t *end);
/* Clears the records of a range. */
void race_pages_forget(struct race_pages *pages, uint64_t address, uint64_t size);
void race_pages_free(struct race_pages *pages);

#endif
