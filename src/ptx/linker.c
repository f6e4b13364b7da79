/* linker: splits each module into pieces: functions, declarations, variables and .file lines. Declarations are
 * written first, then variables, then functions, so that each name is declared before its use. A module-local name
 * is renamed when several modules have one of that name. */
#include "ptx/linker.h"

#include "ptx/system.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum linkage { OWN, VISIBLE, WEAK, EXTERN };
enum kind { DECLARATION, VARIABLE, FUNCTION, SOURCE_FILE, KINDS };

struct linker_module {
	const char *file, *text;
	size_t length;
	unsigned index, file_base; /* offset added to numbers of .file */
	struct linker_module *next;
};

struct linker_piece {
	const struct linker_module *module;
	const char *start, *end, *name; /* the name is NULL for a .file line */
	const char *static_name;        /* the name of its definition, if it differs, or NULL */
	enum kind kind;
	enum linkage linkage;
	bool renamed, dropped;
	struct linker_piece *next;
};

struct token {
	const char *start;
	size_t length;
};

void linker_open(struct linker *linker, void (*tell)(void *user, const char *text), void *user)
{
	*linker = (struct linker){.tell = tell, .user = user};
	linker->next_module = &linker->modules;
	linker->next_piece = &linker->pieces;
}

void linker_close(struct linker *linker)
{
	arena_free(&linker->arena);
}

__attribute__((format(printf, 2, 3))) static void tell(const struct linker *linker, const char *format, ...)
{
	char text[1024];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	linker->tell(linker->user, text);
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '.' || c == '%';
}

/* Returns the next token from `at` on: a word, a string in quotes or one character. Blanks and comments are
 * skipped. Its length is 0 at the end. */
static struct token next_token(const char *at, const char *end)
{
	for (; at < end; at++) {
		if (isspace((unsigned char)*at))
			continue;
		const char *close = NULL;
		if (end - at >= 2 && at[0] == '/' && at[1] == '/')
			close = memchr(at, '\n', (size_t)(end - at));
		else if (end - at >= 2 && at[0] == '/' && at[1] == '*')
			close = memmem(at + 2, (size_t)(end - at - 2), "*/", 2);
		else
			break;
		at = !close ? end - 1 : *close == '*' ? close + 1 : close;
	}
	struct token token = {at, 0};
	if (at >= end)
		return (struct token){end, 0};
	if (*at == '"') {
		const char *close = memchr(at + 1, '"', (size_t)(end - at - 1));
		token.length = close ? (size_t)(close - at) + 1 : (size_t)(end - at);
		return token;
	}
	while (at + token.length < end && is_word(at[token.length]))
		token.length++;
	token.length += token.length == 0;
	return token;
}

static bool is(struct token token, const char *text)
{
	return strlen(text) == token.length && memcmp(token.start, text, token.length) == 0;
}

static const char *behind(struct token token)
{
	return token.start + token.length;
}

static const char *line_end(const char *at, const char *end)
{
	const char *newline = memchr(at, '\n', (size_t)(end - at));
	return newline ? newline + 1 : end;
}

/* ".version 7.5", ".target sm_70, debug", ".address_size 64": the newest version and target are used. */
static bool take_header(struct linker *linker, struct token token, const char *end)
{
	struct token value = next_token(behind(token), end);
	unsigned major = 0, minor = 0;
	if (is(token, ".version")) {
		sscanf(value.start, "%u.%u", &major, &minor);
		if (10 * major + minor > linker->version)
			linker->version = 10 * major + minor;
	} else if (is(token, ".target")) {
		sscanf(value.start, "sm_%u", &major);
		if (major > linker->target)
			linker->target = major;
	} else {
		return is(token, ".address_size");
	}
	return true;
}

/* Returns the position after the bracket that closes the one open at `at`. */
static const char *skip_brackets(const char *at, const char *end)
{
	unsigned depth = 0;
	for (struct token token = next_token(at, end); token.length; token = next_token(behind(token), end)) {
		depth += is(token, "{") || is(token, "(") || is(token, "[");
		depth -= depth && (is(token, "}") || is(token, ")") || is(token, "]"));
		if (!depth)
			return behind(token);
	}
	return end;
}

/* A function's name follows .entry, or .func and its results. A variable's name is the first word that is neither a
 * directive nor a number. */
static void take_declared(struct linker *linker, struct linker_piece *piece, const char *end)
{
	bool is_function = false;
	struct token token = next_token(piece->start, end);
	for (; token.length; token = next_token(behind(token), end)) {
		is_function |= is(token, ".func") || is(token, ".entry");
		if (is(token, ".visible"))
			piece->linkage = VISIBLE;
		else if (is(token, ".weak") || is(token, ".common"))
			piece->linkage = WEAK;
		else if (is(token, ".extern"))
			piece->linkage = EXTERN;
		if (is(token, "{") || is(token, ";"))
			break;
		if (is(token, "(") || is(token, "[") || is(token, "=")) {
			bool initial = is(token, "=");
			struct token next = next_token(behind(token), end);
			if (initial && !is(next, "{"))
				continue;
			token.start = skip_brackets(initial ? next.start : token.start, end) - 1;
			token.length = 1;
			continue;
		}
		bool is_name = !piece->name && *token.start != '.' && !isdigit((unsigned char)*token.start) &&
		               is_word(*token.start);
		if (is_name)
			piece->name = arena_string(&linker->arena, token.start, token.length);
	}
	piece->kind = !is_function ? VARIABLE : is(token, "{") ? FUNCTION : DECLARATION;
	piece->end = is(token, "{") ? skip_brackets(token.start, end) : behind(token);
}

static struct linker_piece *add_piece(struct linker *linker, const struct linker_module *module, const char *start)
{
	struct linker_piece *piece = arena_alloc(&linker->arena, sizeof *piece);
	*piece = (struct linker_piece){.module = module, .start = start, .end = start};
	*linker->next_piece = piece;
	linker->next_piece = &piece->next;
	return piece;
}

static unsigned number_of(struct token token)
{
	return (unsigned)strtoul(token.start, NULL, 10);
}

void linker_add(struct linker *linker, const char *file, const char *text, size_t length)
{
	struct linker_module *module = arena_alloc(&linker->arena, sizeof *module);
	const char *end = text + length, *at = text;
	unsigned files = 0;
	*module = (struct linker_module){file, text, length, linker->module_count++, linker->file_count, NULL};
	*linker->next_module = module;
	linker->next_module = &module->next;
	for (struct token token; (token = next_token(at, end)).length;) {
		if (take_header(linker, token, end)) {
			at = line_end(token.start, end);
		} else if (is(token, ".section")) {
			at = skip_brackets(memchr(token.start, '{', (size_t)(end - token.start)), end);
		} else if (is(token, ".file")) {
			struct linker_piece *piece = add_piece(linker, module, token.start);
			unsigned number = number_of(next_token(behind(token), end));
			piece->kind = SOURCE_FILE;
			piece->end = at = line_end(token.start, end);
			files = number > files ? number : files;
		} else {
			struct linker_piece *piece = add_piece(linker, module, token.start);
			take_declared(linker, piece, end);
			at = piece->end;
		}
	}
	linker->file_count += files;
}

static bool same_name(const struct linker_piece *a, const struct linker_piece *b)
{
	return a->name && b->name && strcmp(a->name, b->name) == 0;
}

/* Returns the definition that other modules see. */
static struct linker_piece *find_defined(const struct linker *linker, const char *name)
{
	struct linker_piece *weak = NULL;
	for (struct linker_piece *piece = linker->pieces; piece; piece = piece->next) {
		if (!piece->name || piece->kind == DECLARATION || strcmp(piece->name, name) != 0)
			continue;
		if (piece->linkage == VISIBLE)
			return piece;
		if (piece->linkage == WEAK && !weak)
			weak = piece;
	}
	return weak;
}

/* Returns true for functions that the runtime provides. clang declares __assert_fail, and device code calls
 * __assertfail. */
static bool is_builtin(const char *name)
{
	return ptx_system_named(name) != PTX_SYSTEM_CALLS || strcmp(name, "__assert_fail") == 0;
}

/* Shared memory whose size is set at launch has no definition. */
static bool is_dynamic_shared(const struct linker_piece *piece)
{
	return piece->kind == VARIABLE && memmem(piece->start, (size_t)(piece->end - piece->start), ".shared", 7);
}

/* clang names a static variable that host code uses NAME__static__HASH. In kernels before that use it is NAME. */
static const char *find_static(const struct linker *linker, const struct linker_piece *piece)
{
	static const char suffix[] = "__static__";
	size_t length = strlen(piece->name);
	for (const struct linker_piece *other = linker->pieces; other; other = other->next)
		if (other->module == piece->module && other->name && strncmp(other->name, piece->name, length) == 0 &&
		    strncmp(other->name + length, suffix, sizeof suffix - 1) == 0)
			return other->name;
	return NULL;
}

static bool settle_extern(struct linker *linker, struct linker_piece *piece)
{
	piece->static_name = find_static(linker, piece);
	if (piece->static_name) {
		piece->dropped = true;
		return true;
	}
	const struct linker_piece *defined = find_defined(linker, piece->name);
	if (defined) {
		piece->dropped = piece->kind == VARIABLE;
		return true;
	}
	if (is_builtin(piece->name) || is_dynamic_shared(piece))
		return true;
	tell(linker, "%s: device %s '%s' is not defined in any of the linked files", piece->module->file,
	     piece->kind == VARIABLE ? "variable" : "function", piece->name);
	return false;
}

static bool settle_definition(struct linker *linker, struct linker_piece *piece)
{
	const struct linker_piece *first = find_defined(linker, piece->name);
	if (first == piece)
		return true;
	if (piece->linkage == VISIBLE) {
		tell(linker, "device %s '%s' is defined in %s and in %s",
		     piece->kind == VARIABLE ? "variable" : "function", piece->name, first->module->file,
		     piece->module->file);
		return false;
	}
	piece->dropped = true;
	return true;
}

/* Renames a module-local symbol when another module has the same name. */
static void settle_own(const struct linker *linker, struct linker_piece *piece)
{
	for (const struct linker_piece *other = linker->pieces; other && !piece->renamed; other = other->next)
		piece->renamed = other->module != piece->module && same_name(other, piece);
}

/* Drops all but the first declaration of a global symbol. */
static void drop_repeated(const struct linker *linker, struct linker_piece *piece)
{
	for (const struct linker_piece *other = linker->pieces; other != piece; other = other->next)
		if (other->kind == piece->kind && other->linkage != OWN && !other->dropped && same_name(other, piece))
			piece->dropped = true;
}

static bool settle(struct linker *linker)
{
	bool fine = true;
	for (struct linker_piece *piece = linker->pieces; piece; piece = piece->next) {
		if (!piece->name)
			continue;
		if (piece->linkage == OWN) {
			settle_own(linker, piece);
			continue;
		}
		if (piece->linkage == EXTERN)
			fine = settle_extern(linker, piece) && fine;
		else if (piece->kind != DECLARATION)
			fine = settle_definition(linker, piece) && fine;
		if (piece->linkage == EXTERN || piece->kind == DECLARATION)
			drop_repeated(linker, piece);
	}
	return fine;
}

/* Writes a token with the name that it has in the joined module. */
static void write_token(const struct linker *linker, const struct linker_module *module, struct token token, FILE *file)
{
	const struct linker_piece *piece = linker->pieces;
	while (piece && !(piece->module == module && (piece->renamed || piece->static_name) && is(token, piece->name)))
		piece = piece->next;
	if (piece && piece->static_name)
		fputs(piece->static_name, file);
	else
		fwrite(token.start, 1, token.length, file);
	if (piece && piece->renamed)
		fprintf(file, "$%u", module->index);
}

static bool is_entry(const struct linker_piece *piece)
{
	struct token token = next_token(piece->start, piece->end);
	while (token.length && !is(token, ".entry") && !is(token, ".func"))
		token = next_token(behind(token), piece->end);
	return is(token, ".entry");
}

/* Writes the piece with the names and file numbers of the joined module. */
static void write_piece(const struct linker *linker, const struct linker_piece *piece, FILE *file)
{
	const struct linker_module *module = piece->module;
	const struct linker_piece *defined =
		piece->linkage == EXTERN && piece->name ? find_defined(linker, piece->name) : NULL;
	const char *at = piece->start;
	bool number_follows = false;
	for (struct token token; (token = next_token(at, piece->end)).length; at = behind(token)) {
		fwrite(at, 1, (size_t)(token.start - at), file);
		if (number_follows)
			fprintf(file, "%u", number_of(token) + module->file_base);
		else if (defined && is(token, ".extern"))
			fputs(defined->linkage == WEAK ? ".weak" : ".visible", file);
		else if (defined && is(token, ".func") && is_entry(defined))
			fputs(".entry", file); /* clang declares a kernel of another file as a function */
		else
			write_token(linker, module, token, file);
		number_follows = is(token, ".loc") || is(token, ".file") || is(token, "inlined_at");
	}
	fputc('\n', file);
}

bool linker_write(struct linker *linker, FILE *file)
{
	static const enum kind order[] = {DECLARATION, VARIABLE, FUNCTION, SOURCE_FILE};
	if (!settle(linker))
		return false;
	fprintf(file, ".version %u.%u\n.target sm_%u\n.address_size 64\n\n", linker->version / 10, linker->version % 10,
	        linker->target);
	for (size_t i = 0; i < sizeof order / sizeof *order; i++)
		for (const struct linker_piece *piece = linker->pieces; piece; piece = piece->next)
			if (piece->kind == order[i] && !piece->dropped)
				write_piece(linker, piece, file);
	return !ferror(file);
}
