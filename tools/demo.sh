#!/bin/sh
# Compiles two CUDA programs and runs them on a GTX 480: `tools/demo.sh [BUILD]`.
set -eu
cd "$(dirname "$0")/.."
build=$(cd "${1:-build}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for program in vecadd matmul; do
	printf '\n== sluice cc programs/%s/%s.cu -o %s; ' $program $program $program
	printf 'sluice run -m gtx480 -- ./%s --size small\n' $program
	"$build/bin/sluice" cc "programs/$program/$program.cu" -o "$work/$program"
	(cd "$work" && "$build/bin/sluice" run -m gtx480 -- "./$program" --size small 2>&1)
done
