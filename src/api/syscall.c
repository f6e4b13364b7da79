/* What device code may call. Its pointers are generic device addresses. Global ones are checked
 * against the allocations, local ones against the window only: how much of it the thread has is not known here. */
#include "api/syscall.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Where a lane's generic addresses lead. */
struct lane_memory {
	struct simt_memory *memory;
	const uint8_t *local;
};

/* Bytes that can be read from `address` on, or none. */
struct span {
	const char *at;
	size_t bytes;
};

static struct span reach(const struct lane_memory *lane, uint64_t address)
{
	if (address >= SIMT_LOCAL_WINDOW && address < SIMT_WINDOWS_END) {
		if (!lane->local)
			return (struct span){0};
		return (struct span){(const char *)lane->local + (address - SIMT_LOCAL_WINDOW),
		                     SIMT_WINDOWS_END - address};
	}
	const struct simt_allocation *allocation = simt_find(lane->memory, address);
	if (!allocation)
		return (struct span){0};
	return (struct span){simt_host(lane->memory, address), allocation->address + allocation->size - address};
}

static size_t text_length(const struct span *text)
{
	return strnlen(text->at, text->bytes);
}

/* The arguments of a printf, as the compiler laid them out: each at its natural alignment, 4 or 8 bytes. */
struct arguments {
	struct span buffer;
	size_t next;
	int count;
};

static uint64_t next_argument(struct arguments *arguments, size_t size)
{
	uint32_t narrow = 0;
	uint64_t wide = 0;
	size_t at = (arguments->next + size - 1) / size * size;
	arguments->next = at + size;
	arguments->count++;
	if (arguments->next > arguments->buffer.bytes)
		return 0;
	if (size == sizeof wide) {
		memcpy(&wide, arguments->buffer.at + at, sizeof wide);
		return wide;
	}
	memcpy(&narrow, arguments->buffer.at + at, sizeof narrow);
	return narrow;
}

/* A conversion: %-08.3lld */
struct conversion {
	char flags[8];
	int width, precision; /* precision -1: none */
	int length;           /* of the argument: 1, 2, 4 or 8 bytes */
	char type;
};

static const char *parse_number(const char *at, const char *end, struct arguments *arguments, int *number)
{
	if (at < end && *at == '*') {
		*number = (int)(uint32_t)next_argument(arguments, 4);
		return at + 1;
	}
	*number = 0;
	for (; at < end && *at >= '0' && *at <= '9'; at++)
		if (*number < 100000)
			*number = *number * 10 + (*at - '0');
	return at;
}

static const char *parse_length(const char *at, const char *end, int *length)
{
	*length = 4;
	if (at < end && strchr("ljzt", *at)) { /* all are 8 bytes wide in device code */
		*length = 8;
		at++;
		if (at < end && *at == 'l' && at[-1] == 'l')
			at++;
	} else if (at < end && *at == 'h') {
		*length = 2;
		at++;
		if (at < end && *at == 'h') {
			*length = 1;
			at++;
		}
	}
	return at;
}

/* Parses what follows a '%'. Returns what follows the conversion, or NULL when it is none that we know. */
static const char *parse_conversion(const char *at, const char *end, struct arguments *arguments,
                                    struct conversion *conversion)
{
	size_t flags = 0;
	*conversion = (struct conversion){.precision = -1};
	for (; at < end && *at && strchr("-+ #0", *at); at++)
		if (!strchr(conversion->flags, *at))
			conversion->flags[flags++] = *at;
	at = parse_number(at, end, arguments, &conversion->width);
	if (at < end && *at == '.')
		at = parse_number(at + 1, end, arguments, &conversion->precision);
	at = parse_length(at, end, &conversion->length);
	if (at == end || !*at || !strchr("diouxXcsfFeEgGaAp", *at))
		return NULL;
	conversion->type = *at;
	return at + 1;
}

static int64_t signed_value(uint64_t bits, int length)
{
	switch (length) {
	case 1:
		return (int8_t)bits;
	case 2:
		return (int16_t)bits;
	case 4:
		return (int32_t)bits;
	default:
		return (int64_t)bits;
	}
}

static uint64_t unsigned_value(uint64_t bits, int length)
{
	return length == 8 ? bits : bits & ((1ull << 8 * length) - 1);
}

static void print_text(FILE *file, const struct conversion *conversion, const char *format,
                       const struct lane_memory *lane, uint64_t address)
{
	static const struct span none = {"(null)", 6}, unreadable = {"(no address)", 12};
	struct span text = address ? reach(lane, address) : none;
	if (!text.at)
		text = unreadable;
	size_t limit = conversion->precision < 0 ? text.bytes : (size_t)conversion->precision;
	int length = (int)strnlen(text.at, limit < text.bytes ? limit : text.bytes);
	fprintf(file, format, conversion->width, length, text.at);
}

/* Prints one converted argument with the host's printf. */
static void print_conversion(FILE *file, const struct conversion *conversion, struct arguments *arguments,
                             const struct lane_memory *lane)
{
	char format[32];
	bool is_integer = strchr("diouxX", conversion->type);
	snprintf(format, sizeof format, "%%%s*.*%s%c", conversion->flags, is_integer ? "ll" : "", conversion->type);
	int width = conversion->width, precision = conversion->precision;
	switch (conversion->type) {
	case 'd':
	case 'i':
		fprintf(file, format, width, precision,
		        (long long)signed_value(next_argument(arguments, conversion->length == 8 ? 8 : 4),
		                                conversion->length));
		return;
	case 'c':
		fprintf(file, format, width, precision, (int)(uint32_t)next_argument(arguments, 4));
		return;
	case 's':
		print_text(file, conversion, format, lane, next_argument(arguments, 8));
		return;
	case 'p':
		fprintf(file, format, width, precision, (void *)(uintptr_t)next_argument(arguments, 8));
		return;
	default:
		break;
	}
	if (is_integer) {
		fprintf(file, format, width, precision,
		        (unsigned long long)unsigned_value(next_argument(arguments, conversion->length == 8 ? 8 : 4),
		                                           conversion->length));
		return;
	}
	uint64_t bits = next_argument(arguments, 8);
	double value;
	memcpy(&value, &bits, sizeof value);
	fprintf(file, format, width, precision, value);
}

/* Returns the number of arguments, as CUDA's printf does; -1 without a format. */
static int device_printf(FILE *file, const struct lane_memory *lane, uint64_t format, uint64_t buffer)
{
	struct span text = reach(lane, format);
	if (!text.at)
		return -1;
	struct arguments arguments = {.buffer = buffer ? reach(lane, buffer) : (struct span){0}};
	const char *end = text.at + text_length(&text);
	for (const char *at = text.at; at < end;) {
		const char *percent = memchr(at, '%', (size_t)(end - at));
		const char *literal_end = percent ? percent : end;
		fwrite(at, 1, (size_t)(literal_end - at), file);
		if (!percent)
			break;
		struct conversion conversion;
		if (percent + 1 < end && percent[1] == '%') {
			fputc('%', file);
			at = percent + 2;
		} else if ((at = parse_conversion(percent + 1, end, &arguments, &conversion))) {
			print_conversion(file, &conversion, &arguments, lane);
		} else { /* not a conversion: printed as it stands */
			fputc('%', file);
			at = percent + 1;
		}
	}
	return arguments.count;
}

/* As CUDA words it; the fault that stops the kernel names block and thread. */
static void print_assertion(const struct lane_memory *lane, const uint64_t *arguments)
{
	static const struct span unknown = {"?", 1};
	struct span text[3];
	const uint64_t address[3] = {arguments[0], arguments[1], arguments[3]};
	for (int i = 0; i < 3; i++) {
		text[i] = reach(lane, address[i]);
		if (!text[i].at)
			text[i] = unknown;
	}
	fprintf(stderr, "%.*s:%" PRIu32 ": %.*s: Assertion `%.*s` failed.\n", (int)text_length(&text[1]), text[1].at,
	        (uint32_t)arguments[2], (int)text_length(&text[2]), text[2].at, (int)text_length(&text[0]), text[0].at);
}

static void device_free(struct simt_memory *memory, uint64_t address)
{
	const struct simt_allocation *allocation = address ? simt_find(memory, address) : NULL;
	bool freeable = allocation && !allocation->is_static;
	if (address && (!freeable || !simt_free(memory, address)))
		fprintf(stderr, "sluice: device free(0x%" PRIx64 "): no allocation begins there\n", address);
}

uint64_t device_call(void *user, const char *name, const uint64_t *arguments, const void *local)
{
	struct lane_memory lane = {user, local};
	if (strcmp(name, "vprintf") == 0)
		return (uint32_t)device_printf(stdout, &lane, arguments[0], arguments[1]);
	if (strcmp(name, "malloc") == 0)
		return simt_alloc(lane.memory, arguments[0]);
	if (strcmp(name, "free") == 0)
		device_free(lane.memory, arguments[0]);
	else if (strcmp(name, "__assertfail") == 0)
		print_assertion(&lane, arguments);
	return 0;
}
