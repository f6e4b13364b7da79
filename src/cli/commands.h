/* commands: declarations shared by the files of the `sluice` command. */
#ifndef SLUICE_CLI_COMMANDS_H
#define SLUICE_CLI_COMMANDS_H

#include "sluice.h"

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Exit statuses, besides 0. */
enum {
	CLI_FAILED = 1,	      /* the work itself failed */
	CLI_USAGE = 2,	      /* wrong options, machine or file names */
	CLI_CANNOT_RUN = 126, /* the program was found but could not be started */
	CLI_NOT_FOUND = 127,  /* the program was not found */
};

/* One function per command; argv[0] is "sluice NAME". Returns the exit status. */
int command_analyze(int argc, char **argv);
int command_annotate(int argc, char **argv);
int command_cc(int argc, char **argv);
int command_effort(int argc, char **argv);
int command_energy(int argc, char **argv);
int command_figure(int argc, char **argv);
int command_init(int argc, char **argv);
int command_machine(int argc, char **argv);
int command_mech(int argc, char **argv);
int command_mix(int argc, char **argv);
int command_opt(int argc, char **argv);
int command_profile(int argc, char **argv);
int command_programs(int argc, char **argv);
int command_ptx(int argc, char **argv);
int command_python(int argc, char **argv);
int command_report(int argc, char **argv);
int command_results(int argc, char **argv);
int command_run(int argc, char **argv);
int command_stats(int argc, char **argv);
int command_sweep(int argc, char **argv);
int command_toolkit(int argc, char **argv);

/* Enables reports of faults in mechanisms, before such a fault ends the process. */
void cli_watch_faults(void);

/* Prints "sluice NAME: ..." on standard error, in one line unless the format has more. */
__attribute__((format(printf, 2, 3))) void cli_error(const char *command, const char *format, ...);

/* Parses a command line as argp_parse() does. Unknown options are shown without control characters. */
error_t cli_parse(const struct argp *argp, int argc, char **argv, unsigned flags, void *input);
/* Ends the program with a usage error, as argp_error() does, formatted by diag_format(). */
__attribute__((format(printf, 2, 3))) void cli_usage(const struct argp_state *state, const char *format, ...);

/* Prints an error of the library. Its diagnostics may have several lines, which name their file themselves. */
void cli_library_error(const char *command, const struct sluice_error *error);

/* Prints an error of the JSON parser. */
void cli_json_error(const char *path, int line, int column, const char *text);

/* Prints the warnings of a gpu that has been opened. */
void cli_warnings(const char *command, const sluice_gpu *gpu);

/* Options given as -o KEY=VALUE, NULL-terminated for sluice_settings. Zero-initialize. */
struct cli_options {
	const char **list; /* NULL while empty */
	size_t count;
};

/* Adds an option. Ends the program with a usage error when it is not KEY=VALUE. */
void cli_add_option(struct cli_options *options, const char *assignment, const struct argp_state *state);

/* Adds any word. */
void cli_add_word(struct cli_options *options, const char *word);

/* Returns the value if it is one of the choices (NULL-terminated). Otherwise ends the program with a usage error. */
const char *cli_choice(const char *option, const char *value, const char *const *choices,
                       const struct argp_state *state);
/* Returns the value. Ends the program with a usage error when it is empty. */
const char *cli_text(const char *option, const char *value, const struct argp_state *state);
/* The choices of --size. */
extern const char *const cli_sizes[];

/* Reports an unknown word: lists the known ones (NULL-terminated; `expected` says what they are) and suggests the
 * nearest. Returns the exit status. */
int cli_unknown_word(const char *command, const char *expected, const char *word, const char *const *known);

/* Returns a whole number of at least `least`. Otherwise ends the program with a usage error that names the option. */
uint64_t cli_number(const char *option, const char *text, uint64_t least, const struct argp_state *state);

/* Returns a whole number from `least` to `most`, for values stored in fewer than 64 bits. Otherwise ends the program
 * with a usage error. */
uint64_t cli_number_to(const char *option, const char *text, uint64_t least, uint64_t most,
                       const struct argp_state *state);

/* Returns the file's contents, from malloc, or NULL with errno set. "-" is standard input. */
char *cli_read_file(const char *path, size_t *length);

/* Returns the word as a shell reads it: quoted if it has special characters. From malloc. */
char *cli_shell_word(const char *word);

/* Finds the first folder that contains `file`. The folders are relative to the program's own, NULL-terminated. `path`
 * has PATH_MAX bytes. */
bool cli_find_folder(const char *const *places, const char *file, char *path);

/* The folder that an environment variable names, else the installed one (`installed`, as for cli_find_folder()), else
 * the source tree's. `path` has PATH_MAX bytes and may hold the result. */
const char *cli_data_folder(const char *variable, const char *const *installed, const char *file, const char *source,
                            char *path);

/* Finds the folder of our libcudart, in the build tree or in the installation. Returns false when there is none. `path`
 * has PATH_MAX bytes. */
bool cli_library_folder(char *path);

#endif
