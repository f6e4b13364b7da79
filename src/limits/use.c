/* The use of each unit: what it did, against the most that it can do in the kernel's time. Counts of cycles in which a
 * unit was busy are exact. Counts of transfers are compared with the rate of the modeled hardware: one look-up per bank
 * of L1 and per L2 slice and cycle, one flit per channel of a network and cycle. */
#include "limits/limits.h"

static struct limits_use use_of(const char *name, const char *what, double count, double peak)
{
	double used = peak > 0 ? count / peak : 0;
	return (struct limits_use){name, what, count, peak, used < 1 ? used : 1};
}

/* Execution units of an SM that run a pipe's instructions. */
static double units_of(const struct machine *machine, uint32_t pipe)
{
	if (machine->sm.sub_cores)
		return machine->sm.schedulers;
	return pipe < PTX_UNITS ? machine->sm.pipe[pipe].units : 0;
}

static void measure_pipes(const struct limits_account *account, struct limits_use *use, double sm_cycles)
{
	static const char busy[] = "cycles of its units that an instruction occupied";
	const struct machine *machine = &account->machine;
	const struct sm_stats *sm = &account->stats.sm;
	use[LIMITS_SP] = use_of("SP pipes", busy, (double)sm->sp_busy, sm_cycles * units_of(machine, SM_PIPE_SP));
	use[LIMITS_SFU] = use_of("SFU pipes", busy, (double)sm->sfu_busy, sm_cycles * units_of(machine, SM_PIPE_SFU));
	if (!machine->sm.sub_cores)
		return;
	use[LIMITS_INT] = use_of("INT pipes", busy, (double)sm->int_busy, sm_cycles * units_of(machine, SM_PIPE_INT));
	use[LIMITS_DP] = use_of("FP64 pipes", busy, (double)sm->dp_busy, sm_cycles * units_of(machine, SM_PIPE_DP));
	use[LIMITS_TENSOR] =
		use_of("tensor pipes", busy, (double)sm->tensor_busy, sm_cycles * units_of(machine, SM_PIPE_TENSOR));
}

/* A packet needs a channel at both ends of a network, so the fewer channels limit it. A network of whole packets has
 * no such limit at its inputs (memory/crossbar_local.c). */
static double channels(const struct machine *machine, uint32_t inputs, uint32_t outputs)
{
	return machine->network.kind == CROSSBAR_LOCAL || outputs < inputs ? outputs : inputs;
}

static void measure_memory(const struct limits_account *account, struct limits_use *use)
{
	const struct machine *machine = &account->machine;
	const struct gpu_stats *stats = &account->stats;
	uint32_t ports = (machine->sms + machine->cluster.sms - 1) / machine->cluster.sms;
	uint32_t slices = machine->map.channels * machine->map.slices_per_channel;
	double network = account->cycles * machine->network_mhz / machine->core_mhz;
	double l2 = account->cycles * machine->l2_mhz / machine->core_mhz * slices;
	use[LIMITS_REQUESTS] = use_of("request network", "flits", (double)stats->request_network.flits,
	                              network * channels(machine, ports, slices));
	use[LIMITS_REPLIES] = use_of("reply network", "flits", (double)stats->reply_network.flits,
	                             network * channels(machine, slices, ports));
	/* A look-up takes a cycle of the slice. A hit holds the data port for its bytes: longer, if they are more than
	 * the port's. Fills have another port. */
	bool by_port = stats->l2.data_port_cycles > stats->l2.accesses;
	use[LIMITS_L2] = use_of("L2 slices", by_port ? "cycles of the data ports" : "look-ups",
	                        (double)(by_port ? stats->l2.data_port_cycles : stats->l2.accesses), l2);
	use[LIMITS_DRAM] = use_of("DRAM", "cycles of the pins with data", (double)stats->dram.data_cycles,
	                          (double)stats->dram.cycles);
}

void limits_measure_use(const struct limits_account *account, struct limits *limits)
{
	const struct machine *machine = &account->machine;
	const struct sm_stats *sm = &account->stats.sm;
	struct limits_use *use = limits->use;
	double sm_cycles = account->cycles * machine->sms;
	use[LIMITS_ISSUE] = use_of("issue slots", "slots with an issue", (double)sm->stack_issued,
	                           sm_cycles * machine->sm.schedulers);
	measure_pipes(account, use, sm_cycles);
	use[LIMITS_SHARED] = use_of("shared memory", "cycles of its port", (double)sm->shared_busy, sm_cycles);
	use[LIMITS_L1] =
		use_of("L1", "look-ups", (double)account->stats.l1d.accesses, sm_cycles * machine->sm.l1_banks);
	measure_memory(account, use);
	limits->busiest = LIMITS_ISSUE;
	for (enum limits_unit unit = 0; unit < LIMITS_UNITS; unit++)
		if (use[unit].name && use[unit].used > use[limits->busiest].used)
			limits->busiest = unit;
	/* an instruction is in the load/store unit in the cycle in which it ends and in those in which it cannot */
	double occupied = (double)(sm->lsu_stall_cycles + sm->mem_instructions) / sm_cycles;
	limits->load_store_occupied = occupied < 1 ? occupied : 1;
}

const char *limits_occupancy_name(enum occupancy_limit limit)
{
	static const char *const names[LIMITS] = {[LIMIT_THREADS] = "warp slots",
	                                          [LIMIT_REGISTERS] = "registers",
	                                          [LIMIT_SHARED] = "shared memory",
	                                          [LIMIT_BLOCK_SLOTS] = "block slots"};
	return names[limit];
}

void limits_measure_occupancy(const struct limits_account *account, struct limits *limits)
{
	const struct machine *machine = &account->machine;
	const struct sm_stats *sm = &account->stats.sm;
	struct limits_occupancy *occupancy = &limits->occupancy;
	occupancy->slots = machine->sm.warps;
	if (sm->active_cycles)
		occupancy->achieved = (double)sm->resident_warp_cycles / (double)sm->active_cycles / occupancy->slots;
	occupancy->is_known = account->is_launch && account->block_threads && account->blocks_per_sm;
	if (!occupancy->is_known)
		return;
	occupancy->fits = occupancy_of(machine, account->block_threads, account->registers, account->shared_bytes);
	occupancy->theoretical = occupancy->fits.warps / occupancy->slots;
	occupancy->blocks_per_sm = account->blocks_per_sm;
	occupancy->waves = account->blocks / ((double)account->blocks_per_sm * machine->sms);
}
