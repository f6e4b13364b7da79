/* Rewrites PTX by passes, without a machine. */
#include "attach/attach.h"
#include "attach/sized.h"
#include "attach/error.h"
#include "base/c_locale.h"
#include "flow/pipeline.h"

#include <inttypes.h>
#include <string.h>

static void list_analyses(const char *what, unsigned set, FILE *file)
{
	fprintf(file, "  %-9s", what);
	for (uint32_t analysis = 0, printed = 0; analysis < ANALYSES_COUNT; analysis++)
		if (set & 1u << analysis)
			fprintf(file, "%s%s", printed++ ? ", " : "", analysis_name(analysis));
	fputs(set ? "\n" : "nothing\n", file);
}

static void list_pass(const struct flow_pass *pass, FILE *file)
{
	fprintf(file, "%s: %s%s\n", pass->name, pass->meaning,
	        pass->scope == PASS_KERNELS ? "; runs on each kernel and the functions that it calls" : "");
	list_analyses("requires", pass->requires, file);
	list_analyses("keeps", pass->keeps, file);
	list_analyses("breaks", ANALYSES_ALL & ~pass->keeps, file);
	for (size_t i = 0; i < pass->option_count; i++) {
		const struct base_option *option = &pass->options[i];
		char value[BASE_OPTION_TEXT_SIZE];
		base_option_print(option, pass->defaults, value, sizeof value);
		fprintf(file, "  option   %s=%s  %s%s%s\n", option->name, value, option->unit, *option->unit ? " " : "",
		        option->meaning);
	}
	for (size_t i = 0; i < pass->counter_count; i++)
		fprintf(file, "  counts   %s: %s %s\n", pass->counters[i].name, pass->counters[i].unit,
		        pass->counters[i].meaning);
}

/* Registers the passes of a mechanism. Returns false after a message. */
static bool know(struct pipeline *pipeline, const char *mechanism, void **object, struct diag *diag)
{
	const struct mech *mech = mechanism ? attachments_find(mechanism, object, diag) : NULL;
	if (mech) {
		pipeline->more = mech->passes;
		pipeline->more_count = mech->pass_count;
	}
	return mech || !mechanism;
}

enum sluice_status sluice_passes_write(const char *mechanism, FILE *file, struct sluice_error *error)
{
	IN_C_LOCALE;
	struct pipeline pipeline = {0};
	struct diag diag = {0};
	void *object = NULL;
	if (!know(&pipeline, mechanism, &object, &diag))
		return api_fail_with_diag(error, SLUICE_BAD_SETTING, &diag);
	for (uint32_t i = 0; i < pass_list_count; i++)
		list_pass(pass_list[i], file);
	for (uint32_t i = 0; i < pipeline.more_count; i++)
		list_pass(pipeline.more[i], file);
	attachments_release(object);
	return api_succeed(error);
}

static void print_after(void *user, const struct flow_pass *pass, const struct ptx_module *module)
{
	const struct sluice_rewriting *how = user;
	for (const char *const *name = how->print_after; name && *name; name++) {
		if (strcmp(*name, pass->name) != 0)
			continue;
		fprintf(how->log, "// after %s\n", pass->name);
		ptx_print(module, how->log);
		return;
	}
}

/* Checks that the pass after which to print is one of those that run. */
static bool check_shown(const struct pipeline *pipeline, const char *const *name, struct diag *diag)
{
	for (; name && *name; name++) {
		const struct flow_pass *pass = pipeline_find(pipeline, *name, diag);
		bool runs = false;
		for (uint32_t k = 0; k < pipeline->count; k++)
			runs |= pipeline->step[k].pass == pass;
		if (pass && !runs)
			diag_plain(diag, "cannot print after '%s': it is not one of the passes that run", *name);
	}
	return !diag->errors;
}

static bool open_passes(struct pipeline *pipeline, const struct sluice_rewriting *how, void **object, struct diag *diag)
{
	bool fine = know(pipeline, how->mechanism, object, diag);
	for (const char *const *text = how->passes; fine && text && *text; text++)
		fine = pipeline_add(pipeline, *text, diag);
	pipeline->after = print_after;
	pipeline->user = (void *)how;
	return fine && check_shown(pipeline, how->print_after, diag);
}

static void print_counters(const struct pipeline *pipeline, FILE *file)
{
	for (uint32_t i = 0; i < pipeline->count; i++) {
		const struct flow_pass *pass = pipeline->step[i].pass;
		for (size_t k = 0; k < pass->counter_count; k++) {
			const struct base_counter *counter = &pass->counters[k];
			const char *value = (const char *)pipeline->step[i].counters + counter->offset;
			fprintf(file, "%s: %" PRIu64 " %s %s\n", pass->name, *(const uint64_t *)value, counter->name,
			        counter->meaning);
		}
	}
}

static void print_dots(const struct ptx_module *module, FILE *file)
{
	for (const struct ptx_function *function = module->functions; function; function = function->next) {
		struct flow_analyses analyses = {.function = function};
		if (function->has_body)
			analyses_print_dot(&analyses, file);
		analyses_drop(&analyses, ANALYSES_ALL);
	}
}

static bool rewrite(struct pipeline *pipeline, const struct sluice_rewriting *how, struct ptx_module *module,
                    FILE *file, struct diag *diag)
{
	if (!pipeline_run(pipeline, module, diag))
		return false;
	if (how->is_dot)
		print_dots(module, file);
	else
		ptx_print(module, file);
	if (how->log)
		print_counters(pipeline, how->log);
	return true;
}

enum sluice_status sluice_rewrite(const char *ptx, size_t length, const char *name,
                                  const struct sluice_rewriting *given, FILE *file, struct sluice_error *error)
{
	IN_C_LOCALE;
	struct sluice_rewriting known, *how = &known;
	if (sized_read(&known, sizeof known, given, "rewriting", error) != SLUICE_OK)
		return SLUICE_BAD_ARGUMENT;
	struct pipeline pipeline = {0};
	struct diag diag = {0};
	struct ptx_module *module = NULL;
	void *object = NULL;
	enum sluice_status status = SLUICE_OK;
	if (!open_passes(&pipeline, how, &object, &diag))
		status = SLUICE_BAD_SETTING;
	else if (!(module = ptx_parse(name, ptx, length, &diag)) || !rewrite(&pipeline, how, module, file, &diag))
		status = SLUICE_BAD_PTX;
	ptx_free(module);
	pipeline_close(&pipeline);
	attachments_release(object);
	if (status != SLUICE_OK)
		return api_fail_with_diag(error, status, &diag);
	diag_free(&diag);
	return api_succeed(error);
}
