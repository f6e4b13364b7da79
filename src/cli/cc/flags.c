/* nvcc's flags for `sluice cc`: what becomes of each. */
#include "cli/cc/cc.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_REGISTERS = 255 };

/* What becomes of a flag of nvcc's. */
enum translation {
	DROP,         /* means nothing here */
	REPLACE,      /* by the words of `text` */
	ARCHITECTURE, /* a value with sm_NN or compute_NN in it, or several */
	REGISTERS,    /* a number, for ptxas */
	PTXAS,        /* a comma-separated list of ptxas's own options */
	SPREAD,       /* a comma-separated list, each for clang, behind the prefix `text` */
	REFUSE,       /* an error: `text` says why */
};

struct flag {
	const char *name; /* without its one or two dashes */
	bool takes_value; /* behind '=' or as the next word */
	enum translation translation;
	const char *text; /* for a flag with a value, REPLACE applies when the value is "true" or `value` */
	const char *value;
};

static const struct flag flags[] = {
	{"arch", true, ARCHITECTURE, NULL, NULL},
	{"gpu-architecture", true, ARCHITECTURE, NULL, NULL},
	{"gencode", true, ARCHITECTURE, NULL, NULL},
	{"generate-code", true, ARCHITECTURE, NULL, NULL},
	{"code", true, DROP, NULL, NULL},
	{"gpu-code", true, DROP, NULL, NULL},
	{"lineinfo", false, REPLACE, "-gline-tables-only", NULL},
	{"generate-line-info", false, REPLACE, "-gline-tables-only", NULL},
	{"G", false, REPLACE, "-g", NULL},
	{"device-debug", false, REPLACE, "-g", NULL},
	{"use_fast_math", false, REPLACE, "-ffast-math -fcuda-flush-denormals-to-zero", NULL},
	{"ftz", true, REPLACE, "-fcuda-flush-denormals-to-zero", "true"},
	{"fmad", true, REPLACE, "-ffp-contract=off", "false"},
	{"prec-div", true, DROP, NULL, NULL},
	{"prec-sqrt", true, DROP, NULL, NULL},
	{"maxrregcount", true, REGISTERS, NULL, NULL},
	{"Xptxas", true, PTXAS, NULL, NULL},
	{"ptxas-options", true, PTXAS, NULL, NULL},
	{"Xcompiler", true, SPREAD, NULL, NULL},
	{"compiler-options", true, SPREAD, NULL, NULL},
	{"Xnvlink", true, DROP, NULL, NULL},
	{"ccbin", true, DROP, NULL, NULL},
	{"compiler-bindir", true, DROP, NULL, NULL},
	{"cudart", true, DROP, NULL, NULL},
	{"lcudart", false, DROP, NULL, NULL}, /* ours is linked by its path */
	{"lcudart_static", false, DROP, NULL, NULL},
	{"Wno-deprecated-gpu-targets", false, DROP, NULL, NULL},
	{"expt-relaxed-constexpr", false, DROP, NULL, NULL},
	{"expt-extended-lambda", false, DROP, NULL, NULL},
	{"extended-lambda", false, DROP, NULL, NULL},
	{"keep", false, DROP, NULL, NULL},
	{"dc", false, REFUSE, "device code that calls into other files (-dc) is not supported; use -c", NULL},
	{"dlink", false, REFUSE, "device code that calls into other files (-dlink) is not supported", NULL},
	{"rdc", true, REFUSE, "device code that calls into other files (-rdc=true) is not supported", "true"},
	{"relocatable-device-code", true, REFUSE, "device code that calls into other files is not supported", "true"},
};

void cc_add(struct words *words, const char *word)
{
	words->list = xrealloc(words->list, (words->count + 2) * sizeof *words->list);
	words->list[words->count++] = word;
	words->list[words->count] = NULL;
}

char *cc_joined(struct cc *cc, const char *first, const char *second)
{
	size_t length = strlen(first);
	char *text = arena_alloc(&cc->arena, length + strlen(second) + 1);
	strcpy(text + length, second);
	return memcpy(text, first, length);
}

bool cc_needs_value(const struct cc *cc, const char *word, const char *value)
{
	if (!value)
		cli_error(cc->name, "%s: expected a value", word);
	return value;
}

/* Adds each part of a list. */
static void add_parts(struct cc *cc, const char *list, char separator)
{
	for (const char *at = list; *at;) {
		size_t length = strcspn(at, (const char[]){separator, '\0'});
		if (length)
			cc_add(&cc->user, arena_string(&cc->arena, at, length));
		at += length + (at[length] != '\0');
	}
}

/* The newest of the architectures in the text that our clang knows; newer and unknown ones count as the next older. */
static unsigned newest_architecture(const char *text)
{
	static const unsigned known[] = {20, 21, 30, 32, 35, 37, 50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86};
	unsigned newest = 0;
	for (const char *at = text; (at = strchr(at, '_')); at++) {
		unsigned long wanted = strtoul(at + 1, NULL, 10);
		unsigned best = wanted ? known[0] : 0;
		for (size_t i = 0; i < sizeof known / sizeof *known; i++)
			if (known[i] <= wanted)
				best = known[i];
		newest = best > newest ? best : newest;
	}
	return newest;
}

/* The row that the word spells, with one dash or two; *value is behind its '=', or NULL. */
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

/* The options of ptxas that ours has: what they limit or choose is written into the PTX. */
static const struct ptxas_option {
	const char *name, *short_name; /* without dashes */
	const char *values;            /* the words it takes; NULL: a number of registers */
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
	cc_add(&cc->user, "-Xcuda-ptxas");
	cc_add(&cc->user, cc_joined(cc, cc_joined(cc, "-", option->short_name), cc_joined(cc, "=", value)));
	return true;
}

/* One word for ptxas: an option with its value behind '=' or as the next word. Those that ours does not have mean nothing here. */
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

static bool translate(struct cc *cc, const struct flag *flag, const char *value)
{
	bool applies = !flag->value || (value && strcmp(value, flag->value) == 0);
	switch (flag->translation) {
	case DROP:
		return true;
	case REPLACE:
		if (applies)
			add_parts(cc, flag->text, ' ');
		return true;
	case SPREAD:
		add_parts(cc, value, ',');
		return true;
	case ARCHITECTURE: {
		unsigned architecture = newest_architecture(value);
		if (!architecture) {
			cli_error(cc->name, "-%s: expected sm_NN or compute_NN, not '%s'", flag->name, value);
			return false;
		}
		cc->architecture = architecture > cc->architecture ? architecture : cc->architecture;
		return true;
	}
	case REGISTERS:
		return add_ptxas_option(cc, &ptxas_options[0], value);
	case PTXAS:
		return take_ptxas_words(cc, value);
	case REFUSE:
		if (applies)
			cli_error(cc->name, "%s", flag->text);
		return !applies;
	}
	return false;
}

bool cc_is_nvcc_flag(const char *word)
{
	const char *value;
	return find_flag(word, &value) != NULL;
}

bool cc_take_nvcc_flag(struct cc *cc, const char *word, const char *next, int *i)
{
	const char *value;
	const struct flag *flag = find_flag(word, &value);
	if (flag->takes_value && !value) {
		value = next;
		++*i;
	}
	return (!flag->takes_value || cc_needs_value(cc, word, value)) && translate(cc, flag, value);
}
