// Protects the transfers of dma_exited.cu without DMA instructions.
#define SLUICE_DMA_COPIES
#include "dma_exited.cu"
