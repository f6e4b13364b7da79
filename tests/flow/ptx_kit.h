/* ptx_kit: parses and prints PTX, for the tests of analyses and passes. */
#ifndef SLUICE_TESTS_PTX_KIT_H
#define SLUICE_TESTS_PTX_KIT_H

#include "flow/analyses.h"
#include "ptx/module.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HEAD ".version 3.2\n.target sm_20\n.address_size 64\n"

static inline struct ptx_module *parse_as(const char *name, const char *text)
{
	struct diag diag = {0};
	struct ptx_module *module = ptx_parse(name, text, strlen(text), &diag);
	if (!module)
		fail_msg("%s\n%s", diag.text, text);
	diag_free(&diag);
	return module;
}

static inline struct ptx_module *parse(const char *text)
{
	return parse_as("test.ptx", text);
}

static inline char *print(const struct ptx_module *module)
{
	char *text = NULL;
	size_t length;
	FILE *file = open_memstream(&text, &length);
	ptx_print(module, file);
	fclose(file);
	return text;
}

/* Returns the instruction after a label. */
static inline uint32_t label_at(const struct ptx_function *function, const char *label)
{
	for (const struct ptx_label *l = function->labels; l; l = l->next)
		if (strcmp(l->name, label) == 0)
			return l->target;
	fail_msg("no label %s", label);
	return 0;
}

/* The facts of a function's code equal those of its text. */
static inline void same_analyses(const struct ptx_function *function, const struct ptx_function *again)
{
	struct flow_analyses analyses = {.function = function};
	for (uint32_t analysis = 0; analysis < ANALYSIS_AFFINE; analysis++)
		analyses_get(&analyses, analysis);
	analyses.function = again;
	assert_true(analyses_hold(&analyses));
	analyses_drop(&analyses, ANALYSES_ALL);
}

#endif
