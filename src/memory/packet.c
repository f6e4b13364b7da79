#include "memory/packet.h"

static const uint8_t kinds[REQUEST_KINDS] = {
	[REQUEST_READ] = BASE_PACKET_LOAD,
	[REQUEST_WRITE] = BASE_PACKET_STORE,
	[REQUEST_ATOMIC] = BASE_PACKET_ATOMIC,
	[REQUEST_LOCAL_READ] = BASE_PACKET_LOCAL_LOAD,
	[REQUEST_LOCAL_WRITE] = BASE_PACKET_LOCAL_STORE,
	[REQUEST_INSTRUCTION] = BASE_PACKET_INSTRUCTION,
	[REQUEST_CONSTANT] = BASE_PACKET_CONSTANT,
	[REQUEST_L1_WRITEBACK] = BASE_PACKET_WRITEBACK,
	[REQUEST_L1_FILL] = BASE_PACKET_FILL,
	[REQUEST_L2_PREFETCH] = BASE_PACKET_L2_PREFETCH,
	[REQUEST_TEXTURE] = BASE_PACKET_TEXTURE,
};

struct base_packet packet_of(const struct crossbar *crossbar, const struct request *request, uint64_t cycle)
{
	return (struct base_packet){.address = request->address,
	                            .kind = kinds[request->kind],
	                            .is_reply = request->is_reply,
	                            .from_dram = request->is_reply && request->level == LEVEL_DRAM,
	                            .bytes = request_packet_bytes(request),
	                            .flits = crossbar_flits(crossbar, request),
	                            .sm = request->sm,
	                            .slice = request->slice,
	                            .warp = request_warp(request),
	                            .block = request->block,
	                            .pc = request_pc(request),
	                            .sender = request_sender(request),
	                            .cycle = cycle};
}
