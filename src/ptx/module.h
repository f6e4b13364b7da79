/* module: a PTX file, parsed and checked.
 *
 * ptx_parse() builds a module. ptx_print() writes it as PTX that parses to the same module. Names, types and
 * modifiers are as written. Only two instructions are lowered here. brx.idx becomes comparisons and branches.
 * cp.async becomes a load and a store, unless the module is loaded with copies. All memory belongs to the module's
 * arena.
 */
#ifndef SLUICE_PTX_MODULE_H
#define SLUICE_PTX_MODULE_H

#include "base/arena.h"
#include "base/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum ptx_type {
	PTX_NO_TYPE,
	PTX_PRED,
	PTX_B8, PTX_B16, PTX_B32, PTX_B64, PTX_B128,
	PTX_U8, PTX_U16, PTX_U32, PTX_U64,
	PTX_S8, PTX_S16, PTX_S32, PTX_S64,
	PTX_F16, PTX_F16X2, PTX_BF16, PTX_BF16X2, PTX_TF32, PTX_F32, PTX_F64,
	PTX_U16X2, PTX_S16X2, /* two halves of 32 bits, as in f16x2 and bf16x2 */
	PTX_F32X2, /* 64 bits, only as an operand type: no register has it */
	PTX_U2, PTX_S2, PTX_U4, PTX_S4, PTX_B1, /* several per register: elements of matrices, results of cvt.pack */
	PTX_E4M3, PTX_E5M2, /* 8 bits: exponent and mantissa */
	PTX_E4M3X2, PTX_E5M2X2, PTX_E2M3X2, PTX_E3M2X2, PTX_E2M1X2, /* pairs of 8, 6 and 4 bits */
	PTX_TEXREF, PTX_SAMPLERREF, PTX_SURFREF,
	PTX_TYPES
};

enum ptx_space {
	PTX_GENERIC, PTX_REG, PTX_SREG, PTX_CONST, PTX_GLOBAL, PTX_LOCAL, PTX_PARAM, PTX_SHARED, PTX_TEX, PTX_SPACES
};

enum ptx_opcode {
#define OP(id, ...) PTX_OP_##id,
#include "ptx/ops.h"
	PTX_OPCODES
};

/* The pipe that runs an instruction, and the row and column of the latency table. */
enum ptx_unit { PTX_UNIT_SP, PTX_UNIT_SFU, PTX_UNIT_MEM, PTX_UNITS };
enum ptx_latency {
	PTX_LATENCY_MOVE, PTX_LATENCY_ADD, PTX_LATENCY_MAX, PTX_LATENCY_MUL, PTX_LATENCY_MAD, PTX_LATENCY_FMA,
	PTX_LATENCY_MUL24, PTX_LATENCY_MAD24, PTX_LATENCY_DIV, PTX_LATENCY_REM, PTX_LATENCY_SPECIAL,
	/* matrix products, by their number of multiplications */
	PTX_LATENCY_MMA_256, PTX_LATENCY_MMA_512, PTX_LATENCY_MMA_1K, PTX_LATENCY_MMA_2K, PTX_LATENCY_MMA_4K, PTX_LATENCY_MMA_8K,
	PTX_LATENCY_SHUFFLE, PTX_LATENCY_BRANCH, PTX_LATENCY_BARRIER,
	PTX_LATENCY_MEMORY, PTX_LATENCIES
};
enum ptx_data_type { PTX_DATA_INT, PTX_DATA_FP32, PTX_DATA_FP64, PTX_DATA_TYPES }; /* type of its operands */

enum ptx_round { PTX_ROUND_NONE, PTX_RN, PTX_RZ, PTX_RM, PTX_RP, PTX_RNI, PTX_RZI, PTX_RMI, PTX_RPI, PTX_RNA };
enum ptx_half { PTX_HALF_NONE, PTX_LO, PTX_HI, PTX_WIDE };
enum ptx_cmp {
	PTX_CMP_NONE, PTX_EQ, PTX_NE, PTX_LT, PTX_LE, PTX_GT, PTX_GE, PTX_CMP_LO, PTX_CMP_LS, PTX_CMP_HI, PTX_CMP_HS,
	PTX_EQU, PTX_NEU, PTX_LTU, PTX_LEU, PTX_GTU, PTX_GEU, PTX_NUM, PTX_NAN
};
enum ptx_bool { PTX_BOOL_NONE, PTX_BOOL_AND, PTX_BOOL_OR, PTX_BOOL_XOR };
enum ptx_atomic {
	PTX_ATOM_NONE, PTX_ATOM_ADD, PTX_ATOM_MIN, PTX_ATOM_MAX, PTX_ATOM_INC, PTX_ATOM_DEC, PTX_ATOM_AND, PTX_ATOM_OR,
	PTX_ATOM_XOR, PTX_ATOM_EXCH, PTX_ATOM_CAS
};
enum ptx_cache { PTX_CACHE_NONE, PTX_CA, PTX_CG, PTX_CS, PTX_LU, PTX_CV, PTX_WB, PTX_WT };
enum ptx_order { PTX_ORDER_NONE, PTX_WEAK, PTX_VOLATILE, PTX_RELAXED, PTX_ACQUIRE, PTX_RELEASE, PTX_ACQ_REL, PTX_SC };
enum ptx_scope { PTX_SCOPE_NONE, PTX_SCOPE_CTA, PTX_SCOPE_CLUSTER, PTX_SCOPE_GPU, PTX_SCOPE_SYS, PTX_SCOPE_GL };
enum ptx_vote { PTX_VOTE_NONE, PTX_VOTE_ALL, PTX_VOTE_ANY, PTX_VOTE_UNI, PTX_VOTE_BALLOT };
enum ptx_shuffle { PTX_SHUFFLE_NONE, PTX_SHUFFLE_UP, PTX_SHUFFLE_DOWN, PTX_SHUFFLE_BFLY, PTX_SHUFFLE_IDX };
/* WAIT: only barriers of a cluster. */
enum ptx_barrier { PTX_BARRIER_NONE, PTX_BARRIER_SYNC, PTX_BARRIER_ARRIVE, PTX_BARRIER_RED, PTX_BARRIER_WAIT };
enum ptx_mbarrier {
	PTX_MBARRIER_NONE, PTX_MBARRIER_INIT, PTX_MBARRIER_INVAL, PTX_MBARRIER_ARRIVE, PTX_MBARRIER_DROP, PTX_MBARRIER_TEST, PTX_MBARRIER_TRY,
	PTX_MBARRIER_PENDING
};
enum ptx_geometry {
	PTX_GEOMETRY_NONE, PTX_1D, PTX_2D, PTX_3D, PTX_A1D, PTX_A2D, PTX_CUBE, PTX_ACUBE
};
enum ptx_testp { PTX_TESTP_NONE, PTX_FINITE, PTX_INFINITE, PTX_NUMBER, PTX_NOTANUMBER, PTX_NORMAL, PTX_SUBNORMAL };
/* tex: which mip level is read. */
enum ptx_lod { PTX_LOD_NONE, PTX_LOD_BASE, PTX_LOD_LEVEL, PTX_LOD_GRAD };
/* tld4: which channel of the four texels is read. */
enum ptx_gather { PTX_GATHER_NONE, PTX_GATHER_R, PTX_GATHER_G, PTX_GATHER_B, PTX_GATHER_A };
/* txq, suq: the queried property. */
enum ptx_query {
	PTX_QUERY_NONE, PTX_QUERY_WIDTH, PTX_QUERY_HEIGHT, PTX_QUERY_DEPTH, PTX_QUERY_CHANNEL_TYPE, PTX_QUERY_CHANNEL_ORDER,
	PTX_QUERY_NORMALIZED, PTX_QUERY_LAYERS, PTX_QUERY_LEVELS, PTX_QUERY_SAMPLES, PTX_QUERY_LAYOUT, PTX_QUERY_FILTER,
	PTX_QUERY_ADDRESS_0, PTX_QUERY_ADDRESS_1, PTX_QUERY_ADDRESS_2, PTX_QUERY_UNNORMALIZED
};
/* suld, sust, sured: behavior of an access outside the surface. */
enum ptx_outside { PTX_OUTSIDE_NONE, PTX_OUTSIDE_CLAMP, PTX_OUTSIDE_ZERO, PTX_OUTSIDE_TRAP };
/* fence: the memory to which it is restricted. */
enum ptx_restriction { PTX_RESTRICTS_NONE, PTX_RESTRICTS_BLOCK, PTX_RESTRICTS_CLUSTER };
enum ptx_policy { PTX_POLICY_NONE, PTX_POLICY_FRACTIONAL, PTX_POLICY_RANGE, PTX_POLICY_CVT };
enum ptx_hint {
	PTX_HINT_NONE, PTX_EVICT_NORMAL, PTX_EVICT_UNCHANGED, PTX_EVICT_FIRST, PTX_EVICT_LAST, PTX_NO_ALLOCATE
};
/* Shapes of matrices: rows of A, columns of B, and the common dimension. m8n8 is the shape for ldmatrix, stmatrix
 * and movmatrix. */
enum ptx_shape {
	PTX_SHAPE_NONE, PTX_M8N8K4, PTX_M8N8K16, PTX_M8N8K32, PTX_M8N8K128, PTX_M16N8K4, PTX_M16N8K8, PTX_M16N8K16, PTX_M16N8K32,
	PTX_M16N8K64, PTX_M16N8K128, PTX_M16N8K256, PTX_M16N16K16, PTX_M16N16K8, PTX_M8N32K16, PTX_M32N8K16, PTX_M8N8
};
enum ptx_major { PTX_MAJOR_NONE, PTX_ROW, PTX_COL };
enum ptx_prmt { PTX_PRMT_NONE, PTX_F4E, PTX_B4E, PTX_RC8, PTX_ECL, PTX_ECR, PTX_RC16 };

enum ptx_sreg {
	PTX_SREG_NONE,
	PTX_TID_X, PTX_TID_Y, PTX_TID_Z, PTX_NTID_X, PTX_NTID_Y, PTX_NTID_Z,
	PTX_CTAID_X, PTX_CTAID_Y, PTX_CTAID_Z, PTX_NCTAID_X, PTX_NCTAID_Y, PTX_NCTAID_Z,
	PTX_LANEID, PTX_WARPID, PTX_NWARPID, PTX_SMID, PTX_NSMID, PTX_GRIDID,
	PTX_LANEMASK_EQ, PTX_LANEMASK_LE, PTX_LANEMASK_LT, PTX_LANEMASK_GE, PTX_LANEMASK_GT,
	PTX_CLOCK, PTX_CLOCK_HI, PTX_CLOCK64, PTX_GLOBALTIMER, PTX_GLOBALTIMER_LO, PTX_GLOBALTIMER_HI,
	PTX_CLUSTERID_X, PTX_CLUSTERID_Y, PTX_CLUSTERID_Z, PTX_NCLUSTERID_X, PTX_NCLUSTERID_Y, PTX_NCLUSTERID_Z,
	PTX_CLUSTER_CTAID_X, PTX_CLUSTER_CTAID_Y, PTX_CLUSTER_CTAID_Z, PTX_CLUSTER_NCTAID_X, PTX_CLUSTER_NCTAID_Y, PTX_CLUSTER_NCTAID_Z,
	PTX_CLUSTER_CTARANK, PTX_CLUSTER_NCTARANK, PTX_IS_EXPLICIT_CLUSTER, PTX_CURRENT_GRAPH_EXEC,
	PTX_DYNAMIC_SMEM_SIZE, PTX_TOTAL_SMEM_SIZE, PTX_AGGR_SMEM_SIZE,
	PTX_RESERVED_SMEM_BEGIN, PTX_RESERVED_SMEM_END, PTX_RESERVED_SMEM_CAP, PTX_RESERVED_SMEM_0, PTX_RESERVED_SMEM_1,
	PTX_ENVREG_0, PTX_ENVREG_31 = PTX_ENVREG_0 + 31,
	PTX_SREGS
};

/* A declared register of a function. `id` indexes ptx_function.regs. `number` is the number in its name (%rd12: 12;
 * 0 without a number), which selects its register-file bank. */
struct ptx_reg {
	const char *name;
	enum ptx_type type;
	uint32_t id, number;
};

/* A pointer to another symbol inside a variable's initial value. */
struct ptx_relocation {
	uint64_t offset;
	const struct ptx_variable *symbol; /* or NULL: a pointer to `function` */
	const struct ptx_function *function;
	int64_t addend;
	uint32_t size; /* bytes: 4 or 8 */
};

/* A variable, kernel parameter, or call parameter: any named object in memory. */
struct ptx_variable {
	const char *name;
	enum ptx_space space;
	enum ptx_type type;   /* element type */
	uint32_t vector;      /* 1, 2 or 4 */
	uint32_t align;       /* bytes; natural alignment if the file gives none */
	uint64_t size;        /* bytes, including all array dimensions; 0: extern [] (dynamic shared memory) */
	uint32_t dimensions;  /* number of array dimensions written */
	uint64_t dimension[4];
	bool is_extern, is_visible, is_weak, is_common;
	uint64_t offset; /* in its group: the parameters, the results, or the scope's variables of the same space */
	uint64_t address;     /* .global and .const: device address, set when the module is loaded */
	uint8_t *initial;     /* `size` bytes, or NULL */
	struct ptx_relocation *relocations;
	uint32_t relocation_count;
	const struct ptx_function *function; /* the function that declares it, or NULL: the module */
	struct diag_place place;
	struct ptx_variable *next; /* in its scope, in declaration order */
};

#define PTX_NO_REG UINT32_MAX

enum ptx_operand_kind {
	PTX_OPERAND_NONE,
	PTX_OPERAND_REG,      /* reg (`negated`: written !%p) */
	PTX_OPERAND_INT,      /* bits, as a two's-complement 64-bit integer */
	PTX_OPERAND_FLOAT,    /* bits: an IEEE double, or with is_single an IEEE single in the low 32 bits (0f...) */
	PTX_OPERAND_SREG,     /* sreg */
	PTX_OPERAND_SYMBOL,   /* the address of `symbol` + offset (mov, cvta) */
	PTX_OPERAND_FUNCTION, /* function: call's target, or its address (mov) */
	PTX_OPERAND_LABEL,    /* target: index into ptx_function.body */
	PTX_OPERAND_ADDRESS,  /* [reg + offset], [symbol + offset], [offset] */
	PTX_OPERAND_VECTOR,   /* element[0..count): {a, b, c, d} */
	PTX_OPERAND_TEXTURE,  /* [symbol or reg, {element...}]; with has_sampler the last element is the sampler */
	PTX_OPERAND_LIST,     /* element[0..count): call arguments or results */
	PTX_OPERAND_SINK,     /* _ : a destination that is discarded */
};

struct ptx_operand {
	enum ptx_operand_kind kind;
	bool negated, is_single, has_sampler;
	char select[6]; /* REG of a video instruction: the selected parts, as written: "b0", "h1", "b3210" */
	uint32_t reg; /* REG, ADDRESS, TEXTURE: register id, or PTX_NO_REG */
	enum ptx_sreg sreg;
	uint64_t bits;
	int64_t offset;
	const struct ptx_variable *symbol;
	const struct ptx_function *function;
	uint32_t target;
	struct ptx_operand *element;
	uint32_t count;
	struct diag_place place;
};

enum { PTX_MAX_OPERANDS = 7, PTX_MAX_IDS = 32 };

/* One instruction. Operands are in PTX order: destinations first (`destinations` of them). */
struct ptx_inst {
	enum ptx_opcode op;
	enum ptx_type type, type2, type3, type4; /* as written, in order; PTX_NO_TYPE where not written */
	uint32_t guard;            /* predicate register id, or PTX_NO_REG */
	bool guard_negated;
	/* Modifiers: NONE or false if not written. */
	enum ptx_round round;
	enum ptx_half half;
	enum ptx_cmp cmp;
	enum ptx_bool bool_op;
	enum ptx_atomic atomic; /* also the operation of redux and of bar.red (popc: ADD) */
	enum ptx_space space;
	enum ptx_space from; /* bulk copies: the source space; `space` is the destination space */
	enum ptx_cache cache;
	enum ptx_order order;
	enum ptx_scope scope;
	enum ptx_vote vote;
	enum ptx_shuffle shuffle;
	enum ptx_barrier barrier;
	enum ptx_mbarrier mbarrier; /* NONE for operations on the byte count only: expects, completes */
	enum ptx_geometry geometry;
	enum ptx_testp testp;
	enum ptx_prmt prmt;
	enum ptx_outside outside;
	enum ptx_lod lod;
	enum ptx_gather gather;
	enum ptx_query query;
	enum ptx_shape shape;
	enum ptx_major major_a, major_b; /* mma, wmma: layout of A and B */
	enum ptx_hint hint1, hint2; /* eviction hints for L1 and L2; for createpolicy the policy's primary L2 hint */
	enum ptx_hint others;       /* createpolicy: hint for the accesses to which hint2 does not apply */
	enum ptx_policy policy;
	enum ptx_restriction restricts;
	uint16_t prefetch_bytes;    /* L2::64B and others: 64, 128 or 256 */
	uint8_t vector;     /* 1, 2 or 4 */
	uint8_t prefetch_level; /* prefetch: 1 or 2 */
	bool ftz, sat, approx, full, carry_out, uni, sync, aligned, to, nc, noftz, shf_left, clamp, wrap, shiftamt, mask, match_all, match_any, shf_right;
	bool relu, satfinite, nan, xorsign, magnitudes; /* .NaN; .xorsign.abs */
	bool cache_hint;                                /* L2::cache_hint: the last operand is a cache policy */
	bool plus_one;                                  /* vmad.po */
	bool proxy, alias, async, async_generic, mbarrier_init, wait, launch_dependents;
	/* bulk copies: completion by mbarrier or group; .multicast::cluster */
	bool tile, by_mbarrier, by_group, multicast;
	bool is_read; /* cp.async.bulk.wait_group.read: waits only until the sources have been read */
	bool tensormap;                                 /* fence.proxy.tensormap::generic */
	uint8_t rank; /* tile copies: dimensions of the tensor, 1 to 5; 0: bytes are copied */
	bool mmio;                                      /* ld, st: accesses a device's registers */
	bool out_of_bounds;                             /* fma.oob */
	bool grows, shrinks;                            /* setmaxnreg.inc, .dec */
	bool no_increment;                              /* cp.async.mbarrier.arrive: .noinc */
	bool parity, no_complete, expects, completes;   /* mbarrier: .parity, .noComplete, .expect_tx, .complete_tx */
	bool multiplies, popc, transposes; /* wmma.mma; mma.xor.popc; .trans of ldmatrix, stmatrix and movmatrix */
	uint8_t matrices;                               /* ldmatrix, stmatrix: number of matrices, 1, 2 or 4 */
	uint8_t scale;                                  /* vmad.shr7, .shr15 */
	/* suld.b, sust.b, sured.b: raw bytes; sust.p, sured.p: values in the surface's format */
	bool unformatted, formatted;
	/* bar.warp.sync: for the lanes in a mask, not a barrier of the block; bar.cta: the same as bar */
	bool warp, block;
	/* Operands in PTX order, destinations first: sources begin at operand[destinations]. An omitted optional
	 * operand has no entry. A call always has three operands: LIST of results, FUNCTION or REG, LIST of
	 * arguments. An element of a list is the SYMBOL of a .param variable, a REG or a constant. */
	struct ptx_operand *operand;
	uint8_t operands, destinations;
	const char *pattern; /* operand letters of its form in ops.h */
	const struct ptx_function *prototype; /* call: .callprototype, or NULL */
	uint32_t targets;         /* first instruction made from brx.idx: size of its table; else 0 */
	bool is_spill;            /* ld, st: of a spilled register; it is in no source file */
	struct diag_place place;       /* in the PTX file */
	uint32_t source_file;     /* .loc: file number, line, column; 0 if there is none */
	uint32_t source_line, source_column;
};

struct ptx_label {
	const char *name;
	uint32_t target; /* index into body of the instruction after it; == body_count at the end */
	struct ptx_label *next;
};

/* A kernel (.entry) or function (.func). */
struct ptx_function {
	const char *name;
	bool is_entry, is_visible, is_extern, is_weak, is_noreturn;
	bool is_prototype; /* a .callprototype: a signature without code, for indirect calls */
	bool is_declared;  /* has a declaration before its definition, or needs one */
	bool has_body;
	bool splits_copies; /* contains cp.async, which was parsed as loads and stores */
	const char *errors; /* its errors, as messages; it then has no code (ptx_load). NULL: no errors */
	struct ptx_reg *regs;
	uint32_t reg_count;
	struct ptx_variable *params;  /* in order; size and offset laid out */
	uint32_t param_count;
	uint64_t param_bytes;
	struct ptx_variable *results; /* .func return parameters */
	uint32_t result_count;
	/* Function-scope .shared, .local, .param, .const and .global variables, including those of inner scopes
	 * (call parameters). Scopes are flattened. A name that would clash gets '$' and a number appended; so do
	 * registers. */
	struct ptx_variable *locals;
	struct ptx_inst *body;
	uint32_t body_count;
	struct ptx_label *labels; /* by target */
	struct ptx_function *prototypes; /* prototypes of its indirect calls */
	uint32_t max_threads[3], required_threads[3], min_blocks, max_registers; /* directives; 0 if there is none */
	struct diag_place place;
	const struct ptx_module *module;
	uint32_t index; /* in the module's list; prototypes are not in the list */
	struct ptx_function *next;
};

struct ptx_file { /* .file */
	uint32_t number;
	const char *name;
	struct ptx_file *next;
};

struct ptx_module {
	struct arena arena;
	struct diag_source source; /* name, and a copy of the text */
	uint32_t version_major, version_minor;
	const char *target;   /* "sm_20" */
	uint32_t address_size;
	bool has_copies; /* loaded with copies */
	struct ptx_variable *variables; /* module-scope .global, .const, .shared, texrefs */
	struct ptx_function *functions; /* entries and functions, in order */
	uint32_t function_count;
	struct ptx_file *files;
};

/* Parses and checks a PTX text. Returns NULL when there were errors. `diag` receives all of them: the parser does
 * not stop at the first. */
struct ptx_module *ptx_parse(const char *name, const char *text, size_t length, struct diag *diag);
/* Like ptx_parse(), for a module that is to run. An error inside a kernel or function (an unknown opcode or
 * directive, an undeclared name) is stored with it. The other functions are not affected. Returns NULL for errors
 * that concern the module. */
struct ptx_module *ptx_load(const char *name, const char *text, size_t length, struct diag *diag);
/* Like ptx_load(), for a machine with asynchronous copies from global to shared memory. cp.async and its related
 * instructions stay instructions. */
struct ptx_module *ptx_load_with_copies(const char *name, const char *text, size_t length, struct diag *diag);
void ptx_free(struct ptx_module *module);
/* Parses and checks instructions to be inserted into a function of the module. They may name its registers,
 * variables and labels; branch targets are indexes of its current body. The result lies on the module's arena.
 * Returns NULL after errors; `diag` receives all of them. */
struct ptx_inst *ptx_parse_code(struct ptx_module *module, const struct ptx_function *function, const char *text,
                                uint32_t *count, struct diag *diag);

/* Writes PTX that parses to the same module. Comments, .pragma and debug sections are omitted. */
void ptx_print(const struct ptx_module *module, FILE *file);
/* Writes one instruction as in a function, with ';', without indentation and newline. */
void ptx_print_inst(const struct ptx_function *function, const struct ptx_inst *inst, FILE *file);

/* Return the function or module-scope variable of that name, or NULL. */
struct ptx_function *ptx_find_function(const struct ptx_module *module, const char *name);
struct ptx_variable *ptx_find_variable(const struct ptx_module *module, const char *name);
const char *ptx_file_name(const struct ptx_module *module, uint32_t number); /* name of a .file, or NULL */

/* Return the number of threads of a kernel's largest block by .reqntid or .maxntid, and the most along a dimension.
 * 0: the kernel sets no limit. */
uint64_t ptx_most_block_threads(const struct ptx_function *kernel);
uint64_t ptx_most_threads(const struct ptx_function *kernel, uint32_t dimension);
/* Returns true when the kernel's directives allow a block of that shape. */
bool ptx_allows_block(const struct ptx_function *kernel, const uint32_t block[3]);

/* Properties of types and opcodes. */
const char *ptx_type_name(enum ptx_type type); /* "u32", without the dot */
uint32_t ptx_type_bytes(enum ptx_type type);   /* pred: 1 */
bool ptx_type_is_float(enum ptx_type type);
bool ptx_type_is_signed(enum ptx_type type);
const char *ptx_op_name(enum ptx_opcode op);
enum ptx_opcode ptx_op_find(const char *name); /* PTX_OPCODES: no such opcode */
enum ptx_unit ptx_op_unit(enum ptx_opcode op);          /* of the row in ops.h */
enum ptx_latency ptx_op_latency(enum ptx_opcode op);    /* of the row in ops.h */
enum ptx_latency ptx_inst_latency(const struct ptx_inst *inst); /* of the row, or for matrix products of the shape */
bool ptx_op_is_matrix(enum ptx_opcode op);              /* mma ... movmatrix: operands span all lanes of a warp */
bool ptx_op_is_video(enum ptx_opcode op);               /* vadd ... vset4: three types, parts of registers */
unsigned ptx_op_parts(enum ptx_opcode op);              /* video: parts computed at once: 1, 2 or 4 */
const char *ptx_space_name(enum ptx_space space);
const char *ptx_sreg_name(enum ptx_sreg sreg);          /* "%tid.x" */

/* Returns true for bulk copies, and for instructions that wait for them. */
bool ptx_op_is_bulk(enum ptx_opcode op);

/* Returns true for tex and tld4: no write changes what they read while the kernel runs. */
static inline bool ptx_reads_texture(const struct ptx_inst *inst)
{
	return inst->op == PTX_OP_TEX || inst->op == PTX_OP_TLD4;
}

/* Store the registers that an instruction reads (including guard, address bases and vector elements) or writes.
 * They return the number of ids; `ids` has space for PTX_MAX_IDS. A register that is read twice is stored twice. */
uint32_t ptx_inst_reads(const struct ptx_inst *inst, uint32_t *ids);
uint32_t ptx_inst_writes(const struct ptx_inst *inst, uint32_t *ids);

#endif
