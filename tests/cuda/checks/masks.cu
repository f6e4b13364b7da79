// Protects --check masks: a thread outside its own mask, and a shuffle from a lane that does not take part.
#include "cases.h"

//: self: check masks
//| kernel '_Z4selfPi': a thread's member mask does not name the thread itself
//| shfl at device code:
//| masks.cu:@self), thread (0,0,0)
//| lane 0, member mask 0x0000ff00
//| 24 times in this launch
__global__ void self(int *out)
{
	out[threadIdx.x] = __shfl_sync(0xff00, threadIdx.x, 8); // @self
}

//: vote: check masks
//| vote at device code:
//| lane 16, member mask 0x0000ffff
__global__ void vote(int *out)
{
	out[threadIdx.x] = __ballot_sync(0xffff, threadIdx.x & 1);
}

//: any: check masks
//| vote at device code:
__global__ void any(int *out)
{
	out[threadIdx.x] = __any_sync(0xfffffffe, threadIdx.x & 1);
}

//: barrier: check masks
//| bar at device code:
//| lane 31, member mask 0x7fffffff
__global__ void barrier(int *out)
{
	__syncwarp(0x7fffffff);
	out[threadIdx.x] = 1;
}

//: match: check masks
//| match at device code:
__global__ void match(int *out)
{
	out[threadIdx.x] = __match_any_sync(0x0fffffff, threadIdx.x / 4);
}

//: reduce: check masks
//| redux at device code:
__global__ void reduce(int *out)
{
	asm volatile("redux.sync.add.s32 %0, %1, 0xffff;" : "=r"(out[threadIdx.x]) : "r"((int)threadIdx.x));
}

//: elect: check masks
//| elect at device code:
__global__ void elect(int *out)
{
	int leader;
	asm volatile("{ .reg .pred %%p; elect.sync %0|%%p, 0xff; }" : "=r"(leader));
	out[threadIdx.x] = leader;
}

//: lane: check masks
//| kernel '_Z4lanePi': shuffle from a lane that does not take part
//| it reads lane 20, member mask 0x0000ffff
//| 16 times in this launch
__global__ void lane(int *out)
{
	if (threadIdx.x < 16)
		out[threadIdx.x] = __shfl_sync(0xffff, threadIdx.x, 20);
}

// Lanes 0 to 15 wait for no other lanes, and the others wait for all with one mask, which lanes 0 to 15 do not have.
//: groups: check masks
//| kernel '_Z6groupsPi': a thread's member mask names a thread that has another mask
//| shfl at device code:
//| thread (16,0,0)
//| it names lane 0, member mask 0xffffffff
//| 16 times in this launch
__global__ void groups(int *out)
{
	out[threadIdx.x] = __shfl_sync(threadIdx.x < 16 ? 0xffff : 0xffffffff, threadIdx.x, 3);
}

//: ballots: check masks
//| vote at device code:
//| it names lane 1, member mask 0x00000003
__global__ void ballots(int *out)
{
	out[threadIdx.x] = __ballot_sync(threadIdx.x ? ~1u : 3, threadIdx.x & 1);
}

// The mask names a lane that executes elsewhere: reported by --check divergence.
//: absent: error cudaErrorLaunchFailure
//| member mask that names a thread which runs elsewhere
__global__ void absent(int *out)
{
	if (threadIdx.x < 16)
		out[threadIdx.x] = __shfl_sync(0xffffffff, threadIdx.x, 20);
}

// The block has half a warp.
//: missing: check masks
//| it reads lane 16, member mask 0xffffffff
//| 8 times in this launch
__global__ void missing(int *out)
{
	out[threadIdx.x] = __shfl_down_sync(0xffffffff, threadIdx.x, 8);
}

//: fine: right masks,divergence
__global__ void fine(int *out)
{
	unsigned lane = threadIdx.x % 32;
	int value = lane;
	for (int k = 16; k; k /= 2)
		value += __shfl_down_sync(0xffffffff, value, k);
	for (int k = 8; k; k /= 2)
		value += __shfl_xor_sync(0xffffffff, value, k, 16);
	if (lane < 12) {
		unsigned mask = __activemask();
		value += __shfl_sync(mask, value, 3) + __ballot_sync(mask, value > 2);
		value += __shfl_up_sync(mask, value, 1, 4);
		__syncwarp(mask);
	}
	unsigned half = lane < 16 ? 0xffff : 0xffff0000;
	value += __shfl_sync(half, value, 5, 16) + __any_sync(half, value == 3) + __match_any_sync(half, value);
	out[threadIdx.x] = value;
}

static void run_case()
{
	int *out = ints(64, 0);
	CASE(self) self<<<1, 32>>>(out);
	CASE(vote) vote<<<1, 32>>>(out);
	CASE(any) any<<<1, 32>>>(out);
	CASE(barrier) barrier<<<1, 32>>>(out);
	CASE(match) match<<<1, 32>>>(out);
	CASE(reduce) reduce<<<1, 32>>>(out);
	CASE(elect) elect<<<1, 32>>>(out);
	CASE(lane) lane<<<1, 32>>>(out);
	CASE(groups) groups<<<1, 32>>>(out);
	CASE(ballots) ballots<<<1, 32>>>(out);
	CASE(absent) absent<<<1, 32>>>(out);
	CASE(missing) missing<<<1, 16>>>(out);
	CASE(fine) fine<<<1, 64>>>(out);
}
