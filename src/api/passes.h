/* passes: the PTX of each module is rewritten by passes before anything else is made of it: those that the user names, then those
 * that mechanisms ask for. */
#ifndef SLUICE_API_PASSES_H
#define SLUICE_API_PASSES_H

#include "sluice.h"

#include "base/document.h"
#include "flow/pipeline.h"
#include "seam/seam.h"

struct passes {
	struct pipeline pipeline;
	const struct pass **more; /* of mechanisms */
	bool keeps_copies;        /* cp.async stays an instruction */
	struct words named;       /* by the user, as they were given, for the records */
};

/* `mechanisms` are attached. False after a message. */
bool passes_open(struct passes *passes, const char *const *named, const struct seam_attached *mechanisms,
                 uint32_t mechanism_count, const struct mech_machine *machine, struct diag *diag);
void passes_close(struct passes *passes);

/* A module as it will run; NULL after messages. The same text gives the same module. */
struct ptx_module *passes_parse(struct passes *passes, const char *name, const char *text, size_t length,
                                struct diag *diag);

#endif
