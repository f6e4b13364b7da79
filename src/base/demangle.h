/* demangle: C++ symbols as their programs write them. */
#ifndef SLUICE_BASE_DEMANGLE_H
#define SLUICE_BASE_DEMANGLE_H

/* "add(float*)" of "_Z3addPf"; the symbol itself when it is none of C++. From malloc. */
char *demangle(const char *symbol);

#endif
