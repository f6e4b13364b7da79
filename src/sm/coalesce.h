/* coalesce: from 32 lane addresses to memory transactions. */
#ifndef SLUICE_SM_COALESCE_H
#define SLUICE_SM_COALESCE_H

#include "sm/op.h"

/* Global loads and stores: one transaction for each distinct segment of the warp (32 bytes for 1-byte data, 64
 * for 2-byte, else 128; never more than `most`, a sector of L1, so that each is looked up alone), halved to 64 and to 32 bytes
 * while one half is unused: the rule of compute capability 1.2 and 1.3 in the CUDA C Programming Guide, by which GPGPU-Sim 3.2.2
 * coalesces for all (tests/micro/coalescing.cu). Fills op->access in rising order. */
void coalesce_global(struct op *op, const uint64_t *address, uint32_t lanes, uint32_t size, uint32_t most);

/* Local loads and stores, by the same rule. `address` is where a lane's first word lies; where `size` is more than a word the
 * others follow `pitch` bytes apart, which is a multiple of 128. */
void coalesce_local(struct op *op, const uint64_t *address, uint32_t lanes, uint32_t size, uint64_t pitch,
                    uint32_t most);

/* Atomics: pieces of `piece` bytes, a lane that meets an earlier lane's address in a piece of its own (GPGPU-Sim's, with the
 * piece as measured there: docs/explanation/deviations.md, 2; tests/micro/atomics.cu). */
void coalesce_atomic(struct op *op, const uint64_t *address, uint32_t lanes, uint32_t piece);

/* Constant memory: one transaction for each distinct sector of its cache, which is a line where it has no smaller ones. */
void coalesce_constant(struct op *op, const uint64_t *address, uint32_t lanes, uint32_t sector_bytes);

/* Textures: one transaction for each distinct line of the texture cache, of all texels that a lane reads: with a linear filter
 * the whole cell (ours: GPGPU-Sim has one texel a lane, whatever the filter). `texels` is by lane. */
struct texels;
void coalesce_texture(struct op *op, const struct texels *texels, uint32_t lanes, uint32_t line_bytes);

#endif
