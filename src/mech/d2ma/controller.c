/* The controller of a block: the states of its four buffers (section 4.1; docs/reference/dma.md states when a command
 * counts). */
#include "mech/d2ma/d2ma.h"

static bool is_live(struct mech_sm *sm, uint32_t warp)
{
	struct mech_warp seen;
	mech_look_at_warp(sm, warp, &seen);
	return seen.live;
}

/* Whether every live warp of the block has issued the command after the last one that counts. */
static bool all_have_come(struct mech_sm *sm, const struct d2ma_controller *controller, uint32_t number)
{
	const struct d2ma_sm *engine = d2ma_engine(sm);
	for (uint32_t w = controller->first_warp; w < controller->first_warp + controller->warps; w++)
		if (engine->warp[w].dma.commands[number] <= controller->buffer[number].commanded && is_live(sm, w))
			return false;
	return true;
}

static uint32_t under_way(const struct d2ma_controller *controller)
{
	uint32_t count = 0;
	for (uint32_t b = 0; b < DMA_BUFFERS; b++)
		count += controller->buffer[b].state > D2MA_CONFIGURED && controller->buffer[b].state < D2MA_DONE;
	return count;
}

/* After the end of a transfer, the block computes with its data. */
static void draw_computing(struct mech_sm *sm, uint32_t slot, uint32_t number, uint64_t until)
{
	const struct d2ma_buffer *buffer = &d2ma_engine(sm)->controller[slot].buffer[number];
	if (buffer->state == D2MA_DONE)
		mech_draw(sm->output, &(struct mech_event){.row = D2MA_COMP,
		                                           .track = slot * DMA_BUFFERS + number,
		                                           .begin = buffer->end,
		                                           .end = until,
		                                           .arguments = {buffer->serial}});
}

static void ignite(struct mech_sm *sm, uint32_t slot, uint32_t number, uint64_t cycle)
{
	const struct d2ma_config *config = sm->config;
	struct d2ma_sm *engine = d2ma_engine(sm);
	struct d2ma_buffer *buffer = &engine->controller[slot].buffer[number];
	struct d2ma_stats *stats = sm->stats;
	buffer->state = D2MA_IGNITING;
	buffer->now = buffer->last;
	buffer->ignited++;
	buffer->serial = ++engine->serials;
	buffer->ignition = cycle + config->latency;
	buffer->coming = 0;
	stats->transfers++;
	stats->reignited += buffer->ignited > 1;
	d2ma_wake(sm, slot, D2MA_FOR_IGNITION);
}

/* Ignites configured transfers, in the order of the buffers' numbers, while entries are free. */
static void ignite_what_can(struct mech_sm *sm, uint32_t slot, uint64_t cycle)
{
	const struct d2ma_config *config = sm->config;
	struct d2ma_controller *controller = &d2ma_engine(sm)->controller[slot];
	for (uint32_t b = 0; b < DMA_BUFFERS; b++)
		if (controller->buffer[b].state == D2MA_CONFIGURED && under_way(controller) < config->entries)
			ignite(sm, slot, b, cycle);
}

/* A commanded transfer takes the buffer when the previous one is complete. */
static void configure_if_free(struct mech_sm *sm, uint32_t slot, uint32_t number, uint64_t cycle)
{
	struct d2ma_sm *engine = d2ma_engine(sm);
	struct d2ma_buffer *buffer = &engine->controller[slot].buffer[number];
	if (buffer->commanded == buffer->ignited || d2ma_is_unfinished(buffer))
		return;
	draw_computing(sm, slot, number, cycle);
	buffer->state = D2MA_CONFIGURED;
	engine->unfinished++;
}

static void count_command(struct mech_sm *sm, uint32_t slot, uint32_t number, uint64_t cycle)
{
	struct d2ma_sm *engine = d2ma_engine(sm);
	struct d2ma_buffer *buffer = &engine->controller[slot].buffer[number];
	buffer->last = buffer->next;
	buffer->commanded++;
	buffer->has_next = false;
	engine->partial--;
	configure_if_free(sm, slot, number, cycle);
	ignite_what_can(sm, slot, cycle);
}

/* Rejects a transfer that does not fit. The kernel stops when the instruction executes, in this cycle. */
static bool makes_sense(struct mech_sm *sm, uint32_t slot, const struct dma_transfer *transfer)
{
	return transfer->element_bytes && transfer->lines && transfer->length && dma_lines(transfer) <= 1 << 18 &&
	       dma_length(transfer) <= 1 << 18 && dma_end(transfer) <= mech_launch_of(sm, slot)->shared_bytes;
}

void d2ma_command(struct mech_sm *sm, uint32_t slot, uint32_t warp, enum dma_command command,
                  const uint64_t value[DMA_MAX_FIELDS], uint64_t cycle)
{
	struct d2ma_sm *engine = d2ma_engine(sm);
	struct d2ma_stats *stats = sm->stats;
	uint32_t number = (uint32_t)value[0];
	if (number >= DMA_BUFFERS)
		return;
	struct d2ma_buffer *buffer = &engine->controller[slot].buffer[number];
	struct dma_warp *dma = &engine->warp[warp].dma;
	const struct dma_transfer transfer = dma_transfer_of(dma, command, value, &buffer->last);
	if (!makes_sense(sm, slot, &transfer))
		return;
	stats->commands++;
	if (++dma->commands[number] <= buffer->commanded) {
		stats->repeated++;
		d2ma_wake_at_barrier(sm, slot);
		return;
	}
	stats->repeated += buffer->has_next;
	engine->partial += !buffer->has_next;
	buffer->next = transfer;
	buffer->has_next = true;
	if (!buffer->commanded || all_have_come(sm, &engine->controller[slot], number))
		count_command(sm, slot, number, cycle);
}

void d2ma_warps_have_exited(struct mech_sm *sm, uint64_t cycle)
{
	struct d2ma_sm *engine = d2ma_engine(sm);
	engine->exits = false;
	for (uint32_t slot = 0; (engine->partial || engine->held) && slot < sm->machine->blocks; slot++) {
		struct d2ma_controller *controller = &engine->controller[slot];
		if (controller->resident)
			d2ma_wake_at_barrier(sm, slot);
		for (uint32_t b = 0; controller->resident && b < DMA_BUFFERS; b++)
			if (controller->buffer[b].has_next && all_have_come(sm, controller, b))
				count_command(sm, slot, b, cycle);
	}
}

static void count_times(struct mech_sm *sm, const struct d2ma_buffer *buffer, uint32_t track)
{
	struct d2ma_stats *stats = sm->stats;
	uint64_t bytes = dma_elements(&buffer->now) * buffer->now.element_bytes;
	stats->completed++;
	stats->bytes += bytes;
	stats->transfer_cycles += buffer->end - buffer->ignition;
	stats->queued_cycles += buffer->begin - buffer->ignition;
	stats->agen_cycles += buffer->generated - buffer->begin;
	stats->mem_cycles += buffer->end - buffer->generated;
	mech_observe(sm->output, D2MA_TRANSFER_TIME, buffer->end - buffer->ignition);
	mech_observe(sm->output, D2MA_AGEN_TIME, buffer->generated - buffer->begin);
	mech_observe(sm->output, D2MA_MEM_TIME, buffer->end - buffer->generated);
	mech_draw(sm->output,
	          &(struct mech_event){D2MA_AGEN, track, buffer->begin, buffer->generated, {buffer->serial, bytes}});
	mech_draw(sm->output,
	          &(struct mech_event){D2MA_MEM, track, buffer->generated, buffer->end, {buffer->serial, bytes}});
}

void d2ma_come_on(struct mech_sm *sm, uint32_t slot, uint32_t number, uint64_t cycle)
{
	struct d2ma_sm *engine = d2ma_engine(sm);
	struct d2ma_buffer *buffer = &engine->controller[slot].buffer[number];
	if (buffer->state != D2MA_IN_FLIGHT || buffer->coming)
		return;
	buffer->state = D2MA_DONE;
	buffer->end = cycle;
	engine->unfinished--;
	count_times(sm, buffer, slot * DMA_BUFFERS + number);
	configure_if_free(sm, slot, number, cycle);
	ignite_what_can(sm, slot, cycle);
	d2ma_wake(sm, slot, D2MA_FOR_DATA);
}

void d2ma_block_ends(struct mech_sm *sm, uint32_t slot, uint64_t cycle)
{
	struct d2ma_sm *engine = d2ma_engine(sm);
	struct d2ma_controller *controller = &engine->controller[slot];
	struct d2ma_stats *stats = sm->stats;
	d2ma_agen_leave(sm, slot, cycle);
	engine->resident -= controller->warps;
	for (uint32_t b = 0; b < DMA_BUFFERS; b++) {
		struct d2ma_buffer *buffer = &controller->buffer[b];
		draw_computing(sm, slot, b, cycle);
		stats->drained += buffer->state > D2MA_CONFIGURED && buffer->state < D2MA_DONE;
		engine->unfinished -= d2ma_is_unfinished(buffer);
		engine->partial -= buffer->has_next;
	}
	*controller = (struct d2ma_controller){0};
}
