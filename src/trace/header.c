#include "trace/header.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum {
	TRACER_FIRST = 1,
	TRACER_LAST = 5,
	MOST_THREADS = WARP_SIZE * SIMT_MAX_WARPS,
	MOST_BLOCKS = 1 << 27,
	MOST_BYTES = 1 << 20
};

/* The kind of value after '='. TEXT and IGNORED accept anything. */
enum field_kind { TEXT, NUMBER, LONG, DIM, RANGE, IGNORED };
struct field {
	const char *key;
	enum field_kind kind;
	size_t offset;
	bool needed;
};

#define FIELD(key, kind, name, needed)                                                                                 \
	{                                                                                                              \
		key, kind, offsetof(struct trace_header, name), needed                                                 \
	}
static const struct field fields[] = {
	FIELD("kernel name", TEXT, name, true),
	FIELD("kernel id", NUMBER, id, false),
	FIELD("grid dim", DIM, grid, true),
	FIELD("block dim", DIM, block, true),
	FIELD("shmem", NUMBER, shared_bytes, true),
	FIELD("nregs", NUMBER, registers, true),
	FIELD("binary version", NUMBER, binary_version, true),
	FIELD("cuda stream id", LONG, stream, false),
	FIELD("shmem base_addr", LONG, shared_base, false),
	FIELD("local mem base_addr", LONG, local_base, false),
	FIELD("nvbit version", IGNORED, id, false),
	FIELD("accelsim tracer version", NUMBER, tracer_version, true),
	FIELD("enable lineinfo", NUMBER, has_lines, false),
	FIELD("sluice version", NUMBER, writer, false),
	FIELD("sluice code", LONG, code, false),
	FIELD("sluice local bytes", NUMBER, local_bytes, false),
	FIELD("sluice memory", RANGE, memory, false),
};
enum { FIELDS = sizeof fields / sizeof *fields };
_Static_assert(FIELDS <= 32, "a bit each");

/* Parses a number, decimal or with 0x, of at most `most`. Returns the position after it, or NULL when there is none. */
static const char *take_number(const char *text, uint64_t most, uint64_t *number)
{
	char *end;
	if (*text < '0' || *text > '9')
		return NULL;
	bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	*number = strtoull(text, &end, hex ? 16 : 10);
	return *number <= most ? end : NULL;
}

/* "(1,2,3)" */
static const char *take_dim(const char *text, struct dim3 *dim)
{
	uint32_t *part[] = {&dim->x, &dim->y, &dim->z};
	for (unsigned i = 0; i < 3; i++) {
		uint64_t number;
		if (*text != (i ? ',' : '('))
			return NULL;
		text = take_number(text + 1, UINT32_MAX, &number);
		if (!text)
			return NULL;
		*part[i] = (uint32_t)number;
	}
	return *text == ')' ? text + 1 : NULL;
}

/* Parses "0x1000,256" and adds the range. */
static const char *take_range(const char *text, struct trace_ranges *ranges)
{
	uint64_t begin, bytes;
	const char *comma = take_number(text, UINT64_MAX / 4, &begin);
	const char *end = comma && *comma == ',' ? take_number(comma + 1, UINT64_MAX / 4, &bytes) : NULL;
	if (end && bytes)
		trace_ranges_add(ranges, begin, begin + bytes);
	return end;
}

/* Returns the position after the value, or NULL when the value is invalid. */
static const char *take_value(struct trace_header *header, const struct field *field, const char *value,
                              struct arena *arena)
{
	void *to = (char *)header + field->offset;
	uint64_t number;
	const char *end = value + strlen(value);
	switch (field->kind) {
	case TEXT:
		*(const char **)to = arena_string(arena, value, strlen(value));
		return *value ? end : NULL;
	case DIM:
		return take_dim(value, to);
	case RANGE:
		return take_range(value, to);
	case NUMBER:
		end = take_number(value, UINT32_MAX, &number);
		*(uint32_t *)to = end ? (uint32_t)number : 0;
		return end;
	case LONG:
		end = take_number(value, UINT64_MAX, &number);
		*(uint64_t *)to = end ? number : 0;
		return end;
	default:
		return end;
	}
}

static bool read_field(struct trace_header *header, const struct trace_lines *lines, uint32_t *seen,
                       struct arena *arena, struct diag *diag)
{
	static const char *const wanted[] = {"a text", "a number", "a number", "(X,Y,Z)", "ADDRESS,BYTES", ""};
	const char *equals = strchr(lines->text, '=');
	if (!equals) {
		trace_error(lines, diag, lines->text, "expected -KEY = VALUE");
		return false;
	}
	size_t length = (size_t)(equals - lines->text) - 1;
	while (length && lines->text[length] == ' ')
		length--;
	const char *value = equals + 1 + strspn(equals + 1, " ");
	for (uint32_t i = 0; i < FIELDS; i++) {
		if (strlen(fields[i].key) != length || strncmp(fields[i].key, lines->text + 1, length) != 0)
			continue;
		const char *end = take_value(header, &fields[i], value, arena);
		if (!end || end[strspn(end, " ")]) {
			trace_error(lines, diag, value, "expected %s", wanted[fields[i].kind]);
			return false;
		}
		*seen |= 1u << i;
	}
	return true; /* ignore keys of later tracers */
}

static bool check_dims(const struct trace_header *header, const struct trace_lines *lines, struct diag *diag)
{
	const struct dim3 *grid = &header->grid, *block = &header->block;
	uint64_t blocks, threads;
	bool fits = !__builtin_mul_overflow((uint64_t)grid->x * grid->y, grid->z, &blocks) &&
	            !__builtin_mul_overflow((uint64_t)block->x * block->y, block->z, &threads);
	if (fits && blocks >= 1 && blocks <= MOST_BLOCKS && threads >= 1 && threads <= MOST_THREADS)
		return true;
	trace_error(lines, diag, NULL, "a grid of (%u,%u,%u) blocks of (%u,%u,%u) threads", grid->x, grid->y, grid->z,
	            block->x, block->y, block->z);
	return false;
}

static bool check_bytes(const struct trace_header *header, const struct trace_lines *lines, struct diag *diag)
{
	if (header->shared_bytes <= MOST_BYTES && header->local_bytes <= MOST_BYTES)
		return true;
	trace_error(lines, diag, NULL, "%u bytes of shared memory per block, %u of local memory per thread",
	            header->shared_bytes, header->local_bytes);
	return false;
}

static bool check(struct trace_header *header, uint32_t seen, const struct trace_lines *lines, struct diag *diag)
{
	for (uint32_t i = 0; i < FIELDS; i++)
		if (fields[i].needed && !(seen >> i & 1)) {
			trace_error(lines, diag, NULL, "no line -%s = ... before this one", fields[i].key);
			return false;
		}
	header->isa = TRACE_PTX;
	if (header->writer > TRACE_WRITER_VERSION)
		trace_error(lines, diag, NULL, "a trace of a newer Sluice: version %u", header->writer);
	else if (!header->writer && !trace_isa_of(header->binary_version, &header->isa))
		trace_error(lines, diag, NULL, "binary version %u; expected one of Kepler to Hopper: 30 to 90",
		            header->binary_version);
	else if (header->tracer_version < TRACER_FIRST || header->tracer_version > TRACER_LAST)
		trace_error(lines, diag, NULL, "tracer version %u; expected one from %d to %d", header->tracer_version,
		            TRACER_FIRST, TRACER_LAST);
	else
		return check_dims(header, lines, diag) && check_bytes(header, lines, diag);
	return false;
}

bool trace_header_read(struct trace_header *header, struct trace_lines *lines, struct arena *arena, struct diag *diag)
{
	uint32_t seen = 0;
	while (trace_lines_next(lines, diag)) {
		if (strncmp(lines->text, "#BEGIN_TB", 9) == 0)
			return check(header, seen, lines, diag);
		if (*lines->text == '-') {
			if (!read_field(header, lines, &seen, arena, diag))
				return false;
		} else if (lines->length && *lines->text != '#') {
			trace_error(lines, diag, lines->text, "expected -KEY = VALUE or #BEGIN_TB");
			return false;
		}
	}
	if (!diag->errors)
		trace_error(lines, diag, NULL, "the file ends before its first #BEGIN_TB");
	return false;
}
