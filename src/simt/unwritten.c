/* unwritten: finds reads of unwritten memory.
 *
 * A load is reported when all its bytes are unwritten. A load with only some written bytes may be a copy of a
 * structure with padding. That is no error, but the source does not show it. Its unwritten bytes are therefore
 * marked and followed through registers. Instructions that move, shift or mask them move the marks, and a store
 * passes them on to memory. Any other instruction that uses them is reported, at the line of the load. Marks that
 * pass through a call or a shuffle are lost. Errors may be missed there, but nothing is reported wrongly.
 *
 * A function's own variables in local memory start as unwritten. Compilers copy arrays there that are only partly
 * initialized, so a load only marks, and a use is reported. Frames of recursive functions and spilled registers
 * count as written.
 */
#include "simt/checks.h"
#include "simt/program.h"

#include "base/arena.h"

#include <stdlib.h>

enum { ROW = 4 * WARP_SIZE }; /* bytes of a row of 32-bit registers; a row of 64-bit registers has twice that */

/* Source of the marked bytes of a row. */
struct origin {
	uint32_t pc;
	uint64_t address[WARP_SIZE];
};

struct unwritten {
	unsigned kinds;
	uint8_t *shared; /* by byte: it was written; NULL unless SIMT_CHECK_SHARED_INIT */
	uint32_t shared_capacity;
	/* the same for the local memory of all threads; NULL without SIMT_CHECK_INIT or without local memory */
	uint8_t *local;
	uint64_t local_bytes, local_capacity; /* per thread; of all threads */
	/* Marks: a copy of the registers of all warps, whose set bits are unwritten. Allocated on demand. */
	uint8_t *mark, *storage; /* aligned like registers; as allocated */
	struct origin *origin;   /* by row */
	size_t pitch, capacity;  /* bytes of one warp's registers; of all warps */
	uint64_t marked;         /* warps that have marks */
};

struct unwritten *unwritten_open(unsigned kinds)
{
	struct unwritten *unwritten = base_calloc(1, sizeof *unwritten);
	unwritten->kinds = kinds;
	return unwritten;
}

void unwritten_close(struct unwritten *unwritten)
{
	if (!unwritten)
		return;
	free(unwritten->shared);
	free(unwritten->local);
	free(unwritten->storage);
	free(unwritten->origin);
	free(unwritten);
}

/* --- local memory --- */

static uint8_t *local_of(const struct simt_warp *warp, unsigned lane)
{
	const struct unwritten *unwritten = warp->block->checks->unwritten;
	return unwritten->local + (warp->index * (uint64_t)WARP_SIZE + lane) * unwritten->local_bytes;
}

/* Marks the variables of a thread's local memory as unwritten. `owner` NULL: those of all functions. */
static void forget_variables(const struct simt_program *program, uint8_t *local, const struct ptx_function *owner)
{
	for (uint32_t k = 0; k < program->variable_count; k++) {
		const struct simt_variable *variable = &program->variables[k];
		if (variable->space == PTX_LOCAL && (!owner || variable->symbol->function == owner))
			memset(local + variable->offset, 0, variable->size);
	}
}

static void start_local(struct simt_block *block)
{
	struct unwritten *unwritten = block->checks->unwritten;
	const struct simt_program *program = block->launch->program;
	uint64_t bytes = program->local_bytes, threads = (uint64_t)block->warps * WARP_SIZE;
	unwritten->local_bytes = bytes;
	if (!(unwritten->kinds & SIMT_CHECK_INIT) || !bytes)
		return;
	if (unwritten->local_capacity < bytes * threads) {
		unwritten->local_capacity = bytes * threads;
		unwritten->local = base_realloc(unwritten->local, bytes * threads);
	}
	memset(unwritten->local, 1, bytes * threads);
	for (uint64_t t = 0; t < threads; t++)
		forget_variables(program, unwritten->local + t * bytes, NULL);
}

/* The variables of a called function start as unwritten, whatever an earlier call has left there. */
static void enter_function(const struct simt_warp *warp, const struct simt_inst *inst, uint32_t lanes)
{
	const struct simt_call *call = (const struct simt_call *)(uintptr_t)inst->immediate;
	for (uint32_t rest = warp->block->checks->unwritten->local && call->callee ? lanes : 0; rest; rest &= rest - 1)
		forget_variables(warp->block->launch->program, local_of(warp, (unsigned)__builtin_ctz(rest)),
		                 call->callee->ptx);
}

void unwritten_start(struct simt_block *block)
{
	struct unwritten *unwritten = block->checks->unwritten;
	start_local(block);
	unwritten->pitch = (block->launch->program->register_bytes + ROW - 1) / ROW * ROW;
	unwritten->marked = 0;
	if (!(unwritten->kinds & SIMT_CHECK_SHARED_INIT))
		return;
	if (unwritten->shared_capacity < block->shared_bytes) {
		unwritten->shared_capacity = block->shared_bytes;
		unwritten->shared = base_realloc(unwritten->shared, block->shared_bytes);
	}
	if (block->shared_bytes)
		memset(unwritten->shared, 0, block->shared_bytes);
}

/* --- marks --- */

static uint8_t *marks(const struct simt_warp *warp)
{
	const struct unwritten *unwritten = warp->block->checks->unwritten;
	return unwritten->mark + warp->index * unwritten->pitch;
}

static struct origin *origin_of(const struct simt_warp *warp, uint32_t row)
{
	const struct unwritten *unwritten = warp->block->checks->unwritten;
	return &unwritten->origin[(warp->index * unwritten->pitch + row) / ROW];
}

static bool has_marks(const struct simt_warp *warp)
{
	return warp->block->checks->unwritten->marked >> warp->index & 1;
}

/* Initializes the warp's first marks. */
static void begin_marks(struct simt_warp *warp)
{
	struct unwritten *unwritten = warp->block->checks->unwritten;
	size_t all = warp->block->warps * unwritten->pitch;
	if (all > unwritten->capacity) { /* the block's first marks */
		unwritten->capacity = all;
		free(unwritten->storage);
		free(unwritten->origin);
		unwritten->storage = base_malloc(all + SIMT_ALIGN);
		unwritten->mark = unwritten->storage + (SIMT_ALIGN - (uintptr_t)unwritten->storage % SIMT_ALIGN);
		unwritten->origin = base_malloc(all / ROW * sizeof *unwritten->origin);
	}
	if (!has_marks(warp)) {
		memset(marks(warp), 0, unwritten->pitch);
		memset(origin_of(warp, 0), 0, unwritten->pitch / ROW * sizeof *unwritten->origin);
	}
	unwritten->marked |= (uint64_t)1 << warp->index;
}

static void clear_lanes(uint8_t *row, unsigned pitch, uint32_t lanes)
{
	for (; lanes; lanes &= lanes - 1)
		memset(row + (unsigned)__builtin_ctz(lanes) * pitch, 0, pitch);
}

static void clear_destinations(const struct simt_warp *warp, const struct simt_inst *inst, uint32_t lanes)
{
	const struct simt_unchecked *plain = unchecked(warp, inst);
	for (unsigned k = 0; k < CHECK_DESTINATIONS; k++)
		if (plain->dst_pitch[k])
			clear_lanes(marks(warp) + inst->dst[k], plain->dst_pitch[k], lanes);
}

/* Returns the marks of a source, or NULL for a constant or a predicate, which has none. */
static uint8_t *source_marks(const struct simt_warp *warp, const struct simt_inst *inst, unsigned k)
{
	bool is_register = unchecked(warp, inst)->src_pitch[k] && !(inst->base_mask >> k & 1);
	return is_register ? marks(warp) + inst->src[k] : NULL;
}

/* Returns the lanes in which source k has marks that the instruction uses. */
static uint32_t marked_lanes(const struct simt_warp *warp, const struct simt_inst *inst, unsigned k, uint32_t lanes)
{
	const struct simt_unchecked *plain = unchecked(warp, inst);
	const uint8_t *row = source_marks(warp, inst, k);
	unsigned pitch = plain->src_pitch[k], width = plain->width && plain->width < pitch ? plain->width : pitch;
	uint32_t found = 0;
	for (; row && lanes; lanes &= lanes - 1) {
		unsigned lane = (unsigned)__builtin_ctz(lanes);
		for (unsigned b = 0; b < width; b++)
			found |= row[lane * pitch + b] ? lane_bit[lane] : 0;
	}
	return found;
}

static enum finding_kind kind_in(enum ptx_space space)
{
	return space == PTX_SHARED ? FINDING_SHARED_INIT : space == PTX_LOCAL ? FINDING_LOCAL_INIT : FINDING_INIT;
}

/* Source k is used: reports its marks, once. */
static void use(struct simt_warp *warp, const struct simt_inst *inst, unsigned k, uint32_t lanes)
{
	const struct origin *origin = source_marks(warp, inst, k) ? origin_of(warp, inst->src[k]) : NULL;
	uint32_t found = marked_lanes(warp, inst, k, lanes);
	for (uint32_t rest = found; rest; rest &= rest - 1) {
		unsigned lane = (unsigned)__builtin_ctz(rest);
		const struct simt_inst *load = &warp->code[origin->pc];
		enum ptx_space space = generic_space(origin->address[lane]);
		finding_add(warp->block, &(struct finding){
						 .kind = kind_in(space),
						 .access = {{load, warp->index, lane}, {inst, warp->index, lane}},
						 .address = origin->address[lane] - window_of(space),
						 .size = load->size,
					 });
	}
	if (found)
		clear_lanes(source_marks(warp, inst, k), unchecked(warp, inst)->src_pitch[k], found);
}

/* Joins the marks of all of a lane's sources, byte by byte. */
static void unite(const struct simt_warp *warp, const struct simt_inst *inst, unsigned lane)
{
	unsigned pitch = unchecked(warp, inst)->dst_pitch[0];
	uint8_t all[8] = {0};
	for (unsigned k = 0; k < CHECK_SOURCES; k++) {
		const uint8_t *row = source_marks(warp, inst, k);
		for (unsigned b = 0; row && b < pitch; b++)
			all[b] |= row[lane * pitch + b];
	}
	memcpy(marks(warp) + inst->dst[0] + lane * pitch, all, pitch);
}

/* The destinations take the origin of the lane's marked source. */
static void move_origin(const struct simt_warp *warp, const struct simt_inst *inst, unsigned lane)
{
	unsigned k = 0;
	while (k < CHECK_SOURCES && !marked_lanes(warp, inst, k, lane_bit[lane]))
		k++;
	if (k == CHECK_SOURCES)
		return;
	const struct origin *from = origin_of(warp, inst->src[k]);
	for (unsigned d = 0; d < CHECK_DESTINATIONS; d++)
		if (unchecked(warp, inst)->dst_pitch[d]) {
			struct origin *to = origin_of(warp, inst->dst[d]);
			to->pc = from->pc;
			to->address[lane] = from->address[lane];
		}
}

static void move_marks(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)
{
	const struct simt_unchecked *plain = unchecked(warp, inst);
	uint8_t *registers = warp->registers;
	for (uint32_t rest = step->lanes; rest; rest &= rest - 1)
		move_origin(warp, inst, (unsigned)__builtin_ctz(rest));
	if (plain->carry == CARRY_BITS) {
		warp->registers = marks(warp);
		plain->exec(warp, inst, step);
		warp->registers = registers;
		return;
	}
	for (uint32_t rest = step->lanes; rest; rest &= rest - 1)
		unite(warp, inst, (unsigned)__builtin_ctz(rest));
}

void unwritten_step(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)
{
	if (inst->ptx->op == PTX_OP_CALL)
		enter_function(warp, inst, step->lanes);
	if (!has_marks(warp))
		return;
	if (inst->ptx->op == PTX_OP_CALL) {
		warp->block->checks->unwritten->marked &= ~((uint64_t)1 << warp->index);
		return;
	}
	uint32_t carried = 0;
	for (unsigned k = 0; k < CHECK_SOURCES; k++) {
		if (unchecked(warp, inst)->carry == CARRY_NONE)
			use(warp, inst, k, step->lanes);
		else
			carried |= marked_lanes(warp, inst, k, step->lanes);
	}
	if (carried)
		move_marks(warp, inst, step);
	else
		clear_destinations(warp, inst, step->lanes);
}

/* --- memory --- */

static enum ptx_space space_of(const struct simt_step *step, unsigned lane)
{
	return step->mixed_spaces ? generic_space(step->address[lane]) : (enum ptx_space)step->space;
}

static uint64_t address_of(const struct simt_step *step, unsigned lane)
{
	return step->address[lane] - (step->mixed_spaces ? window_of(space_of(step, lane)) : 0);
}

/* Returns the unwritten bytes of the lane's access, one bit per byte. */
static uint32_t find_gaps(const struct simt_warp *warp, const struct simt_step *step, unsigned lane)
{
	const struct simt_block *block = warp->block;
	const struct unwritten *unwritten = block->checks->unwritten;
	const struct simt_memory *memory = block->launch->memory;
	uint64_t address = address_of(step, lane);
	enum ptx_space space = space_of(step, lane);
	uint32_t gaps = 0, size = step->inst->size;
	if (space == PTX_GLOBAL && unwritten->kinds & SIMT_CHECK_INIT && !simt_is_written(memory, address, size))
		for (unsigned b = 0; b < size; b++)
			gaps |= (uint32_t)!simt_is_written(memory, address + b, 1) << b;
	if (space == PTX_SHARED && unwritten->shared)
		for (unsigned b = 0; b < size; b++)
			gaps |= (uint32_t)!unwritten->shared[address + b] << b;
	if (space == PTX_LOCAL && unwritten->local && !step->inst->ptx->is_spill)
		for (unsigned b = 0; b < size; b++)
			gaps |= (uint32_t)!local_of(warp, lane)[address + b] << b;
	return gaps;
}

static void report(struct simt_warp *warp, const struct simt_step *step, unsigned lane)
{
	finding_add(warp->block, &(struct finding){
					 .kind = kind_in(space_of(step, lane)),
					 .access = {{step->inst, warp->index, lane}},
					 .address = address_of(step, lane),
					 .size = step->inst->size,
				 });
}

/* A partly written load: marks its unwritten bytes in the destinations. */
static void mark_load(struct simt_warp *warp, const struct simt_step *step, unsigned lane, uint32_t gaps)
{
	const struct simt_inst *inst = step->inst;
	unsigned bytes = inst->size / inst->vector;
	bool is_signed = ptx_type_is_signed(inst->ptx->type);
	uint64_t window = window_of(space_of(step, lane));
	begin_marks(warp);
	for (unsigned e = 0; e < inst->vector; e++, gaps >>= bytes) {
		unsigned pitch = unchecked(warp, inst)->dst_pitch[e];
		if (!pitch || inst->dst[e] == SIMT_NO_REGISTER)
			continue;
		uint8_t *mark = marks(warp) + inst->dst[e] + lane * pitch;
		for (unsigned b = 0; b < pitch; b++) {
			unsigned from = b < bytes ? b : bytes - 1;
			mark[b] = gaps >> from & 1 && (b < bytes || is_signed) ? 0xff : 0;
		}
		struct origin *origin = origin_of(warp, inst->dst[e]);
		origin->pc = inst->pc;
		origin->address[lane] = window + address_of(step, lane);
	}
}

/* The elements of a matrix row go to several lanes; their marks are not followed. */
static bool inst_marks(const struct simt_inst *inst)
{
	return inst->ptx->op != PTX_OP_LDMATRIX;
}

static void load(struct simt_warp *warp, const struct simt_step *step)
{
	uint32_t all = UINT32_MAX >> (32 - step->inst->size);
	if (has_marks(warp))
		clear_destinations(warp, step->inst, step->lanes);
	for (uint32_t rest = step->lanes; rest; rest &= rest - 1) {
		unsigned lane = (unsigned)__builtin_ctz(rest);
		uint32_t gaps = find_gaps(warp, step, lane);
		if (gaps == all && space_of(step, lane) != PTX_LOCAL)
			report(warp, step, lane);
		else if (gaps && inst_marks(step->inst))
			mark_load(warp, step, lane, gaps);
	}
}

/* Returns the marks of a lane's stored value, byte by byte. */
static uint32_t stored_gaps(const struct simt_warp *warp, const struct simt_inst *inst, unsigned lane)
{
	unsigned bytes = inst->size / inst->vector;
	uint32_t gaps = 0;
	if (inst->ptx->op != PTX_OP_ST || !has_marks(warp))
		return 0;
	for (unsigned e = 0; e < inst->vector; e++) {
		const uint8_t *row = source_marks(warp, inst, 1 + e);
		unsigned pitch = unchecked(warp, inst)->src_pitch[1 + e];
		for (unsigned b = 0; row && b < bytes; b++)
			gaps |= (uint32_t)(row[lane * pitch + b] != 0) << (e * bytes + b);
	}
	return gaps;
}

/* Returns the written state of a lane's bytes of shared or local memory. NULL: not tracked. */
static uint8_t *known_bytes(const struct simt_warp *warp, enum ptx_space space, unsigned lane)
{
	const struct unwritten *unwritten = warp->block->checks->unwritten;
	if (space == PTX_SHARED)
		return unwritten->shared;
	return space == PTX_LOCAL && unwritten->local ? local_of(warp, lane) : NULL;
}

/* Stores to shared and local memory take effect at once. */
static void write_near(struct simt_warp *warp, const struct simt_step *step)
{
	for (uint32_t rest = step->lanes; rest; rest &= rest - 1) {
		unsigned lane = (unsigned)__builtin_ctz(rest);
		uint8_t *known = known_bytes(warp, space_of(step, lane), lane);
		uint32_t gaps = known ? stored_gaps(warp, step->inst, lane) : 0;
		for (unsigned b = 0; known && b < step->inst->size; b++)
			known[address_of(step, lane) + b] = !(gaps >> b & 1);
	}
}

void unwritten_stored(struct simt_warp *warp, unsigned lane, uint64_t address, uint32_t bytes)
{
	enum ptx_space space = generic_space(address);
	uint8_t *known = known_bytes(warp, space, lane);
	if (known)
		memset(known + address - window_of(space), true, bytes);
	else if (space == PTX_GLOBAL && warp->block->checks->unwritten->kinds & SIMT_CHECK_INIT)
		simt_mark_written(warp->block->launch->memory, simt_address(warp->block->launch->memory, address),
		                  bytes);
}

void unwritten_filled(struct simt_block *block, uint64_t offset, uint32_t bytes, bool written)
{
	struct unwritten *unwritten = block->checks->unwritten;
	if (unwritten && unwritten->shared)
		memset(unwritten->shared + offset, written, bytes);
}

void unwritten_moved(struct simt_block *block, uint64_t to, uint64_t from, uint64_t bytes)
{
	struct unwritten *unwritten = block->checks->unwritten;
	if (unwritten && unwritten->shared)
		memmove(unwritten->shared + to, unwritten->shared + from, bytes);
}

void unwritten_sent(struct simt_block *block, uint64_t to, uint64_t from, uint32_t bytes)
{
	const struct unwritten *unwritten = block->checks->unwritten;
	for (uint32_t b = 0; unwritten && unwritten->shared && b < bytes; b++)
		if (!unwritten->shared[from + b])
			simt_mark_unwritten(block->launch->memory, to + b, 1);
}

uint32_t unwritten_bytes(const struct simt_block *block, enum ptx_space space, uint64_t address, uint32_t bytes)
{
	const struct unwritten *unwritten = block->checks->unwritten;
	const struct simt_memory *memory = block->launch->memory;
	uint32_t count = 0;
	if (space == PTX_SHARED && unwritten->shared)
		for (uint32_t b = 0; b < bytes; b++)
			count += !unwritten->shared[address + b];
	if (space == PTX_GLOBAL && unwritten->kinds & SIMT_CHECK_INIT && !simt_is_written(memory, address, bytes))
		for (uint32_t b = 0; b < bytes; b++)
			count += !simt_is_written(memory, address + b, 1);
	return count;
}

static void atomic(struct simt_warp *warp, const struct simt_step *step)
{
	const struct simt_inst *inst = step->inst;
	bool reads = inst->ptx->atomic != PTX_ATOM_EXCH && inst->ptx->mbarrier != PTX_MBARRIER_INIT;
	for (unsigned k = 1; k < CHECK_SOURCES && has_marks(warp); k++)
		use(warp, inst, k, step->lanes);
	if (has_marks(warp))
		clear_destinations(warp, inst, step->lanes);
	for (uint32_t rest = step->lanes; rest && reads; rest &= rest - 1) {
		unsigned lane = (unsigned)__builtin_ctz(rest);
		if (find_gaps(warp, step, lane))
			report(warp, step, lane);
	}
}

void unwritten_access(struct simt_warp *warp, const struct simt_step *step)
{
	const struct simt_inst *inst = step->inst;
	if (has_marks(warp))
		use(warp, inst, 0, step->lanes);
	if (inst->kind == SIMT_LOAD)
		load(warp, step);
	else if (inst->kind == SIMT_ATOMIC)
		atomic(warp, step);
	if (inst->kind != SIMT_LOAD)
		write_near(warp, step);
}

void unwritten_image(struct simt_warp *warp, const struct simt_inst *inst, unsigned lane, uint64_t address,
                     uint32_t size)
{
	const struct simt_memory *memory = warp->block->launch->memory;
	uint32_t written = 0;
	if (!(warp->block->checks->unwritten->kinds & SIMT_CHECK_INIT) || simt_is_written(memory, address, size))
		return;
	for (uint32_t b = 0; b < size; b++)
		written += simt_is_written(memory, address + b, 1);
	if (!written || inst->kind == SIMT_ATOMIC)
		finding_add(warp->block, &(struct finding){.kind = FINDING_INIT,
		                                           .access = {{inst, warp->index, lane}},
		                                           .address = address,
		                                           .size = size});
}

void unwritten_commit(struct simt_warp *warp, const struct simt_step *step)
{
	struct simt_memory *memory = warp->block->launch->memory;
	for (uint32_t rest = global_lanes(step); rest; rest &= rest - 1) {
		unsigned lane = (unsigned)__builtin_ctz(rest);
		uint32_t gaps = stored_gaps(warp, step->inst, lane);
		simt_mark_written(memory, step->address[lane], step->inst->size);
		for (; gaps; gaps &= gaps - 1)
			simt_mark_unwritten(memory, step->address[lane] + (unsigned)__builtin_ctz(gaps), 1);
	}
}
