/* register_file: the banks of the register file. A bank serves one operand per cycle, and results go first: a bank
 * that is written in a cycle cannot be read in it (GPGPU-Sim's operand-collector model; tests/sm/test_sm.c: a load
 * waits for its bank). */
#ifndef SLUICE_SM_REGISTER_FILE_H
#define SLUICE_SM_REGISTER_FILE_H

#include "sm/op.h"

struct register_file {
	uint32_t bank_mask; /* mask of bank numbers; the number of banks is a power of two */
	uint32_t written;   /* mask of banks that take results in this cycle */
	/* number of sub-cores, each with its own equal part of the banks; 0: all warps use all banks */
	uint32_t sub_cores;
};

/* `banks` is a power of two, shared by all warps. */
static inline void register_file_open(struct register_file *file, uint32_t banks)
{
	file->bank_mask = banks - 1;
}

/* Divides the banks: each of `sub_cores` sub-cores has `banks` banks. */
static inline void register_file_divide(struct register_file *file, uint32_t sub_cores, uint32_t banks)
{
	file->sub_cores = sub_cores;
	file->bank_mask = banks - 1;
}

/* The first bank that the warp may use. */
static inline uint32_t register_first_bank(const struct register_file *file, uint32_t warp)
{
	return warp % file->sub_cores * (file->bank_mask + 1);
}

/* Register r of warp w lies in bank (r + w) mod banks, so that warps at the same instruction use different banks. As
 * in GPGPU-Sim, r is the number in the register's PTX name. */
static inline uint32_t register_bank(const struct register_file *file, uint32_t number, uint32_t warp)
{
	return (number + warp) & file->bank_mask;
}

/* Mask of the banks of an instruction's results. */
static inline uint32_t register_result_banks(const struct register_file *file, const struct op *op)
{
	const struct simt_inst *inst = op->inst;
	uint32_t writes = inst->bank_writes;
	if (!writes)
		return 0;
	uint32_t banks = 1u << register_bank(file, inst->bank_write[0], op->warp);
	for (uint32_t i = 1; i < writes; i++)
		banks |= 1u << register_bank(file, inst->bank_write[i], op->warp);
	if (UNLIKELY(file->sub_cores))
		banks <<= register_first_bank(file, op->warp);
	return banks;
}

/* A cycle begins: no result has been written in it. */
static inline void register_file_new_cycle(struct register_file *file)
{
	file->written = 0;
}

static inline bool register_file_takes(const struct register_file *file, uint32_t banks)
{
	return !(banks & file->written);
}

/* Those of the banks that can be read in this cycle. */
static inline uint32_t register_file_readable(const struct register_file *file, uint32_t banks)
{
	return banks & ~file->written;
}

static inline void register_file_write(struct register_file *file, uint32_t banks)
{
	file->written |= banks;
}

#endif
