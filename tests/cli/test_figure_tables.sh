#!/bin/sh
# Protects `sluice figure` for tables that need no run (show: machine, costs, programs): our values, the paper's, the
# difference, and the CSV. A missing value is an error. The papers' tables in the source tree can be built.
set -u
. "$(dirname "$0")/lib.sh"
unset SLUICE_MACHINE SLUICE_OPTIONS SLUICE_MACHINES SLUICE_EXPERIMENTS SLUICE_PROGRAMS
sluice=$(realpath "$sluice")
source_dir=$(realpath "$source_dir")
cd "$work" || exit 1
row() {
	grep -qE "^$1\$" out || fail "expected the row $1"
}
line() {
	grep -qxF "$1" "$2" || fail "expected '$1' in $2"
}

cat >keys.yaml <<'YAML'
title: Keys
source: a paper
show: machine
note: a note
columns:
  two: {machine: gtx480, options: [sm.count=2, sm.warps=24]}
  all: {machine: gtx480}
rows:
  sm.count: {published: [2, 16]}
  threads: {value: sm.warps * 32 / 2, published: [400, ~]}
  order: {value: sm.warp_order, published: [GTO, lrr]}
YAML
try 0 figure ./keys.yaml
says out "Keys (a paper)"
says out "a note"
row 'sm.count +2 +2 +\+0\.0 %'
row 'sm.count +15 +16 +-6\.2 %'
row 'threads +384 +400 +-4\.0 %'
row 'threads +768 +- +-'
row 'order +gto +GTO +same'
row 'order +gto +lrr +other'
line 'row,column,ours,paper,difference' figures/keys.csv
line 'threads,two,384,400,-4.0 %' figures/keys.csv
line 'threads,all,768,,' figures/keys.csv

# wrong FILE EXPRESSION STATUS MESSAGE: the file, edited by sed, is refused.
wrong() {
	sed "$2" "$1" >wrong.yaml
	try 2 figure ./wrong.yaml
	says err "$3"
}
wrong keys.yaml 's/sm.warps \*/sm.warp */' "threads: value: expected a machine key with a number as its value, or a number, not 'sm.warp'"
wrong keys.yaml 's/sm.warps \*/sm.warp_order */' "not 'sm.warp_order'"
wrong keys.yaml 's/\* 32/+ 32/' "threads: value: expected * or /, not '+'"
wrong keys.yaml 's|/ 2,|/,|' "threads: value: expected a key or a number after the last operator"
wrong keys.yaml 's/\[2, 16\]/[2]/' "sm.count: expected 2 published texts, not 1"
wrong keys.yaml 's/sm.count=2/sm.counts=2/' "in column two: "
wrong keys.yaml 's/show/metric: cycles\n&/' "a table without runs can have no metric"

cat >costs.yaml <<'YAML'
title: Costs
show: costs
columns:
  small: {machine: gtx480, options: [sm.blocks=4], mechanisms: [d2ma]}
rows:
  a controller: {published: [692]}
  bytes: {value: "controllers, per SM", published: [346]}
YAML
try 0 figure ./costs.yaml
row 'a controller +692 +692 +\+0\.0 %' # bits: four entries of 173
row 'bytes +346 +346 +\+0\.0 %'         # four blocks
wrong costs.yaml 's/mechanisms: .d2ma./mechanisms: [lrr]/' "a controller: none of the column's mechanisms has a cost 'a controller'"
wrong costs.yaml 's/{published: .692.}/{value: nothing}/' "has a cost 'nothing'; 'sluice mech show' lists them"

cat >programs.yaml <<'YAML'
title: Programs
paper: d2ma
show: programs
rows:
  SAXPY: {variant: [shared, dma], published: [adds, in tiles]}
YAML
wrong programs.yaml 's/x/x/' "SAXPY: expected 1 published texts, not 2"
sed -i 's/adds, in tiles/"adds, in tiles"/' programs.yaml
try 0 figure ./programs.yaml
says out "SAXPY     saxpy shared, dma: y = a x + y"
says out "paper: adds, in tiles"
line 'SAXPY,,"saxpy shared, dma: y = a x + y","adds, in tiles",' figures/programs.csv
wrong programs.yaml 's/dma\]/dna]/' "saxpy has no variant 'dna'"
wrong programs.yaml 's/SAXPY/SAXPIE/' "SAXPIE"

for table in "$source_dir"/experiments/*.table[123].yaml; do
	grep -qE '^show: (machine|costs|programs)$' "$table" || continue
	try 0 figure "$table"
done
try 1 results
finish
