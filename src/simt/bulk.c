#include "simt/bulk.h"

#include "simt/checks.h"

/* --- operands --- */

static uint64_t value_of(const struct simt_warp *warp, const struct simt_inst *inst, unsigned k, uint32_t lane)
{
	const void *row = source(warp, inst, k);
	return (inst->source_widths >> 2 * k & 3) == SIMT_WIDTH_64 ? ((const lane64 *)row)[lane]
	                                                           : ((const lane32 *)row)[lane];
}

/* Returns the offset added to a register, as decode_bulk() stored it. */
static int64_t bulk_offset(const struct simt_inst *inst, unsigned k)
{
	return k == BULK_OTHER ? inst->offset : (int32_t)(inst->immediate >> (k == BULK_BARRIER ? 32 : 0));
}

static uint64_t address_of(const struct simt_warp *warp, const struct simt_inst *inst, unsigned k, uint32_t lane)
{
	return value_of(warp, inst, k, lane) + (uint64_t)bulk_offset(inst, k);
}

static enum bulk_kind kind_of(const struct ptx_inst *ptx)
{
	if (ptx->atomic != PTX_ATOM_NONE)
		return BULK_REDUCE;
	if (!ptx->by_mbarrier)
		return ptx->by_group ? BULK_FROM_SHARED : BULK_PREFETCH;
	return ptx->from == PTX_SHARED ? BULK_WITHIN : BULK_TO_SHARED;
}

static bool wrong(struct bulk_mistake *mistake, enum simt_fault_kind kind, const char *what, enum ptx_space space,
                  uint64_t address, uint64_t size)
{
	*mistake = (struct bulk_mistake){what, kind, space, address, size > UINT32_MAX ? UINT32_MAX : (uint32_t)size};
	return false;
}

static bool is_in_shared(const struct simt_block *block, uint64_t place, uint64_t bytes)
{
	return place <= block->shared_bytes && block->shared_bytes - place >= bytes;
}

/* Chunks are swizzled within 128 bytes, so all bytes of the last 128 are touched too. */
static uint64_t bytes_touched(const struct bulk_copy *copy)
{
	bool swizzles = copy->rank && copy->map.swizzle != TENSOR_STRAIGHT;
	return swizzles ? (copy->bytes + TENSOR_LINE - 1) / TENSOR_LINE * TENSOR_LINE : copy->bytes;
}

static bool check_shared(const struct simt_block *block, const struct bulk_copy *copy, uint64_t place, uint32_t align,
                         struct bulk_mistake *mistake)
{
	uint64_t bytes = bytes_touched(copy);
	if (place % align)
		return wrong(mistake, SIMT_FAULT_MISALIGNED,
		             align == TENSOR_CHUNK
		                     ? "bulk copy with a shared address that is not a multiple of 16"
		                     : "copy of a tile with a shared address that is not a multiple of 128",
		             PTX_SHARED, place, copy->bytes);
	return is_in_shared(block, place, bytes) ||
	       wrong(mistake, SIMT_FAULT_RANGE, "bulk copy beyond the block's shared memory", PTX_SHARED, place, bytes);
}

static bool check_barrier(const struct simt_block *block, const struct bulk_copy *copy, struct bulk_mistake *mistake)
{
	if (copy->barrier % 8)
		return wrong(mistake, SIMT_FAULT_MISALIGNED, "bulk copy with a misaligned mbarrier", PTX_SHARED,
		             copy->barrier, 8);
	return is_in_shared(block, copy->barrier, 8) ||
	       wrong(mistake, SIMT_FAULT_RANGE, "bulk copy with an mbarrier beyond the block's shared memory",
	             PTX_SHARED, copy->barrier, 8);
}

/* Checks that each row lies in one allocation. */
static bool check_global(const struct simt_memory *memory, const struct bulk_copy *copy, struct bulk_mistake *mistake)
{
	for (uint32_t r = 0; r < bulk_rows(copy); r++) {
		struct bulk_row row = bulk_row(copy, r);
		uint64_t first = row.global + row.first, bytes = row.end - row.first;
		if (bytes && !simt_valid(memory, simt_address(memory, first), bytes))
			return wrong(mistake, SIMT_FAULT_ADDRESS,
			             copy->kind == BULK_TO_SHARED ? "bulk copy from outside every allocation"
			                                          : "bulk copy to outside every allocation",
			             PTX_GLOBAL, first, bytes);
	}
	return true;
}

static bool ask_for_bytes(const struct simt_warp *warp, const struct simt_inst *inst, uint32_t lane,
                          struct bulk_copy *copy, struct bulk_mistake *mistake)
{
	copy->bytes = (uint32_t)value_of(warp, inst, BULK_SIZE, lane);
	copy->global = address_of(warp, inst, BULK_OTHER, lane);
	bool within = copy->kind == BULK_WITHIN;
	if (copy->bytes % TENSOR_CHUNK)
		return wrong(mistake, SIMT_FAULT_INSTRUCTION, "bulk copy whose size is not a multiple of 16 bytes",
		             PTX_GLOBAL, copy->global, copy->bytes);
	if (within)
		return check_shared(warp->block, copy, copy->global, TENSOR_CHUNK, mistake);
	if (copy->global % TENSOR_CHUNK)
		return wrong(mistake, SIMT_FAULT_MISALIGNED,
		             "bulk copy with a global address that is not a multiple of 16", PTX_GLOBAL, copy->global,
		             copy->bytes);
	return true;
}

/* The map lies in a parameter, or in global or constant memory. It lies in the thread's local memory when a
 * compiler has copied the parameter. */
static const void *find_map(const struct simt_warp *warp, uint32_t lane, uint64_t address)
{
	const struct simt_launch *launch = warp->block->launch;
	enum ptx_space space = generic_space(address);
	uint64_t place = address - window_of(space), machine = simt_address(launch->memory, address);
	uint64_t local = launch->program->local_bytes;
	switch (space) {
	case PTX_PARAM:
		return place + TENSOR_MAP_BYTES <= launch->program->param_bytes ? launch->params + place : NULL;
	case PTX_LOCAL:
		return place + TENSOR_MAP_BYTES <= local ? warp->local + lane * local + place : NULL;
	case PTX_GLOBAL:
		return simt_valid(launch->memory, machine, TENSOR_MAP_BYTES) ? simt_host(launch->memory, machine)
		                                                             : NULL;
	default:
		return NULL;
	}
}

static bool ask_for_tile(const struct simt_warp *warp, const struct simt_inst *inst, uint32_t lane,
                         struct bulk_copy *copy, struct bulk_mistake *mistake)
{
	uint64_t address = copy->map_address = address_of(warp, inst, BULK_OTHER, lane);
	if (address % TENSOR_MAP_ALIGN)
		return wrong(mistake, SIMT_FAULT_MISALIGNED, "tensor map at an address that is not a multiple of 64",
		             generic_space(address), address, TENSOR_MAP_BYTES);
	const void *map = find_map(warp, lane, address);
	if (!map)
		return wrong(mistake, SIMT_FAULT_ADDRESS, "tensor map outside every parameter and allocation",
		             generic_space(address), address, TENSOR_MAP_BYTES);
	copy->map_in_memory = generic_space(address) == PTX_GLOBAL;
	memcpy(&copy->map, map, sizeof copy->map);
	if (!tensor_map_is_sound(&copy->map))
		return wrong(mistake, SIMT_FAULT_INSTRUCTION, "the address holds no valid tensor map",
		             generic_space(address), address, TENSOR_MAP_BYTES);
	if (copy->map.rank != copy->rank)
		return wrong(mistake, SIMT_FAULT_INSTRUCTION, "tensor map whose rank differs from the instruction's",
		             generic_space(address), address, TENSOR_MAP_BYTES);
	for (uint32_t d = 0; d < copy->rank; d++)
		copy->at[d] = (int32_t)value_of(warp, inst, BULK_COORDINATES + d, lane);
	copy->bytes = (uint64_t)bulk_rows(copy) * bulk_row_bytes(copy);
	return true;
}

/* PTX has no reductions of some types. Reductions of 16-bit types are not supported on any machine here. */
static const enum ptx_type reduced_as[TENSOR_TYPES] = {
	[TENSOR_U32] = PTX_U32, [TENSOR_S32] = PTX_S32, [TENSOR_U64] = PTX_U64,     [TENSOR_S64] = PTX_S64,
	[TENSOR_F32] = PTX_F32, [TENSOR_F64] = PTX_F64, [TENSOR_F32_FTZ] = PTX_F32,
};

static enum ptx_type type_of(const struct ptx_inst *ptx, const struct bulk_copy *copy)
{
	return copy->rank ? reduced_as[copy->map.type] : ptx->type;
}

static bool can_reduce(const struct ptx_inst *ptx, const struct bulk_copy *copy)
{
	enum ptx_type type = type_of(ptx, copy);
	bool is_float = ptx_type_is_float(type), counts = ptx->atomic == PTX_ATOM_INC || ptx->atomic == PTX_ATOM_DEC;
	return type != PTX_NO_TYPE && !(is_float && ptx->atomic != PTX_ATOM_ADD) && !(counts && type != PTX_U32);
}

bool bulk_asked(const struct simt_warp *warp, const struct simt_inst *inst, uint32_t lane, struct bulk_copy *copy,
                struct bulk_mistake *mistake)
{
	const struct simt_block *block = warp->block;
	*copy = (struct bulk_copy){.kind = kind_of(inst->ptx), .rank = inst->ptx->rank};
	if (!(copy->rank ? ask_for_tile : ask_for_bytes)(warp, inst, lane, copy, mistake))
		return false;
	if (copy->kind == BULK_PREFETCH)
		return true;
	if (copy->kind == BULK_REDUCE && !can_reduce(inst->ptx, copy))
		return wrong(mistake, SIMT_FAULT_INSTRUCTION,
		             "bulk reduction that does not exist for the tensor's type", PTX_GLOBAL, copy->map_address,
		             TENSOR_MAP_BYTES);
	copy->shared = address_of(warp, inst, BULK_SHARED, lane);
	if (!check_shared(block, copy, copy->shared, copy->rank ? TENSOR_LINE : TENSOR_CHUNK, mistake))
		return false;
	if (copy->kind != BULK_WITHIN && !check_global(block->launch->memory, copy, mistake))
		return false;
	if (copy->kind != BULK_TO_SHARED && copy->kind != BULK_WITHIN)
		return true;
	copy->barrier = address_of(warp, inst, BULK_BARRIER, lane);
	return check_barrier(block, copy, mistake);
}

/* --- copies --- */

/* Fills elements outside the tensor: zeros, or NaNs as arithmetic returns them. */
static void fill_outside(const struct bulk_copy *copy, uint8_t *to, uint32_t bytes)
{
	static const uint8_t nan[] = {[2] = 0x7f, [4] = 0x7f, [8] = 0x7f};
	uint32_t size = copy->rank ? tensor_element_bytes((enum tensor_type)copy->map.type) : 1;
	memset(to, copy->map.fills_nan ? 0xff : 0, bytes);
	for (uint32_t at = size - 1; copy->map.fills_nan && at < bytes; at += size)
		to[at] = nan[size];
}

/* Copies a chunk of a row into shared memory, both the bytes in the tensor and those outside it. */
static void bring_chunk(struct simt_block *block, const struct bulk_copy *copy, const struct bulk_row *row, uint32_t at)
{
	const struct simt_memory *memory = block->launch->memory;
	uint64_t place = bulk_place(copy, row->place + at);
	uint32_t first = row->first > at ? row->first - at : 0, end = row->end > at ? row->end - at : 0;
	end = end < TENSOR_CHUNK ? end : TENSOR_CHUNK;
	fill_outside(copy, block->shared + place, TENSOR_CHUNK);
	if (UNLIKELY(block->checks != NULL))
		unwritten_filled(block, place, TENSOR_CHUNK, true);
	if (first >= end)
		return;
	uint64_t from = simt_address(memory, row->global + at + first);
	memcpy(block->shared + place + first, simt_host(memory, from), end - first);
	if (UNLIKELY(block->checks != NULL))
		unwritten_filled(block, place + first, end - first, simt_is_written(memory, from, end - first));
}

static void bring(struct simt_block *block, const struct bulk_copy *copy)
{
	for (uint32_t r = 0; r < bulk_rows(copy); r++) {
		struct bulk_row row = bulk_row(copy, r);
		for (uint32_t at = 0; at < row.bytes; at += TENSOR_CHUNK)
			bring_chunk(block, copy, &row, at);
	}
}

/* Copies bytes of a row out of shared memory, chunk by chunk. */
static void send_row(struct simt_block *block, const struct ptx_inst *ptx, const struct bulk_copy *copy,
                     const struct bulk_row *row)
{
	struct simt_memory *memory = block->launch->memory;
	for (uint32_t at = row->first; at < row->end;) {
		uint32_t bytes = TENSOR_CHUNK - at % TENSOR_CHUNK;
		bytes = bytes < row->end - at ? bytes : row->end - at;
		uint64_t place = bulk_place(copy, row->place + at), address = simt_address(memory, row->global + at);
		const uint8_t *from = block->shared + place;
		uint8_t *to = simt_host(memory, address);
		if (copy->kind == BULK_REDUCE)
			bulk_reduce(ptx->atomic, type_of(ptx, copy), to, from, bytes);
		else
			memcpy(to, from, bytes);
		simt_mark_written(memory, address, bytes);
		if (UNLIKELY(block->checks != NULL))
			unwritten_sent(block, address, place, bytes);
		at += bytes;
	}
}

static void complete(struct simt_block *block, const struct bulk_copy *copy)
{
	if (!block->launch->bulk_overlaps)
		simt_mbarrier_complete(block, copy->barrier, 0, copy->bytes);
}

static void do_now(struct simt_block *block, const struct bulk_copy *copy, struct simt_step *step)
{
	switch (copy->kind) {
	case BULK_TO_SHARED:
		bring(block, copy);
		complete(block, copy);
		return;
	case BULK_WITHIN:
		memmove(block->shared + copy->shared, block->shared + copy->global, copy->bytes);
		if (UNLIKELY(block->checks != NULL))
			unwritten_moved(block, copy->shared, copy->global, copy->bytes);
		complete(block, copy);
		return;
	case BULK_FROM_SHARED:
	case BULK_REDUCE:
		step->commits = true;
		return;
	case BULK_PREFETCH:
		return;
	}
}

static void refuse(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step, uint32_t lane,
                   const struct bulk_mistake *mistake)
{
	fault_set(warp, inst, step, mistake->kind, mistake->what, lane);
	step->fault.space = mistake->space;
	step->fault.address = mistake->address;
	step->fault.size = mistake->size;
}

/* Calls `what` for each lane's copy, up to the first error. */
static void for_each(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step,
                     void (*what)(struct simt_block *block, const struct bulk_copy *copy, struct simt_step *step))
{
	for (uint32_t left = step->lanes; left; left &= left - 1) {
		uint32_t lane = (uint32_t)__builtin_ctz(left);
		struct bulk_copy copy;
		struct bulk_mistake mistake;
		if (!bulk_asked(warp, inst, lane, &copy, &mistake)) {
			refuse(warp, inst, step, lane, &mistake);
			return;
		}
		what(warp->block, &copy, step);
	}
}

void bulk_start(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)
{
	for_each(warp, inst, step, do_now);
}

static void send(struct simt_block *block, const struct bulk_copy *copy, struct simt_step *step)
{
	for (uint32_t r = 0; r < bulk_rows(copy); r++) {
		struct bulk_row row = bulk_row(copy, r);
		send_row(block, step->inst->ptx, copy, &row);
	}
}

void bulk_commit(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)
{
	for_each(warp, inst, step, send);
}

void bulk_nothing(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)
{
	(void)warp;
	(void)inst;
	(void)step;
}
