#include "mini_cuda.h"
#include "host.h"
// Shortest paths over all pairs, a step a launch. Rows are a power of two apart, and a warp reads down a column: its lines meet in few
// sets of L1, where most of them wait for memory.
extern "C" __global__ void set_pressure(int *length, int *via, int n, int k) {
  int row = blockIdx.x * blockDim.x + threadIdx.x, column = blockIdx.y * blockDim.y + threadIdx.y;
  int through = length[row * n + k] + length[k * n + column];
  if (through < length[row * n + column]) { length[row * n + column] = through; via[row * n + column] = k; }
}
int main(int argc, char **argv) {
  int n = argi(argc, argv, 1, 128), steps = 4, bad = 0;
  int *length = new int[n * n], *via = new int[n * n], *want = new int[n * n], *gone = new int[n * n];
  for (int i = 0; i < n * n; i++) { float r = rndf(); want[i] = length[i] = i % (n + 1) == 0 ? 0 : r < 0.75f ? 1 << 20 : int(r * 64); gone[i] = via[i] = 0; }
  for (int k = 0; k < steps; k++)
    for (int i = 0; i < n * n; i++) { int through = want[i / n * n + k] + want[k * n + i % n]; if (through < want[i]) { want[i] = through; gone[i] = k; } }
  int *dl = to_dev(length, n * n), *dv = to_dev(via, n * n);
  t0(); for (int k = 0; k < steps; k++) set_pressure<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(dl, dv, n, k); t1();
  from_dev(length, dl, n * n); from_dev(via, dv, n * n);
  for (int i = 0; i < n * n; i++) bad += length[i] != want[i] || via[i] != gone[i];
  return done("set_pressure", bad);
}
