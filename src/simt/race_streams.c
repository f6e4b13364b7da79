/* race_streams: finds races on global memory between works of streams: kernels, copies and fills.
 *
 * The works run one after the other. Each has a vector clock from its streams' order (simt/check.h): a chain's time up
 * to which the chain's works have ended before this one begins. An access races with one of an earlier work that the
 * clock does not cover. The rules for kinds of accesses are those of race_global.c.
 *
 * A kernel may wait for another one that runs at the same time, by a flag in memory. A release is a fence, then an
 * atomic or volatile store. A work that reads its location counts as ordered after all of the releasing work, which is
 * lenient.
 *
 * For every word the last write, the last write of another value, and a few reads since are stored.
 */
#include "simt/race_streams.h"

#include "simt/message.h"
#include "simt/race_pages.h"

#include "base/arena.h"

#include <inttypes.h>
#include <search.h>
#include <stdlib.h>

enum { READS = 3, MOST_FINDINGS = 1024, FRAMES = 16 };

struct clock {
	uint32_t *time; /* by chain */
	uint32_t chains;
};

/* A launch, or a call such as a copy. */
struct party {
	char *name;
	bool is_call;
	void *frame[FRAMES]; /* of a call: its return addresses */
	uint32_t frames;
	uint64_t stream;
	uint32_t chain, time;
	struct simt_launch launch; /* of a launch: its program and shape */
	struct clock released;     /* its clock at its last release */
};

/* An access. */
struct mark {
	uint32_t party; /* 0: none */
	uint32_t who;   /* as race_pack() makes it */
	uint32_t block; /* linear number */
	uint8_t kind;   /* enum base_access_kind */
	bool is_strong; /* volatile or atomic */
};

struct stream_cell {
	struct mark write, old_write; /* the last write, and the last that left another value */
	struct mark read[READS];      /* reads and atomics after the write */
};

/* The last release at a location. */
struct release_at {
	uint64_t address;
	uint32_t party;
};

/* A work has observed a release: works after it are ordered after the releasing one too. */
struct edge {
	uint32_t chain, time;
	struct clock clock;
};

/* One pair of lines of two kernels or calls. */
struct finding_between {
	char *name[2];
	uint64_t line[2];
	char *text;
	uint64_t count;
	bool is_told;
};

struct race_streams {
	struct simt_ordered_work work; /* the present one; its clock is `clock`, its addresses are `frame` */
	void *frame[FRAMES];
	bool works;
	uint32_t call; /* its party if it is a call that has touched memory */
	struct clock clock;
	struct party *party;
	uint32_t parties, party_capacity;
	struct edge *edge;
	size_t edges, edge_capacity;
	struct race_pages pages;
	void *locations; /* a tree of search.h */
	struct finding_between *finding;
	size_t findings;
};

/* An access that is checked. */
struct touching {
	struct race_streams *streams;
	const struct simt_memory *memory;
	uint64_t address, size;
	struct mark mark;
	bool same;         /* a write that leaves the value unchanged */
	struct mark rival; /* of the last finding: one finding covers all bytes */
};

/* --- clocks --- */

static struct clock copy_clock(const struct clock *from)
{
	struct clock copy = {base_calloc(from->chains + 1, sizeof *copy.time), from->chains};
	if (from->chains)
		memcpy(copy.time, from->time, from->chains * sizeof *copy.time);
	return copy;
}

static bool covers(const struct clock *clock, uint32_t chain, uint32_t time)
{
	return chain < clock->chains && clock->time[chain] >= time;
}

static void join(struct clock *to, const struct clock *from)
{
	if (from->chains > to->chains) {
		to->time = base_realloc(to->time, from->chains * sizeof *to->time);
		memset(to->time + to->chains, 0, (from->chains - to->chains) * sizeof *to->time);
		to->chains = from->chains;
	}
	for (uint32_t c = 0; c < from->chains; c++)
		to->time[c] = from->time[c] > to->time[c] ? from->time[c] : to->time[c];
}

static bool is_ordered(const struct race_streams *streams, const struct mark *mark)
{
	const struct party *party = &streams->party[mark->party - 1];
	return covers(&streams->clock, party->chain, party->time);
}

/* --- works --- */

static void begin_work(struct race_streams *streams, const struct simt_ordered_work *work)
{
	const struct clock own = {(uint32_t *)(uintptr_t)work->clock, work->chains};
	free(streams->clock.time);
	streams->clock = copy_clock(&own);
	streams->work = *work;
	streams->work.frames = work->frames < FRAMES ? work->frames : FRAMES;
	if (work->frames)
		memcpy(streams->frame, work->frame, streams->work.frames * sizeof *streams->frame);
	streams->works = true;
	streams->call = 0;
	for (size_t i = streams->edges; i-- > 0;) /* a later one may fulfil the condition of an earlier one */
		if (covers(&streams->clock, streams->edge[i].chain, streams->edge[i].time))
			join(&streams->clock, &streams->edge[i].clock);
}

static uint32_t add_party(struct race_streams *streams, const char *name)
{
	if (streams->parties == streams->party_capacity) {
		streams->party_capacity = streams->party_capacity ? 2 * streams->party_capacity : 16;
		streams->party = base_realloc(streams->party, streams->party_capacity * sizeof *streams->party);
	}
	streams->party[streams->parties++] = (struct party){.name = base_strdup(name),
	                                                    .is_call = true,
	                                                    .stream = streams->work.stream,
	                                                    .chain = streams->work.chain,
	                                                    .time = streams->work.time};
	return streams->parties;
}

uint32_t race_streams_add(struct race_streams *streams, const struct simt_launch *launch)
{
	if (!streams || !streams->works)
		return 0;
	uint32_t number = add_party(streams, launch->program->kernel->name);
	struct party *party = &streams->party[number - 1];
	party->is_call = false;
	party->launch = (struct simt_launch){.program = launch->program, .grid = launch->grid, .block = launch->block};
	return number;
}

static uint32_t add_call(struct race_streams *streams)
{
	uint32_t number = add_party(streams, streams->work.call);
	struct party *party = &streams->party[number - 1];
	memcpy(party->frame, streams->frame, sizeof party->frame);
	party->frames = streams->work.frames;
	return number;
}

/* All works so far are ordered before all later ones. */
static void forget_all(struct race_streams *streams)
{
	for (uint32_t i = 0; i < streams->parties; i++) {
		free(streams->party[i].name);
		free(streams->party[i].released.time);
	}
	for (size_t i = 0; i < streams->edges; i++)
		free(streams->edge[i].clock.time);
	streams->parties = streams->call = 0;
	streams->edges = 0;
	race_pages_free(&streams->pages);
	tdestroy(streams->locations, free);
	streams->locations = NULL;
	streams->works = false;
}

void race_streams_close(struct race_streams *streams)
{
	if (!streams)
		return;
	forget_all(streams);
	for (size_t i = 0; i < streams->findings; i++) {
		free(streams->finding[i].name[0]);
		free(streams->finding[i].name[1]);
		free(streams->finding[i].text);
	}
	free(streams->finding);
	free(streams->party);
	free(streams->edge);
	free(streams->clock.time);
	free(streams);
}

/* --- releases --- */

static int by_address(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return x < y ? -1 : x > y;
}

static void observe(struct race_streams *streams, const struct party *party, const struct party *by)
{
	if (covers(&streams->clock, party->chain, party->time))
		return;
	join(&streams->clock, &party->released);
	if (streams->edges == streams->edge_capacity) {
		streams->edge_capacity = streams->edge_capacity ? 2 * streams->edge_capacity : 16;
		streams->edge = base_realloc(streams->edge, streams->edge_capacity * sizeof *streams->edge);
	}
	streams->edge[streams->edges++] = (struct edge){by->chain, by->time, copy_clock(&party->released)};
}

void race_streams_synchronize(struct race_streams *streams, uint32_t party, uint64_t address, bool leaves)
{
	struct release_at **found = tfind(&address, &streams->locations, by_address), *location = found ? *found : NULL;
	struct party *own = &streams->party[party - 1];
	if (location)
		observe(streams, &streams->party[location->party - 1], own);
	if (!leaves || (location && location->party == party))
		return;
	if (!location) {
		location = base_calloc(1, sizeof *location);
		location->address = address;
		tsearch(location, &streams->locations, by_address);
	}
	location->party = party;
	free(own->released.time);
	own->released = copy_clock(&streams->clock);
}

/* --- findings --- */

static const struct simt_inst *inst_of(const struct race_streams *streams, const struct mark *mark)
{
	const struct party *party = &streams->party[mark->party - 1];
	return party->is_call ? NULL : &party->launch.program->code[who_pc(mark->who)];
}

/* A number for the call's place in the program. */
static uint64_t place_of(const struct party *call)
{
	uint64_t place = 1;
	for (uint32_t i = 0; i < call->frames; i++)
		place = (place ^ (uintptr_t)call->frame[i]) * 0x100000001b3;
	return place;
}

static uint64_t line_of(const struct race_streams *streams, const struct mark *mark)
{
	const struct simt_inst *inst = inst_of(streams, mark);
	if (!inst)
		return place_of(&streams->party[mark->party - 1]) << 1 | (mark->kind == WRITE);
	return inst->ptx->source_line ? (uint64_t)inst->ptx->source_file << 32 | inst->ptx->source_line
	                              : (uint64_t)1 << 60 | inst->ptx->place.line;
}

static void add_party_name(struct message *out, const struct party *party)
{
	message_add(out, party->is_call ? "%s" : "kernel '%s'", party->name);
}

static void add_stream(struct message *out, const struct party *party)
{
	if (party->stream)
		message_add(out, "stream %" PRIu64, party->stream);
	else
		message_add(out, "the legacy stream");
}

/* Appends where the program makes the call. */
static void add_caller(struct message *out, const struct race_streams *streams, const struct party *call)
{
	char text[1024] = "";
	streams->work.describe(call->frame, call->frames, text, sizeof text);
	text[strcspn(text, "\n")] = '\0';
	message_add(out, "%s%s", text, *text ? "," : "");
}

static void add_mark(struct message *out, const struct race_streams *streams, const struct mark *mark)
{
	const struct party *party = &streams->party[mark->party - 1];
	const struct simt_inst *inst = inst_of(streams, mark);
	struct dim3 grid = party->launch.grid;
	message_add(out, "\n  %s", inst ? finding_access_name(inst) : mark->kind == WRITE ? "write" : "read");
	if (inst) {
		message_add(out, " at ");
		message_place(out, &party->launch, inst->ptx);
		message_add(out, ", block ");
		message_dim(out, (struct dim3){mark->block % grid.x, mark->block / grid.x % grid.y,
		                               mark->block / grid.x / grid.y});
		message_add(out, ", thread ");
		message_dim(out, simt_thread(&party->launch, who_clock(mark->who), who_lane(mark->who)));
	}
	message_add(out, " by ");
	add_party_name(out, party);
	if (party->frames)
		add_caller(out, streams, party);
	message_add(out, " in ");
	add_stream(out, party);
}

static char *text_of(const struct touching *touching, const struct mark *rival)
{
	const struct race_streams *streams = touching->streams;
	const struct party *first = &streams->party[rival->party - 1],
			   *second = &streams->party[touching->mark.party - 1];
	char text[4096];
	struct message out = {text, sizeof text};
	add_party_name(&out, first);
	message_add(&out, " and ");
	add_party_name(&out, second);
	message_add(&out, ": race on global memory: nothing orders the two");
	add_mark(&out, streams, rival);
	add_mark(&out, streams, &touching->mark);
	message_add(&out, "\n ");
	finding_add_allocation(&out, touching->memory, touching->address, touching->size);
	message_add(&out, "\n  to order them, record an event in ");
	add_stream(&out, first);
	message_add(&out, " after the first and let ");
	add_stream(&out, second);
	message_add(
		&out,
		" wait for it; or let the host wait for the first; or add a dependency, if both are nodes of a graph");
	return base_strdup(text);
}

static struct finding_between *find_finding(struct race_streams *streams, const char *const name[2],
                                            const uint64_t line[2])
{
	for (size_t i = 0; i < streams->findings; i++) {
		struct finding_between *known = &streams->finding[i];
		if (known->line[0] == line[0] && known->line[1] == line[1] && strcmp(known->name[0], name[0]) == 0 &&
		    strcmp(known->name[1], name[1]) == 0)
			return known;
	}
	return NULL;
}

static void report(struct touching *touching, const struct mark *rival)
{
	struct race_streams *streams = touching->streams;
	if (rival->party == touching->rival.party && rival->who == touching->rival.who)
		return;
	touching->rival = *rival;
	const char *const name[2] = {streams->party[rival->party - 1].name,
	                             streams->party[touching->mark.party - 1].name};
	const uint64_t line[2] = {line_of(streams, rival), line_of(streams, &touching->mark)};
	struct finding_between *known = find_finding(streams, name, line);
	if (known) {
		known->count += !known->is_told;
		return;
	}
	if (streams->findings == MOST_FINDINGS)
		return;
	streams->finding = base_realloc(streams->finding, (streams->findings + 1) * sizeof *streams->finding);
	streams->finding[streams->findings++] =
		(struct finding_between){.name = {base_strdup(name[0]), base_strdup(name[1])},
	                                 .line = {line[0], line[1]},
	                                 .text = text_of(touching, rival),
	                                 .count = 1};
}

uint64_t race_streams_found(const struct race_streams *streams)
{
	return streams ? streams->findings : 0;
}

/* --- records --- */

static bool races(const struct touching *touching, const struct mark *rival)
{
	bool both_strong = touching->mark.is_strong && rival->is_strong;
	return !both_strong && !is_ordered(touching->streams, rival);
}

/* Stores a read or atomic in place of a redundant entry, an empty entry, or the oldest entry. */
static void keep(struct touching *touching, struct stream_cell *cell)
{
	const struct mark *mark = &touching->mark;
	const struct mark *newest = &cell->read[0];
	if (newest->party == mark->party && race_covers(newest->kind, mark->kind) &&
	    (!newest->is_strong || mark->is_strong))
		return;
	uint32_t at = 0;
	while (at + 1 < READS && cell->read[at].party &&
	       !(race_covers(mark->kind, cell->read[at].kind) && is_ordered(touching->streams, &cell->read[at])))
		at++;
	memmove(cell->read + 1, cell->read, at * sizeof *cell->read);
	cell->read[0] = *mark;
}

static void touch(struct touching *touching, struct stream_cell *cell)
{
	const struct mark *mark = &touching->mark, *write = touching->same ? &cell->old_write : &cell->write;
	if (write->party && races(touching, write))
		report(touching, write);
	for (uint32_t i = 0; i < READS && cell->read[i].party; i++)
		if (race_conflicts(mark->kind, cell->read[i].kind) && races(touching, &cell->read[i]))
			report(touching, &cell->read[i]);
	if (mark->kind != WRITE) {
		keep(touching, cell);
		return;
	}
	if (!touching->same)
		cell->old_write = cell->write;
	cell->write = *mark;
	memset(cell->read, 0, sizeof cell->read);
}

static void touch_range(struct touching *touching, uint32_t grain)
{
	for (uint64_t at = touching->address, end = at + touching->size; at < end;)
		touch(touching, race_pages_cell(&touching->streams->pages, at, grain, &at));
}

void race_streams_touch(struct race_streams *streams, uint32_t party, const struct access *access)
{
	struct touching touching = {
		.streams = streams,
		.memory = access->block->launch->memory,
		.address = access->offset,
		.size = access->size,
		.same = access->same,
		.mark = {.party = party,
	                 .who = access->who,
	                 .block = (uint32_t)access->block->number,
	                 .kind = (uint8_t)access->kind,
	                 .is_strong = access->is_volatile || access->kind == ATOMIC || access->kind == ATOMIC_READ}};
	touch_range(&touching, access->offset % RACE_WORD || access->size % RACE_WORD ? RACE_BYTE : RACE_WORD);
}

void race_streams_forget(struct race_streams *streams, uint64_t address, uint64_t size)
{
	if (streams)
		race_pages_forget(&streams->pages, address, size);
}

/* --- simt/check.h --- */

void simt_checks_work(struct simt_checks *checks, const struct simt_ordered_work *work)
{
	if (!checks->streams) {
		checks->streams = base_calloc(1, sizeof *checks->streams);
		checks->streams->pages.cell_size = sizeof(struct stream_cell);
	}
	if (work)
		begin_work(checks->streams, work);
	else
		checks->streams->works = false;
}

void simt_checks_touch(struct simt_checks *checks, const struct simt_memory *memory, uint64_t address, uint64_t size,
                       bool writes)
{
	struct race_streams *streams = checks->streams;
	if (!streams || !streams->works)
		return;
	if (!streams->call)
		streams->call = add_call(streams);
	struct touching touching = {
		.streams = streams, .memory = memory, .mark = {.party = streams->call, .kind = writes ? WRITE : READ}};
	for (uint64_t at = address, end = address + size; at < end; at += touching.size) {
		uint64_t in_page = RACE_PAGE - at % RACE_PAGE, left = end - at;
		touching.address = at;
		touching.size = left < in_page ? left : in_page;
		bool by_byte = at % RACE_WORD || touching.size % RACE_WORD;
		touch_range(&touching, touching.size == RACE_PAGE ? RACE_PAGE : by_byte ? RACE_BYTE : RACE_WORD);
	}
}

void simt_checks_forget(struct simt_checks *checks, uint64_t address, uint64_t size)
{
	race_streams_forget(checks->streams, address, size);
}

void simt_checks_all_ordered(struct simt_checks *checks)
{
	if (checks->streams)
		forget_all(checks->streams);
}

void simt_checks_report_works(struct simt_checks *checks, void (*say)(void *user, bool is_stray, const char *text),
                              void *user)
{
	struct race_streams *streams = checks->streams;
	for (size_t i = 0; streams && i < streams->findings; i++) {
		struct finding_between *finding = &streams->finding[i];
		char text[4200];
		if (finding->is_told)
			continue;
		snprintf(text, sizeof text, "%s\n  %" PRIu64 " times", finding->text, finding->count);
		finding->is_told = true;
		say(user, false, text);
	}
}
