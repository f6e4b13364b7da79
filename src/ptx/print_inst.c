/* print_inst: prints one instruction. */
#include "ptx/parse.h"
#include "ptx/print.h"

#include <inttypes.h>
#include <string.h>

static bool has_word(const char *suffixes, const char *word)
{
	size_t length = strlen(word);
	for (const char *at = suffixes; (at = strstr(at, word)) != NULL; at += length)
		if ((at == suffixes || strchr(" |", at[-1])) && strchr(" |?", at[length]))
			return true;
	return false;
}

/* Returns true when a form of the opcode has the word: .shared::cta, but not its synonym .shared. */
static bool is_word_of(enum ptx_opcode op, const char *word)
{
	for (uint32_t i = 0; i < ptx_form_count; i++)
		if (ptx_forms[i].op == op && has_word(ptx_forms[i].suffixes, word))
			return true;
	return false;
}

static bool are_synonyms(const struct suffix *a, const struct suffix *b)
{
	return a->offset == b->offset && a->value == b->value;
}

/* Prints the first of synonyms that the opcode has. */
static void print_suffixes(const struct ptx_inst *inst, bool behind_types, FILE *file)
{
	uint32_t groups = ptx_ops[inst->op].modifiers;
	for (uint32_t i = 0; i < ptx_suffix_count; i++) {
		const struct suffix *suffix = &ptx_suffixes[i];
		if (!(suffix->groups & groups) || suffix->behind_types != behind_types ||
		    suffix_field(suffix, inst) != suffix->value)
			continue;
		while (i + 1 < ptx_suffix_count && are_synonyms(suffix, &suffix[1]) &&
		       !is_word_of(inst->op, suffix->word))
			suffix = &ptx_suffixes[++i];
		fprintf(file, ".%s", suffix->word);
		while (i + 1 < ptx_suffix_count && are_synonyms(suffix, &ptx_suffixes[i + 1]))
			i++;
	}
}

/* PTX has only register+constant: a negative offset is written +-4. */
static void print_offset(int64_t offset, FILE *file)
{
	if (offset)
		fprintf(file, "+%" PRId64, offset);
}

static void print_operand(const struct ptx_function *function, const struct ptx_operand *operand, FILE *file);

static void print_elements(const struct ptx_function *function, const struct ptx_operand *operand, const char *braces,
                           FILE *file)
{
	fputc(braces[0], file);
	for (uint32_t i = 0; i < operand->count; i++) {
		fputs(i ? ", " : "", file);
		print_operand(function, &operand->element[i], file);
	}
	fputc(braces[1], file);
}

static void print_base(const struct ptx_function *function, const struct ptx_operand *operand, FILE *file)
{
	fputc('[', file);
	if (operand->reg != PTX_NO_REG)
		fputs(function->regs[operand->reg].name, file);
	else if (operand->symbol)
		fputs(operand->symbol->name, file);
	else
		fprintf(file, "%" PRId64, operand->offset);
	if (operand->reg != PTX_NO_REG || operand->symbol)
		print_offset(operand->offset, file);
}

/* Prints the coordinates of a texture. The sampler, stored as the last element, precedes them. */
static void print_coordinates(const struct ptx_function *function, const struct ptx_operand *operand, FILE *file)
{
	struct ptx_operand coordinates = *operand;
	if (operand->has_sampler) {
		print_operand(function, &operand->element[--coordinates.count], file);
		fputs(", ", file);
	}
	print_elements(function, &coordinates, "{}", file);
}

static void print_operand(const struct ptx_function *function, const struct ptx_operand *operand, FILE *file)
{
	switch (operand->kind) {
	case PTX_OPERAND_REG:
		fprintf(file, "%s%s%s%s", operand->negated ? "!" : "", function->regs[operand->reg].name,
		        operand->select[0] ? "." : "", operand->select);
		break;
	case PTX_OPERAND_INT:
		fprintf(file, "%" PRId64, (int64_t)operand->bits);
		break;
	case PTX_OPERAND_FLOAT:
		fprintf(file, operand->is_single ? "0f%08" PRIX64 : "0d%016" PRIX64, operand->bits);
		break;
	case PTX_OPERAND_SREG:
		fputs(ptx_sreg_name(operand->sreg), file);
		break;
	case PTX_OPERAND_SYMBOL:
		fputs(operand->symbol->name, file);
		print_offset(operand->offset, file);
		break;
	case PTX_OPERAND_FUNCTION:
		fputs(operand->function->name, file);
		break;
	case PTX_OPERAND_ADDRESS:
		print_base(function, operand, file);
		fputc(']', file);
		break;
	case PTX_OPERAND_TEXTURE:
		print_base(function, operand, file);
		fputs(", ", file);
		print_coordinates(function, operand, file);
		fputc(']', file);
		break;
	case PTX_OPERAND_VECTOR:
		print_elements(function, operand, "{}", file);
		break;
	case PTX_OPERAND_LIST:
		print_elements(function, operand, "()", file);
		break;
	case PTX_OPERAND_SINK:
		fputc('_', file);
		break;
	case PTX_OPERAND_LABEL: /* the caller prints labels */
	case PTX_OPERAND_NONE:
		break;
	}
}

static const char *label_name(const struct ptx_function *function, uint32_t target)
{
	const struct ptx_label *label = function->labels;
	while (label && label->target != target)
		label = label->next;
	return label ? label->name : "?";
}

static void print_call(const struct ptx_function *function, const struct ptx_inst *inst, FILE *file)
{
	const struct ptx_operand *results = &inst->operand[0], *arguments = &inst->operand[2];
	fputc(' ', file);
	if (results->count) {
		print_operand(function, results, file);
		fputs(", ", file);
	}
	print_operand(function, &inst->operand[1], file);
	if (arguments->count || inst->prototype) {
		fputs(", ", file);
		print_operand(function, arguments, file);
	}
	if (inst->prototype)
		fprintf(file, ", %s", inst->prototype->name);
}

static void print_operands(const struct ptx_function *function, const struct ptx_inst *inst,
                           const char *const *label_at, FILE *file)
{
	bool pairs = strpbrk(inst->pattern, "qQ") && inst->destinations == 2;
	for (uint32_t i = 0; i < inst->operands; i++) {
		const struct ptx_operand *operand = &inst->operand[i];
		fputs(i == 0 ? " " : i == 1 && pairs ? "|" : ", ", file);
		if (operand->kind == PTX_OPERAND_LABEL)
			fputs(label_at ? label_at[operand->target] : label_name(function, operand->target), file);
		else
			print_operand(function, operand, file);
	}
}

static void print_types(const struct ptx_inst *inst, FILE *file)
{
	const enum ptx_type type[] = {inst->type, inst->type2, inst->type3, inst->type4};
	for (unsigned k = 0; k < 4; k++)
		if (type[k] != PTX_NO_TYPE)
			fprintf(file, ".%s", ptx_type_name(type[k]));
}

/* Types of video instructions precede all other suffixes. */
void print_instruction(const struct ptx_function *function, const struct ptx_inst *inst, const char *const *label_at,
                       FILE *file)
{
	if (inst->guard != PTX_NO_REG)
		fprintf(file, "@%s%s ", inst->guard_negated ? "!" : "", function->regs[inst->guard].name);
	fputs(ptx_ops[inst->op].name, file);
	bool types_first = ptx_op_is_video(inst->op);
	if (types_first)
		print_types(inst, file);
	print_suffixes(inst, false, file);
	if (!types_first)
		print_types(inst, file);
	print_suffixes(inst, true, file);
	if (inst->op == PTX_OP_CALL)
		print_call(function, inst, file);
	else
		print_operands(function, inst, label_at, file);
	fputc(';', file);
}

void ptx_print_inst(const struct ptx_function *function, const struct ptx_inst *inst, FILE *file)
{
	print_instruction(function, inst, NULL, file);
}
