/* attach: mechanisms by what the user calls them: "NAME[:KEY=VALUE,...]", or a shared object's path in NAME's place. */
#ifndef SLUICE_API_ATTACH_H
#define SLUICE_API_ATTACH_H

#include "base/diag.h"
#include "seam/seam.h"

struct attachments {
	struct seam_attached list[MECH_MAX];
	uint32_t count;
	uint32_t implied;      /* of the last of them: attached by the machine, not by name */
	void *object[MECH_MAX]; /* shared objects, by attachment; NULL: built in */
	bool is_machines[MECH_MAX]; /* by attachment: the machine has it, and the user has not named it */
};

/* Adds those that the machine has built in, with spaces between them: before all others. False after a message. */
bool attachments_add_machine(struct attachments *attachments, const char *text, struct diag *diag);

/* Adds a mechanism, or those that it stands for; of one that the machine has built in, changes the options. False after a message. */
bool attachments_add(struct attachments *attachments, const char *text, struct diag *diag);

/* Puts them in the order of their names, so that nothing depends on the order in which the user has named them: an SM's queue takes requests of one
 * cycle from one behind the other. */
void attachments_sort(struct attachments *attachments);

/* Adds the machine's warp order, where no mechanism owns it, and checks them all together. False after a message. */
bool attachments_complete(struct attachments *attachments, const char *warp_order, const struct mech_machine *machine,
                 struct diag *diag);

void attachments_free(struct attachments *attachments);

/* The built-in mechanism of that name, or the one in the shared object, whose handle goes to *object. NULL after a message. */
const struct mech *attachments_find(const char *name, void **object, struct diag *diag);

/* Gives the shared object back; NULL: nothing. */
void attachments_release(void *object);

/* All of it: "NAME:KEY=VALUE,..." with every option. */
void attachments_print(const struct seam_attached *attached, char *text, size_t size);

#endif
