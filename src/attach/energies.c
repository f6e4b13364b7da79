#include "attach/energies.h"

#include "attach/attach.h"
#include "attach/data_folder.h"

#include "sluice.h"

#include "base/config_find.h"
#include "base/diag.h"
#include "base/file.h"
#include "gpu/gpu.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The default tables by the major number of the machine's compute capability. */
static const struct {
	uint32_t major;
	const char *table;
} standard[] = {{2, "gtx480-40nm"}};

/* Returns the path of a table, from malloc; NULL after a message. */
static char *find_table(const char *name, struct diag *diag)
{
	char folder[PATH_MAX], nearest[CONFIG_NAME_SIZE];
	data_folder(SLUICE_INSTALLED_ENERGIES, SLUICE_SOURCE_ENERGIES, folder);
	const char *const folders[] = {folder, NULL};
	char *path = config_is_path(name) ? base_strdup(name) : config_find(name, folders);
	if (path)
		return path;
	config_nearest(name, folders, nearest);
	if (*nearest)
		diag_plain(diag, "no table of energies '%s'; did you mean '%s'?", name, nearest);
	else
		diag_plain(diag, "no table of energies '%s' in %s", name, folder);
	return NULL;
}

static bool read_table(struct energies *energies, const char *name, struct diag *diag)
{
	struct document document = {.arena = &energies->arena};
	char *path = find_table(name, diag);
	char *text = path ? file_read(path, &document.source.length) : NULL;
	bool fine = text;
	if (path && !text)
		diag_plain(diag, "cannot read %s: %s", path, file_reason());
	if (text) {
		document.source.name = path;
		document.source.text = text;
		document.diag = *diag;
		fine = energy_table_read(&energies->table, &document);
		*diag = document.diag;
	}
	energies->table.name = fine ? arena_string(&energies->arena, name, strlen(name)) : NULL;
	free(text);
	free(path);
	return fine;
}

bool energies_open(struct energies *energies, const char *table, struct diag *diag)
{
	*energies = (struct energies){0};
	if (!table || strcmp(table, "default") == 0)
		return true;
	energies->wanted = base_strdup(table);
	return read_table(energies, table, diag);
}

void energies_close(struct energies *energies)
{
	free(energies->wanted);
	arena_free(&energies->arena);
	*energies = (struct energies){0};
}

/* Copies the reported text, without its last newline, to `message`. Returns false. */
static bool fail(struct diag *diag, char message[ENERGY_MESSAGE])
{
	const char *text = diag_bare(diag->text ? diag->text : "");
	snprintf(message, ENERGY_MESSAGE, "%.*s", (int)strcspn(text, "\n"), text);
	diag_free(diag);
	return false;
}

/* Chooses the table of the machine's compute capability, if the user named none. */
static bool choose_table(struct energies *energies, const json_t *configuration, char message[ENERGY_MESSAGE])
{
	const json_t *major = json_object_get(configuration, "compute.major");
	struct diag diag = {0};
	for (size_t i = 0; i < sizeof standard / sizeof *standard; i++) {
		if (json_integer_value(major) != standard[i].major)
			continue;
		if (energies->table.name && strcmp(energies->table.name, standard[i].table) == 0)
			return true;
		return read_table(energies, standard[i].table, &diag) || fail(&diag, message);
	}
	snprintf(message, ENERGY_MESSAGE, "no table of energies for machines of compute capability %lld: name one",
	         (long long)json_integer_value(major));
	return false;
}

bool energies_price(struct energies *energies, json_t *configuration, const struct seam_attached *attached,
                    uint32_t attachments, struct energy_prices *prices, char message[ENERGY_MESSAGE])
{
	*prices = (struct energy_prices){0};
	if (!energies->wanted && !choose_table(energies, configuration, message))
		return false;
	struct machine machine = {0};
	char text[256];
	for (size_t i = 0; i < machine_option_count; i++) {
		const json_t *value = json_object_get(configuration, machine_options[i].name);
		if (json_is_number(value))
			snprintf(text, sizeof text, "%.17g", json_number_value(value));
		if (json_is_number(value) &&
		    !base_option_set(&machine_options[i], &machine, text, message, ENERGY_MESSAGE))
			return false;
	}
	if (!machine.sm.l1d.sectors || !machine.l2.sectors) {
		snprintf(message, ENERGY_MESSAGE, "the statistics do not have all keys of their machine");
		return false;
	}
	const struct mech_machine seen = gpu_mech_machine(&machine);
	bool fine = energy_open(prices, &energies->table, configuration, message);
	for (uint32_t i = 0; fine && i < attachments; i++)
		fine = energy_add_mechanism(prices, &attached[i], &seen, message);
	return fine;
}

static bool is_built_in(const char *name, size_t length)
{
	const char *other;
	for (size_t i = 0; (other = sluice_mechanism_name(i, NULL)); i++)
		if (strlen(other) == length && strncmp(name, other, length) == 0)
			return true;
	return false;
}

/* Returns the path of the shared object that has the mechanism; NULL after a message. */
static const char *find_object(const char *const *objects, const char *name, size_t length, struct diag *diag)
{
	for (; objects && *objects; objects++) {
		void *object;
		const struct mech *mech = attachments_find(*objects, &object, diag);
		bool found = mech && strlen(mech->name) == length && strncmp(mech->name, name, length) == 0;
		attachments_release(object);
		if (found)
			return *objects;
	}
	if (!diag->errors)
		diag_plain(diag, "the mechanism '%.*s' is not built in: name its shared object", (int)length, name);
	return NULL;
}

/* Attaches a mechanism from its line in the statistics, "NAME:KEY=VALUE,...". */
static bool attach(struct attachments *attachments, const char *line, const char *const *objects, struct diag *diag)
{
	size_t length = strcspn(line, ":");
	char *text;
	if (is_built_in(line, length))
		return attachments_add(attachments, line, diag);
	const char *object = find_object(objects, line, length, diag);
	if (!object)
		return false;
	if (asprintf(&text, "%s%s", object, line + length) < 0)
		abort();
	bool fine = attachments_add(attachments, text, diag);
	free(text);
	return fine;
}

bool energies_price_stats(struct energies *energies, const json_t *stats, const char *const *objects,
                          struct energy_prices *prices, char message[ENERGY_MESSAGE])
{
	json_t *configuration = json_object_get(stats, "configuration");
	const json_t *mechanisms = json_object_get(stats, "mechanisms");
	struct attachments attachments = {0};
	struct diag diag = {0};
	bool fine = true;
	*prices = (struct energy_prices){0};
	if (!json_is_object(configuration)) {
		snprintf(message, ENERGY_MESSAGE, "the statistics do not have the keys of their machine");
		return false;
	}
	for (size_t i = 0; fine && i < json_array_size(mechanisms); i++) {
		const char *line = json_string_value(json_array_get(mechanisms, i));
		fine = attach(&attachments, line ? line : "", objects, &diag);
	}
	if (fine)
		fine = energies_price(energies, configuration, attachments.list, attachments.count, prices, message);
	else
		fail(&diag, message);
	attachments_free(&attachments);
	diag_free(&diag);
	return fine;
}

bool energies_annotate(struct energies *energies, json_t *stats, const char *const *objects,
                       char message[ENERGY_MESSAGE])
{
	struct energy_prices prices;
	bool fine = energies_price_stats(energies, stats, objects, &prices, message) &&
	            energy_annotate(&prices, stats, message);
	energy_close(&prices);
	return fine;
}
