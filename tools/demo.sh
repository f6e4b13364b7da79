#!/bin/sh
# Compiles two CUDA programs and runs them on a GTX 480: `tools/demo.sh [BUILD]`.
set -eu
cd "$(dirname "$0")/.."
build=$(cd "${1:-build}" && pwd)
programs=tests/data/reference/kernels
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for program in vecadd matmul_tiled; do
	printf '\n== %s: sluice cc %s.cu, sluice run -m gtx480\n' "$program" "$program"
	"$build/bin/sluice" cc -O2 "$programs/$program.cu" -o "$work/$program"
	"$build/bin/sluice" run -m gtx480 -- "$work/$program"
done
