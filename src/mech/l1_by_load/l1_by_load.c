/* l1_by_load: counts L1's results for each load (README.md). It is passive: it never changes what the machine does. */
#include "seam/mech_listed.h"

#define VECTORS(X)                                                                                                     \
	X(executions, "instructions", "by load: warp instructions with an active lane")                                \
	X(accesses, "accesses", "by load: transactions that looked up L1: hits + misses + merged")                     \
	X(hits, "accesses", "by load: hit")                                                                            \
	X(misses, "accesses", "by load: missed and requested their line")                                              \
	X(merged, "accesses", "by load: found their line in flight and waited for it")                                 \
	X(past_l1, "transactions", "by load: bypassed L1")                                                             \
	X(buffered, "transactions", "by load: served by the buffer before L1, with or without a wait")                 \
	X(first_uses, "accesses",                                                                                      \
	  "by load: hits and merged that were the first use of a line requested by a mechanism")                       \
	X(late_uses, "accesses", "by load: first uses of a line that was still in flight")

struct load {
#define X(name, unit, meaning) uint64_t name;
	VECTORS(X)
#undef X
};

enum {
#define X(name, unit, meaning) BY_##name,
	VECTORS(X)
#undef X
		COUNT
};

static const struct base_counter_vector vectors[COUNT] = {
#define X(row, row_unit, row_meaning)                                                                                  \
	[BY_##row] = {.name = #row,                                                                                    \
	              .unit = row_unit,                                                                                \
	              .meaning = row_meaning,                                                                          \
	              .scope = BASE_SCOPE_GPU,                                                                         \
	              .kind = BASE_VECTOR_COUNTERS,                                                                    \
	              .length = MECH_LISTED_LOADS,                                                                     \
	              .named = true},
	VECTORS(X)
#undef X
};

struct sm_state {
	struct load *load; /* by pc */
};

/* --- counting --- */

static void kernel_begin(struct mech_sm *sm)
{
	struct sm_state *own = sm->state;
	own->load = mech_alloc(sm->kernel_pool, sm->launch->instructions * sizeof *own->load);
}

static void memory(struct mech_sm *sm, const struct mech_memory *memory)
{
	if (memory->kind == MECH_LOAD)
		((struct sm_state *)sm->state)->load[memory->pc].executions++;
}

static void access(struct mech_sm *sm, const struct mech_access *access)
{
	if (access->kind != MECH_LOAD)
		return;
	struct load *load = &((struct sm_state *)sm->state)->load[access->pc];
	bool hit = access->result == MECH_HIT, miss = access->result == MECH_MISS,
	     merged = access->result == MECH_MERGED, past = access->result == MECH_BYPASS_L1;
	bool first = access->first_use && access->brought_by != MECH_NOBODY;
	load->accesses += hit | miss | merged;
	load->hits += hit;
	load->misses += miss;
	load->merged += merged;
	load->past_l1 += past;
	load->buffered += !(hit | miss | merged | past);
	load->first_uses += first;
	load->late_uses += first & merged;
}

/* --- a kernel's end --- */

static void gpu_kernel_begin(struct mech_gpu *gpu)
{
	mech_listed_begin(gpu->state, gpu->launch);
}

static struct load sum_of(const struct mech_gpu *gpu, uint32_t pc)
{
	struct load sum = {0};
	for (uint32_t s = 0; s < gpu->machine->sms; s++) {
		const struct load *load = &((const struct sm_state *)mech_part(gpu, s)->state)->load[pc];
#define X(name, unit, meaning) sum.name += load->name;
		VECTORS(X)
#undef X
	}
	return sum;
}

static void gpu_kernel_end(struct mech_gpu *gpu)
{
	for (uint32_t pc = 0; pc < gpu->launch->instructions; pc++) {
		const struct load load = sum_of(gpu, pc);
		if (!load.executions)
			continue;
		uint32_t element = mech_listed_add(gpu->state, gpu->launch, pc);
#define X(name, unit, meaning) mech_count(gpu->output, BY_##name, element, load.name);
		VECTORS(X)
#undef X
	}
}

static void gpu_keep(struct mech_gpu *gpu, struct mech_kept *kept)
{
	mech_listed_keep(gpu->state, gpu->launch, kept);
}

static const char *vector_label(const struct mech_gpu *gpu, uint32_t vector, uint32_t index)
{
	(void)vector;
	return mech_listed_name(gpu->state, index);
}

const struct mech mech_l1_by_load = {
	.version = MECH_VERSION,
	.name = "l1_by_load",
	.summary = "counts hits, misses and first uses of prefetched lines in L1 by load",
	.citation = "our own; CAPS (G. Koo et al., IPDPS 2018) tells loads apart by pc, as prefetchers do",
	.vectors = vectors,
	.vector_count = COUNT,
	.vector_label = vector_label,
	.gpu_keep = gpu_keep,
	.only_looks = true,
	.gpu_size = sizeof(struct mech_listed),
	.sm_size = sizeof(struct sm_state),
	.gpu_kernel_begin = gpu_kernel_begin,
	.kernel_begin = kernel_begin,
	.memory = memory,
	.access = access,
	.gpu_kernel_end = gpu_kernel_end,
	.kernels = MECH_EACH_KERNEL,
};
