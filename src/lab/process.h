/* process: runs a program for its output. */
#ifndef SLUICE_LAB_PROCESS_H
#define SLUICE_LAB_PROCESS_H

/* Runs the program, looked up in PATH, and waits. Returns its exit status; -1 with errno set when it could not be
 * started; 128 or more when a signal ended it. Stores its standard output and standard error in texts to be freed;
 * with NULL, the output is discarded. */
int process_read(const char *const *words, char **printed, char **errors);

#endif
