/* ops: one row per PTX opcode, and one per form that it has. The lexer, parser, checker, printer, decoder, units and tests all
 * read this table.
 *
 * OP(id, name, modifiers, unit, latency)
 *   id         PTX_OP_<id>
 *   name       the word before the first dot
 *   modifiers  the groups from which its suffixes come (enum modifier in ptx/parse.h): what a word stands for
 *   unit       which pipe runs it, MEM always; a machine's runs_on table decides between SP and SFU for what computes
 *   latency    latency class: which row of the machine's latency table, per type
 *
 * FORM(id, types, types2, suffixes, operands), of the opcode above it: an instruction must have one of them
 *   types      the types that may be written, by set (TYPES_... in ptx/parse.h)
 *   types2     the same of the second type, where there is one
 *   suffixes   besides the types, without their dots: of each group of words one, where it ends in '?' at most one
 *   operands   one letter an operand, in PTX order; '>' separates destinations (left) from sources (right):
 *                t  a register of the instruction's type, or a constant that fits it
 *                s  the same of the second type written (cvt's and set's source, tex's coordinate type)
 *                w  like t, but with .wide of twice the width of the type
 *                u  32 bits unsigned or untyped (shift counts, positions, lane numbers)
 *                i  a constant of 32 bits
 *                n  like u, or like t: the lanes that match found, which compilers also write with 64 bits
 *                p  a predicate register or its negation
 *                N  like u, a number of bytes, or like p: whether there are none
 *                q  an optional second predicate destination, written a|b; Q one that must be there
 *                a  a register with a generic address
 *                j  like u, an address in shared memory
 *                v  like t, or the address of a variable of the space that the suffix names
 *                m  an address: [register+constant], [symbol+constant], [constant]
 *                k  the same, in the space that a copy reads
 *                b  the same, of an mbarrier
 *                y  a tensor with coordinates of 32 bits: [address of its map, {..}]
 *                o  a mask of a cluster's blocks: 16 bits
 *                h  a cache policy: 64 bits
 *                V  like u, of which a selector may take parts: %r1.b0, %r1.h10
 *                x  a texture or surface reference with its coordinates: [name, {..}], perhaps with a sampler: [name, sampler, {..}]
 *                c  a value of single precision
 *                g  such a value, or a vector of them: a derivative
 *                l  a label
 *                f  a function (call): (results), name, (arguments), with an optional prototype
 *                T  like t, or a vector {a,b[,c,d ..]} of it, as .v2, .v4 or .v8 say
 *                r  a register of the instruction's type; R one, or a vector of its parts: what there are no constants of
 *                D  a fragment of the matrix D: a vector of as many registers as a thread has of it (ptx/matrix.h); A, B, C of theirs
 *                S  like T, or a special register, or the address of a variable or function
 *              a '?' behind a letter: the operand may be left out
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
#define WINDOW     "shared|shared::cluster?"
#define ATOMICS    "relaxed|acquire|release|acq_rel? " SCOPES "? " MEMORIES " "
#define VECTORS    "relaxed|acquire|release|acq_rel? " SCOPES "? global? "
#define L1_HINTS   " L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|L1::no_allocate? "
#define L2_HINTS   L1_HINTS "L2::evict_normal|L2::evict_first|L2::evict_last? L2::64B|L2::128B|L2::256B? "
#define L2_POLICY  L1_HINTS "L2::cache_hint L2::64B|L2::128B|L2::256B? "
#define HINTS      L2_HINTS "v2|v4?"
#define POLICY     L2_POLICY "v2|v4?"
#define TEXTURES   "1d|2d|3d|a1d|a2d|cube|acube"
#define SURFACES   "1d|2d|3d|a1d|a2d "
#define QUERIES    "width|height|depth|channel_data_type|channel_order|normalized_coords|array_size|num_mipmap_levels|num_samples"
#define SAMPLINGS  "|filter_mode|addr_mode_0|addr_mode_1|addr_mode_2|force_unnormalized_coords"
#define ARRIVALS   "relaxed|release? cta|cluster? shared|shared::cta|shared::cluster?"
#define WAITS      "relaxed|acquire? cta|cluster? shared|shared::cta?"
#define COPIES     "ca|cg shared|shared::cta global L2::64B|L2::128B|L2::256B? "
#define OWN_SHARED "shared|shared::cta|shared::cluster"
#define RANKS      "1d|2d|3d|4d|5d "
#define OUTSIDES   " v2|v4? clamp|zero|trap"

/* The order of the rows is that of enum ptx_opcode: some code counts on opcodes of one kind being neighbours. */
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
#undef L1_HINTS
#undef L2_HINTS
#undef L2_POLICY
#undef HINTS
#undef POLICY
#undef TEXTURES
#undef SURFACES
#undef QUERIES
#undef SAMPLINGS
#undef ARRIVALS
#undef WAITS
#undef COPIES
#undef OWN_SHARED
#undef RANKS
#undef OUTSIDES
#undef OP
#undef FORM
