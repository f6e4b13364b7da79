/* check_form: checks an instruction's suffixes and types against the forms of its opcode in ops.h. */
#include "ptx/parse.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void forms_open(struct parser *p)
{
	for (uint32_t i = 0; i < ptx_form_count; i++) {
		const struct form *form = &ptx_forms[i];
		struct op_forms *forms = &p->forms[form->op];
		if (!forms->count++)
			forms->first = form;
		forms->types |= form->types;
		forms->types2 |= form->types2;
	}
}

/* A group of words in a form's suffixes, one of which must be written: "rn|rz|rm|rp?". */
struct group {
	const char *text;
	size_t length;
	bool optional;
};

/* Splits off the next group. Returns false at the end. */
static bool next_group(const char **at, struct group *group)
{
	*at += strspn(*at, " ");
	size_t length = strcspn(*at, " ");
	*group = (struct group){*at, length, length && (*at)[length - 1] == '?'};
	group->length -= group->optional;
	*at += length;
	return length > 0;
}

static bool has_word(const struct group *group, const char *word)
{
	const char *at = group->text, *end = at + group->length;
	size_t length = strlen(word);
	while (at < end) {
		const char *bar = memchr(at, '|', (size_t)(end - at));
		size_t own = (size_t)((bar ? bar : end) - at);
		if (own == length && memcmp(at, word, length) == 0)
			return true;
		at += own + 1;
	}
	return false;
}

/* Differences between an instruction and a form. */
struct misfit {
	const struct form *form;
	struct diag_place place; /* of the first word that the form does not have, or of the opcode */
	uint32_t count;
};

static void note(struct misfit *misfit, struct diag_place place)
{
	if (misfit->count++ == 0)
		misfit->place = place;
}

static bool type_fits(uint64_t types, enum ptx_type type)
{
	return types ? has_type(types, type) && type != PTX_NO_TYPE : type == PTX_NO_TYPE;
}

/* A set of types, without those that differ from the one written. */
static uint64_t same_type(uint64_t types, enum ptx_type type)
{
	return has_type(types, type) ? UINT64_C(1) << type : types;
}

/* Returns the set of a form's type number k. Matrix C has the type of D; only the product of quads adds f16 to f32.
 * The matrices A and B of wmma have one type. */
static uint64_t types_of(const struct form *form, const struct ptx_inst *inst, unsigned k)
{
	uint64_t third = third_types(form), fourth = has_fourth_type(form) ? form->types : 0;
	if (form->op == PTX_OP_WMMA)
		third = same_type(third, inst->type2);
	if (inst->shape != PTX_M8N8K4 || inst->type != PTX_F32)
		fourth = same_type(fourth, inst->type);
	const uint64_t types[] = {form->types, form->types2, third, fourth};
	return types[k];
}

static struct misfit compare(const struct form *form, const struct ptx_inst *inst, const struct written *written)
{
	struct misfit misfit = {.form = form};
	struct group group;
	uint32_t known = 0, missing = 0;
	for (const char *at = form->suffixes; next_group(&at, &group);) {
		uint32_t found = 0;
		for (uint32_t i = 0; i < written->count; i++)
			if (!(known >> i & 1) && has_word(&group, written->suffix[i]->word) && !found++)
				known |= 1u << i;
		missing += !found && !group.optional;
	}
	for (uint32_t i = 0; i < written->count; i++)
		if (!(known >> i & 1))
			note(&misfit, written->place[i]);
	const enum ptx_type type[] = {inst->type, inst->type2, inst->type3, inst->type4};
	for (unsigned k = 0; k < 4; k++)
		if (!type_fits(types_of(form, inst, k), type[k]))
			note(&misfit, type[k] ? written->type[k] : inst->place);
	for (; missing; missing--)
		note(&misfit, inst->place);
	return misfit;
}

/* --- messages about instructions without a form --- */

struct text {
	char *at;
	size_t left;
};

__attribute__((format(printf, 2, 3))) static void add(struct text *text, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	int length = vsnprintf(text->at, text->left, format, arguments);
	va_end(arguments);
	size_t written = length < 0 ? 0 : (size_t)length < text->left ? (size_t)length : text->left - 1;
	text->at += written;
	text->left -= written;
}

/* As in the manual: (.a|.b) means one of them, {.a|.b} at most one. */
static void add_group(struct text *text, const struct group *group)
{
	bool alone = !group->optional && !memchr(group->text, '|', group->length);
	add(text, "%s.", alone ? "" : group->optional ? "{" : "(");
	for (size_t i = 0; i < group->length; i++)
		add(text, group->text[i] == '|' ? "|." : "%c", group->text[i]);
	add(text, "%s", alone ? "" : group->optional ? "}" : ")");
}

static void add_types(struct text *text, uint64_t types, enum ptx_type written)
{
	if (has_type(types, written))
		types = UINT64_C(1) << written;
	bool alone = (types & (types - 1)) == 0;
	const char *before = alone ? "" : "(";
	for (uint64_t rest = types; rest; rest &= rest - 1, before = "|")
		add(text, "%s.%s", before, ptx_type_name((enum ptx_type)__builtin_ctzll(rest)));
	add(text, "%s", alone ? "" : ")");
}

static void describe_form(const struct form *form, const struct ptx_inst *inst, struct text *text)
{
	struct group group;
	add(text, "%s", ptx_ops[form->op].name);
	for (const char *at = form->suffixes; next_group(&at, &group);)
		add_group(text, &group);
	const enum ptx_type type[] = {inst->type, inst->type2, inst->type3, inst->type4};
	for (unsigned k = 0; k < 4; k++)
		if (k < 2 || types_of(form, inst, k))
			add_types(text, types_of(form, inst, k), type[k]);
}

static void describe_written(const struct ptx_inst *inst, const struct written *written, struct text *text)
{
	add(text, "%s", ptx_ops[inst->op].name);
	for (uint32_t i = 0; i < written->count; i++)
		add(text, ".%s", written->suffix[i]->word);
	const enum ptx_type type[] = {inst->type, inst->type2, inst->type3, inst->type4};
	for (unsigned k = 0; k < 4 && type[k]; k++)
		add(text, ".%s", ptx_type_name(type[k]));
}

static bool fail_form(struct parser *p, const struct ptx_inst *inst, const struct written *written,
                      const struct misfit *nearest)
{
	const struct op_forms *forms = &p->forms[inst->op];
	char is[160], expected[256];
	describe_written(inst, written, &(struct text){is, sizeof is});
	describe_form(nearest->form, inst, &(struct text){expected, sizeof expected});
	if (forms->first->types2 && inst->type && !inst->type2)
		return fail(p, inst->place, "'%s' with one type; expected %s", ptx_ops[inst->op].name,
		            has_fourth_type(forms->first)  ? "four"
		            : has_third_type(forms->first) ? "three"
		                                           : "two");
	return fail(p, nearest->place, "there is no '%s'; expected '%s'", is, expected);
}

/* Returns the number in a module's target: 20 for sm_20. */
static unsigned target_number(const char *target)
{
	const char *digits = target ? strpbrk(target, "0123456789") : NULL;
	return digits ? (unsigned)strtoul(digits, NULL, 10) : 0;
}

/* Returns true when the module may contain a form that later targets or versions no longer have. */
static bool check_age(struct parser *p, const struct form *form, const struct ptx_inst *inst)
{
	const struct ptx_module *module = p->module;
	unsigned target = target_number(module->target), version = 100 * module->version_major + module->version_minor;
	if (!is_old_form(form))
		return true;
	switch (form->op) {
	case PTX_OP_MAD:
		return target < 20 ||
		       fail(p, inst->place, "'mad.f32' without a rounding for %s; expected .rn, .rz, .rm or .rp",
		            module->target);
	case PTX_OP_WMMA:
		return version < 605 ||
		       fail(p, inst->place,
		            "'wmma' of floating point with .satfinite in PTX %u.%u; expected none since 6.5",
		            module->version_major, module->version_minor);
	default:
		return true;
	}
}

const struct form *check_form(struct parser *p, const struct ptx_inst *inst, const struct written *written)
{
	const struct op_forms *forms = &p->forms[inst->op];
	struct misfit nearest = {.count = UINT32_MAX};
	for (uint32_t i = 0; i < forms->count; i++) {
		struct misfit misfit = compare(&forms->first[i], inst, written);
		if (misfit.count == 0)
			return check_age(p, misfit.form, inst) ? misfit.form : NULL;
		bool fits = type_fits(misfit.form->types, inst->type);
		if (misfit.count < nearest.count ||
		    (misfit.count == nearest.count && fits && !type_fits(nearest.form->types, inst->type)))
			nearest = misfit;
	}
	fail_form(p, inst, written, &nearest);
	return NULL;
}
