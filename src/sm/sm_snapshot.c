#include "sm/sm_snapshot.h"

#include "memory/memory_snapshot.h"

#define OWN(type, member) SNAPSHOT_OWN(struct type, member)

/* --- the stages, in pipeline order --- */

/* A warp slot is reset when a warp starts, but its pipes belong to the scheduler's masks. */
static void warp_snapshot(struct sm_warp *warp, struct snapshot *snapshot)
{
	static const struct snapshot_own own[] = {OWN(sm_warp, simt), OWN(sm_warp, next), OWN(sm_warp, timing),
	                                          OWN(sm_warp, scheduler), OWN(sm_warp, scoreboard)};
	assert(!warp->simt);
	snapshot_all_but(snapshot, warp, own);
}

/* A refused request, whose warp has ended, may be left: the next fetch would overwrite all of it. */
static void fetch_snapshot(struct fetch *fetch, struct snapshot *snapshot)
{
	static const struct snapshot_own own[] = {OWN(fetch, fetched), OWN(fetch, request), OWN(fetch, l1i)};
	assert(!fetch->fetched);
	snapshot_all_but(snapshot, fetch, own);
	cache_snapshot(&fetch->l1i, snapshot);
}

static void scheduler_snapshot(struct scheduler *scheduler, struct snapshot *snapshot)
{
	static const struct snapshot_own own[] = {OWN(scheduler, warp), OWN(scheduler, step), OWN(scheduler, to_commit),
	                                          OWN(scheduler, charged)};
	assert(!scheduler->to_commit);
	snapshot_all_but(snapshot, scheduler, own);
}

static void issue_snapshot(struct issue *issue, struct snapshot *snapshot)
{
	static const struct snapshot_own own[] = {OWN(issue, scheduler)};
	assert(!issue->waiting && !issue->full);
	snapshot_all_but(snapshot, issue, own);
	for (uint32_t s = 0; s < SM_MAX_SCHEDULERS; s++)
		scheduler_snapshot(&issue->scheduler[s], snapshot);
}

static void collectors_snapshot(struct collectors *collectors, struct sub_cores *sub_cores, struct snapshot *snapshot)
{
	static const struct snapshot_own own[] = {OWN(collectors, op)}, own_of_sub_cores[] = {OWN(sub_cores, op)};
	assert(!collectors->banks_waiting && !sub_cores->collected);
	snapshot_all_but(snapshot, collectors, own);
	snapshot_all_but(snapshot, sub_cores, own_of_sub_cores);
}

static void units_snapshot(struct units *units, struct snapshot *snapshot)
{
	static const struct snapshot_own own[] = {OWN(units, result)};
	assert(!units->results);
	snapshot_all_but(snapshot, units, own);
}

static void lsu_snapshot(struct load_store *lsu, struct snapshot *snapshot)
{
	static const struct snapshot_own own[] = {OWN(load_store, current), OWN(load_store, offered)};
	assert(!lsu->current);
	snapshot_all_but(snapshot, lsu, own);
}

static void shared_snapshot(struct shared_memory *shared, struct snapshot *snapshot)
{
	static const struct snapshot_own own[] = {OWN(shared_memory, pipe), OWN(shared_memory, turn)};
	assert(!shared->count && !shared->turn.sent);
	snapshot_all_but(snapshot, shared, own);
}

static void copies_snapshot(struct async_copies *copies, struct snapshot *snapshot)
{
	static const struct snapshot_own own[] = {OWN(async_copies, first), OWN(async_copies, end),
	                                          OWN(async_copies, arrivals), OWN(async_copies, free)};
	assert(!copies->first && !copies->arrivals);
	snapshot_all_but(snapshot, copies, own);
}

static void pipe_snapshot(struct l1_pipe *pipe, struct snapshot *snapshot)
{
	static const struct snapshot_own own[] = {OWN(l1_pipe, slot)};
	assert(!pipe->count);
	snapshot_all_but(snapshot, pipe, own);
}

static void l1_snapshot(struct l1 *l1, struct snapshot *snapshot)
{
	static const struct snapshot_own own[] = {OWN(l1, data), OWN(l1, constant), OWN(l1, pipe), OWN(l1, answered),
	                                          OWN(l1, asked)};
	assert(!l1->answered.count);
	snapshot_all_but(snapshot, l1, own);
	cache_snapshot(&l1->data, snapshot);
	cache_snapshot(&l1->constant, snapshot);
	for (uint32_t bank = 0; bank < SM_L1_BANKS; bank++)
		pipe_snapshot(&l1->pipe[bank], snapshot);
}

/* Its lines are invalid, but the order in which free ones are taken is state. */
static void texture_snapshot(struct texture_unit *texture, struct snapshot *snapshot)
{
	static const struct snapshot_own own[] = {OWN(texture_unit, tags),     OWN(texture_unit, coming),
	                                          OWN(texture_unit, requests), OWN(texture_unit, fragment),
	                                          OWN(texture_unit, line),     OWN(texture_unit, result)};
	assert(!texture->requests.count && !texture->fragments.count && !texture->results.count);
	snapshot_all_but(snapshot, texture, own);
	tags_snapshot(&texture->tags, snapshot);
}

static void network_snapshot(struct network_port *network, struct snapshot *snapshot)
{
	static const struct snapshot_own own[] = {OWN(network_port, requests), OWN(network_port, cluster),
	                                          OWN(network_port, replies)};
	assert(port_empty(&network->replies));
	snapshot_all_but(snapshot, network, own);
}

static void write_back_snapshot(struct write_back *write_back, struct snapshot *snapshot)
{
	static const struct snapshot_own own[] = {OWN(write_back, load), OWN(write_back, bypassing_l1)};
	assert(!write_back->load && !write_back->bypassing_l1);
	snapshot_all_but(snapshot, write_back, own);
}

static void stages_snapshot(struct sm *sm, struct snapshot *snapshot)
{
	fetch_snapshot(&sm->fetch, snapshot);
	issue_snapshot(&sm->issue, snapshot);
	collectors_snapshot(&sm->collectors, &sm->sub_cores, snapshot);
	snapshot_value(snapshot, sm->registers);
	units_snapshot(&sm->units, snapshot);
	lsu_snapshot(&sm->lsu, snapshot);
	shared_snapshot(&sm->shared, snapshot);
	copies_snapshot(&sm->copies, snapshot);
	snapshot_value(snapshot, sm->phase_waits);
	l1_snapshot(&sm->l1, snapshot);
	texture_snapshot(&sm->texture, snapshot);
	network_snapshot(&sm->network, snapshot);
	write_back_snapshot(&sm->write_back, snapshot);
}

/* --- the SM --- */

/* The scoreboards' memory grows with the kernels' registers; it is empty. */
void sm_snapshot(struct sm *sm, struct snapshot *snapshot)
{
	static const struct snapshot_own own[] = {
		OWN(sm, arena),     OWN(sm, ops),     OWN(sm, requests),        OWN(sm, map),
		OWN(sm, seam),      OWN(sm, fault),   OWN(sm, loads_that_wait), OWN(sm, blocks),
		OWN(sm, warp),      OWN(sm, fetch),   OWN(sm, scoreboards),     OWN(sm, issue),
		OWN(sm, issued),    OWN(sm, units),   OWN(sm, collectors),      OWN(sm, sub_cores),
		OWN(sm, collected), OWN(sm, lsu),     OWN(sm, buffer_waiters),  OWN(sm, registers),
		OWN(sm, shared),    OWN(sm, copies),  OWN(sm, phase_waits),     OWN(sm, l1),
		OWN(sm, texture),   OWN(sm, profile), OWN(sm, network),         OWN(sm, write_back)};
	assert(!sm->blocks.resident && !sm->buffer_waiters.count && !sm->fault.what);
	snapshot_all_but(snapshot, sm, own);
	blocks_snapshot(&sm->blocks, snapshot);
	for (uint32_t b = 0; b < sm->config.blocks; b++)
		simt_block_snapshot(&sm->blocks.slot[b].simt, snapshot);
	for (uint32_t w = 0; w < sm->config.warps; w++)
		warp_snapshot(&sm->warp[w], snapshot);
	stages_snapshot(sm, snapshot);
}

void cluster_snapshot(struct cluster *cluster, struct snapshot *snapshot)
{
	static const struct snapshot_own own[] = {OWN(cluster, sm), OWN(cluster, from_network), OWN(cluster, replies)};
	assert(port_empty(&cluster->from_network) && port_empty(&cluster->replies));
	snapshot_all_but(snapshot, cluster, own);
}
