// Protects memory of every kind: device, pitched, managed, pinned, registered, pooled, and ordinary host memory. Random
// copies between them, fills, host accesses and kernels are compared with a plain model on the host. Each kind holds
// exactly what either side last wrote to it.
#include "check.h"
#include <cstdint>
#include <vector>

enum Kind { DEVICE, POOL, FROM_POOL, MANAGED, PINNED, MAPPED, REGISTERED, HOST, KINDS };

struct Memory {
	Kind kind;
	uint32_t *words;    // the host's address
	uint32_t *device;   // the address in kernels
	char *room;         // of registered memory
	std::vector<uint32_t> model;
	bool on_host() const { return kind >= MANAGED; }
	bool on_device() const { return kind != HOST; }
};

static std::vector<Memory> live;
static cudaMemPool_t pool;
static cudaStream_t stream;

static uint32_t state = 12345;
static uint32_t draw(uint32_t below)
{
	state = state * 1664525 + 1013904223;
	return (uint32_t)((uint64_t)(state ^ state >> 15) * 2654435761u % 1000003) % below;
}

static void allocate()
{
	Memory m = {(Kind)draw(KINDS)};
	size_t count = 1 + draw(draw(4) ? 300 : 3000), bytes = count * 4;
	m.model.resize(count);
	switch (m.kind) {
	case DEVICE:
		SUCCEEDS(cudaMalloc(&m.words, bytes));
		break;
	case POOL:
		SUCCEEDS(cudaMallocAsync(&m.words, bytes, stream));
		break;
	case FROM_POOL:
		SUCCEEDS(cudaMallocFromPoolAsync(&m.words, bytes, pool, stream));
		break;
	case MANAGED:
		SUCCEEDS(cudaMallocManaged(&m.words, bytes));
		break;
	case PINNED:
		SUCCEEDS(cudaMallocHost(&m.words, bytes));
		break;
	case MAPPED:
		SUCCEEDS(cudaHostAlloc(&m.words, bytes, cudaHostAllocMapped));
		break;
	default:
		m.room = (char *)malloc(bytes + 64);
		m.words = (uint32_t *)(m.room + 4 * draw(16));
		if (m.kind == REGISTERED)
			SUCCEEDS(cudaHostRegister(m.words, bytes, draw(2) ? cudaHostRegisterMapped : 0));
	}
	m.device = m.words;
	if (m.kind >= PINNED && m.kind != HOST)
		SUCCEEDS(cudaHostGetDevicePointer(&m.device, m.words, 0));
	for (auto &word : m.model)
		word = draw(1 << 30);
	SUCCEEDS(cudaMemcpy(m.words, m.model.data(), bytes, cudaMemcpyDefault));
	live.push_back(m);
}

static void release(size_t k)
{
	Memory m = live[k];
	live.erase(live.begin() + (long)k);
	if (m.kind == DEVICE || m.kind == MANAGED)
		SUCCEEDS(cudaFree(m.words));
	else if (m.kind == POOL || m.kind == FROM_POOL)
		SUCCEEDS(draw(2) ? cudaFreeAsync(m.words, stream) : cudaFree(m.words));
	else if (m.kind == PINNED || m.kind == MAPPED)
		SUCCEEDS(cudaFreeHost(m.words));
	else if (m.kind == REGISTERED)
		SUCCEEDS(cudaHostUnregister(m.words));
	free(m.room);
}

static void compare(const Memory &m)
{
	std::vector<uint32_t> seen(m.model.size());
	const uint32_t *words = m.words;
	if (!m.on_host() || draw(2)) {
		SUCCEEDS(cudaMemcpy(seen.data(), m.words, seen.size() * 4, cudaMemcpyDefault));
		words = seen.data();
	} else {
		SUCCEEDS(cudaDeviceSynchronize());
	}
	CHECK(!memcmp(words, m.model.data(), seen.size() * 4));
}

// The direction, or an equivalent one.
static cudaMemcpyKind direction(const Memory &to, const Memory &from)
{
	if (draw(3) == 0)
		return cudaMemcpyDefault;
	bool to_device = to.on_host() ? to.on_device() && draw(2) : true;
	bool from_device = from.on_host() ? from.on_device() && draw(2) : true;
	return to_device ? from_device ? cudaMemcpyDeviceToDevice : cudaMemcpyHostToDevice
	                 : from_device ? cudaMemcpyDeviceToHost : cudaMemcpyHostToHost;
}

static void copy(Memory &to, Memory &from)
{
	size_t most = to.model.size() < from.model.size() ? to.model.size() : from.model.size();
	size_t count = 1 + draw((uint32_t)most), at = draw((uint32_t)(to.model.size() - count + 1));
	size_t origin = draw((uint32_t)(from.model.size() - count + 1));
	if (&to == &from && at < origin + count && origin < at + count)
		return;
	cudaMemcpyKind kind = direction(to, from);
	if (draw(3) == 0 && count >= 4) { // two rows of it
		size_t width = count / 4, pitch = count / 2;
		SUCCEEDS(cudaMemcpy2D(to.words + at, pitch * 4, from.words + origin, pitch * 4, width * 4, 2, kind));
		for (size_t row = 0; row < 2; row++)
			for (size_t i = 0; i < width; i++)
				to.model[at + row * pitch + i] = from.model[origin + row * pitch + i];
		return;
	}
	SUCCEEDS(draw(2) ? cudaMemcpy(to.words + at, from.words + origin, count * 4, kind)
	                 : cudaMemcpyAsync(to.words + at, from.words + origin, count * 4, kind, stream));
	for (size_t i = 0; i < count; i++)
		to.model[at + i] = from.model[origin + i];
}

static void fill(Memory &m)
{
	size_t count = 1 + draw((uint32_t)m.model.size()), at = draw((uint32_t)(m.model.size() - count + 1));
	int value = (int)draw(256);
	SUCCEEDS(cudaMemset(m.words + at, value, count * 4));
	memset(m.model.data() + at, value, count * 4);
}

static void write_from_host(Memory &m)
{
	SUCCEEDS(cudaDeviceSynchronize());
	for (uint32_t n = draw(20); n; n--) {
		size_t i = draw((uint32_t)m.model.size());
		m.words[i] ^= n * 77777;
		m.model[i] ^= n * 77777;
	}
}

__global__ void combine(uint32_t *to, const uint32_t *a, const uint32_t *b, uint32_t count, uint32_t count_b)
{
	uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < count)
		to[i] = 3 * a[i] + b[i * 7 % count_b];
}

static void run_combine(Memory &to, Memory &a, Memory &b)
{
	size_t count = to.model.size() < a.model.size() ? to.model.size() : a.model.size();
	if (&to == &b)
		return; // threads would write what others read
	combine<<<(unsigned)(count + 63) / 64, 64, 0, stream>>>(to.device, a.device, b.device, (uint32_t)count,
	                                                        (uint32_t)b.model.size());
	for (size_t i = 0; i < count; i++)
		to.model[i] = 3 * a.model[i] + b.model[i * 7 % b.model.size()];
}

enum { TABLE = 8 };
struct Table {
	uint32_t *words[TABLE];
	uint32_t count[TABLE];
};

// Each lane of a warp uses another memory than its neighbors.
__global__ void scatter(Table table, uint32_t which)
{
	uint32_t t = threadIdx.x, k = (t * which) % TABLE, i = t / TABLE * 5 % table.count[k];
	atomicAdd(&table.words[k][i], t + 1);
	uint64_t *pair = (uint64_t *)((uintptr_t)&table.words[k][i] & ~(uintptr_t)7);
	if ((uint32_t *)pair >= table.words[k] && (uint32_t *)pair + 1 < table.words[k] + table.count[k])
		atomicXor((unsigned long long *)pair, 0x100000001ull * which);
}

static void run_scatter()
{
	Table table;
	Memory *memory[TABLE];
	uint32_t which = 1 + 2 * draw(4);
	for (int k = 0; k < TABLE; k++) {
		do
			memory[k] = &live[draw((uint32_t)live.size())];
		while (!memory[k]->on_device());
		table.words[k] = memory[k]->device;
		table.count[k] = (uint32_t)memory[k]->model.size();
	}
	scatter<<<1, 32, 0, stream>>>(table, which);
	for (uint32_t t = 0; t < 32; t++) {
		uint32_t k = (t * which) % TABLE;
		memory[k]->model[t / TABLE * 5 % table.count[k]] += t + 1;
	}
	for (uint32_t t = 0; t < 32; t++) {
		uint32_t k = (t * which) % TABLE, i = t / TABLE * 5 % table.count[k];
		size_t odd = ((uintptr_t)&table.words[k][i] & 4) != 0;
		if (i < odd || i - odd + 1 >= table.count[k])
			continue;
		memory[k]->model[i - odd] ^= which;
		memory[k]->model[i - odd + 1] ^= which;
	}
}

static Memory &any(bool on_device)
{
	for (;;) {
		Memory &m = live[draw((uint32_t)live.size())];
		if (!on_device || m.on_device())
			return m;
	}
}

static void step()
{
	if (live.size() < 6 || (live.size() < 16 && draw(5) == 0)) {
		allocate();
		return;
	}
	bool has_device = false;
	for (const auto &m : live)
		has_device |= m.on_device();
	switch (draw(8)) {
	case 0:
		release(draw((uint32_t)live.size()));
		break;
	case 1:
	case 2:
		copy(any(false), any(false));
		break;
	case 3:
		if (has_device)
			fill(any(true));
		break;
	case 4: {
		Memory &m = any(false);
		if (m.on_host())
			write_from_host(m);
		break;
	}
	case 5:
	case 6:
		if (has_device)
			run_combine(any(true), any(true), any(true));
		break;
	default:
		if (has_device)
			run_scatter();
	}
}

int main()
{
	cudaMemPoolProps properties = {};
	properties.allocType = cudaMemAllocationTypePinned;
	properties.location = {cudaMemLocationTypeDevice, 0};
	SUCCEEDS(cudaMemPoolCreate(&pool, &properties));
	SUCCEEDS(cudaStreamCreate(&stream));
	if (const char *seed = getenv("RANDOM_MEMORY"))
		state = (uint32_t)atoi(seed);
	for (int i = 0; i < 600 && !failures; i++) {
		step();
		SUCCEEDS(cudaGetLastError());
		for (const auto &m : live)
			if (draw(6) == 0 || i % 50 == 0)
				compare(m);
	}
	while (!live.empty())
		release(0);
	return finish();
}
