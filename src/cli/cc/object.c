#include "cli/cc/object.h"

#include <ar.h>
#include <elf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The section in which clang puts device code for linking (-fgpu-rdc). */
static const char section_name[] = "__nv_relfatbin";

struct image {
	const char *file, *bytes;
	size_t length;
};

static bool is_inside(const struct image *image, uint64_t offset, uint64_t size)
{
	return offset <= image->length && size <= image->length - offset;
}

static bool read_section(const struct image *image, const Elf64_Ehdr *header, unsigned index, Elf64_Shdr *section)
{
	uint64_t offset = header->e_shoff + (uint64_t)index * sizeof *section;
	if (index >= header->e_shnum || header->e_shoff > image->length || !is_inside(image, offset, sizeof *section))
		return false;
	memcpy(section, image->bytes + offset, sizeof *section);
	return section->sh_type == SHT_NOBITS || is_inside(image, section->sh_offset, section->sh_size);
}

/* Returns the name at an offset of a string table, or NULL. */
static const char *name_at(const struct image *image, const Elf64_Shdr *names, uint64_t offset)
{
	const char *text = image->bytes + names->sh_offset;
	if (offset >= names->sh_size || !memchr(text + offset, '\0', names->sh_size - offset))
		return NULL;
	return text + offset;
}

static void read_symbols(const struct image *image, const Elf64_Ehdr *header, const Elf64_Shdr *table,
                         const struct object_reader *reader)
{
	Elf64_Shdr names;
	if (!read_section(image, header, table->sh_link, &names))
		return;
	for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= table->sh_size; at += sizeof(Elf64_Sym)) {
		Elf64_Sym symbol;
		memcpy(&symbol, image->bytes + table->sh_offset + at, sizeof symbol);
		const char *name = name_at(image, &names, symbol.st_name);
		if (name && *name && ELF64_ST_BIND(symbol.st_info) != STB_LOCAL)
			reader->symbol(reader->user, name, symbol.st_shndx != SHN_UNDEF);
	}
}

/* Texts combined by `ld -r` follow each other, with zeros in between. */
static void read_device_code(const struct image *image, const Elf64_Shdr *section, const struct object_reader *reader)
{
	const char *at = image->bytes + section->sh_offset, *end = at + section->sh_size;
	while (at < end) {
		size_t length = strnlen(at, (size_t)(end - at));
		if (length)
			reader->device_code(reader->user, image->file, at, length);
		at += length + 1;
	}
}

static void read_elf(const struct image *image, const struct object_reader *reader)
{
	Elf64_Ehdr header;
	Elf64_Shdr names, section;
	memcpy(&header, image->bytes, sizeof header);
	if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_type != ET_REL ||
	    !read_section(image, &header, header.e_shstrndx, &names))
		return;
	for (unsigned i = 0; i < header.e_shnum; i++) {
		if (!read_section(image, &header, i, &section) || section.sh_type == SHT_NOBITS)
			continue;
		const char *name = name_at(image, &names, section.sh_name);
		if (section.sh_type == SHT_SYMTAB)
			read_symbols(image, &header, &section, reader);
		else if (name && strcmp(name, section_name) == 0)
			read_device_code(image, &section, reader);
	}
}

static void read_archive(const char *file, const char *bytes, size_t length, const struct object_reader *reader)
{
	for (size_t at = SARMAG; at + sizeof(struct ar_hdr) <= length;) {
		struct ar_hdr member;
		memcpy(&member, bytes + at, sizeof member);
		char digits[sizeof member.ar_size + 1] = "";
		memcpy(digits, member.ar_size, sizeof member.ar_size);
		size_t size = strtoul(digits, NULL, 10);
		at += sizeof member;
		if (size > length - at)
			return;
		object_read(file, bytes + at, size, reader);
		at += size + (size & 1);
	}
}

void object_read(const char *file, const char *bytes, size_t length, const struct object_reader *reader)
{
	const struct image image = {file, bytes, length};
	if (length >= SARMAG && memcmp(bytes, ARMAG, SARMAG) == 0)
		read_archive(file, bytes, length, reader);
	else if (length >= sizeof(Elf64_Ehdr) && memcmp(bytes, ELFMAG, SELFMAG) == 0)
		read_elf(&image, reader);
}
