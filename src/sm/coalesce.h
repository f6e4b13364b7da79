/* coalesce: converts 32 lane addresses to memory transactions. */
#ifndef SLUICE_SM_COALESCE_H
#define SLUICE_SM_COALESCE_H

#include "sm/op.h"

/* Global loads and stores. Makes one transaction for each distinct segment of the warp: 32 bytes for 1-byte data, 64
 * for 2-byte data, else 128. A segment is never larger than `most`, a sector of L1, so that each is looked up
 * separately. A segment is halved to 64 and to 32 bytes while one half is unused. This is the rule of compute
 * capability 1.2 and 1.3 in the CUDA C Programming Guide, which GPGPU-Sim 3.2.2 uses for all
 * (tests/micro/coalescing.cu). Fills op->access in ascending order. */
void coalesce_global(struct op *op, const uint64_t *address, uint32_t lanes, uint32_t size, uint32_t most);
/* Returns the bytes of a segment for data of `size` bytes per lane. */
uint32_t coalesce_segment(uint32_t size, uint32_t most);

/* Local loads and stores, by the same rule. `address` is the address of each lane's first word. If `size` is more
 * than a word, the other words follow `pitch` bytes apart; `pitch` is a multiple of 128. */
void coalesce_local(struct op *op, const uint64_t *address, uint32_t lanes, uint32_t size, uint64_t pitch,
                    uint32_t most);

/* Atomics: makes pieces of `piece` bytes. A lane with the same address as an earlier lane goes into a separate
 * piece. The rule is GPGPU-Sim's, with the piece size measured there (docs/explanation/deviations.md, 2;
 * tests/micro/atomics.cu). */
void coalesce_atomic(struct op *op, const uint64_t *address, uint32_t lanes, uint32_t piece);

/* Constant memory: makes one transaction for each distinct sector of its cache. Without sectors this is a line. */
void coalesce_constant(struct op *op, const uint64_t *address, uint32_t lanes, uint32_t sector_bytes);

/* Textures: makes one transaction for each distinct line of the texture cache, over all texels that a lane reads.
 * With a linear filter this is the whole cell. (This is our choice: GPGPU-Sim reads one texel per lane for any
 * filter.) `texels` is indexed by lane. */
struct texels;
void coalesce_texture(struct op *op, const struct texels *texels, uint32_t lanes, uint32_t line_bytes);

#endif
