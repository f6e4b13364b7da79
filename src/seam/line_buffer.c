#include "seam/line_buffer.h"

#include <stdlib.h>

void line_buffer_open(struct line_buffer *buffer, const struct mech_buffer *config, uint32_t line_bytes,
                      const struct base_prefetch_listener *listener)
{
	*buffer = (struct line_buffer){.config = *config,
	                               .line_bytes = line_bytes,
	                               .ways = config->ways ? config->ways : UINT32_MAX,
	                               .set = base_calloc(config->sets, sizeof(struct buffer_set)),
	                               .listener = *listener};
}

void line_buffer_close(struct line_buffer *buffer)
{
	for (uint32_t s = 0; buffer->set && s < buffer->config.sets; s++)
		free(buffer->set[s].line);
	free(buffer->set);
	arena_free(&buffer->arena);
}

static uint64_t line_address(const struct line_buffer *buffer, uint64_t address)
{
	return address & ~(uint64_t)(buffer->line_bytes - 1);
}

static struct buffer_set *set_of(const struct line_buffer *buffer, uint64_t line_at)
{
	return &buffer->set[line_at / buffer->line_bytes & (buffer->config.sets - 1)];
}

static struct buffer_line *find(const struct buffer_set *set, uint64_t line_at)
{
	for (uint32_t i = 0; i < set->lines; i++)
		if (set->line[i].address == line_at)
			return &set->line[i];
	return NULL;
}

/* The sectors that contain these bytes of a line, one bit per sector. */
static uint8_t sectors_of(uint64_t address, uint64_t line_at, uint32_t bytes)
{
	uint32_t first = (uint32_t)(address - line_at) / MECH_SECTOR,
		 end = (uint32_t)(address - line_at + bytes + MECH_SECTOR - 1) / MECH_SECTOR;
	return (uint8_t)((1u << end) - (1u << first));
}

static void tell_listener(const struct line_buffer *buffer, enum base_prefetch_outcome outcome,
                          const struct base_prefetch *prefetch)
{
	buffer->listener.outcome(buffer->listener.user, outcome, prefetch);
}

static void settle(struct line_buffer *buffer, struct buffer_line *line, enum base_prefetch_outcome outcome)
{
	struct buffer_brought *brought;
	while ((brought = line->brought) != NULL) {
		tell_listener(buffer, outcome, &brought->prefetch);
		line->brought = brought->next;
		brought->next = buffer->free;
		buffer->free = brought;
	}
}

/* Appends a request to the list of requests that have fetched parts of this line. */
static void keep_request(struct line_buffer *buffer, struct buffer_line *line, const struct base_prefetch *prefetch)
{
	struct buffer_brought *brought = buffer->free, **last = &line->brought;
	if (brought)
		buffer->free = brought->next;
	else
		brought = arena_alloc(&buffer->arena, sizeof *brought);
	*brought = (struct buffer_brought){.prefetch = *prefetch};
	while (*last)
		last = &(*last)->next;
	*last = brought;
}

static void remove_line(struct line_buffer *buffer, struct buffer_set *set, struct buffer_line *line,
                        enum base_prefetch_outcome outcome)
{
	settle(buffer, line, outcome);
	*line = set->line[--set->lines];
}

static struct buffer_line *least_recently_used(const struct buffer_set *set)
{
	struct buffer_line *oldest = set->line;
	for (uint32_t i = 1; i < set->lines; i++)
		if (set->line[i].used < oldest->used)
			oldest = &set->line[i];
	return oldest;
}

void line_buffer_allocated(struct line_buffer *buffer, uint32_t bytes)
{
	const struct mech_buffer *config = &buffer->config;
	if (!config->in_shared)
		return;
	uint32_t rest = bytes < config->bytes ? config->bytes - bytes : 0;
	uint32_t ways = rest / (buffer->line_bytes * config->sets);
	buffer->ways = config->ways && config->ways < ways ? config->ways : ways;
	for (uint32_t s = 0; s < config->sets; s++)
		while (buffer->set[s].lines > buffer->ways)
			remove_line(buffer, &buffer->set[s], least_recently_used(&buffer->set[s]),
			            BASE_PREFETCH_EARLY_EVICTED);
}

/* The line if it has all the sectors, or NULL. */
static struct buffer_line *line_with(const struct line_buffer *buffer, uint64_t address, uint32_t touched)
{
	uint64_t line_at = line_address(buffer, address);
	struct buffer_line *line = find(set_of(buffer, line_at), line_at);
	uint32_t sectors = touched << (address - line_at) / MECH_SECTOR;
	return line && (line->sectors & sectors) == sectors ? line : NULL;
}

bool line_buffer_has(const struct line_buffer *buffer, uint64_t address, uint32_t touched)
{
	return line_with(buffer, address, touched);
}

bool line_buffer_find(struct line_buffer *buffer, uint64_t address, uint32_t touched)
{
	struct buffer_line *line = line_with(buffer, address, touched);
	if (!line)
		return false;
	line->used = ++buffer->uses;
	settle(buffer, line, BASE_PREFETCH_USEFUL);
	return true;
}

/* Adds a line. Returns NULL when the buffer has no ways. */
static struct buffer_line *add_line(struct line_buffer *buffer, uint64_t line_at)
{
	struct buffer_set *set = set_of(buffer, line_at);
	if (!buffer->ways)
		return NULL;
	if (set->lines == buffer->ways)
		remove_line(buffer, set, least_recently_used(set), BASE_PREFETCH_EARLY_EVICTED);
	if (set->lines == set->room) {
		set->room = set->room ? 2 * set->room : 8;
		set->line = base_realloc(set->line, set->room * sizeof *set->line);
	}
	struct buffer_line *line = &set->line[set->lines++];
	*line = (struct buffer_line){.address = line_at};
	return line;
}

void line_buffer_put(struct line_buffer *buffer, uint64_t address, uint32_t bytes, uint32_t block,
                     const struct base_prefetch *brought)
{
	uint64_t start = line_address(buffer, address);
	uint8_t sectors = sectors_of(address, start, bytes);
	struct buffer_line *line = find(set_of(buffer, start), start);
	bool brings = !line || (line->sectors & sectors) != sectors;
	if (!line)
		line = add_line(buffer, start);
	if (line) {
		line->owners |= 1ull << block;
		line->used = ++buffer->uses;
		line->sectors |= sectors;
	}
	if (!brought)
		return;
	if (line && brings)
		keep_request(buffer, line, brought);
	else
		tell_listener(buffer, line ? BASE_PREFETCH_REDUNDANT : BASE_PREFETCH_EARLY_EVICTED, brought);
}

void line_buffer_drop(struct line_buffer *buffer, uint64_t address)
{
	uint64_t line_at = line_address(buffer, address);
	struct buffer_set *set = set_of(buffer, line_at);
	struct buffer_line *line = find(set, line_at);
	if (line)
		remove_line(buffer, set, line, BASE_PREFETCH_EARLY_EVICTED);
}

void line_buffer_block_ended(struct line_buffer *buffer, uint32_t block)
{
	uint64_t bit = 1ull << block;
	for (uint32_t s = 0; s < buffer->config.sets; s++) {
		struct buffer_set *set = &buffer->set[s];
		for (uint32_t i = set->lines; i-- > 0;) {
			struct buffer_line *line = &set->line[i];
			if (!(line->owners & bit))
				continue;
			line->owners &= ~bit;
			if (!line->owners)
				remove_line(buffer, set, line, BASE_PREFETCH_REDUNDANT);
		}
	}
}

/* Removes those requests of these senders from the line's list. */
static void settle_of(struct line_buffer *buffer, struct buffer_line *line, uint32_t senders)
{
	for (struct buffer_brought **link = &line->brought; *link;) {
		struct buffer_brought *brought = *link;
		if (!(senders >> (brought->prefetch.sender - 1) & 1)) {
			link = &brought->next;
			continue;
		}
		tell_listener(buffer, BASE_PREFETCH_REDUNDANT, &brought->prefetch);
		*link = brought->next;
		brought->next = buffer->free;
		buffer->free = brought;
	}
}

void line_buffer_end_requests(struct line_buffer *buffer, uint32_t senders)
{
	for (uint32_t s = 0; s < buffer->config.sets; s++)
		for (uint32_t i = 0; i < buffer->set[s].lines; i++)
			settle_of(buffer, &buffer->set[s].line[i], senders);
}

void line_buffer_empty(struct line_buffer *buffer)
{
	for (uint32_t s = 0; s < buffer->config.sets; s++)
		while (buffer->set[s].lines)
			remove_line(buffer, &buffer->set[s], buffer->set[s].line, BASE_PREFETCH_REDUNDANT);
}
