#include "memory/crossbar.h"

const struct counter crossbar_counters[] = {
#define X(name, unit, meaning) {#name, unit, SCOPE_NETWORK, offsetof(struct crossbar_stats, name), meaning},
	CROSSBAR_COUNTERS(X)
#undef X
};
const size_t crossbar_counter_count = sizeof crossbar_counters / sizeof crossbar_counters[0];

enum {
	CHANNEL = 2,   /* entering a channel to standing in the buffer behind it */
	TRAVERSAL = 3, /* winning the switch to standing in the ejection buffer */
	CREDIT = 2,    /* a flit leaving a buffer to its place being usable by the sender */
};

#define SLOT(number) ((number) & (CROSSBAR_WINDOW - 1))

void crossbar_open(struct crossbar *crossbar, const struct crossbar_config *config, uint32_t inputs, uint32_t outputs,
                   uint32_t (*route)(const struct request *request), struct arena *arena)
{
	assert(config->buffer_flits <= CROSSBAR_WINDOW);
	*crossbar = (struct crossbar){.config = *config,
	                              .inputs = inputs,
	                              .outputs = outputs,
	                              .input = arena_array(arena, inputs, sizeof *crossbar->input),
	                              .output = arena_array(arena, outputs, sizeof *crossbar->output),
	                              .input_words = bits_words(inputs),
	                              .wake = UINT64_MAX,
	                              .route = route};
	uint32_t output_words = bits_words(outputs);
	crossbar->buffered = arena_array(arena, crossbar->input_words, sizeof(uint64_t));
	crossbar->wanted = arena_array(arena, (size_t)outputs * crossbar->input_words, sizeof(uint64_t));
	crossbar->moving = arena_array(arena, output_words, sizeof(uint64_t));
	crossbar->asked = arena_array(arena, output_words, sizeof(uint64_t));
	for (uint32_t bytes = 0; bytes <= CROSSBAR_MAX_PACKET; bytes += 8)
		crossbar->flits_of[bytes / 8] = (uint8_t)((bytes + config->flit_bytes - 1) / config->flit_bytes);
	for (uint32_t i = 0; i < inputs; i++)
		port_open(&crossbar->input[i].port, arena, config->injection_flits, &crossbar->wake);
	for (uint32_t i = 0; i < outputs; i++) {
		crossbar->output[i].owner = CROSSBAR_FREE;
		crossbar->output[i].freed_at = UINT64_MAX;
	}
}

/* Ejection buffer to the consumer's port, a flit a cycle. */
static void eject(struct crossbar *crossbar, struct crossbar_output *output, uint64_t cycle, uint64_t now)
{
	if (output->ejected == output->sent || output->sent_at[SLOT(output->ejected)] + TRAVERSAL > cycle)
		return;
	struct crossbar_packet *packet = &output->arriving[output->arriving_head];
	/* The port's room is a consumer's buffer, flit by flit; the packet shows when its tail is in. */
	if (port_room(output->port, now) < output->arrived + 1) {
		crossbar->stats.output_stalls++;
		return;
	}
	output->ejected_at[SLOT(output->ejected)] = cycle;
	output->ejected++;
	if (++output->arrived < packet->flits)
		return;
	port_push_units(output->port, packet->request, packet->flits, now);
	output->arrived = 0;
	output->arriving_head = SLOT(output->arriving_head + 1);
	output->arrivings--;
	crossbar->in_flight--;
	crossbar->stats.packets++;
}

/* The owner's next flit through the switch, when it is there and the ejection buffer has a place for it. */
static void send_flit(struct crossbar *crossbar, struct crossbar_output *output, uint64_t cycle, uint64_t step)
{
	struct crossbar_input *input = &crossbar->input[output->owner];
	if (input->granted_at >= step || input->left == input->entered ||
	    input->entered_at[SLOT(input->left)] + CHANNEL > cycle)
		return;
	uint64_t depth = crossbar->config.buffer_flits;
	if (output->sent >= depth) {
		uint64_t before = output->sent - depth;
		if (output->ejected <= before || output->ejected_at[SLOT(before)] + CREDIT > cycle) {
			crossbar->stats.output_stalls++;
			return;
		}
	}
	struct crossbar_packet *packet = &input->packet[input->packet_head];
	if (input->sent == 0) {
		output->arriving[SLOT(output->arriving_head + output->arrivings)] = *packet;
		output->arrivings++;
	}
	input->left_at[SLOT(input->left++)] = cycle;
	output->sent_at[SLOT(output->sent++)] = cycle;
	crossbar->stats.flits++;
	if (++input->sent < packet->flits)
		return;
	input->sent = 0;
	input->granted_at = step;
	input->packet_head = SLOT(input->packet_head + 1);
	if (--input->packets)
		bits_add(crossbar->buffered, output->owner);
	output->owner = CROSSBAR_FREE;
	output->freed_at = step;
}

/* Virtual-channel allocation: each free output takes one of the packets whose head flit asks for it, round robin. */
static void allocate(struct crossbar *crossbar, uint64_t cycle, uint64_t step)
{
	uint32_t words = crossbar->input_words, output_words = bits_words(crossbar->outputs);
	BITS_EACH(i, crossbar->buffered, words)
	{
		const struct crossbar_input *input = &crossbar->input[i];
		bool asks = input->left < input->entered && input->entered_at[SLOT(input->left)] + CHANNEL <= cycle &&
		            (input->left == 0 || input->granted_at < step);
		if (!asks)
			continue;
		uint32_t o = input->packet[input->packet_head].output;
		bits_add(&crossbar->wanted[o * words], i);
		bits_add(crossbar->asked, o);
	}
	BITS_EACH(o, crossbar->asked, output_words)
	{
		struct crossbar_output *output = &crossbar->output[o];
		uint64_t *wanted = &crossbar->wanted[o * words];
		uint32_t asking = 0;
		for (uint32_t w = 0; w < words; w++)
			asking += (uint32_t)__builtin_popcountll(wanted[w]);
		if (output->owner == CROSSBAR_FREE && output->freed_at != step) {
			uint32_t i = bits_next_around(wanted, words, output->next);
			output->owner = i;
			output->next = i + 1 == crossbar->inputs ? 0 : i + 1;
			crossbar->input[i].granted_at = step;
			bits_remove(crossbar->buffered, i);
			bits_add(crossbar->moving, o);
			asking--;
		}
		crossbar->stats.output_conflicts += asking;
		for (uint32_t w = 0; w < words; w++)
			wanted[w] = 0;
	}
	for (uint32_t w = 0; w < output_words; w++)
		crossbar->asked[w] = 0;
}

/* A flit from the producer's port into the channel, when the buffer behind it has a place. */
static void inject(struct crossbar *crossbar, struct crossbar_input *input, uint64_t cycle, uint64_t now)
{
	struct request *request = port_front(&input->port, now);
	if (!request)
		return;
	uint64_t depth = crossbar->config.buffer_flits;
	if (input->entered >= depth) {
		uint64_t before = input->entered - depth;
		if (input->left <= before || input->left_at[SLOT(before)] + CREDIT > cycle)
			return;
	}
	uint32_t flits = crossbar_flits(crossbar, request);
	if (input->injecting == 0) {
		if (!input->packets)
			bits_add(crossbar->buffered, (uint32_t)(input - crossbar->input));
		input->packet[SLOT(input->packet_head + input->packets++)] =
			(struct crossbar_packet){request, flits, crossbar->route(request)};
		crossbar->in_flight++;
	}
	input->entered_at[SLOT(input->entered++)] = cycle;
	port_release(&input->port, 1, now);
	if (++input->injecting == flits) {
		input->injecting = 0;
		port_drop(&input->port);
	}
}

/* Moves flits through the switch, then gives free outputs to waiting packets. */
static void allocation_step(struct crossbar *crossbar, uint64_t cycle, uint64_t step)
{
	BITS_EACH(o, crossbar->moving, bits_words(crossbar->outputs))
	{
		struct crossbar_output *output = &crossbar->output[o];
		if (output->owner != CROSSBAR_FREE)
			send_flit(crossbar, output, cycle, step);
		else if (output->ejected == output->sent)
			bits_remove(crossbar->moving, o);
	}
	allocate(crossbar, cycle, step);
}

void crossbar_tick(struct crossbar *crossbar, uint64_t cycle, uint64_t now)
{
	bool waiting = false;
	BITS_EACH(o, crossbar->moving, bits_words(crossbar->outputs))
	{
		eject(crossbar, &crossbar->output[o], cycle, now);
	}
	for (uint32_t k = 0; k < crossbar->config.speedup; k++)
		allocation_step(crossbar, cycle, cycle * crossbar->config.speedup + k);
	for (uint32_t i = 0; i < crossbar->inputs; i++) {
		struct crossbar_input *input = &crossbar->input[i];
		if (!port_empty(&input->port)) {
			inject(crossbar, input, cycle, now);
			waiting |= !port_empty(&input->port);
		}
	}
	crossbar->wake = waiting || crossbar->in_flight ? now + 1 : UINT64_MAX;
}
