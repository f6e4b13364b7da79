#include "api/printf.h"

#include "base/c_locale.h"

#include <string.h>

enum { MOST_WIDTH = 1 << 20 }; /* limit of a width or precision: the default size of CUDA's printf buffer */

/* Returns the bytes from `address` to the end of the lane's memory there, so that nothing beyond is read. */
struct span syscall_reach(const struct lane_memory *lane, uint64_t address)
{
	const struct simt_windows *windows = lane->windows;
	uint64_t shared = address - SIMT_SHARED_WINDOW, local = address - SIMT_LOCAL_WINDOW;
	if (shared < windows->shared_bytes)
		return (struct span){(const char *)windows->shared + shared, windows->shared_bytes - shared};
	if (local < windows->local_bytes)
		return (struct span){(const char *)windows->local + local, windows->local_bytes - local};
	address = simt_address(lane->memory, address);
	const struct simt_allocation *allocation = simt_find(lane->memory, address);
	if (!allocation)
		return (struct span){0};
	return (struct span){simt_host(lane->memory, address), allocation->address + allocation->size - address};
}

size_t syscall_span_length(const struct span *text)
{
	return strnlen(text->at, text->bytes);
}

/* A printf's arguments as the compiler laid them out: each naturally aligned, 4 or 8 bytes. */
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

/* A conversion, such as %-08.3lld. */
struct conversion {
	char flags[8];
	int width, precision; /* precision -1: none given */
	int length;           /* size of the argument: 1, 2, 4 or 8 bytes */
	char type;
};

static const char *parse_number(const char *at, const char *end, struct arguments *arguments, int *number)
{
	int64_t value = 0;
	if (at < end && *at == '*') {
		value = (int32_t)next_argument(arguments, 4);
		at++;
	} else {
		for (; at < end && *at >= '0' && *at <= '9'; at++)
			if (value < MOST_WIDTH)
				value = value * 10 + (*at - '0');
	}
	*number = (int)(value > MOST_WIDTH ? MOST_WIDTH : value < -MOST_WIDTH ? -MOST_WIDTH : value);
	return at;
}

static const char *parse_length(const char *at, const char *end, int *length)
{
	*length = 4;
	if (at < end && strchr("ljztL", *at)) { /* all of these are 8 bytes in device code */
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

/* Parses the text after a '%'. Returns the text after the conversion, or NULL when the conversion is unknown. */
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
	if (at == end || !*at || !strchr("diouxXcsfFeEgGaApn", *at))
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
	struct span text = address ? syscall_reach(lane, address) : none;
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
	case 'n': /* not in CUDA: stores nothing, because the address is a device address */
		next_argument(arguments, 8);
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

int syscall_printf(FILE *file, const struct lane_memory *lane, uint64_t format, uint64_t buffer)
{
	IN_C_LOCALE;
	struct span text = syscall_reach(lane, format);
	if (!text.at)
		return -1;
	struct arguments arguments = {.buffer = buffer ? syscall_reach(lane, buffer) : (struct span){0}};
	const char *end = text.at + syscall_span_length(&text);
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
		} else { /* not a conversion: printed verbatim */
			fputc('%', file);
			at = percent + 1;
		}
	}
	return arguments.count;
}
