/* syscall: the functions that device code may call: printf, malloc, free, assert, launches. */
#ifndef SLUICE_API_SYSCALL_H
#define SLUICE_API_SYSCALL_H

#include "simt/simt.h"

#include <stdint.h>

/* Implements simt_launch.system_call, which documents it; `user` is a struct device_runtime (device_launch.h). */
uint64_t syscall_run(void *user, enum ptx_system call, const uint64_t *arguments, const struct simt_windows *windows);

#endif
