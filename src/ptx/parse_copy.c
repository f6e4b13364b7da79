/* parse_copy: cp.async, a copy from global to shared memory. For a machine without that instruction it becomes the
 * load and store that compilers generate in its place. The copy is complete when the store is, so its groups have
 * nothing to wait for. */
#include "ptx/parse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A piece of the file's text. */
struct piece {
	const char *text;
	int length;
};

struct copy {
	struct piece to, from; /* addresses, without brackets */
	struct piece size;     /* number of bytes read; length 0: all */
	bool is_ignored;       /* `size` is a predicate: if true, no bytes are read */
	const char *cache;
	uint64_t bytes;
	const char *guard, *sign; /* a predicate, or NULL, and "!" or "" before it */
};

static bool parse_bracketed(struct parser *p, struct piece *piece)
{
	if (!expect_punct(p, '['))
		return false;
	piece->text = p->token.text;
	while (!at_punct(p, ']')) {
		if (p->token.kind == TOKEN_END || at_punct(p, ';') || at_punct(p, '['))
			return fail_expected(p, "']'");
		next_token(p);
	}
	piece->length = (int)(p->token.text - piece->text);
	next_token(p);
	return true;
}

/* .ca.shared.global and hints, none of which has an effect here. */
static bool parse_kind(struct parser *p, struct copy *copy)
{
	copy->cache = at_dot(p, "cg") ? "cg" : "ca";
	if (!accept_dot(p, "ca") && !accept_dot(p, "cg"))
		return fail_expected(p, "'.ca', '.cg', '.commit_group', '.wait_group' or '.wait_all'");
	if ((!accept_dot(p, "shared") && !accept_dot(p, "shared::cta")) || !accept_dot(p, "global"))
		return fail_expected(p, "'.shared.global'");
	accept_dot(p, "L2::cache_hint");
	if (!accept_dot(p, "L2::64B") && !accept_dot(p, "L2::128B"))
		accept_dot(p, "L2::256B");
	return true;
}

/* Parses the number of bytes read, or the predicate that disables the read. A 64-bit register is a cache policy
 * instead. */
static bool parse_size(struct parser *p, struct copy *copy)
{
	const struct symbol *symbol = p->token.kind == TOKEN_WORD ? lookup(p, p->token.name) : NULL;
	bool is_register = symbol && symbol->kind == SYMBOL_REG;
	if (p->token.kind != TOKEN_INT && !is_register)
		return fail_expected(p, "a number of bytes or a predicate");
	if (!is_register || ptx_type_bytes(p->regs[symbol->reg].type) != 8) {
		copy->size = (struct piece){p->token.text, (int)p->token.length};
		copy->is_ignored = is_register && p->regs[symbol->reg].type == PTX_PRED;
	}
	next_token(p);
	return true;
}

static bool parse_copy(struct parser *p, struct copy *copy)
{
	if (!parse_kind(p, copy) || !parse_bracketed(p, &copy->to) || !expect_punct(p, ',') ||
	    !parse_bracketed(p, &copy->from) || !expect_punct(p, ','))
		return false;
	struct diag_place place = p->token.place;
	if (!expect_int(p, &copy->bytes, 16, "4, 8 or 16 bytes"))
		return false;
	if (copy->bytes != 4 && copy->bytes != 8 && copy->bytes != 16)
		return fail(p, place, "a copy of %u bytes; expected 4, 8 or 16", (unsigned)copy->bytes);
	while (accept_punct(p, ','))
		if (!parse_size(p, copy))
			return false;
	return expect_semicolon(p);
}

/* Copies of which only some bytes or none are read: the other bytes are zero. */
static void write_part(FILE *file, const struct copy *copy)
{
	for (unsigned k = 0; k < copy->bytes / 4; k++) {
		fprintf(file, "mov.b32 %%cp%u, 0; ", k);
		if (copy->is_ignored)
			fprintf(file, "not.pred %%cpq, %.*s; ", copy->size.length, copy->size.text);
		else
			fprintf(file, "setp.gt.u32 %%cpq, %.*s, %u; ", copy->size.length, copy->size.text, 4 * k);
		if (copy->guard)
			fprintf(file, "mov.pred %%cpg, %s%s; and.pred %%cpq, %%cpq, %%cpg; ", copy->sign, copy->guard);
		fprintf(file, "@%%cpq ld.global.%s.b32 %%cp%u, [%.*s+%u]; ", copy->cache, k, copy->from.length,
		        copy->from.text, 4 * k);
		if (!copy->is_ignored)
			fprintf(file,
			        "sub.u32 %%cpb, %.*s, %u; min.u32 %%cpb, %%cpb, 4; shl.b32 %%cpb, %%cpb, 3; "
			        "bmsk.clamp.b32 %%cpb, 0, %%cpb; "
			        "@%%cpq and.b32 %%cp%u, %%cp%u, %%cpb; ",
			        copy->size.length, copy->size.text, 4 * k, k, k);
	}
}

static void write_guard(FILE *file, const struct copy *copy)
{
	if (copy->guard)
		fprintf(file, "@%s%s ", copy->sign, copy->guard);
}

static char *write_copy(const struct copy *copy, size_t *length)
{
	static const char *const registers[] = {[4] = "%cp0", [8] = "{%cp0, %cp1}", [16] = "{%cp0, %cp1, %cp2, %cp3}"};
	static const char *const vector[] = {[4] = "", [8] = ".v2", [16] = ".v4"};
	const char *words = registers[copy->bytes], *count = vector[copy->bytes];
	char *text = NULL;
	FILE *file = open_memstream(&text, length);
	fputs("{ .reg .b32 %cp<4>, %cpb; .reg .pred %cpq, %cpg; ", file);
	if (copy->size.length) {
		write_part(file, copy);
	} else {
		write_guard(file, copy);
		fprintf(file, "ld.global.%s%s.b32 %s, [%.*s]; ", copy->cache, count, words, copy->from.length,
		        copy->from.text);
	}
	write_guard(file, copy);
	fprintf(file, "st.shared%s.b32 [%.*s], %s; }", count, copy->to.length, copy->to.text, words);
	fclose(file);
	return text;
}

/* The copies are already complete, so their arrival happens at once. Without .noinc the pending count does not
 * change. */
static bool parse_arrival(struct parser *p, struct diag_place place, struct guard guard)
{
	struct piece address = {0};
	if (!accept_dot(p, "arrive"))
		return fail_expected(p, "'.arrive'");
	bool counts = accept_dot(p, "noinc");
	bool is_shared = accept_dot(p, "shared") || accept_dot(p, "shared::cta");
	if (!accept_dot(p, "b64"))
		return fail_expected(p, "'.b64'");
	if (!parse_bracketed(p, &address) || !expect_semicolon(p))
		return false;
	char *text = arena_alloc(&p->scratch, (size_t)address.length + 64);
	int length = sprintf(text, "{ mbarrier.arrive%s.b64 _, [%.*s]; }", is_shared ? ".shared" : "", address.length,
	                     address.text);
	uint32_t first = p->body_count;
	if (!counts)
		return true;
	bool good = parse_inserted(p, text, (size_t)length, place);
	for (uint32_t k = first; k < p->body_count; k++) {
		p->body[k].guard = guard.reg;
		p->body[k].guard_negated = guard.negated;
	}
	return good;
}

/* Returns the whole opcode, for machines with copies; the current token follows "cp.async". */
static struct name *kept_opcode(struct parser *p)
{
	static const char *const rest[] = {"commit_group", "wait_group", "wait_all", "mbarrier"};
	static const char *const whole[] = {"cp.async.commit_group", "cp.async.wait_group", "cp.async.wait_all",
	                                    "cp.async.mbarrier.arrive"};
	const char *name = "cp.async";
	for (unsigned k = 0; k < sizeof rest / sizeof *rest; k++)
		if (accept_dot(p, rest[k]))
			name = whole[k];
	if (name == whole[3] && !accept_dot(p, "arrive")) {
		fail_expected(p, "'.arrive'");
		return NULL;
	}
	return intern(p, name, (uint32_t)strlen(name));
}

bool parse_async_copy(struct parser *p, struct diag_place place, struct guard guard)
{
	struct copy copy = {0};
	uint64_t groups;
	size_t length;
	if (accept_dot(p, "reduce"))
		return accept_dot(p, "async") && accept_dot(p, "bulk")
		               ? parse_bulk_copy(p, "cp.reduce.async.bulk", place, guard)
		               : fail_expected(p, "'.async.bulk'");
	if (!accept_dot(p, "async"))
		return fail_expected(p, "'.async'");
	if (accept_dot(p, "bulk"))
		return parse_bulk_copy(p, "cp.async.bulk", place, guard);
	if (p->module->has_copies) {
		struct name *opcode = kept_opcode(p);
		return opcode && parse_instruction(p, opcode, place, guard);
	}
	if (accept_dot(p, "commit_group") || accept_dot(p, "wait_all"))
		return expect_semicolon(p);
	if (accept_dot(p, "mbarrier"))
		return parse_arrival(p, place, guard);
	if (accept_dot(p, "wait_group"))
		return expect_int(p, &groups, UINT32_MAX, "a number of groups") && expect_semicolon(p);
	p->function->splits_copies = true;
	copy.sign = guard.negated ? "!" : "";
	if (guard.reg != PTX_NO_REG)
		copy.guard = p->regs[guard.reg].name;
	if (!parse_copy(p, &copy))
		return false;
	char *written = write_copy(&copy, &length);
	char *text = arena_string(&p->scratch, written, length);
	free(written);
	return parse_inserted(p, text, length, place);
}
