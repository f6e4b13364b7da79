// The transfers of dma_exited.cu where there are no such instructions.
#define SLUICE_DMA_COPIES
#include "dma_exited.cu"
