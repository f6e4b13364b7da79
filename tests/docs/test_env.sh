#!/bin/bash
# Protects build/env.sh, which the demo names: one line puts sluice, its manual page and its completion into a shell,
# from any folder: `test_env.sh BUILD`.
set -eu
build=$1
cd /
. "$build/env.sh"
[ "$(command -v sluice)" = "$build/bin/sluice" ] || { echo "PATH has not $build/bin" && exit 1; }
complete -p sluice >/dev/null || { echo "no completion" && exit 1; }
man=${MANPATH%%:*}/man1/sluice.1
[ -r "$man" ] || { echo "no $man" && exit 1; }
if command -v man >/dev/null; then
	[ "$(man -w sluice)" = "$man" ] || { echo "man finds $(man -w sluice)" && exit 1; }
fi
