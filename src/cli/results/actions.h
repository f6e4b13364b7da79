/* results_actions: what 'sluice results' does besides showing runs: merge, export, check, why. */
#ifndef SLUICE_CLI_RESULTS_ACTIONS_H
#define SLUICE_CLI_RESULTS_ACTIONS_H

/* Those words, NULL-terminated. */
extern const char *const results_actions[];

/* The action that argv[1] names; its exit status, -1 when it is none. */
int results_action(int argc, char **argv);

#endif
