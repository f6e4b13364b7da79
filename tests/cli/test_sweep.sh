#!/bin/sh
# Protects `sluice sweep`: the runs of a product of axes and their order, messages for wrong plans, stored failures and
# retries. Also tests the progress of a running sweep, canceling, and input files. The programs are scripts that write
# statistics as the runtime does.
set -u
. "$(dirname "$0")/lib.sh"
unset SLUICE_MACHINE SLUICE_OPTIONS SLUICE_STATS SLUICE_STATS_FORMAT SLUICE_FUNCTIONAL SLUICE_MACHINES
sluice=$(realpath "$sluice")
cd "$work" || exit 1

# Cycles are 1000 times the first argument, plus the value of l1d.sets.
cat >a <<SCRIPT
#!/bin/sh
echo "\$* \${SLUICE_OPTIONS-} \${SLUICE_MECHANISMS-}" | tr '\n' ' ' | sed 's/ *\$/\n/' >>'$work/calls'
sets=\$(echo "\${SLUICE_OPTIONS-}" | sed -n 's/.*l1d.sets=//p')
echo "{\"kernels\": [{\"name\": \"_Z3addPf\", \"grid\": [1, 1, 1], \"block\": [32, 1, 1], \"cycles\": \$((\$1 * 1000 + \${sets:-0})), \
\"counters\": {}}], \"totals\": {}}" >"\$SLUICE_STATS"
SCRIPT
chmod +x a

# calls COUNT: this number of programs ran since the last check.
calls() {
	got=$(wc -l <calls)
	[ "$got" = "$1" ] || fail "$got programs ran, expected $1"
	: >calls
}
# has FILE LINE
has() {
	grep -qxF -e "$2" "$1" || fail "expected '$2' in $1: $(cat "$1")"
}
: >calls

# The quick form: the same runs for any order of axes, none twice, each stored with its configuration.
try 0 sweep --dry-run -o l1d.sets=16,32 --mech none,mthwp:distance=1,degree=2,mthwp+lrr --axis n=1,2 -- ./a {n} "two words"
says out "12 runs: 0 stored, 12 to run"
says out "the expected time is not known"
calls 0
try 0 sweep --name quick -j 2 -o l1d.sets=16,32 --mech none,mthwp:distance=1,degree=2,mthwp+lrr --axis n=1,2 -- ./a {n} "two words"
sort calls >order
has order "1 two words l1d.sets=16"
has order "2 two words l1d.sets=32 mthwp:distance=1,degree=2"
calls 12
has figures/quick.runs.csv "32,mthwp+lrr,2,./a {n} 'two words',./a,,,2 'two words',gtx480,l1d.sets=32,mthwp lrr,0,yes,2032"
[ "$(wc -l <figures/quick.runs.csv)" = 13 ] || fail "expected twelve lines and a heading"
try 0 sweep --axis n=1,2 -o l1d.sets=32,16 --mech none -- ./a {n} "two words"
calls 0
try 0 sweep --dry-run -o l1d.sets=16,32,64 --mech none -- ./a 1 "two words"
says out "3 runs: 2 stored, 1 to run"
says out "estimated from earlier runs of each"

# A program gets its arguments unchanged: empty ones, blanks, quotes, line breaks, characters of YAML and printf.
# Different lists of arguments are different runs.
cat >b <<'SCRIPT'
#!/bin/sh
for word; do printf '<%s>' "$word"; done >>words
printf '\n' >>words
echo '{"kernels": [{"name": "k", "cycles": 1, "counters": {}}], "totals": {}}' >"$SLUICE_STATS"
SCRIPT
chmod +x b
# as_given WORD...: expects that the program gets these words as its arguments.
as_given() {
	rm -f words
	try 0 sweep -- ./b "$@"
	for word; do printf '<%s>' "$word"; done >wanted
	echo >>wanted
	cmp -s words wanted || fail "the program had $(cat words), expected $(cat wanted)"
}
as_given ''
as_given '' x ''
as_given ' ' '	' '"' "'" "a'\"b'\"c" '\n' '%s' '#' '- a' ': ' '{x}' '[' '*a' '&a' '!a' null '~'
as_given "$(printf 'two\nlines\n\nand a "third\\"')" "$(printf '\001\177\302\205\302\200\342\200\250\342\200\251')"
as_given "a'" "b'"
as_given "a'\" \"b'"
try 2 sweep -- ./b "$(printf 'a\377b')"
says_only err "sluice sweep: the command line is not valid UTF-8"

# A plan: filters exclude combinations, a mechanism's option varies only where the mechanism is attached, and points set
# several keys.
cat >plan.yaml <<'YAML'
title: A plan
metric: 1 / cycles
show: ratio
relative_to: {mechanisms: none}
axes:
  cache:
    small: {l1d.sets: 16, l1d.ways: 2}
    large: {l1d.sets: 64}
  mechanisms: [none, mthwp, [mthwp, lrr]]
  mthwp:distance: [1, 4]
  seed: [7, 8]
  n: [1, 2]
  command: ["./a {n} --seed {seed}"]
exclude:
  - {cache: small, n: 2}
  - {mechanisms: mthwp+lrr, mthwp:distance: 4, seed: [7, 8]}
YAML
try 0 sweep plan.yaml
# per cache: none, mthwp 1, mthwp 4, mthwp+lrr 1; large with two n, small with one; two seeds
calls 24
has figures/plan.runs.csv "large,mthwp,4,8,2,./a {n} --seed {seed},./a,,,2 --seed 8,gtx480,l1d.sets=64,mthwp:distance=4,0,yes,1"
grep -q '^small,.*l1d.sets=16 l1d.ways=2' figures/plan.runs.csv || fail "expected both keys of the point"
grep -q '^small,.*,2,\./a' figures/plan.runs.csv && fail "expected the excluded runs to be absent"
try 0 figure ./plan.yaml
calls 0
says out "over that of none"
try 0 figure ./plan.yaml --no-run

# A figure over a mechanism's option: the run without the mechanism has no position on the axis and no value of the
# option. A filter on the option does not exclude it.
cat >over.yaml <<'YAML'
title: Over
metric: cycles
show: ratio
relative_to: {mechanisms: none}
over: {mthwp:distance: lines ahead}
axes: {mechanisms: [none, mthwp], mthwp:distance: [1, 4], n: [3, 4], command: "./a {n}"}
exclude: [{mthwp:distance: 1, n: 4}]
YAML
try 0 figure ./over.yaml
calls 5
says out "lines ahead"
has out "lines ahead      mthwp"
has out "          4       1.00"
try 0 sweep over.yaml
calls 0
has figures/over.runs.csv "none,,4,./a {n},./a,,,4,gtx480,,,0,yes,1"
[ "$(wc -l <figures/over.runs.csv)" = 6 ] || fail "expected five runs"
sed 's/over: .*/over: {mthwp:distance: a, n: b}/' over.yaml >two.yaml
try 2 sweep two.yaml
says err "two.yaml:5:7: error: over: expected one axis and its title"

# The base of a column has the same values of mechanisms' options. A base without the mechanism serves all values.
cat >by_degree <<'SCRIPT'
#!/bin/sh
sets=$(echo "${SLUICE_OPTIONS-}" | sed -n 's/.*l1d.sets=//p')
degree=$(echo "${SLUICE_MECHANISMS-}" | sed -n 's/.*degree=//p')
echo "{\"kernels\": [{\"name\": \"_Z3addPf\", \"grid\": [1, 1, 1], \"block\": [32, 1, 1], \"cycles\": $((1000 + 100 * ${degree:-0} + sets)), \
\"counters\": {}}], \"totals\": {}}" >"$SLUICE_STATS"
SCRIPT
chmod +x by_degree
cat >options.yaml <<'YAML'
title: Options
metric: cycles
show: ratio
relative_to: {l1d.sets: 32}
axes: {mechanisms: [none, mthwp], mthwp:degree: [1, 8], l1d.sets: [16, 32], command: ./by_degree}
YAML
try 0 figure ./options.yaml
[ "$(grep -o '1\.00' out | wc -l)" = 3 ] || fail "expected 1 for each column that is its own base"
! grep -q '1\.6' out || fail "degree 8 is compared with degree 1"

# Axes also multiply the rows and columns of a file.
cat >rows.yaml <<'YAML'
title: Rows
metric: cycles
columns: {plain: {}, lrr: {mechanisms: lrr}}
rows: {one: {program: ./a, arguments: [1]}, two: {program: ./a, arguments: [2]}}
axes: {l1d.sets: [16, 32, 64]}
YAML
try 0 sweep rows.yaml -j 1
calls 12
try 0 figure ./rows.yaml
says out "plain l1d.sets=16"

# An option of a shared object: the axis names it by its file, with or without folder and suffix.
mkdir objects
printf '#include "seam/mech.h"
struct options { uint32_t degree; };
static const struct base_option options[] = {
	{.name = "degree", .type = BASE_OPTION_U32, .offset = offsetof(struct options, degree), .meaning = "", .unit = "", .max = 9}};
static const struct mech m = {.version = MECH_VERSION, .name = "mine", .summary = "", .citation = "",
	.options = options, .option_count = 1, .config_size = sizeof(struct options), .defaults = &(const struct options){1}};
MECHANISM(m);
' >mine.c
# shellcheck disable=SC2046 # no spaces in it
cc -shared -fPIC $("$sluice" mech --cflags) mine.c -o objects/mine.so || fail "the mechanism does not compile"
for name in mine ./objects/mine.so; do
	cat >mine.yaml <<YAML
title: Mine
metric: cycles
axes: {mechanisms: [none, ./objects/mine.so], $name:degree: [1, 2], n: [7], command: "./a {n}"}
YAML
	try 0 sweep --again mine.yaml
	calls 3
	grep -q '^\./objects/mine\.so  *2  *7000\.0$' out || fail "expected a run with degree=2"
done
sed 's/mine:degree/min:degree/; s/\.so:degree/.s:degree/' mine.yaml >wrong.yaml
try 2 sweep wrong.yaml
says err "no column has the mechanism; write it as under mechanisms, or as a shared object's name"

# wrong TEXT SED: the plan, edited by sed, gives one message with its position, and nothing runs.
wrong() {
	sed "$2" plan.yaml >wrong.yaml
	try 2 sweep wrong.yaml
	says err "$1"
	[ "$(grep -c error err)" = 1 ] || fail "expected one message"
	calls 0
}
wrong "wrong.yaml:11:3: error: unknown axis 'sead'; did you mean 'seed'?" 's/^  seed/  sead/'
wrong "wrong.yaml:7:22: error: in column small none: unknown option 'l1d.set'; did you mean 'l1d.sets'?" 's/small: {l1d.sets: 16/small: {l1d.set: 16/'
wrong "wrong.yaml:7:29: error: in column small none: l1d.line_bytes is 100" 's/l1d.sets: 16/l1d.line_bytes: 100/'
wrong "wrong.yaml:9:22: error: in column small mthwpp" '9s/mthwp,/mthwpp,/'
wrong "wrong.yaml:10:20: error: in column small mthwp distance=0" 's/\[1, 4\]/[0, 4]/'
wrong "wrong.yaml:10:3: error: caps:distance: no column has the mechanism" 's/^  mthwp:/  caps:/; s/, mthwp:distance: 4//'
wrong "wrong.yaml:11:10: error: seed: expected a whole number, not 'x'" 's/seed: \[7/seed: [x/'
wrong "wrong.yaml:12:10: error: n: '1' is listed twice" 's/n: \[1, 2\]/n: [1, 1]/'
wrong "wrong.yaml:12:3: error: n: the arguments of ./a do not contain it; write {n} where it belongs" 's/{n}/n/'
wrong "wrong.yaml:13:13: error: command: expected the path of a compiled program first" 's,"./a,"a,'
wrong "wrong.yaml:15:6: error: there is no axis 'cash'; did you mean 'cache'?" 's/{cache: small/{cash: small/'
wrong "wrong.yaml:15:20: error: n: the axis has no value '3'" 's/n: 2}/n: 3}/'
wrong "wrong.yaml:4:15: error: mechanisms: the axis has no value 'nothing'" 's/mechanisms: none}/mechanisms: nothing}/'
wrong "relative_to: seed is an axis of rows" 's/relative_to: {mechanisms: none}/relative_to: {seed: 7}/'
wrong "the product has more than 1000000 combinations" 's/n: \[1, 2\]/n: ['"$(seq -s, 8000)"']/; s/seed: \[7, 8\]/seed: ['"$(seq -s, 40)"']/'
wrong "wrong.yaml:8:27: error: a point sets only what columns have" 's/large: {l1d.sets: 64/large: {l1d.sets: 64, seed: 1/'
# A base with a mechanism serves columns without it, if the option has only one value.
sed 's/relative_to: .*/relative_to: {mechanisms: mthwp}/; s/mthwp:degree: \[1, 8\]/mthwp:degree: [8]/' options.yaml >one.yaml
try 0 figure ./one.yaml
sed 's/relative_to: .*/relative_to: {mechanisms: mthwp}/' options.yaml >several.yaml
try 2 figure ./several.yaml
says err "relative_to: none l1d.sets=16 has no such column to compare with"
# A wrong mechanism among several, or with options, has its place.
for word in '[mthwp, mthwpp]' 'mthwp:degre=1'; do
	sed "s/none, mthwp\]/none, \"$word\"]/; s/\"\[/[/; s/\]\"/]/; s/ mthwp:degree: [^]]*],//" options.yaml >wrong.yaml
	try 2 figure ./wrong.yaml
	says err "wrong.yaml:5:27: error: in column"
done
# One mistake is one message, although it concerns each column.
for edit in 's/l1d.sets: 32/l1d.sets: 8/' 's/, command: .*}/}/' 's/^relative_to.*//' 's/^relative_to.*/over: l1d.set/; s/^show.*//'; do
	sed "$edit" options.yaml >wrong.yaml
	try 2 figure ./wrong.yaml
	[ "$(grep -c error err)" = 1 ] || fail "expected one message for $edit"
done
says err "over: there is no axis 'l1d.set'; did you mean 'l1d.sets'?"
try 2 sweep
says err "expected a plan, or axes and a command after --"
try 2 sweep plan.yaml -o l1d.sets=16
says err "'plan.yaml' is a plan with its own axes"
try 2 sweep -o l1d.sets=16, -- ./a
says err "-o: expected values separated by commas"
for word in =16 l1d.sets; do
	try 2 sweep -o "$word" -- ./a
	says err "-o: expected KEY=VALUE,VALUE..., not '$word'"
done
try 2 sweep --mech none -- ./nothing 1
says err "cannot read ./nothing"
try 2 sweep --memory lots plan.yaml
says err "--memory: expected a size such as 12G, not 'lots'"

# The longest run first, by the previous durations.
cat >wait <<SCRIPT
#!/bin/sh
echo "\$1" >>'$work/calls'
sleep "\$1"
echo '{"kernels": [], "totals": {}}' >"\$SLUICE_STATS"
SCRIPT
chmod +x wait
try 0 sweep -q -j 4 --axis n=0.1,0.3,0.5 -- ./wait {n}
: >calls
try 0 sweep -q -j 1 --again --axis n=0.1,0.3,0.5 -- ./wait {n}
[ "$(cat calls | tr '\n' ' ')" = "0.5 0.3 0.1 " ] || fail "expected the longest first: $(cat calls)"
# One run at a time if more would not fit, by the previous memory sizes.
: >calls
cat >alone <<SCRIPT
#!/bin/sh
mkdir '$work/busy' || echo two at a time >>'$work/calls'
sleep 0.2
rmdir '$work/busy'
echo '{"kernels": [], "totals": {}}' >"\$SLUICE_STATS"
SCRIPT
chmod +x alone
try 0 sweep -q -j 1 --axis n=1,2,3 -- ./alone {n}
try 0 sweep -q -j 3 --again --memory 1M --axis n=1,2,3 -- ./alone {n}
calls 0
try 0 sweep -q -j 3 --again --memory 10G --axis n=1,2,3 -- ./alone {n}
[ -s calls ] || fail "expected several at a time where they fit"
: >calls

# A failed run's complete output is stored. It runs again only with --retry, and does not end the other runs.
cat >bad <<SCRIPT
#!/bin/sh
echo "\$*" >>'$work/calls'
[ -e good ] || [ "\$1" = 1 ] || {
	for i in \$(seq 30); do echo "line \$i" >&2; done
	exit 5
}
echo '{"kernels": [], "totals": {}}' >"\$SLUICE_STATS"
SCRIPT
chmod +x bad
try 1 sweep --name bad --axis n=1,2,3 --metric 1 -- ./bad {n}
says err "2 runs failed; 'sluice sweep failed bad' shows them, --retry runs them again"
calls 3
try 1 sweep --name worse --axis n=9 --metric 1 -- ./bad {n}
says err "sluice sweep: 1 run failed; 'sluice sweep failed worse' shows them, --retry runs them again"
calls 1
try 1 sweep --name worse --axis n=9 --metric 1 -- ./bad {n}
says err "1 run failed before; --retry reruns it"
calls 0
try 0 sweep failed bad
says out "./bad 2 on gtx480: FAIL: exit status 5"
says out "    line 1"
says out "    line 30"
try 1 sweep --name bad --axis n=1,2,3 --metric 1 -- ./bad {n}
calls 0
says err "2 runs failed before; --retry reruns them"
try 0 sweep status bad
says out "3 runs: 1 passed, 2 failed, 0 running, 0 waiting"
touch good
try 0 sweep --retry --name bad --axis n=1,2,3 --metric 1 -- ./bad {n}
calls 2
try 0 sweep failed bad
says_only out "no run has failed"
try 1 sweep status nothing
says err "no sweep in sweeps/nothing"

# Input files of a run: only they are present, under their names. Changed contents are another run.
mkdir data && echo 3 >data/in.txt
cat >reads <<SCRIPT
#!/bin/sh
pwd >>'$work/calls'
[ "\$(ls)" = data ] || exit 6
echo mine >out.txt
echo "{\"kernels\": [{\"name\": \"k\", \"grid\": [1,1,1], \"block\": [1,1,1], \"cycles\": \$(cat "\$1"), \"counters\": {}}], \"totals\": {}}" >"\$SLUICE_STATS"
SCRIPT
chmod +x reads
cat >files.yaml <<'YAML'
title: Files
files: [data/in.txt]
axes: {command: ./reads data/in.txt, mechanisms: [none, lrr]}
YAML
try 0 sweep files.yaml
calls 2
[ ! -e out.txt ] || fail "expected the run to have a folder of its own"
has figures/files.runs.csv "./reads data/in.txt,lrr,./reads,,,data/in.txt,gtx480,,lrr,0,yes,3"
try 0 sweep files.yaml
calls 0
echo 4 >data/in.txt
try 0 sweep files.yaml
while read -r folder; do [ ! -e "$folder" ] || fail "expected $folder to be gone"; done <calls
calls 2
has figures/files.runs.csv "./reads data/in.txt,none,./reads,,,data/in.txt,gtx480,,,0,yes,4"
last=$("$sluice" results --csv | tail -n 1 | sed 's/.*,//')
try 0 results why "$last"
says out "an input file changed"
rm data/in.txt
try 2 sweep files.yaml
says err "files.yaml:2:8: error: cannot read the input file data/in.txt: No such file or directory"

# Input files with equal contents but other names make another run, as do other contents under one name. A mechanism's
# shared object is found from the run's folder.
cat >lists <<SCRIPT
#!/bin/sh
ls >>'$work/calls'
[ -r "\$SLUICE_MECHANISMS" ] || exit 6
echo '{"kernels": [], "totals": {}}' >"\$SLUICE_STATS"
SCRIPT
chmod +x lists
mkdir plans
touch plans/x plans/y data/z
cat >plans/names.yaml <<'YAML'
title: Names
metric: 1
columns: {mine: {mechanisms: [./objects/mine.so], machine: gtx480}}
rows:
  x: {program: ../lists, files: [x]}
  y: {program: ../lists, files: [y]}
  z: {program: ../lists, files: [../data/z]}
YAML
try 0 sweep plans/names.yaml
[ "$(sort calls | tr '\n' ' ')" = "x y z " ] || fail "expected a run for each name: $(cat calls)"
calls 3
mkdir many
{
	printf 'title: Many\nmetric: 1\ncolumns: {gtx480: {machine: gtx480}}\nrows:\n'
	for i in $(seq 100); do
		mkdir many/$i
		echo $i >many/$i/in
		echo "  $i: {program: ./lists, files: [$work/many/$i/in]}"
	done
} >many.yaml
try 0 sweep --dry-run many.yaml
says out "100 runs: "

# A running sweep can be inspected, has its folder to itself, and can be canceled. Finished runs are stored.
cat >stays <<SCRIPT
#!/bin/sh
[ "\$1" = 0 ] || {
	[ -z "\${SLUICE_PROGRESS_FILE-}" ] || echo '2 30 40 5000 kernel' >"\$SLUICE_PROGRESS_FILE"
	echo \$\$ >>running
	exec sleep 100
}
echo '{"kernels": [], "totals": {}}' >"\$SLUICE_STATS"
SCRIPT
chmod +x stays
"$sluice" sweep --name stays -j 2 --axis n=0,1,2,3 --metric 1 -- ./stays {n} >first.out 2>first.err &
for _ in $(seq 100); do
	[ "$(cat running 2>/dev/null | wc -l)" = 2 ] && break
	sleep 0.1
done
try 0 sweep status stays
says out "4 runs: 1 passed, 0 failed, 2 running, 1 waiting"
says out "./stays 1 on gtx480: kernel 2, block 30 of 40, cycle 5000"
says out "works on it"
try 1 sweep --name stays --axis n=0,1,2,3 --metric 1 -- ./stays {n}
says err "another sluice works on sweeps/stays"
try 0 sweep cancel stays
says out "canceled; the runs that had ended stay stored"
got=0
wait $! || got=$?
[ "$got" = 143 ] || fail "exit status $got, expected the signal's"
for process in $(cat running); do
	kill -0 "$process" 2>/dev/null && fail "process $process is left"
done
try 0 sweep status stays
says out "4 runs: 1 passed, 0 failed, 0 running, 3 waiting"
says out "no process works on it; the same command continues it"
try 0 sweep --dry-run --name stays --axis n=0,1,2,3 --metric 1 -- ./stays {n}
says out "4 runs: 1 stored, 3 to run"

# A task on a cluster records a run's failure. It does not record a run that the system killed, because another node may
# have more memory. These commands stand for Slurm's.
mkdir slurm
for command in squeue scontrol sacct; do echo '#!/bin/sh' >slurm/$command; done
printf '#!/bin/sh\necho 7\n' >slurm/sbatch
printf '#!/bin/sh\nkill -$1 $$\n' >ends
chmod +x slurm/* ends
# task STATUS SIGNAL COUNT: after a run that this signal ends, the task has this status and number of records.
task() {
	PATH=$work/slurm:$PATH try 0 sweep --name "$2" --slurm --detach --metric 1 -- ./ends "$2"
	SLURM_ARRAY_TASK_ID=0 try "$1" sweep task "sweeps/$2" 0
	[ "$(ls "sweeps/$2/records" | wc -l)" = "$3" ] || fail "expected $3 records after $2"
}
task 1 KILL 0
task 0 SEGV 1
PATH=$work/slurm:$PATH try 0 sweep --name changed --slurm --detach --metric 1 -- ./ends HUP
echo '# changed' >>ends
SLURM_ARRAY_TASK_ID=0 try 0 sweep task sweeps/changed 0
grep -q "the program has changed since the sweep began" sweeps/changed/records/* || fail "expected a report of the change"

# A simulated program reports its progress if requested, and computes the same results.
cat >one.cu <<'CUDA'
__global__ void one(int *x)
{
	*x = 1;
}
int main()
{
	int *x;
	cudaMalloc(&x, 4);
	one<<<3, 32>>>(x);
	return cudaDeviceSynchronize() != cudaSuccess;
}
CUDA
try 0 cc one.cu -o one
try_program 0 run --stats without.json -- ./one
SLUICE_PROGRESS_FILE=$work/progress
export SLUICE_PROGRESS_FILE
try_program 0 run --stats with.json -- ./one
grep -q '^1 [0-9]* [0-9]* [0-9]* ' progress || fail "expected the current position: $(cat progress)"
SLUICE_PROGRESS_FILE=$work/no/folder
try_program 0 run --stats nowhere.json -- ./one
unset SLUICE_PROGRESS_FILE
for file in with nowhere; do
	sed 's/"host_seconds":[^,}]*//g' $file.json >a.json
	sed 's/"host_seconds":[^,}]*//g' without.json | cmp -s - a.json || fail "expected the same statistics"
done

finish
