#!/bin/sh
# `tools/moved.sh BUILD`, run in the root of the tree, detects a moved build folder or tree. It prints the build
# folder's configured path if that differs from the current one, or else the tree's. It prints nothing when both match
# or BUILD is not configured.
cache=$1/CMakeCache.txt
[ -r "$cache" ] || exit 0
value() {
	sed -n "s/^$1:INTERNAL=//p" "$cache"
}
build=$(value CMAKE_CACHEFILE_DIR)
tree=$(value CMAKE_HOME_DIRECTORY)
if ! [ "$build" -ef "$1" ]; then
	printf '%s\n' "$build"
elif ! [ "$tree" -ef . ]; then
	printf '%s\n' "$tree"
fi
