// The intrinsics of <sluice/dma.h> where there are no such instructions: dma.cu.
#define SLUICE_DMA_COPIES
#include "dma.cu"
