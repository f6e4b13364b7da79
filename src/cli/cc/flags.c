/* nvcc's flags in `sluice cc`, and their translations. */
#include "cli/cc/cc.h"
#include "base/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_REGISTERS = 255 };

/* The kinds of translation. */
enum translation {
	DROP,          /* ignored */
	REPLACE,       /* replaced by the words of `text` */
	DEVICE,        /* the same, only for steps that compile CUDA */
	JOIN,          /* `text` with the value after it */
	RENAME,        /* renamed to `text`, a flag of clang or ours; the value becomes the next word */
	ARCHITECTURE,  /* the value contains one or several sm_NN or compute_NN */
	REGISTERS,     /* a number for ptxas */
	PTXAS,         /* a comma-separated list of ptxas options */
	HOST,          /* a comma-separated list for the host compiler */
	LINKER,        /* a comma-separated list for the linker */
	MODE,          /* selects the kind of output: the letter in `text` */
	FILE_OF_WORDS, /* a file with further words */
	FOLDER,        /* the output folder */
	STREAMS,       /* what stream 0 is: legacy, null or per-thread */
	STANDARD,      /* the language standard */
	CONTAINER,     /* only device code, to a file with the suffix `text` */
	REFUSE,        /* an error; `text` is the reason */
};

struct flag {
	const char *name; /* without its one or two dashes */
	bool takes_value; /* after '=' or as the next word */
	enum translation translation;
	const char *text; /* a flag with a value applies only when it is "true" or `value` */
	const char *value;
};

#define NO_MACHINE_CODE "Sluice runs PTX and makes no machine code for GPUs; --ptx writes the device code"

static const struct flag flags[] = {
#include "cli/cc/flags.def"
};

bool cc_needs_value(const struct cc *cc, const char *word, const char *value)
{
	if (!value)
		cli_error(cc->name, "%s: expected a value", word);
	return value;
}

/* Adds each blank-separated part of a list. */
static void add_parts(struct cc *cc, struct argument_list *words, const char *list)
{
	for (const char *at = list; *at;) {
		size_t length = strcspn(at, " ");
		if (length)
			cc_add(words, arena_string(&cc->arena, at, length));
		at += length + (at[length] != '\0');
	}
}

/* Returns the next part of an nvcc list, which ends at a comma or blank; NULL at the end. nvcc passes its commands to a
 * shell, so shell quoting applies. Quotes, which FindCUDA puts around each word, hold a part together and are removed.
 * A backslash before a quote or comma makes it part of the word. */
static char *next_part(struct cc *cc, const char **list)
{
	const char *at = *list + strspn(*list, ", ");
	char *part = arena_alloc(&cc->arena, strlen(at) + 1), *end = part;
	for (char quote = '\0'; *at && (quote || (*at != ',' && *at != ' ')); at++) {
		bool is_quote = quote ? *at == quote : *at == '"' || *at == '\'';
		if (is_quote) {
			quote = quote ? '\0' : *at;
			continue;
		}
		at += at[0] == '\\' && at[1] && strchr(",\"'", at[1]);
		*end++ = *at;
	}
	*list = at;
	return end > part ? part : NULL;
}

/* True for flags that select the host machine (-m...): they do not apply to device code. */
static bool is_host_alone(const char *word)
{
	return strncmp(word, "-m", 2) == 0 && strcmp(word, "-mllvm") != 0;
}

/* Adds words for the host compiler. A -Wl, list stays one word. */
static void add_host_words(struct cc *cc, const char *list)
{
	if (strncmp(list, "-Wl,", 4) == 0 && !strchr(list, ' ')) {
		cc_add(&cc->user, list);
		return;
	}
	for (char *word; (word = next_part(cc, &list));) {
		if (strcmp(word, "-m64") == 0)
			continue; /* the default; clang also rejects it for one side only */
		if (strncmp(word, "-O", 2) == 0) {
			cc->host_level = word;
			continue;
		}
		if (is_host_alone(word)) {
			cc_add(&cc->device, "-Xarch_host");
			cc_add(&cc->device, word);
			cc_add(&cc->host, word);
		} else {
			cc_add(&cc->user, word);
		}
	}
}

static void add_linker_words(struct cc *cc, const char *list)
{
	for (char *word; (word = next_part(cc, &list));) {
		cc_add(&cc->user, "-Xlinker");
		cc_add(&cc->user, word);
	}
}

/* The architectures that our clang supports. */
static const unsigned known[] = {30, 32, 35, 37, 50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86};

void cc_print_architectures(const char *prefix, const char *indent, size_t per_line)
{
	size_t count = sizeof known / sizeof *known;
	for (size_t i = 0; i < count; i++)
		printf("%s%s%u%s", i % per_line ? " " : indent, prefix, known[i],
		       (i + 1) % per_line && i + 1 < count ? "" : "\n");
}

/* Returns the newest supported architecture in the text. Newer or unknown ones count as the next older one, and those
 * before sm_30, which have no shuffles, as sm_30. "native" and "all" select our default architecture. */
static unsigned newest_architecture(const char *text, unsigned *asked)
{
	static const char *const any[] = {"native", "all", "all-major"};
	unsigned newest = 0;
	for (size_t i = 0; i < sizeof any / sizeof *any; i++)
		if (strcmp(text, any[i]) == 0)
			return *asked = CC_DEFAULT_ARCHITECTURE;
	for (const char *at = text; (at = strchr(at, '_')); at++) {
		unsigned long wanted = strtoul(at + 1, NULL, 10);
		unsigned best = wanted ? known[0] : 0;
		*asked = wanted > *asked && wanted < 10000 ? (unsigned)wanted : *asked;
		for (size_t i = 0; i < sizeof known / sizeof *known; i++)
			if (known[i] <= wanted)
				best = known[i];
		newest = best > newest ? best : newest;
	}
	return newest;
}

/* Finds the row for a word with one or two dashes. Sets *value to the text after '=', or to NULL. */
static const struct flag *find_flag(const char *word, const char **value)
{
	const char *name = word + 1 + (word[1] == '-');
	size_t length = strcspn(name, "=");
	*value = name[length] ? name + length + 1 : NULL;
	for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
		if (strlen(flags[i].name) == length && strncmp(flags[i].name, name, length) == 0 &&
		    (flags[i].takes_value || !*value))
			return &flags[i];
	return NULL;
}

/* The ptxas options that have an effect here: they are written into the PTX. */
static const struct ptxas_option {
	const char *name, *short_name; /* without dashes */
	const char *values;            /* the accepted words; NULL: a number of registers */
} ptxas_options[] = {
	{"maxrregcount", "maxrregcount", NULL},
	{"def-load-cache", "dlcm", "ca|cg|cs|cv"},
	{"def-store-cache", "dscm", "wb|cg|cs|wt"},
};

static bool is_among(const char *word, const char *words)
{
	size_t length = strlen(word);
	for (const char *at = words; at; at = strchr(at, '|'), at += at != NULL)
		if (length == strcspn(at, "|") && strncmp(at, word, length) == 0)
			return true;
	return false;
}

static bool add_ptxas_option(struct cc *cc, const struct ptxas_option *option, const char *value)
{
	size_t digits = strspn(value, "0123456789");
	if (option->values && !is_among(value, option->values)) {
		cli_error(cc->name, "-%s: expected one of %s, not '%s'", option->short_name, option->values, value);
		return false;
	}
	if (!option->values && (!digits || value[digits] || strtoul(value, NULL, 10) > MOST_REGISTERS)) {
		cli_error(cc->name, "-maxrregcount: expected a number of registers, 0 (no limit) to %d, not '%s'",
		          MOST_REGISTERS, value);
		return false;
	}
	cc->changes_ptx = option->short_name;
	cc_add(&cc->device, "-Xcuda-ptxas");
	cc_add(&cc->device, cc_joined(cc, cc_joined(cc, "-", option->short_name), cc_joined(cc, "=", value)));
	return true;
}

/* Takes one word for ptxas: an option with its value after '=' or as the next word. Unknown options are ignored. */
static bool take_ptxas_word(struct cc *cc, const char *word)
{
	const struct ptxas_option *awaits = cc->awaits_value;
	const char *name = word + strspn(word, "-");
	size_t length = strcspn(name, "=");
	cc->awaits_value = NULL;
	if (awaits)
		return add_ptxas_option(cc, awaits, word);
	const char *option = arena_string(&cc->arena, name, length);
	for (size_t i = 0; i < sizeof ptxas_options / sizeof *ptxas_options; i++) {
		const struct ptxas_option *row = &ptxas_options[i];
		if (strcmp(option, row->name) != 0 && strcmp(option, row->short_name) != 0)
			continue;
		if (name[length])
			return add_ptxas_option(cc, row, name + length + 1);
		cc->awaits_value = row;
	}
	return true;
}

static bool take_ptxas_words(struct cc *cc, const char *list)
{
	bool fine = true;
	while (*list && fine) {
		size_t length = strcspn(list, ",");
		fine = take_ptxas_word(cc, arena_string(&cc->arena, list, length));
		list += length + (list[length] != '\0');
	}
	return fine;
}

static bool take_architecture(struct cc *cc, const struct flag *flag, const char *value)
{
	unsigned architecture = newest_architecture(value, &cc->asked_architecture);
	if (!architecture) {
		cli_error(cc->name, "-%s: expected sm_NN or compute_NN, native or all, not '%s'", flag->name, value);
		return false;
	}
	cc->architecture = architecture > cc->architecture ? architecture : cc->architecture;
	return true;
}

bool cc_take_old_architecture(struct cc *cc, const char *word)
{
	const char *value = strncmp(word, "--cuda-gpu-arch=", 16) == 0  ? word + 16
	                    : strncmp(word, "--offload-arch=", 15) == 0 ? word + 15
	                                                                : NULL;
	unsigned asked = 0, architecture = value ? newest_architecture(value, &asked) : 0;
	if (!architecture || asked >= architecture)
		return false;
	cc->asked_architecture = asked > cc->asked_architecture ? asked : cc->asked_architecture;
	cc->architecture = architecture > cc->architecture ? architecture : cc->architecture;
	return true;
}

void cc_note_architecture(const struct cc *cc)
{
	if (cc->asked_architecture && cc->asked_architecture < cc->architecture)
		fprintf(stderr, "%s: note: sm_%u is compiled as sm_%u, the oldest that supports CUDA's headers\n",
		        cc->name, cc->asked_architecture, cc->architecture);
}

static void set_mode(struct cc *cc, char mode)
{
	switch (mode) {
	case 'd': /* relocatable, and not linked */
		cc->relocatable = true;
		/* fall through */
	case 'w': /* not linked */
		cc->links = false;
		cc_add(&cc->user, "-c");
		return;
	case 'r':
		cc->relocatable = true;
		return;
	case 'l':
		cc->links_device = true;
		return;
	case 'a':
		cc->makes_archive = true;
		return;
	case 'o':
		cc_add(&cc->host, "-fopenmp");
		return;
	case 'u': /* for another host compiler */
		cc->host_text = true;
		cc->links = false;
		return;
	case 'n':
		cc->dry_run = cc->verbose = true;
		return;
	case 'V':
		cc->version = true;
		return;
	case 'A':
		cc->lists = "compute_";
		return;
	case 'C':
		cc->lists = "sm_";
		return;
	}
}

/* Reads the words of a file, separated by blanks. Quotes protect blanks, and a backslash protects the next
 * character. */
static bool take_file(struct cc *cc, const char *path)
{
	size_t length;
	char *text = cli_read_file(path, &length);
	if (!text) {
		cli_error(cc->name, "--options-file: cannot read %s: %s", path, file_reason());
		return false;
	}
	struct argument_list words = {0};
	char *word = arena_alloc(&cc->arena, length + 1), *end = word, quote = 0;
	bool inside = false;
	for (size_t i = 0; i <= length; i++) {
		char c = i < length ? text[i] : ' ';
		if (!quote && strchr(" \t\r\n", c)) {
			if (inside)
				cc_add(&words, arena_string(&cc->arena, word, (size_t)(end - word)));
			end = word;
			inside = false;
			continue;
		}
		inside = true;
		if (c == quote)
			quote = 0;
		else if (!quote && (c == '"' || c == '\''))
			quote = c;
		else
			*end++ = c == '\\' && quote != '\'' && i + 1 < length ? text[++i] : c;
	}
	free(text);
	bool fine = true;
	for (int i = 0; i < (int)words.count && fine; i++)
		fine = cc_take(cc, words.list[i], i + 1 < (int)words.count ? words.list[i + 1] : NULL, &i);
	free(words.list);
	return fine;
}

static bool rename_flag(struct cc *cc, const char *name, const char *value)
{
	int taken = 0;
	return cc_take(cc, name, value, &taken);
}

static bool take_default_stream(struct cc *cc, const char *value)
{
	if (!is_among(value, "legacy|null|per-thread")) {
		cli_error(cc->name, "-default-stream: expected legacy, null or per-thread, not '%s'", value);
		return false;
	}
	if (strcmp(value, "per-thread") == 0)
		cc_add(&cc->user, "-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1");
	return true;
}

static bool translate(struct cc *cc, const struct flag *flag, const char *value)
{
	bool applies = !flag->value || (value && strcmp(value, flag->value) == 0);
	switch (flag->translation) {
	case DROP:
		return true;
	case REPLACE:
	case DEVICE:
		if (applies)
			add_parts(cc, flag->translation == DEVICE ? &cc->device : &cc->user, flag->text);
		return true;
	case JOIN:
		cc_add(&cc->user, cc_joined(cc, flag->text, value));
		return true;
	case RENAME:
		return rename_flag(cc, flag->text, value);
	case HOST:
		add_host_words(cc, value);
		return true;
	case LINKER:
		add_linker_words(cc, value);
		return true;
	case ARCHITECTURE:
		return take_architecture(cc, flag, value);
	case REGISTERS:
		return add_ptxas_option(cc, &ptxas_options[0], value);
	case PTXAS:
		return take_ptxas_words(cc, value);
	case MODE:
		if (applies)
			set_mode(cc, *flag->text);
		return true;
	case FILE_OF_WORDS:
		return take_file(cc, value);
	case FOLDER:
		cc->output_folder = value;
		return true;
	case STREAMS:
		return take_default_stream(cc, value);
	case STANDARD:
		cc_add(&cc->user, cc_joined(cc, "-std=", value));
		return true;
	case CONTAINER:
		cc->ptx = true;
		cc->links = false;
		cc->container = flag->text;
		return true;
	case REFUSE:
		cli_error(cc->name, "-%s: %s", flag->name, flag->text);
		return false;
	}
	return false;
}

/* "-Werror KIND", which clang lacks. */
static bool is_kind_of_error(const char *word, const char *next)
{
	static const char *const kinds = "all-warnings|cross-execution-space-call|reorder|default-stream-launch|"
					 "missing-launch-bounds|ext-lambda-captures-this|deprecated-declarations";
	return next && (strcmp(word, "-Werror") == 0 || strcmp(word, "--Werror") == 0) && is_among(next, kinds);
}

bool cc_is_nvcc_flag(const char *word, const char *next)
{
	const char *value;
	return is_kind_of_error(word, next) || find_flag(word, &value) != NULL;
}

bool cc_take_nvcc_flag(struct cc *cc, const char *word, const char *next, int *i)
{
	const char *value;
	if (is_kind_of_error(word, next)) {
		if (strcmp(next, "all-warnings") == 0)
			cc_add(&cc->user, "-Werror");
		++*i;
		return true;
	}
	const struct flag *flag = find_flag(word, &value);
	if (flag->takes_value && !value) {
		value = next;
		++*i;
	}
	return (!flag->takes_value || cc_needs_value(cc, word, value)) && translate(cc, flag, value);
}
