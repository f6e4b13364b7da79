#include "attach/passes.h"

#include <stdlib.h>
#include <string.h>

/* Registers the mechanism's passes. Names must be unique, also among the built-in passes. */
static bool know(struct passes *passes, const struct mech *mech, struct diag *diag)
{
	for (uint32_t i = 0; i < mech->pass_count; i++) {
		const char *name = mech->passes[i]->name;
		if (pipeline_has(&passes->pipeline, name)) {
			diag_plain(diag,
			           "mechanism %s: a pass '%s' exists already; the mechanism's pass needs another name",
			           mech->name, name);
			return false;
		}
		passes->more[passes->pipeline.more_count++] = mech->passes[i];
	}
	return true;
}

static bool know_all(struct passes *passes, const struct seam_attached *mechanisms, uint32_t count, struct diag *diag)
{
	uint32_t room = 0;
	for (uint32_t i = 0; i < count; i++)
		room += mechanisms[i].mech->pass_count;
	passes->more = base_calloc((size_t)room + 1, sizeof *passes->more);
	passes->pipeline.more = passes->more;
	for (uint32_t i = 0; i < count; i++)
		if (!know(passes, mechanisms[i].mech, diag))
			return false;
	return true;
}

/* Adds the passes that a mechanism runs with its options. */
static bool add_of(struct passes *passes, const struct seam_attached *attached, const struct mech_machine *machine,
                   struct diag *diag)
{
	char text[MECH_PASSES_SIZE] = "";
	if (!attached->mech->rewrite)
		return true;
	attached->mech->rewrite(attached->config, machine, text, sizeof text);
	if (!*text || pipeline_add(&passes->pipeline, text, diag))
		return true;
	diag_plain(diag, "mechanism %s: its hook rewrite requests '%s'", attached->mech->name, text);
	return false;
}

static void keep_name(struct passes *passes, const char *text)
{
	passes->named.word = base_realloc(passes->named.word, (passes->named.count + 1) * sizeof *passes->named.word);
	passes->named.word[passes->named.count++] = base_strdup(text);
}

bool passes_open(struct passes *passes, const char *const *named, const struct seam_attached *mechanisms,
                 uint32_t mechanism_count, const struct mech_machine *machine, struct diag *diag)
{
	bool fine = know_all(passes, mechanisms, mechanism_count, diag);
	for (; fine && named && *named; named++) {
		keep_name(passes, *named);
		fine = pipeline_add(&passes->pipeline, *named, diag);
	}
	for (uint32_t i = 0; fine && i < mechanism_count; i++)
		fine = add_of(passes, &mechanisms[i], machine, diag);
	return fine;
}

void passes_close(struct passes *passes)
{
	pipeline_close(&passes->pipeline);
	free(passes->more);
	for (size_t i = 0; i < passes->named.count; i++)
		free((char *)passes->named.word[i]);
	free(passes->named.word);
}

struct ptx_module *passes_parse(struct passes *passes, const char *name, const char *text, size_t length,
                                struct diag *diag)
{
	struct ptx_module *module = passes->keeps_copies && !passes->pipeline.count
	                                    ? ptx_load_with_copies(name, text, length, diag)
	                                    : ptx_load(name, text, length, diag);
	if (!module || !passes->pipeline.count || pipeline_run(&passes->pipeline, module, diag))
		return module;
	ptx_free(module);
	return NULL;
}
