#!/bin/sh
# Protects a new user's first steps: blanks in names, destinations of statistics, short help options, time limits for
# any program, and messages that state the remedy.
set -u
. "$(dirname "$0")/lib.sh"
unset SLUICE_STATS SLUICE_STATS_FORMAT SLUICE_TIMEOUT
sluice=$(realpath "$sluice")
cd "$work" || exit 1
printf '__global__ void k(float *a) { a[threadIdx.x] += 1; }\nint main() { float *a; cudaMalloc(&a, 4096); k<<<1, 32>>>(a); %s }\n' \
	'return cudaDeviceSynchronize();' >e.cu
try 0 cc e.cu -o e
printf '__global__ void k() {}\nint main() { k<<<1, 1>>>(); cudaDeviceSynchronize(); for (volatile int i = 0;; i++) ; }\n' >hang.cu
try 0 cc hang.cu -o hang

# A blank in a path and in an argument. One argument with a blank is another run than two arguments.
cp e "a prog"
try_program 0 sweep -o l1d.sets=16,32 --results blank.db -- "./a prog" "x y"
try_program 0 sweep -o l1d.sets=16,32 --results blank.db -- "./a prog" x y
try 0 results --results blank.db --csv
[ "$(wc -l <out)" = 5 ] || fail "expected four runs: x y is another argument than x, y"
printf "title: t\naxes:\n  command: ['\"./a prog\" z', './e']\n" >text.yaml
try_program 0 sweep text.yaml --results text.db
try 2 sweep nope.yaml
says_only err "sluice sweep: cannot read nope.yaml: there is no such file, and no figure of that name"
try 2 figure nope.yaml
says err "cannot read nope.yaml"

# Statistics are written to standard error in all formats, with --stats - to standard output.
for format in table json gpgpusim; do
	case $format in table) mark='time .* cycles' ;; json) mark='"kernels"' ;; *) mark='gpu_sim_cycle = ' ;; esac
	try_program 0 run --stats-format $format -- ./e
	grep -q "$mark" err || fail "expected statistics on standard error"
	silent out
	try_program 0 run --stats-format $format --stats - -- ./e
	grep -q "$mark" out || fail "expected statistics on standard output"
	silent err
done
[ ! -e - ] || fail "expected no file called -"
try_program 0 run --stats - -- ./e
python3 -c 'import json; json.load(open("out"))' || fail "expected JSON"
try_program 0 run --stats ./- -- ./e
[ -s ./- ] || fail "expected a file called -"

# Rows left open by an earlier kernel, and unused DRAM.
printf '__global__ void k() {}\nint main() { k<<<1, 1>>>(); return cudaDeviceSynchronize(); }\n' >none.cu
try 0 cc none.cu -o none
try_program 0 run -- ./none
grep -q ' 0\.0 requests per row' err && fail "expected no mean of nothing"

# Perfetto's file names.
for name in t.pftrace t.perfetto-trace t.perfetto t.pftrace.zst t.perfetto-trace.zst; do
	try_program 0 run --trace $name --stats s.json -- ./e
	try 0 report s.json $name -o r.html
	case $name in
	*.zst) [ "$(od -An -tx1 -N4 $name)" = " 28 b5 2f fd" ] || fail "expected $name compressed" ;;
	*) cmp -s t.pftrace $name || fail "expected $name to be as t.pftrace" ;;
	esac
done

# --timeout ends a program that never launches a kernel, one that hangs on the host, and one that ignores SIGTERM. limit
# SECONDS_AT_MOST COMMAND...
limit() {
	most=$1
	shift
	begin=$(date +%s)
	try_program 124 run --timeout 1 --stats limit.json -- "$@"
	[ $(($(date +%s) - begin)) -le "$most" ] || fail "expected an end within $most seconds"
	says err " of --timeout"
}
limit 10 sleep 100
limit 10 sh -c 'trap "" TERM; while :; do sleep 0.1; done'
limit 10 sh -c 'sleep 100 & echo $! >left; wait'
! kill -0 "$(cat left)" 2>/dev/null || fail "expected the end of a process that the program had started"
limit 14 ./hang
grep -q '"ended": *"exit 124"' limit.json || fail "expected the kernels of a program that hangs on the host"
# The program's status, input and signals pass through.
try_program 7 run --timeout 60 -- sh -c 'exit 7'
tried="sluice run --timeout with input"
[ "$(echo text | "$sluice" run --timeout 60 -- cat 2>err)" = text ] || fail "expected the input"
try_program 127 run --timeout 60 -- ./not-there
tried="SIGTERM under --timeout"
"$sluice" run --timeout 60 -- sleep 50 >out 2>err &
child=$!
sleep 1
kill -TERM $child
got=0
wait $child || got=$?
[ "$got" = 143 ] || fail "exit status $got, expected SIGTERM's"

# Machines: keys in groups, columns.
printf 'sm:\n  count: 4\n' >few.yaml
try 2 machine show ./few.yaml
grep -q '^  l1d\.sets, ' err || grep -q '^  .*l1d\.sets' err || fail "expected one line per group"
[ "$(grep -c "^  " err)" -gt 10 ] && grep -qx "  latency.move.int, latency.move.fp32, latency.move.fp64" err || fail "expected the keys in groups"
try 0 machine list
[ "$(awk 'NR > 1 {print length($0)}' out | sort -u | wc -l)" = 1 ] || fail "expected columns"
[ "$(awk '{print index($0, " MB") ? index($0, " KB") : 0}' out | sort -u | wc -l)" -le 2 ] || fail "expected columns"

# A cause of 22 letters keeps the blank before the line number. A moved source is reported with the path in the profile.
try_program 0 run --profile p.json -- ./e
try 0 profile show p.json
grep -qE '%(e\.cu|[^ ])' out && fail "expected a blank after the cause"
mkdir moved
mv e.cu moved/e.cu
try 1 annotate --profile p.json
says err "e.cu: No such file or directory; if it was moved, give its new path after the profile"
try 0 annotate --profile p.json moved/e.cu
try 1 annotate --profile p.json hang.cu
says err "p.json has no line of hang.cu; it has lines of "
grep -q 'lines of .*e\.cu' err || fail "expected the path that the profile knows"

# Counters by name and by words.
try 0 stats --describe 'l1d.h*'
says out "COUNTER"
says out "l1d.hits"
grep -q 'l2\.' out && fail "expected only counters of L1"
try 0 stats --describe "bank"
says out "sm.shared_conflict_cycles"
try 1 stats --describe nosuchcounter
says err "no counter matches 'nosuchcounter'"

# Short help options of every command.
for command in run sweep machine stats "programs"; do
	try 0 $command --help
	mv out help
	try 0 $command -h
	cmp -s out help || fail "expected what --help prints"
	try 0 $command -V
	grep -qE '^sluice [0-9.]+$' out || fail "expected the version"
done

# A study in a folder with a blank.
try 0 init "my study"
says out "make -C 'my study'"
try 0 init "it's"
says out "make -C 'it'\\''s'"
finish
