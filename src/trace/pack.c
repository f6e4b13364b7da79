#include "trace/pack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

bool trace_pack_open(struct trace_pack *pack, struct diag *diag)
{
	const char *folder = getenv("TMPDIR");
	char path[4096];
	*pack = (struct trace_pack){0};
	snprintf(path, sizeof path, "%s/sluice-trace-XXXXXX", folder && *folder ? folder : "/tmp");
	int file = mkstemp(path);
	if (file >= 0) {
		unlink(path);
		pack->file = fdopen(file, "w+");
	}
	if (!pack->file)
		diag_plain(diag, "cannot store records in %s: %s", path, strerror(errno));
	return pack->file;
}

void trace_pack_write(struct trace_pack *pack, const void *from, size_t size)
{
	fwrite_unlocked(from, 1, size, pack->file); /* errors are detected at the end */
	pack->length += size;
}

bool trace_pack_map(struct trace_pack *pack, struct trace_records *records, struct diag *diag)
{
	bool fine = fflush(pack->file) == 0 && !ferror(pack->file);
	void *bytes = fine ? mmap(NULL, pack->length, PROT_READ, MAP_PRIVATE, fileno(pack->file), 0) : MAP_FAILED;
	if (bytes == MAP_FAILED) {
		diag_plain(diag, "cannot store %llu bytes of records: %s (TMPDIR sets the folder)",
		           (unsigned long long)pack->length, strerror(errno));
		return false;
	}
	records->bytes = bytes;
	records->length = pack->length;
	return true;
}

void trace_pack_close(struct trace_pack *pack)
{
	if (pack->file)
		fclose(pack->file);
	pack->file = NULL;
}

void trace_pack_unmap(struct trace_records *records)
{
	if (records->bytes)
		munmap((void *)(uintptr_t)records->bytes, records->length);
	records->bytes = NULL;
}
