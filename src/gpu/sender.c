#include "gpu/sender.h"

static struct request *request_for(struct gpu *gpu, const struct seam_dispatched *next)
{
	struct request *request = sm_request_for(&gpu->sm[next->sm], next->sent, gpu->clock[CLOCK_CORE].cycle,
	                                         &gpu->workers.worker[0].requests);
	address_map_place(&gpu->machine.map, request);
	return request;
}

static bool send(struct gpu *gpu, uint32_t sm, struct request *request)
{
	uint32_t input = gpu->ports + request->slice;
	if (gpu->machine.sm.zero_latency_memory)
		return sm_answer_at_once(&gpu->sm[sm], request, gpu->now);
	if (!crossbar_has_room(&gpu->to_slices, input, request, gpu->now))
		return false;
	crossbar_send(&gpu->to_slices, input, request, gpu->now);
	return true;
}

static bool send_next(struct gpu *gpu)
{
	const struct seam_dispatched *next = seam_next_dispatched(&gpu->seam->gpu);
	if (!next)
		return false;
	if (!sm_reaches(&gpu->sm[next->sm], next->sent->request.address)) {
		seam_dispatched_outside(gpu->seam, gpu->clock[CLOCK_CORE].cycle);
		return true;
	}
	struct request *request = request_for(gpu, next);
	if (!send(gpu, next->sm, request)) {
		request_release(&gpu->workers.worker[0].requests, request);
		return false;
	}
	seam_dispatched_sent(gpu->seam);
	return true;
}

bool sender_tick(struct gpu *gpu)
{
	bool sent = false;
	while (send_next(gpu))
		sent = true;
	return sent;
}
