/* crossbar_local: the crossbar of GPGPU-Sim 4.2.0 for the machines from Volta on (local_interconnect.cc,
 * network_mode 2). A packet is one unit whatever its size, and moves from its input's port to its output's port in
 * one step. Outputs are served in ascending order. Each takes one packet per cycle, round robin over the inputs
 * whose oldest packet is for it. After an input's packet has moved, its next packet is visible at once to the
 * outputs served later. An input can therefore send several packets in a cycle. */
#include "memory/crossbar.h"

/* If the input's oldest packet is visible, it requests its output. */
static void ask(struct crossbar *crossbar, uint32_t i, uint64_t now)
{
	const struct port_slot *front = port_front_slot(&crossbar->input[i].port, now);
	if (!front)
		return;
	struct crossbar_output *output = &crossbar->output[front->to];
	bits_add(crossbar->buffered, i);
	bits_add(output->asks, i);
	bits_add(crossbar->asked, front->to);
	output->asking++;
	crossbar->asking++;
}

/* Calls ask() for the inputs whose packet does not yet request its output. */
static void ask_all(struct crossbar *crossbar, uint64_t now)
{
	for (uint32_t word = 0; word < crossbar->input_words; word++)
		for (uint64_t left = crossbar->offered[word] & ~crossbar->buffered[word]; left; left &= left - 1)
			ask(crossbar, word * 64 + (uint32_t)__builtin_ctzll(left), now);
}

static void withdraw(struct crossbar *crossbar, uint32_t i, uint32_t o)
{
	struct crossbar_output *output = &crossbar->output[o];
	bits_remove(crossbar->buffered, i);
	bits_remove(output->asks, i);
	if (--output->asking == 0)
		bits_remove(crossbar->asked, o);
	crossbar->asking--;
}

/* The output takes a packet, if its port has space. */
static void move_packet(struct crossbar *crossbar, uint32_t o, uint64_t now)
{
	struct crossbar_output *output = &crossbar->output[o];
	if (!port_room(output->port, now)) {
		crossbar->stats.output_stalls++;
		return;
	}
	uint32_t i = crossbar_first_in_turn(crossbar, output);
	struct port *from = &crossbar->input[i].port;
	struct request *request = port_front(from, now);
	crossbar->stats.bytes += request_packet_bytes(request);
	port_push_packet(output->port, request, 1, 0, now);
	port_pop(from, now);
	withdraw(crossbar, i, o);
	crossbar_next_turn(crossbar, output, i);
	crossbar->stats.packets++;
	crossbar->stats.flits++;
	if (port_empty(from))
		bits_remove(crossbar->offered, i);
	else
		ask(crossbar, i, now);
}

void crossbar_tick_local(struct crossbar *crossbar, uint64_t now)
{
	ask_all(crossbar, now);
	for (uint32_t word = 0; word < crossbar->output_words; word++) {
		uint64_t behind = UINT64_MAX, left;
		while ((left = crossbar->asked[word] & behind)) {
			move_packet(crossbar, word * 64 + (uint32_t)__builtin_ctzll(left), now);
			behind = ~((left & -left) | ((left & -left) - 1)); /* each output has one turn */
		}
	}
	crossbar->stats.output_conflicts += crossbar->asking;
	bool waiting = false;
	for (uint32_t word = 0; word < crossbar->input_words; word++)
		waiting |= crossbar->offered[word] != 0;
	crossbar->wake = waiting ? now + 1 : UINT64_MAX;
}
