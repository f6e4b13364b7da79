#include "memory/crossbar.h"

const struct base_counter crossbar_counters[] = {
#define X(name, unit, meaning)                                                                                         \
	{#name, unit, BASE_SCOPE_NETWORK, offsetof(struct crossbar_stats, name), meaning, BASE_COMBINE_SUM},
	CROSSBAR_COUNTERS(X)
#undef X
};
const size_t crossbar_counter_count = sizeof crossbar_counters / sizeof crossbar_counters[0];

enum {
	CHANNEL = 2,   /* from entering a channel to being in the buffer after it */
	TRAVERSAL = 3, /* from winning the switch to being in the ejection buffer */
	CREDIT = 2,    /* from a flit leaving a buffer to the sender being able to use its entry */
};

static void open_input(struct crossbar *crossbar, uint32_t i, struct arena *arena)
{
	struct crossbar_input *input = &crossbar->input[i];
	uint32_t slots = crossbar->slot_mask + 1;
	port_open(&input->port, arena, crossbar->config.injection_flits, &crossbar->wake);
	input->port.filled = &crossbar->offered[i / 64];
	input->port.filled_bit = 1ull << i % 64;
	input->left_at = arena_array(arena, slots, sizeof *input->left_at);
	input->packet = arena_array(arena, slots, sizeof *input->packet);
}

static void open_output(const struct crossbar *crossbar, struct crossbar_output *output, struct arena *arena)
{
	uint32_t slots = crossbar->slot_mask + 1;
	output->owner = CROSSBAR_FREE;
	output->freed_at = UINT64_MAX;
	output->sent_at = arena_array(arena, slots, sizeof *output->sent_at);
	output->ejected_at = arena_array(arena, slots, sizeof *output->ejected_at);
	output->arriving = arena_array(arena, slots, sizeof *output->arriving);
	output->asks = arena_array(arena, crossbar->input_words, sizeof *output->asks);
}

void crossbar_open(struct crossbar *crossbar, const struct crossbar_config *config, uint32_t inputs, uint32_t outputs,
                   uint32_t (*route)(const void *user, const struct request *request), struct arena *arena)
{
	*crossbar = (struct crossbar){.config = *config,
	                              .inputs = inputs,
	                              .outputs = outputs,
	                              .input = arena_array(arena, inputs, sizeof *crossbar->input),
	                              .output = arena_array(arena, outputs, sizeof *crossbar->output),
	                              .input_words = bits_words(inputs),
	                              .output_words = bits_words(outputs),
	                              .slot_mask = bits_power_from(config->buffer_flits) - 1,
	                              .wake = UINT64_MAX,
	                              .route = route};
	crossbar->offered = arena_array(arena, crossbar->input_words, sizeof(uint64_t));
	crossbar->buffered = arena_array(arena, crossbar->input_words, sizeof(uint64_t));
	crossbar->moving = arena_array(arena, crossbar->output_words, sizeof(uint64_t));
	crossbar->asked = arena_array(arena, crossbar->output_words, sizeof(uint64_t));
	for (uint32_t bytes = 0; bytes <= CROSSBAR_MAX_PACKET; bytes += 8)
		crossbar->flits_of[bytes / 8] =
			config->kind == CROSSBAR_LOCAL
				? 1
				: (uint8_t)((bytes + config->flit_bytes - 1) / config->flit_bytes);
	for (uint32_t i = 0; i < inputs; i++)
		open_input(crossbar, i, arena);
	for (uint32_t i = 0; i < outputs; i++)
		open_output(crossbar, &crossbar->output[i], arena);
}

void crossbar_prefer(struct crossbar *crossbar, uint32_t first, uint32_t count, enum crossbar_preference preference)
{
	assert(first + count <= crossbar->inputs);
	crossbar->preference = (uint8_t)preference;
	crossbar->preferred = first;
	crossbar->preferences = preference == CROSSBAR_FAIR ? 0 : count;
}

static bool is_preferred(const struct crossbar *crossbar, uint32_t input)
{
	return input - crossbar->preferred < crossbar->preferences;
}

/* The ring slot of a flit or packet number. */
static uint32_t slot(const struct crossbar *crossbar, uint64_t number)
{
	return (uint32_t)number & crossbar->slot_mask;
}

/* True when the input's first flit has passed through the channel. */
static bool has_flit(const struct crossbar_input *input, uint64_t cycle)
{
	bool in_channel = input->entered_last + CHANNEL > cycle;
	return input->entered - input->left > in_channel;
}

/* True when flits in the buffer or in the channel use all its entries. */
static bool buffer_is_full(const struct crossbar *crossbar, const struct crossbar_input *input)
{
	return input->entered - input->left == crossbar->config.buffer_flits;
}

/* Moves flits from the ejection buffer to the consumer's port, one per cycle. */
static void eject(struct crossbar *crossbar, struct crossbar_output *output, uint64_t cycle, uint64_t now)
{
	if (output->sent_at[slot(crossbar, output->ejected)] + TRAVERSAL > cycle)
		return;
	struct crossbar_packet *packet = &output->arriving[output->arriving_head];
	/* The port's capacity models the consumer's buffer, flit by flit. The packet becomes visible when its tail
	 * has arrived. */
	if (port_room(output->port, now) < output->arrived + 1) {
		crossbar->stats.output_stalls++;
		return;
	}
	output->ejected_at[slot(crossbar, output->ejected)] = cycle;
	output->ejected++;
	if (++output->arrived < packet->flits)
		return;
	crossbar->stats.bytes += request_packet_bytes(packet->request);
	port_push_packet(output->port, packet->request, packet->flits, 0, now);
	output->arrived = 0;
	output->arriving_head = slot(crossbar, output->arriving_head + 1);
	output->arrivings--;
	crossbar->in_flight--;
	crossbar->stats.packets++;
}

/* Sends the owner's next flit through the switch, when it has arrived and the ejection buffer has a free entry. */
static void send_flit(struct crossbar *crossbar, struct crossbar_output *output, uint64_t cycle, uint64_t step)
{
	struct crossbar_input *input = &crossbar->input[output->owner];
	if (input->granted_at >= step || !has_flit(input, cycle))
		return;
	uint64_t depth = crossbar->config.buffer_flits;
	if (output->sent >= depth) {
		uint64_t before = output->sent - depth;
		if (output->ejected <= before || output->ejected_at[slot(crossbar, before)] + CREDIT > cycle) {
			crossbar->stats.output_stalls++;
			return;
		}
	}
	struct crossbar_packet *packet = &input->packet[input->packet_head];
	if (input->sent == 0) {
		output->arriving[slot(crossbar, output->arriving_head + output->arrivings)] = *packet;
		output->arrivings++;
	}
	if (buffer_is_full(crossbar, input) && !port_empty(&input->port))
		bits_add(crossbar->offered, output->owner);
	input->left_at[slot(crossbar, input->left++)] = cycle;
	output->sent_at[slot(crossbar, output->sent++)] = cycle;
	crossbar->stats.flits++;
	if (++input->sent < packet->flits)
		return;
	input->sent = 0;
	input->granted_at = step;
	input->packet_head = slot(crossbar, input->packet_head + 1);
	if (--input->packets)
		bits_add(crossbar->buffered, output->owner);
	output->owner = CROSSBAR_FREE;
	output->freed_at = step;
}

/* True when the first packet of an input may request its output: the head flit is in the buffer, and the input has
 * not changed packets in this step. It then requests the output until it gets it. */
static bool asks(const struct crossbar_input *input, uint64_t cycle, uint64_t step)
{
	return has_flit(input, cycle) && (input->left == 0 || input->granted_at < step);
}

/* Enters the request of the input's first packet for its output, if it may make one. */
static void ask(struct crossbar *crossbar, uint32_t i, uint64_t cycle, uint64_t step)
{
	const struct crossbar_input *input = &crossbar->input[i];
	if (!asks(input, cycle, step))
		return;
	uint32_t o = input->packet[input->packet_head].output;
	bits_remove(crossbar->buffered, i);
	bits_add(crossbar->output[o].asks, i);
	bits_add(crossbar->asked, o);
	crossbar->output[o].asking++;
	crossbar->asking++;
}

uint32_t crossbar_first_in_turn(const struct crossbar *crossbar, const struct crossbar_output *output)
{
	uint32_t words = crossbar->input_words, first = bits_next_around(output->asks, words, output->next), i = first;
	do {
		if (!crossbar->preferences || is_preferred(crossbar, i) == crossbar->prevails)
			return i;
		i = bits_next_around(output->asks, words, i + 1);
	} while (i != first);
	return first;
}

void crossbar_next_turn(const struct crossbar *crossbar, struct crossbar_output *output, uint32_t served)
{
	if (!is_preferred(crossbar, served))
		output->next = served + 1 == crossbar->inputs ? 0 : served + 1;
}

/* Gives a requested output to an input, if the output is free. */
static void grant(struct crossbar *crossbar, uint32_t o, uint64_t step)
{
	struct crossbar_output *output = &crossbar->output[o];
	if (output->owner != CROSSBAR_FREE || output->freed_at == step)
		return;
	assert(output->asking);
	uint32_t i = crossbar_first_in_turn(crossbar, output);
	bits_remove(output->asks, i);
	if (--output->asking == 0)
		bits_remove(crossbar->asked, o);
	crossbar->asking--;
	output->owner = i;
	crossbar_next_turn(crossbar, output, i);
	crossbar->input[i].granted_at = step;
	bits_add(crossbar->moving, o);
}

/* Virtual-channel allocation: each free output takes one of the packets whose head flit requests it, round robin. */
static void allocate(struct crossbar *crossbar, uint64_t cycle, uint64_t step)
{
	for (uint32_t word = 0; word < crossbar->input_words; word++)
		for (uint64_t left = crossbar->buffered[word]; left; left &= left - 1)
			ask(crossbar, word * 64 + (uint32_t)__builtin_ctzll(left), cycle, step);
	for (uint32_t word = 0; word < crossbar->output_words; word++)
		for (uint64_t left = crossbar->asked[word]; left; left &= left - 1)
			grant(crossbar, word * 64 + (uint32_t)__builtin_ctzll(left), step);
	crossbar->stats.output_conflicts += crossbar->asking;
}

/* Moves a flit from the producer's port into the channel, when the buffer after it has a free entry. */
static void inject(struct crossbar *crossbar, uint32_t i, uint64_t cycle, uint64_t now)
{
	struct crossbar_input *input = &crossbar->input[i];
	const struct port_slot *front = port_front_slot(&input->port, now);
	if (!front)
		return;
	uint64_t depth = crossbar->config.buffer_flits;
	if (buffer_is_full(crossbar, input)) {
		bits_remove(crossbar->offered, i); /* until a flit leaves */
		return;
	}
	if (input->entered >= depth && input->left_at[slot(crossbar, input->entered - depth)] + CREDIT > cycle)
		return;
	uint32_t flits = front->units;
	if (input->injecting == 0) {
		if (!input->packets)
			bits_add(crossbar->buffered, i);
		input->packet[slot(crossbar, input->packet_head + input->packets++)] =
			(struct crossbar_packet){front->item, flits, front->to};
		crossbar->in_flight++;
	}
	input->entered++;
	input->entered_last = cycle;
	port_release(&input->port, 1, now);
	if (++input->injecting < flits)
		return;
	input->injecting = 0;
	port_drop(&input->port);
	if (port_empty(&input->port))
		bits_remove(crossbar->offered, i);
}

/* Simulates a step of all outputs that have work. Ejection buffers release a flit in the first step of a cycle. */
static void move_flits(struct crossbar *crossbar, uint64_t cycle, uint64_t step, uint64_t now, bool ejects)
{
	for (uint32_t word = 0; word < crossbar->output_words; word++) {
		struct crossbar_output *outputs = &crossbar->output[(size_t)word * 64];
		for (uint64_t left = crossbar->moving[word]; left; left &= left - 1) {
			struct crossbar_output *output = &outputs[__builtin_ctzll(left)];
			if (ejects && output->ejected != output->sent)
				eject(crossbar, output, cycle, now);
			if (output->owner != CROSSBAR_FREE)
				send_flit(crossbar, output, cycle, step);
			else if (output->ejected == output->sent)
				crossbar->moving[word] &= ~(left & -left);
		}
	}
}

/* Takes a flit from each input that is offered one. True when more are offered. */
static bool inject_all(struct crossbar *crossbar, uint64_t cycle, uint64_t now)
{
	uint64_t waiting = 0;
	for (uint32_t word = 0; word < crossbar->input_words; word++) {
		for (uint64_t left = crossbar->offered[word]; left; left &= left - 1)
			inject(crossbar, word * 64 + (uint32_t)__builtin_ctzll(left), cycle, now);
		waiting |= crossbar->offered[word];
	}
	return waiting;
}

void crossbar_tick(struct crossbar *crossbar, uint64_t cycle, uint64_t now)
{
	crossbar->prevails = crossbar->preference == CROSSBAR_FIRST ||
	                     (crossbar->preference == CROSSBAR_ALTERNATE && cycle % 2 == 0);
	if (crossbar->config.kind == CROSSBAR_LOCAL) {
		crossbar_tick_local(crossbar, now);
		return;
	}
	uint64_t step = cycle * crossbar->config.speedup;
	for (uint32_t k = 0; k < crossbar->config.speedup; k++) {
		move_flits(crossbar, cycle, step + k, now, k == 0);
		allocate(crossbar, cycle, step + k);
	}
	bool waiting = inject_all(crossbar, cycle, now);
	crossbar->wake = waiting || crossbar->in_flight ? now + 1 : UINT64_MAX;
}
