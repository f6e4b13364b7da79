/* trace: draws events on the timeline (README.md). They show what warps wait for, and the lifetimes of requests,
 * prefetched lines and open DRAM rows. The mechanism is passive: it never changes what the machine does. */
#include "trace.h"

#include "seam/mech_numbers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct mech_event_row events[TRACE_EVENT_COUNT] = {
#define X(id, event, what, one, two) [TRACE_##id] = {.name = #event, .meaning = what, .arguments = {one, two}},
	TRACE_EVENTS(X)
#undef X
};

static const struct mech_track_row tracks[] = {{"warp", TRACKS_OF_WARPS},
                                               {"request", TRACKS_OF_REQUESTS},
                                               {"prefetch", TRACKS_OF_PREFETCHES},
                                               {"bank", TRACKS_OF_BANKS}};

static const struct base_counter counters[] = {
	{"unseen", "requests", BASE_SCOPE_SM, offsetof(struct trace_stats, unseen),
         "requests and lines not drawn: all tracks of the SM or slice were in use", BASE_COMBINE_SUM},
};

static const struct trace_config defaults = {
	.warps = true, .requests = true, .prefetches = true, .banks = true, .every = 16, .sms = "all"};

static const struct base_option options[] = {
	{"warps", BASE_OPTION_BOOL, offsetof(struct trace_config, warps), 0, 0, NULL, "",
         "draw what each warp waits for"},
	{"requests", BASE_OPTION_BOOL, offsetof(struct trace_config, requests), 0, 0, NULL, "",
         "draw requests: in flight from SMs, and inside L2 slices"},
	{"prefetches", BASE_OPTION_BOOL, offsetof(struct trace_config, prefetches), 0, 0, NULL, "",
         "draw lines that mechanisms fetch into L1, up to their first use"},
	{"banks", BASE_OPTION_BOOL, offsetof(struct trace_config, banks), 0, 0, NULL, "", "draw open DRAM rows"},
	{"every", BASE_OPTION_U32, offsetof(struct trace_config, every), 1, 1 << 20, NULL, "cycles",
         "interval between two samples of a warp; shorter waits are not drawn"},
	{"sms", BASE_OPTION_TEXT, offsetof(struct trace_config, sms), 0, 0, NULL, "",
         "SMs to draw: all, or as in 0-3+7"},
};

static bool looks_at(const struct trace_config *config, uint32_t sm)
{
	bool good = true;
	return mech_numbers_have(config->sms, sm, &good);
}

static bool check(const void *config, const struct mech_machine *machine, char *message, size_t size)
{
	const struct trace_config *own = config;
	bool good = true, any = false;
	for (uint32_t s = 0; s < machine->sms; s++)
		any |= mech_numbers_have(own->sms, s, &good);
	if (!good)
		snprintf(message, size, "sms: " MECH_NUMBERS_EXPECTED ", not '%s'", own->sms);
	else if (!any)
		snprintf(message, size, "sms: the machine has 0 to %u, none of '%s'", machine->sms - 1, own->sms);
	else
		return true;
	return false;
}

/* --- an SM --- */

static void sm_open(struct mech_sm *sm)
{
	struct trace_sm *own = sm->state;
	own->looks = looks_at(sm->config, sm->sm);
	own->warp = mech_alloc(sm->pool, sm->machine->warps * sizeof *own->warp);
}

static bool wants(const struct mech_sm *sm, bool what)
{
	return what && ((const struct trace_sm *)sm->state)->looks && sm->output->draws;
}

static const struct trace_config *config_of(const struct mech_sm *sm)
{
	return sm->config;
}

static void block_begin(struct mech_sm *sm, const struct mech_block *block)
{
	if (wants(sm, config_of(sm)->warps))
		trace_warps_begin(sm, block);
}

static void block_end(struct mech_sm *sm, const struct mech_block *block)
{
	if (wants(sm, config_of(sm)->warps))
		trace_warps_end(sm, block);
}

static void issue(struct mech_sm *sm, const struct mech_issue *issue)
{
	if (wants(sm, config_of(sm)->warps))
		trace_warp_issue(sm, issue);
}

static uint64_t cycle(struct mech_sm *sm, uint64_t cycle)
{
	return wants(sm, config_of(sm)->warps) ? trace_warps_look(sm, cycle) : MECH_NEVER;
}

/* Key of a packet and of its reply. The key is the line's address because a reply may arrive in sectors of the line. */
static struct trace_open of_packet(const struct mech_sm *sm, const struct mech_packet *packet)
{
	return (struct trace_open){.begin = packet->cycle,
	                           .address = packet->address & ~(uint64_t)(sm->machine->line_bytes - 1),
	                           .pc = packet->pc,
	                           .warp = packet->warp,
	                           .kind = packet->kind};
}

static enum trace_event event_of(const struct mech_packet *packet)
{
	if (packet->sender != MECH_NOBODY)
		return TRACE_PREFETCHED;
	switch (packet->kind) {
	case MECH_PACKET_STORE:
	case MECH_PACKET_LOCAL_STORE:
		return TRACE_STORED;
	case MECH_PACKET_ATOMIC:
		return TRACE_ATOMIC;
	case MECH_PACKET_INSTRUCTION:
		return TRACE_CODE;
	default:
		return packet->from_dram ? TRACE_FROM_DRAM : TRACE_FROM_L2;
	}
}

static void packet_out(struct mech_sm *sm, const struct mech_packet *packet)
{
	struct trace_sm *own = sm->state;
	const struct trace_open open = of_packet(sm, packet);
	if (packet->kind == MECH_PACKET_WRITEBACK) /* no reply */
		return;
	if (wants(sm, config_of(sm)->requests))
		trace_open(&own->requests, &open, sm->stats);
	if (wants(sm, config_of(sm)->prefetches) && packet->sender != MECH_NOBODY && packet->kind == MECH_PACKET_LOAD)
		trace_open(&own->prefetches, &(struct trace_open){open.begin, open.address, .pc = packet->pc},
		           sm->stats);
}

static void packet_in(struct mech_sm *sm, const struct mech_packet *packet)
{
	struct trace_sm *own = sm->state;
	const struct trace_open wanted = of_packet(sm, packet);
	uint32_t lane = trace_find(&own->requests, &wanted);
	if (lane != TRACE_OPEN)
		trace_close(&own->requests, lane, sm->output, event_of(packet), TRACKS_OF_REQUESTS, packet->cycle);
}

/* Closes the track of a prefetched line at its first use or its eviction. */
static void end_prefetch(struct mech_sm *sm, uint64_t address, enum trace_event event, uint64_t cycle)
{
	struct trace_lanes *lanes = &((struct trace_sm *)sm->state)->prefetches;
	uint64_t line = address & ~(uint64_t)(sm->machine->line_bytes - 1);
	for (uint32_t lane = 0; lane < lanes->used; lane++)
		if (lanes->open[lane].is_open && lanes->open[lane].address == line) {
			trace_close(lanes, lane, sm->output, event, TRACKS_OF_PREFETCHES, cycle);
			return;
		}
}

static void access(struct mech_sm *sm, const struct mech_access *access)
{
	if (access->brought_by != MECH_NOBODY && access->first_use)
		end_prefetch(sm, access->address, TRACE_USED, access->cycle);
}

static void evict(struct mech_sm *sm, const struct mech_eviction *eviction)
{
	if (eviction->sender != MECH_NOBODY && !eviction->was_used)
		end_prefetch(sm, eviction->address, TRACE_UNUSED, eviction->cycle);
}

/* Entries that are open at a kernel's end are not drawn, because their outcome is unknown. */
static void kernel_end(struct mech_sm *sm)
{
	struct trace_sm *own = sm->state;
	memset(&own->requests, 0, sizeof own->requests);
	memset(&own->prefetches, 0, sizeof own->prefetches);
	for (uint32_t slot = 0; slot < sm->machine->warps; slot++)
		own->warp[slot] = (struct trace_warp){0};
}

/* --- a partition --- */

static void partition_open(struct mech_partition *partition)
{
	struct trace_partition *own = partition->state;
	own->bank = mech_alloc(partition->pool, partition->machine->dram_banks * sizeof *own->bank);
}

static struct trace_open of_sector(const struct mech_packet *packet)
{
	return (struct trace_open){.begin = packet->cycle,
	                           .address = packet->address,
	                           .pc = packet->pc,
	                           .warp = packet->warp + packet->sm * MECH_MAX_WARPS,
	                           .kind = packet->kind};
}

static void partition_packet_in(struct mech_partition *partition, const struct mech_packet *packet)
{
	struct trace_partition *own = partition->state;
	const struct trace_open open = of_sector(packet);
	if (((const struct trace_config *)partition->config)->requests && partition->output->draws &&
	    packet->kind != MECH_PACKET_WRITEBACK)
		trace_open(&own->requests, &open, partition->stats);
}

static void partition_packet_out(struct mech_partition *partition, const struct mech_packet *packet)
{
	struct trace_partition *own = partition->state;
	const struct trace_open wanted = of_sector(packet);
	uint32_t lane = trace_find(&own->requests, &wanted);
	if (lane != TRACE_OPEN)
		trace_close(&own->requests, lane, partition->output, TRACE_IN_SLICE, TRACKS_OF_REQUESTS, packet->cycle);
}

/* Converts cycles of the command clock: a partition's events are in cycles of L2's clock. */
static uint64_t l2_cycle(const struct mech_partition *partition, uint64_t command_cycle)
{
	const struct mech_machine *machine = partition->machine;
	return (uint64_t)((double)command_cycle * machine->l2_mhz / machine->dram_mhz);
}

static void partition_command(struct mech_partition *partition, const struct mech_command *command)
{
	struct trace_bank *bank = &((struct trace_partition *)partition->state)->bank[command->bank];
	if (command->command == MECH_ACTIVATE)
		*bank = (struct trace_bank){.is_open = true, .row = command->row, .since = command->cycle};
	bank->columns += command->command == MECH_READ || command->command == MECH_WRITE;
	if (command->command != MECH_PRECHARGE || !bank->is_open)
		return;
	bank->is_open = false;
	if (((const struct trace_config *)partition->config)->banks)
		mech_draw(partition->output, &(struct mech_event){.row = TRACE_ROW_OPEN,
		                                                  .track = TRACKS_OF_BANKS + command->bank,
		                                                  .begin = l2_cycle(partition, bank->since),
		                                                  .end = l2_cycle(partition, command->cycle),
		                                                  .arguments = {bank->row, bank->columns}});
}

const struct mech mech_trace = {
	.version = MECH_VERSION,
	.name = "trace",
	.summary = "draws waits of warps, requests, prefetches and open DRAM rows on the timeline",
	.citation = "our own",
	.options = options,
	.option_count = sizeof options / sizeof *options,
	.config_size = sizeof(struct trace_config),
	.defaults = &defaults,
	.check = check,
	.counters = counters,
	.counter_count = sizeof counters / sizeof *counters,
	.stats_size = sizeof(struct trace_stats),
	.events = events,
	.event_count = TRACE_EVENT_COUNT,
	.tracks = tracks,
	.track_count = sizeof tracks / sizeof *tracks,
	.only_looks = true,
	.sm_size = sizeof(struct trace_sm),
	.partition_size = sizeof(struct trace_partition),
	.sm_open = sm_open,
	.kernel_end = kernel_end,
	.cycle = cycle,
	.block_begin = block_begin,
	.block_end = block_end,
	.issue = issue,
	.access = access,
	.evict = evict,
	.packet_out = packet_out,
	.packet_in = packet_in,
	.partition_open = partition_open,
	.partition_packet_in = partition_packet_in,
	.partition_packet_out = partition_packet_out,
	.partition_command = partition_command,
};
