#!/bin/sh
# test_moved.sh SOURCE_DIR: protects Makefile and tools/moved.sh, with a project of one file. If a tree was moved or
# copied with its build folder, make reports that and configures the folder again. Other trees are left unchanged. Paths
# may have spaces, including that of an installation.
set -u
unset MAKEFLAGS BUILD CMAKE_FLAGS
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tree="$work/first place"
mkdir -p "$tree/tools"
cp "$1/Makefile" "$tree"
cp "$1/tools/moved.sh" "$tree/tools"
printf '#!/bin/sh\n' >"$tree/tools/deps.sh"
chmod +x "$tree/tools/deps.sh"
cat >"$tree/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.25)
project(moved LANGUAGES NONE)
install(FILES CMakeLists.txt DESTINATION share)
add_custom_target(thing ALL COMMAND ${CMAKE_COMMAND} -E echo "made in ${CMAKE_SOURCE_DIR}")
CMAKE

made() { # FOLDER WHAT: checks that make works there, for that folder; its output is in $out
	out=$(make -C "$1" 2>&1) || fail "$2: exit status $?"
	case $out in *"made in $1"*) ;; *) fail "$2: expected output with 'made in $1'" ;; esac
}
says_again() { # PATH WHAT
	case $out in *"build was configured as $1: configuring it again"*) ;; *) fail "$2: expected a message" ;; esac
}
quiet() {
	case $out in *configuring*) fail "$1: expected no message about configuring" ;; esac
}
fail() {
	printf 'FAILED: %s\n%s\n' "$1" "$out"
	exit 1
}

made "$tree" "a new tree"
quiet "a new tree"
made "$tree" "the same tree again"
quiet "the same tree again"
out=$(make -C "$tree" install PREFIX="$work/installed here" 2>&1) || fail "an installation: exit status $?"
[ -e "$work/installed here/share/CMakeLists.txt" ] || fail "expected an installation in the prefix given"
ln -s "$tree" "$work/link"
out=$(make -C "$work/link" 2>&1) || fail "through a link: exit status $?"
quiet "through a link"
mv "$tree" "$work/second"
made "$work/second" "a moved tree"
says_again "$tree/build" "a moved tree"
made "$work/second" "a moved tree again"
quiet "a moved tree again"
cp -R "$work/second" "$work/copy"
made "$work/copy" "a copy"
says_again "$work/second/build" "a copy"
made "$work/second" "the original of the copy"
quiet "the original of the copy"
