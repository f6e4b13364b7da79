/* packet: describes a request or a reply as a crossbar packet, for observers of packets that enter and leave. */
#ifndef SLUICE_MEMORY_PACKET_H
#define SLUICE_MEMORY_PACKET_H

#include "memory/crossbar.h"

struct base_packet packet_of(const struct crossbar *crossbar, const struct request *request, uint64_t cycle);

#endif
