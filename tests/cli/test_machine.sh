#!/bin/sh
# sluice machine: what show prints is a machine file of the same machine; diff shows what differs and nothing else.
set -u
. "$(dirname "$0")/lib.sh"

try 0 machine list
says out "gtx480"
try 0 machine show gtx480
cp "$work/out" "$work/same.yaml"
try 0 machine diff gtx480 "$work/same.yaml"
silent out
try 0 machine show -o sm.count=7 gtx480
cp "$work/out" "$work/other.yaml"
try 1 machine diff gtx480 "$work/other.yaml"
says out "sm.count"
[ "$(wc -l <"$work/out")" = 2 ] || fail "expected a heading and one line"

# Every machine can be built, and the idealised ones differ from their base in what they idealise.
for file in "$source_dir"/machines/*.yaml; do
	try 0 machine show "$(basename "$file" .yaml)"
done
for ideal in perfect-l1:sm.perfect_l1 zero-latency:sm.zero_latency_memory; do
	try 1 machine diff gtx480-teleport "gtx480-teleport-${ideal%%:*}"
	says out "${ideal#*:} "
	[ "$(wc -l <"$work/out")" = 3 ] || fail "expected a heading, the name and one line"
done
try 2 machine show no-such-machine
says_only err "sluice: error: no machine 'no-such-machine'; 'sluice machine list' shows those there are"
try 2 machine show gtx48
says_only err "sluice: error: no machine 'gtx48'; did you mean 'gtx480'?"
try 2 machine show "$work/"
says err "cannot read $work/: Is a directory"

# A file anywhere builds on a machine of ours by name, also in a folder of machines of one's own.
mkdir "$work/own"
printf 'base: gtx480\nname: mine\nsm.count: 7\n' >"$work/own/mine.yaml"
try 0 machine show "$work/own/mine.yaml"
says out "  count: 7"
for name in mine gtx480; do
	SLUICE_MACHINES=$work/own try 0 machine show $name
done
printf 'sm: {count: 16}\n' >"$work/own/alone.yaml"
try 2 machine show "$work/own/alone.yaml"
says err "keys have no value; give them, or begin the file with 'base: OTHER'"
says err "sm.warps, sm.blocks"

finish
