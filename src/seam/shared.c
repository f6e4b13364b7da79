/* shared: shared memory as mechanisms see and use it: access vetoes, layout, block capacity, and requests that fill
 * it. */
#include "seam/private.h"

#include "base/least.h"

bool seam_may_access_shared(struct seam_sm *sm, const struct mech_shared *access)
{
	uint32_t refusers = seam_ask_may_access_shared(sm, access);
	sm->shared_vetoed_by = (uint8_t)seam_last_of(refusers);
	return !refusers;
}

void seam_shared_places(struct seam_sm *sm, uint32_t block, const uint64_t *byte, uint32_t lanes, uint64_t *place)
{
	struct mech_sm *owner =
		&sm->part[seam_part_of_kernel(sm->seam, sm->kernel_of[block], sm->shared_layout->number)];
	sm->hook = "shared_place";
	for (uint32_t left = lanes; left; left &= left - 1) {
		uint32_t lane = (uint32_t)__builtin_ctz(left);
		uint32_t at = owner->mech->shared_place(owner, block, (uint32_t)byte[lane]);
		if (at >= sm->seam->machine.shared_bytes) {
			seam_wrong(owner, "places byte %llu of block slot %u at %u; shared memory has %u bytes",
			           (unsigned long long)byte[lane], block, at, sm->seam->machine.shared_bytes);
			at = 0;
		}
		place[lane] = at;
	}
}

void seam_shared_touched(struct seam_sm *sm, uint32_t block, enum mech_kind kind, const uint64_t *byte, uint32_t lanes,
                         uint32_t bytes)
{
	struct shared_fills *fills = seam_fills_at(sm, block);
	if (kind != MECH_STORE && fills->arena)
		shared_fills_read(fills, block, byte, lanes, bytes);
	if (kind != MECH_LOAD && fills->arena)
		shared_fills_written(fills, block, byte, lanes, bytes);
}

/* --- how many blocks fit --- */

/* The part of the kernel that owns the capacity of shared memory, or NULL. */
static struct mech_gpu *room_owner(struct seam *seam, uint32_t kernel)
{
	const struct mech_gpu *owner = seam->gpu.room_owner;
	return owner ? &seam->gpu.part[seam_part_of_kernel(seam, kernel, owner->number)] : NULL;
}

uint32_t seam_room(struct seam *seam, uint32_t kernel, const struct mech_room *room)
{
	struct mech_gpu *owner = room_owner(seam, kernel);
	uint32_t shared = room->shared;
	if (owner) {
		seam->gpu.hook = "shared_room";
		shared = owner->mech->shared_room(owner, room);
		if (!shared) {
			seam_wrong_gpu(owner, "fits 0 blocks into shared memory; expected at least 1");
			shared = 1;
		}
		seam->gpu.hook = NULL;
	}
	return least(least(room->slots, room->warps), least(room->registers, shared));
}

uint32_t seam_shared_taken_at_most(struct seam *seam, uint32_t kernel)
{
	struct mech_gpu *owner = room_owner(seam, kernel);
	const struct mech_launch *launch = &seam->kernel[kernel].launch;
	uint32_t all = seam->machine.shared_bytes;
	uint32_t have = launch->blocks_per_sm * launch->shared_bytes;
	if (!owner)
		return have;
	if (!owner->mech->shared_full)
		return least(have, all);
	seam->gpu.hook = "shared_full";
	uint32_t taken = owner->mech->shared_full(owner);
	seam->gpu.hook = NULL;
	if (taken <= all)
		return taken;
	seam_wrong_gpu(owner, "its blocks take %u bytes of shared memory; the SM has %u", taken, all);
	return all;
}

/* The slots of the kernel's resident blocks, one bit per slot. */
static uint64_t slots_of(const struct seam_sm *sm, uint32_t kernel)
{
	uint64_t slots = 0;
	for (uint64_t left = sm->slots; left; left &= left - 1)
		if (sm->kernel_of[__builtin_ctzll(left)] == kernel)
			slots |= left & -left;
	return slots;
}

/* Bytes that one kernel's blocks, in these slots, occupy. */
static uint32_t taken_by(struct seam_sm *sm, uint32_t kernel, uint64_t slots)
{
	uint32_t all = sm->seam->machine.shared_bytes;
	if (!sm->shared_room)
		return (uint32_t)__builtin_popcountll(slots) * sm->seam->kernel[kernel].launch.shared_bytes;
	struct mech_sm *owner = &sm->part[seam_part_of_kernel(sm->seam, kernel, sm->shared_room->number)];
	sm->hook = "shared_taken";
	uint32_t taken = owner->mech->shared_taken(owner, slots);
	if (taken <= all)
		return taken;
	seam_wrong(owner, "its blocks take %u bytes of shared memory; the SM has %u", taken, all);
	return all;
}

uint32_t seam_shared_taken_now(struct seam_sm *sm)
{
	uint32_t taken = 0;
	if (!sm->seam->several)
		return taken_by(sm, 0, sm->slots);
	for (uint64_t left = sm->slots; left;) {
		uint32_t kernel = sm->kernel_of[__builtin_ctzll(left)];
		uint64_t slots = slots_of(sm, kernel);
		taken += taken_by(sm, kernel, slots);
		left &= ~slots;
	}
	return taken;
}

/* --- requests that fill it --- */

bool seam_is_to_shared(const struct mech_request *request)
{
	return request->to == MECH_TO_SHARED || request->to == MECH_WRITE_SHARED;
}

bool seam_fill_is_sound(const struct mech_sm *part, const char *service, uint32_t kernel,
                        const struct mech_request *request)
{
	const struct seam *seam = ((const struct seam_sm *)part->host)->seam;
	uint32_t bytes = seam->kernel[kernel].launch.shared_bytes, words = (bytes + 3) / 4;
	/* number of words when they are contiguous */
	uint32_t side_by_side = (request->shared % 4 + request->bytes + 3) / 4;
	if (request->words > MECH_MAX_WORDS || (!request->words && side_by_side > MECH_MAX_WORDS)) {
		seam_wrong(part, "%s(): %u words of shared memory; expected up to %d", service,
		           request->words ? request->words : side_by_side, MECH_MAX_WORDS);
		return false;
	}
	if (!request->words && ((uint64_t)request->shared + request->bytes > bytes || !request->bytes)) {
		seam_wrong(part, "%s(): %u bytes at %u of shared memory; a block has %u", service, request->bytes,
		           request->shared, bytes);
		return false;
	}
	for (uint32_t i = 0; i < request->words; i++)
		if (request->word[i] >= words) {
			seam_wrong(part, "%s(): word %u of shared memory; a block has %u", service, request->word[i],
			           words);
			return false;
		}
	return true;
}

struct shared_fill *seam_new_fill(struct seam_sm *sm, uint32_t kernel, const struct mech_request *request)
{
	const struct base_prefetch_listener listener = seam_listener(sm);
	uint32_t pool = seam_pool_of(kernel);
	struct shared_fills *fills = &sm->fills[pool];
	sm->fills_shared = true;
	if (!fills->arena)
		shared_fills_open(fills, sm->seam->machine.blocks, sm->seam->kernel[kernel].launch.shared_bytes,
		                  &listener, &sm->pools.kernel[pool].arena);
	return shared_fills_new(fills, request);
}
