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
try 2 machine show no-such-machine
says err "no-such-machine"

finish
