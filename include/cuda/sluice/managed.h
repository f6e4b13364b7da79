/* managed: in each object file, tells the runtime the section of its managed variables, before variables are
 * registered. */
#ifndef SLUICE_CUDA_MANAGED_H
#define SLUICE_CUDA_MANAGED_H

#if !defined(__CUDA_ARCH__)
extern "C" {
/* Symbols of the linker; undefined in a program without managed variables. */
extern char __start_sluice_managed[] __attribute__((weak, visibility("hidden")));
extern char __stop_sluice_managed[] __attribute__((weak, visibility("hidden")));
}

/* Runs before the constructors that register variables, which have the default priority, the last. */
static __attribute__((constructor(101))) void sluice_tell_managed()
{
	if (__start_sluice_managed != __stop_sluice_managed)
		__cudaRegisterManagedSection(__start_sluice_managed, __stop_sluice_managed);
}
#endif

#endif
