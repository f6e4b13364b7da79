/* crossbar: a flit-level switch between the SMs and the L2 slices. One instance carries requests, another replies.
 *
 * It models the router of BookSim's single-stage `fly` as GPGPU-Sim configures it: wormhole, one virtual channel,
 * credits.
 *
 *     producer's port -> channel (1 cycle) -> input buffer -> virtual-channel allocation (1 cycle)
 *     -> switch allocation (1) -> traversal (1) -> channel (1) -> ejection buffer -> consumer's port
 *
 * Virtual-channel allocation gives an output to one packet until its tail has left. It is round robin over the
 * inputs, some of which may go first or last. Without contention a packet takes 6 cycles from the step in which it
 * enters the channel to its last flit's arrival at the consumer's port. Each flit beyond the first adds one cycle.
 * An input or an output that changes packets loses an allocation step. With a speedup the router allocates several
 * times per cycle; its channels still carry one flit per cycle.
 *
 * The times match intersim2's router under config_fermi_islip.icnt: vc_alloc_delay and sw_alloc_delay 1,
 * routing_delay 0, islip with one iteration. With one virtual channel that is round robin. Differences between
 * versions are options. tests/memory/test_crossbar.c checks them to the cycle, and tests/micro/latency.cu
 * checks them from outside. The first and last preferences of inputs are ours.
 */
#ifndef SLUICE_MEMORY_CROSSBAR_H
#define SLUICE_MEMORY_CROSSBAR_H

#include "base/bits.h"
#include "base/port.h"
#include "base/table.h"
#include "memory/request.h"

enum crossbar_kind {
	CROSSBAR_ROUTER, /* the router described above */
	CROSSBAR_LOCAL,  /* whole packets, one step from port to port (crossbar_local.c) */
};

struct crossbar_config {
	uint32_t kind; /* enum crossbar_kind */
	uint32_t flit_bytes;
	uint32_t speedup;         /* allocation steps per cycle */
	uint32_t injection_flits; /* capacity of the producer's port */
	uint32_t buffer_flits;    /* capacity of the input buffer, and of the ejection buffer */
	uint32_t boundary_flits;  /* capacity of the consumer's port */
};

#define CROSSBAR_COUNTERS(X)                                                                                           \
	X(packets, "packets", "packets carried from a producer to a consumer")                                         \
	X(flits, "flits", "flits carried through the switch")                                                          \
	X(bytes, "bytes", "bytes of these packets: data, and a header of 8 bytes each")                                \
	X(output_conflicts, "cycles",                                                                                  \
	  "cycles in which the packet at the head of an input waited for an output that another input used, summed "   \
	  "over inputs")                                                                                               \
	X(output_stalls, "cycles",                                                                                     \
	  "cycles in which an output could not send because the consumer's buffers were full, summed over outputs")

struct crossbar_stats {
#define X(name, unit, meaning) uint64_t name;
	CROSSBAR_COUNTERS(X)
#undef X
};

enum {
	CROSSBAR_MAX_FLITS = 4096,  /* maximum flits of a port or a buffer */
	CROSSBAR_MAX_PACKET = 2048, /* bytes */
};

/* A packet in transit through an input. */
struct crossbar_packet {
	struct request *request;
	uint32_t flits, output;
};

/* The rings have one entry per flit of the buffers, rounded up to a power of two. A whole crossbar's rings then fit
 * in the host's L1 cache. */
struct crossbar_input {
	struct port port;       /* from the producer; units are flits */
	uint64_t entered, left; /* flits ever; entered - left are in the channel and the buffer */
	uint64_t entered_last;  /* cycle in which the last flit entered; at most one enters per cycle */
	uint64_t granted_at; /* allocation step in which the first packet got its output or the previous packet left */
	uint64_t *left_at;   /* by flit number */
	struct crossbar_packet *packet; /* ring: packets in the buffer, in order */
	uint32_t packet_head, packets;
	uint32_t injecting; /* flits of the front packet that have entered the channel */
	uint32_t sent;      /* flits of the first packet that have left the buffer */
};

struct crossbar_output {
	struct port *port;                /* to the consumer; units are flits */
	uint32_t owner;                   /* input whose packet it carries, or CROSSBAR_FREE */
	uint64_t freed_at;                /* allocation step in which the last tail left */
	uint32_t next;                    /* round robin: input that is considered first */
	uint32_t asking;                  /* number of inputs whose first packet requests this output */
	uint64_t *asks;                   /* set of these inputs */
	uint64_t sent, ejected;           /* flits ever */
	uint64_t *sent_at, *ejected_at;   /* by flit number */
	struct crossbar_packet *arriving; /* ring: packets whose head was sent and whose tail was not yet ejected */
	uint32_t arriving_head, arrivings;
	uint32_t arrived; /* ejected flits of the first arriving packet */
};

#define CROSSBAR_FREE UINT32_MAX

/* Priority of some inputs over the others when several request a free output. */
enum crossbar_preference {
	CROSSBAR_FAIR,      /* round robin with all others */
	CROSSBAR_FIRST,     /* before all others */
	CROSSBAR_LAST,      /* only when no other input requests the output */
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
	uint64_t *offered;  /* set: inputs whose port holds a packet; inputs with a full buffer may be missing */
	uint64_t *buffered; /* set: inputs with a packet in their buffer that does not yet request its output */
	uint64_t *moving;   /* set: outputs with an owner or with flits in transit */
	uint64_t *asked;    /* set: outputs that some input requests */
	uint32_t asking;    /* number of inputs that request an output */
	uint8_t flits_of[CROSSBAR_MAX_PACKET / 8 + 1]; /* by packet size in 8 bytes */
	uint32_t (*route)(const void *user, const struct request *request);
	const void *route_user;
	uint8_t preference; /* enum crossbar_preference of the preferred inputs */
	uint32_t preferred, preferences; /* the first preferred input and their number; all others are fair */
	bool prevails; /* the preferred inputs go first in this cycle, else last */
	struct crossbar_stats stats;
};

/* `route` returns the output of a packet; its first argument is the crossbar's `route_user`. The code that wires the
 * machine sets `route_user` and the outputs' ports. */
void crossbar_open(struct crossbar *crossbar, const struct crossbar_config *config, uint32_t inputs, uint32_t outputs,
                   uint32_t (*route)(const void *user, const struct request *request), struct arena *arena);

/* Sets the priority of `count` inputs from `first` on over the others. The others take turns among themselves,
 * independent of what the preferred inputs win. To be called before the first tick or between kernels. A later call
 * replaces it; CROSSBAR_FAIR ends it. */
void crossbar_prefer(struct crossbar *crossbar, uint32_t first, uint32_t count, enum crossbar_preference preference);

static inline uint32_t crossbar_flits(const struct crossbar *crossbar, const struct request *request)
{
	return crossbar->flits_of[(request_packet_bytes(request) + 7) / 8];
}

/* Flits of a packet with `data_bytes` bytes of data. */
static inline uint32_t crossbar_flits_of(const struct crossbar *crossbar, uint32_t data_bytes)
{
	return crossbar->flits_of[(REQUEST_HEADER_BYTES + data_bytes + 7) / 8];
}

/* Producer's side: crossbar_has_room tests whether the port has space for this packet; crossbar_send sends it. */
static inline bool crossbar_has_room(const struct crossbar *crossbar, uint32_t input, const struct request *request,
                                     uint64_t now)
{
	return port_room(&crossbar->input[input].port, now) >= crossbar_flits(crossbar, request);
}

/* True when the port will have space for this packet in the next step. */
static inline bool crossbar_gets_room(const struct crossbar *crossbar, uint32_t input, const struct request *request)
{
	return port_room_next_step(&crossbar->input[input].port) >= crossbar_flits(crossbar, request);
}

static inline void crossbar_send(struct crossbar *crossbar, uint32_t input, struct request *request, uint64_t now)
{
	port_push_packet(&crossbar->input[input].port, request, crossbar_flits(crossbar, request),
	                 crossbar->route(crossbar->route_user, request), now);
}

void crossbar_tick(struct crossbar *crossbar, uint64_t cycle, uint64_t now);
/* crossbar_tick() for a CROSSBAR_LOCAL. */
void crossbar_tick_local(struct crossbar *crossbar, uint64_t now);

/* The first in turn of the inputs that request an output. Where some of them have priority, it is the first of
 * those. */
uint32_t crossbar_first_in_turn(const struct crossbar *crossbar, const struct crossbar_output *output);
/* Moves the output's turn past an input that it has served. Preferred inputs do not move it. */
void crossbar_next_turn(const struct crossbar *crossbar, struct crossbar_output *output, uint32_t served);

extern const struct base_counter crossbar_counters[];
extern const size_t crossbar_counter_count;

#endif
