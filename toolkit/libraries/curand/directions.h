// cuRAND: direction numbers of Sobol sequences, computed at their first use.
#pragma once

#include <vector>

namespace sobol {

enum { DIMENSIONS = 20000 };

// Direction numbers of all dimensions: one row per dimension, one number per bit of Word. Throws std::bad_alloc.
template <typename Word> const std::vector<Word> &directions(bool scrambled);
// The start values (scramble constants) of the scrambled sequences, one per dimension.
template <typename Word> const std::vector<Word> &scrambles();

} // namespace sobol
