#include "gpu/machine_lists.h"

#include <stdlib.h>

/* Reads the number at *text and skips the comma after it. False: there is none, or nothing follows the comma. */
static bool next_number(const char **text, unsigned long *number)
{
	char *end;
	*number = strtoul(*text, &end, 10);
	if (end == *text || (*end && (*end != ',' || !end[1])))
		return false;
	*text = *end ? end + 1 : end;
	return true;
}

bool machine_read_carve_outs(const struct machine *machine, struct sm_config *sm)
{
	unsigned long kib;
	sm->carve_outs = 0;
	for (const char *at = machine->carve_outs; *at;) {
		uint32_t n = sm->carve_outs;
		if (!next_number(&at, &kib) || n == SM_CARVE_OUTS || kib > 4096 ||
		    (n && sm->carve_out[n - 1] >= kib * 1024))
			return false;
		sm->carve_out[sm->carve_outs++] = (uint32_t)kib * 1024;
	}
	return true;
}

bool machine_read_partitions(struct machine *machine)
{
	unsigned long sms;
	uint32_t end = 0;
	machine->partition_count = 0;
	for (const char *at = machine->partitions; *at;) {
		if (!next_number(&at, &sms) || machine->partition_count == MACHINE_MAX_PARTITIONS || !sms ||
		    sms > MACHINE_MAX_SMS)
			return false;
		machine->partition_end[machine->partition_count++] = end += (uint32_t)sms;
	}
	return true;
}

void machine_check_partitions(const struct machine *machine, struct diag *diag)
{
	struct machine read = *machine;
	bool is_list = machine_read_partitions(&read);
	uint32_t count = read.partition_count, end = count ? read.partition_end[count - 1] : 0;
	if (!is_list)
		diag_plain(diag, "launch.partitions is '%s'; expected at most %d numbers of SMs above 0, with commas",
		           machine->partitions, MACHINE_MAX_PARTITIONS);
	else if (end > machine->sms)
		diag_plain(diag, "launch.partitions are %u SMs; sm.count is %u", end, machine->sms);
	else if (!count && machine->policy == POLICY_PARTITIONS)
		diag_plain(diag, "launch.policy is partitions, but launch.partitions has none");
}
