/* demangle: converts C++ symbols to their source form. */
#ifndef SLUICE_BASE_DEMANGLE_H
#define SLUICE_BASE_DEMANGLE_H

/* Returns "add(float*)" for "_Z3addPf", or the symbol itself when it is not a C++ symbol. From malloc. */
char *demangle(const char *symbol);

#endif
