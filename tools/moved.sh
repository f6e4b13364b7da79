#!/bin/sh
# `tools/moved.sh BUILD`, in the root of the tree, prints the path that the build folder was configured as when that is not where it is
# now, or the tree's when that is another; nothing for one that is right or not configured.
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
