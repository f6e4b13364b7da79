/* code_kit: runs passes of a mechanism over a kernel and compares the code that they leave. */
#ifndef SLUICE_TESTS_CODE_KIT_H
#define SLUICE_TESTS_CODE_KIT_H

#include "ptx_kit.h"

#include "flow/pipeline.h"
#include "seam/mech.h"

#define KERNEL(body)                                                                                                   \
	HEAD ".visible .entry k(.param .u64 q)\n{\n.reg .pred %p<9>;\n.reg .b32 %r<9>;\n.reg .f32 %f<9>;\n"            \
	     ".reg .b64 %rd<9>;\n" body "ret;\n}\n"

/* Removes tabs in place. */
static inline void without_tabs(char *text)
{
	char *to = text;
	for (const char *from = text; *from; from++)
		if (*from != '\t')
			*to++ = *from;
	*to = 0;
}

/* The code of the kernel ends with `expected` after these passes. */
static inline void expect_code(const struct mech *mech, const char *text, const char *passes, const char *expected)
{
	struct pipeline pipeline = {.more = mech->passes, .more_count = mech->pass_count};
	struct diag diag = {0};
	struct ptx_module *module = ptx_load("test.ptx", text, strlen(text), &diag);
	if (!module || !pipeline_add(&pipeline, passes, &diag) || !pipeline_run(&pipeline, module, &diag))
		fail_msg("%s\n%s", diag.text, text);
	char *printed = print(module), *text_after = strdup(printed);
	free(printed);
	without_tabs(text_after);
	const char *code = strstr(text_after, expected);
	if (!code || strncmp(code + strlen(expected), "}\n", 2) != 0 || code[-2] != ';' || strstr(code, ".reg"))
		fail_msg("after %s:\n%s---\nexpected:\n%s", passes, text_after, expected);
	free(text_after);
	ptx_free(module);
	pipeline_close(&pipeline);
}

#endif
