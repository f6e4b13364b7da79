// Direction numbers of Sobol's sequences, made when they are first asked for.
#pragma once

#include <vector>

namespace sobol {

enum { DIMENSIONS = 20000 };

// Of all dimensions, a row of as many as the word has bits each. Throws std::bad_alloc.
template <typename Word> const std::vector<Word> &directions(bool scrambled);
// What each dimension's scrambled numbers begin with.
template <typename Word> const std::vector<Word> &scrambles();

} // namespace sobol
