#include "attach/mechanism_object.h"

#include "sluice.h"

#include "base/arena.h"
#include "base/file.h"
#include "gpu/gpu.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool mechanism_version_is_known(uint32_t version)
{
	return version >> 16 == MECH_VERSION_MAJOR && (version & 0xffff) <= MECH_VERSION_MINOR;
}

/* Counters of a mechanism are called NAME.COUNTER, like the machine's GROUP.COUNTER. */
static bool is_counter_group(const char *name)
{
	for (size_t i = 0; i < gpu_counter_group_count; i++)
		if (strcmp(gpu_counter_groups[i].name, name) == 0)
			return true;
	return false;
}

/* dlerror()'s text without the path at its begin, which our message contains already. */
static const char *load_error(const char *path)
{
	const char *text = dlerror();
	size_t length = strlen(path);
	return strncmp(text, path, length) == 0 && strncmp(text + length, ": ", 2) == 0 ? text + length + 2 : text;
}

/* True for ELF files, and for files that dlopen() cannot read either: its message says why. */
static bool is_elf(const char *path)
{
	char start[4];
	FILE *file = fopen(path, "rb");
	if (!file)
		return true;
	bool is = fread(start, 1, sizeof start, file) == sizeof start && memcmp(start, "\177ELF", 4) == 0;
	fclose(file);
	return is;
}

static bool load(struct mechanism_object *object, const char *path, struct diag *diag)
{
	if (!file_is_replaceable(path)) { /* dlopen() would wait for the writer of a FIFO */
		diag_plain(diag, "cannot load mechanism %s: it is not a file", path);
		return false;
	}
	if (!is_elf(path)) {
		diag_plain(diag,
		           "cannot load mechanism %s: it is not a shared object; compile its source with "
		           "'cc -O2 -shared -fPIC $(sluice mech --cflags) NAME.c -o NAME.so'",
		           path);
		return false;
	}
	object->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!object->handle)
		diag_plain(diag, "cannot load mechanism %s: %s", path, load_error(path));
	return object->handle;
}

static void refuse_version(const char *path, uint32_t version, struct diag *diag)
{
	unsigned major = version >> 16, minor = version & 0xffff;
	if (major == MECH_VERSION_MAJOR)
		diag_plain(
			diag,
			"%s: needs version %u.%u of seam/mech.h; sluice %s has %d.%d: use a newer sluice, or compile "
			"the mechanism with this one's headers: cc -shared -fPIC $(sluice mech --cflags) FILE.c -o %s",
			path, major, minor, SLUICE_VERSION, MECH_VERSION_MAJOR, MECH_VERSION_MINOR, path);
	else
		diag_plain(
			diag,
			"%s: needs version %u.%u of seam/mech.h; sluice %s takes %d.0 to %d.%d: compile the mechanism "
			"again: cc -shared -fPIC $(sluice mech --cflags) FILE.c -o %s",
			path, major, minor, SLUICE_VERSION, MECH_VERSION_MAJOR, MECH_VERSION_MAJOR, MECH_VERSION_MINOR,
			path);
}

/* Copies the object's struct mech up to the size that its header gave it. */
static bool read_mechanism(struct mechanism_object *object, const char *path, struct diag *diag)
{
	const struct mech *const *symbol = dlsym(object->handle, "sluice_mechanism");
	const struct mech *mech = symbol ? *symbol : NULL;
	const size_t *size = dlsym(object->handle, "sluice_mechanism_size");
	if (!mech) {
		diag_plain(diag, "%s: no symbol sluice_mechanism; expected MECHANISM(...) of seam/mech.h", path);
		return false;
	}
	if (!mechanism_version_is_known(mech->version)) {
		refuse_version(path, mech->version, diag);
		return false;
	}
	if (!size || *size < sizeof mech->version) {
		diag_plain(diag, "%s: no symbol sluice_mechanism_size; expected MECHANISM(...) of seam/mech.h", path);
		return false;
	}
	memcpy(&object->mech, mech, *size < sizeof object->mech ? *size : sizeof object->mech);
	return true;
}

static bool check(const struct mech *mech, const char *path, struct diag *diag)
{
	char message[512];
	if (!seam_check_tables(mech, message, sizeof message))
		diag_plain(diag, "%s: %s", path, message);
	else if (mech->stands_for_count)
		diag_plain(diag, "%s: it stands for other mechanisms, which only a built-in mechanism can", path);
	else if (is_counter_group(mech->name))
		diag_plain(diag, "%s: its name '%s' is that of a part of the machine: it needs another name", path,
		           mech->name);
	else
		return true;
	return false;
}

struct mechanism_object *mechanism_object_open(const char *path, struct diag *diag)
{
	struct mechanism_object *object = base_calloc(1, sizeof *object);
	char here[PATH_MAX];
	if (!strchr(path, '/')) { /* else dlopen() looks into the folders of libraries alone */
		snprintf(here, sizeof here, "./%s", path);
		path = here;
	}
	if (load(object, path, diag) && read_mechanism(object, path, diag) && check(&object->mech, path, diag))
		return object;
	mechanism_object_close(object);
	return NULL;
}

void mechanism_object_close(struct mechanism_object *object)
{
	if (object && object->handle)
		dlclose(object->handle);
	free(object);
}
