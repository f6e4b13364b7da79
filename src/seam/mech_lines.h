/* mech_lines: lines into L1 for prefetchers of it. For mechanisms, which include it beside seam/mech.h. */
#ifndef SLUICE_SEAM_MECH_LINES_H
#define SLUICE_SEAM_MECH_LINES_H

#include "seam/mech.h"

/* How many requests mech_send_bytes() makes. */
static inline uint32_t mech_requests_for(const struct mech_sm *sm, uint64_t first, uint64_t end)
{
	const uint64_t sector = sm->machine->l1_sector_bytes;
	return end > first ? (uint32_t)((end - 1) / sector - first / sector) + 1 : 0;
}

/* Asks for bytes from `first` up to, and not with, `end`, with all else as in `like`: each line, or where L1's lines come in sectors each sector, has
 * a request of its own. */
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

/* Asks for all bytes of what a load wanted, so many bytes away, but for what would lie beyond the ends of the address space: each line once. Gives the
 * number of lines. `may` is asked of each line, if it is there. */
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

/* What of a load the buffer in front of L1, if there is one, does not answer: what a prefetcher at L1 sees. `transaction` has room for
 * MECH_MAX_ACCESSES. */
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
