#include "cudart/fat_binary.h"

#include <lz4.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

static const uint32_t CONTAINER_MAGIC = 0xba55ed50;
enum { CONTAINER_HEADER = 16, ENTRY_HEADER = 64, KIND_PTX = 1 };
enum { FLAG_LZ4 = 0x2000, FLAG_ZSTD = 0x8000 };
static const uint64_t MOST_BYTES = 1u << 30; /* limit per text */

struct entry {
	const char *data;
	uint16_t kind;
	uint32_t header, compressed, architecture;
	uint64_t size, flags, expanded;
};

static uint64_t number(const char *at, size_t bytes)
{
	uint64_t value = 0;
	for (size_t i = 0; i < bytes; i++)
		value |= (uint64_t)(uint8_t)at[i] << 8 * i;
	return value;
}

size_t fat_container_bytes(const char *data, size_t room)
{
	if (room < CONTAINER_HEADER || number(data, 4) != CONTAINER_MAGIC)
		return 0;
	uint64_t header = number(data + 6, 2), size = number(data + 8, 8);
	if (header < CONTAINER_HEADER || header > room || size > room - header)
		return 0;
	return header + size;
}

/* Reads the entry at `at`, where `room` bytes are readable. Returns false when it is truncated. */
static bool read_entry(const char *at, size_t room, struct entry *entry)
{
	if (room < ENTRY_HEADER)
		return false;
	*entry = (struct entry){.kind = (uint16_t)number(at, 2),
	                        .header = (uint32_t)number(at + 4, 4),
	                        .size = number(at + 8, 8),
	                        .compressed = (uint32_t)number(at + 16, 4),
	                        .architecture = (uint32_t)number(at + 28, 4),
	                        .flags = number(at + 40, 8),
	                        .expanded = number(at + 56, 8)};
	entry->data = at + entry->header;
	return entry->header >= ENTRY_HEADER && entry->header <= room && entry->size <= room - entry->header &&
	       entry->compressed <= entry->size;
}

/* True when PTX for architecture `a` suits a machine of architecture `newest` better than PTX for `b`. */
static bool is_better(unsigned a, unsigned b, unsigned newest)
{
	if ((a <= newest) != (b <= newest))
		return a <= newest;
	return a <= newest ? a > b : a < b;
}

static bool expand_zstd(const struct entry *entry, char *text)
{
	size_t length = ZSTD_decompress(text, entry->expanded, entry->data, entry->compressed);
	return !ZSTD_isError(length) && length == entry->expanded;
}

static bool expand_lz4(const struct entry *entry, char *text)
{
	int length = LZ4_decompress_safe(entry->data, text, (int)entry->compressed, (int)entry->expanded);
	return length >= 0 && (uint64_t)length == entry->expanded;
}

static enum fat_result take_code(const struct entry *entry, struct fat_code *code)
{
	code->architecture = entry->architecture;
	code->text = entry->data;
	code->length = entry->size;
	if (entry->flags & (FLAG_ZSTD | FLAG_LZ4)) {
		if (!entry->expanded || entry->expanded > MOST_BYTES || entry->compressed > MOST_BYTES)
			return FAT_BROKEN;
		code->text = code->owned = malloc(entry->expanded);
		code->length = entry->expanded;
		if (!code->owned ||
		    !(entry->flags & FLAG_ZSTD ? expand_zstd(entry, code->owned) : expand_lz4(entry, code->owned)))
			return FAT_BROKEN;
	}
	code->length = strnlen(code->text, code->length);
	return FAT_PTX;
}

enum fat_result fat_find(const char *data, size_t room, unsigned newest, struct fat_code *code)
{
	struct entry entry, best = {0};
	*code = (struct fat_code){0};
	size_t size = fat_container_bytes(data, room);
	if (!size)
		return FAT_BROKEN;
	for (size_t at = number(data + 6, 2); at < size; at += entry.header + entry.size) {
		if (!read_entry(data + at, size - at, &entry))
			return FAT_BROKEN;
		if (entry.kind != KIND_PTX)
			code->architecture = entry.architecture;
		else if (!best.data || is_better(entry.architecture, best.architecture, newest))
			best = entry;
	}
	if (best.data)
		return take_code(&best, code);
	return code->architecture ? FAT_MACHINE_CODE : FAT_EMPTY;
}
