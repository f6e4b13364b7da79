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
 *                q  an optional second predicate destination, written a|b
 *                a  a register with a generic address
 *                v  like t, or the address of a variable of the space that the suffix names
 *                m  an address: [register+constant], [symbol+constant], [constant]
 *                x  a texture or surface reference with its coordinates: [name, {..}], perhaps with a sampler: [name, sampler, {..}]
 *                c  a value of single precision
 *                g  such a value, or a vector of them: a derivative
 *                l  a label
 *                f  a function (call): (results), name, (arguments), with an optional prototype
 *                T  like t, or a vector {a,b[,c,d]} of it, as .v2 or .v4 say
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
#define SPACES     "const|global|local|param|param::entry|shared|shared::cta"
#define SCOPES     "cta|gpu|sys"
#define MEMORIES   "global|shared|shared::cta?"
#define ATOMICS    "relaxed|acquire|release|acq_rel? " SCOPES "? " MEMORIES " "
#define TEXTURES   "1d|2d|3d|a1d|a2d|cube|acube"
#define SURFACES   "1d|2d|3d|a1d|a2d "
#define QUERIES    "width|height|depth|channel_data_type|channel_order|normalized_coords|array_size|num_mipmap_levels|num_samples"
#define SAMPLINGS  "|filter_mode|addr_mode_0|addr_mode_1|addr_mode_2|force_unnormalized_coords"
#define OUTSIDES   " v2|v4? clamp|zero|trap"

/* integer and floating-point arithmetic */
OP(ADD, "add", CARRY | ROUND | FTZ | SAT, SP, ADD)
FORM(ADD, INT, NO_TYPE, "", "t>tt")
FORM(ADD, S32, NO_TYPE, "sat", "t>tt")
FORM(ADD, INT_32_64, NO_TYPE, "cc", "t>tt")
FORM(ADD, F32, NO_TYPE, ROUNDINGS "? ftz? sat?", "t>tt")
FORM(ADD, F64, NO_TYPE, ROUNDINGS "?", "t>tt")
FORM(ADD, HALVES, NO_TYPE, "rn? ftz? sat?", "t>tt")
OP(ADDC, "addc", CARRY, SP, ADD)
FORM(ADDC, INT_32_64, NO_TYPE, "cc?", "t>tt")
OP(SUB, "sub", CARRY | ROUND | FTZ | SAT, SP, ADD)
FORM(SUB, INT, NO_TYPE, "", "t>tt")
FORM(SUB, S32, NO_TYPE, "sat", "t>tt")
FORM(SUB, INT_32_64, NO_TYPE, "cc", "t>tt")
FORM(SUB, F32, NO_TYPE, ROUNDINGS "? ftz? sat?", "t>tt")
FORM(SUB, F64, NO_TYPE, ROUNDINGS "?", "t>tt")
FORM(SUB, HALVES, NO_TYPE, "rn? ftz? sat?", "t>tt")
OP(SUBC, "subc", CARRY, SP, ADD)
FORM(SUBC, INT_32_64, NO_TYPE, "cc?", "t>tt")
OP(MUL, "mul", HALF | ROUND | FTZ | SAT, SP, MUL)
FORM(MUL, INT_16_32, NO_TYPE, "lo|hi|wide", "w>tt")
FORM(MUL, INT64, NO_TYPE, "lo|hi", "t>tt")
FORM(MUL, F32, NO_TYPE, ROUNDINGS "? ftz? sat?", "t>tt")
FORM(MUL, F64, NO_TYPE, ROUNDINGS "?", "t>tt")
FORM(MUL, HALVES, NO_TYPE, "rn? ftz? sat?", "t>tt")
OP(MUL24, "mul24", HALF, SP, MUL24)
FORM(MUL24, INT32, NO_TYPE, "lo|hi", "t>tt")
OP(MAD, "mad", HALF | CARRY | ROUND | FTZ | SAT, SP, MAD)
FORM(MAD, INT_16_32, NO_TYPE, "lo|hi|wide", "w>ttw")
FORM(MAD, INT64, NO_TYPE, "lo|hi", "t>ttt")
FORM(MAD, S32, NO_TYPE, "hi sat", "t>ttt")
FORM(MAD, INT_32_64, NO_TYPE, "lo|hi cc", "t>ttt")
FORM(MAD, F32, NO_TYPE, ROUNDINGS "? ftz? sat?", "t>ttt")
FORM(MAD, F64, NO_TYPE, ROUNDINGS, "t>ttt")
OP(MADC, "madc", HALF | CARRY, SP, MAD)
FORM(MADC, INT_32_64, NO_TYPE, "lo|hi cc?", "t>ttt")
OP(MAD24, "mad24", HALF | SAT, SP, MAD24)
FORM(MAD24, INT32, NO_TYPE, "lo|hi", "t>ttt")
FORM(MAD24, S32, NO_TYPE, "hi sat", "t>ttt")
OP(SAD, "sad", NONE, SP, MOVE)
FORM(SAD, INT, NO_TYPE, "", "t>ttt")
OP(FMA, "fma", ROUND | FTZ | SAT, SP, FMA)
FORM(FMA, F32, NO_TYPE, ROUNDINGS " ftz? sat?", "t>ttt")
FORM(FMA, F64, NO_TYPE, ROUNDINGS, "t>ttt")
FORM(FMA, HALVES, NO_TYPE, "rn ftz? sat?", "t>ttt")
OP(DIV, "div", ROUND | APPROX | FTZ, SFU, DIV)
FORM(DIV, INT, NO_TYPE, "", "t>tt")
FORM(DIV, F32, NO_TYPE, ROUNDINGS "|approx|full ftz?", "t>tt")
FORM(DIV, F64, NO_TYPE, ROUNDINGS, "t>tt")
OP(REM, "rem", NONE, SFU, REM)
FORM(REM, INT, NO_TYPE, "", "t>tt")
OP(ABS, "abs", FTZ, SP, MOVE)
FORM(ABS, SIGNED_F64, NO_TYPE, "", "t>t")
FORM(ABS, F32_F16, NO_TYPE, "ftz?", "t>t")
OP(NEG, "neg", FTZ, SP, MOVE)
FORM(NEG, SIGNED_F64, NO_TYPE, "", "t>t")
FORM(NEG, F32_F16, NO_TYPE, "ftz?", "t>t")
OP(MIN, "min", FTZ, SP, MAX)
FORM(MIN, INT_F64, NO_TYPE, "", "t>tt")
FORM(MIN, F32_F16, NO_TYPE, "ftz?", "t>tt")
OP(MAX, "max", FTZ, SP, MAX)
FORM(MAX, INT_F64, NO_TYPE, "", "t>tt")
FORM(MAX, F32_F16, NO_TYPE, "ftz?", "t>tt")
OP(RCP, "rcp", ROUND | APPROX | FTZ, SFU, SPECIAL)
FORM(RCP, F32, NO_TYPE, ROUNDINGS "|approx ftz?", "t>t")
FORM(RCP, F64, NO_TYPE, ROUNDINGS, "t>t")
FORM(RCP, F64, NO_TYPE, "approx ftz", "t>t")
OP(SQRT, "sqrt", ROUND | APPROX | FTZ, SFU, SPECIAL)
FORM(SQRT, F32, NO_TYPE, ROUNDINGS "|approx ftz?", "t>t")
FORM(SQRT, F64, NO_TYPE, ROUNDINGS, "t>t")
OP(RSQRT, "rsqrt", APPROX | FTZ, SFU, SPECIAL)
FORM(RSQRT, F32_F64, NO_TYPE, "approx ftz?", "t>t")
OP(SIN, "sin", APPROX | FTZ, SFU, SPECIAL)
FORM(SIN, F32, NO_TYPE, "approx ftz?", "t>t")
OP(COS, "cos", APPROX | FTZ, SFU, SPECIAL)
FORM(COS, F32, NO_TYPE, "approx ftz?", "t>t")
OP(LG2, "lg2", APPROX | FTZ, SFU, SPECIAL)
FORM(LG2, F32, NO_TYPE, "approx ftz?", "t>t")
OP(EX2, "ex2", APPROX | FTZ, SFU, SPECIAL)
FORM(EX2, F32, NO_TYPE, "approx ftz?", "t>t")
FORM(EX2, HALVES, NO_TYPE, "approx", "t>t")
OP(TANH, "tanh", APPROX, SFU, SPECIAL)
FORM(TANH, F32_F16, NO_TYPE, "approx", "t>t")
OP(COPYSIGN, "copysign", NONE, SP, MOVE)
FORM(COPYSIGN, F32_F64, NO_TYPE, "", "t>tt")
OP(TESTP, "testp", TESTP, SP, MOVE)
FORM(TESTP, F32_F64, NO_TYPE, "finite|infinite|number|notanumber|normal|subnormal", "p>t")
/* bits */
OP(AND, "and", NONE, SP, MOVE)
FORM(AND, LOGIC, NO_TYPE, "", "t>tt")
OP(OR, "or", NONE, SP, MOVE)
FORM(OR, LOGIC, NO_TYPE, "", "t>tt")
OP(XOR, "xor", NONE, SP, MOVE)
FORM(XOR, LOGIC, NO_TYPE, "", "t>tt")
OP(NOT, "not", NONE, SP, MOVE)
FORM(NOT, LOGIC, NO_TYPE, "", "t>t")
OP(CNOT, "cnot", NONE, SP, MOVE)
FORM(CNOT, BITS, NO_TYPE, "", "t>t")
OP(LOP3, "lop3", NONE, SP, MOVE)
FORM(LOP3, B32, NO_TYPE, "", "t>tttu")
OP(SHL, "shl", NONE, SP, MOVE)
FORM(SHL, BITS, NO_TYPE, "", "t>tu")
OP(SHR, "shr", NONE, SP, MOVE)
FORM(SHR, ANYINT, NO_TYPE, "", "t>tu")
OP(SHF, "shf", SHF, SP, MOVE)
FORM(SHF, B32, NO_TYPE, "l|r wrap|clamp", "t>ttu")
OP(PRMT, "prmt", PRMT, SP, MOVE)
FORM(PRMT, B32, NO_TYPE, "f4e|b4e|rc8|ecl|ecr|rc16?", "t>ttu")
OP(BFE, "bfe", NONE, SP, MOVE)
FORM(BFE, INT_32_64, NO_TYPE, "", "t>tuu")
OP(BFI, "bfi", NONE, SP, MOVE)
FORM(BFI, B32_B64, NO_TYPE, "", "t>ttuu")
OP(BFIND, "bfind", SHIFTAMT, SP, MOVE)
FORM(BFIND, INT_32_64, NO_TYPE, "shiftamt?", "u>t")
OP(BREV, "brev", NONE, SP, MOVE)
FORM(BREV, B32_B64, NO_TYPE, "", "t>t")
OP(CLZ, "clz", NONE, SP, MOVE)
FORM(CLZ, B32_B64, NO_TYPE, "", "u>t")
OP(POPC, "popc", NONE, SP, MOVE)
FORM(POPC, B32_B64, NO_TYPE, "", "u>t")
OP(DP4A, "dp4a", NONE, SP, MOVE)
FORM(DP4A, INT32, INT32, "", "u>tsu")
OP(DP2A, "dp2a", HALF, SP, MAD)
FORM(DP2A, INT32, INT32, "lo|hi", "u>tsu")
/* comparison and selection */
OP(SETP, "setp", CMP | BOOL | FTZ, SP, MOVE)
FORM(SETP, BITS, NO_TYPE, "eq|ne", "pq>tt")
FORM(SETP, SIGNED, NO_TYPE, ORDERS, "pq>tt")
FORM(SETP, UNSIGNED, NO_TYPE, UNSIGNEDS, "pq>tt")
FORM(SETP, F64, NO_TYPE, UNORDEREDS, "pq>tt")
FORM(SETP, F32_F16, NO_TYPE, UNORDEREDS " ftz?", "pq>tt")
FORM(SETP, BITS, NO_TYPE, "eq|ne" " " BOOLS, "pq>ttp")
FORM(SETP, SIGNED, NO_TYPE, ORDERS " " BOOLS, "pq>ttp")
FORM(SETP, UNSIGNED, NO_TYPE, UNSIGNEDS " " BOOLS, "pq>ttp")
FORM(SETP, F64, NO_TYPE, UNORDEREDS " " BOOLS, "pq>ttp")
FORM(SETP, F32_F16, NO_TYPE, UNORDEREDS " " BOOLS " ftz?", "pq>ttp")
OP(SET, "set", CMP | BOOL | FTZ, SP, MOVE)
FORM(SET, INT32_F32, BITS, "eq|ne", "t>ss")
FORM(SET, INT32_F32, SIGNED, ORDERS, "t>ss")
FORM(SET, INT32_F32, UNSIGNED, UNSIGNEDS, "t>ss")
FORM(SET, INT32_F32, F64, UNORDEREDS, "t>ss")
FORM(SET, INT32_F32, F32_F16, UNORDEREDS " ftz?", "t>ss")
FORM(SET, INT32_F32, BITS, "eq|ne" " " BOOLS, "t>ssp")
FORM(SET, INT32_F32, SIGNED, ORDERS " " BOOLS, "t>ssp")
FORM(SET, INT32_F32, UNSIGNED, UNSIGNEDS " " BOOLS, "t>ssp")
FORM(SET, INT32_F32, F64, UNORDEREDS " " BOOLS, "t>ssp")
FORM(SET, INT32_F32, F32_F16, UNORDEREDS " " BOOLS " ftz?", "t>ssp")
OP(SELP, "selp", NONE, SP, MOVE)
FORM(SELP, SELECT, NO_TYPE, "", "t>ttp")
OP(SLCT, "slct", FTZ, SP, MOVE)
FORM(SLCT, SELECT, S32, "", "t>tts")
FORM(SLCT, SELECT, F32, "ftz?", "t>tts")
/* movement and conversion */
OP(MOV, "mov", NONE, SP, MOVE)
FORM(MOV, MOVABLE, NO_TYPE, "", "T>S")
OP(CVT, "cvt", CVT_ROUND | FTZ | SAT, SP, MOVE)
FORM(CVT, WHOLE, WHOLE, "sat?", "t>s")
FORM(CVT, WHOLE, F32, "rni|rzi|rmi|rpi ftz? sat?", "t>s")
FORM(CVT, WHOLE, F16_F64, "rni|rzi|rmi|rpi sat?", "t>s")
FORM(CVT, F32, WHOLE_F64, ROUNDINGS " ftz? sat?", "t>s")
FORM(CVT, F16_F64, WHOLE, ROUNDINGS " sat?", "t>s")
FORM(CVT, F16, F32, ROUNDINGS " ftz? sat?", "t>s")
FORM(CVT, F16, F64, ROUNDINGS " sat?", "t>s")
FORM(CVT, F32, F32, "rni|rzi|rmi|rpi? ftz? sat?", "t>s")
FORM(CVT, F32, F16, "ftz? sat?", "t>s")
FORM(CVT, F16, F16, "rni|rzi|rmi|rpi? sat?", "t>s")
FORM(CVT, F64, F32, "ftz? sat?", "t>s")
FORM(CVT, F64, F64, "rni|rzi|rmi|rpi? sat?", "t>s")
FORM(CVT, F64, F16, "sat?", "t>s")
OP(CVTA, "cvta", SPACE | TO, SP, MOVE)
FORM(CVTA, ADDRESS, NO_TYPE, SPACES, "t>v")
FORM(CVTA, ADDRESS, NO_TYPE, "to " SPACES, "t>t")
OP(ISSPACEP, "isspacep", SPACE, SP, MOVE)
FORM(ISSPACEP, NO_TYPE, NO_TYPE, SPACES, "p>a")
/* memory */
OP(LD, "ld", SPACE | CACHE | VECTOR | ORDER | NC, MEM, MEMORY)
FORM(LD, MEMORY, NO_TYPE, "weak|volatile? " SPACES "|param::func? ca|cg|cs|lu|cv? v2|v4?", "T>m")
FORM(LD, MEMORY, NO_TYPE, "relaxed|acquire " SCOPES " " MEMORIES " v2|v4?", "T>m")
FORM(LD, MEMORY, NO_TYPE, "global ca|cg|cs? nc v2|v4?", "T>m")
OP(LDU, "ldu", SPACE | VECTOR, MEM, MEMORY)
FORM(LDU, MEMORY, NO_TYPE, "global? v2|v4?", "T>m")
OP(ST, "st", SPACE | CACHE | VECTOR | ORDER, MEM, MEMORY)
FORM(ST, MEMORY, NO_TYPE, "weak|volatile? global|local|shared|shared::cta|param|param::func? wb|cg|cs|wt? v2|v4?", ">mT")
FORM(ST, MEMORY, NO_TYPE, "relaxed|release " SCOPES " " MEMORIES " v2|v4?", ">mT")
OP(ATOM, "atom", SPACE | ATOMIC | ORDER, MEM, MEMORY)
FORM(ATOM, INT_32_64_F, NO_TYPE, ATOMICS "add", "t>mt")
FORM(ATOM, HALVES, NO_TYPE, ATOMICS "add noftz", "t>mt")
FORM(ATOM, U32, NO_TYPE, ATOMICS "inc|dec", "t>mt")
FORM(ATOM, INT_32_64, NO_TYPE, ATOMICS "min|max", "t>mt")
FORM(ATOM, B32_B64, NO_TYPE, ATOMICS "and|or|xor|exch", "t>mt")
FORM(ATOM, BITS, NO_TYPE, ATOMICS "cas", "t>mtt")
OP(RED, "red", SPACE | ATOMIC | ORDER, MEM, MEMORY)
FORM(RED, INT_32_64_F, NO_TYPE, ATOMICS "add", ">mt")
FORM(RED, HALVES, NO_TYPE, ATOMICS "add noftz", ">mt")
FORM(RED, U32, NO_TYPE, ATOMICS "inc|dec", ">mt")
FORM(RED, INT_32_64, NO_TYPE, ATOMICS "min|max", ">mt")
FORM(RED, B32_B64, NO_TYPE, ATOMICS "and|or|xor", ">mt")
OP(PREFETCH, "prefetch", SPACE | PREFETCH, MEM, MEMORY)
FORM(PREFETCH, NO_TYPE, NO_TYPE, "global|local? L1|L2", ">m")
OP(PREFETCHU, "prefetchu", PREFETCH, MEM, MEMORY)
FORM(PREFETCHU, NO_TYPE, NO_TYPE, "L1", ">m")
OP(TEX, "tex", GEOMETRY | VECTOR | TEXEL, MEM, MEMORY)
FORM(TEX, TEXTURE, COORDINATE, "base? " TEXTURES " v2|v4?", "Tq>x")
FORM(TEX, TEXTURE, F32, "level " TEXTURES " v2|v4?", "Tq>xc")
FORM(TEX, TEXTURE, S32, "level " TEXTURES " v2|v4?", "Tq>xu")
FORM(TEX, TEXTURE, F32, "grad " TEXTURES " v2|v4?", "Tq>xgg")
OP(TLD4, "tld4", GEOMETRY | VECTOR | TEXEL, MEM, MEMORY)
FORM(TLD4, TEXTURE, F32, "r|g|b|a 2d|a2d|cube|acube v4", "Tq>x")
OP(TXQ, "txq", TEXEL, SP, MOVE)
FORM(TXQ, B32, NO_TYPE, "level? " QUERIES SAMPLINGS, "t>mu?")
OP(SUQ, "suq", TEXEL, SP, MOVE)
FORM(SUQ, B32, NO_TYPE, QUERIES "|memory_layout", "t>m")
OP(SULD, "suld", GEOMETRY | CACHE | VECTOR | CLAMP, MEM, MEMORY)
FORM(SULD, SURFACE, NO_TYPE, "b " SURFACES "ca|cg|cs|cv?" OUTSIDES, "T>x")
OP(SUST, "sust", GEOMETRY | CACHE | VECTOR | CLAMP, MEM, MEMORY)
FORM(SUST, SURFACE, NO_TYPE, "b " SURFACES "wb|cg|cs|wt?" OUTSIDES, ">xT")
FORM(SUST, FORMATTED, NO_TYPE, "p " SURFACES "wb|cg|cs|wt?" OUTSIDES, ">xT")
OP(SURED, "sured", GEOMETRY | CLAMP | TEXEL, MEM, MEMORY)
FORM(SURED, INT_32_U64, NO_TYPE, "b add " SURFACES "clamp|zero|trap", ">xt")
FORM(SURED, INT32, NO_TYPE, "b min|max " SURFACES "clamp|zero|trap", ">xt")
FORM(SURED, B32, NO_TYPE, "b and|or " SURFACES "clamp|zero|trap", ">xt")
FORM(SURED, B32_B64, NO_TYPE, "p add|min|max|and|or " SURFACES "clamp|zero|trap", ">xt")
/* control */
OP(BRA, "bra", UNI, SP, BRANCH)
FORM(BRA, NO_TYPE, NO_TYPE, "uni?", ">l")
OP(CALL, "call", UNI, SP, BRANCH)
FORM(CALL, NO_TYPE, NO_TYPE, "uni?", ">f")
OP(RET, "ret", UNI, SP, BRANCH)
FORM(RET, NO_TYPE, NO_TYPE, "uni?", ">")
OP(EXIT, "exit", NONE, SP, BRANCH)
FORM(EXIT, NO_TYPE, NO_TYPE, "", ">")
OP(TRAP, "trap", NONE, SP, BRANCH)
FORM(TRAP, NO_TYPE, NO_TYPE, "", ">")
OP(BRKPT, "brkpt", NONE, SP, BRANCH)
FORM(BRKPT, NO_TYPE, NO_TYPE, "", ">")
/* synchronisation and communication between lanes, warps, blocks */
OP(BAR, "bar", BARRIER, SP, BARRIER)
FORM(BAR, NO_TYPE, NO_TYPE, "cta? sync", ">uu?")
FORM(BAR, NO_TYPE, NO_TYPE, "cta? arrive", ">uu")
FORM(BAR, U32, NO_TYPE, "cta? red popc", "t>uu?p")
FORM(BAR, PRED, NO_TYPE, "cta? red and|or", "t>uu?p")
FORM(BAR, NO_TYPE, NO_TYPE, "warp sync", ">u")
OP(BARRIER, "barrier", BARRIER, SP, BARRIER)
FORM(BARRIER, NO_TYPE, NO_TYPE, "cta? sync aligned?", ">uu?")
FORM(BARRIER, NO_TYPE, NO_TYPE, "cta? arrive aligned?", ">uu")
FORM(BARRIER, U32, NO_TYPE, "cta? red popc aligned?", "t>uu?p")
FORM(BARRIER, PRED, NO_TYPE, "cta? red and|or aligned?", "t>uu?p")
OP(MEMBAR, "membar", SCOPE, MEM, BARRIER)
FORM(MEMBAR, NO_TYPE, NO_TYPE, "cta|gl|sys", ">")
OP(FENCE, "fence", SCOPE | ORDER, MEM, BARRIER)
FORM(FENCE, NO_TYPE, NO_TYPE, "sc|acq_rel? " SCOPES, ">")
OP(VOTE, "vote", VOTE, SP, MOVE)
FORM(VOTE, PRED, NO_TYPE, "all|any|uni", "t>p")
FORM(VOTE, PRED, NO_TYPE, "sync all|any|uni", "t>pu")
FORM(VOTE, B32, NO_TYPE, "ballot", "t>p")
FORM(VOTE, B32, NO_TYPE, "sync ballot", "t>pu")
OP(ACTIVEMASK, "activemask", NONE, SP, MOVE)
FORM(ACTIVEMASK, B32, NO_TYPE, "", "t>")
OP(MATCH, "match", MATCH, SP, MOVE)
FORM(MATCH, B32_B64, NO_TYPE, "any sync", "n>tu")
FORM(MATCH, B32_B64, NO_TYPE, "all sync", "nq>tu")
OP(SHFL, "shfl", SHUFFLE, SP, SHUFFLE)
FORM(SHFL, B32, NO_TYPE, "up|down|bfly|idx", "tq>tuu")
FORM(SHFL, B32, NO_TYPE, "sync up|down|bfly|idx", "tq>tuuu")
OP(REDUX, "redux", REDUX, SP, SHUFFLE)
FORM(REDUX, INT32, NO_TYPE, "sync add|min|max", "t>tu")
FORM(REDUX, B32, NO_TYPE, "sync and|or|xor", "t>tu")
OP(NANOSLEEP, "nanosleep", NONE, SP, MOVE)
FORM(NANOSLEEP, U32, NO_TYPE, "", ">t")
/* nothing, unless a mechanism owns them (seam/mech.h, `opcodes`); relssp is of our own: the block needs what it shares no more */
OP(PMEVENT, "pmevent", EVENTS, SP, MOVE)
FORM(PMEVENT, NO_TYPE, NO_TYPE, "mask?", ">i")
OP(RELSSP, "relssp", NONE, SP, MOVE)
FORM(RELSSP, NO_TYPE, NO_TYPE, "", ">")
/* DMA from global to shared memory, of our own (docs/dma.md): what the transfers to come are like; transfers: buffer, shared, global
 * address, shape; a transfer once more. A mechanism that owns them gives them time */
OP(DMA_TYPE, "dma_type", NONE, SP, MOVE)
FORM(DMA_TYPE, NO_TYPE, NO_TYPE, "", ">i")
OP(DMA_HALO, "dma_halo", NONE, SP, MOVE)
FORM(DMA_HALO, NO_TYPE, NO_TYPE, "", ">uuuuu")
OP(DMA_SPACED, "dma_spaced", NONE, SP, MOVE)
FORM(DMA_SPACED, NO_TYPE, NO_TYPE, "", ">uu")
OP(DMA_FLAT, "dma_flat", NONE, SP, MOVE)
FORM(DMA_FLAT, NO_TYPE, NO_TYPE, "", ">uuau")
OP(DMA_STRIDED, "dma_strided", NONE, SP, MOVE)
FORM(DMA_STRIDED, NO_TYPE, NO_TYPE, "", ">uuauu")
OP(DMA_MATRIX, "dma_matrix", NONE, SP, MOVE)
FORM(DMA_MATRIX, NO_TYPE, NO_TYPE, "", ">uuauuu")
OP(DMA_EXECUTE, "dma_execute", NONE, SP, MOVE)
FORM(DMA_EXECUTE, NO_TYPE, NO_TYPE, "", ">uua")

#undef ROUNDINGS
#undef ORDERS
#undef UNSIGNEDS
#undef UNORDEREDS
#undef BOOLS
#undef SPACES
#undef SCOPES
#undef MEMORIES
#undef ATOMICS
#undef TEXTURES
#undef SURFACES
#undef QUERIES
#undef SAMPLINGS
#undef OUTSIDES
#undef OP
#undef FORM
