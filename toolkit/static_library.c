/*
 * static_library: the code of libcudart_static.a and similar archives, for the shared library LIBRARY in FOLDER. It has
 * one jump per function of the shared library, which is loaded before the program's first constructor runs.
 *
 * A linker script that names the shared library works only when it is given as a file. It is rejected between -Bstatic
 * and -Bdynamic, where CMake puts it once LIBRARY_PATH names the toolkit.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

struct entry {
	const char *name;
	void *function; /* in the shared library */
};

#if defined(__x86_64__)
#define JUMP "jmp *2f(%rip)\n"
#else
#define JUMP "adrp x16, 2f\nldr x16, [x16, :lo12:2f]\nbr x16\n"
#endif
#define ENTRIES_BEGIN ".pushsection .data.entries, \"aw\"\n"
/* Weak: the program may define the function. Hidden: the shared library calls its own functions. */
#define ENTRY(name)                                                                                                    \
	__asm__(".pushsection .text\n.weak " name "\n.hidden " name "\n.type " name ", %function\n" name ": " JUMP     \
	        ".popsection\n.pushsection .rodata.names, \"a\"\n1: .asciz \"" name "\"\n.popsection\n" ENTRIES_BEGIN    \
	        ".quad 1b\n2: .quad 0\n.popsection\n");
__asm__(ENTRIES_BEGIN ".balign 8\nsluice_entries:\n.popsection\n");
#include ENTRIES
__asm__(ENTRIES_BEGIN "sluice_entries_end:\n.popsection\n");

extern struct entry sluice_entries[] __attribute__((visibility("hidden")));
extern struct entry sluice_entries_end[] __attribute__((visibility("hidden")));

static void stop(void)
{
	fprintf(stderr, "sluice: cannot load %s, which this program's static runtime needs: %s\n", LIBRARY, dlerror());
	_Exit(127);
}

__attribute__((constructor(101))) static void load(void)
{
	void *library = dlopen(LIBRARY, RTLD_NOW);
	if (!library)
		library = dlopen(FOLDER "/" LIBRARY, RTLD_NOW);
	if (!library)
		stop();
	for (struct entry *e = sluice_entries; e < sluice_entries_end; e++) {
		e->function = dlsym(library, e->name);
		if (!e->function)
			stop();
	}
}
