/* object: what device linking reads of ELF objects and of archives of them. */
#ifndef SLUICE_CLI_CC_OBJECT_H
#define SLUICE_CLI_CC_OBJECT_H

#include <stdbool.h>
#include <stddef.h>

/* What is found, told one by one. `name` and `text` are not NUL-terminated. */
struct object_reader {
	void *user;
	/* relocatable device code of an object: PTX; `file` names the object */
	void (*device_code)(void *user, const char *file, const char *text, size_t length);
	void (*symbol)(void *user, const char *name, bool defined);
};

/* Reads an object or an archive; files that are neither, such as shared libraries and linker scripts, have nothing to tell. */
void object_read(const char *file, const char *image, size_t length, const struct object_reader *reader);

#endif
