#include "cudart/stream_order.h"

#include "cudart/backtrace.h"
#include "cudart/capture.h"
#include "cudart/stream_work.h"

#include "base/arena.h"

#include <execinfo.h>
#include <stdlib.h>
#include <string.h>

/* Then all works so far count as ordered: races between earlier and later ones are missed. */
enum { MOST_CHAINS = 4096, MOST_MARKS = 1 << 16 };
enum { FRAMES = 16 }; /* return addresses of a call */

struct clock {
	uint32_t *time; /* by chain */
	uint32_t chains;
};

struct chain {
	uint64_t stream;
	bool is_blocking;
	bool is_over;  /* a stream of a branch has gone on as another chain */
	uint32_t time; /* works so far */
	struct clock clock;
};

struct stream_orders {
	struct chain *chain;
	uint32_t chains;
	struct clock host;
	struct clock *mark;
	size_t marks, mark_capacity;
	uint64_t first; /* number of mark[0]; the host has waited for all smaller ones */
};

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

static void forget(struct stream_orders *orders)
{
	for (uint32_t c = 0; c < orders->chains; c++)
		free(orders->chain[c].clock.time);
	for (size_t i = 0; i < orders->marks; i++)
		free(orders->mark[i].time);
	free(orders->host.time);
	orders->host = (struct clock){0};
	orders->first += orders->marks;
	orders->chains = 0;
	orders->marks = 0;
}

bool order_is_kept(const struct runtime *runtime)
{
	return runtime->streams && runtime->gpu && sluice_compares_works(runtime->gpu);
}

static struct stream_orders *orders_of(struct runtime *runtime)
{
	if (!runtime->orders) {
		runtime->orders = base_calloc(1, sizeof *runtime->orders);
		runtime->orders->first = 1;
	}
	return runtime->orders;
}

void order_all(struct runtime *runtime)
{
	if (!runtime->orders)
		return;
	forget(runtime->orders);
	sluice_order_all(runtime->gpu);
}

void order_free(struct runtime *runtime)
{
	if (!runtime->orders)
		return;
	forget(runtime->orders);
	free(runtime->orders->chain);
	free(runtime->orders->mark);
	free(runtime->orders);
	runtime->orders = NULL;
}

/* Returns the number of the stream's chain; if it has none, the number of chains. */
static uint32_t find_chain(const struct stream_orders *orders, uint64_t stream)
{
	uint32_t c = 0;
	while (c < orders->chains && (orders->chain[c].stream != stream || orders->chain[c].is_over))
		c++;
	return c;
}

static uint32_t chain_of(struct runtime *runtime, cudaStream_t stream)
{
	struct stream_orders *orders = orders_of(runtime);
	uint64_t number = stream_number(runtime, stream);
	uint32_t found = find_chain(orders, number);
	if (found < orders->chains)
		return found;
	if (orders->chains == MOST_CHAINS)
		order_all(runtime);
	orders->chain = base_realloc(orders->chain, (orders->chains + 1) * sizeof *orders->chain);
	orders->chain[orders->chains] =
		(struct chain){.stream = number, .is_blocking = stream_is_blocking(runtime, stream)};
	return orders->chains++;
}

/* The chain takes over what its next work follows: the host's calls before it, and by the rules of the legacy stream
 * works of other streams. */
static struct chain *enter(struct runtime *runtime, cudaStream_t stream)
{
	uint32_t own = chain_of(runtime, stream);
	struct stream_orders *orders = runtime->orders;
	struct chain *chain = &orders->chain[own];
	join(&chain->clock, &orders->host);
	for (uint32_t c = 0; c < orders->chains; c++) {
		const struct chain *other = &orders->chain[c];
		bool is_legacy = chain->stream == 0 && other->is_blocking;
		if (c != own && (is_legacy || (chain->is_blocking && other->stream == 0)))
			join(&chain->clock, &other->clock);
	}
	return chain;
}

/* True when the host knows all works. */
static bool host_knows_all(const struct stream_orders *orders)
{
	for (uint32_t c = 0; c < orders->chains; c++)
		if (orders->chain[c].time && (c >= orders->host.chains || orders->host.time[c] < orders->chain[c].time))
			return false;
	return true;
}

static void host_learns(struct runtime *runtime, const struct clock *clock)
{
	join(&runtime->orders->host, clock);
	if (host_knows_all(runtime->orders))
		order_all(runtime);
}

/* --- works --- */

static void describe(void *const *frame, uint32_t frames, char *text, size_t size)
{
	backtrace_text(frame, (int)frames, text, size);
}

void order_begin(struct runtime *runtime, cudaStream_t stream, const char *call)
{
	if (!order_is_kept(runtime))
		return;
	struct chain *chain = enter(runtime, stream);
	uint32_t own = (uint32_t)(chain - runtime->orders->chain), chains = runtime->orders->chains;
	if (chain->clock.chains < chains) {
		chain->clock.time = base_realloc(chain->clock.time, chains * sizeof *chain->clock.time);
		memset(chain->clock.time + chain->clock.chains, 0,
		       (chains - chain->clock.chains) * sizeof *chain->clock.time);
		chain->clock.chains = chains;
	}
	chain->clock.time[own] = ++chain->time;
	void *frame[FRAMES];
	const struct sluice_ordered_work work = {.call = call,
	                                         .frame = frame,
	                                         .frames = call ? (uint32_t)backtrace(frame, FRAMES) : 0,
	                                         .describe = describe,
	                                         .stream = chain->stream,
	                                         .chain = own,
	                                         .time = chain->time,
	                                         .clock = chain->clock.time,
	                                         .chains = chain->clock.chains};
	sluice_order_work(runtime->gpu, &work);
}

void order_end(struct runtime *runtime, cudaStream_t stream, bool host_waits)
{
	if (!order_is_kept(runtime) || !runtime->orders)
		return;
	sluice_order_work(runtime->gpu, NULL);
	if (host_waits)
		order_waited(runtime, stream);
}

/* --- marks --- */

uint64_t order_mark(struct runtime *runtime, cudaStream_t stream)
{
	if (!order_is_kept(runtime))
		return 0;
	if (orders_of(runtime)->marks == MOST_MARKS)
		order_all(runtime);
	const struct chain *chain = enter(runtime, stream);
	struct stream_orders *orders = runtime->orders;
	if (orders->marks == orders->mark_capacity) {
		orders->mark_capacity = orders->mark_capacity ? 2 * orders->mark_capacity : 16;
		orders->mark = base_realloc(orders->mark, orders->mark_capacity * sizeof *orders->mark);
	}
	struct clock *mark = &orders->mark[orders->marks];
	*mark = (struct clock){0};
	join(mark, &chain->clock);
	return orders->first + orders->marks++;
}

/* Returns the mark's clock, or NULL when the host has waited for it. */
static const struct clock *find_mark(const struct runtime *runtime, uint64_t mark)
{
	const struct stream_orders *orders = runtime->orders;
	return orders && mark >= orders->first ? &orders->mark[mark - orders->first] : NULL;
}

/* In the legacy stream a wait orders the other streams' work, even for a mark that was waited for. */
void order_follow(struct runtime *runtime, cudaStream_t stream, uint64_t mark)
{
	if (!order_is_kept(runtime))
		return;
	struct chain *chain = enter(runtime, stream);
	const struct clock *clock = find_mark(runtime, mark);
	if (clock)
		join(&chain->clock, clock);
}

void order_waited_for(struct runtime *runtime, uint64_t mark)
{
	const struct clock *clock = find_mark(runtime, mark);
	if (clock)
		host_learns(runtime, clock);
}

/* A wait for the legacy stream includes the streams that it follows. */
void order_waited(struct runtime *runtime, cudaStream_t stream)
{
	if (!order_is_kept(runtime))
		return;
	uint32_t own = chain_of(runtime, stream);
	const struct chain *chain =
		runtime->orders->chain[own].stream ? &runtime->orders->chain[own] : enter(runtime, stream);
	host_learns(runtime, &chain->clock);
}

void order_begin_chain(struct runtime *runtime, cudaStream_t stream)
{
	struct stream_orders *orders = runtime->orders;
	uint32_t found = orders ? find_chain(orders, stream_number(runtime, stream)) : 0;
	if (orders && found < orders->chains)
		orders->chain[found].is_over = true;
}
