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
says err "no-such-machine"

finish
