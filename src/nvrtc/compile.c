/* Compilation: runs our nvcc in a temporary folder with the source, the headers and the outputs. */
#include "nvrtc/program.h"

#include "base/arena.h"
#include "base/file.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Prefix of device variables that are added to the source, one per name expression. Their values in the PTX are the
 * lowered names. */
#define NAMED "sluice_name_expression_"

/* Added as the first line, outside of the source's line numbers, when functions are device functions by default. */
#define ALL_ON_DEVICE "#pragma clang force_cuda_host_device begin\n"

struct job {
	nvrtcProgram program;
	char folder[PATH_MAX]; /* ends with '/' */
	bool default_device;
};

__attribute__((format(printf, 2, 3))) static void say(nvrtcProgram program, const char *format, ...)
{
	va_list arguments;
	char *text;
	va_start(arguments, format);
	if (vasprintf(&text, format, arguments) < 0)
		abort();
	va_end(arguments);
	free(program->log);
	program->log = text;
}

/* ---- files ---- */

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *walk)
{
	(void)status, (void)kind, (void)walk;
	return remove(path);
}

static bool open_folder(struct job *job)
{
	const char *parent = getenv("TMPDIR");
	int length = snprintf(job->folder, sizeof job->folder - 1, "%s/sluice-nvrtc-XXXXXX",
	                      parent && *parent ? parent : "/tmp");
	if (length < (int)sizeof job->folder - 1 && mkdtemp(job->folder)) {
		strcat(job->folder, "/");
		return true;
	}
	say(job->program, "sluice: cannot make a folder for temporary files: %s\n", strerror(errno));
	return false;
}

/* Returns the path of a file in the job's folder; the caller frees it. */
static char *path_of(const struct job *job, const char *name)
{
	char *path;
	if (asprintf(&path, "%s%s", job->folder, name) < 0)
		abort();
	return path;
}

/* Creates a file of that name, and the folders that contain it. */
static FILE *create(const struct job *job, const char *name)
{
	char *path = path_of(job, name);
	for (char *at = path + strlen(job->folder); (at = strchr(at, '/')); at++) {
		*at = '\0';
		mkdir(path, 0777);
		*at = '/';
	}
	FILE *file = fopen(path, "w");
	free(path);
	return file;
}

/* True when the header's name stays inside the folder. */
static bool is_inside(const char *name)
{
	if (*name == '/')
		return false;
	for (const char *at = name; at; at = strchr(at, '/'), at += at != NULL)
		if (strncmp(at, "..", 2) == 0 && (at[2] == '/' || !at[2]))
			return false;
	return true;
}

static bool write_headers(const struct job *job)
{
	nvrtcProgram program = job->program;
	for (int i = 0; i < program->header_count; i++) {
		const struct nvrtc_header *header = &program->headers[i];
		FILE *file = is_inside(header->name) ? create(job, header->name) : NULL;
		if (!file || fputs(header->text, file) < 0 || fclose(file) != 0) {
			say(program, "sluice: a header cannot have the name %s\n", header->name);
			return false;
		}
	}
	return true;
}

/* Writes a name for a line directive. */
static void put_name(FILE *file, const char *name)
{
	for (; *name; name++) {
		if (*name == '"' || *name == '\\')
			fputc('\\', file);
		fputc(*name == '\n' ? ' ' : *name, file);
	}
}

static bool write_source(const struct job *job)
{
	nvrtcProgram program = job->program;
	FILE *file = create(job, "program.cu");
	if (!file)
		return false;
	if (job->default_device)
		fputs(ALL_ON_DEVICE, file);
	fputs("#line 1 \"", file);
	put_name(file, program->name);
	fprintf(file, "\"\n%s\n", program->source);
	if (job->default_device)
		fputs("#pragma clang force_cuda_host_device end\n", file);
	for (size_t i = 0; i < program->expression_count; i++)
		fprintf(file,
		        "#line 1 \"name expression\"\n"
		        "extern \"C\" __device__ __attribute__((used)) auto " NAMED "%zu = (%s);\n",
		        i, program->expressions[i].text);
	bool fine = !ferror(file);
	return fclose(file) == 0 && fine;
}

/* ---- the compiler ---- */

/* Finds our nvcc: in SLUICE_TOOLKIT, or else relative to this library, in an installation or a build. */
static bool find_compiler(char *path)
{
	static const char *const places[] = {"toolkit/bin/nvcc", "../toolkit/bin/nvcc"};
	const char *toolkit = getenv("SLUICE_TOOLKIT");
	Dl_info library;
	char own[PATH_MAX];
	if (toolkit && *toolkit) {
		snprintf(path, PATH_MAX, "%s/bin/nvcc", toolkit);
		return access(path, X_OK) == 0;
	}
	if (!dladdr((void *)(uintptr_t)nvrtc_compile, &library) || !realpath(library.dli_fname, own))
		return false;
	*strrchr(own, '/') = '\0';
	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		int length = snprintf(path, PATH_MAX, "%s/%s", own, places[i]);
		if (length < PATH_MAX && access(path, X_OK) == 0)
			return true;
	}
	return false;
}

/* Returns the environment without the settings that concern only this process. The caller owns the list but not the
 * words. */
static char **clean_environment(void)
{
	size_t count = 0, kept = 0;
	while (environ[count])
		count++;
	char **list = base_calloc(count + 1, sizeof *list);
	for (size_t i = 0; i < count; i++)
		if (strncmp(environ[i], "LD_PRELOAD=", 11) != 0)
			list[kept++] = environ[i];
	return list;
}

/* Runs a command, with its output in the file `log`. Returns its exit status, or -1 with errno set. */
static int run(char **words, const char *log)
{
	posix_spawn_file_actions_t actions;
	char **environment = clean_environment();
	pid_t child;
	int status;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log, O_WRONLY | O_CREAT | O_APPEND, 0600);
	posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
	int error = posix_spawn(&child, words[0], &actions, NULL, words, environment);
	posix_spawn_file_actions_destroy(&actions);
	free(environment);
	errno = error;
	if (error)
		return -1;
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

/* Reads the output, and removes the job's folder from file names in it. */
static void read_log(const struct job *job, const char *path)
{
	size_t length;
	char *text = file_read(path, &length), *end = text;
	if (!text)
		return;
	size_t prefix = strlen(job->folder);
	for (const char *at = text; *at;) {
		if (strncmp(at, job->folder, prefix) == 0)
			at += prefix;
		else
			*end++ = *at++;
	}
	*end = '\0';
	free(job->program->log);
	job->program->log = text;
}

/* Removes the added variables from the PTX, and takes the lowered names from their values: NAME, or generic(NAME). */
static void take_names(nvrtcProgram program)
{
	static const char generic[] = "generic(";
	char *end = program->ptx;
	for (char *line = program->ptx, *next; *line; line = next) {
		next = line + strcspn(line, "\n");
		next += *next == '\n';
		char *named = memmem(line, (size_t)(next - line), " " NAMED, sizeof NAMED);
		char *value = named ? memmem(named, (size_t)(next - named), "= ", 2) : NULL;
		if (!value) {
			memmove(end, line, (size_t)(next - line));
			end += next - line;
			continue;
		}
		size_t number = strtoul(named + sizeof NAMED, NULL, 10);
		value += 2;
		if (strncmp(value, generic, sizeof generic - 1) == 0)
			value += sizeof generic - 1;
		if (number < program->expression_count)
			program->expressions[number].lowered = strndup(value, strcspn(value, ");\n"));
	}
	*end = '\0';
}

static nvrtcResult compile(const struct job *job, const struct nvrtc_words *options)
{
	nvrtcProgram program = job->program;
	char compiler[PATH_MAX];
	size_t length;
	if (!find_compiler(compiler)) {
		say(program, "sluice: found no toolkit next to libnvrtc.so; set SLUICE_TOOLKIT to its folder\n");
		return NVRTC_ERROR_BUILTIN_OPERATION_FAILURE;
	}
	char *source = path_of(job, "program.cu"), *ptx = path_of(job, "program.ptx"), *log = path_of(job, "log");
	const char *const own[] = {compiler, "-ptx", "-o", ptx, "-I", job->folder, source};
	struct nvrtc_words words = {0};
	for (size_t i = 0; i < sizeof own / sizeof *own; i++)
		nvrtc_add_word(&words, own[i]);
	for (size_t i = 0; i < options->count; i++)
		nvrtc_add_word(&words, options->list[i]);
	int status = run(words.list, log);
	read_log(job, log);
	nvrtcResult result = status ? NVRTC_ERROR_COMPILATION : NVRTC_SUCCESS;
	char *text = status ? NULL : file_read(ptx, &length);
	if (status < 0)
		say(program, "sluice: cannot start %s: %s\n", compiler, strerror(errno));
	if (text) {
		free(program->ptx);
		program->ptx = text;
		take_names(program);
	}
	nvrtc_words_free(&words);
	free(source);
	free(ptx);
	free(log);
	return result;
}

nvrtcResult nvrtc_compile(nvrtcProgram program, const struct nvrtc_words *options, bool default_device)
{
	struct job job = {.program = program, .default_device = default_device};
	if (!open_folder(&job))
		return NVRTC_ERROR_BUILTIN_OPERATION_FAILURE;
	nvrtcResult result = NVRTC_ERROR_INVALID_INPUT;
	if (write_headers(&job)) {
		if (write_source(&job))
			result = compile(&job, options);
		else
			say(program, "sluice: cannot write into %s: %s\n", job.folder, strerror(errno));
	}
	nftw(job.folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
	return result;
}
