/* address_map: maps a device address to its channel, L2 slice, bank and row.
 *
 *     piece   = address / interleave            (256 bytes on `gtx480`)
 *     channel = piece % channels
 *     packed  = (piece / channels) * interleave + address % interleave
 *
 * The packed address has these fields, from its low end (GPGPU-Sim's RRRRRRRRRRRR.BBB CCCC B CC SSSSSS): a 256-byte
 * piece of a row, the lowest bank bits, more columns, the other bank bits, the row. The lowest bank bits also select
 * the slice (GPGPU-Sim: linear_to_raw_address_translation::addrdec_tlx(), with the mapping of configs/GTX480).
 *
 * With `columns_lowest` all bank bits lie above the columns (GPGPU-Sim 3.2.1's RRRR.BBBB CCCC CC SSSSSS).
 *
 * With `slices_inside` the highest bits of the interleave select the slice instead, so that the slices of a channel
 * alternate within it. With SLICE_HASH_POLYNOMIAL a polynomial hash of channel, slice and all higher bits selects
 * the machine's slice. Bank, row and column do not change (GPGPU-Sim 4.2.0: gpgpu_memory_partition_indexing 2). With
 * channels that are no power of two, the hash is that of the next power, and the slice its result modulo the slices.
 *
 * With SLICE_HASH_RANDOM a mixing function of the address selects the slice. All bytes of a piece that the fields
 * above give to one slice stay together. (gpgpu_memory_partition_indexing 4 draws the slice at the first access.)
 *
 * The row's low bits may be combined with the bank by exclusive or, or by a polynomial (GPGPU-Sim 4.2.0:
 * dram_bnk_indexing_policy).
 */
#ifndef SLUICE_MEMORY_ADDRESS_MAP_H
#define SLUICE_MEMORY_ADDRESS_MAP_H

#include "memory/polynomial_hash.h"
#include "memory/request.h"

enum slice_hash { SLICE_HASH_NONE, SLICE_HASH_POLYNOMIAL, SLICE_HASH_RANDOM };
enum bank_hash { BANK_HASH_NONE, BANK_HASH_XOR, BANK_HASH_POLYNOMIAL };

struct address_map {
	uint32_t channels, slices_per_channel; /* slices: a power of two */
	uint32_t interleave_bits;              /* log2 of the bytes that stay together */
	uint32_t banks;                        /* a power of two */
	uint32_t column_bits;                  /* columns between the low and the high bank bits, or below both */
	bool columns_lowest; /* all bank bits lie above the columns; without slices_inside */
	bool slices_inside;
	uint32_t slice_hash; /* enum slice_hash */
	uint32_t bank_hash;  /* enum bank_hash */
	/* derived by address_map_open() */
	uint32_t slice_bits, bank_bits, low_bank_bits;
	uint32_t columns_below, columns_between; /* column bits below the low bank bits, and above them */
	uint32_t inside_bits, low_bits; /* parts of the interleave: the bits that select the slice, and those below */
	struct polynomial_hash hash; /* over all slices, or the next power of two; 0 bits: no hash */
	uint32_t hash_shift;         /* bits of the address above the interleave that the hash leaves out */
	struct polynomial_hash bank_polynomial; /* 0 bits: none */
};

void address_map_open(struct address_map *map);

/* The number of places of the polynomial hash: the slices, or those of the next power of two of channels. */
uint32_t address_map_hash_places(const struct address_map *map);

/* Fills in the request's slice, slice_address, bank and row. */
void address_map_place(const struct address_map *map, struct request *request);

#endif
