#include "memory/packet.h"

static const uint8_t kinds[REQUEST_KINDS] = {
	[REQUEST_READ] = PACKET_LOAD,
	[REQUEST_WRITE] = PACKET_STORE,
	[REQUEST_ATOMIC] = PACKET_ATOMIC,
	[REQUEST_LOCAL_READ] = PACKET_LOCAL_LOAD,
	[REQUEST_LOCAL_WRITE] = PACKET_LOCAL_STORE,
	[REQUEST_INSTRUCTION] = PACKET_INSTRUCTION,
	[REQUEST_CONSTANT] = PACKET_CONSTANT,
	[REQUEST_L1_WRITEBACK] = PACKET_WRITEBACK,
	[REQUEST_L1_FILL] = PACKET_FILL,
	[REQUEST_L2_PREFETCH] = PACKET_L2_PREFETCH,
	[REQUEST_TEXTURE] = PACKET_TEXTURE,
};

struct packet packet_of(const struct crossbar *crossbar, const struct request *request, uint64_t cycle)
{
	return (struct packet){.address = request->address,
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
