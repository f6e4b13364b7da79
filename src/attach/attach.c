#include "attach/attach.h"

#include "attach/mechanism_object.h"
#include "sluice_runtime.h"

#include "base/edit_distance.h"
#include "gpu/gpu.h"
#include "mech/list.h"

#include <stdlib.h>
#include <string.h>

size_t sluice_mechanism_path(const char *mechanism)
{
	size_t length = strcspn(mechanism, ":");
	bool is_path = memchr(mechanism, '/', length) || (length > 3 && strncmp(mechanism + length - 3, ".so", 3) == 0);
	return is_path ? length : 0;
}

const char *sluice_mechanism_name(size_t number, const char **summary)
{
	if (number >= mech_list_count)
		return NULL;
	if (summary)
		*summary = mech_list[number]->summary;
	return mech_list[number]->name;
}

static const struct mech *find_built_in(const char *name)
{
	for (size_t i = 0; i < mech_list_count; i++)
		if (strcmp(mech_list[i]->name, name) == 0)
			return mech_list[i];
	return NULL;
}

static void no_mechanism(const char *name, struct diag *diag)
{
	const char *nearest = NULL;
	uint32_t best = EDIT_DISTANCE_FAR;
	for (size_t i = 0; i < mech_list_count; i++)
		if (edit_distance_is_nearer(name, mech_list[i]->name, &best))
			nearest = mech_list[i]->name;
	if (nearest)
		diag_plain(diag, "no mechanism '%s'; did you mean '%s'?", name, nearest);
	else
		diag_plain(diag,
		           "no mechanism '%s'; 'sluice mech list' lists them; a shared object is named by its path",
		           name);
}

const struct mech *attachments_find(const char *name, void **object, struct diag *diag)
{
	*object = NULL;
	if (sluice_mechanism_path(name)) {
		struct mechanism_object *loaded = mechanism_object_open(name, diag);
		*object = loaded;
		return loaded ? &loaded->mech : NULL;
	}
	const struct mech *mech = find_built_in(name);
	if (!mech)
		no_mechanism(name, diag);
	return mech;
}

/* The result of one text: one mechanism, or the group of mechanisms that it stands for. */
struct added {
	const struct mech *mech;
	const char *name; /* as the user wrote it: a built-in name or a path */
	struct seam_attached *first;
	uint32_t count;
};

/* Returns the one added mechanism that has the option; NULL after a message. */
static const struct seam_attached *owner_of(const struct added *added, const char *key, struct diag *diag)
{
	const struct seam_attached *owner = NULL;
	const struct base_option *near = NULL;
	for (uint32_t i = 0; i < added->count; i++) {
		const struct mech *mech = added->first[i].mech;
		if (!near)
			near = base_option_nearest(mech->options, mech->option_count, key);
		if (!base_option_find(mech->options, mech->option_count, key))
			continue;
		if (owner) {
			diag_plain(diag,
			           "mechanism %s: %s and %s both have the option '%s': attach them by their names",
			           added->mech->name, owner->mech->name, mech->name, key);
			return NULL;
		}
		owner = &added->first[i];
	}
	if (!owner)
		diag_plain(diag, "mechanism %s has no option '%s'%s%s%s; 'sluice mech show %s' lists them",
		           added->mech->name, key, near ? "; did you mean '" : "", near ? near->name : "",
		           near ? "'?" : "", added->name);
	return owner;
}

static bool set_option(const struct added *added, char *assignment, struct diag *diag)
{
	char message[256], *value = strchr(assignment, '=');
	if (!value || value == assignment) {
		diag_plain(diag, "mechanism %s: '%s'; expected KEY=VALUE", added->mech->name, assignment);
		return false;
	}
	*value++ = '\0';
	const struct seam_attached *owner = owner_of(added, assignment, diag);
	if (!owner)
		return false;
	const struct mech *mech = owner->mech;
	const struct base_option *option = base_option_find(mech->options, mech->option_count, assignment);
	if (base_option_set(option, owner->config, value, message, sizeof message))
		return true;
	diag_plain(diag, "mechanism %s: %s", mech->name, message);
	return false;
}

/* Adds a mechanism with default options. */
static bool add_one(struct attachments *attachments, const struct mech *mech, void *object, const char *text,
                    struct diag *diag)
{
	if (attachments->count == MECH_MAX) {
		diag_plain(diag, "'%s': %d mechanisms are attached already, which is the most", text, MECH_MAX);
		attachments_release(object);
		return false;
	}
	void *config = base_calloc(1, mech->config_size + 1);
	if (mech->config_size)
		memcpy(config, mech->defaults, mech->config_size);
	attachments->object[attachments->count] = object;
	attachments->list[attachments->count++] = (struct seam_attached){mech, config};
	return true;
}

static bool add_what_it_stands_for(struct attachments *attachments, const struct mech *mech, const char *text,
                                   struct diag *diag)
{
	for (uint32_t i = 0; i < mech->stands_for_count; i++) {
		const struct mech *part = find_built_in(mech->stands_for[i]);
		if (!part) {
			diag_plain(diag, "mechanism %s stands for %s, which is not built in", mech->name,
			           mech->stands_for[i]);
			return false;
		}
		if (!add_one(attachments, part, NULL, text, diag))
			return false;
	}
	return true;
}

static bool add_mechanism(struct attachments *attachments, const struct mech *mech, void *object, const char *text,
                          struct diag *diag)
{
	return mech->stands_for_count ? add_what_it_stands_for(attachments, mech, text, diag)
	                              : add_one(attachments, mech, object, text, diag);
}

/* Returns the position of the mechanism if the machine file attached it, and marks it as named by the user. Returns the
 * list's end otherwise. */
static uint32_t take_built_in(struct attachments *attachments, const struct mech *mech)
{
	uint32_t i = 0;
	while (i < attachments->count && !(attachments->is_machines[i] && attachments->list[i].mech == mech))
		i++;
	if (i < attachments->count)
		attachments->is_machines[i] = false;
	return i;
}

bool attachments_add(struct attachments *attachments, const char *text, struct diag *diag)
{
	char *name = base_strdup(text), *rest = strchr(name, ':');
	if (rest)
		*rest++ = '\0';
	void *object;
	const struct mech *mech = attachments_find(name, &object, diag);
	uint32_t at = mech ? take_built_in(attachments, mech) : 0, before = attachments->count;
	bool fine = mech && (at < before || add_mechanism(attachments, mech, object, text, diag));
	const struct added added = {mech, name, &attachments->list[at], at < before ? 1 : attachments->count - before};
	for (char *option; fine && rest && (option = strsep(&rest, ","));)
		fine = set_option(&added, option, diag);
	free(name);
	return fine;
}

bool attachments_add_machine(struct attachments *attachments, const char *text, struct diag *diag)
{
	char *all = base_strdup(text), *rest = all, *one;
	bool fine = true;
	while (fine && (one = strsep(&rest, " ")))
		fine = !*one || attachments_add(attachments, one, diag);
	for (uint32_t i = 0; i < attachments->count; i++)
		attachments->is_machines[i] = true;
	free(all);
	return fine;
}

void attachments_sort(struct attachments *attachments)
{
	for (uint32_t i = 1; i < attachments->count; i++) {
		const struct seam_attached one = attachments->list[i];
		void *object = attachments->object[i];
		bool is_machines = attachments->is_machines[i];
		uint32_t at = i;
		for (; at && strcmp(attachments->list[at - 1].mech->name, one.mech->name) > 0; at--) {
			attachments->list[at] = attachments->list[at - 1];
			attachments->object[at] = attachments->object[at - 1];
			attachments->is_machines[at] = attachments->is_machines[at - 1];
		}
		attachments->list[at] = one;
		attachments->object[at] = object;
		attachments->is_machines[at] = is_machines;
	}
}

bool attachments_complete(struct attachments *attachments, const char *warp_order, const struct mech_machine *machine,
                          struct diag *diag)
{
	char message[512];
	bool owned = false;
	uint32_t named = attachments->count;
	for (uint32_t i = 0; i < attachments->count; i++)
		owned |= (attachments->list[i].mech->policies & MECH_POLICY_WARP_ORDER) != 0;
	if (!owned) {
		if (!attachments_add(attachments, *warp_order ? warp_order : "lrr", diag))
			return false;
		attachments->implied = attachments->count - named;
		if (attachments->implied != 1 || !(attachments->list[named].mech->policies & MECH_POLICY_WARP_ORDER)) {
			diag_plain(diag, "sm.warp_order is %s, which is not a warp order", warp_order);
			return false;
		}
	}
	if (seam_check(attachments->list, attachments->count, machine, message, sizeof message))
		return true;
	diag_plain(diag, "%s", message);
	return false;
}

void attachments_release(void *object)
{
	mechanism_object_close(object);
}

void attachments_free(struct attachments *attachments)
{
	for (uint32_t i = 0; i < attachments->count; i++) {
		free(attachments->list[i].config);
		attachments_release(attachments->object[i]);
	}
	attachments->count = 0;
}

void attachments_print(const struct seam_attached *attached, char *text, size_t size)
{
	const struct mech *mech = attached->mech;
	size_t length = (size_t)snprintf(text, size, "%s", mech->name);
	for (size_t i = 0; i < mech->option_count && length < size; i++) {
		char value[BASE_OPTION_TEXT_SIZE];
		base_option_print(&mech->options[i], attached->config, value, sizeof value);
		length += (size_t)snprintf(text + length, size - length, "%c%s=%s", i ? ',' : ':',
		                           mech->options[i].name, value);
	}
}
