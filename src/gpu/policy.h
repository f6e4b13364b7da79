/* policy: which of the running kernels may start a block on an SM (launch.policy). A mechanism may choose instead
 * (MECH_POLICY_KERNEL).
 *
 *   leftover    the first kernel by priority and start; the next one gets the space that is left when all its blocks
 *               are placed
 *   even        SMs are divided evenly among the running kernels, again when one starts or ends
 *   partitions  fixed groups of SMs; stream N uses group N modulo their number
 *   shares      each SM is divided: a kernel's share is the largest part of the SM's registers, shared memory, warps
 *               and block slots that its blocks there use. The kernel with the smallest share goes first
 *
 * No block is interrupted. A kernel gets an SM, or a share of it, as other kernels' blocks there end (draining). */
#ifndef SLUICE_GPU_POLICY_H
#define SLUICE_GPU_POLICY_H

#include "gpu/dispatch.h"

/* The number of SMs that a kernel of this stream can use when no other runs. */
uint32_t policy_sms(const struct machine *machine, uint64_t stream);
/* True when the kernel at this place may start blocks on the SM, if there is space. */
bool policy_allows(const struct dispatch *dispatch, const struct gpu *gpu, uint32_t place, uint32_t sm);
/* The place of the kernel that starts the SM's next block, up to this cycle; SM_MAX_KERNELS: none may. */
uint32_t policy_pick(const struct dispatch *dispatch, const struct gpu *gpu, uint32_t sm, uint64_t cycle);
/* As policy_pick(), by the mechanism that owns the choice. It is not asked when the SM has no space. *refused: it was
 * asked, and the SM starts no block. */
uint32_t policy_ask(const struct dispatch *dispatch, const struct gpu *gpu, uint32_t sm, uint64_t cycle, bool *refused);

#endif
