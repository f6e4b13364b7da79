/* wiring: makes all units of the machine. This is the only place where units are connected to each other, by their
 * ports. */
#ifndef SLUICE_GPU_WIRING_H
#define SLUICE_GPU_WIRING_H

struct gpu;

/* Makes all units, empty. */
void wiring_build(struct gpu *gpu);
void wiring_tear_down(struct gpu *gpu);

#endif
