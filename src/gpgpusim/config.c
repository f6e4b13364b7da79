/* GPGPU-Sim's files: lexing, and values that depend on several options. */
#include "gpgpusim/private.h"

#include "base/arena.h"
#include "base/config_file.h"
#include "base/file.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* --- helpers for the option files --- */

void gpgpusim_fail(struct config *config, const char *format, ...)
{
	char text[WORD];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	diag_error(config->diag, &config->source, config->place, "%s: %s", config->option, text);
}

void gpgpusim_leave(struct config *config, const char *why)
{
	config->options->others++;
	fprintf(config->list, "%s:%u: %s %s: %s\n", config->source.name, config->place.line, config->option,
	        config->value, why);
}

void gpgpusim_set(struct config *config, const char *key, const char *value)
{
	struct diag diag = {0};
	char *assignment;
	if (asprintf(&assignment, "%s=%s", key, value) < 0)
		abort();
	if (!config_assign(assignment, machine_options, machine_option_count, config->machine, &diag))
		gpgpusim_fail(config, "'%s' is not a value of %s ('sluice machine show' lists its range)", value, key);
	diag_free(&diag);
	free(assignment);
}

void gpgpusim_set_number(struct config *config, const char *key, uint32_t number)
{
	char text[16];
	snprintf(text, sizeof text, "%u", number);
	gpgpusim_set(config, key, text);
}

bool gpgpusim_number(struct config *config, const char *text, uint32_t *number)
{
	char *end;
	errno = 0;
	double value = strtod(text, &end);
	if (!isdigit((unsigned char)*text) || *end || errno || value >= UINT32_MAX) {
		gpgpusim_fail(config, "'%s' is not a number", text);
		return false;
	}
	*number = (uint32_t)(value + 0.5);
	return true;
}

size_t gpgpusim_part(char *text, const char *separators, char *parts[PARTS])
{
	size_t count = 0;
	for (char *rest = text; rest && count < PARTS;)
		parts[count++] = strsep(&rest, separators);
	return count;
}

/* --- text --- */

/* Skips blanks and comments, which end with the line. */
static const char *skip_blanks(const char *at, uint32_t *line)
{
	while (isspace((unsigned char)*at) || *at == '#') {
		if (*at == '#')
			at += strcspn(at, "\n");
		else
			*line += *at++ == '\n';
	}
	return at;
}

/* Reads words up to the next option, with one blank between them. A quoted text may span lines and loses its blanks. */
static const char *read_value(const char *at, char *value, uint32_t *line)
{
	size_t length = 0;
	bool quoted = false;
	*value = '\0';
	for (at = skip_blanks(at, line); *at && (quoted || !(*at == '-' && isalpha((unsigned char)at[1]))); at++) {
		if (*at == '"')
			quoted = !quoted;
		else if (!isspace((unsigned char)*at) && *at != '\\' && length + 1 < WORD)
			value[length++] = *at;
		*line += *at == '\n';
		if (!quoted && isspace((unsigned char)at[1])) {
			at = skip_blanks(at + 1, line) - 1;
			value[length] = ' ';
			length += length + 1 < WORD;
		}
	}
	length -= length && value[length - 1] == ' ';
	value[length] = '\0';
	return at;
}

static void read_options(struct config *config)
{
	char option[WORD], value[WORD];
	uint32_t line = 1;
	const char *text = config->source.text, *at = skip_blanks(text, &line);
	config->option = option;
	config->value = value;
	while (*at) {
		size_t length = strcspn(at, " \t\r\n");
		const char *start = at;
		while (start > text && start[-1] != '\n')
			start--;
		config->place = (struct diag_place){line, (uint32_t)(at - start) + 1};
		snprintf(option, sizeof option, "%.*s", (int)length, at);
		if (*option != '-') {
			gpgpusim_fail(config, "expected an option, with a '-' before its name");
			return;
		}
		at = read_value(at + length, value, &line);
		gpgpusim_apply(config);
	}
}

/* --- the network's file: NAME = VALUE; --- */

static void apply_network(struct config *config)
{
	static const struct {
		const char *name, *key;
	} keys[] = {{"flit_size", "network.flit_bytes"},
	            {"internal_speedup", "network.speedup"},
	            {"vc_buf_size", "network.buffer_flits"},
	            {"boundary_buffer_size", "network.boundary_flits"}};
	uint32_t number;
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (strcmp(keys[i].name, config->option) == 0) {
			if (gpgpusim_number(config, config->value, &number))
				gpgpusim_set_number(config, keys[i].key, number);
			config->options->honored++;
			return;
		}
	gpgpusim_leave(config, "the model does not have it");
}

static void read_network(struct config *config)
{
	char option[WORD], value[WORD];
	size_t length;
	char *text = file_read(config->network, &length);
	if (!text) {
		diag_plain(config->diag, "cannot read %s, which %s names: %s", config->network, config->source.name,
		           file_reason());
		return;
	}
	config->source = (struct diag_source){config->network, text, length};
	config->option = option;
	config->value = value;
	uint32_t line = 0;
	for (char *rest = text, *row; (row = strsep(&rest, "\n"));) {
		line++;
		config->place = (struct diag_place){line, 1};
		row[strcspn(row, "/#")] = '\0';
		for (char *setting; (setting = strsep(&row, ";"));)
			if (sscanf(setting, " %500[A-Za-z0-9_] = %500[^ \t]", option, value) == 2)
				apply_network(config);
	}
	free(text);
}

/* --- values that depend on several options --- */

static void finish_dram(struct config *config, bool is_old)
{
	struct machine *machine = config->machine;
	struct dram_config *dram = &machine->dram;
	uint32_t burst = config->data_rate ? config->burst / config->data_rate : 0;
	if (config->chips && config->bus_bytes && config->burst) {
		dram->atom_bytes = config->chips * config->bus_bytes * config->burst;
		machine->memory_bus_bits = machine->map.channels * config->chips * config->bus_bytes * 8;
	}
	dram->burst_cycles = burst ? burst : dram->burst_cycles;
	if (!config->ccd || !config->cl)
		return;
	burst = dram->burst_cycles;
	dram->ccd = config->ccd;
	dram->ccd_long = config->ccdl ? config->ccdl : config->ccd;
	dram->rrd = config->rrd;
	dram->rcd = config->rcd;
	dram->rcd_write = config->rcd > config->wl + 1 ? config->rcd - (config->wl + 1) : 1;
	dram->ras = config->ras;
	dram->rp = config->rp;
	dram->rc = config->rc;
	dram->cl = config->cl;
	dram->wl = config->wl;
	dram->rtw = config->cl + burst + 2 > config->wl ? config->cl + burst + 2 - config->wl : 1;
	dram->wtr = config->wl + burst + config->cdlr;
	dram->rtp = burst;
	dram->rtp_long = config->rtpl ? config->rtpl : burst;
	dram->wtp = config->wl + burst + config->wr;
	/* version 3 counts one bit too many in a bank's group number */
	uint32_t groups = config->groups ? config->groups : 1;
	dram->bank_groups = is_old && groups > 1 ? groups / 2 : groups;
}

/* Divides the collector units of all sub-cores. Sets the memory shared by L1 and shared memory: the file gives L1's
 * lines for only part of it. */
static void finish_sm(struct config *config)
{
	struct sm_config *sm = &config->machine->sm;
	if (config->collectors && sm->schedulers)
		sm->sub_core_collectors = config->collectors / sm->schedulers;
	if (config->unified_kib || config->adaptive)
		sm->unified_bytes = config->adaptive ? config->unified_kib * 1024 : 0;
	if (sm->unified_bytes && sm->l1d.sets && sm->l1d.line_bytes)
		sm->l1d.ways = sm->unified_bytes / (sm->l1d.sets * sm->l1d.line_bytes);
}

static void finish(struct config *config, bool is_old)
{
	struct machine *machine = config->machine;
	machine->cluster.sms = config->cores ? config->cores : machine->cluster.sms;
	if (config->clusters || config->cores)
		machine->sms = (config->clusters ? config->clusters : 15) * machine->cluster.sms;
	machine->shared_per_block = config->shared_per_block ? config->shared_per_block : machine->sm.shared_bytes;
	finish_sm(config);
	finish_dram(config, is_old);
}

/* --- files --- */

bool gpgpusim_config_is(const char *path)
{
	return file_has_suffix(path, strlen(path), ".config");
}

static char *read_text(const char *path, size_t *length, struct diag *diag)
{
	char *text = file_read(path, length);
	if (!text)
		diag_plain(diag, "cannot read %s: %s", path, file_reason());
	return text;
}

/* True when the file has options introduced by version 4. */
static bool is_version_4(const char *text)
{
	static const char *const marks[] = {"-gpgpu_coalesce_arch", "-gpgpu_l1_latency", "-gpgpu_smem_latency",
	                                    "-gpgpu_num_int_units", "-gpgpu_compute_capability_major"};
	for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
		if (strstr(text, marks[i]))
			return true;
	return false;
}

/* True for machines whose schedulers have their own units: Volta and later. */
static bool has_sub_cores(const char *text)
{
	const char *model = strstr(text, "sub_core_model");
	return model && atoi(model + strcspn(model, " \t\n")) == 1;
}

const char *gpgpusim_config_base(const char *path, struct diag *diag)
{
	size_t length;
	char *text = read_text(path, &length, diag);
	const char *base = !text ? NULL : has_sub_cores(text) ? "qv100" : is_version_4(text) ? "gtx480-v4" : "gtx480";
	free(text);
	return base;
}

static void name_machine(struct machine *machine, const char *path)
{
	const char *slash = strrchr(path, '/');
	snprintf(machine->name, sizeof machine->name, "%s", slash ? slash + 1 : path);
}

bool gpgpusim_config_read(const char *path, struct machine *machine, struct gpgpusim_options *options,
                          struct diag *diag)
{
	size_t length, list_length;
	uint32_t errors = diag->errors;
	char *text = read_text(path, &length, diag);
	*options = (struct gpgpusim_options){0};
	if (!text)
		return false;
	struct config config = {.source = {path, text, length}, .machine = machine, .options = options, .diag = diag};
	config.list = open_memstream(&options->list, &list_length);
	read_options(&config);
	if (*config.network)
		read_network(&config);
	finish(&config, !is_version_4(text) && !has_sub_cores(text));
	name_machine(machine, path);
	fclose(config.list);
	free(text);
	if (!options->others) {
		free(options->list);
		options->list = NULL;
	}
	return diag->errors == errors;
}
