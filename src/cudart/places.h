/* places: return addresses as functions and lines. */
#ifndef SLUICE_CUDART_PLACES_H
#define SLUICE_CUDART_PLACES_H

#include <stddef.h>

/* A line for each caller outside this library, up to main: " at make(int) (a.cu:3)\n  called by main (a.cu:9)". Functions and
 * lines are what addr2line says, where it is installed and the file has them. */
void places_of(void *const *frame, int frames, char *text, size_t size);

#endif
