#include "atoms.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int read_system(const char *name, struct system *system)
{
	FILE *file = fopen(name, "r");
	int i, k, kind, fine;
	if (!file)
		return -1;
	memset(system, 0, sizeof *system);
	fine = fscanf(file, "%d %f %f %f", &system->count, &system->side, &system->cutoff, &system->step) == 4;
	for (k = 0; k < KINDS; k++)
		fine = fine && fscanf(file, "%f %f", &system->sigma[k], &system->epsilon[k]) == 2;
	if (fine) {
		system->position = calloc(system->count, 4 * sizeof(float));
		system->velocity = calloc(system->count, 4 * sizeof(float));
	}
	for (i = 0; fine && i < system->count; i++) {
		float *p = &system->position[4 * i], *v = &system->velocity[4 * i];
		fine = fscanf(file, "%f %f %f %f %f %f %d", &p[0], &p[1], &p[2], &v[0], &v[1], &v[2], &kind) == 7;
		p[3] = (float)kind;
	}
	fclose(file);
	return fine ? 0 : -1;
}

/* The distance to the nearest periodic image. */
static float nearest(float distance, float side)
{
	return distance - side * rintf(distance / side);
}

static void pair(const struct system *system, const float *a, const float *b, float *force)
{
	float d[3], r2 = 0, s, e, s2, s6, f;
	int k;
	for (k = 0; k < 3; k++) {
		d[k] = nearest(a[k] - b[k], system->side);
		r2 += d[k] * d[k];
	}
	if (r2 >= system->cutoff * system->cutoff)
		return;
	s = 0.5f * (system->sigma[(int)a[3]] + system->sigma[(int)b[3]]);
	e = sqrtf(system->epsilon[(int)a[3]] * system->epsilon[(int)b[3]]);
	s2 = s * s / r2;
	s6 = s2 * s2 * s2;
	f = 24 * e * s6 * (2 * s6 - 1) / r2;
	for (k = 0; k < 3; k++)
		force[k] += f * d[k];
}

void step_on_host(struct system *system, float *force)
{
	int i, j, k;
	memset(force, 0, system->count * 3 * sizeof(float));
	for (i = 0; i < system->count; i++)
		for (j = 0; j < system->count; j++)
			if (i != j)
				pair(system, &system->position[4 * i], &system->position[4 * j], &force[3 * i]);
	for (i = 0; i < system->count; i++)
		for (k = 0; k < 3; k++) {
			float *p = &system->position[4 * i + k];
			system->velocity[4 * i + k] += system->step * force[3 * i + k];
			*p += system->step * system->velocity[4 * i + k];
			*p -= system->side * floorf(*p / system->side);
		}
}

void free_system(struct system *system)
{
	free(system->position);
	free(system->velocity);
}
