/* managed: each object file tells the runtime, before its variables are registered, where the program's managed ones lie. */
#ifndef SLUICE_CUDA_MANAGED_H
#define SLUICE_CUDA_MANAGED_H

#if !defined(__CUDA_ARCH__)
extern "C" {
/* The linker's; not there in a program without managed variables. */
extern char __start_sluice_managed[] __attribute__((weak, visibility("hidden")));
extern char __stop_sluice_managed[] __attribute__((weak, visibility("hidden")));
}

/* Constructors that register variables have the last priority. */
static __attribute__((constructor(101))) void sluice_tell_managed()
{
	if (__start_sluice_managed != __stop_sluice_managed)
		__cudaRegisterManagedSection(__start_sluice_managed, __stop_sluice_managed);
}
#endif

#endif
