/* helper_functions.h: the helpers of CUDA's samples that do not call CUDA. */
#ifndef COMMON_HELPER_FUNCTIONS_H_
#define COMMON_HELPER_FUNCTIONS_H_

#include <algorithm>
#include <assert.h>
#include <fstream>
#include <iostream>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string>
#include <string.h>
#include <vector>

#include "helper_image.h"
#include "helper_string.h"
#include "helper_timer.h"

#ifndef EXIT_WAIVED
#define EXIT_WAIVED 2
#endif

#endif
