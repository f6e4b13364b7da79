/* actions: the actions of 'sluice results' besides showing runs: merge, export, check, why. */
#ifndef SLUICE_CLI_RESULTS_ACTIONS_H
#define SLUICE_CLI_RESULTS_ACTIONS_H

/* The names of the actions, NULL-terminated. */
extern const char *const results_actions[];

/* Runs the action that argv[1] names. Returns its exit status; -1: no such action. */
int results_action(int argc, char **argv);

#endif
