/* Launches that clang does not take: it gets to see such sources, and what they include of the user's, mended.
 *
 * `kernel<< <grid, block>> >(...)`, which nvcc of the time took, has the blanks behind the brackets. Lengths stay, so that lines and columns do.
 * Launches in device code become calls of what sluice/device_runtime.h has for them; lines stay. Assembler
 * with operands that writes `%laneid`, which nvcc takes, is shown as `%%laneid`, which clang wants. Of `__device__ __shared__`, which says the same
 * twice and is an error of clang's in a function, `__shared__` is left. An overlay of clang's file system lays each mended
 * copy over its original, so that names and includes stay too. */
#include "cli/cc/cc.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_OPEN = 16, MOST_BRACES = 256 };

/* What takes the place of a part of the text. */
struct edit {
	size_t at, removed;
	const char *text;
};

/* Where a function runs, as it says itself. */
enum { SAYS_DEVICE = 1, SAYS_HOST = 2 };

/* A source as it is looked through. */
struct scan {
	struct cc *cc;
	struct words
		*qualifiers; /* macros of nothing but words that say so: the digit of what they say, and the name */
	char *text;
	size_t length, at;
	size_t depth; /* of parentheses */
	struct open_launch {
		size_t depth;  /* where it is open */
		unsigned says; /* of the function that it is in */
	} open[MOST_OPEN];
	unsigned opened;
	bool mended, line_start; /* only blanks so far on this line */
	bool in_directive;       /* on a line of the preprocessor's, or one that goes on with it */
	enum { DEFINES_NOTHING, DEFINES, NAMES_DEFINED } define; /* there: how far "define NAME" is */
	char *defined;                                           /* the name; NULL: it says nothing of functions */
	unsigned defined_says;
	unsigned says;              /* of the code in front of a brace */
	unsigned side[MOST_BRACES]; /* by braces that are open: of the function's code, 0 where it is the host's */
	size_t braces;
	struct edit *edits;
	size_t edit_count;
};

struct mending {
	struct cc *cc;
	struct words seen;    /* files looked at */
	struct words overlay; /* pairs: the original's absolute path, the mended copy */
	struct words qualifiers;
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

/* ---- launches in device code ---- */

static void add_edit(struct scan *scan, size_t at, size_t removed, const char *text)
{
	scan->edits = xrealloc(scan->edits, (scan->edit_count + 1) * sizeof *scan->edits);
	scan->edits[scan->edit_count++] = (struct edit){at, removed, text};
	scan->mended = true;
}

static size_t skip_blanks_back(const char *text, size_t end)
{
	while (end && isspace((unsigned char)text[end - 1]))
		end--;
	return end;
}

/* Where the template's arguments begin that end before `end`, or `end` where there are none. */
static size_t skip_arguments_back(const char *text, size_t end)
{
	size_t at = end, open = 0, parentheses = 0; /* in which brackets compare */
	if (!at || text[at - 1] != '>')
		return end;
	while (at--) {
		parentheses += text[at] == ')';
		parentheses -= text[at] == '(' && parentheses;
		open += !parentheses && text[at] == '>';
		open -= !parentheses && text[at] == '<';
		if (!open)
			return at;
	}
	return end;
}

/* Whether a scope ends before `end`: a word that is none of the language's, or a template's arguments. */
static bool ends_scope(const char *text, size_t end)
{
	static const char *const words[] = {"do", "else", "return"};
	size_t start = end;
	while (start && is_word(text[start - 1]))
		start--;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strlen(words[i]) == end - start && memcmp(words[i], text + start, end - start) == 0)
			return false;
	return start < end || (end && text[end - 1] == '>');
}

/* Where the kernel's name begins that ends before `end`: NAME, NAME<ARGUMENTS> and those behind `::`. */
static size_t name_start(const char *text, size_t end)
{
	for (;;) {
		size_t at = skip_blanks_back(text, skip_arguments_back(text, skip_blanks_back(text, end)));
		while (at && is_word(text[at - 1]))
			at--;
		size_t before = skip_blanks_back(text, at);
		if (before < 2 || text[before - 1] != ':' || text[before - 2] != ':')
			return at;
		end = before - 2;
		if (!ends_scope(text, skip_blanks_back(text, end)))
			return end; /* ::NAME */
	}
}

/* The lines' ends among so many characters: a mended text has as many. */
static const char *line_ends(struct cc *cc, const char *text, size_t length)
{
	char *ends = arena_alloc(&cc->arena, length + 1);
	for (size_t i = 0, count = 0; i < length; i++)
		if (text[i] == '\n')
			ends[count++] = '\n';
	return ends;
}

/* The launch whose brackets end at `end`: kernel<<<... becomes ::sluice::device_launch<decltype(&kernel), &kernel >(... or, in a function of
 * both sides, a macro that is this for the device. */
static void open_device_launch(struct scan *scan, size_t brackets, size_t end, unsigned says)
{
	struct cc *cc = scan->cc;
	size_t start = name_start(scan->text, brackets), stop = skip_blanks_back(scan->text, brackets);
	char *name = arena_string(&cc->arena, scan->text + start, stop - start);
	for (char *at = name; *at; at++)
		if (*at == '\n')
			*at = ' ';
	const char *type = cc_joined(cc, cc_joined(cc, "::sluice::device_launch<decltype(&", name), "), &");
	const char *call = cc_joined(cc, cc_joined(cc, type, name), " >(");
	if (says & SAYS_HOST)
		call = cc_joined(cc, cc_joined(cc, "SLUICE_LAUNCH(", name), ") ");
	add_edit(scan, start, end - start, cc_joined(cc, line_ends(cc, scan->text + start, end - start), call));
}

/* What the function says that the code here is of; 0: of the host. */
static unsigned side_of(const struct scan *scan)
{
	return scan->braces && scan->braces <= MOST_BRACES ? scan->side[scan->braces - 1] : 0;
}

/* Braces and ends of statements part the code into functions. */
static void take_brace(struct scan *scan, char c)
{
	unsigned side = scan->says & SAYS_DEVICE ? scan->says : side_of(scan);
	if (c == '{' && ++scan->braces <= MOST_BRACES)
		scan->side[scan->braces - 1] = side;
	else if (c == '}' && scan->braces)
		scan->braces--;
	scan->says = 0;
}

static bool is_text(const char *word, size_t length, const char *text)
{
	return strlen(text) == length && memcmp(word, text, length) == 0;
}

static unsigned what_it_says(const struct scan *scan, const char *word, size_t length)
{
	unsigned says = 0;
	if (is_text(word, length, "__host__"))
		return SAYS_HOST;
	if (is_text(word, length, "__device__") || is_text(word, length, "__global__"))
		return SAYS_DEVICE;
	for (size_t i = 0; i < scan->qualifiers->count; i++)
		if (is_text(word, length, scan->qualifiers->list[i] + 1))
			says |= (unsigned)(scan->qualifiers->list[i][0] - '0');
	return says;
}

/* A word of a directive: of a definition, the name and then what it stands for. */
static void take_defining(struct scan *scan, const char *word, size_t length)
{
	if (scan->define == NAMES_DEFINED) {
		scan->defined_says |= what_it_says(scan, word, length);
	} else if (scan->define == DEFINES) {
		scan->define = NAMES_DEFINED;
		scan->defined = arena_string(&scan->cc->arena, word, length);
	} else if (is_text(word, length, "define")) {
		scan->define = DEFINES;
	}
}

static void end_directive(struct scan *scan)
{
	static const char *const digits[] = {"0", "1", "2", "3"};
	if (scan->in_directive && scan->defined && scan->defined_says)
		cc_add(scan->qualifiers, cc_joined(scan->cc, digits[scan->defined_says], scan->defined));
	scan->in_directive = false;
	scan->define = DEFINES_NOTHING;
	scan->defined = NULL;
	scan->defined_says = 0;
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

/* Behind one of the words, where one stands there, and the blanks behind it. */
static size_t skip_word(const struct scan *scan, size_t at, const char *const *words)
{
	for (; *words; words++) {
		size_t end = at + strlen(*words);
		if (end < scan->length && memcmp(scan->text + at, *words, end - at) == 0 && !is_word(scan->text[end]))
			return skip_blanks(scan, end);
	}
	return at;
}

/* "asm", "asm volatile": the strings of one with operands, in which percent signs mean something. */
static void take_assembler(struct scan *scan)
{
	static const char *const assembler[] = {"asm", "__asm__", "__asm", NULL};
	static const char *const qualifiers[] = {"volatile", "__volatile__", NULL};
	size_t at = skip_word(scan, scan->at, assembler);
	if (at == scan->at)
		return;
	at = skip_word(scan, at, qualifiers);
	if (at >= scan->length || scan->text[at] != '(')
		return;
	size_t first = skip_blanks(scan, at + 1), end = skip_strings(scan, first);
	if (end == first || end >= scan->length || scan->text[end] != ':')
		return;
	for (size_t k = first; k < end; k++)
		if (is_lone_percent(scan, k))
			add_edit(scan, k, 0, "%");
}

/* The words that may stand between those of a declaration's memory. */
static const char *const declaring[] = {"static", "extern", "volatile", "const", NULL};
static const char *const shared[] = {"__shared__", NULL};

static bool goes_before_shared(const struct scan *scan, size_t at)
{
	for (size_t before = 0; before != at;)
		at = skip_word(scan, before = at, declaring);
	return skip_word(scan, at, shared) != at;
}

/* Where the word begins that ends, but for blanks, before `end`. */
static size_t word_back(const struct scan *scan, size_t end)
{
	end = skip_blanks_back(scan->text, end);
	while (end && is_word(scan->text[end - 1]))
		end--;
	return end;
}

static bool goes_behind_shared(const struct scan *scan, size_t at)
{
	do
		at = word_back(scan, at);
	while (skip_word(scan, at, declaring) != at);
	return skip_word(scan, at, shared) != at;
}

/* "__device__" beside "__shared__". */
static void take_device(struct scan *scan, size_t length)
{
	size_t behind = skip_blanks(scan, scan->at + length);
	if (goes_before_shared(scan, behind) || goes_behind_shared(scan, scan->at))
		add_edit(scan, scan->at, length, "          ");
}

static void take_word(struct scan *scan)
{
	const char *word = scan->text + scan->at;
	size_t length = 0;
	take_assembler(scan);
	while (scan->at + length < scan->length && is_word(word[length]))
		length++;
	if (is_text(word, length, "__device__"))
		take_device(scan, length);
	if (scan->in_directive)
		take_defining(scan, word, length);
	else
		scan->says |= what_it_says(scan, word, length);
	scan->at += length;
}

static void take_punctuation(struct scan *scan, char c)
{
	bool opens = c == '<' && !follows_operator(scan) && scan->opened < MOST_OPEN;
	bool closes = c == '>' && scan->opened && scan->open[scan->opened - 1].depth == scan->depth;
	size_t start = scan->at;
	if (opens && take_brackets(scan, '<')) {
		unsigned says = side_of(scan);
		scan->open[scan->opened++] = (struct open_launch){scan->depth, says};
		if (says)
			open_device_launch(scan, start, start + 3, says);
		return;
	}
	if (closes && take_brackets(scan, '>')) {
		unsigned says = scan->open[--scan->opened].says;
		if (says)
			add_edit(scan, start, 3, says & SAYS_HOST ? " SLUICE_LAUNCHED " : ")");
		return;
	}
	if (c == ';')
		scan->opened = 0;
	if (c == '(' || c == '{' || c == ';')
		scan->defined = NULL; /* more than words */
	if (!scan->in_directive && ((c == ';' && !scan->depth) || c == '{' || c == '}'))
		take_brace(scan, c);
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
		if (c == '\n' && !(scan->at && rest[-1] == '\\'))
			end_directive(scan);
		if (c == '/' && next == '/') {
			skip_to(scan, "\n");
			scan->line_start = true;
			end_directive(scan);
		} else if (c == '/' && next == '*') {
			scan->at += 2;
			skip_to(scan, "*/");
		} else if (c == '"' || c == '\'') {
			skip_quoted(scan);
		} else if (c == '#' && starts) {
			scan->at++;
			scan->in_directive = true;
			follow_include(mending, scan, path);
		} else if (is_word(c)) {
			take_word(scan);
		} else {
			take_punctuation(scan, c);
		}
	}
}

/* The text with its edits, which lie one behind the other. */
static char *edited(const struct scan *scan, size_t *length)
{
	size_t most = scan->length + 1, from = 0;
	for (size_t i = 0; i < scan->edit_count; i++)
		most += strlen(scan->edits[i].text);
	char *text = xmalloc(most), *end = text;
	for (size_t i = 0; i < scan->edit_count; i++) {
		const struct edit *edit = &scan->edits[i];
		end = mempcpy(end, scan->text + from, edit->at - from);
		end = stpcpy(end, edit->text);
		from = edit->at + edit->removed;
	}
	end = mempcpy(end, scan->text + from, scan->length - from);
	*length = (size_t)(end - text);
	return text;
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
	struct scan scan = {.cc = cc, .qualifiers = &mending->qualifiers, .text = text, .length = length};
	scan_text(mending, &scan, path);
	if (scan.mended) {
		const char *copy = cc_new_temporary(cc, ".mended");
		char *mended = edited(&scan, &length);
		if (cc_write_file(cc, copy, mended, length)) {
			cc_add(&mending->overlay, full);
			cc_add(&mending->overlay, copy);
		}
		free(mended);
	}
	free(scan.edits);
	free(text);
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
	free(mending.qualifiers.list);
	return path;
}
