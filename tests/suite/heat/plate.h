/* Declarations shared by the C and the CUDA files. */
#ifndef PLATE_H
#define PLATE_H

#define TILE 16

#ifdef __cplusplus
extern "C" {
#endif
double seconds_now(void);
/* The plate on the host: a step of the same stencil. */
void host_step(const float *from, float *to, int rows, int columns, const float *weights);
#ifdef __cplusplus
}
#endif

#endif
