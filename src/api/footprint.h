/* footprint: holds the reads of kernels against the rows of the static analyzer (flow/affine.h). */
#ifndef SLUICE_API_FOOTPRINT_H
#define SLUICE_API_FOOTPRINT_H

#include "sluice.h"

#include "simt/check.h"

struct footprint;

/* With `counts` a line a kernel is printed when it is closed. */
struct footprint *footprint_open(bool counts);
void footprint_close(struct footprint *footprint);

/* Makes launch->reads judge the launch, of whose kernel the analyzer looks at the code now if it has not before. The
 * end comes after simt_checks_report(). */
void footprint_begin(struct footprint *footprint, sluice_kernel *kernel, struct simt_launch *launch);
void footprint_end(struct footprint *footprint);

#endif
