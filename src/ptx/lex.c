/* lex: the lexer, with one token of look-ahead. */
#include "ptx/parse.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' || c == '$';
}

static int hex_digit(char c)
{
	if (is_digit(c))
		return c - '0';
	char lower = (char)(c | 0x20);
	return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

static struct diag_place here(const struct parser *p)
{
	return (struct diag_place){p->line, (uint32_t)(p->at - p->line_start) + 1};
}

static void new_line(struct parser *p)
{
	p->line++;
	p->line_start = p->at;
}

static void skip_block_comment(struct parser *p)
{
	struct diag_place start = here(p);
	p->at += 2;
	while (p->end - p->at >= 2 && (p->at[0] != '*' || p->at[1] != '/'))
		if (*p->at++ == '\n')
			new_line(p);
	if (p->end - p->at < 2) {
		fail(p, start, "a comment without end; expected '*/'");
		p->at = p->end;
		return;
	}
	p->at += 2;
}

static void skip_blanks(struct parser *p)
{
	while (p->at < p->end) {
		char c = *p->at;
		if (c == '\n') {
			p->at++;
			new_line(p);
		} else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
			p->at++;
		} else if (c == '/' && p->end - p->at >= 2 && p->at[1] == '/') {
			const char *newline = memchr(p->at, '\n', (size_t)(p->end - p->at));
			p->at = newline ? newline : p->end;
		} else if (c == '/' && p->end - p->at >= 2 && p->at[1] == '*') {
			skip_block_comment(p);
		} else {
			return;
		}
	}
}

/* 0f3F800000, 0d3FF0000000000000: the bits of a float in hexadecimal. */
static bool lex_float_bits(struct parser *p, struct token *token)
{
	if (p->end - p->at < 2 || p->at[0] != '0')
		return false;
	char letter = (char)(p->at[1] | 0x20);
	if (letter != 'f' && letter != 'd')
		return false;
	int digits = letter == 'f' ? 8 : 16;
	p->at += 2;
	int count = 0;
	for (; p->at < p->end && hex_digit(*p->at) >= 0; count++)
		token->bits = token->bits << 4 | (uint64_t)hex_digit(*p->at++);
	if (count != digits)
		fail(p, token->place, "%d hexadecimal digits after '0%c'; expected %d", count, letter, digits);
	token->kind = TOKEN_FLOAT;
	token->is_single = letter == 'f';
	return true;
}

static bool lex_decimal_float(struct parser *p, struct token *token)
{
	const char *at = p->at;
	while (at < p->end && is_digit(*at))
		at++;
	const char *whole_end = at;
	if (at < p->end && *at == '.')
		for (at++; at < p->end && is_digit(*at);)
			at++;
	if (at < p->end && (*at == 'e' || *at == 'E')) {
		const char *exponent = at + 1;
		if (exponent < p->end && (*exponent == '+' || *exponent == '-'))
			exponent++;
		if (exponent < p->end && is_digit(*exponent))
			for (at = exponent; at < p->end && is_digit(*at);)
				at++;
	}
	if (at == whole_end)
		return false;
	char digits[128];
	size_t length = (size_t)(at - p->at);
	if (length >= sizeof digits)
		fail(p, token->place, "a number of %zu characters; expected fewer than %zu", length, sizeof digits);
	length = length < sizeof digits ? length : sizeof digits - 1;
	memcpy(digits, p->at, length);
	digits[length] = '\0';
	double value = strtod(digits, NULL);
	memcpy(&token->bits, &value, sizeof value);
	token->kind = TOKEN_FLOAT;
	p->at = at;
	return true;
}

static void lex_int(struct parser *p, struct token *token)
{
	uint32_t base = 10;
	if (*p->at == '0' && p->end - p->at >= 2) {
		char letter = (char)(p->at[1] | 0x20);
		base = letter == 'x' ? 16 : letter == 'b' ? 2 : 8;
		p->at += base == 8 ? 1 : 2;
	}
	bool fits = true, any = base == 8;
	for (; p->at < p->end && hex_digit(*p->at) >= 0 && hex_digit(*p->at) < (int)base; any = true) {
		uint64_t digit = (uint64_t)hex_digit(*p->at++);
		fits &= token->bits <= (UINT64_MAX - digit) / base;
		token->bits = token->bits * base + digit;
	}
	token->kind = TOKEN_INT;
	if (p->at < p->end && *p->at == 'U')
		p->at++;
	if (!any || (p->at < p->end && is_word(*p->at))) {
		fail(p, token->place, "a number with a bad digit; expected a number of base %u", base);
		while (p->at < p->end && is_word(*p->at))
			p->at++;
	} else if (!fits) {
		fail(p, token->place, "an integer that is too large; expected one of 64 bits");
	}
}

static void lex_string(struct parser *p, struct token *token)
{
	token->kind = TOKEN_STRING;
	token->text = ++p->at;
	while (p->at < p->end && *p->at != '"' && *p->at != '\n')
		p->at += *p->at == '\\' && p->end - p->at >= 2 && p->at[1] != '\n' ? 2 : 1;
	token->length = (uint32_t)(p->at - token->text);
	if (p->at < p->end && *p->at == '"')
		p->at++;
	else
		fail(p, token->place, "a string without end; expected '\"' on the same line");
}

static void lex_word(struct parser *p, struct token *token)
{
	const char *start = p->at;
	for (;;) {
		while (p->at < p->end && is_word(*p->at))
			p->at++;
		/* .shared::cta is one word */
		if (token->kind != TOKEN_DOT || p->end - p->at < 3 || p->at[0] != ':' || p->at[1] != ':' ||
		    !is_word(p->at[2]))
			break;
		p->at += 2;
	}
	token->name = intern(p, start, (uint32_t)(p->at - start));
}

void next_token(struct parser *p)
{
	const char *before = p->at;
	p->previous_end = here(p);
	skip_blanks(p);
	struct token *token = &p->token;
	*token = (struct token){.kind = TOKEN_END, .place = here(p), .text = p->at, .glued = p->at == before};
	if (p->at == p->end)
		return;
	char c = *p->at, following = p->end - p->at >= 2 ? p->at[1] : '\0';
	if (is_digit(c)) {
		if (!lex_float_bits(p, token) && ((following | 0x20) == 'x' || !lex_decimal_float(p, token)))
			lex_int(p, token);
	} else if (is_word(c) || (c == '%' && is_word(following))) {
		token->kind = TOKEN_WORD;
		p->at += c == '%';
		const char *start = token->text;
		while (p->at < p->end && is_word(*p->at))
			p->at++;
		token->name = intern(p, start, (uint32_t)(p->at - start));
	} else if (c == '.' && is_word(following)) {
		token->kind = TOKEN_DOT;
		p->at++;
		lex_word(p, token);
	} else if (c == '"') {
		lex_string(p, token);
		return;
	} else {
		token->kind = TOKEN_PUNCT;
		p->at++;
	}
	token->length = (uint32_t)(p->at - token->text);
}

bool at_punct(const struct parser *p, char punct)
{
	return p->token.kind == TOKEN_PUNCT && p->token.text[0] == punct;
}

bool at_dot(const struct parser *p, const char *word)
{
	return p->token.kind == TOKEN_DOT && p->token.name->length == strlen(word) &&
	       memcmp(p->token.name->text, word, p->token.name->length) == 0;
}

bool accept_punct(struct parser *p, char punct)
{
	bool is = at_punct(p, punct);
	if (is)
		next_token(p);
	return is;
}

bool accept_dot(struct parser *p, const char *word)
{
	bool is = at_dot(p, word);
	if (is)
		next_token(p);
	return is;
}

bool expect_punct(struct parser *p, char punct)
{
	char what[] = {'\'', punct, '\'', '\0'};
	return accept_punct(p, punct) || fail_expected(p, what);
}

bool expect_word(struct parser *p, struct name **name, const char *what)
{
	if (p->token.kind != TOKEN_WORD)
		return fail_expected(p, what);
	*name = p->token.name;
	next_token(p);
	return true;
}

bool expect_int(struct parser *p, uint64_t *value, uint64_t max, const char *what)
{
	if (p->token.kind != TOKEN_INT)
		return fail_expected(p, what);
	if (p->token.bits > max)
		return fail(p, p->token.place, "%llu is too large; expected %s of at most %llu",
		            (unsigned long long)p->token.bits, what, (unsigned long long)max);
	*value = p->token.bits;
	next_token(p);
	return true;
}

bool expect_semicolon(struct parser *p)
{
	if (accept_punct(p, ';'))
		return true;
	if (p->token.place.line == p->previous_end.line && p->token.kind != TOKEN_END) {
		fail_expected(p, "';'");
		skip_statement(p);
	} else {
		/* The next line begins a new statement: nothing to skip. */
		fail(p, p->previous_end, "the statement has no end; expected ';'");
	}
	return true;
}

bool fail(struct parser *p, struct diag_place place, const char *format, ...)
{
	char message[512];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(message, sizeof message, format, arguments);
	va_end(arguments);
	diag_error(p->diag, &p->module->source, place, "%s", message);
	return false;
}

bool fail_expected(struct parser *p, const char *what)
{
	const struct token *token = &p->token;
	enum { SHOWN = 60 };
	if (token->kind == TOKEN_END)
		return fail(p, token->place, "unexpected end of the file; expected %s", what);
	if (token->kind == TOKEN_STRING)
		return fail(p, token->place, "unexpected string; expected %s", what);
	int length = token->length < SHOWN ? (int)token->length : SHOWN;
	return fail(p, token->place, "unexpected '%.*s'; expected %s", length, token->text, what);
}

void skip_statement(struct parser *p)
{
	/* Braces inside a statement are vectors or initial values; a brace at its start opens a body. */
	uint32_t depth = 0;
	while (p->token.kind != TOKEN_END) {
		if (at_punct(p, ';')) {
			next_token(p);
			return;
		}
		if (at_punct(p, '}') && depth-- == 0)
			return;
		if (at_punct(p, '{'))
			depth++;
		next_token(p);
	}
}
