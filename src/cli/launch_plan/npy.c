#include "cli/launch_plan/npy.h"

#include "base/file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAGIC = 6, ALIGNMENT = 64 };
static const char magic[MAGIC + 1] = "\x93NUMPY";

/* The header is the text of a Python dictionary: {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }.
 * Returns what follows a key and its colon; NULL: the key is missing. */
static const char *value_of(const char *header, const char *key)
{
	char quoted[24];
	snprintf(quoted, sizeof quoted, "'%s':", key);
	const char *found = strstr(header, quoted);
	return found ? found + strlen(quoted) + strspn(found + strlen(quoted), " ") : NULL;
}

static bool read_type(struct npy *npy, const char *text, char message[160])
{
	char kind;
	unsigned bytes;
	int length = 0;
	if (!text || text[0] != '\'' || sscanf(text, "'%*1[<|>=]%c%2u'%n", &kind, &bytes, &length) != 2 || !length) {
		snprintf(message, 160, "its elements are not numbers of one type ('descr' of its header)");
		return false;
	}
	if (text[1] == '>' || text[1] == '=') {
		snprintf(message, 160,
		         "its numbers are big-endian; convert them with array.astype(array.dtype.newbyteorder('<'))");
		return false;
	}
	snprintf(npy->type, sizeof npy->type, "%.*s", length - 2, text + 1);
	npy->element_bytes = bytes;
	return true;
}

static bool read_shape(struct npy *npy, const char *text, char message[160])
{
	npy->count = 1;
	bool fine = text && *text == '(';
	if (fine)
		text++;
	while (fine && *text != ')') {
		char *end;
		errno = 0;
		uint64_t size = strtoull(text, &end, 10);
		fine = end != text && !errno && npy->dimensions < NPY_DIMENSIONS &&
		       !__builtin_mul_overflow(npy->count, size, &npy->count);
		if (fine)
			npy->shape[npy->dimensions++] = size;
		text = end + strspn(end, "L, ");
	}
	if (!fine)
		snprintf(message, 160, "its header has no valid 'shape'");
	return fine;
}

/* Reads the header, and finds the data after it. `file` ends with NUL. */
static bool read_header(struct npy *npy, char *file, size_t length, char message[160])
{
	size_t version = length > MAGIC ? (unsigned char)file[MAGIC] : 0, prefix = version == 1 ? 10 : 12, size = 0;
	if (length < prefix || memcmp(file, magic, MAGIC) != 0 || version < 1 || version > 3) {
		snprintf(message, 160, "it is not a NumPy file (.npy)");
		return false;
	}
	for (size_t i = prefix; i-- > MAGIC + 2;)
		size = size << 8 | (unsigned char)file[i];
	if (size > length - prefix) {
		snprintf(message, 160, "it ends in its header");
		return false;
	}
	char *header = strndup(file + prefix, size);
	if (!header)
		abort();
	const char *order = value_of(header, "fortran_order");
	bool fine = read_type(npy, value_of(header, "descr"), message) &&
	            read_shape(npy, value_of(header, "shape"), message);
	if (fine && npy->dimensions > 1 && (!order || strncmp(order, "False", 5) != 0)) {
		snprintf(message, 160, "it is in Fortran's order; save numpy.ascontiguousarray(array)");
		fine = false;
	}
	free(header);
	npy->data = file + prefix + size;
	uint64_t bytes;
	if (fine &&
	    (__builtin_mul_overflow(npy->count, npy->element_bytes, &bytes) || bytes != length - prefix - size)) {
		snprintf(message, 160, "it has %zu bytes of data, and its header needs another number",
		         length - prefix - size);
		fine = false;
	}
	return fine;
}

bool npy_read(const char *path, struct npy *npy, char message[160])
{
	size_t length;
	*npy = (struct npy){.file = file_read(path, &length)};
	if (!npy->file)
		snprintf(message, 160, "%s", file_reason());
	else if (read_header(npy, npy->file, length, message))
		return true;
	free(npy->file);
	npy->file = NULL;
	return false;
}

bool npy_write(const char *path, const struct npy *npy)
{
	char header[ALIGNMENT * 16];
	int length = snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': (", npy->type);
	for (uint32_t i = 0; i < npy->dimensions; i++)
		length += snprintf(header + length, sizeof header - (size_t)length, "%" PRIu64 "%s", npy->shape[i],
		                   i + 1 < npy->dimensions ? ", "
		                   : i == 0                ? ","
		                                           : "");
	length += snprintf(header + length, sizeof header - (size_t)length, "), }");
	/* The data begin at a multiple of 64 bytes; the header ends with a line end. */
	size_t prefix = MAGIC + 4, whole = (prefix + (size_t)length + ALIGNMENT) / ALIGNMENT * ALIGNMENT;
	struct file_new new;
	FILE *file = file_new_stream(&new, path);
	if (!file)
		return false;
	size_t size = whole - prefix;
	fprintf(file, "%s%c%c%c%c%-*s\n", magic, 1, 0, (int)(size & 0xff), (int)(size >> 8), (int)size - 1, header);
	fwrite(npy->data, npy->element_bytes, npy->count, file);
	if (!ferror(file))
		return file_new_finish(&new, file);
	file_new_abandon(&new, file);
	return false;
}
