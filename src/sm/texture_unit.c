/* texture_unit: the order of its steps in a cycle, and the sizes of its queues, are those of tex_cache in GPGPU-Sim
 * 3.2.2 (gpu-cache.cc). The latency is ours, and 0 on GPGPU-Sim's machines. tests/sm/test_texture_unit.c checks the
 * times. */
#include "sm/sm.h"

static uint32_t place(const struct ring *ring, uint32_t number)
{
	uint32_t at = ring->head + number;
	return at < ring->capacity ? at : at - ring->capacity;
}

static bool is_full(const struct ring *ring)
{
	return ring->count == ring->capacity;
}

/* Appends an entry and returns its position. */
static uint32_t push(struct ring *ring)
{
	invariant(!is_full(ring));
	return place(ring, ring->count++);
}

/* Removes the first entry and returns its position. */
static uint32_t pop(struct ring *ring)
{
	invariant(ring->count);
	uint32_t at = ring->head;
	ring->head = place(ring, 1);
	ring->count--;
	return at;
}

void texture_unit_open(struct sm *sm)
{
	const struct texture_config *config = &sm->config.texture;
	struct texture_unit *unit = &sm->texture;
	tags_open(&unit->tags, &config->cache, CACHE_OF_SM, &sm->arena);
	unit->coming = arena_array(&sm->arena, (size_t)config->cache.sets * config->cache.ways, sizeof *unit->coming);
	request_queue_open(&unit->requests, &sm->arena, config->requests);
	unit->fragments.capacity = config->fragments;
	unit->fragment = arena_array(&sm->arena, config->fragments, sizeof *unit->fragment);
	unit->lines.capacity = config->lines;
	unit->line = arena_array(&sm->arena, config->lines, sizeof *unit->line);
	unit->results.capacity = config->results;
	unit->result = arena_array(&sm->arena, config->results, sizeof *unit->result);
}

void texture_unit_end(struct sm *sm)
{
	if (sm->texture.stats.accesses)
		tags_clear(&sm->texture.tags);
}

static void send_for(struct sm *sm, const struct op *op, uint64_t block, uint32_t line)
{
	struct request *request = request_new(sm->requests);
	request->kind = REQUEST_TEXTURE;
	request->address = block;
	request->bytes = sm->config.texture.cache.line_bytes;
	request->dram_bytes = request->bytes;
	request->sm = (uint16_t)sm->index;
	request->warp = (uint16_t)op->warp;
	request->block = sm->warp[op->warp].block;
	request->pc = op->inst->pc + 1;
	request->born = sm->cycle;
	request->wait[CACHE_OF_SM].index = line;
	address_map_place(sm->map, request);
	request_queue_push(&sm->texture.requests, request);
}

/* Assigns the line to the block and requests its data. */
static void miss(struct sm *sm, const struct op *op, const struct tag_probe *probe)
{
	struct texture_unit *unit = &sm->texture;
	tags_insert(&unit->tags, probe->at, probe->block, probe->block, 0, sm->cycle);
	unit->tags.line[probe->at].present = probe->bit;
	unit->coming[probe->at] = true;
	uint32_t line = push(&unit->lines);
	unit->line[line] = (struct texture_line){.block = probe->block, .born = sm->cycle, .at = probe->at};
	send_for(sm, op, probe->block, line);
	unit->stats.misses++;
	unit->stats.read_misses++;
}

bool texture_unit_access(struct sm *sm, struct op *op, const struct access *access)
{
	struct texture_unit *unit = &sm->texture;
	if (is_full(&unit->fragments) || is_full(&unit->lines) || request_queue_full(&unit->requests)) {
		unit->stats.refused++;
		return false;
	}
	const struct request wanted = {.address = access->address};
	const struct tag_probe probe = tags_probe(&unit->tags, &wanted);
	bool is_miss = probe.state != TAG_HIT;
	if (sm->profile)
		profile_looked_up(sm->profile, op->inst->pc, !is_miss && !unit->coming[probe.at]);
	if (is_miss) {
		miss(sm, op, &probe);
	} else {
		tags_use(&unit->tags, probe.at, sm->cycle);
		*(unit->coming[probe.at] ? &unit->stats.merged : &unit->stats.hits) += 1;
	}
	unit->stats.accesses++;
	unit->stats.read_accesses++;
	unit->fragment[push(&unit->fragments)] =
		(struct fragment){op, sm->cycle + 1 + sm->config.texture.latency, is_miss};
	return true;
}

void texture_unit_fill(struct sm *sm, struct request *request)
{
	struct texture_unit *unit = &sm->texture;
	struct texture_line *line = &unit->line[request->wait[CACHE_OF_SM].index];
	line->is_there = true;
	line->level = request->level;
	if (unit->tags.line[line->at].block == line->block)
		unit->coming[line->at] = false;
	unit->stats.fills++;
	request_release(sm->requests, request);
}

/* The oldest access, if its data have arrived, else NULL. */
static const struct fragment *first_with_data(const struct texture_unit *unit)
{
	const struct fragment *first = &unit->fragment[unit->fragments.head];
	if (!unit->fragments.count || (first->is_miss && !unit->line[unit->lines.head].is_there))
		return NULL;
	return first;
}

/* Takes a line's data. */
static void take_line(struct sm *sm, struct op *op)
{
	const struct texture_line *line = &sm->texture.line[pop(&sm->texture.lines)];
	sm->stats.memory_requests++;
	sm->stats.memory_latency += sm->cycle - line->born;
	if (op->level < line->level)
		op->level = line->level;
}

void texture_unit_tick(struct sm *sm)
{
	struct texture_unit *unit = &sm->texture;
	struct request *request = request_queue_front(&unit->requests);
	unit->is_refused = request && !network_port_send(sm, request);
	if (request && !unit->is_refused)
		request_queue_pop(&unit->requests);
	const struct fragment *first = first_with_data(unit);
	if (!first || first->ready > sm->cycle || is_full(&unit->results))
		return;
	if (first->is_miss)
		take_line(sm, first->op);
	unit->result[push(&unit->results)] = first->op;
	pop(&unit->fragments);
}

uint64_t texture_unit_next(const struct sm *sm)
{
	const struct texture_unit *unit = &sm->texture;
	const struct fragment *first = first_with_data(unit);
	if (unit->results.count || (unit->requests.count && !unit->is_refused))
		return sm->cycle + 1;
	if (!first)
		return SM_NEVER;
	return first->ready > sm->cycle ? first->ready : sm->cycle + 1;
}

struct op *texture_unit_take_result(struct texture_unit *unit)
{
	return unit->result[pop(&unit->results)];
}
