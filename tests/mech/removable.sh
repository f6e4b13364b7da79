#!/bin/sh
# removable.sh SOURCE WORK COMPILER: protects the independence of mechanisms. The folder of each one can be removed, and
# the rest builds and does not list it. All builds share one folder, so that only the list of mechanisms is recompiled.
set -eu
source=$1
work=$2
compiler=$3
rm -rf "$work"
mkdir -p "$work/tree"
for part in CMakeLists.txt src include cmake toolkit experiments machines docs completions LICENSE README.md CHANGELOG.md \
	programs; do
	cp -R "$source/$part" "$work/tree"
done
configure() {
	cmake -S "$work/tree" -B "$work/build" -DSLUICE_TESTS=OFF -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS=-O0 \
		-DCMAKE_C_COMPILER="$compiler" >/dev/null
}
for folder in "$work"/tree/src/mech/*/; do
	name=$(basename "$folder")
	mv "$folder" "$work/away"
	configure
	cmake --build "$work/build" --target sluice sluice_shared -j 2 >"$work/log" 2>&1 || {
		cat "$work/log"
		echo "does not build without src/mech/$name"
		exit 1
	}
	"$work/build/bin/sluice" mech list >"$work/list"
	if grep "^$name " "$work/list"; then
		echo "$name is still listed"
		exit 1
	fi
	if [ "$name" = pas ]; then # the mechanism that combines it reports that it is missing
		! "$work/build/bin/sluice" mech show caps 2>"$work/said"
		grep -q "mechanism caps stands for pas, which is not built in" "$work/said"
	fi
	mv "$work/away" "$folder"
done
[ "$(wc -l <"$work/list")" -gt 0 ]
rm -rf "$work"
