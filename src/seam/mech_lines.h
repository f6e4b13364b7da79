/* mech_lines: requests for lines into L1, for prefetchers that include it next to seam/mech.h. */
#ifndef SLUICE_SEAM_MECH_LINES_H
#define SLUICE_SEAM_MECH_LINES_H

#include "seam/mech.h"

/* Returns the number of requests that mech_send_bytes() makes. */
static inline uint32_t mech_requests_for(const struct mech_sm *sm, uint64_t first, uint64_t end)
{
	const uint64_t sector = sm->machine->l1_sector_bytes;
	return end > first ? (uint32_t)((end - 1) / sector - first / sector) + 1 : 0;
}

/* Requests the bytes from `first` to before `end`, with all other members as in `like`: one request per line, or per
 * sector when L1's lines have sectors. */
static inline void mech_send_bytes(struct mech_sm *sm, const struct mech_request *like, uint64_t first, uint64_t end)
{
	const uint64_t sector = sm->machine->l1_sector_bytes;
	struct mech_request request = *like;
	uint64_t at = first;
	for (uint32_t left = mech_requests_for(sm, first, end); left; left--) {
		uint64_t next = at / sector * sector + sector;
		request.address = at / MECH_SECTOR * MECH_SECTOR;
		request.bytes = (uint32_t)((left == 1 ? end : next) - request.address);
		mech_send(sm, &request);
		at = next;
	}
}

/* Requests the bytes of a load, moved by `away` bytes, except those beyond the ends of the address space; each line
 * once. `may` is called per line, unless it is NULL: false omits the line. Returns the number of lines, with omitted
 * ones. */
static inline uint32_t mech_send_moved(struct mech_sm *sm, const struct mech_request *like,
                                       const struct mech_memory *load, int64_t away, bool (*may)(struct mech_sm *sm))
{
	const uint64_t line_bytes = sm->machine->line_bytes;
	uint64_t last = UINT64_MAX;
	uint32_t lines = 0;
	for (uint32_t i = 0; i < load->transactions; i++) {
		const struct mech_transaction *transaction = &load->transaction[i];
		uint64_t first = transaction->address + (uint64_t)away, end = first + transaction->bytes;
		if (away < 0 ? first > transaction->address : end < transaction->address)
			continue;
		for (uint64_t line = first / line_bytes * line_bytes; line < end; line += line_bytes) {
			if (line == last)
				continue;
			last = line;
			lines++;
			if (!may || may(sm))
				mech_send_bytes(sm, like, line < first ? first : line,
				                line + line_bytes < end ? line + line_bytes : end);
		}
	}
	return lines;
}

/* Returns the part of a load that the buffer before L1 does not answer: a prefetcher at L1 sees only that.
 * `transaction` has space for MECH_MAX_ACCESSES. */
static inline struct mech_memory mech_past_buffer(const struct mech_memory *load, struct mech_transaction *transaction)
{
	struct mech_memory seen = *load;
	seen.transactions = 0;
	seen.transaction = transaction;
	for (uint32_t i = 0; i < load->transactions; i++)
		if (!load->transaction[i].in_buffer)
			transaction[seen.transactions++] = load->transaction[i];
	return seen;
}

#endif
