/* cuda_gl_interop: OpenGL is not supported. Programs may include this file. Calls that would share buffers with OpenGL
 * do not compile; the message states the reason. */
#ifndef SLUICE_CUDA_GL_INTEROP_H
#define SLUICE_CUDA_GL_INTEROP_H

#include "sluice/macros_off.h"

#include "cuda_runtime_api.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SLUICE_NO_OPENGL __attribute__((unavailable("there is no OpenGL in the simulated machine")))

cudaError_t cudaGraphicsGLRegisterBuffer(cudaGraphicsResource_t *resource, unsigned int buffer,
                                         unsigned int flags) SLUICE_NO_OPENGL;
cudaError_t cudaGraphicsGLRegisterImage(cudaGraphicsResource_t *resource, unsigned int image, unsigned int target,
                                        unsigned int flags) SLUICE_NO_OPENGL;
cudaError_t cudaGLSetGLDevice(int device) SLUICE_NO_OPENGL;
cudaError_t cudaGLRegisterBufferObject(unsigned int buffer) SLUICE_NO_OPENGL;
cudaError_t cudaGLMapBufferObject(void **pointer, unsigned int buffer) SLUICE_NO_OPENGL;
cudaError_t cudaGLUnmapBufferObject(unsigned int buffer) SLUICE_NO_OPENGL;
cudaError_t cudaGLUnregisterBufferObject(unsigned int buffer) SLUICE_NO_OPENGL;

#ifdef __cplusplus
}
#endif
#include "sluice/macros_on.h"

#endif
