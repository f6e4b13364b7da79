/* cuda_program: whether a program can meet our runtime at all. */
#ifndef SLUICE_CLI_CUDA_PROGRAM_H
#define SLUICE_CLI_CUDA_PROGRAM_H

enum cuda_program {
	/* It loads ours; or that is not known: a script, and a program called by its bare name, which mostly is one that starts
	 * others (sh, env, timeout). */
	CUDA_PROGRAM_OURS,
	CUDA_PROGRAM_OTHER,   /* it loads another runtime or driver than ours, which its RPATH names */
	CUDA_PROGRAM_MISSING, /* it asks for a runtime of a version that ours does not have */
	CUDA_PROGRAM_STATIC,  /* it has device code, and CUDA's runtime inside it */
	CUDA_PROGRAM_DRIVER,  /* it has CUDA's runtime inside it, and loads our driver */
	CUDA_PROGRAM_NONE,    /* neither it nor a library that it loads names CUDA's runtime or driver */
};

/* As the environment stands, in which ours is the library in `folder`. */
enum cuda_program cuda_program_kind(const char *program, const char *folder);

#endif
