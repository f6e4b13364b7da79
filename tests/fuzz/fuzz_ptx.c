/* Fuzz target for the PTX parser and printer.
 *
 * No input crashes, and there is an error whenever no module is parsed or loaded. Text that parses also loads without
 * errors in a function. A printed module parses and prints the same text. */
#include "ptx/module.h"

#include <stdlib.h>
#include <string.h>

static char *print_text(const struct ptx_module *module, size_t *length)
{
	char *text = NULL;
	FILE *file = open_memstream(&text, length);
	ptx_print(module, file);
	fclose(file);
	return text;
}

/* True when the text loads and no function has errors. */
static bool loads_whole(const uint8_t *data, size_t size)
{
	struct diag diag = {0};
	struct ptx_module *module = ptx_load("fuzz.ptx", (const char *)data, size, &diag);
	bool whole = module;
	if (!module != (diag.errors > 0))
		abort();
	for (const struct ptx_function *function = module ? module->functions : NULL; function;
	     function = function->next)
		whole &= !function->errors;
	diag_free(&diag);
	ptx_free(module);
	return whole;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct diag diag = {0};
	struct ptx_module *module = ptx_parse("fuzz.ptx", (const char *)data, size, &diag);
	if (!module != (diag.errors > 0) || (!loads_whole(data, size) && module))
		abort();
	diag_free(&diag);
	if (!module)
		return 0;
	size_t first_length, second_length;
	char *first = print_text(module, &first_length);
	ptx_free(module);
	diag = (struct diag){0};
	module = ptx_parse("printed.ptx", first, first_length, &diag);
	if (!module) {
		fprintf(stderr, "%s", diag.text);
		abort();
	}
	char *second = print_text(module, &second_length);
	if (first_length != second_length || memcmp(first, second, first_length) != 0) {
		fprintf(stderr, "%s---\n%s", first, second);
		abort();
	}
	free(first);
	free(second);
	ptx_free(module);
	return 0;
}
