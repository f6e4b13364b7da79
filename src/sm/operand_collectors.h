/* operand_collectors: an issued instruction takes a collector unit of its pipe and reads its register operands from
 * the banks, one per cycle and bank. With all operands it goes to the execution units. */
#ifndef SLUICE_SM_OPERAND_COLLECTORS_H
#define SLUICE_SM_OPERAND_COLLECTORS_H

#include "ptx/module.h"
#include "sm/limits.h"
#include "sm/op.h"

/* The collector units of one pipe. */
struct collector_set {
	uint64_t all;                /* as a bit mask */
	uint32_t last[SM_MAX_UNITS]; /* by out port: the unit that went last */
};

/* Read numbers per collector unit. A power of two, because the unit is computed from the number for each read. */
enum { COLLECTOR_READS = 32 };
_Static_assert((int)COLLECTOR_READS >= (int)SIMT_MAX_READS, "each read of an instruction has its number");

/* Operands waiting at a register bank, in order, as a list of reads. Read number collector * COLLECTOR_READS + k is
 * the k-th read of that collector unit's instruction. */
struct bank_queue {
	uint16_t first, last; /* valid for banks in `banks_waiting` */
};

struct collectors {
	struct op *op[SM_MAX_COLLECTORS]; /* by collector unit: its instruction */
	struct collector_set set[PTX_UNITS];
	uint64_t free, complete; /* collector units of all pipes, as masks; complete: has all its operands */
	uint32_t units;          /* number of collector units */
	uint8_t modulo[2 * SM_MAX_COLLECTORS]; /* of a number: its remainder modulo `units` */
	uint32_t unread[SM_MAX_COLLECTORS]; /* operands still to be read */
	struct bank_queue bank[SM_MAX_BANKS];
	uint16_t next_read[SM_MAX_COLLECTORS * COLLECTOR_READS]; /* successor of a read in its bank's list */
	uint32_t banks_waiting; /* mask of banks with queued reads */
};

/* The collector unit whose operand the bank reads next. */
static inline uint32_t collectors_oldest_read(const struct collectors *collectors, uint32_t bank)
{
	return collectors->bank[bank].first / COLLECTOR_READS;
}

/* Removes the read from the bank's list. Returns the bank's bit when it was the last one. */
static inline uint32_t collectors_read_next(struct collectors *collectors, uint32_t b)
{
	struct bank_queue *bank = &collectors->bank[b];
	if (bank->first == bank->last)
		return 1u << b;
	bank->first = collectors->next_read[bank->first];
	return 0;
}

struct sm;

/* An instruction of a sub-core takes collector unit `at` and queues its reads at the banks. */
void collectors_take(struct sm *sm, uint32_t at, struct op *op);

void collectors_open(struct sm *sm);

/* Simulates one cycle: complete instructions leave, banks are read, issued instructions take collector units. */
void collectors_tick(struct sm *sm);
/* To be called after all other stages' ticks: true when collectors_tick() has work in the next cycle. */
bool collectors_go_on(const struct sm *sm);
/* Counts `slept` cycles without a tick. */
void collectors_account(struct sm *sm, uint64_t slept);

#endif
