#!/bin/sh
# Protects the PTX printer: the PTX of every program, also after each pass, parses back to itself when printed.
# Usage: round_trip.sh SLUICE FOLDER
set -u
sluice=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0 files=0
for file in "$2"/*.ptx; do
	files=$((files + 1))
	for passes in "" --pass=dead-code --pass=split-critical-edges --pass=spill:registers=24,split-critical-edges; do
		# shellcheck disable=SC2086 # no word where there is no pass
		if ! "$sluice" opt $passes "$file" -o "$work/once.ptx" 2>"$work/err" ||
			! "$sluice" opt "$work/once.ptx" -o "$work/twice.ptx" 2>>"$work/err" ||
			! cmp "$work/once.ptx" "$work/twice.ptx"; then
			echo "FAILED: $file ${passes:-without a pass}"
			cat "$work/err"
			failures=$((failures + 1))
		fi
	done
done
echo "$files files"
[ "$failures" = 0 ] && [ "$files" -gt 40 ]
