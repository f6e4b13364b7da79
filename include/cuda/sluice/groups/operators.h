/* groups/operators: the operators for cooperative_groups/reduce.h and scan.h. */
#ifndef SLUICE_CUDA_GROUPS_OPERATORS_H
#define SLUICE_CUDA_GROUPS_OPERATORS_H

namespace cooperative_groups
{
#define SLUICE_OPERATOR(name, expression)                                                                              \
	template <class T> struct name {                                                                               \
		__device__ __forceinline__ T operator()(T a, T b) const                                                \
		{                                                                                                      \
			return expression;                                                                             \
		}                                                                                                      \
	};
SLUICE_OPERATOR(plus, a + b)
SLUICE_OPERATOR(less, b < a ? b : a)
SLUICE_OPERATOR(greater, a < b ? b : a)
SLUICE_OPERATOR(bit_and, a &b)
SLUICE_OPERATOR(bit_or, a | b)
SLUICE_OPERATOR(bit_xor, a ^ b)
#undef SLUICE_OPERATOR
} // namespace cooperative_groups

#endif
