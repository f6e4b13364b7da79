/* main: the command line. Each command has its own file; this one finds the command. */
#include "cli/commands.h"

#include "base/edit_distance.h"
#include "base/variables.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *title; /* argv[0] of the command: the prefix of its messages */
	const char *meaning;
};

static const struct command commands[] = {
	{"cc", command_cc, "sluice cc", "Compile CUDA C++"},
	{"toolkit", command_toolkit, "sluice toolkit", "Print the folder that Makefiles use as CUDA_HOME"},
	{"run", command_run, "sluice run", "Run a CUDA program on a simulated machine"},
	{"programs", command_programs, "sluice programs", "List, show and run the programs of the papers"},
	{"analyze", command_analyze, "sluice analyze",
         "Show which array indexes can be calculated before a kernel runs"},
	{"figure", command_figure, "sluice figure", "Make the papers' figures, our numbers next to theirs"},
	{"sweep", command_sweep, "sluice sweep", "Run all combinations of a plan's axes, here or on a cluster"},
	{"results", command_results, "sluice results", "Query, merge and check the stored runs of figures and sweeps"},
	{"report", command_report, "sluice report", "Make an HTML page of runs, and of how two runs differ"},
	{"init", command_init, "sluice init", "Make the folder of a new study that runs at once"},
	{"python", command_python, "sluice python", "Print the folder of the Python module"},
	{"energy", command_energy, "sluice energy", "Show the energy of runs by component, in joules"},
	{"profile", command_profile, "sluice profile", "Show the cost of a run's lines and instructions"},
	{"ptx", command_ptx, "sluice ptx", "Show kernels of PTX: registers, memory, occupancy, instruction mix"},
	{"opt", command_opt, "sluice opt", "Rewrite PTX by passes"},
	{"annotate", command_annotate, "sluice annotate",
         "Show the cost or the predictable reads of each line of CUDA source"},
	{"effort", command_effort, "sluice effort", "Compare the code lines of two kernels"},
	{"mix", command_mix, "sluice mix", "Compare the PTX instructions of two kernels"},
	{"machine", command_machine, "sluice machine", "List, show and compare machines"},
	{"mech", command_mech, "sluice mech", "List and show mechanisms"},
	{"stats", command_stats, "sluice stats", "Explain the counters, show stored statistics"},
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static void print_help(void)
{
	fputs("Usage: sluice COMMAND [OPTION...] ...\n"
	      "Cycle-level GPU simulator for research on on-chip memory.\n"
	      "\n"
	      "Commands:\n",
	      stdout);
	for (size_t i = 0; i < COMMANDS; i++)
		printf("  %-10s %s\n", commands[i].name, commands[i].meaning);
	fputs("\n"
	      "  -h, --help     Print this help; 'sluice help COMMAND' prints that of a command\n"
	      "  -V, --version  Print the version\n"
	      "\n"
	      "Example:\n"
	      "  sluice cc vecadd.cu -o vecadd\n"
	      "  sluice run -m gtx480 --stats vecadd.json -- ./vecadd\n",
	      stdout);
}

static const struct command *find(const char *name)
{
	for (size_t i = 0; i < COMMANDS; i++)
		if (strcmp(commands[i].name, name) == 0)
			return &commands[i];
	return NULL;
}

/* Returns the word that is missing before or after a word used as a command. */
static const char *advice(const char *name)
{
	size_t length = strlen(name);
	if (*name == '-')
		return "; options of a command follow its name";
	if (length > 3 && strcmp(name + length - 3, ".cu") == 0)
		return "; 'sluice cc' compiles CUDA source to a program";
	return strchr(name, '/') ? "; 'sluice run' runs a program" : "";
}

static int unknown(const char *name)
{
	const char *nearest = NULL;
	uint32_t best = EDIT_DISTANCE_FAR;
	for (size_t i = 0; i < COMMANDS; i++)
		if (edit_distance_is_nearer(name, commands[i].name, &best))
			nearest = commands[i].name;
	static const char *const others[] = {"help", "--help", "--version"};
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if ((*name == '-') == (*others[i] == '-') && edit_distance_is_nearer(name, others[i], &best))
			nearest = others[i];
	const char *kind = *name == '-' ? "option" : "command";
	if (nearest)
		cli_error("sluice", "unknown %s '%s'; did you mean '%s'?", kind, name, nearest);
	else
		cli_error("sluice", "unknown %s '%s'%s", kind, name, advice(name));
	fputs("Try 'sluice --help' for more information.\n", stderr);
	return CLI_USAGE;
}

static int print_version(void)
{
	printf("sluice %s\n", sluice_version());
	return 0;
}

static void report_variable(const char *message)
{
	fprintf(stderr, "sluice: warning: %s\n", message);
}

/* Returns true when the command becomes a CUDA program, whose runtime reports unknown variables. */
static bool becomes_program(const struct command *command, int argc, char **argv)
{
	return command->run == command_run ||
	       (command->run == command_programs && argc > 1 && strcmp(argv[1], "run") == 0);
}

static int run(const char *name, int argc, char **argv)
{
	const struct command *command = find(name);
	if (!command)
		return unknown(name);
	if (!becomes_program(command, argc, argv))
		variables_check(report_variable);
	argv[0] = (char *)command->title;
	if (command->run != command_cc && argc > 1) { /* cc takes the compiler's and nvcc's options */
		if (strcmp(argv[1], "-h") == 0)
			argv[1] = (char *)"--help";
		if (strcmp(argv[1], "-V") == 0 || strcmp(argv[1], "--version") == 0)
			return print_version();
	}
	return command->run(argc, argv);
}

/* "help COMMAND" runs "COMMAND --help". The actions of `programs` have their own help, "programs WORD --help". For
 * other commands further words are dropped, because run would take them for a program. */
static int help(int argc, char **argv)
{
	if (argc < 2) {
		print_help();
		return 0;
	}
	const char *name = argv[1];
	bool deeper = argc > 2 && strcmp(name, "programs") == 0;
	if (deeper)
		argv[1] = argv[2];
	argv[1 + deeper] = (char *)"--help";
	return run(name, 2 + deeper, argv);
}

static int dispatch(int argc, char **argv)
{
	if (argc < 2) {
		fputs("Usage: sluice COMMAND [OPTION...] ...\nTry 'sluice --help' for more information.\n", stderr);
		return CLI_USAGE;
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
		print_help();
		return 0;
	}
	if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
		return print_version();
	}
	if (strcmp(argv[1], "help") == 0)
		return help(argc - 1, argv + 1);
	return run(argv[1], argc - 1, argv + 1);
}

/* Opens missing standard streams, so that a file opened later cannot become one. */
static bool open_standard(void)
{
	int file;
	do
		file = open("/dev/null", O_RDWR);
	while (file >= 0 && file <= STDERR_FILENO);
	return file >= 0 && close(file) == 0;
}

int main(int argc, char **argv)
{
	argp_err_exit_status = CLI_USAGE;
	if (!open_standard()) {
		perror("sluice: /dev/null");
		return CLI_FAILED;
	}
	cli_watch_faults();
	int status = dispatch(argc, argv);
	/* A full disk is detected when bytes are written, the last of them here. */
	bool fine = !ferror(stdout);
	if (fclose(stdout) != 0 || !fine) {
		perror("sluice: standard output");
		return status ? status : CLI_FAILED;
	}
	return status;
}
