/* annotate: prints the source with each read's status, cause and stride at its line, as text or HTML. */
#include "cuda_source/private.h"
#include "base/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void put_html(FILE *out, const char *text)
{
	for (; *text; text++) {
		const char *entity = *text == '<'   ? "&lt;"
		                     : *text == '>' ? "&gt;"
		                     : *text == '&' ? "&amp;"
		                     : *text == '"' ? "&quot;"
		                                    : NULL;
		if (entity)
			fputs(entity, out);
		else
			fputc(*text, out);
	}
}

static void put_text(FILE *out, enum source_format format, const char *text)
{
	if (format == SOURCE_HTML)
		put_html(out, text);
	else
		fputs(text, out);
}

/* Writes the factor of a symbol, "64" or "4*width": the sum of all terms with that symbol. "" if there is none. */
static void write_stride(FILE *out, const struct source_index *index, enum source_symbol_kind kind, uint32_t axis)
{
	bool first = true;
	for (uint32_t i = 0; i < index->term_count; i++) {
		const struct source_term *term = &index->terms[i];
		bool has = false;
		for (uint32_t k = 0; k < term->count; k++)
			has |= term->symbols[k]->kind == kind && term->symbols[k]->axis == axis;
		if (!has)
			continue;
		int64_t size = term->coefficient;
		if (first)
			fprintf(out, " %s.%c %lld", kind == SOURCE_BLOCK_IDX ? "blockIdx" : "threadIdx",
			        'x' + (int)axis, (long long)size);
		else
			fprintf(out, " %c %lld", size < 0 ? '-' : '+', (long long)(size < 0 ? -size : size));
		first = false;
		bool skipped = false;
		for (uint32_t k = 0; k < term->count; k++) {
			bool itself = term->symbols[k]->kind == kind && term->symbols[k]->axis == axis;
			if (!itself || skipped)
				fprintf(out, "*%s", term->symbols[k]->name);
			skipped |= itself;
		}
	}
}

/* "a[i]: quasi-static, blockIdx.x*...; stride in bytes: ..." */
static char *describe(const struct source_kernel *kernel, const struct source_index *index)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);
	if (!out)
		return NULL;
	fprintf(out, "%s[%s]: %s", kernel->arrays[index->array].name, index->text, source_status_name(index->status));
	if (index->relaxed != index->status)
		fprintf(out, ", relaxed %s", source_status_name(index->relaxed));
	if (index->expanded)
		fprintf(out, "; element %s", index->expanded);
	if (index->affine) {
		fputs("; stride in bytes:", out);
		for (uint32_t axis = 0; axis < 3; axis++) {
			write_stride(out, index, SOURCE_BLOCK_IDX, axis);
			write_stride(out, index, SOURCE_THREAD_IDX, axis);
		}
	}
	fclose(out);
	return text;
}

static void write_notes(const struct source_module *module, const char *file, uint32_t line, enum source_format format,
                        FILE *out)
{
	for (uint32_t k = 0; k < module->kernel_count; k++) {
		const struct source_kernel *kernel = &module->kernels[k];
		for (uint32_t i = 0; i < kernel->index_count; i++) {
			const struct source_index *index = &kernel->indexes[i];
			if (index->line != line || strcmp(index->file, file) != 0)
				continue;
			char *text = describe(kernel, index);
			const char *class = source_precalculable(index->status)    ? "strict"
			                    : source_precalculable(index->relaxed) ? "relaxed"
			                                                           : "not";
			if (format == SOURCE_HTML)
				fprintf(out, "<span class=\"%s\">", class);
			fputs("      |   ^ ", out);
			put_text(out, format, text ? text : "");
			if (kernel->line > line || kernel->body_last < line) {
				fputs(" (from ", out);
				put_text(out, format, kernel->name);
				fputs(")", out);
			}
			fputs(format == SOURCE_HTML ? "</span>\n" : "\n", out);
			free(text);
		}
	}
}

static bool write_file(const struct source_module *module, const char *name, enum source_format format, FILE *out,
                       struct diag *diag)
{
	FILE *file = file_open(name);
	if (!file) {
		diag_plain(diag, "cannot read %s: %s", name, file_reason());
		return false;
	}
	if (format == SOURCE_HTML)
		fputs("<h2>", out);
	put_text(out, format, name);
	fputs(format == SOURCE_HTML ? "</h2>\n<pre>\n" : "\n", out);
	char *text = NULL;
	size_t capacity = 0;
	for (uint32_t line = 1; getline(&text, &capacity, file) >= 0; line++) {
		text[strcspn(text, "\r\n")] = '\0';
		fprintf(out, "%5u | ", line);
		put_text(out, format, text);
		fputc('\n', out);
		write_notes(module, name, line, format, out);
	}
	if (format == SOURCE_HTML)
		fputs("</pre>\n", out);
	free(text);
	fclose(file);
	return true;
}

/* Returns true when an earlier index or kernel is in that file. */
static bool seen(const struct source_module *module, const char *file, uint32_t kernel, uint32_t index)
{
	for (uint32_t k = 0; k <= kernel; k++) {
		const struct source_kernel *of = &module->kernels[k];
		for (uint32_t i = 0; i < (k < kernel ? of->index_count : index); i++)
			if (strcmp(of->indexes[i].file, file) == 0)
				return true;
	}
	return strcmp(module->file, file) == 0;
}

bool source_annotate(const struct source_module *module, enum source_format format, FILE *out, struct diag *diag)
{
	if (format == SOURCE_HTML) {
		fputs("<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\"><title>", out);
		put_html(out, module->file);
		fputs("</title>\n<style>.strict { color: #060 } .relaxed { color: #850 } .not { color: #a00 }</style>\n"
		      "</head><body>\n"
		      "<p><span class=\"strict\">precalculable</span>, <span class=\"relaxed\">in the relaxed "
		      "sense</span>,"
		      " <span class=\"not\">not precalculable</span></p>\n",
		      out);
	}
	bool fine = write_file(module, module->file, format, out, diag);
	/* kernels and functions may be in included files */
	for (uint32_t k = 0; k < module->kernel_count && fine; k++)
		for (uint32_t i = 0; i < module->kernels[k].index_count && fine; i++) {
			const char *file = module->kernels[k].indexes[i].file;
			if (!seen(module, file, k, i))
				fine = write_file(module, file, format, out, diag);
		}
	if (format == SOURCE_HTML)
		fputs("</body></html>\n", out);
	return fine;
}
