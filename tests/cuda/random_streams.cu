// Protects the order of streams' work: random programs from a fixed seed (or that of the command line). They use
// kernels, copies, fills, events, host functions and allocations, in streams of all kinds.
// A model of what CUDA orders chooses the operations: each one may access a buffer only if CUDA orders it after the
// last access that conflicts. Then the content of every buffer is that of the operations one after the other. Some
// kernels wait for kernels that are launched later; a call waits for them only after that launch.
//
// random_streams [SEED [PROGRAMS [THREADS [list]]]]: THREADS is 1 for programs of one host thread. Lists all calls.
#include "check.h"
#include <array>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

static unsigned long long state;
static unsigned draw(unsigned limit)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (unsigned)(state >> 33) % limit;
}

// ---- kernels ----

enum { WORDS = 256, BIG = 20480, MOST_SOURCES = 6 }; // sources are the first WORDS of a buffer

// A change of a buffer, whose result depends on its content and on other buffers.
struct change {
	volatile unsigned *to;
	const volatile unsigned *from[MOST_SOURCES];
	unsigned sources, words, factor, rounds;
	bool reads_first; // before the delay
};

__host__ __device__ static unsigned changed(const change &c, unsigned i)
{
	unsigned value = c.to[i] * (2 * c.factor + 3);
	for (unsigned k = 0; k < c.sources; k++)
		value += c.from[k][(i * 7 + k) % WORDS] * (k + 1);
	return value;
}

// Takes time. The result is used, so that it is computed.
__host__ __device__ static unsigned delayed(unsigned value, unsigned rounds)
{
	for (unsigned k = 0; k < rounds; k++)
		value = value * 1664525 + 1013904223;
	return value;
}

__host__ __device__ static void apply(const change &c, unsigned first, unsigned stride)
{
	for (unsigned i = first; i < c.words; i += stride) {
		unsigned value = c.reads_first ? changed(c, i) : 0, salt = delayed(c.factor, c.rounds);
		c.to[i] = (c.reads_first ? value : changed(c, i)) + salt;
	}
}

__global__ void work(change c)
{
	apply(c, blockIdx.x * blockDim.x + threadIdx.x, gridDim.x * blockDim.x);
}

__global__ void middle(change own, change child)
{
	apply(own, threadIdx.x, blockDim.x);
	__syncthreads();
	if (threadIdx.x == 0)
		work<<<1, 64>>>(child);
}

// A grid's own grids run before its next sibling.
__global__ void nest(change own, change child, change grandchild, change last, bool waits)
{
	apply(own, threadIdx.x, blockDim.x);
	__syncthreads();
	if (threadIdx.x)
		return;
	middle<<<1, 64>>>(child, grandchild);
	if (waits)
		cudaDeviceSynchronize();
	work<<<3, 32>>>(last);
}

static const unsigned SET = 0x01010101;

__global__ void poll(const volatile unsigned *flag, change c)
{
	if (threadIdx.x == 0)
		while (*flag != SET)
			;
	__syncthreads();
	apply(c, blockIdx.x * blockDim.x + threadIdx.x, gridDim.x * blockDim.x);
}

__global__ void release(unsigned *flag, change c)
{
	apply(c, threadIdx.x, blockDim.x);
	__threadfence();
	__syncthreads();
	if (threadIdx.x == 0)
		atomicExch(flag, SET);
}

// ---- the model's order ----

// The operations of a stream that one host thread adds, and the host's own in each thread, are lines. A clock has the
// number of operations of each line that come before.
enum { STREAMS = 16, THREADS = 2, LINES = STREAMS * THREADS + THREADS };
enum { LEGACY, PER_THREAD, APART = PER_THREAD + THREADS, CREATED }; // APART is non-blocking, and no kernel waits in it

struct order {
	std::array<int, LINES> count = {};
	void join(const order &other)
	{
		for (int i = 0; i < LINES; i++)
			count[i] = count[i] < other.count[i] ? other.count[i] : count[i];
	}
};

struct place {
	int line = 0, number = 0; // number 0 comes before all operations
	bool before(const order &clock) const
	{
		return number <= clock.count[line];
	}
};

enum where { DEVICE, PINNED };
struct buffer {
	where kind = DEVICE;
	unsigned words = 0;
	unsigned *memory = NULL; // set when the plan runs
	std::vector<unsigned> content;
	place written;
	std::vector<place> read;
	bool lives = true, reserved = false, dynamic = false;
};

struct event {
	cudaEvent_t handle = NULL;
	bool exists = false, recorded = false, timed = false;
	int owner = 0;
	order clock;
	place recorded_at;
};

struct stream {
	cudaStream_t handle = NULL;
	bool exists = false, blocking = false;
	int owner = 0; // the thread that may use it; the legacy stream is everybody's
};

struct host_function {
	place at;
	order clock;
	bool seen = false; // a check that it has run is planned
};

// A kernel that waits, until the plan has what ends its wait.
struct poller {
	place at;
	int stream, flag;
	std::vector<int> buffers; // destination and sources
	change c;
	int message; // the buffer that the other kernel writes first; -1: none
};

struct program;
struct call_of_host {
	program *of;
	int number;
	int buffer; // that it changes; -1: none
	change c;
	std::vector<unsigned> expected; // content of the buffer before
};

struct program {
	int threads;
	bool polls, lists;
	buffer buffers[64];
	int count = 0, first_dynamic = 0;
	event events[8];
	stream streams[STREAMS];
	int stream_count = CREATED;
	order host[THREADS], view[THREADS][STREAMS]; // what a thread knows to be done, and to be in the streams
	int numbers[LINES] = {};
	std::vector<host_function> functions;
	std::vector<poller> pollers;
	int flags_used = 0;
	unsigned *flags = NULL, *set_word = NULL;
	std::vector<unsigned> pageable[THREADS];

	// the plan: the calls of each thread
	std::vector<std::function<void()>> calls[THREADS];
	std::vector<call_of_host *> host_calls;
	std::mutex lock;
	std::condition_variable met;
	int meetings = 0;
	std::vector<bool> has_met;
	std::vector<int> log;

	int t; // the thread whose call is planned

	void add(const std::string &text, std::function<void()> call)
	{
		if (!lists) {
			calls[t].push_back(call);
			return;
		}
		int thread = t;
		calls[t].push_back([=] {
			fprintf(stderr, "%d: %s\n", thread, text.c_str());
			call();
		});
	}

	// ---- order ----

	static int line_of(int s, int thread)
	{
		return s * THREADS + thread;
	}
	static int host_line(int thread)
	{
		return STREAMS * THREADS + thread;
	}
	bool waits_for_poller(const order &clock) const
	{
		for (const poller &p : pollers)
			if (p.at.before(clock))
				return true;
		return false;
	}
	// The operations before the stream's next one.
	order next_in(int s) const
	{
		order clock = host[t];
		clock.join(view[t][s]);
		for (int i = 0; i < stream_count; i++)
			if (s == LEGACY ? streams[i].blocking : streams[s].blocking && i == LEGACY)
				clock.join(view[t][i]);
		return clock;
	}
	place enter(int s, order &clock)
	{
		place at = {line_of(s, t), ++numbers[line_of(s, t)]};
		clock.count[at.line] = at.number;
		view[t][s] = clock;
		return at;
	}
	bool may_read(int b, const order &clock) const
	{
		return buffers[b].lives && !buffers[b].reserved && buffers[b].written.before(clock);
	}
	bool may_write(int b, const order &clock) const
	{
		if (!may_read(b, clock))
			return false;
		for (const place &reader : buffers[b].read)
			if (!reader.before(clock))
				return false;
		return true;
	}
	void note_write(int b, place at)
	{
		buffers[b].written = at;
		buffers[b].read.clear();
	}
	int pick(const std::function<bool(int)> &fits) const
	{
		unsigned first = draw(count);
		for (int i = 0; i < count; i++)
			if (fits((first + i) % count))
				return (first + i) % count;
		return -1;
	}
	int pick_stream() const
	{
		for (;;) {
			int s = draw(stream_count);
			if (streams[s].exists && (s == LEGACY || streams[s].owner == t))
				return s;
		}
	}
	int pick_event(const std::function<bool(const event &)> &fits) const
	{
		unsigned first = draw(8);
		for (int i = 0; i < 8; i++)
			if (fits(events[(first + i) % 8]))
				return (first + i) % 8;
		return -1;
	}
	std::string name(int s) const
	{
		return "stream " + std::to_string(s) + (streams[s].blocking ? "" : " (non-blocking)");
	}

	// ---- changes of buffers ----

	change draw_change(unsigned words, bool may_be_long)
	{
		change c = {};
		c.words = words;
		c.factor = draw(1000);
		c.rounds = words == BIG || !may_be_long || draw(2) ? draw(8) : draw(4) ? draw(100) : draw(800);
		c.reads_first = draw(2);
		return c;
	}
	// Sources other than the destination.
	std::vector<int> draw_sources(int to, const order &clock, unsigned most) const
	{
		std::vector<int> list = {to};
		for (unsigned n = draw(3) ? draw(2) : draw(most + 1); n; n--) {
			int from = pick([&](int b) { return b != to && may_read(b, clock); });
			if (from >= 0)
				list.push_back(from);
		}
		return list;
	}
	void note_change(const std::vector<int> &list, place at)
	{
		note_write(list[0], at);
		for (size_t k = 1; k < list.size(); k++)
			buffers[list[k]].read.push_back(at);
	}
	change model_of(change c, const std::vector<int> &list)
	{
		c.to = buffers[list[0]].content.data();
		c.sources = list.size() - 1;
		for (unsigned k = 0; k < c.sources; k++)
			c.from[k] = buffers[list[k + 1]].content.data();
		return c;
	}
	void change_model(const change &c, const std::vector<int> &list)
	{
		change model = model_of(c, list);
		apply(model, 0, 1);
	}
	// With the addresses, which are known when the plan runs.
	change real(change c, const std::vector<int> &list) const
	{
		c.to = buffers[list[0]].memory;
		c.sources = list.size() - 1;
		for (unsigned k = 0; k < c.sources; k++)
			c.from[k] = buffers[list[k + 1]].memory;
		return c;
	}
	static std::string names(const std::vector<int> &list)
	{
		std::string all;
		for (int b : list)
			all += " " + std::to_string(b);
		return all;
	}

	// ---- calls ----

	bool plan_kernel()
	{
		int s = pick_stream();
		order clock = next_in(s);
		int to = pick([&](int b) { return may_write(b, clock); });
		if (to < 0 || waits_for_poller(clock))
			return false;
		unsigned blocks = draw(3) ? 1 + draw(4) : 1 + draw(40), threads = 32 << draw(3);
		std::vector<int> list = draw_sources(to, clock, MOST_SOURCES);
		change c = draw_change(buffers[to].words, blocks <= 8);
		note_change(list, enter(s, clock));
		change_model(c, list);
		add("kernel in " + name(s) + " on" + names(list), [=] {
			work<<<blocks, threads, 0, streams[s].handle>>>(real(c, list));
			SUCCEEDS(cudaGetLastError());
		});
		return true;
	}
	bool plan_nested()
	{
		int s = pick_stream();
		order clock = next_in(s);
		std::vector<int> lists[4];
		change c[4];
		if (waits_for_poller(clock))
			return false;
		for (int k = 0; k < 4; k++) {
			int to = pick([&](int b) { return buffers[b].words == WORDS && may_write(b, clock); });
			if (to < 0)
				return false;
			lists[k] = draw_sources(to, clock, 2);
			c[k] = draw_change(WORDS, false);
		}
		place at = enter(s, clock);
		for (int k = 0; k < 4; k++) {
			for (int b : lists[k])
				buffers[b].read.push_back(at);
			change_model(c[k], lists[k]);
		}
		for (int k = 0; k < 4; k++)
			note_write(lists[k][0], at);
		bool waits = draw(3) == 0;
		std::vector<int> a = lists[0], b = lists[1], d = lists[2], e = lists[3];
		change ca = c[0], cb = c[1], cd = c[2], ce = c[3];
		add("nested kernels in " + name(s) + " on" + names(a) + "," + names(b) + "," + names(d) + "," + names(e), [=] {
			nest<<<1, 64, 0, streams[s].handle>>>(real(ca, a), real(cb, b), real(cd, d), real(ce, e), waits);
			SUCCEEDS(cudaGetLastError());
		});
		return true;
	}
	// Device and pinned memory, in a stream.
	bool plan_copy()
	{
		int s = pick_stream();
		order clock = next_in(s);
		int to = pick([&](int b) { return may_write(b, clock); });
		int from = to < 0 ? -1 : pick([&](int b) { return b != to && may_read(b, clock) && buffers[b].words == buffers[to].words; });
		if (from < 0 || waits_for_poller(clock))
			return false;
		unsigned words = draw(4) ? buffers[to].words : 1 + draw(buffers[to].words);
		buffer &target = buffers[to], &source = buffers[from];
		cudaMemcpyKind kind = target.kind == DEVICE ? source.kind == DEVICE ? cudaMemcpyDeviceToDevice : cudaMemcpyHostToDevice
		                                            : source.kind == DEVICE ? cudaMemcpyDeviceToHost : cudaMemcpyHostToHost;
		if (draw(4) == 0)
			kind = cudaMemcpyDefault;
		note_change({to, from}, enter(s, clock));
		std::copy(source.content.begin(), source.content.begin() + words, target.content.begin());
		add("copy in " + name(s) + " of" + names({to, from}), [=] {
			SUCCEEDS(cudaMemcpyAsync(buffers[to].memory, buffers[from].memory, words * 4, kind, streams[s].handle));
		});
		return true;
	}
	// To and from pageable memory, which the thread changes, or reads, at once.
	bool plan_pageable()
	{
		bool is_sync = draw(2), to_host = draw(2);
		int s = is_sync ? LEGACY : pick_stream(), thread = t;
		order clock = next_in(s);
		int b = pick([&](int i) { return buffers[i].kind == DEVICE && (to_host ? may_read(i, clock) : may_write(i, clock)); });
		if (b < 0 || waits_for_poller(clock))
			return false;
		place at = enter(s, clock);
		unsigned words = buffers[b].words;
		if (to_host) {
			buffers[b].read.push_back(at);
			host[t].join(clock);
			std::vector<unsigned> expected = buffers[b].content;
			add("copy in " + name(s) + " to pageable memory of" + names({b}), [=] {
				void *room = pageable[thread].data();
				SUCCEEDS(is_sync ? cudaMemcpy(room, buffers[b].memory, words * 4, cudaMemcpyDeviceToHost)
				                 : cudaMemcpyAsync(room, buffers[b].memory, words * 4, cudaMemcpyDeviceToHost, streams[s].handle));
				CHECK(memcmp(room, expected.data(), words * 4) == 0);
			});
			return true;
		}
		note_write(b, at);
		unsigned base = draw(1 << 20);
		for (unsigned i = 0; i < words; i++)
			buffers[b].content[i] = base + i * i;
		add("copy in " + name(s) + " from pageable memory to" + names({b}), [=] {
			for (unsigned i = 0; i < words; i++)
				pageable[thread][i] = base + i * i;
			SUCCEEDS(is_sync ? cudaMemcpy(buffers[b].memory, pageable[thread].data(), words * 4, cudaMemcpyHostToDevice)
			                 : cudaMemcpyAsync(buffers[b].memory, pageable[thread].data(), words * 4, cudaMemcpyHostToDevice,
			                                   streams[s].handle));
			std::fill(pageable[thread].begin(), pageable[thread].end(), 0xdeadu);
		});
		return true;
	}
	bool plan_fill()
	{
		bool is_sync = draw(4) == 0;
		int s = is_sync ? LEGACY : pick_stream(), value = draw(256);
		order clock = next_in(s);
		int b = pick([&](int i) { return may_write(i, clock); });
		if (b < 0 || waits_for_poller(clock))
			return false;
		note_write(b, enter(s, clock));
		unsigned words = draw(4) ? buffers[b].words : 1 + draw(buffers[b].words);
		std::fill_n(buffers[b].content.begin(), words, value * 0x01010101u);
		add("fill in " + name(s) + " of" + names({b}), [=] {
			SUCCEEDS(is_sync ? cudaMemset(buffers[b].memory, value, words * 4)
			                 : cudaMemsetAsync(buffers[b].memory, value, words * 4, streams[s].handle));
		});
		return true;
	}
	bool plan_record()
	{
		int s = pick_stream();
		order clock = next_in(s);
		int e = pick_event([&](const event &any) { return any.exists && any.owner == t; });
		if (e < 0 || waits_for_poller(clock))
			return false;
		events[e].recorded_at = enter(s, clock);
		events[e].clock = clock;
		events[e].recorded = true;
		unsigned times = pollers.empty() && draw(200) == 0 ? 1100 : 1; // more than the runtime queues
		add("record of event " + std::to_string(e) + " in " + name(s), [=] {
			for (unsigned k = 0; k < times; k++)
				SUCCEEDS(cudaEventRecord(events[e].handle, streams[s].handle));
		});
		return true;
	}
	bool plan_wait()
	{
		int s = pick_stream();
		order clock = next_in(s);
		int e = pick_event([&](const event &any) { return any.exists && any.owner == t; });
		if (e < 0)
			return false;
		clock.join(events[e].clock);
		if (waits_for_poller(clock))
			return false;
		enter(s, clock);
		add("wait in " + name(s) + " for event " + std::to_string(e),
		    [=] { SUCCEEDS(cudaStreamWaitEvent(streams[s].handle, events[e].handle, 0)); });
		return true;
	}
	// After the host has waited: host functions have run, and pinned memory has its content.
	void plan_look()
	{
		for (size_t i = 0; i < functions.size(); i++) {
			if (functions[i].seen || !functions[i].at.before(host[t]))
				continue;
			functions[i].seen = true;
			add("look for host function " + std::to_string(i), [=] {
				std::lock_guard<std::mutex> guard(lock);
				bool has_run = false;
				for (int number : log)
					has_run |= number == (int)i;
				CHECK(has_run);
			});
		}
		int b = pick([&](int i) { return buffers[i].kind == PINNED && may_read(i, host[t]); });
		if (b < 0)
			return;
		place at = {host_line(t), ++numbers[host_line(t)]};
		host[t].count[at.line] = at.number;
		bool changes = may_write(b, host[t]) && draw(2);
		std::vector<unsigned> expected = buffers[b].content;
		change c = draw_change(WORDS, false);
		if (changes) {
			note_change({b}, at);
			change_model(c, {b});
		} else {
			buffers[b].read.push_back(at);
		}
		add("look at" + names({b}), [=] {
			CHECK(memcmp(buffers[b].memory, expected.data(), expected.size() * 4) == 0);
			if (changes)
				apply(real(c, {b}), 0, 1);
		});
	}
	bool plan_sync()
	{
		bool asks = draw(2);
		order clock;
		unsigned which = draw(7);
		if (which == 0) {
			if (!pollers.empty())
				return false;
			clock = host[t];
			for (const order &known : view[t])
				clock.join(known);
			add("device", [=] { SUCCEEDS(cudaDeviceSynchronize()); });
		} else if (which < 4) {
			int s = pick_stream();
			clock = next_in(s);
			if (waits_for_poller(clock))
				return false;
			add("synchronize " + name(s), [=] {
				cudaError_t error = cudaErrorNotReady;
				while (asks && error == cudaErrorNotReady)
					error = cudaStreamQuery(streams[s].handle);
				SUCCEEDS(asks ? error : cudaStreamSynchronize(streams[s].handle));
			});
		} else {
			int e = pick_event([&](const event &any) { return any.exists && any.owner == t; });
			if (e < 0 || waits_for_poller(events[e].clock))
				return false;
			clock = events[e].clock;
			add("synchronize event " + std::to_string(e), [=] {
				cudaError_t error = cudaErrorNotReady;
				while (asks && error == cudaErrorNotReady)
					error = cudaEventQuery(events[e].handle);
				SUCCEEDS(asks ? error : cudaEventSynchronize(events[e].handle));
			});
		}
		host[t].join(clock);
		plan_look();
		return true;
	}
	bool plan_time()
	{
		auto done = [&](const event &any) { return any.exists && any.owner == t && any.recorded && any.timed && any.recorded_at.before(host[t]); };
		int e = pick_event(done);
		if (e < 0)
			return false;
		int f = pick_event([&](const event &any) { return done(any) && events[e].recorded_at.before(any.clock); });
		add("time from event " + std::to_string(e) + " to event " + std::to_string(f), [=] {
			float ms = -1;
			SUCCEEDS(cudaEventElapsedTime(&ms, events[e].handle, events[f].handle));
			CHECK(ms >= 0 && (e != f || ms == 0));
		});
		return true;
	}
	static void call_host(void *user)
	{
		call_of_host *call = (call_of_host *)user;
		std::lock_guard<std::mutex> guard(call->of->lock);
		call->of->log.push_back(call->number);
		if (call->buffer < 0)
			return;
		CHECK(memcmp(call->of->buffers[call->buffer].memory, call->expected.data(), WORDS * 4) == 0);
		apply(call->of->real(call->c, {call->buffer}), 0, 1);
	}
	static void call_back(cudaStream_t, cudaError_t error, void *user)
	{
		CHECK(error == cudaSuccess);
		call_host(user);
	}
	bool plan_function()
	{
		int s = pick_stream();
		order clock = next_in(s);
		if (waits_for_poller(clock))
			return false;
		int b = pick([&](int i) { return buffers[i].kind == PINNED && buffers[i].words == WORDS && may_write(i, clock); });
		call_of_host *call = new call_of_host{this, (int)functions.size(), b, draw_change(WORDS, false), {}};
		host_calls.push_back(call);
		place at = enter(s, clock);
		functions.push_back({at, clock});
		if (b >= 0) {
			call->expected = buffers[b].content;
			note_change({b}, at);
			change_model(call->c, {b});
		}
		bool is_callback = draw(2);
		add("host function " + std::to_string(call->number) + " in " + name(s), [=] {
			SUCCEEDS(is_callback ? cudaStreamAddCallback(streams[s].handle, call_back, call, 0)
			                     : cudaLaunchHostFunc(streams[s].handle, call_host, call));
		});
		return true;
	}
	bool plan_allocation()
	{
		int s = pick_stream(), b = count, value = draw(256);
		order clock = next_in(s);
		if (count == 64 || waits_for_poller(clock))
			return false;
		count++;
		buffers[b].words = WORDS;
		buffers[b].dynamic = true;
		buffers[b].content.assign(WORDS, value * 0x01010101u);
		note_write(b, enter(s, clock));
		add("allocation of" + names({b}) + " in " + name(s), [=] {
			SUCCEEDS(cudaMallocAsync((void **)&buffers[b].memory, WORDS * 4, streams[s].handle));
			SUCCEEDS(cudaMemsetAsync(buffers[b].memory, value, WORDS * 4, streams[s].handle));
		});
		return true;
	}
	bool plan_free()
	{
		int s = pick_stream();
		bool is_sync = draw(4) == 0;
		order clock = is_sync ? host[t] : next_in(s);
		if (waits_for_poller(clock) || (!pollers.empty() && is_sync))
			return false;
		int b = pick([&](int i) { return buffers[i].dynamic && may_write(i, clock); });
		if (b < 0)
			return false;
		if (!is_sync)
			enter(s, clock);
		buffers[b].lives = false;
		add("free of" + names({b}) + (is_sync ? "" : " in " + name(s)), [=] {
			SUCCEEDS(is_sync ? cudaFree(buffers[b].memory) : cudaFreeAsync(buffers[b].memory, streams[s].handle));
		});
		return true;
	}
	bool plan_handle()
	{
		if (draw(2)) {
			int e = pick_event([&](const event &any) { return !any.exists || any.owner == t; });
			if (e < 0)
				return false;
			if (!events[e].exists) {
				bool timed = draw(4);
				events[e].exists = true;
				events[e].owner = t;
				events[e].timed = timed;
				add("create event " + std::to_string(e), [=] {
					SUCCEEDS(cudaEventCreateWithFlags(&events[e].handle, timed ? cudaEventDefault : cudaEventDisableTiming));
				});
				return true;
			}
			add("destroy event " + std::to_string(e), [=] { SUCCEEDS(cudaEventDestroy(events[e].handle)); });
			// with several threads, another one could create the event again at the same time
			events[e].exists = events[e].recorded = false;
			events[e].clock = order();
			if (threads > 1)
				plan_event_again(e);
			return true;
		}
		int s = pick_stream();
		if (draw(2) && s >= CREATED) {
			streams[s].exists = false;
			add("destroy " + name(s), [=] { SUCCEEDS(cudaStreamDestroy(streams[s].handle)); });
			return true;
		}
		if (stream_count == STREAMS)
			return false;
		create_stream(stream_count++, draw(2), (int)draw(8) - 6);
		return true;
	}
	void plan_event_again(int e)
	{
		events[e].exists = true;
		events[e].timed = true;
		add("create event " + std::to_string(e), [=] { SUCCEEDS(cudaEventCreate(&events[e].handle)); });
	}
	void create_stream(int s, bool is_blocking, int priority)
	{
		streams[s].exists = true;
		streams[s].blocking = is_blocking;
		streams[s].owner = t;
		add("create " + name(s) + " with priority " + std::to_string(priority), [=] {
			SUCCEEDS(cudaStreamCreateWithPriority(&streams[s].handle, is_blocking ? cudaStreamDefault : cudaStreamNonBlocking, priority));
		});
	}

	// ---- kernels that wait for other kernels ----

	bool plan_poller()
	{
		int s = pick_stream();
		order clock = next_in(s);
		if (!polls || s == APART || pollers.size() == 3 || waits_for_poller(clock))
			return false;
		int to = pick([&](int b) { return may_write(b, clock); });
		if (to < 0)
			return false;
		poller p;
		p.stream = s;
		p.flag = flags_used++;
		p.c = draw_change(WORDS, false);
		p.buffers = draw_sources(to, clock, 2);
		p.message = pick([&](int b) { return b != to && buffers[b].kind == DEVICE && buffers[b].words == WORDS && may_write(b, host[t]); });
		for (int b : p.buffers)
			if (b == p.message)
				p.message = -1;
		if (p.message >= 0) {
			p.buffers.push_back(p.message);
			buffers[p.message].reserved = true;
		}
		p.at = enter(s, clock);
		note_change(p.buffers, p.at);
		pollers.push_back(p);
		unsigned blocks = 1 + draw(2);
		add("kernel in " + name(s) + " that waits for flag " + std::to_string(p.flag) + " on" + names(p.buffers), [=] {
			poll<<<blocks, 64, 0, streams[s].handle>>>(flags + p.flag, real(p.c, p.buffers));
			SUCCEEDS(cudaGetLastError());
		});
		return true;
	}
	bool plan_release()
	{
		if (pollers.empty())
			return false;
		int s = draw(2) ? pick_stream() : APART;
		if (waits_for_poller(next_in(s)))
			s = APART;
		size_t which = draw(pollers.size());
		poller p = pollers[which];
		pollers.erase(pollers.begin() + which);
		order clock = next_in(s);
		place at = enter(s, clock);
		if (p.message >= 0) {
			buffers[p.message].reserved = false;
			buffers[p.message].read.clear();
			note_write(p.message, at);
			buffers[p.message].read.push_back(p.at);
			change c = draw_change(WORDS, true);
			change_model(c, {p.message});
			add("kernel in " + name(s) + " that sets flag " + std::to_string(p.flag) + " after" + names({p.message}), [=] {
				release<<<1, 64, 0, streams[s].handle>>>(flags + p.flag, real(c, {p.message}));
				SUCCEEDS(cudaGetLastError());
			});
		} else {
			bool copies = draw(2);
			add((copies ? "copy in " : "fill in ") + name(s) + " that sets flag " + std::to_string(p.flag), [=] {
				SUCCEEDS(copies ? cudaMemcpyAsync(flags + p.flag, set_word, 4, cudaMemcpyHostToDevice, streams[s].handle)
				                : cudaMemsetAsync(flags + p.flag, 1, 4, streams[s].handle));
			});
		}
		change_model(p.c, p.buffers);
		view[t][p.stream].join(clock);
		return true;
	}

	// ---- two threads ----

	// The other thread learns what this one knows, and gets some of its streams and events.
	bool plan_meeting()
	{
		if (threads == 1)
			return false;
		int from = t, to = 1 - t, number = has_met.size();
		has_met.push_back(false);
		for (int s = CREATED; s < stream_count; s++)
			if (streams[s].owner == from && draw(2))
				streams[s].owner = to;
		for (event &any : events)
			if (any.exists && any.owner == from && draw(2))
				any.owner = to;
		host[to].join(host[from]);
		for (int s = 0; s < STREAMS; s++)
			view[to][s].join(view[from][s]);
		add("tell " + std::to_string(to), [=] {
			std::lock_guard<std::mutex> guard(lock);
			has_met[number] = true;
			met.notify_all();
		});
		t = to;
		add("listen to " + std::to_string(from), [=] {
			std::unique_lock<std::mutex> guard(lock);
			met.wait(guard, [=] { return has_met[number]; });
		});
		return true;
	}

	// ---- the whole program ----

	void create_buffers()
	{
		for (int b = 0; b < 14; b++) {
			buffers[b].kind = b < 9 ? DEVICE : PINNED;
			buffers[b].words = b == 7 || b == 8 || b == 13 ? BIG : WORDS;
			buffers[b].content.assign(buffers[b].words, 0x01010101u * b);
			size_t bytes = buffers[b].words * 4;
			SUCCEEDS(b < 9 ? cudaMalloc(&buffers[b].memory, bytes) : cudaMallocHost(&buffers[b].memory, bytes));
			SUCCEEDS(cudaMemset(buffers[b].memory, b, bytes));
		}
		count = 14;
		SUCCEEDS(cudaMalloc(&flags, 256 * sizeof *flags));
		SUCCEEDS(cudaMemset(flags, 0, 256 * sizeof *flags));
		SUCCEEDS(cudaMallocHost(&set_word, sizeof *set_word));
		*set_word = SET;
		for (std::vector<unsigned> &room : pageable)
			room.resize(BIG);
		SUCCEEDS(cudaDeviceSynchronize());
	}
	void plan(unsigned length)
	{
		for (int k = 0; k < THREADS; k++) {
			streams[PER_THREAD + k].exists = k < threads;
			streams[PER_THREAD + k].blocking = true;
			streams[PER_THREAD + k].handle = cudaStreamPerThread;
			streams[PER_THREAD + k].owner = k;
		}
		streams[LEGACY].exists = true;
		t = 0;
		create_stream(APART, false, 0);
		for (int k = 0; k < 3; k++)
			create_stream(stream_count++, draw(2), draw(3) ? 0 : (int)draw(8) - 6);
		if (threads > 1)
			plan_meeting();
		while (length) {
			if (threads > 1 && draw(8) == 0)
				t = 1 - t;
			length -= plan_call();
		}
		while (!pollers.empty())
			plan_release();
		if (threads > 1 && t == 0) {
			t = 1;
		}
		if (threads > 1)
			plan_meeting();
	}
	bool plan_call()
	{
		if (!pollers.empty() && draw(5) == 0)
			return plan_release();
		unsigned which = draw(40);
		return which < 11   ? plan_kernel()
		       : which < 12 ? plan_nested()
		       : which < 16 ? plan_copy()
		       : which < 18 ? plan_pageable()
		       : which < 20 ? plan_fill()
		       : which < 23 ? plan_record()
		       : which < 26 ? plan_wait()
		       : which < 28 ? plan_sync()
		       : which < 29 ? plan_time()
		       : which < 31 ? plan_function()
		       : which < 32 ? plan_allocation()
		       : which < 33 ? plan_free()
		       : which < 36 ? plan_handle()
		       : which < 38 ? plan_poller()
		                    : plan_meeting();
	}
	void run_thread(int thread)
	{
		for (const std::function<void()> &call : calls[thread])
			call();
	}
	void destroy_handles()
	{
		for (int s = APART; s < stream_count; s++)
			if (streams[s].exists)
				SUCCEEDS(cudaStreamDestroy(streams[s].handle));
		for (event &any : events)
			if (any.exists)
				SUCCEEDS(cudaEventDestroy(any.handle));
	}
	// Earlier functions that CUDA orders after later ones are in the wrong order.
	void check_log()
	{
		CHECK(log.size() == functions.size());
		for (size_t later = 0; later < log.size(); later++)
			for (size_t earlier = 0; earlier < later; earlier++)
				CHECK(log[earlier] != log[later] && !functions[log[later]].at.before(functions[log[earlier]].clock));
	}
	void check_buffers()
	{
		std::vector<unsigned> room(BIG);
		for (int b = 0; b < count; b++) {
			if (!buffers[b].lives)
				continue;
			SUCCEEDS(cudaMemcpy(room.data(), buffers[b].memory, buffers[b].words * 4, cudaMemcpyDefault));
			unsigned i = 0;
			while (i < buffers[b].words && room[i] == buffers[b].content[i])
				i++;
			if (i < buffers[b].words)
				fprintf(stderr, "buffer %d differs at %u\n", b, i);
			CHECK(i == buffers[b].words);
			SUCCEEDS(buffers[b].kind == DEVICE ? cudaFree(buffers[b].memory) : cudaFreeHost(buffers[b].memory));
		}
		SUCCEEDS(cudaFree(flags));
		SUCCEEDS(cudaFreeHost(set_word));
	}
	void run()
	{
		bool destroys_first = draw(2);
		std::thread other;
		if (threads > 1)
			other = std::thread([=] { run_thread(1); });
		run_thread(0);
		if (threads > 1)
			other.join();
		if (destroys_first)
			destroy_handles();
		SUCCEEDS(cudaDeviceSynchronize());
		check_log();
		check_buffers();
		if (!destroys_first)
			destroy_handles();
		for (call_of_host *call : host_calls)
			delete call;
	}
};

static bool is_set(const char *name, const char *value)
{
	const char *has = getenv(name);
	return has && (!value || strcmp(has, value) == 0);
}

int main(int argc, char **argv)
{
	unsigned seed = argc > 1 ? atoi(argv[1]) : 1, programs = argc > 2 ? atoi(argv[2]) : 16, threads = argc > 3 ? atoi(argv[3]) : THREADS;
	bool in_turn = is_set("CUDA_LAUNCH_BLOCKING", "1") || is_set("SLUICE_CHECK", NULL);
	for (unsigned k = 0; k < programs && !failures; k++) {
		program *one = new program;
		state = (unsigned long long)(seed + k) * 0x9e3779b97f4a7c15;
		draw(2);
		one->threads = draw(3) == 0 && threads > 1 ? 2 : 1;
		one->polls = one->threads == 1 && !in_turn;
		one->lists = argc > 4;
		one->create_buffers();
		one->plan(30 + draw(60));
		one->run();
		if (failures)
			fprintf(stderr, "failed: random_streams %u 1 %u\n", seed + k, threads);
		delete one;
	}
	return finish();
}
