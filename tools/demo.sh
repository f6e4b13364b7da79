#!/bin/sh
# Compiles examples/hello.cu and programs/matmul, runs them on a GTX 480 and prints the next commands:
# `tools/demo.sh [BUILD]`.
set -eu
cd "$(dirname "$0")/.."
build=$(cd "${1:-build}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# demo SOURCE [ARGUMENT...]
demo() {
	source=$1 name=$(basename "$1" .cu)
	shift
	printf '\n== In a temporary folder: sluice cc %s -o %s; sluice run -m gtx480 -- %s\n' \
		"$source" "$name" "./$name${*:+ $*}"
	"$build/bin/sluice" cc "$source" -o "$work/$name"
	(cd "$work" && "$build/bin/sluice" run -m gtx480 -- "./$name" "$@" 2>&1)
}

demo examples/hello.cu
demo programs/matmul/matmul.cu --size small

cat <<END

== Next
sluice in the PATH, its manual page (man sluice), its C library (pkg-config) and completion in bash, in each new shell:
    . $build/env.sh
a study of your own, with a program, a mechanism, a sweep and a picture:
    sluice init study && make -C study
its runs in a browser:
    sluice report study/results.db -o study.html && xdg-open study.html
END
