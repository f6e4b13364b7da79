/* ops: one row per PTX opcode. The lexer, parser, checker, printer, decoder, units and tests all read this table.
 *
 * OP(id, name, operands, types, modifiers, unit, latency)
 *   id         PTX_OP_<id>
 *   name       the word before the first dot
 *   operands   one letter an operand, in PTX order; '>' separates destinations (left) from sources (right):
 *                t  a register of the instruction's type, or a constant that fits it
 *                s  the same of the second type written (cvt's and set's source, tex's coordinate type)
 *                w  like t, but with .wide of twice the width of the type
 *                u  32 bits unsigned or untyped (shift counts, positions, lane numbers)
 *                p  a predicate register or its negation
 *                q  an optional second predicate destination, written a|b
 *                a  a register with a generic address
 *                m  an address: [register+constant], [symbol+constant], [constant]
 *                x  a texture or surface reference with its coordinates: [name, {..}]
 *                l  a label
 *                f  a function (call): (results), name, (arguments), with an optional prototype
 *                T  like t, or a vector {a,b[,c,d]} of it, as .v2 or .v4 say
 *                S  like T, or a special register, or the address of a variable or function
 *              a '?' behind a letter: the operand may be left out; '|' separates forms, tried in this order
 *   types      the types allowed, by set (TYPES_... in ptx/parse.h)
 *   modifiers  the suffixes allowed besides types (enum modifier in ptx/parse.h)
 *   unit       which pipe runs it, MEM always; a machine's runs_on table decides between SP and SFU for what computes
 *   latency    latency class: which row of the machine's latency table, per type
 */

/* integer and floating-point arithmetic */
OP(ADD, "add", "t>tt", ARITH, CARRY | ROUND | FTZ | SAT, SP, ADD)
OP(ADDC, "addc", "t>tt", INT_32_64, CARRY, SP, ADD)
OP(SUB, "sub", "t>tt", ARITH, CARRY | ROUND | FTZ | SAT, SP, ADD)
OP(SUBC, "subc", "t>tt", INT_32_64, CARRY, SP, ADD)
OP(MUL, "mul", "w>tt", ARITH, HALF | ROUND | FTZ | SAT, SP, MUL)
OP(MUL24, "mul24", "t>tt", INT32, HALF, SP, MUL)
OP(MAD, "mad", "w>ttw", ARITH, HALF | CARRY | ROUND | FTZ | SAT, SP, MAD)
OP(MADC, "madc", "t>ttt", INT_32_64, HALF | CARRY, SP, MAD)
OP(MAD24, "mad24", "t>ttt", INT32, HALF | SAT, SP, MAD)
OP(SAD, "sad", "t>ttt", INT, NONE, SP, ADD)
OP(FMA, "fma", "t>ttt", FLOAT, ROUND | FTZ | SAT, SP, FMA)
OP(DIV, "div", "t>tt", ARITH, ROUND | APPROX | FTZ, SFU, DIV)
OP(REM, "rem", "t>tt", INT, NONE, SFU, DIV)
OP(ABS, "abs", "t>t", ARITH, FTZ, SP, MOVE)
OP(NEG, "neg", "t>t", ARITH, FTZ, SP, MOVE)
OP(MIN, "min", "t>tt", ARITH, FTZ, SP, MAX)
OP(MAX, "max", "t>tt", ARITH, FTZ, SP, MAX)
OP(RCP, "rcp", "t>t", F32_F64, ROUND | APPROX | FTZ, SFU, SPECIAL)
OP(SQRT, "sqrt", "t>t", F32_F64, ROUND | APPROX | FTZ, SFU, SPECIAL)
OP(RSQRT, "rsqrt", "t>t", F32_F64, APPROX | FTZ, SFU, SPECIAL)
OP(SIN, "sin", "t>t", F32, APPROX | FTZ, SFU, SPECIAL)
OP(COS, "cos", "t>t", F32, APPROX | FTZ, SFU, SPECIAL)
OP(LG2, "lg2", "t>t", F32, APPROX | FTZ, SFU, SPECIAL)
OP(EX2, "ex2", "t>t", F32_F16, APPROX | FTZ, SFU, SPECIAL)
OP(TANH, "tanh", "t>t", F32_F16, APPROX, SFU, SPECIAL)
OP(COPYSIGN, "copysign", "t>tt", F32_F64, NONE, SP, MOVE)
OP(TESTP, "testp", "p>t", F32_F64, TESTP, SP, MOVE)
/* bits */
OP(AND, "and", "t>tt", LOGIC, NONE, SP, MOVE)
OP(OR, "or", "t>tt", LOGIC, NONE, SP, MOVE)
OP(XOR, "xor", "t>tt", LOGIC, NONE, SP, MOVE)
OP(NOT, "not", "t>t", LOGIC, NONE, SP, MOVE)
OP(CNOT, "cnot", "t>t", BITS, NONE, SP, MOVE)
OP(LOP3, "lop3", "t>tttu", B32, NONE, SP, MOVE)
OP(SHL, "shl", "t>tu", BITS, NONE, SP, MOVE)
OP(SHR, "shr", "t>tu", ANYINT, NONE, SP, MOVE)
OP(SHF, "shf", "t>ttu", B32, SHF, SP, MOVE)
OP(PRMT, "prmt", "t>ttu", B32, PRMT, SP, MOVE)
OP(BFE, "bfe", "t>tuu", INT_32_64, NONE, SP, MOVE)
OP(BFI, "bfi", "t>ttuu", B32_B64, NONE, SP, MOVE)
OP(BFIND, "bfind", "u>t", INT_32_64, SHIFTAMT, SP, MOVE)
OP(BREV, "brev", "t>t", B32_B64, NONE, SP, MOVE)
OP(CLZ, "clz", "u>t", B32_B64, NONE, SP, MOVE)
OP(POPC, "popc", "u>t", B32_B64, NONE, SP, MOVE)
OP(DP4A, "dp4a", "u>tsu", INT32, TWO_TYPES, SP, MAD)
/* comparison and selection */
OP(SETP, "setp", "pq>ttp?", COMPARE, CMP | BOOL | FTZ, SP, MOVE)
OP(SET, "set", "t>ssp?", COMPARE, CMP | BOOL | FTZ | TWO_TYPES, SP, MOVE)
OP(SELP, "selp", "t>ttp", SELECT, NONE, SP, MOVE)
OP(SLCT, "slct", "t>tts", SELECT, FTZ | TWO_TYPES, SP, MOVE)
/* movement and conversion */
OP(MOV, "mov", "T>S", MOVABLE, NONE, SP, MOVE)
OP(CVT, "cvt", "t>s", CONVERT, CVT_ROUND | FTZ | SAT | TWO_TYPES, SP, MOVE)
OP(CVTA, "cvta", "t>S", ADDRESS, SPACE | TO, SP, MOVE)
OP(ISSPACEP, "isspacep", "p>a", NO_TYPE, SPACE, SP, MOVE)
/* memory */
OP(LD, "ld", "T>m", MEMORY, SPACE | CACHE | VECTOR | ORDER | NC, MEM, MEMORY)
OP(LDU, "ldu", "T>m", MEMORY, SPACE | VECTOR, MEM, MEMORY)
OP(ST, "st", ">mT", MEMORY, SPACE | CACHE | VECTOR | ORDER, MEM, MEMORY)
OP(ATOM, "atom", "t>mtt?", ATOMIC, SPACE | ATOMIC | ORDER, MEM, MEMORY)
OP(RED, "red", ">mt", ATOMIC, SPACE | ATOMIC | ORDER, MEM, MEMORY)
OP(PREFETCH, "prefetch", ">m", NO_TYPE, SPACE | PREFETCH, MEM, MEMORY)
OP(PREFETCHU, "prefetchu", ">m", NO_TYPE, PREFETCH, MEM, MEMORY)
OP(TEX, "tex", "T>x", TEXTURE, GEOMETRY | VECTOR | TWO_TYPES, MEM, MEMORY)
OP(SULD, "suld", "T>x", MEMORY, GEOMETRY | CACHE | VECTOR | CLAMP, MEM, MEMORY)
OP(SUST, "sust", ">xT", MEMORY, GEOMETRY | CACHE | VECTOR | CLAMP, MEM, MEMORY)
/* control */
OP(BRA, "bra", ">l", NO_TYPE, UNI, SP, BRANCH)
OP(CALL, "call", ">f", NO_TYPE, UNI, SP, BRANCH)
OP(RET, "ret", ">", NO_TYPE, UNI, SP, BRANCH)
OP(EXIT, "exit", ">", NO_TYPE, NONE, SP, BRANCH)
OP(TRAP, "trap", ">", NO_TYPE, NONE, SP, BRANCH)
OP(BRKPT, "brkpt", ">", NO_TYPE, NONE, SP, BRANCH)
/* synchronisation and communication between lanes, warps, blocks */
OP(BAR, "bar", "t>uu?p|>uu?", BARRIER, BARRIER, SP, BARRIER)
OP(BARRIER, "barrier", "t>uu?p|>uu?", BARRIER, BARRIER, SP, BARRIER)
OP(MEMBAR, "membar", ">", NO_TYPE, SCOPE, MEM, BARRIER)
OP(FENCE, "fence", ">", NO_TYPE, SCOPE | ORDER, MEM, BARRIER)
OP(VOTE, "vote", "t>pu?", VOTE, VOTE, SP, MOVE)
OP(ACTIVEMASK, "activemask", "t>", B32, NONE, SP, MOVE)
OP(MATCH, "match", "uq>tu|tq>tu", B32_B64, MATCH, SP, MOVE)
OP(SHFL, "shfl", "tq>tuuu?", SHUFFLE, SHUFFLE, SP, SHUFFLE)
OP(REDUX, "redux", "t>tu", INT32, REDUX, SP, SHUFFLE)
OP(NANOSLEEP, "nanosleep", ">t", INT32, NONE, SP, MOVE)
