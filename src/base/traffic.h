/* traffic: what all rooms call the same of memory accesses and prefetches. Mechanisms know these as MECH_... (seam/mech.h). */
#ifndef SLUICE_BASE_TRAFFIC_H
#define SLUICE_BASE_TRAFFIC_H

#include <stdbool.h>
#include <stdint.h>

enum access_kind { ACCESS_LOAD, ACCESS_STORE, ACCESS_ATOMIC };

/* How an access ended. */
enum access_result {
	ACCESS_HIT,           /* of a cache */
	ACCESS_MISS,          /* ..., which sends for its line */
	ACCESS_MERGED,        /* ... on a line that is on its way */
	ACCESS_BUFFER_HIT,    /* of the buffer in front of L1 */
	ACCESS_BUFFER_MERGED, /* ..., where it waits for bytes on their way */
	ACCESS_PAST_L1,       /* it went past both */
	ACCESS_REFUSED,       /* nothing was done: it is tried again */
};

/* What became of a line, or a part of one, that was fetched for no instruction. Each has one fate. */
enum prefetch_fate {
	PREFETCH_USEFUL,        /* an instruction found it */
	PREFETCH_LATE,          /* ... came when it was still on its way */
	PREFETCH_EARLY_EVICTED, /* it went before anyone came */
	PREFETCH_REDUNDANT,     /* nobody came */
};

/* What is kept of it until then. */
struct prefetch {
	uint32_t sender;       /* who asked for it, from 1; 0: nothing is kept */
	uint32_t pc;           /* of the load on whose behalf, or ACCESS_NO_PC */
	uint64_t address, tag; /* as it was asked for; whatever the sender wants to know it by */
	uint64_t sent;         /* core cycles: in which it was sent, */
	uint64_t came;         /* ... its data came: 0: they have not, */
	uint64_t wanted;       /* ... an instruction came for data on their way: 0: none did */
};

/* Who hears of it. */
struct prefetch_teller {
	void *user;
	const uint64_t *clock;                                                              /* the core cycle */
	void (*fate)(void *user, enum prefetch_fate fate, const struct prefetch *prefetch); /* once */
	void (*came_late)(void *user, const struct prefetch *prefetch); /* the data of one that was late */
};

enum {
	ACCESS_PC_BITS = 27,
	ACCESS_NO_PC = (1 << ACCESS_PC_BITS) - 1, /* not on behalf of an instruction */
};
#define ACCESS_NOBODY UINT32_MAX /* no mechanism's number */

/* --- lines of a cache, for who looks at them or chooses among them --- */

/* A line, or a sector of one, has come. */
struct line_fill {
	uint64_t address;
	uint32_t bytes;
	bool demanded; /* an instruction waits for it */
	uint32_t set, way;
	uint32_t pc;     /* of the instruction that it was sent for, or ACCESS_NO_PC */
	uint32_t warp;   /* slot of that instruction's warp, or of the warp that the mechanism has bound to it, or ACCESS_NOBODY */
	uint32_t sender; /* the mechanism that asked for it, or ACCESS_NOBODY */
	uint64_t cycle;
};

/* A line that held data goes. */
struct line_eviction {
	uint64_t address; /* of its first byte */
	uint32_t set, way;
	uint32_t pc, sender; /* as of the fill: who first sent for it */
	bool dirty;
	bool was_used; /* an instruction came for it again, behind the one that brought it; of a prefetch: one came */
	bool by_store; /* no other line comes: a store has dropped it */
	uint64_t cycle;
};

/* What happens to a line that replacement may want to know. */
enum line_event {
	LINE_INSERTED, /* it is the block's from now on; its data may still be on their way */
	LINE_USED,     /* an access found it, or joined those that wait for it */
	LINE_FILLED,   /* its data, or a sector of them, have come */
};

struct line_use {
	enum line_event event;
	uint64_t address; /* of its first byte */
	uint32_t set, way;
	uint32_t pc, sender; /* of the access, or of what asked for the data */
	enum access_kind kind;
	uint64_t *data; /* the line's word, for whoever chooses among the lines */
	uint64_t cycle;
};

/* A line of a set in which one has to go. */
struct line_way {
	uint64_t address;
	uint64_t order;      /* by which the machine's own rule chooses: the time of last use, or of insertion */
	uint32_t pc, sender; /* who brought it */
	bool may_go;         /* nothing of it is on its way */
	bool dirty, was_used;
};

struct line_set {
	uint64_t address;    /* of the line that comes, */
	uint32_t pc, sender; /* and for whom */
	enum access_kind kind;
	uint32_t set, ways;
	uint32_t usual; /* the way that the machine's own rule takes */
	const struct line_way *way;
	uint64_t *data; /* a word a way */
	uint64_t cycle;
};

/* --- packets of the crossbars --- */

/* What a packet is about; its reply is of the same kind. */
enum packet_kind {
	PACKET_LOAD,
	PACKET_STORE,
	PACKET_ATOMIC,
	PACKET_LOCAL_LOAD,
	PACKET_LOCAL_STORE,
	PACKET_INSTRUCTION, /* a line of code */
	PACKET_CONSTANT,    /* of constant memory or of the kernel's parameters */
	PACKET_WRITEBACK,   /* a dirty line of L1, which nothing answers */
	PACKET_FILL,        /* the line that a store brings into an L1 which fetches on stores */
	PACKET_L2_PREFETCH, /* a mechanism's request to L2 */
	PACKET_TEXTURE,     /* a line of the texture cache */
	PACKET_KINDS
};

struct packet {
	uint64_t address;
	enum packet_kind kind;
	bool is_reply;
	bool from_dram;        /* of a reply: DRAM was asked for it; else L2 had it */
	uint32_t bytes, flits; /* with its header */
	uint32_t sm, slice;
	uint32_t warp, block; /* slots; they mean something where there is a pc; warp: ACCESS_NOBODY where a mechanism has bound none */
	uint32_t pc;          /* of the instruction on whose behalf, or ACCESS_NO_PC */
	uint32_t sender;      /* the mechanism that asked for it, or ACCESS_NOBODY */
	uint64_t cycle;
};

/* --- DRAM --- */

enum dram_command { DRAM_ACTIVATE, DRAM_PRECHARGE, DRAM_READ, DRAM_WRITE, DRAM_COMMANDS };

/* A command that a channel has issued, on behalf of the request that its bank serves. */
struct dram_issue {
	enum dram_command command;
	uint32_t bank, row; /* of a precharge: the row that is closed */
	uint64_t address;   /* of the request */
	uint64_t cycle;     /* of the command clock */
};

/* A request that waits in the queue of a bank that serves none. */
struct dram_waiting {
	uint64_t address, arrival; /* arrivals are numbered */
	uint32_t bank, row;
	bool is_write, urgent;
	bool row_is_open;
	uint32_t sm, pc; /* of the instruction, or ACCESS_NO_PC */
};

struct dram_queue {
	const struct dram_waiting *waiting; /* in the order of arrival */
	uint32_t count;                     /* at least one */
	uint64_t cycle;
};

#endif
