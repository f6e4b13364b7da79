/* process: a program that is run for what it prints. */
#ifndef SLUICE_LAB_PROCESS_H
#define SLUICE_LAB_PROCESS_H

/* Runs it, looked up in PATH, and waits. Its exit status; -1 with errno set when it could not be started, 128 and more when a signal
 * ended it. What it printed on standard output, and on standard error, is from malloc; with NULL it goes nowhere. */
int process_read(const char *const *words, char **printed, char **errors);

#endif
