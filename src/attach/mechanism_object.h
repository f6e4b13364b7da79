/* mechanism_object: a mechanism in a shared object, compiled with this or an older minor version of seam/mech.h. */
#ifndef SLUICE_ATTACH_MECHANISM_OBJECT_H
#define SLUICE_ATTACH_MECHANISM_OBJECT_H

#include "base/diag.h"
#include "seam/mech.h"

struct mechanism_object {
	void *handle;     /* of dlopen() */
	struct mech mech; /* a copy of the object's; members that its header lacked are zero */
};

/* Loads the shared object. NULL after a message. */
struct mechanism_object *mechanism_object_open(const char *path, struct diag *diag);
/* Unloads it; NULL is allowed. */
void mechanism_object_close(struct mechanism_object *object);

/* True when this library reads mechanisms that were compiled for that version of seam/mech.h: the same major version,
 * and no newer minor version. */
bool mechanism_version_is_known(uint32_t version);

#endif
