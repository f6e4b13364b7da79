/* NVRTC's options: those passed on to our nvcc, and those that are ignored. */
#include "nvrtc/program.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

/* An option without its dashes. A value follows '=' or is the next word. */
static const struct option {
	const char *name;
	bool has_value, is_passed;
} options[] = {
	{"gpu-architecture", true, true},
	{"arch", true, true},
	{"define-macro", true, true},
	{"undefine-macro", true, true},
	{"include-path", true, true},
	{"pre-include", true, true},
	{"std", true, true},
	{"maxrregcount", true, true},
	{"ptxas-options", true, true},
	{"ftz", true, true},
	{"prec-sqrt", true, true},
	{"prec-div", true, true},
	{"fmad", true, true},
	{"use_fast_math", false, true},
	{"generate-line-info", false, true},
	{"lineinfo", false, true},
	{"device-debug", false, true},
	{"G", false, true},
	{"disable-warnings", false, true},
	{"w", false, true},
	{"restrict", false, true},
	/* ignored: without a counterpart, or without effect on the code */
	{"device-as-default-execution-space", false, false},
	{"default-device", false, false},
	{"relocatable-device-code", true, false},
	{"rdc", true, false},
	{"device-c", false, false},
	{"dc", false, false},
	{"device-w", false, false},
	{"dw", false, false},
	{"extensible-whole-program", false, false},
	{"ewp", false, false},
	{"dopt", true, false},
	{"modify-stack-limit", true, false},
	{"extra-device-vectorization", false, false},
	{"dlink-time-opt", false, false},
	{"dlto", false, false},
	{"builtin-move-forward", true, false},
	{"builtin-initializer-list", true, false},
	{"no-source-include", false, false},
	{"display-error-number", false, false},
	{"no-display-error-number", false, false},
	{"diag-error", true, false},
	{"diag-suppress", true, false},
	{"diag-warn", true, false},
	{"version-ident", true, false},
	{"split-compile", true, false},
	{"time", true, false},
	{"minimal", false, false},
};

/* Options of one letter, whose value follows directly or is the next word. */
static const char letters[] = "DUI";

void nvrtc_add_word(struct nvrtc_words *words, const char *word)
{
	words->list = base_realloc(words->list, (words->count + 2) * sizeof *words->list);
	words->list[words->count++] = base_strdup(word);
	words->list[words->count] = NULL;
}

void nvrtc_words_free(struct nvrtc_words *words)
{
	for (size_t i = 0; i < words->count; i++)
		free(words->list[i]);
	free(words->list);
}

static const struct option *find(const char *word)
{
	if (*word != '-')
		return NULL;
	const char *name = word + 1 + (word[1] == '-');
	size_t length = strcspn(name, "=");
	for (size_t i = 0; i < sizeof options / sizeof *options; i++)
		if (strlen(options[i].name) == length && strncmp(options[i].name, name, length) == 0 &&
		    (options[i].has_value || !name[length]))
			return &options[i];
	return NULL;
}

/* Returns the number of words of the option, or 0 when it is unknown. */
static int measure(const char *word, const char *next, bool *is_passed)
{
	const struct option *option = find(word);
	bool is_complete; /* needs no further word */
	if (option) {
		*is_passed = option->is_passed;
		is_complete = !option->has_value || strchr(word, '=');
	} else if (word[0] == '-' && word[1] && strchr(letters, word[1])) {
		*is_passed = true;
		is_complete = word[2];
	} else {
		return 0;
	}
	return is_complete ? 1 : next ? 2 : 0;
}

int nvrtc_take_options(struct nvrtc_words *words, int count, const char *const *given)
{
	for (int i = 0; i < count;) {
		bool is_passed;
		int length = measure(given[i], i + 1 < count ? given[i + 1] : NULL, &is_passed);
		if (!length)
			return i;
		for (int k = 0; k < length && is_passed; k++)
			nvrtc_add_word(words, given[i + k]);
		i += length;
	}
	return -1;
}

static bool has(int count, const char *const *given, const char *name)
{
	for (int i = 0; i < count; i++)
		if (strcmp(given[i] + strspn(given[i], "-"), name) == 0)
			return true;
	return false;
}

bool nvrtc_defaults_to_device(int count, const char *const *given)
{
	return has(count, given, "default-device") || has(count, given, "device-as-default-execution-space");
}

void nvrtc_add_source_folder(struct nvrtc_words *words, const char *source, int count, const char *const *given)
{
	const char *slash = strrchr(source, '/');
	if (has(count, given, "no-source-include"))
		return;
	char *folder = slash ? strndup(source, (size_t)(slash - source) + 1) : strdup(".");
	nvrtc_add_word(words, "-I");
	nvrtc_add_word(words, folder);
	free(folder);
}

bool nvrtc_names_machine(int count, const char *const *given)
{
	bool is_machine = false;
	for (int i = 0; i < count; i++) {
		const struct option *option = find(given[i]);
		if (!option || (strcmp(option->name, "gpu-architecture") != 0 && strcmp(option->name, "arch") != 0))
			continue;
		const char *value = strchr(given[i], '=');
		value = value ? value + 1 : i + 1 < count ? given[++i] : "";
		is_machine = strncmp(value, "sm_", 3) == 0;
	}
	return is_machine;
}
