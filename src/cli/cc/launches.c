/* Launches written `kernel<< <grid, block>> >(...)`, which nvcc of the time took and clang does not: clang gets to see such
 * sources, and what they include of the user's, with the blanks behind the brackets. Lengths stay, so that lines and columns
 * do. Assembler with operands that writes `%laneid`, which nvcc takes, is shown as `%%laneid`, which clang wants. An overlay of clang's file system lays each mended copy over its original, so that names and includes stay too. */
#include "cli/cc/cc.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_OPEN = 16 };

/* A source as it is looked through. */
struct scan {
	char *text;
	size_t length, at;
	size_t depth;           /* of parentheses */
	size_t open[MOST_OPEN]; /* the depth at each launch that is open */
	unsigned opened;
	bool mended, line_start; /* only blanks so far on this line */
};

struct mending {
	struct cc *cc;
	struct words seen;    /* files looked at */
	struct words overlay; /* pairs: the original's absolute path, the mended copy */
};

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static void skip_to(struct scan *scan, const char *end)
{
	const char *found = memmem(scan->text + scan->at, scan->length - scan->at, end, strlen(end));
	scan->at = found ? (size_t)(found - scan->text) + strlen(end) : scan->length;
}

/* R"mark( ... )mark" */
static void skip_raw(struct scan *scan)
{
	char end[32] = ")";
	size_t length = 0;
	const char *mark = scan->text + scan->at + 1;
	size_t left = scan->length - scan->at - 1;
	while (length < left && length < 16 && mark[length] != '(')
		length++;
	memcpy(end + 1, mark, length);
	strcpy(end + 1 + length, "\"");
	skip_to(scan, end);
}

static void skip_quoted(struct scan *scan)
{
	char quote = scan->text[scan->at];
	char before = scan->at ? scan->text[scan->at - 1] : ' ';
	if (quote == '\'' && is_word(before)) { /* 1'000 */
		scan->at++;
		return;
	}
	if (quote == '"' && before == 'R') {
		skip_raw(scan);
		return;
	}
	for (scan->at++; scan->at < scan->length && scan->text[scan->at] != quote; scan->at++) {
		if (scan->text[scan->at] == '\n')
			return;
		scan->at += scan->text[scan->at] == '\\';
	}
	scan->at++;
}

/* Whether the word `operator` stands before: what follows is its name. */
static bool follows_operator(const struct scan *scan)
{
	static const char word[] = "operator";
	size_t end = scan->at, length = sizeof word - 1;
	while (end && isspace((unsigned char)scan->text[end - 1]))
		end--;
	return end >= length && memcmp(scan->text + end - length, word, length) == 0;
}

/* The brackets `twice` and, behind blanks at most, `once`, are those of a launch: takes them, without blanks. */
static bool take_brackets(struct scan *scan, char bracket)
{
	char *text = scan->text;
	size_t third = scan->at + 2;
	if (third >= scan->length || text[scan->at + 1] != bracket)
		return false;
	while (third < scan->length && isspace((unsigned char)text[third]))
		third++;
	if (third == scan->length || text[third] != bracket)
		return false;
	if (third > scan->at + 2) {
		/* a line's end keeps its place: the blanks move, the last of them to where the bracket was */
		memmove(text + scan->at + 3, text + scan->at + 2, third - scan->at - 2);
		text[scan->at + 2] = bracket;
		scan->mended = true;
	}
	scan->at = third + 1;
	return true;
}

static size_t skip_blanks(const struct scan *scan, size_t at)
{
	while (at < scan->length && isspace((unsigned char)scan->text[at]))
		at++;
	return at;
}

/* Behind the string that begins here, and the blanks and strings behind it. */
static size_t skip_strings(struct scan *scan, size_t at)
{
	size_t before = scan->at;
	while (at < scan->length && scan->text[at] == '"') {
		scan->at = at;
		skip_quoted(scan);
		at = skip_blanks(scan, scan->at);
	}
	scan->at = before;
	return at;
}

/* Whether the percent sign is that of a name of PTX: %0, %%, %= and modifiers such as %h0 are assembler's own. */
static bool is_lone_percent(const struct scan *scan, size_t at)
{
	const char *text = scan->text + at;
	return at + 2 < scan->length && text[0] == '%' && text[-1] != '%' && isalpha((unsigned char)text[1]) &&
	       (isalpha((unsigned char)text[2]) || text[2] == '_');
}

static void double_percent(struct scan *scan, size_t at)
{
	scan->text = xrealloc(scan->text, scan->length + 2);
	memmove(scan->text + at + 1, scan->text + at, scan->length - at);
	scan->length++;
	scan->mended = true;
}

/* "asm", "asm volatile": the strings of one with operands, in which percent signs mean something. */
static void take_assembler(struct scan *scan)
{
	static const char *const words[] = {"asm", "__asm__", "__asm", "volatile", "__volatile__"};
	size_t at = scan->at;
	for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
		size_t length = strlen(words[k]), end = at + length;
		if (end < scan->length && memcmp(scan->text + at, words[k], length) == 0 && !is_word(scan->text[end])) {
			at = skip_blanks(scan, end);
			k = k < 3 ? 2 : k;
		}
	}
	if (at == scan->at || scan->text[at] != '(')
		return;
	size_t first = skip_blanks(scan, at + 1), end = skip_strings(scan, first);
	if (end == first || end >= scan->length || scan->text[end] != ':')
		return;
	for (size_t k = end; k-- > first;)
		if (is_lone_percent(scan, k))
			double_percent(scan, k);
}

static void take_punctuation(struct scan *scan, char c)
{
	bool opens = c == '<' && !follows_operator(scan) && scan->opened < MOST_OPEN;
	bool closes = c == '>' && scan->opened && scan->open[scan->opened - 1] == scan->depth;
	if (opens && take_brackets(scan, '<')) {
		scan->open[scan->opened++] = scan->depth;
		return;
	}
	if (closes && take_brackets(scan, '>')) {
		scan->opened--;
		return;
	}
	if (c == ';')
		scan->opened = 0;
	scan->depth += c == '(';
	scan->depth -= c == ')' && scan->depth;
	/* both of two brackets, or the second would look like the first of others */
	scan->at += (c == '<' || c == '>') && scan->at + 1 < scan->length && scan->text[scan->at + 1] == c ? 2 : 1;
}

/* Made absolute, without dots, as clang looks a file up. */
static char *absolute(struct cc *cc, const char *path)
{
	char folder[PATH_MAX];
	if (*path != '/' && getcwd(folder, sizeof folder))
		path = cc_joined(cc, cc_joined(cc, folder, "/"), path);
	char *result = arena_alloc(&cc->arena, strlen(path) + 2), *end = result;
	while (*path) {
		size_t length = strcspn(path, "/");
		if (length == 2 && memcmp(path, "..", 2) == 0) {
			while (end > result && *--end != '/')
				;
		} else if (length && !(length == 1 && *path == '.')) {
			*end++ = '/';
			memcpy(end, path, length);
			end += length;
		}
		path += length + (path[length] == '/');
	}
	*end = '\0';
	return result;
}

static bool is_new(const struct words *seen, const char *path)
{
	for (size_t i = 0; i < seen->count; i++)
		if (strcmp(seen->list[i], path) == 0)
			return false;
	return true;
}

/* An included file: beside the one that names it, else in a folder of -I. NULL: it is none of the user's. */
static char *find_included(struct cc *cc, const char *includer, const char *name, bool quoted)
{
	const char *slash = strrchr(includer, '/');
	char *folder = arena_string(&cc->arena, includer, slash ? (size_t)(slash - includer) + 1 : 0);
	char *path = *name == '/' ? cc_joined(cc, name, "") : cc_joined(cc, folder, name);
	if (quoted && access(path, R_OK) == 0)
		return path;
	for (size_t i = 0; i < cc->folders.count; i++) {
		path = cc_joined(cc, cc_joined(cc, cc->folders.list[i], "/"), name);
		if (access(path, R_OK) == 0)
			return path;
	}
	return NULL;
}

static void look_through(struct mending *mending, const char *path);

/* "#include", of which `at` is behind the '#'. */
static void follow_include(struct mending *mending, struct scan *scan, const char *path)
{
	static const char word[] = "include";
	size_t at = scan->at;
	while (at < scan->length && (scan->text[at] == ' ' || scan->text[at] == '\t'))
		at++;
	if (scan->length - at < sizeof word || memcmp(scan->text + at, word, sizeof word - 1) != 0)
		return;
	at += sizeof word - 1;
	while (at < scan->length && (scan->text[at] == ' ' || scan->text[at] == '\t'))
		at++;
	char end = at < scan->length && scan->text[at] == '"' ? '"' : '>';
	const char *name = scan->text + at + 1;
	size_t length = 0;
	while (at + 1 + length < scan->length && name[length] != end && name[length] != '\n')
		length++;
	char *file = find_included(mending->cc, path, arena_string(&mending->cc->arena, name, length), end == '"');
	scan->at = at + 1 + length;
	if (file)
		look_through(mending, file);
}

static void scan_text(struct mending *mending, struct scan *scan, const char *path)
{
	scan->line_start = true;
	while (scan->at < scan->length) {
		const char *rest = scan->text + scan->at;
		char c = *rest, next = scan->at + 1 < scan->length ? rest[1] : '\0';
		bool starts = scan->line_start;
		scan->line_start = c == '\n' || (starts && isspace((unsigned char)c));
		if (c == '/' && next == '/') {
			skip_to(scan, "\n");
			scan->line_start = true;
		} else if (c == '/' && next == '*') {
			scan->at += 2;
			skip_to(scan, "*/");
		} else if (c == '"' || c == '\'') {
			skip_quoted(scan);
		} else if (c == '#' && starts) {
			scan->at++;
			follow_include(mending, scan, path);
		} else {
			if ((c == 'a' || c == '_') && (!scan->at || !is_word(rest[-1])))
				take_assembler(scan);
			take_punctuation(scan, c);
		}
	}
}

static void look_through(struct mending *mending, const char *path)
{
	struct cc *cc = mending->cc;
	char *full = absolute(cc, path);
	size_t length;
	if (!is_new(&mending->seen, full))
		return;
	cc_add(&mending->seen, full);
	char *text = cli_read_file(path, &length);
	if (!text)
		return; /* clang says so */
	struct scan scan = {.text = text, .length = length};
	scan_text(mending, &scan, path);
	if (scan.mended) {
		const char *copy = cc_new_temporary(cc, ".mended");
		if (cc_write_file(cc, copy, scan.text, scan.length)) {
			cc_add(&mending->overlay, full);
			cc_add(&mending->overlay, copy);
		}
	}
	free(scan.text);
}

static void print_name(FILE *file, const char *name)
{
	fputc('"', file);
	for (; *name; name++) {
		if (*name == '"' || *name == '\\')
			fputc('\\', file);
		fputc(*name, file);
	}
	fputc('"', file);
}

/* The overlay's description; the copies bear the originals' names. */
static bool write_overlay(const struct words *overlay, const char *path)
{
	FILE *file = fopen(path, "w");
	if (!file)
		return false;
	fputs("{\"version\": 0, \"case-sensitive\": true, \"use-external-names\": false, \"roots\": [", file);
	for (size_t i = 0; i + 1 < overlay->count; i += 2) {
		fputs(i ? ", {\"type\": \"file\", \"name\": " : "{\"type\": \"file\", \"name\": ", file);
		print_name(file, overlay->list[i]);
		fputs(", \"external-contents\": ", file);
		print_name(file, overlay->list[i + 1]);
		fputs("}", file);
	}
	fputs("]}\n", file);
	return fclose(file) == 0;
}

const char *cc_mend_launches(struct cc *cc, const char *source)
{
	struct mending mending = {.cc = cc};
	look_through(&mending, source);
	const char *path = NULL;
	if (mending.overlay.count) {
		path = cc_new_temporary(cc, ".yaml");
		if (!write_overlay(&mending.overlay, path)) {
			cli_error(cc->name, "cannot write %s", path);
			path = NULL;
		}
	}
	free(mending.seen.list);
	free(mending.overlay.list);
	return path;
}
