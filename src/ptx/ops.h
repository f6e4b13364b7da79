/* ops: one row per PTX opcode, and one per form of it. The lexer, parser, checker, printer, decoder, units and tests
 * all read this table.
 *
 * OP(id, name, modifiers, unit, latency)
 *    id         PTX_OP_<id>
 *    name       the word before the first dot
 *    modifiers  the groups that contain its suffixes (enum modifier in ptx/parse.h), which define their meaning
 *    unit       the pipe that runs it: always MEM for memory; otherwise a machine's runs_on table selects SP or SFU
 *    latency    latency class: the row of the machine's latency table, per type
 *
 * FORM(id, types, types2, suffixes, operands), of the opcode above it. An instruction must match one of its forms.
 *    types      the set of types that may be written (TYPES_... in ptx/parse.h)
 *    types2     the set for the second type, if there is one
 *    suffixes   the suffixes other than types, without dots: one word of each group; of a group ending in '?' at most
 *               one
 *    operands   one letter per operand, in PTX order; '>' separates destinations (left) from sources (right):
 *                 t  a register of the instruction's type, or a constant that fits it
 *                 s  like t, for the second type written (source of cvt and set, coordinate type of tex)
 *                 w  like t, but with .wide twice the width of the type
 *                 u  32 bits unsigned or untyped (shift counts, positions, lane numbers)
 *                 i  a 32-bit constant
 *                 n  like u, or like t: the lanes that match found, which compilers also write with 64 bits
 *                 p  a predicate register or its negation
 *                 N  like u, a number of bytes, or like p: no bytes if true
 *                 q  an optional second predicate destination, written a|b; Q a mandatory one
 *                 a  a register with a generic address
 *                 j  like u, an address in shared memory
 *                 v  like t, or the address of a variable of the space that the suffix names
 *                 m  an address: [register+constant], [symbol+constant], [constant]
 *                 k  like m, in the source space of a copy
 *                 b  like m, the address of an mbarrier
 *                 y  a tensor with 32-bit coordinates: [address of its map, {..}]
 *                 o  a mask of a cluster's blocks: 16 bits
 *                 h  a cache policy: 64 bits
 *                 V  like u, of which a selector may take parts: %r1.b0, %r1.h10
 *                 x  a texture or surface reference with its coordinates, and optionally a sampler: [name, {..}],
 *                    [name, sampler, {..}]
 *                 c  a single-precision value
 *                 g  a single-precision value, or a vector of them: a derivative
 *                 l  a label
 *                 f  a function (call): (results), name, (arguments), with an optional prototype
 *                 T  like t, or a vector {a,b[,c,d ..]} of it, with .v2, .v4 or .v8
 *                 r  a register of the instruction's type; R a register or a vector of its parts, for types without
 *                    constants
 *                 D  a fragment of the matrix D: a vector of a thread's registers (ptx/matrix.h); A, B, C likewise
 *                 S  like T, or a special register, or the address of a variable or function
 *               a '?' after a letter: the operand is optional
 */
#ifndef OP
#define OP(...)
#endif
#ifndef FORM
#define FORM(...)
#endif

#define ROUNDINGS  "rn|rz|rm|rp"
#define ORDERS     "eq|ne|lt|le|gt|ge"
#define UNSIGNEDS  ORDERS "|lo|ls|hi|hs"
#define UNORDEREDS ORDERS "|equ|neu|ltu|leu|gtu|geu|num|nan"
#define BOOLS      "and|or|xor"
#define SPACES     "const|global|local|param|param::entry|shared|shared::cta|shared::cluster"
#define SCOPES     "cta|cluster|gpu|sys"
#define MEMORIES   "global|shared|shared::cta|shared::cluster?"
#define WINDOW     "shared::cluster?"
#define ATOMICS    "relaxed|acquire|release|acq_rel? " SCOPES "? " MEMORIES " "
#define VECTORS    "relaxed|acquire|release|acq_rel? " SCOPES "? global? "
#define REDUCTIONS "relaxed|release? " SCOPES "? " MEMORIES " "
#define RED_VECTORS "relaxed|release? " SCOPES "? global? "
#define L1_HINTS   " L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|L1::no_allocate? "
#define PREFETCHES " L2::64B|L2::128B|L2::256B? "
#define WIDE_HINTS L1_HINTS "L2::evict_normal|L2::evict_first|L2::evict_last? "
#define HINTS      L1_HINTS PREFETCHES "v2|v4?"
#define POLICY     L1_HINTS "L2::cache_hint" PREFETCHES "v2|v4?"
#define L2_HINTS   WIDE_HINTS PREFETCHES
#define L2_POLICY  WIDE_HINTS "L2::cache_hint" PREFETCHES
#define TEXTURES   "1d|2d|3d|a1d|a2d|cube|acube"
#define SURFACES   "1d|2d|3d|a1d|a2d "
#define PLAIN      "1d|2d|3d "
#define QUERIES    "width|height|depth|channel_data_type|channel_order|array_size"
#define SAMPLINGS  "|filter_mode|addr_mode_0|addr_mode_1|addr_mode_2|force_unnormalized_coords"
#define COPIES     "ca|cg shared|shared::cta global L2::64B|L2::128B|L2::256B? "
#define OWN_SHARED "shared::cta|shared::cluster"
#define RANKS      "1d|2d|3d|4d|5d "
#define OUTSIDES   " v2|v4? clamp|zero|trap"

/* The rows are in the order of enum ptx_opcode. Some code relies on opcodes of one kind being consecutive. */
#include "ptx/ops_compute.h"
#include "ptx/ops_move.h"
#include "ptx/ops_memory.h"
#include "ptx/ops_bulk.h"
#include "ptx/ops_control.h"

#undef ROUNDINGS
#undef ORDERS
#undef UNSIGNEDS
#undef UNORDEREDS
#undef BOOLS
#undef SPACES
#undef SCOPES
#undef MEMORIES
#undef WINDOW
#undef ATOMICS
#undef VECTORS
#undef REDUCTIONS
#undef RED_VECTORS
#undef L1_HINTS
#undef PREFETCHES
#undef WIDE_HINTS
#undef L2_HINTS
#undef L2_POLICY
#undef HINTS
#undef POLICY
#undef TEXTURES
#undef SURFACES
#undef PLAIN
#undef QUERIES
#undef SAMPLINGS
#undef COPIES
#undef OWN_SHARED
#undef RANKS
#undef OUTSIDES
#undef OP
#undef FORM
