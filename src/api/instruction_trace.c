/* Reads instruction traces: each kernel of the list becomes the only kernel of a new module and is launched normally.
 * Also writes traces of simulated kernels. */
#include "api/instruction_trace.h"

#include "api/api.h"
#include "trace/trace.h"

#include <stdlib.h>
#include <string.h>

static const char stub[] = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry trace() { ret; }\n";

/* Code address of a kernel: the same for all launches of one name. */
struct code_place {
	char *kernel;
	uint64_t code;
	uint32_t room;
};

struct session {
	sluice_gpu *gpu;
	const char *wanted; /* selected kernels: a number, FIRST-LAST, or a name; NULL: all */
	struct code_place *place;
	size_t places;
	uint64_t launched;
};

/* --- settings that a trace cannot serve --- */

/* A mechanism that the machine file attaches stays and finds nothing to do: no trace contains its instructions. */
static enum sluice_status check_mechanisms(const sluice_gpu *gpu, struct sluice_error *error)
{
	for (uint32_t i = 0; i < gpu->attachments.count; i++) {
		const struct mech *mech = gpu->attachments.list[i].mech;
		if (gpu->attachments.is_machines[i])
			continue;
		if (mech->rewrite || mech->pass_count)
			return api_fail(error, SLUICE_BAD_SETTING,
			                "mechanism %s rewrites PTX, which an instruction trace does not contain",
			                mech->name);
		if (mech->opcode_count)
			return api_fail(error, SLUICE_BAD_SETTING,
			                "mechanism %s runs its own instructions, whose operands an instruction trace "
			                "does not contain",
			                mech->name);
	}
	return SLUICE_OK;
}

static enum sluice_status check_settings(const sluice_gpu *gpu, struct sluice_error *error)
{
	if (gpu->passes.named.count)
		return api_fail(error, SLUICE_BAD_SETTING,
		                "passes rewrite PTX, which an instruction trace does not contain");
	if (gpu->checks)
		return api_fail(
			error, SLUICE_BAD_SETTING,
			"checks inspect the values that a program computes; an instruction trace has no values");
	if (gpu->records.sampling)
		return api_fail(error, SLUICE_BAD_SETTING,
		                "sampling runs the rest of a program functionally; an instruction trace cannot run "
		                "functionally");
	if (gpu->trace_out)
		return api_fail(error, SLUICE_BAD_SETTING,
		                "an instruction trace is recorded from a program, not from another trace");
	if (gpu->recorders.profile.path)
		return api_fail(error, SLUICE_BAD_SETTING,
		                "a profile lists PTX, which an instruction trace does not contain");
	return check_mechanisms(gpu, error);
}

/* --- analyses: a mechanism that queries one is answered by stopping the launch --- */

struct refused_query {
	sluice_gpu *gpu;
	const char *what;
};

static void refuse(void *user, const char *what)
{
	struct refused_query *refused = user;
	refused->what = what;
	sluice_stop(refused->gpu);
}

static struct mech_rows no_rows(void *user, uint32_t most, enum mech_loops loops)
{
	(void)most;
	(void)loops;
	refuse(user, "the bytes that blocks read");
	return (struct mech_rows){0};
}

static const struct mech_load *no_loads(void *user, uint32_t *count)
{
	refuse(user, "the addresses of loads");
	*count = 0;
	return NULL;
}

static const struct mech_staging_inst *no_staging(void *user, uint32_t *count)
{
	refuse(user, "the code that stages tiles");
	*count = 0;
	return NULL;
}

static void print_message(void *user, const char *mechanism, const char *text)
{
	(void)user;
	fprintf(stderr, "sluice: %s: %s\n", mechanism, text);
}

/* --- a kernel --- */

static uint64_t place_code(struct session *session, const struct trace_kernel *traced)
{
	const struct trace_header *header = &traced->header;
	if (header->writer)
		return header->code;
	struct code_place *place = session->place;
	for (size_t i = 0; i < session->places; i++, place++)
		if (strcmp(place->kernel, header->name) == 0 && place->room >= traced->program.count)
			return place->code;
	session->place = base_realloc(session->place, (session->places + 1) * sizeof *session->place);
	place = &session->place[session->places++];
	*place = (struct code_place){.kernel = base_strdup(header->name),
	                             .code = kernel_place_code(session->gpu, traced->program.count),
	                             .room = traced->program.count};
	return place->code;
}

static enum sluice_status launch(struct session *session, struct trace_kernel *traced, sluice_module *module,
                                 struct sluice_error *error)
{
	sluice_gpu *gpu = session->gpu;
	sluice_kernel *kernel = sluice_find_kernel(module, "trace");
	struct refused_query refused = {.gpu = gpu};
	const struct seam_analyses analyses = {
		.user = &refused, .rows = no_rows, .loads = no_loads, .staging = no_staging, .say = print_message};
	module->ptx->functions->name = traced->header.name;
	module->ptx->source.name = traced->header.name;
	traced->program.kernel = kernel->function;
	kernel->program = &traced->program;
	kernel->registers = traced->header.registers;
	kernel->code = place_code(session, traced);
	const struct simt_launch launch = {.program = kernel->program,
	                                   .code = kernel->code,
	                                   .grid = traced->header.grid,
	                                   .block = traced->header.block,
	                                   .textures = &gpu->textures,
	                                   .stop = &gpu->stop};
	session->launched++;
	enum sluice_status status = launch_replay(gpu, kernel, &launch, &analyses, error);
	kernel->program = NULL;
	if (refused.what)
		return api_fail(error, SLUICE_BAD_SETTING,
		                "a mechanism queries %s, which an analysis of PTX finds; an instruction trace does not "
		                "contain PTX",
		                refused.what);
	return status;
}

static enum sluice_status run_kernel(struct session *session, const char *path, struct sluice_error *error)
{
	struct diag diag = {0};
	sluice_module *module;
	struct trace_kernel *traced = trace_kernel_read(path, &diag);
	if (!traced)
		return api_fail_with_diag(error, SLUICE_BAD_TRACE, &diag);
	enum sluice_status status = sluice_load(session->gpu, stub, sizeof stub - 1, path, &module, error);
	if (status == SLUICE_OK) {
		status = launch(session, traced, module, error);
		sluice_unload(session->gpu, module);
	}
	trace_kernel_free(traced);
	return status;
}

/* --- the list --- */

/* True for a number and for FIRST-LAST. Sets *is when they contain `number`. */
static bool read_range(const char *wanted, uint64_t number, bool *is)
{
	char *end;
	uint64_t first = strtoull(wanted, &end, 10), last = first;
	if (*wanted < '0' || *wanted > '9')
		return false;
	if (*end == '-' && end[1] >= '0' && end[1] <= '9')
		last = strtoull(end + 1, &end, 10);
	*is = number >= first && number <= last;
	return !*end;
}

/* Fails when the trace's first lines cannot be read. */
static enum sluice_status is_wanted(const struct session *session, const char *path, uint64_t number, bool *is,
                                    struct sluice_error *error)
{
	struct diag diag = {0};
	*is = true;
	if (!session->wanted || read_range(session->wanted, number, is))
		return SLUICE_OK;
	char *name = trace_kernel_name(path, &diag);
	if (!name)
		return api_fail_with_diag(error, SLUICE_BAD_TRACE, &diag);
	*is = strcmp(name, session->wanted) == 0;
	free(name);
	return SLUICE_OK;
}

static enum sluice_status run_list(struct session *session, const struct trace_list *list, struct sluice_error *error)
{
	uint64_t number = 0;
	for (size_t i = 0; i < list->count; i++) {
		bool is;
		if (list->command[i].kind != TRACE_LAUNCH)
			continue; /* a copy costs no cycles and does not change the caches, as in a normal run */
		enum sluice_status status = is_wanted(session, list->command[i].path, ++number, &is, error);
		if (status == SLUICE_OK && is)
			status = run_kernel(session, list->command[i].path, error);
		if (status != SLUICE_OK)
			return status;
	}
	if (session->launched)
		return api_succeed(error);
	if (!session->wanted)
		return api_fail(error, SLUICE_BAD_TRACE, "the list has no kernels");
	return api_fail(error, SLUICE_BAD_TRACE, "none of the list's %llu kernels is '%s'", (unsigned long long)number,
	                session->wanted);
}

enum sluice_status sluice_run_trace(sluice_gpu *gpu, const char *path, const char *kernel, struct sluice_error *error)
{
	struct diag diag = {0};
	struct trace_list list = {0};
	struct session session = {.gpu = gpu, .wanted = kernel};
	if (!path)
		return api_fail(error, SLUICE_BAD_ARGUMENT, "sluice_run_trace: no path");
	enum sluice_status status = check_settings(gpu, error);
	if (status == SLUICE_OK && !trace_list_read(&list, path, &diag))
		status = api_fail_with_diag(error, SLUICE_BAD_TRACE, &diag);
	if (status == SLUICE_OK)
		status = run_list(&session, &list, error);
	trace_list_free(&list);
	for (size_t i = 0; i < session.places; i++)
		free(session.place[i].kernel);
	free(session.place);
	return status;
}

/* --- output --- */

enum sluice_status trace_out_open(sluice_gpu *gpu, const char *folder, struct sluice_error *error)
{
	struct diag diag = {0};
	gpu->trace_out = folder ? trace_writer_open(folder, &diag) : NULL;
	return folder && !gpu->trace_out ? api_fail_with_diag(error, SLUICE_IO, &diag) : SLUICE_OK;
}

void trace_out_close(sluice_gpu *gpu)
{
	struct diag diag = {0};
	if (gpu->trace_out && !trace_writer_close(gpu->trace_out, &diag))
		fputs(diag.text, stderr);
	diag_free(&diag);
	gpu->trace_out = NULL;
}

enum sluice_status trace_out_begin(sluice_gpu *gpu, const sluice_kernel *kernel, struct simt_launch *launch,
                                   struct sluice_error *error)
{
	struct diag diag = {0};
	if (!gpu->trace_out)
		return SLUICE_OK;
	launch->memory = gpu->gpu->memory;
	launch->recorder =
		trace_recorder_begin(gpu->trace_out, launch, kernel->function->name, kernel_registers(kernel), &diag);
	if (launch->recorder)
		return SLUICE_OK;
	bool is_refused = trace_cannot_record(kernel->program);
	return api_fail_with_diag(error, is_refused ? SLUICE_BAD_LAUNCH : SLUICE_IO, &diag);
}

enum sluice_status trace_out_end(struct simt_launch *launch, bool is_complete, struct sluice_error *error)
{
	struct diag diag = {0};
	if (!launch->recorder || trace_recorder_end(launch->recorder, is_complete, &diag))
		return SLUICE_OK;
	return api_fail_with_diag(error, SLUICE_IO, &diag);
}
