/* print: prints a module as PTX. */
#include "ptx/print.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void print_linkage(bool is_extern, bool is_visible, bool is_weak, bool is_common, FILE *file)
{
	fprintf(file, "%s%s%s%s", is_extern ? ".extern " : "", is_visible ? ".visible " : "", is_weak ? ".weak " : "",
	        is_common ? ".common " : "");
}

/* ".param .align 8 .b8 name[24]" */
static void print_declarator(const struct ptx_variable *variable, FILE *file)
{
	fprintf(file, ".%s ", ptx_space_name(variable->space));
	if (variable->align != ptx_type_bytes(variable->type) * variable->vector)
		fprintf(file, ".align %u ", variable->align);
	if (variable->vector > 1)
		fprintf(file, ".v%u ", variable->vector);
	fprintf(file, ".%s %s", ptx_type_name(variable->type), variable->name);
	for (uint32_t i = 0; i < variable->dimensions; i++) {
		if (variable->dimension[i])
			fprintf(file, "[%" PRIu64 "]", variable->dimension[i]);
		else
			fprintf(file, "[]");
	}
}

static void print_relocation(const struct ptx_relocation *relocation, FILE *file)
{
	fprintf(file, "%s", relocation->symbol ? relocation->symbol->name : relocation->function->name);
	if (relocation->addend)
		fprintf(file, "+%" PRId64, relocation->addend);
}

static void print_value(const struct ptx_variable *variable, uint64_t index, uint32_t *relocation, FILE *file)
{
	uint32_t bytes = ptx_type_bytes(variable->type);
	uint64_t at = index * bytes, bits = 0;
	if (*relocation < variable->relocation_count && variable->relocations[*relocation].offset == at) {
		print_relocation(&variable->relocations[(*relocation)++], file);
		return;
	}
	for (uint32_t i = 0; i < bytes && i < 8; i++)
		bits |= (uint64_t)variable->initial[at + i] << 8 * i;
	if (variable->type == PTX_F32)
		fprintf(file, "0f%08" PRIX64, bits);
	else if (variable->type == PTX_F64)
		fprintf(file, "0d%016" PRIX64, bits);
	else if (ptx_type_is_signed(variable->type))
		fprintf(file, "%" PRId64, (int64_t)(bits << (64 - 8 * bytes)) >> (64 - 8 * bytes));
	else
		fprintf(file, "%" PRIu64, bits);
}

/* Prints the values of dimension `level` in braces; a vector's elements form one more dimension. */
static void print_values(const struct ptx_variable *variable, uint32_t level, uint64_t *index, uint32_t *relocation,
                         FILE *file)
{
	bool is_vector = level == variable->dimensions;
	uint32_t levels = variable->dimensions + (variable->vector > 1);
	if (level == levels) {
		print_value(variable, (*index)++, relocation, file);
		return;
	}
	uint64_t count = is_vector ? variable->vector : variable->dimension[level];
	fputc('{', file);
	for (uint64_t i = 0; i < count; i++) {
		if (i)
			fputs(", ", file);
		print_values(variable, level + 1, index, relocation, file);
	}
	fputc('}', file);
}

static void print_variable(const struct ptx_variable *variable, FILE *file)
{
	print_linkage(variable->is_extern, variable->is_visible, variable->is_weak, variable->is_common, file);
	print_declarator(variable, file);
	if (variable->initial) {
		uint64_t index = 0;
		uint32_t relocation = 0;
		fputs(" = ", file);
		print_values(variable, 0, &index, &relocation, file);
	}
	fputs(";\n", file);
}

static void print_params(const struct ptx_variable *params, uint32_t count, const char *separator, FILE *file)
{
	for (uint32_t i = 0; i < count; i++) {
		fputs(i ? "," : "", file);
		fputs(i || separator[0] == '\n' ? separator : "", file);
		print_declarator(&params[i], file);
	}
}

static void print_threads(const char *directive, const uint32_t threads[3], FILE *file)
{
	if (threads[0] | threads[1] | threads[2])
		fprintf(file, ".%s %u, %u, %u\n", directive, threads[0], threads[1], threads[2]);
}

/* Prints everything before ';' or the body. */
static void print_head(const struct ptx_function *function, bool is_declaration, FILE *file)
{
	print_linkage(function->is_extern && (is_declaration || !function->is_declared), function->is_visible,
	              function->is_weak, false, file);
	fputs(function->is_entry ? ".entry " : ".func ", file);
	if (function->result_count) {
		fputc('(', file);
		print_params(function->results, function->result_count, " ", file);
		fputs(") ", file);
	}
	fprintf(file, "%s(", function->name);
	print_params(function->params, function->param_count, "\n\t", file);
	fputs(function->param_count ? "\n)" : ")", file);
	if (function->is_noreturn)
		fputs(" .noreturn", file);
	if (is_declaration)
		return;
	fputc('\n', file);
	print_threads("maxntid", function->max_threads, file);
	print_threads("reqntid", function->required_threads, file);
	if (function->min_blocks)
		fprintf(file, ".minnctapersm %u\n", function->min_blocks);
	if (function->max_registers)
		fprintf(file, ".maxnreg %u\n", function->max_registers);
}

/* Returns the length of the stem when `name` is the stem followed by `number`, else 0. */
static size_t stem_length(const char *name, uint32_t number)
{
	char digits[16];
	size_t length = strlen(name), digit_count = (size_t)snprintf(digits, sizeof digits, "%u", number);
	if (length <= digit_count || strcmp(name + length - digit_count, digits) != 0)
		return 0;
	return length - digit_count;
}

/* Returns the number of registers from `first` on that one parameterised declaration %r<N> declares. Returns 1 when
 * it cannot declare them. */
static uint32_t family(const struct ptx_function *function, uint32_t first)
{
	const struct ptx_reg *reg = &function->regs[first];
	size_t stem = stem_length(reg->name, 0);
	uint32_t count = 1;
	while (stem && first + count < function->reg_count) {
		const struct ptx_reg *next = &function->regs[first + count];
		if (next->type != reg->type || stem_length(next->name, count) != stem ||
		    strncmp(next->name, reg->name, stem) != 0)
			break;
		count++;
	}
	return count;
}

static void print_registers(const struct ptx_function *function, FILE *file)
{
	uint32_t count;
	for (uint32_t i = 0; i < function->reg_count; i += count) {
		const struct ptx_reg *reg = &function->regs[i];
		count = family(function, i);
		fprintf(file, "\t.reg .%s ", ptx_type_name(reg->type));
		if (count > 1)
			fprintf(file, "%.*s<%u>;\n", (int)stem_length(reg->name, 0), reg->name, count);
		else
			fprintf(file, "%s;\n", reg->name);
	}
}

static void print_prototypes(const struct ptx_function *function, FILE *file)
{
	for (const struct ptx_function *prototype = function->prototypes; prototype; prototype = prototype->next) {
		fprintf(file, "%s: .callprototype (", prototype->name);
		print_params(prototype->results, prototype->result_count, " ", file);
		fputs(") _ (", file);
		print_params(prototype->params, prototype->param_count, " ", file);
		fprintf(file, ")%s;\n", prototype->is_noreturn ? " .noreturn" : "");
	}
}

static bool new_location(const struct ptx_inst *inst, const struct ptx_inst *before)
{
	if (!before)
		return inst->source_file || inst->source_line || inst->source_column;
	return inst->source_file != before->source_file || inst->source_line != before->source_line ||
	       inst->source_column != before->source_column;
}

static void print_code(const struct ptx_function *function, FILE *file)
{
	const struct ptx_label *label = function->labels;
	/* The label by which a target is named: the first one at it. */
	const char **label_at = base_calloc((size_t)function->body_count + 1, sizeof *label_at);
	for (const struct ptx_label *each = function->labels; each; each = each->next)
		if (!label_at[each->target])
			label_at[each->target] = each->name;
	for (uint32_t i = 0; i <= function->body_count; i++) {
		for (; label && label->target == i; label = label->next)
			fprintf(file, "%s:\n", label->name);
		if (i == function->body_count)
			break;
		const struct ptx_inst *inst = &function->body[i];
		if (new_location(inst, i ? inst - 1 : NULL))
			fprintf(file, "\t.loc %u %u %u\n", inst->source_file, inst->source_line, inst->source_column);
		fputc('\t', file);
		print_instruction(function, inst, (const char *const *)label_at, file);
		fputc('\n', file);
	}
	free(label_at);
}

static void print_function(const struct ptx_function *function, FILE *file)
{
	print_head(function, false, file);
	fputs("{\n", file);
	print_registers(function, file);
	for (const struct ptx_variable *local = function->locals; local; local = local->next) {
		fputc('\t', file);
		print_variable(local, file);
	}
	print_prototypes(function, file);
	print_code(function, file);
	fputs("}\n", file);
}

void ptx_print(const struct ptx_module *module, FILE *file)
{
	fprintf(file, ".version %u.%u\n.target %s\n.address_size %u\n", module->version_major, module->version_minor,
	        module->target, module->address_size);
	for (const struct ptx_file *each = module->files; each; each = each->next)
		fprintf(file, "%s.file %u \"%s\"\n", each == module->files ? "\n" : "", each->number, each->name);
	for (const struct ptx_function *function = module->functions; function; function = function->next) {
		if (!function->has_body || function->is_declared) {
			fputc('\n', file);
			print_head(function, true, file);
			fputs(";\n", file);
		}
	}
	for (const struct ptx_variable *variable = module->variables; variable; variable = variable->next) {
		fputs(variable == module->variables ? "\n" : "", file);
		print_variable(variable, file);
	}
	for (const struct ptx_function *function = module->functions; function; function = function->next) {
		if (function->has_body) {
			fputc('\n', file);
			print_function(function, file);
		}
	}
}
