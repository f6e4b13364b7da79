/* virtual: addresses and memory that programs of the driver API map to each other (driver_virtual.c). */
#ifndef SLUICE_CUDART_VIRTUAL_H
#define SLUICE_CUDART_VIRTUAL_H

struct runtime;

/* Forgets all of it; the addresses stay what they are as long as the process lives. */
void virtual_free(struct runtime *runtime);

#endif
