/* account: the accounts of mechanisms' requests. It counts the outcome of each request and its times. */
#include "seam/private.h"

struct seam_counted seam_counted(struct seam_account *account, const struct seam *seam, uint32_t number, uint32_t pc)
{
	bool known = account->by_pc && pc < seam_kernel_of(seam, number)->launch.instructions;
	return (struct seam_counted){&account->all, known ? &account->by_pc[pc] : NULL};
}

static void count_outcome(const struct seam_counted *to, enum base_prefetch_outcome outcome)
{
	switch (outcome) {
	case BASE_PREFETCH_USEFUL:
		SEAM_COUNT(*to, useful);
		break;
	case BASE_PREFETCH_LATE:
		SEAM_COUNT(*to, late);
		break;
	case BASE_PREFETCH_EARLY_EVICTED:
		SEAM_COUNT(*to, early_evicted);
		break;
	default:
		SEAM_COUNT(*to, redundant);
	}
}

/* Enters a value into the overall histogram, and adds it to the sum of its load. */
static void observe(const struct seam_counted *to, struct output *output, enum output_request_vector vector,
                    uint64_t cycles)
{
	output_observe_request(output, vector, cycles);
	if (to->load)
		to->load->sum[vector] += cycles;
}

/* Counts an outcome. `accounts` and `outputs` are those of an SM or a partition, by mechanism. */
static void settle(struct seam_account *accounts, struct output *outputs, enum base_prefetch_outcome outcome,
                   const struct base_prefetch *prefetch, uint64_t cycle)
{
	uint32_t number = prefetch->sender - 1;
	struct output *output = &outputs[number];
	const struct seam_counted to = seam_counted(&accounts[number], output->seam, number, prefetch->pc);
	count_outcome(&to, outcome);
	if (outcome == BASE_PREFETCH_USEFUL || outcome == BASE_PREFETCH_LATE)
		observe(&to, output, OUTPUT_prefetch_distance, cycle - prefetch->sent);
}

/* The same when the data of a late request have arrived. */
static void came_late(struct seam_account *accounts, struct output *outputs, const struct base_prefetch *prefetch)
{
	uint32_t number = prefetch->sender - 1;
	struct output *output = &outputs[number];
	const struct seam_counted to = seam_counted(&accounts[number], output->seam, number, prefetch->pc);
	observe(&to, output, OUTPUT_late_wait, prefetch->came - prefetch->wanted);
}

static struct mech_outcome outcome_of(enum base_prefetch_outcome outcome, const struct base_prefetch *prefetch,
                                      uint64_t cycle)
{
	return (struct mech_outcome){.address = prefetch->address,
	                             .tag = prefetch->tag,
	                             .pc = prefetch->pc,
	                             .outcome = outcome,
	                             .sent = prefetch->sent,
	                             .came = prefetch->came,
	                             .cycle = cycle};
}

/* Calls on_outcome. This may happen while another hook of the SM runs. */
static void tell_mechanism(struct seam_sm *sm, struct mech_sm *part, const struct mech_outcome *outcome)
{
	const char *outer = sm->hook;
	sm->hook = "on_outcome";
	sm->in_outcome = true;
	part->mech->on_outcome(part, outcome);
	sm->in_outcome = false;
	seam_ran(part);
	sm->hook = outer;
}

void seam_settle(void *user, enum base_prefetch_outcome outcome, const struct base_prefetch *prefetch)
{
	struct seam_sm *sm = user;
	struct mech_sm *part = &sm->part[prefetch->sender - 1];
	settle(sm->account, sm->output, outcome, prefetch, sm->clock);
	if (!part->mech->on_outcome)
		return;
	const struct mech_outcome told = outcome_of(outcome, prefetch, sm->clock);
	tell_mechanism(sm, part, &told);
}

void seam_came_late(void *user, const struct base_prefetch *prefetch)
{
	struct seam_sm *sm = user;
	came_late(sm->account, sm->output, prefetch);
}

struct base_prefetch_listener seam_listener(struct seam_sm *sm)
{
	return (struct base_prefetch_listener){
		.user = sm, .clock = &sm->clock, .outcome = seam_settle, .came_late = seam_came_late};
}

/* --- in L2 --- */

static void settle_in_l2(void *user, enum base_prefetch_outcome outcome, const struct base_prefetch *prefetch)
{
	struct seam_partition *partition = user;
	struct mech_partition *part = &partition->part[prefetch->sender - 1];
	uint64_t cycle = *partition->seam->clock_of_partitions;
	settle(partition->account, partition->output, outcome, prefetch, cycle);
	if (!part->mech->partition_outcome)
		return;
	const struct mech_outcome told = outcome_of(outcome, prefetch, cycle);
	partition->hook = "partition_outcome";
	part->mech->partition_outcome(part, &told);
}

static void came_late_to_l2(void *user, const struct base_prefetch *prefetch)
{
	struct seam_partition *partition = user;
	came_late(partition->account, partition->output, prefetch);
}

struct base_prefetch_listener seam_listener_of_l2(struct seam_partition *partition)
{
	return (struct base_prefetch_listener){.user = partition,
	                                       .clock = partition->seam->clock_of_partitions,
	                                       .outcome = settle_in_l2,
	                                       .came_late = came_late_to_l2};
}

/* --- a kernel that is cut short --- */

/* Requests that were issued and have no outcome yet, by this account. It may be one of several, and accounts of L2
 * contain only outcomes, so a single difference may wrap. */
static uint64_t on_the_way(const struct mech_requests *account)
{
	return account->issued - account->useful - account->late - account->early_evicted - account->redundant;
}

static void settle_rest(struct seam *seam, uint32_t number, uint32_t pc)
{
	uint64_t rest = 0; /* sum of unsigned differences; single ones may wrap, the sum does not */
	for (uint32_t s = 0; s < seam->machine.sms; s++)
		rest += on_the_way(&seam->sm[s].account[number].by_pc[pc].requests);
	for (uint32_t p = 0; p < seam->machine.partitions; p++)
		rest += on_the_way(&seam->partition[p].account[number].by_pc[pc].requests);
	seam->sm[0].account[number].by_pc[pc].requests.redundant += rest;
}

void seam_account_unfinished(struct seam *seam, uint32_t kernel)
{
	for (uint32_t number = 0; number < seam->parts; number++) {
		if (seam->kernel_of[number] != kernel || !seam_attached_of(seam, number)->mech->sends)
			continue;
		const struct mech_requests sum = seam_account_of(seam, number);
		seam->sm[0].account[number].all.redundant += on_the_way(&sum);
		for (uint32_t pc = 0; kernel != SEAM_ALL && pc < seam->kernel[kernel].launch.instructions; pc++)
			settle_rest(seam, number, pc);
	}
}
