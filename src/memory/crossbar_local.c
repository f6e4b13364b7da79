/* The crossbar of GPGPU-Sim 4.2.0 for the machines from Volta on (local_interconnect.cc, network_mode 2): a packet is one unit whatever
 * its size, and goes from its input's port to its output's in one step. Outputs are served in rising order, each takes one packet a
 * cycle, round robin over the inputs whose oldest packet is for it. An input whose packet has gone shows its next one to the outputs
 * behind at once, so that it can give several in a cycle. */
#include "memory/crossbar.h"

/* The input's oldest packet, if it can be seen, asks for its output. */
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

/* Inputs whose packet does not ask yet. */
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

/* The output takes a packet, if its port has room. */
static void move_packet(struct crossbar *crossbar, uint32_t o, uint64_t now)
{
	struct crossbar_output *output = &crossbar->output[o];
	if (!port_room(output->port, now)) {
		crossbar->stats.output_stalls++;
		return;
	}
	uint32_t i = crossbar_first_in_turn(crossbar, output);
	struct port *from = &crossbar->input[i].port;
	port_push_packet(output->port, port_front(from, now), 1, 0, now);
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
			behind = ~((left & -left) | ((left & -left) - 1)); /* an output has its turn once */
		}
	}
	crossbar->stats.output_conflicts += crossbar->asking;
	bool waiting = false;
	for (uint32_t word = 0; word < crossbar->input_words; word++)
		waiting |= crossbar->offered[word] != 0;
	crossbar->wake = waiting ? now + 1 : UINT64_MAX;
}
