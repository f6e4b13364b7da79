/* commands: what the files of the `sluice` command share. */
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

/* One function a command; argv[0] is "sluice NAME". Each returns the exit status. */
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

/* From now on a mechanism's fault is told before the process ends of it. */
void cli_watch_faults(void);

/* "sluice NAME: ..." on standard error. */
__attribute__((format(printf, 2, 3))) void cli_error(const char *command, const char *format, ...);

/* The same with an error of the library, whose diagnostics may be several lines that name their file themselves. */
void cli_library_error(const char *command, const struct sluice_error *error);

/* Prints the warnings of a gpu that has been opened. */
void cli_warnings(const char *command, const sluice_gpu *gpu);

/* Options given as -o KEY=VALUE, NULL-terminated as sluice_settings wants them. Zero-initialise. */
struct cli_options {
	const char **list; /* NULL while there is none */
	size_t count;
};

/* Adds one; ends the program with a usage error when it is not KEY=VALUE. */
void cli_add_option(struct cli_options *options, const char *assignment, const struct argp_state *state);

/* Adds any word. */
void cli_add_word(struct cli_options *options, const char *word);

/* The value of an option that takes one of a few words, NULL-terminated; does not return when it is none of them. */
const char *cli_choice(const char *option, const char *value, const char *const *choices,
                       const struct argp_state *state);
/* The value of an option that names something; does not return when it is empty. */
const char *cli_text(const char *option, const char *value, const struct argp_state *state);
/* Those of --size. */
extern const char *const cli_sizes[];

/* A word that is none of an action's: says which `expected` are there, and which of them, NULL-terminated, is meant. Returns
 * the exit status. */
int cli_unknown_word(const char *command, const char *expected, const char *word, const char *const *known);

/* A whole number of at least `least`, or a usage error that names the option. */
uint64_t cli_number(const char *option, const char *text, uint64_t least, const struct argp_state *state);

/* The same of a number that whoever takes it holds in fewer than 64 bits: one of at most `most`. */
uint64_t cli_number_to(const char *option, const char *text, uint64_t least, uint64_t most,
                       const struct argp_state *state);

/* The whole file, from malloc, or NULL with errno set. "-" is standard input. */
char *cli_read_file(const char *path, size_t *length);

/* The word as a shell takes it: in quotes where it has characters of the shell's. From malloc. */
char *cli_shell_word(const char *word);

/* The first of the folders, given relative to the program's own and NULL-terminated, that holds `file`. `path` has room
 * for PATH_MAX bytes. */
bool cli_find_folder(const char *const *places, const char *file, char *path);

/* The folder of our libcudart: beside the program in a build tree or an installation. False when there is none.
 * `path` has room for PATH_MAX bytes. */
bool cli_library_folder(char *path);

#endif
