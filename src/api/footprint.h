/* footprint: compares the kernels' reads with the rows that the static analyzer predicts (flow/affine.h). */
#ifndef SLUICE_API_FOOTPRINT_H
#define SLUICE_API_FOOTPRINT_H

#include "sluice.h"

#include "simt/check.h"

struct footprint;

/* With `counts`, footprint_close() prints one line per kernel. */
struct footprint *footprint_open(bool counts);
void footprint_close(struct footprint *footprint);

/* footprint_begin() sets launch->reads, which checks each read of the launch. It analyzes the kernel's code at the
 * kernel's first launch. Call footprint_end() after simt_checks_report(). */
void footprint_begin(struct footprint *footprint, sluice_kernel *kernel, struct simt_launch *launch);
void footprint_end(struct footprint *footprint);

#endif
