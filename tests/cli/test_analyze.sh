#!/bin/sh
# sluice analyze: statuses, rows of a launch and JSON of PTX and of CUDA source, and how mistakes are reported.
set -u
. "$(dirname "$0")/lib.sh"

cat >"$work/add.cu" <<'CU'
__global__ void gather(const float *a, const int *index, float *c, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float sum = 0;
	for (int k = 0; k < n; k++)
		sum += a[k];
	c[i] = sum + a[index[i]];
}
CU
try 0 analyze "$work/add.cu"
says out "quasi-static"
says out "induction"
says out "indirect"
try 0 cc --ptx "$work/add.cu" -o "$work/add.ptx"
try 0 analyze --json --kernel gather --launch 4,64 --arg 3=8 "$work/add.ptx"
python3 - "$work/out" <<'PY' || fail "the JSON is not what the kernel reads"
import json, sys
(kernel,) = json.load(open(sys.argv[1]))["kernels"]
statuses = sorted((index["status"], index["relaxed"]) for index in kernel["indexes"])
assert kernel["arrays"] == 3, kernel
assert ("quasi-static", "quasi-static") in statuses and ("induction", "quasi-static") in statuses, statuses
assert any(strict == "indirect" for strict, relaxed in statuses), statuses
PY
try 2 analyze
try 2 analyze "$work/missing.ptx"
says err "missing.ptx"
try 2 analyze --kernel nothing "$work/add.ptx"
says err "nothing"
finish
