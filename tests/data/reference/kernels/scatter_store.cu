#include "mini_cuda.h"
#include "host.h"
// Four bytes at byte 0 and at byte 64 of each line of 128: a warp writes 16 lines, and two sectors of each.
extern "C" __global__ void scatter_store(int *out, int rounds, int threads) {
  int id = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 1
  for (int r = 0; r < rounds; r++) { int at = r * threads + id; out[(at >> 1) * 32 + (at & 1) * 16] = at ^ 0x5a5a5a; }
}
int main(int argc, char **argv) {
  int blocks = argi(argc, argv, 1, 45), rounds = 4, threads = blocks * 256, n = threads * rounds * 16;
  int *out = new int[n];
  for (int i = 0; i < n; i++) out[i] = 7;
  int *d = to_dev(out, n);
  t0(); scatter_store<<<blocks, 256>>>(d, rounds, threads); t1();
  from_dev(out, d, n);
  long bad = 0; for (int i = 0; i < n; i++) bad += out[i] != (i % 16 ? 7 : i / 16 ^ 0x5a5a5a);
  return done("scatter_store", bad);
}
