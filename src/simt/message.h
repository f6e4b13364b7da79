/* message: builds the texts of faults and findings. */
#ifndef SLUICE_SIMT_MESSAGE_H
#define SLUICE_SIMT_MESSAGE_H

#include "simt/simt.h"

/* Text that is appended to a buffer and truncated at its end. */
struct message {
	char *at;
	size_t left;
};

__attribute__((format(printf, 2, 3))) void message_add(struct message *message, const char *format, ...);

/* "FILE.ptx:12 (a.cu:3)" */
void message_place(struct message *message, const struct simt_launch *launch, const struct ptx_inst *ptx);
/* "(1,2,3)" */
void message_dim(struct message *message, struct dim3 dim);
/* Append the live allocation nearest to a global address, or the variable nearest to a shared or local address. */
void message_nearest_allocation(struct message *message, const struct simt_launch *launch, uint64_t address);
void message_nearest_variable(struct message *message, const struct simt_launch *launch, enum ptx_space space,
                              uint64_t address);
/* Appends ", 'tile' + 12". Appends nothing when no variable holds the offset. */
void message_variable(struct message *message, const struct simt_launch *launch, enum ptx_space space, uint64_t offset);

/* "'tile'" */
void message_name(struct message *message, const char *name);

/* Distance of an address from a span of the same memory, in the shorter direction round the address space. */
struct gap {
	enum { GAP_NONE, GAP_BELOW, GAP_ABOVE } side; /* side on which the address lies; GAP_NONE: the span holds it */
	uint64_t bytes;                               /* from the address to the span's begin, or from its end */
};
/* Appends the gap, for example "ends 4 bytes before the address". */
void message_gap(struct message *message, struct gap gap);

/* Returns the distance of an address from [begin, end) in a memory space. */
struct gap simt_gap(enum ptx_space space, uint64_t begin, uint64_t end, uint64_t address);

/* Returns a thread's coordinates. */
struct dim3 simt_thread(const struct simt_launch *launch, uint32_t warp, unsigned lane);

#endif
