// Protects the intrinsics of <sluice/dma.h> without DMA instructions: dma.cu.
#define SLUICE_DMA_COPIES
#include "dma.cu"
