/* crossbar: one switch between the SMs and the L2 slices, flit by flit; one instance carries requests, one replies.
 *
 * The router of BookSim's single-stage `fly` as GPGPU-Sim configures it: wormhole, one virtual channel, credits.
 *   producer's port -> channel (1 cycle) -> input buffer -> virtual-channel allocation (1: an output belongs to one packet
 *   until its tail has left; round robin over inputs, of which some may go first or last) -> switch allocation (1) ->
 *   traversal (1) -> channel (1) -> ejection buffer -> consumer's port
 * A packet that is alone takes 6 cycles from the step in which it enters the channel to its last flit's arrival at the
 * consumer's port, plus one for each flit beyond the first; an input or an output that changes packets loses an
 * allocation step. With a speedup the router allocates several times a cycle (its channels still carry one flit).
 *
 * The figures are what intersim2's router does under config_fermi_islip.icnt: vc_alloc_delay and sw_alloc_delay 1, routing_delay 0,
 * islip with one iteration, which with one virtual channel is round robin; what differs between versions are options.
 * tests/memory/test_crossbar.c holds them to the cycle, tests/micro/latency.cu from outside. That inputs can go first or last is ours.
 */
#ifndef SLUICE_MEMORY_CROSSBAR_H
#define SLUICE_MEMORY_CROSSBAR_H

#include "base/bits.h"
#include "base/port.h"
#include "base/table.h"
#include "memory/request.h"

enum crossbar_kind {
	CROSSBAR_ROUTER, /* the one above */
	CROSSBAR_LOCAL,  /* whole packets, a step from port to port (crossbar_local.c) */
};

struct crossbar_config {
	uint32_t kind; /* enum crossbar_kind */
	uint32_t flit_bytes;
	uint32_t speedup;         /* allocation steps a cycle */
	uint32_t injection_flits; /* producer's port */
	uint32_t buffer_flits;    /* input buffer, and ejection buffer */
	uint32_t boundary_flits;  /* consumer's port */
};

#define CROSSBAR_COUNTERS(X)                                                                                           \
	X(packets, "packets", "carried from end to end")                                                               \
	X(flits, "flits", "carried through the switch")                                                                \
	X(output_conflicts, "cycles",                                                                                  \
	  "cycles that a packet at the head of its input waited for an output that another had")                       \
	X(output_stalls, "cycles", "cycles that an output could not send because the consumer's buffers were full")

struct crossbar_stats {
#define X(name, unit, meaning) uint64_t name;
	CROSSBAR_COUNTERS(X)
#undef X
};

enum {
	CROSSBAR_WINDOW = 4096,     /* most flits of a port or a buffer */
	CROSSBAR_MAX_PACKET = 2048, /* bytes */
};

/* A packet on its way through an input. */
struct crossbar_packet {
	struct request *request;
	uint32_t flits, output;
};

/* Its rings hold as many entries as the buffers have flits, rounded up to a power of two: those of a whole crossbar stay
 * in the host's nearest cache. */
struct crossbar_input {
	struct port port;       /* from the producer; units are flits */
	uint64_t entered, left; /* flits ever; entered - left are in the channel and the buffer */
	uint64_t entered_last;  /* cycle in which the last flit entered: no two of them enter in one */
	uint64_t granted_at; /* allocation step in which the first packet got its output, or the one before it left */
	uint64_t *left_at;   /* by flit number */
	struct crossbar_packet *packet; /* ring: in the buffer, in order */
	uint32_t packet_head, packets;
	uint32_t injecting; /* flits of the front packet that have entered the channel */
	uint32_t sent;      /* flits of the first packet that have left the buffer */
};

struct crossbar_output {
	struct port *port;                /* to the consumer; units are flits */
	uint32_t owner;                   /* input whose packet it carries, or CROSSBAR_FREE */
	uint64_t freed_at;                /* allocation step in which the last tail left */
	uint32_t next;                    /* round robin: input that is asked first */
	uint32_t asking;                  /* inputs whose first packet wants it, */
	uint64_t *asks;                   /* and which they are: a set */
	uint64_t sent, ejected;           /* flits ever */
	uint64_t *sent_at, *ejected_at;   /* by flit number */
	struct crossbar_packet *arriving; /* ring: packets whose head was sent and whose tail was not yet ejected */
	uint32_t arriving_head, arrivings;
	uint32_t arrived; /* flits of the first arriving packet that were ejected */
};

#define CROSSBAR_FREE UINT32_MAX

/* How some inputs stand to the others when several ask for a free output. */
enum crossbar_preference {
	CROSSBAR_FAIR,      /* in its turn, as they all do */
	CROSSBAR_FIRST,     /* before all others */
	CROSSBAR_LAST,      /* only when nobody else asks */
	CROSSBAR_ALTERNATE, /* FIRST in even cycles, LAST in odd ones */
};

struct crossbar {
	struct crossbar_config config;
	struct crossbar_input *input;
	struct crossbar_output *output;
	uint32_t inputs, outputs;
	uint64_t in_flight; /* packets between the producers' and the consumers' ports */
	uint64_t wake;      /* time of the next tick that can do something */
	uint32_t input_words, output_words;
	uint32_t slot_mask; /* of the rings */
	uint64_t *offered;  /* set: inputs whose port holds a packet, but for some whose buffer is full */
	uint64_t *buffered; /* set: inputs with a packet in their buffer that does not ask for its output yet */
	uint64_t *moving;   /* set: outputs with an owner or with flits on their way */
	uint64_t *asked;    /* set: outputs that somebody asks for */
	uint32_t asking;    /* inputs that ask */
	uint8_t flits_of[CROSSBAR_MAX_PACKET / 8 + 1]; /* by packet size in 8 bytes */
	uint32_t (*route)(const void *user, const struct request *request);
	const void *route_user;
	uint8_t preference; /* enum crossbar_preference, of ... */
	uint32_t preferred, preferences; /* the first input and how many; all others are fair */
	bool prevails;      /* in this cycle it goes first, else last */
	struct crossbar_stats stats;
};

/* `route` gives the output of a packet; it gets the crossbar's `route_user`, as the outputs' ports set by whoever wires the machine. */
void crossbar_open(struct crossbar *crossbar, const struct crossbar_config *config, uint32_t inputs, uint32_t outputs,
                   uint32_t (*route)(const void *user, const struct request *request), struct arena *arena);

/* Sets how `count` inputs from `first` on stand to the others, which take turns among themselves whatever these win. Before
 * the first tick, or between kernels; a later call replaces it, CROSSBAR_FAIR ends it. */
void crossbar_prefer(struct crossbar *crossbar, uint32_t first, uint32_t count, enum crossbar_preference preference);

static inline uint32_t crossbar_flits(const struct crossbar *crossbar, const struct request *request)
{
	return crossbar->flits_of[(request_packet_bytes(request) + 7) / 8];
}

/* Of a packet with so many bytes of data. */
static inline uint32_t crossbar_flits_of(const struct crossbar *crossbar, uint32_t data_bytes)
{
	return crossbar->flits_of[(REQUEST_HEADER_BYTES + data_bytes + 7) / 8];
}

/* Producer's side: room for this packet, and giving it. */
static inline bool crossbar_has_room(const struct crossbar *crossbar, uint32_t input, const struct request *request,
                                     uint64_t now)
{
	return port_room(&crossbar->input[input].port, now) >= crossbar_flits(crossbar, request);
}

/* There will be room in the next step. */
static inline bool crossbar_gets_room(const struct crossbar *crossbar, uint32_t input, const struct request *request)
{
	return port_coming_room(&crossbar->input[input].port) >= crossbar_flits(crossbar, request);
}

static inline void crossbar_send(struct crossbar *crossbar, uint32_t input, struct request *request, uint64_t now)
{
	port_push_packet(&crossbar->input[input].port, request, crossbar_flits(crossbar, request),
	                 crossbar->route(crossbar->route_user, request), now);
}

void crossbar_tick(struct crossbar *crossbar, uint64_t cycle, uint64_t now);
/* The same of a CROSSBAR_LOCAL. */
void crossbar_tick_local(struct crossbar *crossbar, uint64_t now);

/* Of the inputs that ask for an output, the first in turn, of those that go first where there are such. */
uint32_t crossbar_first_in_turn(const struct crossbar *crossbar, const struct crossbar_output *output);
/* The output's turn goes on behind an input that it has served; those that are preferred do not count. */
void crossbar_next_turn(const struct crossbar *crossbar, struct crossbar_output *output, uint32_t served);

extern const struct counter crossbar_counters[];
extern const size_t crossbar_counter_count;

#endif
