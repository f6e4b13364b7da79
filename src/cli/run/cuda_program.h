/* cuda_program: finds out whether a program can use our runtime. */
#ifndef SLUICE_CLI_CUDA_PROGRAM_H
#define SLUICE_CLI_CUDA_PROGRAM_H

enum cuda_program {
	/* It loads our runtime, or this is unknown. Unknown are scripts, and programs called without a path, which
	 * mostly start other programs (sh, env, timeout). */
	CUDA_PROGRAM_OURS,
	CUDA_PROGRAM_OTHER,   /* it loads another runtime or driver, named by its RPATH */
	CUDA_PROGRAM_MISSING, /* it needs a runtime version that ours does not provide */
	CUDA_PROGRAM_STATIC,  /* it has device code, and CUDA's runtime linked statically */
	CUDA_PROGRAM_DRIVER,  /* it has CUDA's runtime linked statically, and loads our driver */
	CUDA_PROGRAM_NONE,    /* neither the program nor its libraries need CUDA's runtime or driver */
};

/* Judges the program in the current environment; our library is in `folder`. */
enum cuda_program cuda_program_kind(const char *program, const char *folder);

#endif
