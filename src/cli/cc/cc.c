/* sluice cc: compiles CUDA C++ with clang, our headers, our device library and our runtime.
 *
 * clang++ gets the flags below; whatever we do not know passes through, behind them, so that a user's flags have the
 * last word. nvcc's spellings of common flags are translated (flags.c).
 */
#include "cli/cc/cc.h"

#include "base/arena.h"
#include "cli/kernel_ptx.h"

#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { DEFAULT_ARCHITECTURE = 70 };

/* Linked by its path and searched for first, or a user's -L and -rpath of another toolkit would find that one's. Not as an
 * input of clang's: behind -x cuda that would be a source. */
#define RUNTIME "/lib64/libcudart.so"

static bool has_suffix(const char *text, const char *suffix)
{
	size_t length = strlen(text), tail = strlen(suffix);
	return length > tail && strcmp(text + length - tail, suffix) == 0;
}

/* Flags of clang's that stop before the link. */
static bool stops_early(const char *word)
{
	static const char *const stops[] = {"-c", "-S", "-E", "-M", "-MM", "-fsyntax-only", "--cuda-device-only"};
	for (size_t i = 0; i < sizeof stops / sizeof *stops; i++)
		if (strcmp(word, stops[i]) == 0)
			return true;
	return false;
}

/* Flags of clang's whose value is the next word, which is not an input then. */
static bool takes_next(const char *word)
{
	static const char *const flags_with_value[] = {"-o",
	                                               "-I",
	                                               "-L",
	                                               "-D",
	                                               "-U",
	                                               "-l",
	                                               "-x",
	                                               "-MF",
	                                               "-MT",
	                                               "-MQ",
	                                               "-include",
	                                               "-isystem",
	                                               "-iquote",
	                                               "-Xclang",
	                                               "-Xlinker",
	                                               "-T",
	                                               "-u",
	                                               "-target",
	                                               "-Xarch_device",
	                                               "-Xarch_host",
	                                               "-mllvm",
	                                               "-Xcuda-ptxas"};
	for (size_t i = 0; i < sizeof flags_with_value / sizeof *flags_with_value; i++)
		if (strcmp(word, flags_with_value[i]) == 0)
			return true;
	return false;
}

static void add_input(struct cc *cc, const char *word)
{
	cc->inputs++;
	if (has_suffix(word, ".ptx"))
		cc->ptx_input = word;
	if (has_suffix(word, ".cu")) {
		cc->sources++;
		cc->source = word;
	}
	cc_add(&cc->user, word);
}

/* The same for a word that is none of ours and none of nvcc's: clang gets it. */
static bool take_clang(struct cc *cc, const char *word, const char *next, int *i)
{
	cc->links = cc->links && !stops_early(word);
	cc->verbose |= strcmp(word, "-v") == 0 || strcmp(word, "-###") == 0;
	cc->own_architecture |= strncmp(word, "--cuda-gpu-arch=", 16) == 0 || strncmp(word, "--offload-arch=", 15) == 0;
	cc->device_only |= strcmp(word, "--cuda-device-only") == 0;
	cc->emits_llvm |= strcmp(word, "-emit-llvm") == 0;
	if (strncmp(word, "-o", 2) == 0)
		cc->output = word[2] ? word + 2 : next;
	if (strcmp(word, "-S") == 0) {
		cc->assembly = true;
		return true;
	}
	if (strncmp(word, "-O", 2) == 0) {
		cc->host_level = word;
		return true;
	}
	if (!takes_next(word)) {
		cc_add(&cc->user, word);
		return true;
	}
	if (!cc_needs_value(cc, word, next))
		return false;
	++*i;
	if (strcmp(word, "-l") == 0 && strncmp(next, "cudart", 6) == 0)
		return true;
	cc_add(&cc->user, word);
	cc_add(&cc->user, strcmp(word, "-x") == 0 && strcmp(next, "cu") == 0 ? "cuda" : next);
	return true;
}

/* Handles argv[*i] and whatever belongs to it. False after an error message. */
static bool take(struct cc *cc, int argc, char **argv, int *i)
{
	const char *word = argv[*i];
	const char *next = *i + 1 < argc ? argv[*i + 1] : NULL;
	if (word[0] != '-' || !word[1]) {
		add_input(cc, word);
		return true;
	}
	if (strcmp(word, "--device-ptx") == 0 || strncmp(word, "--device-ptx=", 13) == 0) {
		cc->device_ptx = word[12] ? word + 13 : next;
		*i += !word[12];
		return cc_needs_value(cc, "--device-ptx", cc->device_ptx);
	}
	if (strcmp(word, "--ptx") == 0 || strcmp(word, "-ptx") == 0) {
		cc->ptx = true;
		cc->links = false;
		return true;
	}
	if (cc_is_nvcc_flag(word))
		return cc_take_nvcc_flag(cc, word, next, i);
	return take_clang(cc, word, next, i);
}

/* As nvcc's, -O is for host code: device code is the same with each. Of the levels that are not ours clang knows these for
 * one side alone; the others, between them, compile as ours. */
static void add_host_level(struct cc *cc, struct words *command)
{
	static const char *const one_sided[] = {"-O0", "-O3", "-O4", "-Ofast"};
	for (size_t i = 0; i < sizeof one_sided / sizeof *one_sided; i++)
		if (cc->host_level && strcmp(cc->host_level, one_sided[i]) == 0) {
			cc_add(command, "-Xarch_host");
			cc_add(command, cc->host_level);
		}
}

static void add_cuda(struct cc *cc, struct words *command, const char *toolkit)
{
	static const char *const fixed[] = {
		"-nocudainc",
		"-include",
		"cuda_runtime.h",
		"--no-cuda-version-check",
		"-O2",
		"-gline-tables-only",
		"-Wno-unused-command-line-argument",
		"-Wno-unknown-cuda-version",
		/* "..."NAME and narrowing initialisers, which nvcc of the time let pass */
		"-Wno-reserved-user-defined-literal",
		"-Wno-c++11-narrowing",
		/* libcu++ declares them, and calls none */
		"-Xclang",
		"-fcuda-allow-variadic-functions",
	};
	cc_add(command, cc_joined(cc, "--cuda-path=", toolkit));
	cc_add(command, "-isystem");
	cc_add(command, cc_joined(cc, toolkit, "/include"));
	cc_add(command, "-idirafter");
	cc_add(command, cc_joined(cc, toolkit, "/absent"));
	for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
		cc_add(command, fixed[i]);
	add_host_level(cc, command);
	if (!cc->own_architecture) {
		char name[32];
		snprintf(name, sizeof name, "%u", cc->architecture ? cc->architecture : DEFAULT_ARCHITECTURE);
		cc_add(command, cc_joined(cc, "--cuda-gpu-arch=sm_", name));
	}
	if (cc->device_ptx) {
		static const char *const host_only[] = {"--cuda-host-only", "-Xclang", "-fcuda-include-gpubinary",
		                                        "-Xclang"};
		for (size_t i = 0; i < sizeof host_only / sizeof *host_only; i++)
			cc_add(command, host_only[i]);
		cc_add(command, cc->device_ptx);
	}
}

/* What our ptxas makes of one source is PTX. Without -o a.cu becomes a.ptx in the current folder. */
static void add_ptx(struct cc *cc, struct words *command)
{
	cc_add(command, "-c");
	cc_add(command, "--cuda-device-only");
	if (cc->output)
		return;
	const char *slash = strrchr(cc->source, '/');
	char *name = cc_joined(cc, slash ? slash + 1 : cc->source, ".ptx");
	strcpy(name + strlen(name) - strlen(".cu.ptx"), ".ptx");
	cc_add(command, "-o");
	cc_add(command, name);
}

/* -S --cuda-device-only asks for PTX too; as --ptx it goes through our ptxas, which puts right what clang 14 gets wrong. */
static void settle_assembly(struct cc *cc)
{
	if (!cc->assembly)
		return;
	if (cc->device_only && !cc->emits_llvm)
		cc->ptx = true;
	else
		cc_add(&cc->user, "-S");
}

static bool check(const struct cc *cc)
{
	if (cc->ptx_input) {
		cli_error(cc->name,
		          "%s is PTX; with --device-ptx it is the device code of a .cu file, whose host code runs it",
		          cc->ptx_input);
		return false;
	}
	if (!cc->inputs) {
		cli_error(cc->name, "no input files; 'sluice cc --help' shows the usage");
		return false;
	}
	if (cc->ptx && (cc->sources != 1 || cc->device_ptx)) {
		cli_error(cc->name, "--ptx: expected one .cu file and no --device-ptx");
		return false;
	}
	if (cc->device_ptx && cc->sources != 1) {
		cli_error(cc->name, "--device-ptx: expected one .cu file beside it, not %u", cc->sources);
		return false;
	}
	if (cc->device_ptx && cc->changes_ptx) {
		cli_error(cc->name, "-%s: the file of --device-ptx is taken as it is; write %s into it",
		          cc->changes_ptx, strcmp(cc->changes_ptx, "maxrregcount") == 0 ? ".maxnreg" : "the operators");
		return false;
	}
	if (cc->device_ptx && has_suffix(cc->device_ptx, ".cu")) {
		cli_error(cc->name,
		          "--device-ptx: expected a PTX file, not CUDA source; 'sluice cc --ptx' makes one of it");
		return false;
	}
	return true;
}

/* Reads the device code as 'sluice ptx' does: what is wrong with it is told now and not when the program runs. */
static int check_device_ptx(const struct cc *cc)
{
	struct ptx_module *module;
	int status = cli_read_ptx(cc->name, cc->device_ptx, NULL, &module);
	if (module)
		ptx_free(module);
	return status;
}

static bool find_toolkit_folder(const struct cc *cc, char *toolkit)
{
	const char *given = getenv("SLUICE_TOOLKIT");
	if (given && *given) {
		if (realpath(given, toolkit))
			return true;
		cli_error(cc->name, "SLUICE_TOOLKIT=%s: %s", given, strerror(errno));
		return false;
	}
	static const char *const places[] = {"../toolkit", CLI_INSTALLED_LIBRARIES "/toolkit", NULL};
	if (cli_find_folder(places, "version.json", toolkit))
		return true;
	cli_error(cc->name, "found no toolkit beside the program; set SLUICE_TOOLKIT to its folder");
	return false;
}

/* A build that was cut short has a toolkit already, but not all of it. */
static bool find_toolkit(struct cc *cc, char *toolkit)
{
	const char *const needed[] = {cc->device_ptx ? NULL : "/nvvm/libdevice/libdevice.10.bc",
	                              cc->links ? RUNTIME : NULL};
	if (!find_toolkit_folder(cc, toolkit))
		return false;
	for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
		if (!needed[i] || access(cc_joined(cc, toolkit, needed[i]), R_OK) == 0)
			continue;
		cli_error(cc->name, "cannot read %s%s: %s; 'make' builds what is missing", toolkit, needed[i],
		          strerror(errno));
		return false;
	}
	return true;
}

static void print_command(const struct words *command)
{
	for (size_t i = 0; i < command->count; i++)
		fprintf(stderr, "%s%s", i ? " " : "", command->list[i]);
	fputc('\n', stderr);
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *walk)
{
	(void)status, (void)kind, (void)walk;
	return remove(path);
}

/* Starts the compiler with a folder of its own for temporary files: clang 14 leaves empty folders behind. */
static int start(const struct cc *cc, struct words *command, const sigset_t *mask, pid_t *child)
{
	const char *given = getenv("SLUICE_CLANG");
	const char *const compilers[] = {given && *given ? given : "clang++-14", given && *given ? NULL : "clang++",
	                                 NULL};
	posix_spawnattr_t attributes;
	int error = ENOENT;
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigmask(&attributes, mask);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
	for (size_t i = 0; compilers[i] && error == ENOENT; i++) {
		command->list[0] = compilers[i];
		if (cc->verbose)
			print_command(command);
		error = posix_spawnp(child, command->list[0], NULL, &attributes, (char *const *)command->list, environ);
	}
	posix_spawnattr_destroy(&attributes);
	if (!error)
		return 0;
	cli_error(cc->name, "cannot start %s: %s%s", command->list[0], strerror(error),
	          error == ENOENT ? "; Debian's package clang-14 has the compiler" : "");
	return error == ENOENT ? CLI_NOT_FOUND : CLI_CANNOT_RUN;
}

/* The compiler's exit status. Signals that would end us go to it, so that we stay to clean up. */
static int await(pid_t child, const sigset_t *signals)
{
	int status, number;
	for (;;) {
		sigwait(signals, &number);
		if (number != SIGCHLD)
			kill(child, number);
		else if (waitpid(child, &status, WNOHANG) == child)
			return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	}
}

static int run_compiler(struct cc *cc, struct words *command)
{
	const char *parent = getenv("TMPDIR");
	char *folder = cc_joined(cc, parent && *parent ? parent : "/tmp", "/sluice-cc-XXXXXX");
	if (!mkdtemp(folder)) {
		cli_error(cc->name, "cannot make the folder %s: %s%s", folder, strerror(errno),
		          parent && *parent ? " (TMPDIR names the place)" : "");
		return CLI_FAILED;
	}
	setenv("TMPDIR", folder, 1);
	sigset_t signals, before;
	sigemptyset(&signals);
	static const int numbers[] = {SIGCHLD, SIGINT, SIGTERM, SIGHUP};
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		sigaddset(&signals, numbers[i]);
	sigprocmask(SIG_BLOCK, &signals, &before);
	fflush(NULL);
	pid_t child;
	int status = start(cc, command, &before, &child);
	if (status == 0)
		status = await(child, &signals);
	nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
	return status;
}

static int print_help(void)
{
	fputs("Usage: sluice cc [OPTION...] FILE...\n"
	      "Compile CUDA C++ for Sluice: clang++ with Sluice's headers, device library and runtime.\n"
	      "\n"
	      "      --device-ptx FILE  take the device code from that PTX file; only host code is compiled\n"
	      "      --ptx              write the device code as PTX (to -o FILE, else beside the source's name);\n"
	      "                         the same as clang's -S --cuda-device-only\n"
	      "  -v                     print the commands\n"
	      "\n"
	      "All other options go to clang++ (-o, -c, -O3, -I, -D, -std, -l, ...), behind Sluice's own:\n"
	      "--cuda-gpu-arch=sm_70 -O2 -gline-tables-only. As with nvcc, -O is for host code alone: device\n"
	      "code is always compiled with -O2. nvcc's -arch, -gencode, -lineinfo, -use_fast_math,\n"
	      "-Xcompiler and the like are understood.\n"
	      "\n"
	      "Environment: SLUICE_CLANG, the compiler (clang++-14); SLUICE_TOOLKIT, the folder of headers and\n"
	      "libraries (the one that belongs to this program).\n",
	      stdout);
	return 0;
}

static int compile(struct cc *cc)
{
	struct words command = {0};
	char toolkit[PATH_MAX];
	settle_assembly(cc);
	if (!check(cc))
		return CLI_USAGE;
	int status = cc->device_ptx ? check_device_ptx(cc) : 0;
	if (status != 0)
		return status;
	if (!find_toolkit(cc, toolkit))
		return CLI_FAILED;
	cc_add(&command, NULL); /* the compiler */
	add_cuda(cc, &command, toolkit);
	if (cc->links) {
		const char *const folder[] = {"-Xlinker", "-rpath", "-Xlinker", cc_joined(cc, toolkit, "/lib64")};
		for (size_t i = 0; i < sizeof folder / sizeof *folder; i++)
			cc_add(&command, folder[i]);
	}
	if (cc->ptx)
		add_ptx(cc, &command);
	for (size_t i = 0; i < cc->user.count; i++)
		cc_add(&command, cc->user.list[i]);
	if (cc->links) {
		cc_add(&command, "-Xlinker");
		cc_add(&command, cc_joined(cc, toolkit, RUNTIME));
	}
	status = run_compiler(cc, &command);
	free(command.list);
	return status;
}

int command_cc(int argc, char **argv)
{
	struct cc cc = {.name = argv[0], .links = true};
	bool fine = true;
	for (int i = 1; i < argc && fine; i++) {
		if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
			cc.help = true;
		else
			fine = take(&cc, argc, argv, &i);
	}
	int status = CLI_USAGE;
	if (cc.help)
		status = print_help();
	else if (fine)
		status = compile(&cc);
	free(cc.user.list);
	arena_free(&cc.arena);
	return status;
}
