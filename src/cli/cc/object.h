/* object: reads ELF objects, and archives of them, for device linking. */
#ifndef SLUICE_CLI_CC_OBJECT_H
#define SLUICE_CLI_CC_OBJECT_H

#include <stdbool.h>
#include <stddef.h>

/* Receives what is found. `name` and `text` are not NUL-terminated. */
struct object_reader {
	void *user;
	/* relocatable device code of an object, as PTX; `file` names the object */
	void (*device_code)(void *user, const char *file, const char *text, size_t length);
	void (*symbol)(void *user, const char *name, bool defined);
};

/* Reads an object or an archive. Ignores other files, such as shared libraries and linker scripts. */
void object_read(const char *file, const char *image, size_t length, const struct object_reader *reader);

#endif
