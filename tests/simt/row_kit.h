/* row_kit: generates every instruction that a form of ops.h allows, with its operands for simt_ops.h. It describes an
 * instruction by its words and its own type names, independent of the parser. */
#ifndef SLUICE_TESTS_ROW_KIT_H
#define SLUICE_TESTS_ROW_KIT_H

#include "ptx/parse.h" /* first: cmocka.h has a macro fail */

#include "simt_ops.h"

enum { ROW_WORDS = 8, ROW_GROUPS = 10, ROW_CHOICES = 20 /* more words than any group has */ };

/* A type as in the manual. kind: u, s, b, f, h (f16), o (bf16), t (tf32), p; 5 (e5m2), 4 (e4m3), 3 (e3m2), 2 (e2m3), 1
 * (e2m1) */
struct row_type {
	const char *name;
	unsigned bits;
	char kind;
	unsigned parts;
};

static const struct row_type row_types[PTX_TYPES] = {
	[PTX_NO_TYPE] = {"", 0, ' ', 1},       [PTX_PRED] = {"pred", 1, 'p', 1},      [PTX_B8] = {"b8", 8, 'b', 1},
	[PTX_B16] = {"b16", 16, 'b', 1},       [PTX_B32] = {"b32", 32, 'b', 1},       [PTX_B64] = {"b64", 64, 'b', 1},
	[PTX_B128] = {"b128", 128, 'b', 1},   [PTX_U8] = {"u8", 8, 'u', 1},	       [PTX_U16] = {"u16", 16, 'u', 1},	      [PTX_U32] = {"u32", 32, 'u', 1},
	[PTX_U64] = {"u64", 64, 'u', 1},       [PTX_S8] = {"s8", 8, 's', 1},	      [PTX_S16] = {"s16", 16, 's', 1},
	[PTX_S32] = {"s32", 32, 's', 1},       [PTX_S64] = {"s64", 64, 's', 1},	      [PTX_F16] = {"f16", 16, 'h', 1},
	[PTX_F16X2] = {"f16x2", 32, 'h', 2},   [PTX_BF16] = {"bf16", 16, 'o', 1},     [PTX_BF16X2] = {"bf16x2", 32, 'o', 2},
	[PTX_TF32] = {"tf32", 32, 't', 1},     [PTX_F32] = {"f32", 32, 'f', 1},	      [PTX_F64] = {"f64", 64, 'f', 1},
	[PTX_U2] = {"u2", 2, 'u', 1},	       [PTX_S2] = {"s2", 2, 's', 1},	      [PTX_U4] = {"u4", 4, 'u', 1},
	[PTX_S4] = {"s4", 4, 's', 1},	       [PTX_E4M3X2] = {"e4m3x2", 16, '4', 2}, [PTX_E5M2X2] = {"e5m2x2", 16, '5', 2},
	[PTX_E2M3X2] = {"e2m3x2", 16, '2', 2}, [PTX_E3M2X2] = {"e3m2x2", 16, '3', 2}, [PTX_E2M1X2] = {"e2m1x2", 8, '1', 2},
	[PTX_F32X2] = {"f32x2", 64, 'f', 2},    [PTX_U16X2] = {"u16x2", 32, 'u', 2},   [PTX_S16X2] = {"s16x2", 32, 's', 2},
};

/* An instruction under construction. Operand k of the sources is source k + 1 of simt_ops.h. */
struct row {
	const struct form *form;
	const char *op;
	struct row_type type[3];
	char words[ROW_WORDS][40]; /* chosen from the form's groups */
	unsigned count;
	char text[512];
	char destination;                         /* for ops_run */
	unsigned bits;                            /* of the result */
	struct row_type source[SIMT_MAX_SOURCES]; /* of each source register; .kind ' ': none */
	char select[3][8];                        /* video: of destination and sources */
	unsigned table;                           /* lop3's constant */
	bool second;                              /* with a second predicate destination */
	bool negated;                             /* the source predicate */
	bool merges;
};

static inline bool row_has(const struct row *row, const char *word)
{
	for (unsigned k = 0; k < row->count; k++)
		if (strcmp(row->words[k], word) == 0)
			return true;
	return false;
}

static inline bool row_is(const struct row *row, const char *op)
{
	return strcmp(row->op, op) == 0;
}

/* Chooses words: word `word` of group `group` (0: no word, if it is optional), and any words of the other groups.
 * Returns false if the group has no such word or the word is required. */
static inline bool row_words(struct row *row, unsigned group, unsigned word, uint64_t *random)
{
	const char *at = row->form->suffixes;
	row->count = 0;
	bool found = group == UINT32_MAX;
	for (unsigned g = 0;; g++) {
		at += strspn(at, " ");
		size_t length = strcspn(at, " ");
		if (!length)
			return found;
		bool optional = at[length - 1] == '?';
		size_t own = length - optional;
		unsigned words = 1;
		for (size_t i = 0; i < own; i++)
			words += at[i] == '|';
		unsigned choice = g == group ? word : !optional + (unsigned)(kit_random(random) % (words + optional));
		if (choice > words || (!choice && !optional))
			return false;
		found |= g == group;
		const char *from = at, *end = at + own;
		for (unsigned skip = 1; skip < choice; skip++)
			from = (const char *)memchr(from, '|', (size_t)(end - from)) + 1;
		const char *bar = memchr(from, '|', (size_t)(end - from));
		if (choice)
			snprintf(row->words[row->count++], sizeof row->words[0], "%.*s", (int)((bar ? bar : end) - from), from);
		at += length;
	}
}

static inline char row_class(unsigned bits)
{
	return bits == 64 ? 'd' : bits == 32 ? 'r' : bits == 1 ? 'p' : 'h';
}

static inline struct row_type row_letter(const struct row *row, char letter)
{
	static const struct row_type u32 = {"u32", 32, 'u', 1}, pred = {"pred", 1, 'p', 1};
	struct row_type type = row->type[0];
	switch (letter) {
	case 's':
		return row->type[1];
	case 'u':
	case 'j':
	case 'n':
	case 'V':
		return u32;
	case 'p':
	case 'q':
	case 'Q':
		return pred;
	case 'w':
		type.bits *= row_has(row, "wide") ? 2 : 1;
		return type;
	default:
		return type;
	}
}

/* A selector of a video instruction, or no selector. */
static inline void row_select(struct row *row, unsigned operand, uint64_t *random)
{
	static const char *const one[] = {"b0", "b1", "b2", "b3", "h0", "h1"}, *const to_two[] = {"h0", "h1", "h10"},
				 *const to_four[] = {"b3210", "b2", "b31", "b210", "b3", "b0"};
	size_t length = strlen(row->op);
	char last = row->op[length - 1];
	char *select = row->select[operand];
	uint64_t any = kit_random(random);
	select[0] = '\0';
	if (last != '2' && last != '4') {
		if (operand == 0 ? row->merges : any % 2 != 0)
			strcpy(select, one[(any >> 8) % 6]);
		return;
	}
	if (any % 3 == 0)
		return;
	if (operand == 0)
		strcpy(select, last == '2' ? to_two[(any >> 8) % 3] : to_four[(any >> 8) % 6]);
	else if (last == '2')
		snprintf(select, sizeof row->select[0], "h%u%u", (unsigned)(any >> 8 & 3), (unsigned)(any >> 10 & 3));
	else
		snprintf(select, sizeof row->select[0], "b%u%u%u%u", (unsigned)(any >> 8 & 7), (unsigned)(any >> 11 & 7),
			 (unsigned)(any >> 14 & 7), (unsigned)(any >> 17 & 7));
}

__attribute__((format(printf, 2, 3))) static inline void row_add(struct row *row, const char *format, ...)
{
	size_t length = strlen(row->text);
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(row->text + length, sizeof row->text - length, format, arguments);
	va_end(arguments);
}

/* Writes the operands: destination 0, second destination %p2, sources 1 and up; predicates %p1. */
static inline void row_operands(struct row *row, uint64_t *random)
{
	unsigned destinations = 0, sources = 0, registers = 0;
	bool destination = true;
	for (const char *letter = row->form->operands; *letter; letter++) {
		struct row_type type = row_letter(row, *letter);
		if (*letter == '>') {
			destination = false;
			continue;
		}
		if (*letter == '?' || (letter[1] == '?' && !row->merges) || (*letter == 'q' && !row->second))
			continue;
		bool paired = *letter == 'q' || *letter == 'Q';
		row_add(row, paired ? "|" : registers ? ", " : " ");
		if (destination && destinations++ == 0) {
			row->destination = row_class(type.bits);
			row->bits = type.bits;
		}
		bool is_table = row_is(row, "lop3") && sources == 3;
		if (is_table)
			row_add(row, "%u", row->table);
		else if (paired)
			row_add(row, "%%p2");
		else if (type.bits == 1 && !destination && *letter == 'p')
			row_add(row, "%s%%p1", row->negated ? "!" : "");
		else if (type.bits == 1 && !destination)
			row_add(row, "%%p%u", sources + 3);
		else
			row_add(row, "%%%c%u", row_class(type.bits), destination ? 0 : sources + 1);
		if (*letter == 'V') {
			row_select(row, registers, random);
			row_add(row, "%s%s", row->select[registers][0] ? "." : "", row->select[registers]);
		}
		if (!destination)
			row->source[sources++] = is_table ? (struct row_type){.kind = ' '} : type;
		registers++;
	}
}

static inline void row_write(struct row *row, uint64_t *random)
{
	row->text[0] = '\0';
	memset(row->source, 0, sizeof row->source);
	row->table = (unsigned)(kit_random(random) & 255);
	row->negated = kit_random(random) & 1;
	row->merges = kit_random(random) & 1 && strstr(row->form->operands, "u?");
	row->second = strchr(row->form->operands, 'Q') ||
		      (strchr(row->form->operands, 'q') && (row->type[0].parts > 1 || kit_random(random) & 1));
	if (row->type[0].kind == 'p') /* %p3, %p4: the low bits of sources 1 and 2 */
		row_add(row, "and.b32 %%r5, %%r1, 1; setp.eq.u32 %%p3, %%r5, 1; and.b32 %%r5, %%r2, 1; setp.eq.u32 %%p4, %%r5, 1; ");
	row_add(row, "%s", row->op);
	for (unsigned k = 0; k < row->count; k++)
		row_add(row, ".%s", row->words[k]);
	for (unsigned k = 0; k < 3; k++)
		if (row->type[k].bits)
			row_add(row, ".%s", row->type[k].name);
	row_operands(row, random);
}

#endif
