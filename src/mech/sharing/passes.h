/* passes: the two compiler passes of scratchpad sharing (Jatala, Anantpur and Karkare, "Scratchpad Sharing in GPUs",
 * section 6).
 *
 * In each block of a pair, the first t * Rtb bytes of shared memory are private. The rest is the pair's common part
 * (section 3). Rtb: bytes of a block, including dynamic memory. */
#ifndef SLUICE_MECH_SHARING_PASSES_H
#define SLUICE_MECH_SHARING_PASSES_H

#include "flow/pass.h"

/* scratchpad-layout (section 6.1): moves those variables below the boundary that minimize the number of instructions
 * during which the common part is in use. Keeps the order if that gains nothing. */
extern const struct flow_pass sharing_pass_layout;
/* relssp (section 6.3): inserts `relssp` once on every path through a kernel, after its last access to the common
 * part. */
extern const struct flow_pass sharing_pass_relssp;

/* Returns the number of private bytes at the begin of a block's shared memory: t * bytes, rounded down. */
uint64_t sharing_own_bytes(double t, uint64_t bytes);

#endif
