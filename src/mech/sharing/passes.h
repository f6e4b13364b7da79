/* passes: the two compiler passes of scratchpad sharing (Jatala, Anantpur and Karkare, "Scratchpad Sharing in GPUs", section 6).
 *
 * Of the two blocks of a pair each has the first t * Rtb bytes of its shared memory to itself; the rest, from there on, is the
 * pair's common part (section 3). Rtb: bytes of a block, dynamic ones included.
 */
#ifndef SLUICE_MECH_SHARING_PASSES_H
#define SLUICE_MECH_SHARING_PASSES_H

#include "flow/pass.h"

/* scratchpad-layout (section 6.1): puts those variables below the boundary without which the common part is in use for the
 * fewest instructions. Where nothing is gained the order stays. */
extern const struct pass sharing_pass_layout;
/* relssp (section 6.3): `relssp` once on every way through a kernel, behind its last access to the common part. */
extern const struct pass sharing_pass_relssp;

/* How many bytes at the begin of its shared memory a block has to itself: the whole ones of t * bytes. */
uint64_t sharing_own_bytes(double t, uint64_t bytes);

#endif
