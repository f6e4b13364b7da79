/* Thrust's configuration, included before all of Thrust's CUDA headers. It makes Thrust's algorithms callable in device
 * code.
 *
 * In device code each algorithm has two implementations: kernels, if device code may launch them
 * (__THRUST_HAS_CUDART__), or a single thread. Without -rdc=true the first one is never executed, but its call of a
 * host function remains in the source. clang rejects that call; nvcc does not. So this file declares device functions
 * of the same names, which resolve the call and are never executed. Where clang allows it,
 * each names the host function in a template argument. So the kernels that the host function launches are still
 * compiled for the device.
 */
#ifndef SLUICE_THRUST_CONFIG_H
#define SLUICE_THRUST_CONFIG_H

#include_next <thrust/system/cuda/config.h>

#if defined(__clang__) && defined(__CUDA_ARCH__) && !__THRUST_HAS_CUDART__

#include <stddef.h>

THRUST_NAMESPACE_BEGIN
namespace cuda_cub
{
template <class> struct execution_policy;
template <class Function, Function function> struct sluice_kept {
};

#define SLUICE_LIST(...) __VA_ARGS__
/* Defines the device twin of a host function `name`, which must be declared before. `call_it` calls it with
 * `parameters`. */
#define SLUICE_TWIN(Result, name, types, arguments, parameters, call_it, value)                                        \
	template <SLUICE_LIST types> struct sluice_##name {                                                            \
		static __host__ Result call(SLUICE_LIST parameters)                                                    \
		{                                                                                                      \
			return call_it;                                                                                \
		}                                                                                                      \
	};                                                                                                             \
	template <SLUICE_LIST types> __device__ Result name(SLUICE_LIST parameters)                                    \
	{                                                                                                              \
		typedef sluice_##name<SLUICE_LIST arguments> host;                                                     \
		sluice_kept<decltype(&host::call), &host::call> kept;                                                  \
		(void)kept;                                                                                            \
		return value;                                                                                          \
	}

namespace detail
{
template <class D, class In, class Size, class T, class Op>
THRUST_RUNTIME_FUNCTION T reduce_n_impl(execution_policy<D> &, In, Size, T, Op);
SLUICE_TWIN(T, reduce_n_impl, (class D, class In, class Size, class T, class Op), (D, In, Size, T, Op),
            (execution_policy<D> & policy, In in, Size size, T init, Op op), reduce_n_impl(policy, in, size, init, op), init)

/* These functions exist for host and device. Ours are preferred because they have one template type less. */
template <class D, class In, class Size, class Out, class Op>
__host__ __device__ Out inclusive_scan_n_impl(execution_policy<D> &, In, Size, Out, Op);
SLUICE_TWIN(Out, inclusive_scan_n_impl, (class D, class In, class Out, class Op), (D, In, Out, Op),
            (execution_policy<D> & policy, In in, ptrdiff_t size, Out out, Op op),
            inclusive_scan_n_impl(policy, in, size, out, op), out)
template <class D, class In, class Size, class Out, class T, class Op>
__host__ __device__ Out exclusive_scan_n_impl(execution_policy<D> &, In, Size, Out, T, Op);
SLUICE_TWIN(Out, exclusive_scan_n_impl, (class D, class In, class Out, class T, class Op), (D, In, Out, T, Op),
            (execution_policy<D> & policy, In in, ptrdiff_t size, Out out, T init, Op op),
            exclusive_scan_n_impl(policy, in, size, out, init, op), out)
} // namespace detail

namespace __copy
{
template <class D, class In, class Out>
Out THRUST_RUNTIME_FUNCTION device_to_device(execution_policy<D> &, In, In, Out);
SLUICE_TWIN(Out, device_to_device, (class D, class In, class Out), (D, In, Out),
            (execution_policy<D> & policy, In in, In end, Out out), device_to_device(policy, in, end, out), out)
} // namespace __copy

namespace __parallel_for
{
template <class F, class Size> THRUST_RUNTIME_FUNCTION cudaError_t parallel_for(Size, F, cudaStream_t);
SLUICE_TWIN(cudaError_t, parallel_for, (class F, class Size), (F, Size), (Size size, F f, cudaStream_t stream),
            parallel_for(size, f, stream), cudaErrorNotSupported)
} // namespace __parallel_for

namespace __smart_sort
{
template <class Iterator, class Op> struct enable_if_primitive_sort;
template <class Iterator, class Op> struct enable_if_comparison_sort;
template <class Items, class Stable, class Policy, class K, class V, class Op>
THRUST_RUNTIME_FUNCTION typename enable_if_comparison_sort<K, Op>::type smart_sort(Policy &, K, K, V, Op);
template <class Items, class Stable, class D, class K, class V, class Op>
THRUST_RUNTIME_FUNCTION typename enable_if_primitive_sort<K, Op>::type smart_sort(execution_policy<D> &, K, K, V, Op);
SLUICE_TWIN(void, smart_sort, (class Items, class Stable, class Policy, class K, class V, class Op),
            (Items, Stable, Policy, K, V, Op), (Policy & policy, K keys, K end, V values, Op op),
            (smart_sort<Items, Stable>(policy, keys, end, values, op)), )
} // namespace __smart_sort

namespace __extrema
{
template <template <class, class, class> class Which, class D, class In, class Op>
In THRUST_RUNTIME_FUNCTION element(execution_policy<D> &, In, In, Op);
SLUICE_TWIN(In, element, (template <class, class, class> class Which, class D, class In, class Op), (Which, D, In, Op),
            (execution_policy<D> & policy, In in, In end, Op op), element<Which>(policy, in, end, op), in)
} // namespace __extrema

namespace __copy_if
{
template <class D, class In, class Stencil, class Out, class Op>
THRUST_RUNTIME_FUNCTION Out copy_if(execution_policy<D> &, In, In, Stencil, Out, Op);
SLUICE_TWIN(Out, copy_if, (class D, class In, class Stencil, class Out, class Op), (D, In, Stencil, Out, Op),
            (execution_policy<D> & policy, In in, In end, Stencil stencil, Out out, Op op),
            copy_if(policy, in, end, stencil, out, op), out)
} // namespace __copy_if

namespace __unique
{
template <class D, class In, class Out, class Op>
THRUST_RUNTIME_FUNCTION Out unique(execution_policy<D> &, In, In, Out, Op);
SLUICE_TWIN(Out, unique, (class D, class In, class Out, class Op), (D, In, Out, Op),
            (execution_policy<D> & policy, In in, In end, Out out, Op op), unique(policy, in, end, out, op), out)
} // namespace __unique

#undef SLUICE_TWIN
#undef SLUICE_LIST
} // namespace cuda_cub
THRUST_NAMESPACE_END

#endif

#endif
