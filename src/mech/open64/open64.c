/* open64: a study of code in the form that CUDA 4.0's compiler gives it (README.md). */
#include "flow/pass.h"
#include "seam/mech.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct config {
	bool products, constants, widened;
};

static const struct config defaults = {.products = true, .constants = true, .widened = true};

static const struct base_option options[] = {
	{"products", BASE_OPTION_BOOL, offsetof(struct config, products), 0, 0, NULL, "",
         "an integer product is added by a separate instruction"},
	{"constants", BASE_OPTION_BOOL, offsetof(struct config, constants), 0, 0, NULL, "",
         "each constant that is an operand is moved to a register first"},
	{"widened", BASE_OPTION_BOOL, offsetof(struct config, widened), 0, 0, NULL, "",
         "each widening product comes with a conversion that nothing reads"},
};

struct counters {
	uint64_t products, constants, widened;
};

static const struct base_counter counters[] = {
	{"products", "instructions", BASE_SCOPE_GPU, offsetof(struct counters, products), "inserted for products",
         BASE_COMBINE_SUM},
	{"constants", "instructions", BASE_SCOPE_GPU, offsetof(struct counters, constants), "inserted for constants",
         BASE_COMBINE_SUM},
	{"widened", "instructions", BASE_SCOPE_GPU, offsetof(struct counters, widened), "inserted at widening products",
         BASE_COMBINE_SUM},
};

static bool is_constant(const struct ptx_operand *operand)
{
	return operand->kind == PTX_OPERAND_INT || operand->kind == PTX_OPERAND_FLOAT;
}

/* The type of a register for constants of a type; PTX_NO_TYPE: they stay where they are. */
static enum ptx_type register_type(enum ptx_type type)
{
	switch (type) {
	case PTX_B16:
	case PTX_U16:
	case PTX_S16:
		return PTX_B16;
	case PTX_B32:
	case PTX_U32:
	case PTX_S32:
		return PTX_B32;
	case PTX_B64:
	case PTX_U64:
	case PTX_S64:
		return PTX_B64;
	case PTX_F32:
	case PTX_F64:
		return type;
	default:
		return PTX_NO_TYPE;
	}
}

/* Whether that compiler writes an instruction with a constant: integer sums, shifts, bits, products and moves. */
static bool takes_constants(const struct ptx_inst *inst)
{
	switch (inst->op) {
	case PTX_OP_ADD:
	case PTX_OP_SUB:
	case PTX_OP_MUL:
		return inst->type != PTX_F32 && inst->type != PTX_F64;
	case PTX_OP_FMA:
	case PTX_OP_MAD:
	case PTX_OP_MUL24:
	case PTX_OP_DIV:
	case PTX_OP_REM:
	case PTX_OP_MIN:
	case PTX_OP_MAX:
	case PTX_OP_SETP:
	case PTX_OP_OR:
	case PTX_OP_XOR:
	case PTX_OP_ST:
		return false;
	default:
		return true;
	}
}

/* The code's registers: which constant each one holds always, and how many instructions read it. */
struct registers {
	const struct ptx_operand **constant; /* of its only definition; NULL: it has none, or another one */
	uint32_t *writes, *reads, *definition, count;
};

static struct registers find_registers(struct pass_job *job)
{
	uint32_t count = job->function->reg_count, ids[PTX_MAX_IDS];
	struct registers found = {
		.count = count,
		.constant = (const struct ptx_operand **)pass_alloc(job, count * sizeof(const struct ptx_operand *)),
		.writes = (uint32_t *)pass_alloc(job, count * sizeof(uint32_t)),
		.reads = (uint32_t *)pass_alloc(job, count * sizeof(uint32_t)),
		.definition = (uint32_t *)pass_alloc(job, count * sizeof(uint32_t)),
	};
	for (uint32_t at = 0; at < job->function->body_count; at++) {
		const struct ptx_inst *inst = &job->function->body[at];
		for (uint32_t i = pass_reads(job, inst, ids); i-- > 0;)
			found.reads[ids[i]]++;
		for (uint32_t i = pass_writes(job, inst, ids); i-- > 0;) {
			bool moves =
				inst->op == PTX_OP_MOV && inst->guard == PTX_NO_REG && is_constant(&inst->operand[1]);
			found.constant[ids[i]] = moves && !found.writes[ids[i]] ? &inst->operand[1] : NULL;
			found.writes[ids[i]]++;
			found.definition[ids[i]] = at;
		}
	}
	return found;
}

/* Moves the constants among an instruction's sources to new registers, also those that another register holds. */
static bool move_constants(struct pass_job *job, const struct registers *registers, uint32_t at)
{
	struct ptx_inst *inst = &job->function->body[at];
	const char *letter = inst->pattern ? strchr(inst->pattern, '>') : NULL;
	if (takes_constants(inst) || !letter)
		return true;
	for (uint32_t i = inst->destinations; i < inst->operands && *++letter; i++) {
		struct ptx_operand *operand = &inst->operand[i];
		enum ptx_type type = *letter == 't' || *letter == 'T' ? register_type(inst->type) : PTX_NO_TYPE;
		const struct ptx_operand *constant = operand;
		if (operand->kind == PTX_OPERAND_REG)
			constant = operand->reg < registers->count ? registers->constant[operand->reg] : NULL;
		if (type == PTX_NO_TYPE || !constant || !is_constant(constant))
			continue;
		struct ptx_reg reg = pass_register(job, type);
		char text[128];
		if (constant->kind == PTX_OPERAND_INT)
			snprintf(text, sizeof text, "mov.%s %s, %" PRId64 ";", ptx_type_name(type), reg.name,
			         (int64_t)constant->bits);
		else if (constant->is_single)
			snprintf(text, sizeof text, "mov.f32 %s, 0f%08" PRIX64 ";", reg.name, constant->bits);
		else
			snprintf(text, sizeof text, "mov.%s %s, 0d%016" PRIX64 ";", ptx_type_name(type), reg.name,
			         constant->bits);
		((struct counters *)job->counters)->constants++;
		if (!pass_add_text(job, pass_before(job, at), text))
			return false;
		if (operand->kind == PTX_OPERAND_REG && --registers->reads[operand->reg] == 0)
			pass_remove(job, registers->definition[operand->reg]);
		*operand = (struct ptx_operand){.kind = PTX_OPERAND_REG, .reg = reg.id, .place = operand->place};
	}
	return true;
}

static bool convert_to_nothing(struct pass_job *job, uint32_t at, const struct ptx_inst *inst)
{
	const char *from = inst->type == PTX_S32 ? "s" : "u";
	char text[128];
	if (inst->operand[1].kind != PTX_OPERAND_REG || (inst->type != PTX_S32 && inst->type != PTX_U32))
		return true;
	snprintf(text, sizeof text, "cvt.%s64.%s32 %s, %s;", from, from, pass_register(job, PTX_B64).name,
	         job->function->regs[inst->operand[1].reg].name);
	((struct counters *)job->counters)->widened++;
	return pass_add_text(job, pass_before(job, at), text);
}

static void operand_text(const struct pass_job *job, const struct ptx_operand *operand, char *text, size_t size)
{
	if (operand->kind == PTX_OPERAND_REG)
		snprintf(text, size, "%s", job->function->regs[operand->reg].name);
	else
		snprintf(text, size, "%" PRId64, (int64_t)operand->bits);
}

static bool is_value(const struct ptx_operand *operand)
{
	return operand->kind == PTX_OPERAND_REG || operand->kind == PTX_OPERAND_INT;
}

/* An integer mad of 32 or 64 bits that has no guard: its product, and a sum. */
static bool is_joined(const struct ptx_inst *inst)
{
	enum ptx_type type = register_type(inst->type);
	return inst->op == PTX_OP_MAD && (type == PTX_B32 || type == PTX_B64) && inst->guard == PTX_NO_REG &&
	       (inst->half == PTX_LO || inst->half == PTX_WIDE) && !inst->sat && !inst->carry_out &&
	       is_value(&inst->operand[1]) && is_value(&inst->operand[2]) && is_value(&inst->operand[3]);
}

static bool split_product(struct pass_job *job, uint32_t at)
{
	const struct ptx_inst *inst = &job->function->body[at];
	bool wide = inst->half == PTX_WIDE;
	const char *type = ptx_type_name(inst->type), *sum = !wide ? type : inst->type == PTX_S32 ? "s64" : "u64";
	struct ptx_reg product = pass_register(job, wide || register_type(inst->type) == PTX_B64 ? PTX_B64 : PTX_B32);
	char operand[4][64], text[320];
	for (int i = 0; i < 4; i++)
		operand_text(job, &inst->operand[i], operand[i], sizeof operand[i]);
	snprintf(text, sizeof text, "mul.%s.%s %s, %s, %s;\nadd.%s %s, %s, %s;", wide ? "wide" : "lo", type,
	         product.name, operand[1], operand[2], sum, operand[0], product.name, operand[3]);
	((struct counters *)job->counters)->products++;
	if (!pass_add_text(job, pass_before(job, at), text))
		return false;
	pass_remove(job, at);
	return true;
}

static enum pass_result run(struct pass_job *job)
{
	const struct config *config = job->config;
	struct registers registers = find_registers(job);
	uint32_t count = job->function->body_count;
	for (uint32_t at = 0; at < count; at++) {
		const struct ptx_inst *inst = &job->function->body[at];
		bool done = true;
		if (config->widened && (inst->op == PTX_OP_MUL || inst->op == PTX_OP_MAD) && inst->half == PTX_WIDE)
			done = convert_to_nothing(job, at, inst);
		if (done && config->products && is_joined(inst))
			done = split_product(job, at);
		else if (done && config->constants)
			done = move_constants(job, &registers, at);
		if (!done)
			return PASS_REFUSED;
	}
	return PASS_LEFT; /* recorded edits count as changes without this result */
}

static const struct flow_pass pass = {
	.name = "open64",
	.meaning = "writes products, constants and conversions as CUDA 4.0's compiler does",
	.stem = "open",
	.keeps = ANALYSES_NONE,
	.options = options,
	.option_count = sizeof options / sizeof *options,
	.config_size = sizeof(struct config),
	.defaults = &defaults,
	.counters = counters,
	.counter_count = sizeof counters / sizeof *counters,
	.counters_size = sizeof(struct counters),
	.run = run,
};

static const struct flow_pass *const passes[] = {&pass};

static void rewrite(const void *config_, const struct mech_machine *machine, char *text, size_t size)
{
	const struct config *config = config_;
	(void)machine;
	snprintf(text, size, "open64:products=%s,constants=%s,widened=%s", config->products ? "yes" : "no",
	         config->constants ? "yes" : "no", config->widened ? "yes" : "no");
}

const struct mech mech_open64 = {
	.version = MECH_VERSION,
	.name = "open64",
	.summary = "study: code in the form that CUDA 4.0's compiler, Open64, gives it",
	.citation = "for V. Jatala, J. Anantpur, A. Karkare: Scratchpad Sharing in GPUs, 2016, Tables 4 and 11",
	.options = options,
	.option_count = sizeof options / sizeof *options,
	.config_size = sizeof(struct config),
	.defaults = &defaults,
	.passes = passes,
	.pass_count = sizeof passes / sizeof *passes,
	.rewrite = rewrite,
	.kernels = MECH_EACH_KERNEL,
};
