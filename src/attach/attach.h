/* attach: the attached mechanisms, parsed from the user's text: "NAME[:KEY=VALUE,...]", or a shared object's path in
 * place of NAME. */
#ifndef SLUICE_ATTACH_ATTACH_H
#define SLUICE_ATTACH_ATTACH_H

#include "base/diag.h"
#include "seam/seam.h"

struct attachments {
	struct seam_attached list[MECH_MAX];
	uint32_t count;
	uint32_t implied;      /* number at the list's end that the machine attached implicitly */
	void *object[MECH_MAX]; /* handles of shared objects, by attachment; NULL: built in */
	bool is_machines[MECH_MAX]; /* by attachment: attached by the machine file and not named by the user */
};

/* Adds the mechanisms that the machine file names, separated by spaces. Must precede all other additions. Returns false
 * after a message. */
bool attachments_add_machine(struct attachments *attachments, const char *text, struct diag *diag);

/* Adds one mechanism, or the group of mechanisms that the name stands for. If the machine file already attached it,
 * only changes its options. Returns false after a message. */
bool attachments_add(struct attachments *attachments, const char *text, struct diag *diag);

/* Sorts the attachments by name, so that the result does not depend on the order in which the user named them. The
 * order matters: an SM's queue takes one cycle's requests of one mechanism after those of another. */
void attachments_sort(struct attachments *attachments);

/* Adds the machine's warp order when no mechanism owns it, and checks all attachments together. Returns false after a
 * message. */
bool attachments_complete(struct attachments *attachments, const char *warp_order, const struct mech_machine *machine,
                 struct diag *diag);

void attachments_free(struct attachments *attachments);

/* Returns the built-in mechanism of that name, or loads it from a shared object and stores the handle in *object.
 * Returns NULL after a message. */
const struct mech *attachments_find(const char *name, void **object, struct diag *diag);

/* Closes a shared object's handle. NULL is allowed. */
void attachments_release(void *object);

/* Prints "NAME:KEY=VALUE,..." with every option. */
void attachments_print(const struct seam_attached *attached, char *text, size_t size);

#endif
