#!/bin/sh
# Protects the R code of docs/how-to/analyzing.md: it reads a store in which some runs have a mechanism and others have
# none. Skipped without R and its packages.
set -u
. "$(dirname "$0")/../cli/lib.sh"
Rscript -e 'library(jsonlite); library(RSQLite)' >/dev/null 2>&1 || {
	echo "skipped: needs r-base-core, r-cran-jsonlite and r-cran-rsqlite"
	exit 77
}
sluice=$(realpath "$sluice")
cd "$work" || exit 1
printf '__global__ void k(float *a) { a[threadIdx.x + blockIdx.x * 32] += 1; }\nint main() { float *a; cudaMalloc(&a, 65536); k<<<64, 32>>>(a); %s }\n' \
	'return cudaDeviceSynchronize();' >e.cu
try 0 cc e.cu -o e
try_program 0 sweep -o l1d.sets=16,32 --mech none,mthwp -- ./e
sed -n '/^```r runs.R/,/^```$/p' "$source_dir/docs/how-to/analyzing.md" | grep -v '^```' >runs.R
[ -s runs.R ] || fail "expected the block runs.R in docs/how-to/analyzing.md"
tried="Rscript runs.R"
Rscript runs.R >out 2>err || fail "R ends with $?"
says out "hit_rate"
[ "$(grep -c ' mthwp ' out)" -ge 4 ] || fail "expected the runs with the mechanism"
finish
