#include "output/profile_file.h"

#include "sluice.h"

#include "base/demangle.h"
#include "base/file.h"
#include "base/host_clock.h"
#include "gpu/profile.h"
#include "simt/program.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Counts of a kernel. Its module may have been unloaded when they are written. */
struct profile_kernel {
	char *name;
	uint32_t registers;
	uint64_t launches, cycles, issued, idle; /* in scheduler slots: used ones, and those without a warp */
	json_t *code;                            /* by pc: static facts about each instruction */
	struct profile profile;
};

/* Converts a name to JSON. Names may contain invalid UTF-8. */
static json_t *text(const char *bytes)
{
	json_t *string = json_string(bytes);
	return string ? string : json_string("?");
}

static char *print_inst(const struct ptx_function *function, const struct ptx_inst *inst)
{
	char *printed = NULL;
	size_t length;
	FILE *file = open_memstream(&printed, &length);
	if (!file)
		abort();
	ptx_print_inst(function, inst, file);
	fclose(file);
	return printed;
}

/* Returns the function of the program that contains an instruction. */
static const struct ptx_function *function_at(const struct simt_program *program, uint32_t pc)
{
	const struct ptx_function *function = program->kernel;
	uint32_t begin = 0;
	for (uint32_t f = 0; f < program->function_count; f++)
		if (program->functions[f].pc <= pc && program->functions[f].pc >= begin) {
			begin = program->functions[f].pc;
			function = program->functions[f].ptx;
		}
	return function;
}

static json_t *code_at(const struct simt_program *program, uint32_t pc)
{
	json_t *code = json_object();
	const struct ptx_inst *inst = program->code[pc].ptx;
	const struct ptx_function *function = function_at(program, pc);
	json_object_set_new(code, "index", json_integer(pc));
	if (function != program->kernel)
		json_object_set_new(code, "function", text(function->name));
	if (!inst) /* the end of a function, added by decoding */
		return code;
	if (!inst->is_spill)
		json_object_set_new(code, "ptx_line", json_integer(inst->place.line));
	const char *source = inst->source_line ? ptx_file_name(function->module, inst->source_file) : NULL;
	if (source) {
		json_object_set_new(code, "file", text(source));
		json_object_set_new(code, "line", json_integer(inst->source_line));
	}
	char *printed = print_inst(function, inst);
	json_object_set_new(code, "text", text(printed));
	free(printed);
	return code;
}

static json_t *code_of(const struct simt_program *program)
{
	json_t *code = json_array();
	for (uint32_t pc = 0; pc < program->count; pc++)
		json_array_append_new(code, code_at(program, pc));
	return code;
}

static struct profile_kernel *new_kernel(struct profile_file *file, const struct simt_program *program,
                                         uint32_t registers, json_t *code)
{
	struct profile_kernel *new = base_calloc(1, sizeof *new);
	new->name = base_strdup(program->kernel->name);
	new->registers = registers;
	new->code = json_incref(code);
	profile_open(&new->profile, program->count);
	file->kernel = base_realloc(file->kernel, (file->kernels + 1) * sizeof(struct profile_kernel *));
	return file->kernel[file->kernels++] = new;
}

/* A module may be loaded repeatedly: the same code with the same name is the same kernel. */
static struct profile_kernel *find(struct profile_file *file, const struct simt_program *program, uint32_t registers)
{
	struct profile_kernel *found = NULL;
	json_t *code = code_of(program);
	for (size_t i = 0; i < file->kernels && !found; i++)
		if (strcmp(file->kernel[i]->name, program->kernel->name) == 0 &&
		    json_equal(file->kernel[i]->code, code))
			found = file->kernel[i];
	if (!found)
		found = new_kernel(file, program, registers, code);
	json_decref(code);
	return found;
}

struct profile *profile_file_begin(struct profile_file *file, struct profile_kernel **counted,
                                   const struct simt_program *program, uint32_t registers)
{
	if (!file->path)
		return NULL;
	if (!*counted)
		*counted = find(file, program, registers);
	return &(*counted)->profile;
}

#define X(name) #name,
static const char *const causes[] = {PROFILE_CAUSES(X)};
#undef X

static void set_number(json_t *object, const char *key, uint64_t value)
{
	if (value)
		json_object_set_new(object, key, json_integer((json_int_t)value));
}

static void set_lost(json_t *object, const struct profile_inst *inst)
{
	json_t *lost = json_object();
	for (uint32_t c = 0; c < PROFILE_CAUSE_COUNT; c++)
		set_number(lost, causes[c], inst->lost[c]);
	if (json_object_size(lost))
		json_object_set(object, "waits", lost);
	json_decref(lost);
}

static void set_waiters(json_t *object, const struct profile_inst *inst)
{
	json_t *waiters = json_array();
	for (uint32_t i = 0; i < inst->waits; i++)
		json_array_append_new(waiters, json_pack("{s:I, s:I}", "index", (json_int_t)inst->wait[i].pc, "slots",
		                                         (json_int_t)inst->wait[i].slots));
	if (inst->waits)
		json_object_set(object, "waited_for_by", waiters);
	json_decref(waiters);
}

static void set_latency(json_t *object, const struct profile_inst *inst)
{
	if (!inst->answers)
		return;
	set_number(object, "answers", inst->answers);
	json_object_set_new(object, "latency_mean", json_real((double)inst->latency / (double)inst->answers));
	json_object_set_new(object, "latency_p95", json_real(profile_quantile(inst, 0.95)));
}

static void set_counts(json_t *object, const struct profile_inst *inst)
{
	set_number(object, "issues", inst->issues);
	set_number(object, "lanes", inst->lanes);
	set_number(object, "diverged", inst->diverged);
	set_lost(object, inst);
	set_number(object, "transactions", inst->transactions);
	set_number(object, "bank_cycles", inst->bank_cycles);
	set_number(object, "l1_accesses", inst->l1_accesses);
	set_number(object, "l1_hits", inst->l1_hits);
	set_number(object, "l2_accesses", inst->l2_accesses);
	set_number(object, "l2_hits", inst->l2_hits);
	set_number(object, "dram_bytes", inst->dram_bytes);
	set_latency(object, inst);
	set_waiters(object, inst);
}

static json_t *instructions(const struct profile_kernel *kernel)
{
	json_t *list = json_array();
	for (uint32_t pc = 0; pc < kernel->profile.count; pc++) {
		json_t *object = json_copy(json_array_get(kernel->code, pc));
		set_counts(object, &kernel->profile.inst[pc]);
		json_array_append_new(list, object);
	}
	return list;
}

static json_t *kernel_json(const struct profile_kernel *kernel)
{
	char *shown = demangle(kernel->name);
	json_t *object = json_object(), *none = json_object();
	json_object_set_new(object, "name", text(kernel->name));
	json_object_set_new(object, "demangled", text(shown));
	json_object_set_new(object, "registers", json_integer(kernel->registers));
	json_object_set_new(object, "launches", json_integer((json_int_t)kernel->launches));
	json_object_set_new(object, "cycles", json_integer((json_int_t)kernel->cycles));
	json_object_set_new(object, "issued", json_integer((json_int_t)kernel->issued));
	json_object_set_new(object, "idle", json_integer((json_int_t)kernel->idle));
	set_counts(none, &kernel->profile.inst[kernel->profile.count]);
	json_object_set_new(object, "no_instruction", none);
	json_object_set_new(object, "instructions", instructions(kernel));
	free(shown);
	return object;
}

static json_t *words(const char *const *word)
{
	json_t *list = json_array();
	for (; word && *word; word++)
		json_array_append_new(list, text(*word));
	return list;
}

static json_t *file_json(const struct profile_file *file)
{
	const struct records *records = file->records;
	json_t *object = json_object(), *options = json_array(), *kernels = json_array();
	for (size_t i = 0; i < records->options.count; i++)
		json_array_append_new(options, text(records->options.word[i]));
	for (size_t i = 0; i < file->kernels; i++)
		json_array_append_new(kernels, kernel_json(file->kernel[i]));
	json_object_set_new(object, "profile", json_integer(1));
	json_object_set_new(object, "sluice", json_string(SLUICE_VERSION));
	json_object_set_new(object, "program", words(records->program));
	json_object_set_new(object, "machine", text(records->machine->name));
	json_object_set_new(object, "options", options);
	json_object_set_new(object, "kernels", kernels);
	return object;
}

/* Returns false with errno set. */
static bool write_file(struct profile_file *file)
{
	struct file_new new;
	FILE *out = file_new_stream(&new, file->path);
	if (!out)
		return false;
	json_t *json = file_json(file);
	bool fine = json_dumpf(json, out, JSON_COMPACT | JSON_REAL_PRECISION(6)) == 0;
	fputc('\n', out);
	json_decref(json);
	file->written = host_seconds();
	if (fine)
		return file_new_finish(&new, out);
	file_new_abandon(&new, out);
	return false;
}

bool profile_file_open(struct profile_file *file, const struct records *records, const char *path)
{
	*file = (struct profile_file){.path = base_strdup(path), .process = getpid(), .records = records};
	return write_file(file);
}

void profile_file_add(struct profile_file *file, struct profile_kernel *counted, const struct record *record)
{
	if (!file->path)
		return;
	counted->launches++;
	counted->cycles += record->cycles;
	counted->issued += record->stats.sm.stack_issued;
	counted->idle += record->stats.sm.stack_idle;
	if (file->process == getpid() && !file->error && host_seconds() >= file->written + 1 && !write_file(file))
		file->error = errno;
}

bool profile_file_finish(struct profile_file *file)
{
	if (!file->path || file->process != getpid())
		return true;
	if (!file->error && write_file(file))
		return true;
	errno = file->error ? file->error : errno;
	return false;
}

void profile_file_close(struct profile_file *file)
{
	for (size_t i = 0; i < file->kernels; i++) {
		free(file->kernel[i]->name);
		json_decref(file->kernel[i]->code);
		profile_close(&file->kernel[i]->profile);
		free(file->kernel[i]);
	}
	free(file->kernel);
	free(file->path);
}
