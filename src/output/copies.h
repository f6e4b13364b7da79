/* copies: the records of copies between host and device, on machines where these take time (link.bandwidth,
 * link.latency). */
#ifndef SLUICE_OUTPUT_COPIES_H
#define SLUICE_OUTPUT_COPIES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct copy_record {
	uint64_t stream; /* as in struct record */
	bool to_host;    /* else to the device */
	uint64_t bytes;
	uint64_t started, cycles; /* core cycles since the run's beginning; core cycles in which it had its engine */
};

/* In the order in which they ended. */
struct copies {
	struct copy_record *list;
	size_t count, capacity;
};

void copies_add(struct copies *copies, const struct copy_record *copy);
void copies_free(struct copies *copies);
/* Writes them as member "copies" of the JSON file, followed by a comma; nothing if there are none. */
void copies_write_json(const struct copies *copies, FILE *file);
/* Prints a line for each direction. */
void copies_print(const struct copies *copies, FILE *file);

#endif
