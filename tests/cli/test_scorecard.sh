#!/bin/sh
# Protects `sluice figure --scorecard`: it lists each published number of a paper's experiments once, from runs,
# sources and machines, with verdict and cause. It makes missing runs; --no-run shows which are missing. The page of
# `sluice report --scorecard` has the same list.
set -u
. "$(dirname "$0")/lib.sh"
unset SLUICE_MACHINE SLUICE_OPTIONS SLUICE_MACHINES SLUICE_EXPERIMENTS SLUICE_PROGRAMS
sluice=$(realpath "$sluice")
cd "$work" || exit 1
line() {
	grep -qE "^$1\$" "$2" || fail "expected '$1' in $2"
}

mkdir experiments
touch experiments/README.md
SLUICE_EXPERIMENTS=$work/experiments
export SLUICE_EXPERIMENTS

cat >experiments/caps.2.yaml <<'YAML'
title: Blocks
source: CAPS, Table 2
size: tiny
columns:
  none: {machine: gtx480, metric: blocks_per_sm}
  lines: {metric: source.arrays}
rows:
  first: {program: backprop, published: [1000, 8]}
causes:
  - {columns: [none], cause: An SM has no more slots., proof: caps.10, page: docs/x.md}
YAML
cat >experiments/caps.10.yaml <<'YAML'
title: Study
source: our own
repeats: caps.2
metric: cycles
columns: {none: {machine: gtx480}}
rows: {first: {program: saxpy, published: [1]}}
YAML
cat >experiments/d2ma.1.yaml <<'YAML'
title: Machine
source: D2MA, Table 1
show: machine
columns: {all: {machine: gtx480}}
rows:
  sm.count: {published: [15]}
  order: {value: sm.warp_order, published: [LRR]}
  sm.warps: {published: [48], taken: yes}
YAML
cat >experiments/other.1.yaml <<'YAML'
title: Of no paper
metric: cycles
columns: {none: {machine: gtx480}}
rows: {first: {program: saxpy, published: [1]}}
YAML

try 1 figure --scorecard --no-run
says err "there is no results.db"
try 0 figure --scorecard caps
line 'caps +runs +1 +0 +0 +1 +0 +0 +0' out
line ' +sources +1 +0 +0 +0 +0 +1 +0' out
line 'CAPS, Table 2 \(caps.2\): Blocks; size tiny, gtx480' out
line 'first, none +[0-9.]+ +1000 +-[0-9.]+  beyond \(1\)' out
line 'first, lines +7.00 +8 +-12.5  beyond' out
line '\(1\) An SM has no more slots. Proven by caps.10; see docs/x.md.' out
grep -q Study out && fail "an experiment that repeats numbers is listed"
line 'caps,"CAPS, Table 2",caps.2,first,none,runs,gtx480,tiny,[0-9.]+,1000,-[0-9.]+,"beyond, cause proven",An SM has no more slots.,caps.10,docs/x.md' figures/scorecard.caps.csv
grep -q "caps: 2 numbers" figures/scorecard.caps.svg || fail "no panel of the paper in the picture"
test -s figures/scorecard.caps.pdf || fail "no PDF"

try 0 figure --scorecard
line 'd2ma +settings +2 +1 +0 +0 +0 +1 +0' out
line ' +taken +1 +- +- +- +- +- +-' out
line 'all +runs +1 +0 +0 +1 +0 +0 +0' out
line 'order, all +gto +LRR +-  other' out
line 'sm.warps, all +48 +48 +\+0.0  taken' out
grep -q "Of no paper" out && fail "an experiment of no paper is listed"
test "$(wc -l <figures/scorecard.csv)" = 6 || fail "expected five numbers in scorecard.csv"

try 1 figure --scorecard caps --no-run --size small # no run of that size is stored
line 'caps +runs +1 +0 +0 +0 +0 +0 +1' out
line 'first, none +- +1000 +-  no value' out
says err "caps.2: 1 of its cells has no value"
# The report has the same numbers.
try 0 report results.db --scorecard -o page.html
grep -q '"scorecard":\[{' page.html || fail "no published numbers in the report"
for text in '"proof":"caps.10"' '"published":"1000"' '"verdict":"beyond, cause proven"' '"from":"taken"'; do
	grep -qF "$text" page.html || fail "expected $text in the report"
done
try 0 report results.db -o plain.html
grep -q '"scorecard":\[\]' plain.html || fail "published numbers in a report without --scorecard"

try 2 figure --scorecard cap
says err "--scorecard: expected teleport, prefetch-cta, d2ma, caps or sharing, not 'cap'"
sed -i 's/proof: caps.10/proof: caps.20/' experiments/caps.2.yaml
try 2 figure --scorecard caps
says err "caps.2.yaml:10:63: error: proof: no experiment 'caps.20'; did you mean 'caps.10'?"
try 2 figure
says err "proof: no experiment 'caps.20'"
sed -i 's/repeats: caps.2/repeats: caps.4/' experiments/caps.10.yaml
try 2 figure
says err "caps.10.yaml:3:10: error: repeats: no experiment 'caps.4'"
finish
