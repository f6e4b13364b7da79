/* The steps of a command line: a separate clang run compiles each source, then all is linked. */
#include "cli/cc/cc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Our own flags for CUDA, before all others. */
static void add_cuda_base(struct cc *cc, struct argument_list *command)
{
	static const char *const fixed[] = {
		"-nocudainc",
		"-include",
		"cuda_runtime.h",
		"--no-cuda-version-check",
		"-O2",
		/* signed overflow wraps on the host, as with g++, nvcc's host compiler; random generators of many
		 * suites rely on it */
		"-Xarch_host",
		"-fwrapv",
		"-gline-tables-only",
		"-Wno-unused-command-line-argument",
		"-Wno-unknown-cuda-version",
		/* "..."NAME and narrowing initializers were accepted by old versions of nvcc */
		"-Wno-reserved-user-defined-literal",
		/* g++ only warns about `register` in C++17 */
		"-Wno-error=register",
		"-Wno-c++11-narrowing",
		/* `return;` in a function with a result is only a warning for nvcc */
		"-Wno-error=return-type",
		/* libcu++ declares variadic functions, but calls none */
		"-Xclang",
		"-fcuda-allow-variadic-functions",
		NULL,
	};
	cc_add(command, cc_joined(cc, "--cuda-path=", cc_joined(cc, cc->toolkit, "/clang")));
	cc_add_all(command, fixed);
}

/* Like nvcc's, -O applies only to host code. clang accepts the listed levels for one side only; the levels in between
 * are compiled like ours. */
static void add_host_level(struct cc *cc, struct argument_list *command)
{
	static const char *const one_sided[] = {"-O0", "-O3", "-O4", "-Ofast"};
	for (size_t i = 0; i < sizeof one_sided / sizeof *one_sided; i++)
		if (cc->host_level && strcmp(cc->host_level, one_sided[i]) == 0) {
			cc_add(command, "-Xarch_host");
			cc_add(command, cc->host_level);
		}
}

static void add_headers(struct cc *cc, struct argument_list *command)
{
	/* after all folders of the user: our versions are for users who have none */
	static const char *const last[] = {"/samples/common/inc", "/sdk/C/common/inc", "/absent"};
	cc_add(command, cc_joined(cc, "-D__SLUICE_CUDA__=", cc_cuda_name(cc->cuda)));
	cc_add(command, "-isystem");
	cc_add(command, cc_joined(cc, cc->toolkit, "/include"));
	for (size_t i = 0; i < sizeof last / sizeof *last; i++) {
		cc_add(command, "-idirafter");
		cc_add(command, cc_joined(cc, cc->toolkit, last[i]));
	}
}

static void add_cuda(struct cc *cc, struct argument_list *command)
{
	static const char *const host_only[] = {"--cuda-host-only", "-Xclang", "-fcuda-include-gpubinary", "-Xclang",
	                                        NULL};
	add_cuda_base(cc, command);
	add_host_level(cc, command);
	if (!cc->own_architecture) {
		char name[32];
		snprintf(name, sizeof name, "%u", cc->architecture ? cc->architecture : CC_DEFAULT_ARCHITECTURE);
		cc_add(command, cc_joined(cc, "--cuda-gpu-arch=sm_", name));
	}
	if (cc->device_ptx) {
		cc_add_all(command, host_only);
		cc_add(command, cc->device_ptx);
	}
	if (cc->preprocesses && !cc->device_only)
		cc_add(command, "--cuda-host-only");
	if (cc->relocatable)
		cc_add(command, "-fgpu-rdc");
	cc_add_all(command, cc->device.list);
}

/* Flags for C and C++ files: those of a host compiler, and the folder of <cuda_runtime.h>. */
static void add_host(struct cc *cc, struct argument_list *command)
{
	cc_add(command, "-Wno-unused-command-line-argument");
	cc_add(command, "-fwrapv");
	cc_add(command, cc->host_level ? cc->host_level : "-O2");
	cc_add_all(command, cc->host.list);
}

/* True when -std is for another language. nvcc's users pass it to all files. */
static bool is_standard_of_other(const char *word, enum language language)
{
	if (strncmp(word, "-std=", 5) != 0)
		return false;
	return (strstr(word, "++") != NULL) != (language != LANGUAGE_C);
}

/* CUDA's headers need C++11, so an older standard, which nvcc still accepts, is replaced by it. */
static const char *standard_of_cuda(const char *word)
{
	static const struct {
		const char *old, *ours;
	} rows[] = {
		{"-ansi", "-std=c++11"},          {"-std=c++98", "-std=c++11"},     {"-std=c++03", "-std=c++11"},
		{"-std=gnu++98", "-std=gnu++11"}, {"-std=gnu++03", "-std=gnu++11"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (strcmp(word, rows[i].old) == 0)
			return rows[i].ours;
	return word;
}

/* Adds the words of the command line, except the files. */
static void add_user(const struct cc *cc, struct argument_list *command, enum language language)
{
	size_t input = 0;
	for (size_t i = 0; i < cc->user.count; i++) {
		if (input < cc->input_count && cc->inputs[input].place == i)
			input++;
		else if (!is_standard_of_other(cc->user.list[i], language))
			cc_add(command,
			       language == LANGUAGE_CUDA ? standard_of_cuda(cc->user.list[i]) : cc->user.list[i]);
	}
}

/* Returns NAME.suffix for FOLDER/NAME.cu, in the current folder or in that of -odir. */
static const char *beside(struct cc *cc, const char *source, const char *suffix)
{
	const char *slash = strrchr(source, '/'), *name = slash ? slash + 1 : source, *dot = strrchr(name, '.');
	char *stem = arena_string(&cc->arena, name, dot ? (size_t)(dot - name) : strlen(name));
	char *file = cc_joined(cc, stem, suffix);
	return cc->output_folder ? cc_joined(cc, cc_joined(cc, cc->output_folder, "/"), file) : file;
}

/* Without -o, a.cu becomes a.ptx. */
static const char *output_of(struct cc *cc, const char *suffix)
{
	return cc->output ? cc->output : beside(cc, cc->source, suffix);
}

/* Flags for PTX output of one source, by our ptxas. */
static void add_ptx(struct argument_list *command, const char *file)
{
	cc_add(command, "-c");
	cc_add(command, "--cuda-device-only");
	cc_add(command, "-o");
	cc_add(command, file);
}

/* Flags for assembler text without parts that depend on one assembler or one object file. */
static void add_assembly(struct argument_list *command, const char *file)
{
	static const char *const words[] = {"-S", "-g0", "-fno-addrsig", "-o", NULL};
	cc_add_all(command, words);
	cc_add(command, file);
}

static void add_output(struct cc *cc, struct argument_list *command, const char *source, const char *object)
{
	if (object)
		cc_add(command, "-c");
	if (!object && cc->output)
		object = cc->output;
	else if (!object && cc->output_folder && !cc->preprocesses)
		object = beside(cc, source, ".o");
	if (!object)
		return; /* clang reports it */
	cc_add(command, "-o");
	cc_add(command, object);
}

/* clang assumes that function arguments are defined in every lane. A variable that only one lane has set, and that a
 * shuffle then reads, would be set by all lanes. */
static const char *const undefined_values[] = {"-Xclang", "-disable-noundef-analysis", NULL};

/* Adds all words of a step that compiles `input`, except the output. */
static void begin(struct cc *cc, const struct input *input, struct argument_list *command)
{
	cc_add(command, NULL); /* NULL stands for clang */
	if (input->language == LANGUAGE_CUDA)
		add_cuda(cc, command);
	else
		add_host(cc, command);
	add_headers(cc, command);
	const char *source = cc->user.list[input->place];
	const char *overlay = input->language == LANGUAGE_CUDA ? cc_rewrite_launches(cc, source) : NULL;
	if (overlay) {
		cc_add(command, "-ivfsoverlay");
		cc_add(command, overlay);
	}
	if (input->language == LANGUAGE_CUDA && cc->shuffles)
		cc_add_all(command, undefined_values);
	add_user(cc, command, input->language);
}

/* Compiles, and again with the word "template" wherever clang misses it. Shows the messages of the last time. */
static int run_cuda(struct cc *cc, const char *source, struct argument_list *command)
{
	const char *log = cc_new_temporary(cc, ".messages");
	if (isatty(STDERR_FILENO))
		cc_add(command, "-fcolor-diagnostics");
	for (;;) {
		size_t length;
		int status = cc_run_logged(cc, command, log);
		char *messages = cc->dry_run ? NULL : cli_read_file(log, &length);
		if (!messages)
			return status;
		char *copy = strdup(messages);
		bool again = status != 0 && copy && cc_note_missing_templates(cc, copy);
		const char *overlay = again ? cc_rewrite_launches(cc, source) : NULL;
		if (!overlay)
			fputs(messages, stderr);
		free(copy);
		free(messages);
		if (!overlay)
			return status;
		cc_add(command, "-ivfsoverlay");
		cc_add(command, overlay);
	}
}

/* Runs the command of begin(). */
static int finish(struct cc *cc, const struct input *input, struct argument_list *command)
{
	static const char *const names[] = {[LANGUAGE_CUDA] = "cuda", [LANGUAGE_C] = "c", [LANGUAGE_CXX] = "c++"};
	cc_add(command, "-x");
	cc_add(command, names[input->language]);
	const char *source = cc->user.list[input->place];
	cc_add(command, source);
	int status = input->language == LANGUAGE_CUDA ? run_cuda(cc, source, command) : cc_run(cc, command);
	free(command->list);
	return status;
}

/* Compiles the device code first, which the host code embeds. */
static int write_host_text(struct cc *cc, const struct input *input)
{
	const char *given = cc->device_ptx, *ptx = given ? given : cc_new_temporary(cc, ".ptx");
	const char *source = cc->user.list[input->place], *assembly = cc_new_temporary(cc, ".s");
	struct argument_list device = {0}, host = {0};
	int status = 0;
	if (!given) {
		begin(cc, input, &device);
		add_ptx(&device, ptx);
		status = finish(cc, input, &device);
	}
	if (status != 0)
		return status;
	cc->device_ptx = ptx;
	begin(cc, input, &host);
	cc->device_ptx = given;
	add_assembly(&host, assembly);
	status = finish(cc, input, &host);
	if (status != 0 || cc->dry_run)
		return status;
	const char *output = cc->output ? cc->output : beside(cc, source, ".cu.cpp.ii");
	return cc_write_host_text(cc, assembly, output) ? 0 : CLI_FAILED;
}

/* Compiles to `object`, unless the command line stops earlier. */
static int compile(struct cc *cc, const struct input *input, const char *object)
{
	struct argument_list command = {0};
	begin(cc, input, &command);
	const char *source = cc->user.list[input->place];
	const char *ptx = cc->container ? cc_new_temporary(cc, ".ptx") : cc->ptx ? output_of(cc, ".ptx") : NULL;
	if (ptx)
		add_ptx(&command, ptx);
	else
		add_output(cc, &command, source, object);
	int status = finish(cc, input, &command);
	if (status == 0 && cc->container && !cc->dry_run && !cc_write_container(cc, ptx, output_of(cc, cc->container)))
		return CLI_FAILED;
	return status;
}

/* Compiles the sources. If a link follows, the objects replace them among the words. */
static int compile_all(struct cc *cc)
{
	bool keeps = cc->links || cc->links_device;
	unsigned made = 0;
	for (size_t i = 0; i < cc->input_count; i++)
		made += cc->inputs[i].language != LANGUAGE_NONE;
	if (!keeps && made > 1 && cc->output && !cc->preprocesses) {
		cli_error(cc->name, "-o: expected one source file, not %u, because nothing is linked", made);
		return CLI_USAGE;
	}
	for (size_t i = 0; i < cc->input_count; i++) {
		struct input *input = &cc->inputs[i];
		if (input->language == LANGUAGE_NONE)
			continue;
		const char *object = keeps ? cc_new_temporary(cc, ".o") : NULL;
		bool as_text = cc->host_text && input->language == LANGUAGE_CUDA;
		int status = as_text ? write_host_text(cc, input) : compile(cc, input, object);
		if (status != 0)
			return status;
		if (object)
			cc->user.list[input->place] = object;
	}
	return 0;
}

/* Compiles the source that cc_link_device() wrote. */
static int compile_stub(struct cc *cc, const char *source, const char *object)
{
	static const char *const compiler[] = {"-x", "c", "-fPIC", "-O1", "-c", NULL};
	struct argument_list command = {0};
	cc_add(&command, NULL);
	cc_add_all(&command, compiler);
	cc_add(&command, source);
	cc_add(&command, "-o");
	cc_add(&command, object);
	int status = cc_run(cc, &command);
	free(command.list);
	return status;
}

/* Makes the additional object for relocatable objects among the files; *object is NULL when none is needed. */
static int make_stub(struct cc *cc, const char *output, const char **object)
{
	const char *source;
	*object = NULL;
	if (cc->dry_run)
		return 0;
	if (!cc_link_device(cc, &cc->user, &source))
		return CLI_FAILED;
	if (!source)
		return 0;
	*object = output;
	return compile_stub(cc, source, output);
}

/* Our runtime must precede those of a user's -L and -rpath for another toolkit. It is an RPATH, which LD_LIBRARY_PATH
 * does not override. */
static void add_link(struct cc *cc, struct argument_list *command, const char *stub)
{
	const char *folder = cc_joined(cc, cc->toolkit, "/lib64");
	const char *const before[] = {"-Wno-unused-command-line-argument",
	                              "-Xlinker",
	                              "--disable-new-dtags",
	                              "-Xlinker",
	                              "-rpath",
	                              "-Xlinker",
	                              folder,
	                              cc_joined(cc, "-L", folder),
	                              NULL};
	cc_add_all(command, before);
	cc_add_all(command, cc->host.list);
	if (stub)
		cc_add(command, stub);
	cc_add_all(command, cc->user.list);
	cc_add(command, "-L"); /* last, as for headers: for users who have none */
	cc_add(command, cc_joined(cc, cc->toolkit, "/sdk/C/lib"));
	cc_add(command, "-lcudadevrt");
	cc_add(command, "-lcudart");
	if (cc->output) {
		cc_add(command, "-o");
		cc_add(command, cc->output);
	}
}

static int link_all(struct cc *cc)
{
	const char *stub;
	int status = make_stub(cc, cc_new_temporary(cc, "-device.o"), &stub);
	if (status != 0)
		return status;
	struct argument_list command = {0};
	cc_add(&command, NULL);
	add_link(cc, &command, stub);
	status = cc_run(cc, &command);
	free(command.list);
	return status;
}

/* Makes the object of -dlink, even when there is nothing to link. */
static int link_device(struct cc *cc)
{
	const char *object, *output = cc->output ? cc->output : "a_dlink.o", *empty = cc_new_temporary(cc, "-empty.c");
	int status = make_stub(cc, output, &object);
	if (status != 0 || object || cc->dry_run)
		return status;
	return cc_write_file(cc, empty, "", 0) ? compile_stub(cc, empty, output) : CLI_FAILED;
}

static int make_archive(struct cc *cc)
{
	struct argument_list command = {0};
	cc_add(&command, "ar");
	cc_add(&command, "rcs");
	cc_add(&command, cc->output ? cc->output : "a.a");
	for (size_t i = 0; i < cc->input_count; i++)
		cc_add(&command, cc->user.list[cc->inputs[i].place]);
	int status = cc_run(cc, &command);
	free(command.list);
	return status;
}

int cc_run_steps(struct cc *cc)
{
	int status = compile_all(cc);
	if (status == 0 && cc->links_device)
		return link_device(cc); /* also with -c */
	if (status != 0 || !cc->links)
		return status;
	return cc->makes_archive ? make_archive(cc) : link_all(cc);
}
