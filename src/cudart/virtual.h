/* virtual: address ranges and physical memory that programs map through the driver API (driver_virtual.c). */
#ifndef SLUICE_CUDART_VIRTUAL_H
#define SLUICE_CUDART_VIRTUAL_H

struct runtime;

/* Frees the bookkeeping. The address ranges stay reserved until the process ends. */
void virtual_free(struct runtime *runtime);

#endif
