#!/bin/sh
# Protects C programs built against an installation. The installation is moved first, because no file in it may depend
# on its path. Builds once with pkg-config's flags and once with CMake's find_package(sluice).
# Usage: run.sh INSTALLED SOURCE_DIR
set -eu
installed=$1
source=$2/tests/installed
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -a "$installed" "$work/moved"
cd "$work"

pc=$(find moved -name sluice.pc)
PKG_CONFIG_PATH=$PWD/${pc%/*}
export PKG_CONFIG_PATH
library=$(pkg-config --variable=libdir sluice)
cc "$source/main.c" $(pkg-config --cflags --libs sluice) -Wl,-rpath,"$library" -o by-pkg-config
./by-pkg-config

cmake -S "$source" -B build -DCMAKE_PREFIX_PATH="$PWD/moved" >cmake.log || {
	cat cmake.log
	exit 1
}
cmake --build build >/dev/null
build/by_cmake

# Machines are found in the moved installation: by the command, by a program's runtime and by the library.
standard=$(find moved -name gtx480.yaml)
sed 's/^name:.*/name: only-here/' "$standard" >"${standard%/*}/only-here.yaml"
moved/bin/sluice machine list | grep -q '^only-here ' || {
	echo "expected the machines of the moved installation"
	exit 1
}
cat >only_here.cu <<'CU'
__global__ void empty() {}
int main() { empty<<<1, 1>>>(); return cudaDeviceSynchronize() != cudaSuccess; }
CU
moved/bin/sluice cc only_here.cu -o only-here
SLUICE_MACHINE=only-here ./only-here 2>only-here.txt && grep -q 'machine only-here' only-here.txt || {
	cat only-here.txt
	exit 1
}

# Energy tables are found there too.
table=$(find moved -name gtx480-40nm.yaml)
sed 's/^title:.*/title: Only here/' "$table" >"${table%/*}/only-here.yaml"
SLUICE_ENERGY=only-here SLUICE_STATS=only-here.json ./only-here && moved/bin/sluice energy --table only-here only-here.json >only-here.txt &&
	grep -q '"table": "only-here"' only-here.json && grep -q 'only-here: Only here' only-here.txt || {
	echo "expected the energy tables of the moved installation"
	exit 1
}

# A mechanism's headers are found, also in a folder with a space in its name.
mv moved "moved again"
printf '#include "seam/mech.h"\n' >mechanism.c
cc -c $("moved again/bin/sluice" mech --cflags) mechanism.c
mv "moved again" moved

# The links between the installed pages work.
python3 "$2/tests/docs/check_links.py" moved/share/doc
