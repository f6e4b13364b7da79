/* Rooflines (Williams, Waterman, Patterson: "Roofline: an insightful visual performance model for multicore
 * architectures", CACM 2009): operations per second against operations per byte, under the machine's peaks. Also the
 * bytes on each link. */
#include "limits/limits.h"

#define MEGA 1e6

static double least(double a, double b)
{
	return a < b ? a : b;
}

/* Warp instructions of a class that an SM can start per cycle. */
static double starts_per_cycle(const struct sm_config *sm, uint32_t latency, uint32_t type)
{
	uint32_t pipe = sm->runs_on[latency][type];
	double units, width;
	if (sm->sub_cores) {
		units = width = sm->schedulers;
	} else if (pipe == PIPE_EITHER) {
		units = sm->pipe[PTX_UNIT_SP].units + sm->pipe[PTX_UNIT_SFU].units;
		width = sm->pipe[PTX_UNIT_SP].issue_width + sm->pipe[PTX_UNIT_SFU].issue_width;
	} else {
		const struct pipe_config *of = &sm->pipe[pipe == PIPE_SFU ? PTX_UNIT_SFU : PTX_UNIT_SP];
		units = of->units;
		width = of->issue_width;
	}
	double rate = least(units / sm->initiation[latency][type], width);
	return least(least(rate, sm->schedulers), sm->result_bus);
}

/* The most operations per cycle of an SM: of its fastest class, as a fused multiply-add. */
static double operations_per_cycle(const struct sm_config *sm, uint32_t type)
{
	static const struct {
		uint32_t latency, operations;
	} classes[] = {{PTX_LATENCY_FMA, 2}, {PTX_LATENCY_MAD, 2}, {PTX_LATENCY_ADD, 1}, {PTX_LATENCY_MUL, 1}};
	double most = 0;
	for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
		double rate = starts_per_cycle(sm, classes[i].latency, type) * classes[i].operations * WARP_SIZE;
		most = rate > most ? rate : most;
	}
	return most;
}

static double tensor_operations_per_cycle(const struct sm_config *sm)
{
	double most = 0, operations = 2 * 256;
	for (uint32_t latency = PTX_LATENCY_MMA_256; latency <= PTX_LATENCY_MMA_8K; latency++, operations *= 2)
		for (uint32_t type = 0; type < PTX_DATA_TYPES; type++) {
			double rate = starts_per_cycle(sm, latency, type) * operations;
			most = rate > most ? rate : most;
		}
	return most;
}

/* Bytes per second of L2: of the data ports of all slices, or of the replies' network, whichever is less. */
static double l2_peak(const struct machine *machine)
{
	uint32_t slices = machine->map.channels * machine->map.slices_per_channel;
	uint32_t ports = (machine->sms + machine->cluster.sms - 1) / machine->cluster.sms;
	uint32_t port_bytes = machine->l2.port_bytes ? machine->l2.port_bytes : machine->l2.line_bytes;
	double data = (double)slices * port_bytes * machine->l2_mhz * MEGA;
	double network = least(slices, ports) * machine->network.flit_bytes * machine->network_mhz * MEGA;
	return machine->network.kind == CROSSBAR_LOCAL ? data : least(data, network);
}

void limits_measure_roofline(const struct limits_account *account, struct limits *limits)
{
	const struct machine *machine = &account->machine;
	const struct gpu_stats *stats = &account->stats;
	struct limits_roofline *roofline = &limits->roofline;
	double core = machine->core_mhz * MEGA, per_cycle = machine->sms * core;
	double sector = (double)machine->sm.l1d.line_bytes / machine->sm.l1d.sectors;
	double atoms = (double)(stats->dram.reads + stats->dram.writes);
	roofline->seconds = account->cycles / core;
	roofline->compute[0] = (struct limits_compute){"FP32", (double)stats->sm.fp32_operations,
	                                               operations_per_cycle(&machine->sm, PTX_DATA_FP32) * per_cycle};
	roofline->compute[1] = (struct limits_compute){"FP64", (double)stats->sm.fp64_operations,
	                                               operations_per_cycle(&machine->sm, PTX_DATA_FP64) * per_cycle};
	roofline->compute[2] = (struct limits_compute){"matrix products", (double)stats->sm.tensor_operations,
	                                               tensor_operations_per_cycle(&machine->sm) * per_cycle};
	roofline->memory[LIMITS_LEVEL_L1] =
		(struct limits_memory){"L1", (double)(stats->sm.load_bytes + stats->sm.store_bytes),
	                               machine->sm.l1_banks * sector * per_cycle};
	roofline->memory[LIMITS_LEVEL_L2] = (struct limits_memory){
		"L2", (double)(stats->request_network.bytes + stats->reply_network.bytes), l2_peak(machine)};
	roofline->memory[LIMITS_LEVEL_DRAM] =
		(struct limits_memory){"DRAM", atoms * machine->dram.atom_bytes,
	                               (double)machine->map.channels * machine->dram.atom_bytes /
	                                       machine->dram.burst_cycles * machine->dram_mhz * MEGA};
}

static double rate_of(uint64_t hits, uint64_t accesses)
{
	return accesses ? (double)hits / (double)accesses : -1;
}

static void add_link(struct limits *limits, const char *from, const char *to, double bytes)
{
	limits->link[limits->links++] = (struct limits_link){from, to, bytes};
}

void limits_measure_links(const struct limits_account *account, struct limits *limits)
{
	const struct gpu_stats *stats = &account->stats;
	double atom = account->machine.dram.atom_bytes;
	limits->links = 0;
	add_link(limits, "L1", "warps", (double)stats->sm.load_bytes);
	add_link(limits, "warps", "L1", (double)stats->sm.store_bytes);
	add_link(limits, "warps", "shared memory", (double)stats->sm.shared_lane_bytes);
	add_link(limits, "L2", "L1", (double)stats->reply_network.bytes);
	add_link(limits, "L1", "L2", (double)stats->request_network.bytes);
	add_link(limits, "DRAM", "L2", (double)stats->dram.reads * atom);
	add_link(limits, "L2", "DRAM", (double)stats->dram.writes * atom);
	limits->l1_hits = rate_of(stats->l1d.hits, stats->l1d.accesses);
	limits->l2_hits = rate_of(stats->l2.hits, stats->l2.accesses);
}
