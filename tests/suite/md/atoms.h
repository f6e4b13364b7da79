/* Atoms in a periodic box, of KINDS kinds. */
#ifndef ATOMS_H
#define ATOMS_H

#define KINDS 3

#ifdef __cplusplus
extern "C" {
#endif

struct system {
	int count;
	float side, cutoff, step;
	float sigma[KINDS], epsilon[KINDS]; /* Lennard-Jones */
	float *position; /* x, y, z, kind */
	float *velocity; /* x, y, z, unused */
};

/* Returns 0, or -1 if the file does not contain atoms. */
int read_system(const char *name, struct system *system);
/* A step on the host, every atom against every other. */
void step_on_host(struct system *system, float *force);
void free_system(struct system *system);

#ifdef __cplusplus
}
#endif

#endif
