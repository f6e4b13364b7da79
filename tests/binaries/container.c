/* Writes a fat binary in nvcc's format to standard output: container ENTRY...
 *
 * An entry is KIND:ARCHITECTURE:FILE. KIND is plain, zstd or lz4 (PTX), code (machine code with arbitrary bytes) or
 * beyond. `beyond` is like `code` but claims more bytes than the program's file has. Without entries the fat binary is
 * empty. */
#include <lz4.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

enum { MOST = 1 << 20, BEYOND = 1 << 26 };

static char container[2 * MOST], text[MOST], packed[2 * MOST];
static size_t used = 16, claimed; /* size claimed beyond the bytes present */

static void put(char *at, uint64_t value, int bytes)
{
	for (int i = 0; i < bytes; i++)
		at[i] = (char)(value >> 8 * i);
}

static size_t read_text(const char *path)
{
	FILE *file = fopen(path, "rb");
	if (!file) {
		perror(path);
		exit(1);
	}
	size_t length = fread(text, 1, sizeof text - 1, file);
	fclose(file);
	return length;
}

static void add(char *word)
{
	const char *kind = strtok(word, ":");
	unsigned architecture = (unsigned)atoi(strtok(NULL, ":"));
	size_t length = read_text(strtok(NULL, "")), size = length;
	const char *payload = text;
	uint64_t flags = 0x11;
	if (strcmp(kind, "zstd") == 0) {
		size = ZSTD_compress(packed, sizeof packed, text, length, 19);
		flags |= 0x8000;
		payload = packed;
	} else if (strcmp(kind, "lz4") == 0) {
		size = (size_t)LZ4_compress_default(text, packed, (int)length, sizeof packed);
		flags |= 0x2000;
		payload = packed;
	}
	char *entry = container + used;
	size_t padded = (size + 7) & ~(size_t)7;
	size_t more = strcmp(kind, "beyond") == 0 ? BEYOND : 0;
	put(entry, more || strcmp(kind, "code") == 0 ? 2 : 1, 2);
	put(entry + 2, 0x0101, 2);
	put(entry + 4, 64, 4);
	put(entry + 8, padded + more, 8);
	put(entry + 16, payload == packed ? size : 0, 4);
	put(entry + 26, 7, 2);
	put(entry + 28, architecture, 4);
	put(entry + 40, flags, 8);
	put(entry + 56, payload == packed ? length : 0, 8);
	memcpy(entry + 64, payload, size);
	used += 64 + padded;
	claimed += more;
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		add(argv[i]);
	put(container, 0xba55ed50, 4);
	put(container + 4, 1, 2);
	put(container + 6, 16, 2);
	put(container + 8, used - 16 + claimed, 8);
	return fwrite(container, 1, used, stdout) == used ? 0 : 1;
}
