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
	struct mech_sm *owner = sm->shared_layout;
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
	if (kind != MECH_STORE)
		shared_fills_read(&sm->fills, block, byte, lanes, bytes);
	if (kind != MECH_LOAD)
		shared_fills_written(&sm->fills, block, byte, lanes, bytes);
}

/* --- how many blocks fit --- */

uint32_t seam_room(struct seam *seam, const struct mech_room *room)
{
	struct mech_gpu *owner = seam->gpu.room_owner;
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

uint32_t seam_shared_taken_at_most(struct seam *seam)
{
	struct mech_gpu *owner = seam->gpu.room_owner;
	uint32_t all = seam->machine.shared_bytes;
	uint32_t have = seam->launch.blocks_per_sm * seam->launch.shared_bytes;
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

uint32_t seam_shared_taken_now(struct seam_sm *sm)
{
	struct mech_sm *owner = sm->shared_room;
	uint32_t all = sm->seam->machine.shared_bytes;
	if (!owner)
		return sm->resident * sm->seam->launch.shared_bytes;
	sm->hook = "shared_taken";
	uint32_t taken = owner->mech->shared_taken(owner, sm->slots);
	if (taken <= all)
		return taken;
	seam_wrong(owner, "its blocks take %u bytes of shared memory; the SM has %u", taken, all);
	return all;
}

/* --- requests that fill it --- */

bool seam_is_to_shared(const struct mech_request *request)
{
	return request->to == MECH_TO_SHARED || request->to == MECH_WRITE_SHARED;
}

bool seam_fill_is_sound(const struct mech_sm *part, const char *service, const struct mech_request *request)
{
	const struct seam *seam = ((const struct seam_sm *)part->host)->seam;
	uint32_t bytes = seam->launch.shared_bytes, words = (bytes + 3) / 4;
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

struct shared_fill *seam_new_fill(struct seam_sm *sm, const struct mech_request *request)
{
	const struct seam *seam = sm->seam;
	const struct base_prefetch_listener listener = seam_listener(sm);
	if (!seam_fills_shared(sm))
		shared_fills_open(&sm->fills, seam->machine.blocks, seam->launch.shared_bytes, &listener,
		                  &sm->pools.kernel.arena);
	return shared_fills_new(&sm->fills, request);
}
