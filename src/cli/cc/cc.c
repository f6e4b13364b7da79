/* sluice cc, and nvcc of the toolkit: parses the command line; steps.c executes it.
 *
 * Words unknown to us are passed to clang++ after our own flags, so that the user's flags take precedence. flags.c
 * translates nvcc's spellings of common flags.
 */
#include "cli/cc/cc.h"

#include "base/arena.h"
#include "base/file.h"
#include "cli/kernel_ptx.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool cc_has_suffix(const char *text, const char *suffix)
{
	return file_has_suffix(text, strlen(text), suffix);
}

static bool is_one_of(const char *word, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(word, words[i]) == 0)
			return true;
	return false;
}

/* True for clang flags that stop before the link. */
static bool stops_early(const char *word)
{
	static const char *const stops[] = {"-c", "-S", "-E", "-M", "-MM", "-fsyntax-only", "--cuda-device-only"};
	return is_one_of(word, stops, sizeof stops / sizeof *stops);
}

static bool only_preprocesses(const char *word)
{
	static const char *const words[] = {"-E", "-M", "-MM"};
	return is_one_of(word, words, sizeof words / sizeof *words);
}

/* True for clang flags whose value is the next word, which is then not an input. */
static bool takes_next(const char *word)
{
	static const char *const flags[] = {"-o",          "-I",
	                                    "-L",          "-D",
	                                    "-U",          "-l",
	                                    "-x",          "-MF",
	                                    "-MT",         "-MQ",
	                                    "-include",    "-isystem",
	                                    "-iquote",     "-idirafter",
	                                    "-Xclang",     "-Xlinker",
	                                    "-T",          "-u",
	                                    "-target",     "-Xarch_host",
	                                    "-mllvm",      "-Xarch_device",
	                                    "-Xcuda-ptxas"};
	return is_one_of(word, flags, sizeof flags / sizeof *flags);
}

/* True for flags that name a folder; another toolkit's folder would add its headers or libraries. */
static bool names_folder(const char *word)
{
	static const char *const flags[] = {"-I", "-L", "-isystem", "-iquote", "-idirafter"};
	return is_one_of(word, flags, sizeof flags / sizeof *flags);
}

static enum language language_of(const struct cc *cc, const char *file)
{
	static const struct {
		const char *suffix;
		enum language language;
	} suffixes[] = {{".cu", LANGUAGE_CUDA}, {".c", LANGUAGE_C},     {".cpp", LANGUAGE_CXX},
	                {".cc", LANGUAGE_CXX},  {".cxx", LANGUAGE_CXX}, {".C", LANGUAGE_CXX},
	                {".c++", LANGUAGE_CXX}, {".i", LANGUAGE_C},     {".ii", LANGUAGE_CXX}};
	static const char *const linked[] = {".o", ".a", ".so", ".obj"};
	for (size_t i = 0; i < sizeof linked / sizeof *linked; i++)
		if (cc_has_suffix(file, linked[i]))
			return LANGUAGE_NONE;
	for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes && cc->forced == LANGUAGE_NONE; i++)
		if (cc_has_suffix(file, suffixes[i].suffix))
			return suffixes[i].language;
	return cc->forced;
}

static void add_input(struct cc *cc, const char *word)
{
	static const char *const wrong[] = {".ptx", ".cubin", ".fatbin"};
	cc->inputs = base_realloc(cc->inputs, (cc->input_count + 1) * sizeof *cc->inputs);
	cc->inputs[cc->input_count++] = (struct input){.place = cc->user.count};
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		if (cc_has_suffix(word, wrong[i]))
			cc->wrong_input = word;
	cc_add(&cc->user, word);
}

/* -x applies to all files, regardless of its position. */
static bool set_language(struct cc *cc, const char *name)
{
	static const struct {
		const char *name;
		enum language language;
	} names[] = {{"cu", LANGUAGE_CUDA},
	             {"cuda", LANGUAGE_CUDA},
	             {"c", LANGUAGE_C},
	             {"c++", LANGUAGE_CXX},
	             {"none", LANGUAGE_NONE}};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(name, names[i].name) == 0) {
			cc->forced = names[i].language;
			return true;
		}
	cli_error(cc->name, "-x: expected cu, c or c++, not '%s'", name);
	return false;
}

/* Takes a flag whose value is a separate word. */
static bool take_pair(struct cc *cc, const char *word, const char *value)
{
	if (strcmp(word, "-x") == 0)
		return set_language(cc, value);
	if (strcmp(word, "-o") == 0) {
		cc->output = value;
		return true;
	}
	if (strcmp(word, "-l") == 0 && strncmp(value, "cuda", 4) == 0) {
		int i = 0;
		return cc_take(cc, cc_joined(cc, "-l", value), NULL, &i);
	}
	if (names_folder(word) && cc_is_foreign_folder(cc, value))
		return true;
	if (strcmp(word, "-I") == 0)
		cc_add(&cc->folders, value);
	cc_add(&cc->user, word);
	cc_add(&cc->user, value);
	return true;
}

/* Splits -Ifolder, -isystem=folder and similar words into flag and value. Returns false for other words. */
static bool take_joined(struct cc *cc, const char *word, bool *fine)
{
	static const char *const flags[] = {"-isystem", "-include", "-I", "-L", "-D", "-U", "-l", "-x", "-o"};
	for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
		size_t length = strlen(flags[i]);
		if (strncmp(word, flags[i], length) != 0 || !word[length])
			continue;
		bool is_long = length > 2;
		if (is_long && word[length] != '=')
			return false;
		const char *value = word + length + (word[length] == '=');
		if (strcmp(flags[i], "-l") == 0 && value == word + length) {
			cc_add(&cc->user, word);
			return true;
		}
		*fine = take_pair(cc, flags[i], value);
		return true;
	}
	return false;
}

/* Passes a word to clang that is neither ours nor nvcc's. */
static bool take_clang(struct cc *cc, const char *word, const char *next, int *i)
{
	bool fine = true;
	cc->links = cc->links && !stops_early(word);
	cc->preprocesses |= only_preprocesses(word);
	cc->verbose |= strcmp(word, "-v") == 0 || strcmp(word, "-###") == 0;
	if (cc_take_old_architecture(cc, word))
		return true;
	cc->own_architecture |= strncmp(word, "--cuda-gpu-arch=", 16) == 0 || strncmp(word, "--offload-arch=", 15) == 0;
	cc->device_only |= strcmp(word, "--cuda-device-only") == 0;
	cc->emits_llvm |= strcmp(word, "-emit-llvm") == 0;
	if (strcmp(word, "-S") == 0) {
		cc->assembly = true;
		return true;
	}
	if (strncmp(word, "-O", 2) == 0) {
		cc->host_level = word;
		return true;
	}
	if (takes_next(word)) {
		++*i;
		return cc_needs_value(cc, word, next) && take_pair(cc, word, next);
	}
	if (!take_joined(cc, word, &fine) && !(cc->as_nvcc && strcmp(word, "-v") == 0))
		cc_add(&cc->user, word);
	return fine;
}

bool cc_take(struct cc *cc, const char *word, const char *next, int *i)
{
	if (word[0] != '-' || !word[1]) {
		add_input(cc, word);
		return true;
	}
	if (strcmp(word, "--x") == 0) /* nvcc's other spelling */
		word = "-x";
	if (strcmp(word, "--device-ptx") == 0 || strncmp(word, "--device-ptx=", 13) == 0) {
		cc->device_ptx = word[12] ? word + 13 : next;
		*i += !word[12];
		return cc_needs_value(cc, "--device-ptx", cc->device_ptx);
	}
	if (strcmp(word, "--cuda-version") == 0 || strncmp(word, "--cuda-version=", 15) == 0) {
		const char *value = word[14] ? word + 15 : next;
		*i += !word[14];
		return cc_needs_value(cc, "--cuda-version", value) &&
		       cc_find_cuda(cc->name, "--cuda-version", value, &cc->cuda);
	}
	if (strcmp(word, "--ptx") == 0 || strcmp(word, "-ptx") == 0) {
		cc->ptx = true;
		cc->links = false;
		return true;
	}
	if (cc_is_nvcc_flag(word, next))
		return cc_take_nvcc_flag(cc, word, next, i);
	return take_clang(cc, word, next, i);
}

/* -S --cuda-device-only requests PTX, like --ptx. It is handled the same way, because our ptxas corrects errors of
 * clang 14. */
static void settle_assembly(struct cc *cc)
{
	if (!cc->assembly)
		return;
	if (cc->device_only && !cc->emits_llvm)
		cc->ptx = true;
	else
		cc_add(&cc->user, "-S");
	cc->links = false;
}

/* Determines each input's language, after all -x options have been read. */
static void settle_languages(struct cc *cc)
{
	for (size_t i = 0; i < cc->input_count; i++) {
		struct input *input = &cc->inputs[i];
		input->language = language_of(cc, cc->user.list[input->place]);
		if (input->language == LANGUAGE_CUDA) {
			cc->sources++;
			cc->source = cc->user.list[input->place];
		}
	}
}

static bool check_device_ptx_use(const struct cc *cc)
{
	if (cc->sources != 1) {
		cli_error(cc->name, "--device-ptx: expected one .cu file with it, not %u", cc->sources);
		return false;
	}
	if (cc->changes_ptx) {
		cli_error(cc->name, "-%s: --device-ptx uses its file unchanged; write %s into that file",
		          cc->changes_ptx, strcmp(cc->changes_ptx, "maxrregcount") == 0 ? ".maxnreg" : "the operators");
		return false;
	}
	if (cc_has_suffix(cc->device_ptx, ".cu")) {
		cli_error(cc->name,
		          "--device-ptx: expected a PTX file, not CUDA source; 'sluice cc --ptx' makes one from it");
		return false;
	}
	return true;
}

static bool check(const struct cc *cc)
{
	if (cc->wrong_input) {
		if (cc_has_suffix(cc->wrong_input, ".ptx"))
			cli_error(cc->name,
			          "%s is PTX; with --device-ptx it is the device code of a .cu file, whose host code "
			          "runs it",
			          cc->wrong_input);
		else
			cli_error(cc->name,
			          "%s: expected sources, objects and libraries; device code without host code, or "
			          "machine code of GPUs, cannot be linked",
			          cc->wrong_input);
		return false;
	}
	if (!cc->input_count) {
		cli_error(cc->name, "no input files; '%s --help' shows the usage", cc->name);
		return false;
	}
	if (cc->ptx && (cc->sources != 1 || cc->device_ptx)) {
		cli_error(cc->name, "-%s: expected one .cu file and no --device-ptx",
		          cc->container ? cc->container + 1 : "-ptx");
		return false;
	}
	cc_note_architecture(cc);
	return !cc->device_ptx || check_device_ptx_use(cc);
}

/* Checks the device code as 'sluice ptx' does, so that errors are reported now and not at run time. */
static int check_device_ptx(const struct cc *cc)
{
	struct ptx_module *module;
	int status = cli_read_ptx(cc->name, cc->device_ptx, NULL, &module);
	if (module)
		ptx_free(module);
	return status;
}

static int print_help(void)
{
	fputs("Usage: sluice cc [OPTION...] FILE...\n"
	      "Compile CUDA C++ for Sluice: clang++ with Sluice's headers, device library and\n"
	      "runtime.\n"
	      "\n"
	      "      --device-ptx FILE  Take the device code from that PTX file; only host code\n"
	      "                         is compiled\n"
	      "      --ptx              Write the device code as PTX (to -o FILE, else as\n"
	      "                         NAME.ptx for NAME.cu); the same as clang's\n"
	      "                         -S --cuda-device-only\n"
	      "      --cuda-version 11|12|13\n"
	      "                         The CUDA version of headers and nvcc (12)\n"
	      "  -v                     Print the commands; --dryrun only prints them\n"
	      "\n"
	      "All other options go to clang++ (-o, -c, -O3, -I, -D, -std, -l, ...), after\n"
	      "Sluice's own: --cuda-gpu-arch=sm_70 -O2 -gline-tables-only. As with nvcc, -O\n"
	      "applies only to host code: device code is always compiled with -O2. nvcc's\n"
	      "options are understood: -arch, -gencode, -dc, -rdc=true, -dlink, -Xcompiler,\n"
	      "-Xlinker, -Xptxas, -maxrregcount, -lineinfo, -use_fast_math and others. CUDA's\n"
	      "keywords are known in .cu files and in files after -x cu, not in other C and\n"
	      "C++ files. -arch also takes sm_NN, newer and older ones, native and all:\n",
	      stdout);
	cc_print_architectures("compute_", "  ", 6);
	fputs("\n"
	      "The toolkit ('sluice toolkit' prints its folder) has this command as bin/nvcc,\n"
	      "for Makefiles.\n"
	      "\n"
	      "Environment: SLUICE_CLANG, the compiler (clang++-14); SLUICE_TOOLKIT, the folder\n"
	      "of headers and libraries (the one that belongs to this program).\n",
	      stdout);
	return 0;
}

static int compile(struct cc *cc)
{
	settle_assembly(cc);
	settle_languages(cc);
	if (!check(cc))
		return CLI_USAGE;
	int status = cc->device_ptx ? check_device_ptx(cc) : 0;
	if (status != 0)
		return status;
	if (!cc_check_toolkit(cc) || !cc_open_temporary(cc))
		return CLI_FAILED;
	status = cc_run_steps(cc);
	cc_close_temporary(cc);
	return status;
}

static void free_words(struct cc *cc)
{
	free(cc->user.list);
	free(cc->device.list);
	free(cc->host.list);
	free(cc->folders.list);
	free(cc->inputs);
	free(cc->missing);
	arena_free(&cc->arena);
}

/* Processes the words after our own options. */
static int run(struct cc *cc, int argc, char **argv)
{
	bool fine = true;
	if (!cc_find_toolkit(cc))
		return CLI_FAILED;
	cc_clean_environment(cc);
	for (int i = 0; i < argc && fine; i++) {
		if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
			cc->help = true;
		else
			fine = cc_take(cc, argv[i], i + 1 < argc ? argv[i + 1] : NULL, &i);
	}
	if (cc->help)
		return print_help();
	if (fine && cc->version) {
		cc_print_version(cc);
		return 0;
	}
	if (fine && cc->lists) {
		cc_print_architectures(cc->lists, "", 1);
		return 0;
	}
	if (cc->as_nvcc && cc->verbose)
		cc_print_variables(cc);
	return fine ? compile(cc) : CLI_USAGE;
}

int command_cc(int argc, char **argv)
{
	bool as_nvcc = argc > 1 && strcmp(argv[1], "--as-nvcc") == 0;
	struct cc cc = {.name = as_nvcc ? "nvcc" : argv[0], .as_nvcc = as_nvcc, .links = true};
	int status = run(&cc, argc - 1 - as_nvcc, argv + 1 + as_nvcc);
	free_words(&cc);
	return status;
}
