#!/bin/sh
# Protects the messages for unsupported features: clear words, and the user's own line.
set -u
. "$(dirname "$0")/lib.sh"
. "$source_dir/tests/cuda/preload.sh"
unset SLUICE_MACHINE SLUICE_OPTIONS SLUICE_STATS_FORMAT SLUICE_FUNCTIONAL SLUICE_MAX_INSTRUCTIONS SLUICE_STATS
cd "$work" || exit 1

# Clusters of blocks.
cat >cluster.cu <<'CU'
#include <cooperative_groups.h>
__global__ void __cluster_dims__(2, 1, 1) k(int *o)
{
	auto c = cooperative_groups::this_cluster();
	__shared__ int s;
	c.sync();
	o[blockIdx.x] = *c.map_shared_rank(&s, c.block_rank() ^ 1);
}
int main() { k<<<4, 32>>>(nullptr); }
CU
try 1 cc -c cluster.cu
says err "cluster.cu:2:17: error: sluice: clusters are not supported: __cluster_dims__"
says err "cluster.cu:4:31: error: 'this_cluster' is unavailable: sluice: clusters are not supported"
[ "$(grep -c 'error:' err)" = 2 ] || fail "expected two errors and no others"

# A mask that takes single bytes of an address.
cat >mask.ptx <<'PTX'
.version 7.1
.target sm_70
.address_size 64
.global .align 4 .b32 tab[2] = {5, 6};
.global .align 1 .b8 packed[2] = {1, 0xFF(generic(tab))};
PTX
try 1 ptx mask.ptx
says err "mask.ptx:5:38: error: masks of addresses, as 0xFF(symbol), are not supported"

# A field of a DMA transfer that is too large: the message names the user's line, not the header's.
cat >line.cu <<'CU'
#include <sluice/dma.h>
__global__ void k(const float *g, int n)
{
	__shared__ float a[64];
	dma_set_datatype_float();
	dma_configure_flat_unit_stride(a, g, 64, 0);
	dma_configure_flat_unit_stride(a, g, n, 1);
}
int main()
{
	float *g;
	cudaMalloc(&g, 4096);
	k<<<1, 32>>>(g, 65536);
	return cudaDeviceSynchronize() != cudaSuccess;
}
CU
try 0 cc line.cu -o line
tried=line
LD_PRELOAD=$preload ./line >out 2>err
says err "line.cu:7)"

# Preferences for L1 or shared memory have no effect, which is reported once.
cat >prefer.cu <<'CU'
__global__ void k() {}
int main()
{
	cudaFuncSetCacheConfig(k, cudaFuncCachePreferNone);
#ifdef PREFERS
	cudaDeviceSetCacheConfig(cudaFuncCachePreferL1);
	cudaFuncSetCacheConfig(k, cudaFuncCachePreferShared);
#endif
	k<<<1, 1>>>();
	return cudaDeviceSynchronize();
}
CU
for flag in -DPREFERS -DNOTHING; do
	try 0 cc $flag prefer.cu -o prefer
	tried="prefer $flag"
	LD_PRELOAD=$preload ./prefer >out 2>err || fail "exit status $?"
	[ "$(grep -c 'SetCacheConfig: it changes nothing here' err)" = "$([ $flag = -DPREFERS ] && echo 1 || echo 0)" ] ||
		fail "expected one message where something is preferred"
done
finish
