#include "trace/opcodes.h"

#include <stdio.h>
#include <string.h>

enum {
	KEPLER = TRACE_KEPLER,
	MAXWELL = TRACE_MAXWELL,
	PASCAL = TRACE_PASCAL,
	VOLTA = TRACE_VOLTA,
	TURING = TRACE_TURING,
	AMPERE = TRACE_AMPERE,
	HOPPER = TRACE_HOPPER
};

/* Instructions that neither access memory nor wait for it go to the SP unit. */
#define UNIT_OF(kind) ((kind) == SIMT_FENCE || (kind) == SIMT_PREFETCH ? PTX_UNIT_MEM : PTX_UNIT_SP)
#define COMPUTE(...)  COMPUTE_(__VA_ARGS__)
#define COMPUTE_(name, first, last, latency, data, op)                                                                 \
	{name,        first,          last,        SIMT_ALU, PTX_UNIT_SP, PTX_LATENCY_##latency, PTX_DATA_##data,      \
	 PTX_GENERIC, SIMT_NOT_ASYNC, PTX_OP_##op, false},
#define MEMORY(...) MEMORY_(__VA_ARGS__)
#define MEMORY_(name, first, last, kind, space, op)                                                                    \
	{name,         first,       last,           SIMT_##kind, PTX_UNIT_MEM, PTX_LATENCY_MEMORY,                     \
	 PTX_DATA_INT, PTX_##space, SIMT_NOT_ASYNC, PTX_OP_##op, false},
#define COPY(...) COPY_(__VA_ARGS__)
#define COPY_(name, first, last, kind, latency, async, op)                                                             \
	{name,         first,      last,         SIMT_##kind, PTX_UNIT_MEM, PTX_LATENCY_##latency,                     \
	 PTX_DATA_INT, PTX_GLOBAL, SIMT_##async, PTX_OP_##op, false},
#define CONTROL(...) CONTROL_(__VA_ARGS__)
#define CONTROL_(name, first, last, kind, latency, op)                                                                 \
	{name,                                                                                                         \
	 first,                                                                                                        \
	 last,                                                                                                         \
	 SIMT_##kind,                                                                                                  \
	 UNIT_OF(SIMT_##kind),                                                                                         \
	 PTX_LATENCY_##latency,                                                                                        \
	 PTX_DATA_INT,                                                                                                 \
	 PTX_GENERIC,                                                                                                  \
	 SIMT_NOT_ASYNC,                                                                                               \
	 PTX_OP_##op,                                                                                                  \
	 false},
#define BULK(...) BULK_(__VA_ARGS__)
#define BULK_(name, first, last, op)                                                                                   \
	{name,         first,       last,           SIMT_ALU,    PTX_UNIT_SP, PTX_LATENCY_MOVE,                        \
	 PTX_DATA_INT, PTX_GENERIC, SIMT_NOT_ASYNC, PTX_OP_##op, true},

static const struct trace_opcode rows[] = {
#include "trace/sass.h"
};

static const char *const isa_names[] = {"Kepler", "Maxwell", "Pascal", "Volta", "Turing", "Ampere", "Hopper", "PTX"};
_Static_assert(sizeof isa_names / sizeof *isa_names == TRACE_ISAS, "each has a name");

const char *trace_isa_name(enum trace_isa isa)
{
	return isa_names[isa];
}

bool trace_isa_of(uint32_t binary_version, enum trace_isa *isa)
{
	static const struct {
		uint32_t first, last;
		enum trace_isa isa;
	} versions[] = {{30, 37, TRACE_KEPLER}, {50, 53, TRACE_MAXWELL}, {60, 62, TRACE_PASCAL}, {70, 72, TRACE_VOLTA},
	                {75, 75, TRACE_TURING}, {80, 89, TRACE_AMPERE},  {90, 90, TRACE_HOPPER}};
	for (size_t i = 0; i < sizeof versions / sizeof *versions; i++)
		if (binary_version >= versions[i].first && binary_version <= versions[i].last) {
			*isa = versions[i].isa;
			return true;
		}
	return false;
}

uint32_t trace_instruction_bytes(enum trace_isa isa)
{
	return isa >= TRACE_VOLTA && isa <= TRACE_HOPPER ? 16 : 8;
}

const struct trace_opcode *trace_find_opcode(enum trace_isa isa, const char *name, size_t length)
{
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (isa >= rows[i].first && isa <= rows[i].last && strlen(rows[i].name) == length &&
		    memcmp(rows[i].name, name, length) == 0)
			return &rows[i];
	return NULL;
}

/* --- words --- */

/* A word of an opcode, between its dots. */
struct word {
	const char *text;
	size_t length;
};

/* Returns the next word after a dot. Returns false when there is none. */
static bool next_word(const char **rest, const char *end, struct word *word)
{
	if (*rest >= end || **rest != '.')
		return false;
	const char *dot = memchr(*rest + 1, '.', (size_t)(end - *rest - 1));
	word->text = *rest + 1;
	word->length = (size_t)((dot ? dot : end) - word->text);
	*rest = word->text + word->length;
	return true;
}

static bool word_is(const struct word *word, const char *text)
{
	return strlen(text) == word->length && memcmp(word->text, text, word->length) == 0;
}

/* Returns its index in a list of names, or `count`. */
static uint32_t place_in(const struct word *word, const char *const *names, uint32_t count)
{
	uint32_t i = 0;
	while (i < count && !(names[i] && word_is(word, names[i])))
		i++;
	return i;
}

/* --- SASS --- */

/* Sets the latency class of a matrix product from the shape in its suffix: 16816 is 16 x 8 x 16. */
static void take_shape(const struct word *word, struct simt_inst *inst)
{
	static const struct {
		const char *shape;
		enum ptx_latency latency;
	} shapes[] = {{"884", PTX_LATENCY_MMA_256},   {"1684", PTX_LATENCY_MMA_512}, {"1688", PTX_LATENCY_MMA_1K},
	              {"8816", PTX_LATENCY_MMA_1K},   {"16816", PTX_LATENCY_MMA_2K}, {"8832", PTX_LATENCY_MMA_2K},
	              {"16832", PTX_LATENCY_MMA_4K},  {"16864", PTX_LATENCY_MMA_8K}, {"88128", PTX_LATENCY_MMA_8K},
	              {"168128", PTX_LATENCY_MMA_8K}, {"168256", PTX_LATENCY_MMA_8K}};
	for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
		if (word_is(word, shapes[i].shape))
			inst->latency = (uint8_t)shapes[i].latency;
}

/* Sets the bytes per lane: 8, S16, U8, 64, 128. The width that the tracer writes is not always correct. */
static void take_width(const struct word *word, struct simt_inst *inst)
{
	static const char *const bits[] = {"8", "16", "32", "64", "128"};
	struct word number = *word;
	if (number.length > 1 && (*number.text == 'U' || *number.text == 'S')) {
		number.text++;
		number.length--;
	}
	uint32_t k = place_in(&number, bits, 5);
	if (k < 5)
		inst->size = (uint8_t)(1u << k);
}

/* Matrices in shared memory have 8 rows of 16 bytes. Lanes after those that give addresses repeat these addresses. */
static void take_matrices(const struct word *last, struct simt_inst *inst)
{
	inst->size = 16;
	inst->vector = word_is(last, "4") ? 4 : word_is(last, "2") ? 2 : 1;
}

static void take_suffixes(const char *rest, const char *end, struct simt_inst *inst, struct ptx_inst *ptx)
{
	struct word word = {rest, 0};
	bool strong = false, far = false, bypass = false,
	     is_product = inst->latency >= PTX_LATENCY_MMA_256 && inst->latency <= PTX_LATENCY_MMA_8K;
	while (next_word(&rest, end, &word)) {
		if (is_product)
			take_shape(&word, inst);
		else if (inst->unit == PTX_UNIT_MEM)
			take_width(&word, inst);
		strong |= word_is(&word, "STRONG");
		far |= word_is(&word, "GPU") || word_is(&word, "SYS");
		bypass |= word_is(&word, "BYPASS") && inst->async == SIMT_COPY;
		ptx->barrier = word_is(&word, "ARV") && ptx->barrier ? PTX_BARRIER_ARRIVE : ptx->barrier;
	}
	if (ptx->op == PTX_OP_LDMATRIX || ptx->op == PTX_OP_STMATRIX)
		take_matrices(&word, inst);
	ptx->order = strong ? PTX_RELAXED : PTX_ORDER_NONE;
	/* L1 does not hold what other SMs write */
	bool past_l1 = (strong && far && inst->kind == SIMT_LOAD) || bypass;
	inst->cache = (uint8_t)(past_l1 ? PTX_CG : PTX_CACHE_NONE);
}

static const char *describe_sass(enum trace_isa isa, const char *opcode, size_t length, struct simt_inst *inst,
                                 struct ptx_inst *ptx, bool *is_bulk, const char **at)
{
	const char *dot = memchr(opcode, '.', length), *end = opcode + length;
	const struct trace_opcode *row = trace_find_opcode(isa, opcode, (size_t)((dot ? dot : end) - opcode));
	*at = opcode;
	if (!row)
		return "unknown opcode";
	inst->kind = row->kind;
	inst->unit = row->unit;
	inst->latency = row->latency;
	inst->data_type = row->data_type;
	inst->space = row->space;
	inst->async = row->async;
	inst->size = 4;
	ptx->op = row->op;
	ptx->barrier = row->kind == SIMT_BARRIER ? PTX_BARRIER_SYNC : PTX_BARRIER_NONE;
	*is_bulk = row->is_bulk;
	take_suffixes(dot ? dot : end, end, inst, ptx);
	simt_count_operations(inst, row->op, 1 + (*opcode == 'H')); /* HADD2: two in a register */
	return NULL;
}

/* --- PTX: OPCODE.KIND.LATENCY.DATA and, if not the default, .UNIT .SPACE .CACHE .ASYNC .strong .spill .arrive --- */

static const char *const kinds[] = {"alu",    "branch",  "exit",  "load",     "store",
                                    "atomic", "barrier", "fence", "prefetch", "group"};
static const char *const latencies[PTX_LATENCIES] = {
	"move",   "add",    "max",   "mul",   "mad",   "fma",   "mul24",   "mad24",  "div",     "rem",   "special",
	"mma256", "mma512", "mma1k", "mma2k", "mma4k", "mma8k", "shuffle", "branch", "barrier", "memory"};
static const char *const data_types[PTX_DATA_TYPES] = {"int", "fp32", "fp64"};
static const char *const units[PTX_UNITS] = {"sp", "sfu", "mem"}; /* if it is not the opcode's unit */
static const char *const spaces[PTX_SPACES] = {
	[PTX_GENERIC] = "generic", [PTX_CONST] = "const",   [PTX_GLOBAL] = "global", [PTX_LOCAL] = "local",
	[PTX_PARAM] = "param",     [PTX_SHARED] = "shared", [PTX_TEX] = "tex"};
static const char *const caches[] = {[PTX_CA] = "ca", [PTX_CG] = "cg", [PTX_CS] = "cs", [PTX_LU] = "lu",
                                     [PTX_CV] = "cv", [PTX_WB] = "wb", [PTX_WT] = "wt"};
static const char *const asyncs[] = {
	[SIMT_COPY] = "copy",         [SIMT_COMMIT] = "commit", [SIMT_WAIT] = "wait",
	[SIMT_WAIT_ALL] = "wait_all", [SIMT_PHASE] = "phase",   [SIMT_TRY_WAIT] = "try_wait"};
enum {
	KINDS = sizeof kinds / sizeof *kinds,
	CACHES = sizeof caches / sizeof *caches,
	ASYNCS = sizeof asyncs / sizeof *asyncs
};

static bool accesses(const struct simt_inst *inst)
{
	return inst->kind == SIMT_LOAD || inst->kind == SIMT_STORE || inst->kind == SIMT_ATOMIC;
}

/* Returns the default unit. */
static uint8_t unit_of(const struct simt_inst *inst, const struct ptx_inst *ptx)
{
	return (uint8_t)(accesses(inst) ? PTX_UNIT_MEM : ptx_op_unit(ptx->op));
}

/* Returns the opcode with the longest name at the start of the text; some names contain dots. */
static const char *take_name(const char *opcode, const char *end, struct ptx_inst *ptx)
{
	size_t longest = 0;
	for (uint32_t op = 0; op < PTX_OPCODES; op++) {
		const char *name = ptx_op_name((enum ptx_opcode)op);
		size_t length = strlen(name), left = (size_t)(end - opcode);
		bool fits = length > longest && length <= left && memcmp(name, opcode, length) == 0;
		if (fits && (length == left || opcode[length] == '.')) {
			longest = length;
			ptx->op = (enum ptx_opcode)op;
		}
	}
	return longest ? opcode + longest : NULL;
}

static bool take_word(const struct word *word, struct simt_inst *inst, struct ptx_inst *ptx)
{
	uint32_t space = place_in(word, spaces, PTX_SPACES), cache = place_in(word, caches, CACHES);
	uint32_t unit = place_in(word, units, PTX_UNITS), async = place_in(word, asyncs, ASYNCS);
	if (unit < PTX_UNITS)
		inst->unit = (uint8_t)unit;
	else if (space < PTX_SPACES)
		inst->space = (uint8_t)space;
	else if (cache < CACHES)
		inst->cache = (uint8_t)cache;
	else if (async < ASYNCS)
		inst->async = (uint8_t)async;
	else if (word_is(word, "strong"))
		ptx->order = PTX_RELAXED;
	else if (word_is(word, "spill"))
		ptx->is_spill = true;
	else if (word_is(word, "arrive") && ptx->barrier)
		ptx->barrier = PTX_BARRIER_ARRIVE;
	else
		return false;
	return true;
}

static const char *describe_ptx(const char *opcode, size_t length, struct simt_inst *inst, struct ptx_inst *ptx,
                                const char **at)
{
	const char *end = opcode + length, *rest = take_name(opcode, end, ptx);
	struct word kind, latency, data, word;
	*at = opcode;
	if (!rest)
		return "unknown opcode";
	if (!next_word(&rest, end, &kind) || !next_word(&rest, end, &latency) || !next_word(&rest, end, &data))
		return "expected OPCODE.KIND.LATENCY.DATA";
	inst->kind = (uint8_t)place_in(&kind, kinds, KINDS);
	inst->latency = (uint8_t)place_in(&latency, latencies, PTX_LATENCIES);
	inst->data_type = (uint8_t)place_in(&data, data_types, PTX_DATA_TYPES);
	*at = inst->kind == KINDS ? kind.text : inst->latency == PTX_LATENCIES ? latency.text : data.text;
	if (inst->kind == KINDS || inst->latency == PTX_LATENCIES || inst->data_type == PTX_DATA_TYPES)
		return "unknown class";
	inst->unit = unit_of(inst, ptx);
	ptx->barrier = inst->kind == SIMT_BARRIER ? PTX_BARRIER_SYNC : PTX_BARRIER_NONE;
	while (next_word(&rest, end, &word))
		if (!take_word(&word, inst, ptx)) {
			*at = word.text;
			return "unknown suffix";
		}
	simt_count_operations(inst, ptx->op, 1);
	return NULL;
}

/* Appends ".WORD"; NULL appends nothing. */
static void add_word(char *text, size_t size, const char *word)
{
	size_t length = strlen(text);
	if (word)
		snprintf(text + length, size - length, ".%s", word);
}

void trace_print_opcode(const struct simt_inst *inst, char *text, size_t size)
{
	const struct ptx_inst *ptx = inst->ptx;
	bool arrives = inst->kind == SIMT_BARRIER && ptx->barrier == PTX_BARRIER_ARRIVE;
	snprintf(text, size, "%s.%s.%s.%s", ptx_op_name(ptx->op), kinds[inst->kind], latencies[inst->latency],
	         data_types[inst->data_type]);
	add_word(text, size, inst->unit == unit_of(inst, ptx) ? NULL : units[inst->unit]);
	add_word(text, size, accesses(inst) ? spaces[inst->space] : NULL);
	add_word(text, size, caches[inst->cache]);
	add_word(text, size, asyncs[inst->async]);
	add_word(text, size, ptx->order > PTX_WEAK ? "strong" : NULL);
	add_word(text, size, ptx->is_spill ? "spill" : NULL);
	add_word(text, size, arrives ? "arrive" : NULL);
}

const char *trace_describe(enum trace_isa isa, const char *opcode, size_t length, struct simt_inst *inst,
                           struct ptx_inst *ptx, bool *is_bulk, const char **at)
{
	*is_bulk = false;
	if (isa == TRACE_PTX)
		return describe_ptx(opcode, length, inst, ptx, at);
	return describe_sass(isa, opcode, length, inst, ptx, is_bulk, at);
}
