#!/bin/sh
# Protects `sluice init`: the new folder runs with `make` only, in the build tree and installed, and produces a picture
# and consistent numbers. Only runs whose inputs changed are rerun. Folders in use are not touched.
set -u
. "$(dirname "$0")/lib.sh"
preload=
[ ! -e "$(dirname "$sluice")/../lib/libcudart.so" ] || . "$source_dir/tests/cuda/preload.sh" # not needed in an installation
cd "$work" || exit 1
PATH=$(dirname "$sluice"):$PATH
export PATH

try 0 init study
says out "make -C study"
silent err
for file in Makefile README.md mechanism.c plan.yaml program.cu; do
	cmp -s "study/$file" "$source_dir/templates/study/$file" || fail "$file is not the template's"
done
[ "$(ls -A study | wc -l)" = 5 ] || fail "expected five files"

# Existing files are not touched; an empty folder is accepted.
echo mine >study/plan.yaml
try 1 init study
says err "study exists already and is not empty"
[ "$(cat study/plan.yaml)" = mine ] || fail "a file was changed"
cp "$source_dir/templates/study/plan.yaml" study/
mkdir empty hidden
touch hidden/.git file
try 0 init empty
try 1 init hidden
says err "not empty"
try 1 init file
try 1 init absent/study
says err "absent/study: No such file or directory"
try 2 init
try 2 init a b
try 2 init ''
[ ! -e a ] && [ ! -e absent ] || fail "a folder was created"

tried="make -C study"
make_study() {
	# Options of an outer make must not reach this one.
	MAKEFLAGS='' MAKELEVEL='' LD_PRELOAD=$preload make -C study "$@" >out 2>err || fail "make ends with $?"
}
make_study
grep -q '^<svg\|<svg ' study/figures/plan.svg || fail "expected a picture"
for stride in 1 2 3; do
	grep -q "title \"stride=$stride\"" study/figures/plan.gp || fail "expected the legend's entry stride=$stride"
done
python3 - <<'PY' >out 2>err || fail "the numbers are inconsistent"
import csv, json, sqlite3
rows = [row for row in csv.DictReader(open("study/figures/plan.csv")) if row["column"] != "no prefetcher"]
assert all(row["column"].startswith("ahead ") for row in rows), rows
runs = {}
for arguments, mechanisms, verdict, stats in sqlite3.connect("study/results.db").execute(
        "select arguments, mechanisms, verdict, stats from runs"):
    assert verdict == "PASS"
    runs[arguments, mechanisms] = json.loads(stats)["totals"]
assert len(rows) == 18 and len(runs) == 21, (len(rows), len(runs))
gain = {}
for row in rows:
    stride, distance = row["row"].split("=")[1], row["column"].split("=")[1]
    with_it = runs[stride, f"./mechanism.so:distance={distance}"]
    gain[int(stride), int(distance)] = float(row["ours"])
    assert abs(float(row["ours"]) - 100 * (runs[stride, ""]["cycles"] / with_it["cycles"] - 1)) < 1e-6, row
    counters = with_it["counters"]
    assert counters["ahead.asked"] == counters["ahead.misses"] > 0
# A prefetch is useful if the walk reaches it: at a multiple of its stride ahead.
for (stride, distance), percent in gain.items():
    assert (percent > 20) == (distance % stride == 0), (stride, distance, percent)
PY

# Nothing is left to run. A new distance adds one run per row, and new mechanism code reruns all runs of the mechanism.
make_study
grep -q "up to date" out || fail "expected nothing to do"
sed -i 's/5, 6\]/5, 6, 8]/' study/plan.yaml
make_study
[ "$(sqlite3 study/results.db 'select count(*) from runs' 2>/dev/null || echo 24)" = 24 ] || fail "expected three new runs"
tried="sluice sweep plan.yaml"
(cd study && "$sluice" sweep plan.yaml --dry-run) >out 2>err || fail "no sweep of the plan"
grep -q '24 runs: 24 stored, 0 to run' out || fail "expected the sweep to be that of the figure"
tried="make -C study"
make_study report
[ "$(grep -c '<!doctype html>\|<!DOCTYPE html>' study/report.html)" = 1 ] || fail "expected a page"
make_study look
grep -q 'ahead .* useful: ' out err || fail "expected the mechanism's account"

# Each change that the README proposes works and changes the numbers.
sed 's/^metric:.*/metric: l1d.misses/' study/plan.yaml >study/misses.yaml
sed 's|^metric:.*|metric: ahead.useful / ahead.issued|; /^show\|^relative/d; s/no prefetcher: {}, //' study/plan.yaml >study/useful.yaml
sed 's/^  stride:/  l1d.sets: [16, 32]\n&/' study/plan.yaml >study/smaller.yaml
for plan in misses useful smaller; do
	(cd study && LD_PRELOAD=$preload "$sluice" figure -q "./$plan.yaml") >out 2>err || fail "the README's change '$plan' does not work"
	! cmp -s "study/figures/$plan.csv" study/figures/plan.csv || fail "'$plan' shows the same numbers"
done
make_study clean
[ ! -e study/program ] && [ ! -e study/figures ] && [ -e study/results.db ] || fail "clean took too much or too little"

# A program with a wrong result gives no picture, on the second attempt either.
sed -i 's/sum != steps/sum != steps + 1/' study/program.cu
for time in first second; do
	! MAKEFLAGS='' MAKELEVEL='' LD_PRELOAD=$preload make -C study >out 2>err || fail "expected an error the $time time"
	[ ! -e study/figures/plan.svg ] || fail "a picture was drawn from failed runs"
done
finish
