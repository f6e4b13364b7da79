/* passes: rewrites the PTX of each module before anything else uses it. The passes that the user names run first, then
 * those that mechanisms request. */
#ifndef SLUICE_ATTACH_PASSES_H
#define SLUICE_ATTACH_PASSES_H

#include "sluice.h"

#include "base/document.h"
#include "flow/pipeline.h"
#include "seam/seam.h"

struct passes {
	struct pipeline pipeline;
	const struct flow_pass **more; /* brought by mechanisms */
	bool keeps_copies;        /* cp.async stays one instruction */
	struct words named;       /* by the user, as given, for the records */
};

/* Opens the passes that the user named and those of the attached `mechanisms`. Returns false after a message. */
bool passes_open(struct passes *passes, const char *const *named, const struct seam_attached *mechanisms,
                 uint32_t mechanism_count, const struct mech_machine *machine, struct diag *diag);
void passes_close(struct passes *passes);

/* Parses a module and runs the passes on it. Returns NULL after messages. The same text always gives the same
 * module. */
struct ptx_module *passes_parse(struct passes *passes, const char *name, const char *text, size_t length,
                                struct diag *diag);

#endif
