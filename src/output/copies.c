#include "output/copies.h"

#include "base/arena.h"
#include "output/grouped.h"

#include <inttypes.h>
#include <stdlib.h>

void copies_add(struct copies *copies, const struct copy_record *copy)
{
	if (copies->count == copies->capacity) {
		copies->capacity = copies->capacity ? 2 * copies->capacity : 16;
		copies->list = base_realloc(copies->list, copies->capacity * sizeof *copies->list);
	}
	copies->list[copies->count++] = *copy;
}

void copies_free(struct copies *copies)
{
	free(copies->list);
}

void copies_write_json(const struct copies *copies, FILE *file)
{
	for (size_t i = 0; i < copies->count; i++) {
		const struct copy_record *copy = &copies->list[i];
		fprintf(file,
		        "%s{\"stream\": %" PRIu64 ", \"to\": \"%s\", \"bytes\": %" PRIu64 ", \"started\": %" PRIu64
		        ", \"cycles\": %" PRIu64 "}",
		        i ? ",\n  " : "\n \"copies\": [\n  ", copy->stream, copy->to_host ? "host" : "device",
		        copy->bytes, copy->started, copy->cycles);
	}
	if (copies->count)
		fputs("\n ],", file);
}

static void print_direction(const struct copies *copies, bool to_host, FILE *file)
{
	uint64_t count = 0, bytes = 0, cycles = 0;
	char text[3][NUMBER_SIZE];
	for (size_t i = 0; i < copies->count; i++) {
		const struct copy_record *copy = &copies->list[i];
		if (copy->to_host != to_host)
			continue;
		count++;
		bytes += copy->bytes;
		cycles += copy->cycles;
	}
	if (count)
		fprintf(file, "%s %s to the %s: %s bytes in %s cycles\n", grouped(count, text[0]),
		        count == 1 ? "copy" : "copies", to_host ? "host" : "device", grouped(bytes, text[1]),
		        grouped(cycles, text[2]));
}

void copies_print(const struct copies *copies, FILE *file)
{
	if (copies->count)
		fputc('\n', file);
	print_direction(copies, false, file);
	print_direction(copies, true, file);
}
