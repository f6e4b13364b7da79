/* nvToolsExtCuda: the older name of nvtx3/nvToolsExtCuda.h. */
#include "nvtx3/nvToolsExtCuda.h"
