/* backtrace: prints return addresses as functions and source lines. */
#ifndef SLUICE_CUDART_BACKTRACE_H
#define SLUICE_CUDART_BACKTRACE_H

#include <stddef.h>

/* Prints a line for each caller outside this library, up to main: " at make(int) (a.cu:3)\n called by main (a.cu:9)".
 * The names come from addr2line, if it is installed and the file has debug information. */
void backtrace_text(void *const *frame, int frames, char *text, size_t size);

#endif
