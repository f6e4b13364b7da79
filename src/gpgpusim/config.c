/* GPGPU-Sim's files: lexing. */
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
	fprintf(config->list, "%s:", config->source.name);
	if (config->place.line)
		fprintf(config->list, "%u:", config->place.line);
	fprintf(config->list, " %s %s: %s\n", config->option, config->value, why);
	fprintf(config->moving, "%s%s %s", ftell(config->moving) ? ", " : "", config->option, config->value);
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
	            {"input_buffer_size", "network.injection_flits"},
	            {"boundary_buffer_size", "network.boundary_flits"}};
	uint32_t number;
	char buffer[16];
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (strcmp(keys[i].name, config->option) == 0) {
			if (gpgpusim_number(config, config->value, &number))
				gpgpusim_set_number(config, keys[i].key, number);
			config->options->honored++;
			return;
		}
	snprintf(buffer, sizeof buffer, "%u", config->machine->network.buffer_flits);
	if (strcmp(config->option, "ejection_buffer_size") == 0 && strcmp(config->value, buffer) == 0)
		config->options->honored++;
	else if (!gpgpusim_apply_fixed(config) && !gpgpusim_apply_idle(config))
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
	const char *model = text;
	while ((model = strstr(model, "sub_core_model"))) {
		const char *line = model;
		while (line > text && line[-1] != '\n')
			line--;
		model += strcspn(model, " \t\n");
		if (*line == '-') /* else a comment */
			return atoi(model) == 1;
	}
	return false;
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

static void drop_empty(char **text)
{
	if (**text)
		return;
	free(*text);
	*text = NULL;
}

bool gpgpusim_config_read(const char *path, struct machine *machine, struct gpgpusim_options *options,
                          struct diag *diag)
{
	size_t length, list_length, moving_length;
	uint32_t errors = diag->errors;
	char *text = read_text(path, &length, diag);
	*options = (struct gpgpusim_options){0};
	if (!text)
		return false;
	struct config config = {.source = {path, text, length}, .machine = machine, .options = options, .diag = diag};
	config.list = open_memstream(&options->list, &list_length);
	config.moving = open_memstream(&options->moving, &moving_length);
	config.has_sub_cores = has_sub_cores(text);
	config.is_version_4 = config.has_sub_cores || is_version_4(text);
	if (config.is_version_4)
		gpgpusim_set_defaults(&config);
	read_options(&config);
	if (*config.network)
		read_network(&config);
	config.source = (struct diag_source){path, text, length};
	config.place = (struct diag_place){0};
	gpgpusim_finish(&config);
	name_machine(machine, path);
	fclose(config.list);
	fclose(config.moving);
	free(text);
	drop_empty(&options->list);
	drop_empty(&options->moving);
	return diag->errors == errors;
}
