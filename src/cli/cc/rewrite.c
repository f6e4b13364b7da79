/* Rewrites sources that clang rejects, together with the user's files that they include.
 *
 * `kernel<< <grid, block>> >(...)`, accepted by old versions of nvcc, is written with the blanks after the brackets.
 * Lengths stay the same, and so do lines and columns. Launches in device code become calls of sluice/device_runtime.h;
 * line numbers stay. assembler.c rewrites assembler, alignment.c declarations, pragma.c pragmas in macros. An overlay
 * of clang's file system puts each rewritten copy in place of its original, so that file names and includes stay valid.
 */
#include "cli/cc/rewrite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct rewriting {
	struct cc *cc;
	struct argument_list seen;    /* files already scanned */
	struct argument_list overlay; /* pairs: the original's absolute path, the rewritten copy */
	struct argument_list qualifiers;
};

char *scan_absolute(struct cc *cc, const char *path)
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

static bool is_new(const struct argument_list *seen, const char *path)
{
	for (size_t i = 0; i < seen->count; i++)
		if (strcmp(seen->list[i], path) == 0)
			return false;
	return true;
}

/* True for a header of the CUDA C++ libraries, judged by its folder. */
static bool names_library(const char *name)
{
	static const char *const folders[] = {"cuda/", "cub/", "thrust/", "cooperative_groups"};
	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
		if (strncmp(name, folders[i], strlen(folders[i])) == 0)
			return true;
	return false;
}

/* Finds an included file: in the includer's folder, in a folder of -I, or in Debian's libcu++. Returns NULL when it
 * belongs neither to the user nor to libcu++. */
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
	path = cc_joined(cc, "/usr/include/", name);
	return strncmp(name, "cuda/", 5) == 0 && access(path, R_OK) == 0 ? path : NULL;
}

static void look_through(struct rewriting *rewriting, const char *path);

/* Follows an include directive; `at` is after the '#'. */
static void follow_include(struct rewriting *rewriting, struct scan *scan, const char *path)
{
	static const char word[] = "include";
	size_t at = scan_skip_spaces(scan, scan->at);
	if (scan->length - at < sizeof word || memcmp(scan->text + at, word, sizeof word - 1) != 0)
		return;
	at = scan_skip_spaces(scan, at + sizeof word - 1);
	char end = at < scan->length && scan->text[at] == '"' ? '"' : '>';
	const char *name = scan->text + at + 1;
	size_t length = 0;
	while (at + 1 + length < scan->length && name[length] != end && name[length] != '\n')
		length++;
	char *included = arena_string(&rewriting->cc->arena, name, length);
	char *file = find_included(rewriting->cc, path, included, end == '"');
	rewriting->cc->shuffles |= names_library(included);
	size_t stop = at + 1 + length;
	scan->at = stop < scan->length ? stop + (scan->text[stop] == end) : scan->length;
	if (file)
		look_through(rewriting, file);
}

static void scan_text(struct rewriting *rewriting, struct scan *scan, const char *path)
{
	scan->line_start = true;
	while (scan->at < scan->length) {
		const char *rest = scan->text + scan->at;
		char c = *rest, next = scan->at + 1 < scan->length ? rest[1] : '\0';
		bool starts = scan->line_start;
		scan->line_start = c == '\n' || (starts && isspace((unsigned char)c));
		if (c == '\n' && !(scan->at && rest[-1] == '\\'))
			rewrite_end_directive(scan);
		if (c == '/' && next == '/') {
			rewrite_skip_to(scan, "\n");
			scan->line_start = true;
			rewrite_end_directive(scan);
		} else if (c == '/' && next == '*') {
			scan->at += 2;
			rewrite_skip_to(scan, "*/");
		} else if (c == '"' || c == '\'') {
			scan_skip_quoted(scan);
		} else if (c == '#' && starts && !scan->in_directive) {
			scan->at++;
			rewrite_begin_directive(scan);
			follow_include(rewriting, scan, path);
		} else if (scan_is_word(c)) {
			rewrite_take_word(scan);
		} else {
			rewrite_take_punctuation(scan, c);
		}
	}
}

/* Returns the text with its edits. An edit that begins inside text removed by another edit is dropped. */
static char *edited(const struct scan *scan, size_t *length)
{
	size_t most = scan->length + 1, from = 0;
	for (size_t i = 0; i < scan->edit_count; i++)
		most += strlen(scan->edits[i].text);
	char *text = base_malloc(most), *end = text;
	for (size_t i = 0; i < scan->edit_count; i++) {
		const struct edit *edit = &scan->edits[i];
		if (edit->at < from)
			continue;
		end = mempcpy(end, scan->text + from, edit->at - from);
		end = stpcpy(end, edit->text);
		from = edit->at + edit->removed;
	}
	end = mempcpy(end, scan->text + from, scan->length - from);
	*length = (size_t)(end - text);
	return text;
}

static void look_through(struct rewriting *rewriting, const char *path)
{
	struct cc *cc = rewriting->cc;
	char *full = scan_absolute(cc, path);
	size_t length;
	if (!is_new(&rewriting->seen, full))
		return;
	cc_add(&rewriting->seen, full);
	char *text = cli_read_file(path, &length);
	if (!text)
		return; /* clang will report it */
	struct scan scan = {.cc = cc, .qualifiers = &rewriting->qualifiers, .text = text, .length = length};
	scan.in_library = strstr(full, "/cuda/std/") != NULL;
	cc->shuffles |= memmem(text, length, "shfl", 4) != NULL;
	scan_text(rewriting, &scan, path);
	scan_missing_templates(&scan, full);
	if (scan.rewritten) {
		const char *copy = cc_new_temporary(cc, ".rewritten");
		char *rewritten = edited(&scan, &length);
		if (cc_write_file(cc, copy, rewritten, length)) {
			cc_add(&rewriting->overlay, full);
			cc_add(&rewriting->overlay, copy);
		}
		free(rewritten);
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

/* Writes the overlay's description; the copies appear under the originals' names. */
static bool write_overlay(const struct argument_list *overlay, const char *path)
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

const char *cc_rewrite_launches(struct cc *cc, const char *source)
{
	struct rewriting rewriting = {.cc = cc};
	cc->shuffles = false;
	look_through(&rewriting, source);
	const char *path = NULL;
	if (rewriting.overlay.count) {
		path = cc_new_temporary(cc, ".yaml");
		if (!write_overlay(&rewriting.overlay, path)) {
			cli_error(cc->name, "cannot write %s", path);
			path = NULL;
		}
	}
	free(rewriting.seen.list);
	free(rewriting.overlay.list);
	free(rewriting.qualifiers.list);
	return path;
}
