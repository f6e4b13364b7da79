/* parse_indexed: brx.idx, a branch by an index into a list that .branchtargets defines. It becomes a binary search
 * of comparisons and branches. These are written as text in a separate scope, and parsed like any other text. */
#include "ptx/parse.h"

#include <stdlib.h>
#include <string.h>

/* The labels of a .branchtargets directive. */
struct targets {
	struct name **label;
	uint32_t count; /* 0: the directive had an error, which has been reported */
};

enum { MOST_TARGETS = 4096 };

bool parse_targets(struct parser *p, struct name *name, struct diag_place place)
{
	struct name *label[MOST_TARGETS];
	uint32_t count = 0;
	struct targets *targets = arena_alloc(&p->scratch, sizeof *targets);
	struct symbol *symbol = declare(p, SYMBOL_TARGETS, name, place, NULL);
	if (!symbol)
		return false;
	symbol->targets = targets;
	do {
		next_token(p); /* .branchtargets, or ',' */
		if (count == MOST_TARGETS)
			return fail(p, p->token.place, "too many targets; expected at most %d", MOST_TARGETS);
		if (!expect_word(p, &label[count], "a label"))
			return false;
		count++;
	} while (at_punct(p, ','));
	targets->label = arena_array(&p->scratch, count, sizeof *label);
	targets->count = count;
	memcpy(targets->label, label, count * sizeof *label);
	return expect_semicolon(p);
}

/* Writes the search for the target among indexes `first` to `last`, which contain the index. */
static void write_search(FILE *file, const struct targets *targets, const struct name *index, uint32_t first,
                         uint32_t last)
{
	if (first == last) {
		fprintf(file, "bra %.*s; ", (int)targets->label[first]->length, targets->label[first]->text);
		return;
	}
	uint32_t middle = first + (last - first) / 2 + 1;
	fprintf(file, "setp.lt.u32 %%brx, %.*s, %u; @!%%brx bra $brx_from_%u; ", (int)index->length, index->text,
	        middle, middle);
	write_search(file, targets, index, first, middle - 1);
	fprintf(file, "$brx_from_%u: ", middle);
	write_search(file, targets, index, middle, last);
}

/* All on one line, so that every instruction has the place of the branch. */
static char *write_branch(const struct parser *p, const struct targets *targets, const struct name *index,
                          struct guard guard, size_t *length)
{
	char *text = NULL;
	FILE *file = open_memstream(&text, length);
	fputs("{ .reg .pred %brx; ", file);
	if (guard.reg != PTX_NO_REG)
		fprintf(file, "@%s%s bra $brx_behind; ", guard.negated ? "" : "!", p->regs[guard.reg].name);
	if (targets->count == 1) /* this comparison checks the index against the table */
		fprintf(file, "setp.lt.u32 %%brx, %.*s, 1; ", (int)index->length, index->text);
	write_search(file, targets, index, 0, targets->count - 1);
	if (guard.reg != PTX_NO_REG)
		fputs("$brx_behind: ", file);
	fputs("}", file);
	fclose(file);
	return text;
}

/* The current token follows "brx". */
bool parse_indexed_branch(struct parser *p, struct diag_place place, struct guard guard)
{
	struct name *index, *list;
	if (!accept_dot(p, "idx"))
		return fail_expected(p, "'.idx'");
	accept_dot(p, "uni");
	if (!expect_word(p, &index, "a register") || !expect_punct(p, ','))
		return false;
	struct diag_place list_place = p->token.place;
	if (!expect_word(p, &list, "the label of a .branchtargets directive"))
		return false;
	const struct symbol *symbol = lookup(p, list);
	if (!symbol || symbol->kind != SYMBOL_TARGETS)
		return fail(p, list_place, "unknown list '%.*s'; expected the label of a .branchtargets directive",
		            (int)list->length, list->text);
	if (!expect_semicolon(p) || !symbol->targets->count)
		return false;
	size_t length;
	char *written = write_branch(p, symbol->targets, index, guard, &length);
	char *text = arena_string(&p->scratch, written, length);
	free(written);
	uint32_t first = p->body_count + (guard.reg != PTX_NO_REG);
	if (!parse_inserted(p, text, length, place))
		return false;
	p->body[first].targets = symbol->targets->count;
	return true;
}
