/* traffic: types for memory accesses and prefetches that all modules use. Mechanisms know them as MECH_...
 * (seam/mech.h). */
#ifndef SLUICE_BASE_TRAFFIC_H
#define SLUICE_BASE_TRAFFIC_H

#include <stdbool.h>
#include <stdint.h>

enum base_access_kind { BASE_ACCESS_LOAD, BASE_ACCESS_STORE, BASE_ACCESS_ATOMIC };

/* The result of an access. */
enum base_access_result {
	BASE_ACCESS_HIT,           /* hit in a cache */
	BASE_ACCESS_MISS,          /* miss in a cache, which requests the line */
	BASE_ACCESS_MERGED,        /* miss on a line that is in flight */
	BASE_ACCESS_BUFFER_HIT,    /* hit in the buffer in front of L1 */
	BASE_ACCESS_BUFFER_MERGED, /* waits in that buffer for bytes in flight */
	BASE_ACCESS_BYPASS_L1,     /* bypassed both */
	BASE_ACCESS_REFUSED,       /* nothing was done; the access will be tried again */
};

/* The outcome of a line, or a part of one, that was fetched without an instruction. Each has one outcome. */
enum base_prefetch_outcome {
	BASE_PREFETCH_USEFUL,        /* an instruction hit it */
	BASE_PREFETCH_LATE,          /* an instruction needed it while it was in flight */
	BASE_PREFETCH_EARLY_EVICTED, /* it was evicted before any instruction needed it */
	BASE_PREFETCH_REDUNDANT,     /* no instruction needed it */
};

/* The record of a prefetch until its outcome. */
struct base_prefetch {
	uint32_t sender;       /* number of the sender, from 1; 0: no record */
	uint32_t pc;           /* of the load that it was sent for, or BASE_ACCESS_NO_PC */
	uint64_t address, tag; /* as requested; the sender's own identifier */
	uint64_t sent;         /* core cycle in which it was sent */
	uint64_t came;         /* core cycle in which its data arrived; 0: not yet */
	uint64_t wanted;       /* core cycle in which an instruction needed its data in flight; 0: none */
};

/* The listener for outcomes. */
struct base_prefetch_listener {
	void *user;
	const uint64_t *clock; /* the core cycle */
	/* called once per prefetch */
	void (*outcome)(void *user, enum base_prefetch_outcome outcome, const struct base_prefetch *prefetch);
	void (*came_late)(void *user, const struct base_prefetch *prefetch); /* the data of a late one have arrived */
};

enum {
	BASE_ACCESS_PC_BITS = 27,
	BASE_ACCESS_NO_PC = (1 << BASE_ACCESS_PC_BITS) - 1, /* not for an instruction */
};
#define BASE_ACCESS_NOBODY UINT32_MAX /* no mechanism has this number */

/* --- lines of a cache, for observers and for the owner of a replacement policy --- */

/* A line, or a sector of one, has arrived. */
struct base_line_fill {
	uint64_t address;
	uint32_t bytes;
	bool demanded; /* an instruction waits for it */
	uint32_t set, way;
	uint32_t pc; /* of the instruction that it was requested for, or BASE_ACCESS_NO_PC */
	/* slot of that instruction's warp, or of the warp that the mechanism bound to it, or BASE_ACCESS_NOBODY */
	uint32_t warp;
	uint32_t sender; /* the mechanism that requested it, or BASE_ACCESS_NOBODY */
	uint64_t cycle;
};

/* A line that held data is evicted. */
struct base_line_eviction {
	uint64_t address; /* of its first byte */
	uint32_t set, way;
	uint32_t pc, sender; /* of the first request for the line */
	bool dirty;
	/* an instruction accessed it after the one that fetched it; for a prefetch: any instruction accessed it */
	bool was_used;
	bool by_store; /* invalidated by a store, not replaced by another line */
	uint64_t cycle;
};

/* Events of a line that a replacement policy may need. */
enum base_line_event {
	BASE_LINE_INSERTED, /* assigned to a way; its data may be in flight */
	BASE_LINE_USED,     /* an access hit it or merged with its request */
	BASE_LINE_FILLED,   /* its data, or a sector of them, have arrived */
};

struct base_line_use {
	enum base_line_event event;
	uint64_t address; /* of its first byte */
	uint32_t set, way;
	uint32_t pc, sender; /* of the access, or of the request for the data */
	enum base_access_kind kind;
	uint64_t *data; /* the line's word, for the owner of the replacement policy */
	uint64_t cycle;
};

/* A line of a set in which one line must be evicted. */
struct base_line_way {
	uint64_t address;
	uint64_t order;      /* key of the machine's own policy: time of last use, or of insertion */
	uint32_t pc, sender; /* of the request that fetched it */
	bool may_go;         /* may be evicted: none of its data are in flight */
	bool dirty, was_used;
};

struct base_line_set {
	uint64_t address;    /* of the new line */
	uint32_t pc, sender; /* of the request for it */
	enum base_access_kind kind;
	uint32_t set, ways;
	uint32_t usual; /* the way that the machine's own policy evicts */
	const struct base_line_way *way;
	uint64_t *data; /* one word per way */
	uint64_t cycle;
};

/* --- packets of the crossbars --- */

/* The purpose of a packet; its reply has the same kind. */
enum base_packet_kind {
	BASE_PACKET_LOAD,
	BASE_PACKET_STORE,
	BASE_PACKET_ATOMIC,
	BASE_PACKET_LOCAL_LOAD,
	BASE_PACKET_LOCAL_STORE,
	BASE_PACKET_INSTRUCTION, /* a line of code */
	BASE_PACKET_CONSTANT,    /* from constant memory or the kernel's parameters */
	BASE_PACKET_WRITEBACK,   /* a dirty line of L1; has no reply */
	BASE_PACKET_FILL,        /* the line that a store fetches into an L1 with fetch on write */
	BASE_PACKET_L2_PREFETCH, /* a mechanism's request to L2 */
	BASE_PACKET_TEXTURE,     /* a line of the texture cache */
	BASE_PACKET_KINDS
};

struct base_packet {
	uint64_t address;
	enum base_packet_kind kind;
	bool is_reply;
	bool from_dram;        /* for a reply: true if DRAM was accessed; else L2 had the data */
	uint32_t bytes, flits; /* including the header */
	uint32_t sm, slice;
	uint32_t warp, block; /* slots, valid with a pc; warp: BASE_ACCESS_NOBODY if a mechanism has bound none */
	uint32_t pc;          /* of the instruction that it was sent for, or BASE_ACCESS_NO_PC */
	uint32_t sender;      /* the mechanism that requested it, or BASE_ACCESS_NOBODY */
	uint64_t cycle;
};

/* --- DRAM --- */

enum base_dram_command { BASE_DRAM_ACTIVATE, BASE_DRAM_PRECHARGE, BASE_DRAM_READ, BASE_DRAM_WRITE, BASE_DRAM_COMMANDS };

/* A command that a channel has issued for its bank's current request. */
struct base_dram_issue {
	enum base_dram_command command;
	uint32_t bank, row; /* for a precharge: the row that is closed */
	uint64_t address;   /* of the request */
	uint64_t cycle;     /* of the command clock */
};

/* A request that waits in the queue of an idle bank. */
struct base_dram_waiting {
	uint64_t address, arrival; /* arrival: sequence number */
	uint32_t bank, row;
	bool is_write, urgent;
	bool row_is_open;
	uint32_t sm, pc; /* of the instruction; pc may be BASE_ACCESS_NO_PC */
};

struct base_dram_queue {
	const struct base_dram_waiting *waiting; /* in order of arrival */
	uint32_t count;                     /* at least one */
	uint64_t cycle;
};

#endif
