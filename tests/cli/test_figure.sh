#!/bin/sh
# Protects `sluice figure` and `sluice results`: which runs are run or reused, the table, the CSV and the pictures.
# Results persist when a process is killed, when two work at the same time, and when the disk is full.
# The programs are scripts that write statistics as the runtime does, with cycles that depend on the machine's options.
set -u
. "$(dirname "$0")/lib.sh"
unset SLUICE_MACHINE SLUICE_OPTIONS SLUICE_STATS SLUICE_STATS_FORMAT SLUICE_FUNCTIONAL SLUICE_MACHINES
export SLUICE_PROGRAMS="$work/programs" SLUICE_EXPERIMENTS="$work/experiments"
mkdir "$work/programs" "$work/experiments"
sluice=$(realpath "$sluice")
cd "$work" || exit 1

# program NAME: creates a folder with the program's description; the script is read from standard input.
program() {
	mkdir -p "programs/$1"
	printf 'name: %s\nabout: x\nvariants: [plain, shared]\n' "$1" >"programs/$1/program.yaml"
	{
		echo '#!/bin/sh'
		echo "echo $1 \"\$@\" \"\${SLUICE_OPTIONS-}\" >>'$work/calls'"
		cat
	} >"programs/$1/$1"
	chmod +x "programs/$1/$1"
}

# Each script's results: the option sm.count sets the cycles, the variant sets the instructions.
cat >body <<'SCRIPT'
cycles=100
case ${SLUICE_OPTIONS-} in *sm.count=2*) cycles=50 ;; esac
instructions=1000
case "$*" in *shared*) instructions=3000 ;; esac
cat >"$SLUICE_STATS" <<JSON
{"kernels": [
{"name": "_Z3addPf", "grid": [2, 1, 1], "block": [32, 1, 1], "cycles": $cycles, "thread_instructions": $instructions,
"counters": {"l1d.hits": 5}},
{"name": "_Z3subPf", "grid": [1, 1, 1], "block": [32, 1, 1], "cycles": 900, "thread_instructions": 0,
"counters": {"l1d.hits": 1}}], "totals": {}}
JSON
echo PASS
SCRIPT
program one <body
program two <body

cat >experiments/ipc.yaml <<'YAML'
title: IPC of two machines
source: a paper
metric: thread_instructions / cycles
mean: geometric
columns:
  large: {machine: gtx480}
  small: {machine: gtx480, options: [sm.count=2]}
rows:
  one: {kernel: add, published: [8, 20]}
  TWO: {program: two, kernel: add, variant: shared, published: [30, ~]}
  part: {program: two, kernel: add, variant: [~, plain], outside_mean: yes}
YAML

# calls COUNT: this number of programs ran since the last check.
calls() {
	got=$(wc -l <calls)
	[ "$got" = "$1" ] || fail "$got programs ran, expected $1"
	: >calls
}
: >calls

# The table, CSV and pictures.
try 0 figure
says out "ipc                    IPC of two machines"
try 0 figure ipc -j 2
calls 5
says out "IPC of two machines (a paper)"
says out "size small"
row() {
	grep -qE "^$1\$" out || fail "expected the row $1"
}
row 'one +10\.00 +8\.00 +\+25\.0 % +20\.00 +20\.00 +\+0\.0 %'
row 'TWO +30\.00 +30\.00 +\+0\.0 % +60\.00 +- +-'
row 'part +- +- +- +20\.00 +- +-'
row 'geometric mean +17\.32 +15\.49 +\+11\.8 % +34\.64 +- +-'

# Rows for several sizes of one program: the table shows their least, mean and most. The last row is the mean of these
# means and of the single row. In the picture a program has one bar at its mean, with a whisker from the least to the
# most.
cat >experiments/sizes.yaml <<'YAML'
title: Two sizes of a program
metric: thread_instructions / cycles
mean: arithmetic
columns:
  large: {machine: gtx480}
rows:
  one few:  {of: one, program: one, kernel: add, published: [16]}
  one many: {of: one, program: one, kernel: add, variant: shared}
  alone:    {program: two, kernel: add}
YAML
try 0 figure sizes
row 'one few +10\.00 +16\.00 +-37\.5 %'
row 'one many +30\.00 +- +-'
row '  least +10\.00 +16\.00 +-37\.5 %'
row '  mean +20\.00 +16\.00 +\+25\.0 %'
row '  most +30\.00 +16\.00 +\+87\.5 %'
row 'alone +10\.00 +- +-'
row 'arithmetic mean +15\.00 +- +-'
grep -q '^"one" 0 20 16 10 30$' figures/sizes.gp || fail "expected the mean, the paper's mark, the least and the most"
grep -q '^one most,large,,,,,30,16,87.5$' figures/sizes.csv || fail "expected the most of one"

# 0 / 0 has no value: the cell is empty, nothing is reported, and no mean or spread includes it.
sed 's,^metric: .*,metric: thread_instructions / thread_instructions,' experiments/sizes.yaml |
	sed '/one few/s/add/sub/' >experiments/shares.yaml
try 0 figure shares
says_only err ''
row 'one few +- +16\.00 +-'
row 'one many +1\.00 +- +-'
row '  least +1\.00 +16\.00 +-93\.8 %'
row 'arithmetic mean +1\.00 +- +-'
sed -i '/one many/d; s/of: one, //' experiments/shares.yaml
try 0 figure shares
row 'one few +- +16\.00 +-'
row 'arithmetic mean +1\.00 +- +-'
rm experiments/sizes.yaml experiments/shares.yaml
: >calls
grep -q '^one,large,one,plain,small,add,10,8,25$' figures/ipc.csv || fail "expected ours and the paper's in the CSV"
grep -q '^TWO,small,two,shared,small,add,60,,$' figures/ipc.csv || fail "expected an empty field where there is no number"
grep -q '<svg' figures/ipc.svg || fail "expected a picture"
grep -aq '^%PDF' figures/ipc.pdf || fail "expected a PDF"

# No run is repeated. A changed program, machine, size or seed is another run.
try 0 figure ipc -q
calls 0
row 'one +10\.00 +8\.00 +\+25\.0 % +20\.00 +20\.00 +\+0\.0 %'
try 0 figure ipc --seed 2 --size tiny
grep -q '^one --size tiny --variant plain --seed 2 sm.count=2$' calls || fail "expected the size, the seed and the option"
calls 5
echo '# another build' >>programs/two/two
try 0 figure ipc --any-build
calls 0
try 0 figure ipc
says err "another build has made 3 of the missing; --any-build takes its results"
calls 3
try 0 figure ipc --again
! grep -q "another build" err || fail "--again does not ask whose results are stored"
calls 5

# Runs with different seeds are different runs, also among many.
cat >seeds.yaml <<YAML
title: Seeds
axes: {program: one, seed: [$(seq -s, 100)]}
YAML
try 0 sweep --dry-run seeds.yaml
says out "100 runs: "
# The first five of the missing cells are listed, and the others counted.
sed 's/seed: .*/seed: [201, 202, 203, 204, 205, 206]}/' seeds.yaml >missing.yaml
try 1 figure ./missing.yaml --no-run
says err "missing: 6 of its cells have no value"
[ "$(grep -c 'no run of it is stored' err)" = 5 ] || fail "expected five cells"
grep -qx "  and 1 other" err || fail "expected one more"

# The environment's settings have no effect.
SLUICE_OPTIONS=sm.count=2 SLUICE_MACHINE=none try 0 figure ipc --seed 3
row 'one +10\.00 +8\.00 +\+25\.0 % +20\.00 +20\.00 +\+0\.0 %'
calls 5

# A run's identity includes its mechanisms, the default values of their options, and the contents of their shared
# objects. Their counters are known before a run.
cat >mechanism.yaml <<'YAML'
title: With a mechanism
metric: cycles
columns:
  plain: {machine: gtx480}
  two: {machine: gtx480, mechanisms: ["two_level:ready=4"]}
  same: {machine: gtx480, mechanisms: ["two_level:ready=4"]}
rows: {one: {}}
YAML
: >calls
try 0 figure ./mechanism.yaml
calls 1
sed -i 's/two: \(.*\)ready=4/two: \1ready=5/' mechanism.yaml
try 0 figure ./mechanism.yaml
calls 1
cat >own.c <<'C'
#include "seam/mech.h"
static const struct mech own = {.version = MECH_VERSION, .name = "own", .summary = "", .citation = "", .sends = true};
MECHANISM(own);
C
compile() {
	# shellcheck disable=SC2046 # no spaces in it
	cc -shared -fPIC "$@" $("$sluice" mech --cflags) own.c -o own.so
}
compile
sed -i 's/"two_level:ready=5"/own.so/' mechanism.yaml
try 0 figure ./mechanism.yaml
calls 1
compile -DANOTHER -g
try 0 figure ./mechanism.yaml
calls 1
try 0 figure ./mechanism.yaml
calls 0
sed 's/own.so]/own.so], metric: own.usefull/' mechanism.yaml >wrong.yaml
try 2 figure ./wrong.yaml
says err "in column two: no counter 'own.usefull'; none of the column's mechanisms has it"
sed 's/own.so]/own.so], metric: 100 * own.useful/' mechanism.yaml >right.yaml
try 1 figure ./right.yaml
says err "the statistics have no 'own.useful'" # these programs write no such counter
sed 's/own.so/none.so/' mechanism.yaml >wrong.yaml
try 2 figure ./wrong.yaml
says err "cannot load mechanism ./none.so"
sed 's/own.so/own.so:degree=1/' mechanism.yaml >wrong.yaml
try 2 figure ./wrong.yaml
says err "mechanism own has no option 'degree'"
calls 0

# Relative to a column, as percent.
sed '/part:/d; s/^metric.*/metric: 1 \/ cycles/; s/published: \[.*\]/published: [~, 90]/' experiments/ipc.yaml >relative.yaml
printf 'show: percent\nrelative_to: large\n' >>relative.yaml
try 0 figure ./relative.yaml
calls 0
row 'one +0\.00 +100\.0 +90\.0 +\+10\.0'
row 'geometric mean +0\.00 +100\.0 +90\.0 +\+10\.0'

# A base of 0.
cat >zero.yaml <<'YAML'
title: Zero
metric: thread_instructions
show: ratio
relative_to: large
columns: {large: {machine: gtx480}, small: {machine: gtx480, options: [sm.count=2]}}
rows: {one: {kernel: sub}}
YAML
try 1 figure ./zero.yaml
calls 0
says err "one, small: its base, large, is 0"

# A column with its own relation and unit: its metric relative to the same metric of another column's run.
cat >own.yaml <<'YAML'
title: Cycles and instructions
metric: cycles
unit: cycles
columns:
  large: {machine: gtx480}
  small: {machine: gtx480, options: [sm.count=2], show: percent, relative_to: large}
  IPC:   {machine: gtx480, options: [sm.count=2], metric: thread_instructions / cycles, unit: IPC, show: ratio, relative_to: large}
  most:  {machine: gtx480, metric: largest(cycles), show: ratio, relative_to: small}
rows: {one: {kernel: add, published: [~, -40, 2, ~]}, two: {}}
YAML
try 0 figure ./own.yaml
calls 1 # only two's plain form on the large machine
says out "IPC: IPC, over that of large"
row 'one +100\.0 +-50\.00 +-40\.00 +-10\.0 +2\.00 +2\.00 +\+0\.0 % +2\.00'
row 'two +1000\.0 +-5\.00 +- +- +1\.05 +- +- +1\.00'
grep -q '^one,IPC,one,plain,small,add,2,2,0$' figures/own.csv || fail "expected the ratio in the CSV"
grep -q '^\$panel2 << END' figures/own.gp || fail "expected a panel for what has another unit"

# Values derived from the source: nothing runs, programs need not be compiled, and kernels belong to variants.
mkdir programs/source
cat >programs/source/program.yaml <<'YAML'
name: source
about: x
papers: {teleport: {SRC: fast, SRC by hand: slow}, caps: SRC}
variants: [slow, fast]
kernels:
  slow_1: {variant: slow}
  both: {}
  fast_1: {variant: fast}
YAML
cat >programs/source/source.cu <<'CU'
__global__ void slow_1(const float *a, float *b, int n)
{
	int i = blockIdx.y * n + blockIdx.x * 64 + threadIdx.x;
	b[i] = a[i + 2] + a[a[0] > 0 ? 1 : 0];
}
__global__ void both(const int *a, int *b)
{
	int i = threadIdx.x;
	for (int k = 0; k < 4; k++)
		b[i] += a[i + 32 * k];
}
__global__ void fast_1(float *b)
{
	b[threadIdx.x] = 0;
}
CU
cat >source.yaml <<'YAML'
title: Facts
paper: teleport
columns:
  arrays: {metric: source.arrays}
  lines: {metric: source.lines}
  strict: {metric: strict.quasi_static}
  relaxed: {metric: relaxed.quasi_static}
  more: {variant: slow, metric: source.indexes, show: ratio, relative_to: strict}
rows: {SRC: {published: [3, ~, 1, ~, ~]}, by hand: {program: SRC by hand}, both: {program: SRC by hand, kernel: both}}
YAML
try 0 figure ./source.yaml
row 'SRC +3\.00 +3\.00 +\+0\.0 % +4\.00 +1\.00 +1\.00 +\+0\.0 % +2\.00'
row 'SRC +2\.50' # continued columns
row 'by hand +4\.00 +- +- +5\.00 +2\.00 +- +- +3\.00'
row 'by hand +1\.00'
row 'both +2\.00 +- +- +3\.00 +1\.00 +- +- +2\.00'
row 'both +1\.00'
grep -q 'size' out && fail "expected no size where nothing runs"
grep -q '^SRC,arrays,source,fast,,,3,3,0$' figures/source.csv || fail "expected the variant that the paper means"
[ ! -e programs/source/source ] || fail "expected that nothing was compiled"
sed 's/source.arrays/mix.exit/' source.yaml >mix.yaml
try 0 figure ./mix.yaml
row 'by hand +2\.00 .*'
cat >indexes.yaml <<'YAML'
title: Indexes
show: indexes
rows: {SRC: {variant: slow, kernel: slow_1, published: [yes, constant, Control]}}
YAML
try 0 figure ./indexes.yaml
row 'a +4 +.* +quasi-static +yes +x: 64, y: n +2/\(blockDim\.x - 1\) \+ 2'
row 'a +4 +0 +static +constant +0 +0/0'
row 'a +4 +.* +(control|indirect) +Control +- +-'
sed 's/, Control//' indexes.yaml >few.yaml
try 1 figure ./few.yaml
says err "SRC: 2 published for 3 indexes"
sed 's/teleport/teleprot/' source.yaml >wrong.yaml
try 2 figure ./wrong.yaml
says err "wrong.yaml:2:8: error: paper: expected teleport, prefetch-cta, d2ma, caps or sharing, not 'teleprot'"
sed -i '/both/d' programs/source/program.yaml
try 2 figure ./source.yaml
says err "source: program.yaml does not say in which variants the kernel 'both' runs"
rm -r programs/source

# A user's program, by its path from the experiment's folder. It gets only its own arguments, need not print PASS, and
# runs again when its contents change.
mkdir -p own/bin
own() {
	{
		printf '#!/bin/sh\n# %s\n' "$1"
		echo "echo \"\$@\" >>'$work/calls'"
		sed '/PASS/d' body
	} >own/bin/a
	chmod +x own/bin/a
}
own first
cat >own/own.yaml <<'YAML'
title: A program of my own
metric: cycles
columns: {large: {machine: gtx480}, small: {machine: gtx480, options: [sm.count=2], arguments: [-x]}}
rows: {bin/a: {}, with two: {program: bin/a, arguments: [1, shared], kernel: add}}
YAML
: >calls
try 0 figure own/own.yaml
[ "$(sort calls | tr '\n' ,)" = ",-x,1 shared,1 shared -x," ] || fail "wrong arguments: $(cat calls)"
calls 4
row 'with two +100\.0 +50\.0'
(cd own && "$sluice" figure ./own.yaml --results ../results.db >/dev/null 2>&1) || fail "expected the program to run in its own folder"
calls 0
own second
try 0 figure own/own.yaml
calls 4
try 0 results --program bin/a --csv
[ "$(wc -l <out)" = 9 ] || fail "expected eight runs"
echo 'exit 4' >>own/bin/a
try 1 figure own/own.yaml
says err "bin/a on gtx480: FAIL: exit status 4"
# A run that a user's signal ended is reported but not stored, because it tells nothing about the program.
"$sluice" results --csv >before
sed -i 's/^exit 4/kill -INT $$/' own/bin/a
try 1 figure own/own.yaml
says err "bin/a on gtx480: FAIL: Interrupt"
"$sluice" results --csv | cmp -s - before || fail "expected nothing more among the results"
: >calls
sed 's/rows: {bin/rows: {nowhere/' own/own.yaml >own/wrong.yaml
try 2 figure own/wrong.yaml
says err "cannot read own/nowhere/a: No such file or directory"
[ "$(grep -c nowhere/a err)" = 1 ] || fail "expected it once, not for each row and column"
sed 's,rows: {bin/a:,rows: {./././none:,; s,program: bin/a,program: ./none,' own/own.yaml >wrong.yaml
for path in wrong.yaml ./wrong.yaml; do
	try 2 figure $path
	says_only err "$path:4:8: error: cannot read ./none: No such file or directory"
done
sed -i 's,[.]/none,../none,g' wrong.yaml
try 2 figure wrong.yaml
says_only err "wrong.yaml:4:8: error: cannot read ../none: No such file or directory"
sed 's/{program: bin/{variant: shared, program: bin/' own/own.yaml >own/wrong.yaml
try 2 figure own/wrong.yaml
says err "with two: in column large: your own program has no variants; give it arguments"
sed 's/cycles$/source.lines/; s/machine: gtx480/&/' own/own.yaml | sed 's/{machine: gtx480}/{}/; s/, small.*/}/' >own/wrong.yaml
try 2 figure own/wrong.yaml
says err "in column large: your own program needs a machine, because its source is not known"
calls 0

# A failed program is reported, shown as missing, and run again the next time.
program two <<'SCRIPT'
echo no luck
exit 3
SCRIPT
try 1 figure ipc
says err "two shared on gtx480: FAIL: exit status 3"
says err "    no luck"
says err "ipc: 3 of its cells have no value"
row 'TWO +- +30\.00 +- +- +- +-'
row 'geometric mean +- +15\.49 +- +- +- +-'
calls 3
try 1 figure ipc
calls 3
try 1 figure ipc --no-run
calls 0
program two <body

# A killed figure: finished runs are stored, and no program outlives the command.
rm results.db
program two <<'SCRIPT'
exec sleep 300
SCRIPT
: >calls
"$sluice" figure ipc -j 1 >out 2>err &
figure=$!
for _ in $(seq 600); do
	[ "$(wc -l <calls)" -ge 3 ] && break
	sleep 0.1
done
kill -9 $figure
wait $figure 2>/dev/null
calls 3
try 0 results --csv
[ "$(wc -l <out)" = 3 ] || fail "expected the two runs that had ended"
program two <body
try 0 figure ipc
calls 3

# Two processes that write one file at the same time.
rm results.db
"$sluice" figure ipc -j 2 --out a >out1 2>err1 &
first=$!
"$sluice" figure ipc -j 2 --out b >out2 2>err2 &
second=$!
tried="two at a time"
wait $first || fail "the first failed: $(cat err1)"
wait $second || fail "the second failed: $(cat err2)"
try 0 results --csv
[ "$(wc -l <out)" = 6 ] || fail "expected five runs, each once"

# The results.
try 0 results --program one --counter l1d.hits --counter 'thread_instructions / cycles' --kernel add
row 'one +plain +small +1 +gtx480 +5 +10 +[0-9.]+ +[0-9]+  PASS'
row 'one +plain +small +1 +gtx480 +5 +20 +[0-9.]+ +[0-9]+  PASS  sm\.count=2'
grep -q two out && fail "expected only the runs of one"
try 0 results --options sm.count=2 --variant shared --csv --counter cycles --kernel add
[ "$(wc -l <out)" = 2 ] || fail "expected one run"
grep -q '^two,shared,small,1,,gtx480,sm.count=2,.*,50$' out || fail "expected its cycles"
try 0 results --json --program one --machine gtx480
for fact in '"l1d.hits": 5' '"options": "sm.count=2"' '"verdict": "PASS"' '"seed": 1'; do
	says out "$fact"
done
try 0 results --json --counter cycles
says out '"cycles": 1000.0'
try 2 results --counter l1d.hist
says err "no counter 'l1d.hist'; did you mean 'l1d.hits'?"
try 1 results --results none.db
says err "there is no none.db"

# A full disk, emulated by a file size limit: one message, and the old contents stay.
rm results.db
sed 's/"totals": {}/"totals": {"a": "'"$(head -c 60000 /dev/zero | tr '\0' x)"'"}/' body >large
program one <body
program two <large
tried="full disk"
got=0
(
	trap '' XFSZ
	ulimit -f 96
	exec "$sluice" figure ipc -j 1 >out 2>err
) || got=$?
[ "$got" = 1 ] || fail "exit status $got, expected 1"
[ "$(grep -c "^sluice figure: results.db: cannot keep a run: " err)" = 1 ] || fail "expected one message"
: >calls
try 0 figure ipc
calls 3

# Errors are reported before anything runs. wrong SED-EXPRESSION MESSAGE
wrong() {
	sed "$1" experiments/ipc.yaml >wrong.yaml
	try 2 figure ./wrong.yaml
	says err "$2"
	calls 0
}
wrong 's/sm.count/sm.cuont/' "in column small: unknown option 'sm.cuont'"
wrong 's/program: two, kernel: add, variant: shared/program: tow/' "no program 'tow'; did you mean 'two'?"
wrong 's/variant: shared/variant: dma/' "two has no variant 'dma'"
wrong 's/machine: gtx480,/machine: gtx840,/' "in column small:"
wrong 's/^metric.*/metric: cycels/' "wrong.yaml:3:9: error: metric: no counter 'cycels'; did you mean 'cycles'?"
try 2 figure ipcc
says err "no figure 'ipcc'; did you mean 'ipc'?"
try 2 figure something
says err "no figure 'something'; 'sluice figure' lists all figures"
# A path is not the name of a listed experiment: the message is that for any unreadable file.
try 2 figure ./something.yaml
says_only err "sluice figure: cannot read ./something.yaml: No such file or directory"
try 2 results ipc
says err "sluice results: expected merge, export, check or why, not 'ipc'; --program NAME and other filters choose runs"
try 2 figure ipc --size large
says err "--size: expected one of tiny, small, paper, not 'large'"
rm programs/two/two
try 2 figure ipc
says_only err "sluice figure: two is not compiled, and cannot be: $work/programs/two/two.cu: No such file or directory"
try 2 figure ipc --no-run
says_only err "$work/experiments/ipc.yaml:10:18: error: two is not compiled yet; 'sluice programs run two' does it"
# A missing program with a source is compiled once. The compiler is a script that writes the program.
: >programs/two/two.cu
cat >compiler <<'SCRIPT'
#!/bin/sh
while [ "$1" != -o ]; do shift; done
cp two.script "$2"
SCRIPT
chmod +x compiler
program two <body
mv programs/two/two two.script
export SLUICE_CLANG=./compiler
try 0 figure ipc
unset SLUICE_CLANG
says err "sluice figure: compiling two, once"
[ "$(grep -c compiling err)" = 1 ] || fail "expected it once"
[ -x programs/two/two ] || fail "expected the program"

# Numeric axes: a table with one row per number, lines over the axis, and the line of the mean if there is one.
cat >experiments/over.yaml <<'YAML'
title: Lines
over: SMs
metric: cycles
unit: cycles
columns:
  b: {machine: gtx480, options: [sm.count=2], at: 4}
  a: {machine: gtx480, at: 2}
  c: {machine: gtx480, at: 2.5, line: other, metric: thread_instructions, unit: instructions}
rows: {one: {kernel: add, published: [60, ~, ~]}, two: {kernel: add}}
YAML
try 0 figure over -q
grep -qE '^SMs +cycles +paper +other$' out || fail "expected the heading"
row ' +2 +100\.0 +- +-'
row '2\.5 +- +- +1000\.0'
row ' +4 +50\.0 +60\.0 +-'
says out "other: instructions"
row ' +4 +50\.0 +-' # the mean of two, without a published value
grep -q '^one,b,one,plain,small,add,50,60,' figures/over.csv || fail "expected the CSV"
grep -q 'set xrange \[1.92:4.08\]' figures/over.gp || fail "expected the numbers as they are"
grep -q 'axes x1y2 ' figures/over.gp && grep -q 'title "other (right)"' figures/over.gp || fail "expected the right axis"
grep -q 'set label 1 "two"' figures/over.gp || fail "expected a panel for each program"
grep -q '^4 50 60 NaN NaN 50 NaN NaN NaN$' figures/over.gp || fail "expected the points, in order"
sed 's/^over: SMs/over: t/' experiments/over.yaml >experiments/short.yaml
try 0 figure short -q
grep -qx 't       cycles      paper      other' out && grep -qx '2.5          -          -     1000.0' out ||
	fail "expected columns under their headings with values longer than the option's name"
sed -i 's/^over: SMs/&\nmean: geometric/; s/at: 2.5/at: 8/' experiments/over.yaml
try 0 figure over -q
grep -q 'set logscale x' figures/over.gp || fail "expected sizes that double at equal distances"
grep -q '^4 50 NaN NaN NaN 50 60 NaN NaN 50 NaN NaN NaN$' figures/over.gp || fail "expected the mean's points before the programs'"
for change in 's/ at: 2}/}/:a: expected at: the column' 's/at: 8/at: x/:at: expected a number' \
	's/at: 2}/at: 4}/:a: another column of the line has the same number' 's/^over.*//:at and line are allowed only in a figure with over' \
	's/^over.*/&\nstacked: yes/:over: lines can show values' \
	's/^rows/  d: {machine: gtx480, at: 1, metric: launches, unit: launches}\n&/:d: it shows a third quantity'; do
	sed "${change%%:[a-z]*}" experiments/over.yaml >broken.yaml
	cmp -s broken.yaml experiments/over.yaml && fail "expected a change: $change"
	try 2 figure ./broken.yaml
	says err "${change##*/:}"
done
: >calls

# A run that reached its instruction limit has figures and is marked. It is no failure and does not run again. The same
# exit status for another reason is a failure.
cat >cut.script <<'SCRIPT'
echo '{"ended": "stopped, exit 124", "kernels": [{"name": "_Z3addPf", "grid": [1, 1, 1], "block": [32, 1, 1], "cycles": 7,
"thread_instructions": 70, "counters": {}}], "totals": {}}' >"$SLUICE_STATS"
exit 124
SCRIPT
program short <body
program long <cut.script
sed 's/stopped, //' cut.script >other.script
program strange <other.script
cat >experiments/limit.yaml <<'YAML'
title: A limit
metric: thread_instructions / cycles
columns: {A: {machine: gtx480, options: [launch.max_instructions=70]}, B: {machine: gtx480, options: [sm.count=3]}}
rows: {short: {kernel: add}, long: {}, half: {program: long, variant: [plain, ~]}}
YAML
: >calls
try 0 figure limit -j 1
calls 4
says err "long plain on gtx480 launch.max_instructions=70: cut"
row 'long +10\.00 +10\.00'
says out "Cut by an instruction limit, and counted up to it: long, half (A)."
grep -q '^row,.*,difference_percent,cut$' figures/limit.csv || fail "expected the CSV's column"
grep -q '^long,A,long,plain,small,,10,,,yes$' figures/limit.csv || fail "expected the CSV to say what is cut"
grep -q '^short,A,.*,no$' figures/limit.csv || fail "expected the CSV to say what is whole"
try 0 figure limit
calls 0
try 0 results --verdict cut
says out "long"
sed -i 's/^rows: .*/rows: {strange: {}}/' experiments/limit.yaml
try 1 figure limit
says err "FAIL: exit status 124"
: >calls

# Without gnuplot, the table and the CSV are still written.
mkdir bin
for tool in sh cat; do
	ln -s "$(command -v $tool)" bin/
done
rm -r figures
PATH=$work/bin try 1 figure ipc --no-run --any-build
says err "no pictures: cannot start gnuplot"
[ -s figures/ipc.csv ] || fail "expected the CSV"

# Pictures are replaced only when both are complete; gnuplot ignores a full disk.
gnuplot=$(command -v gnuplot)
cat >bin/gnuplot <<SCRIPT
#!/bin/sh
trap '' XFSZ
ulimit -f 4
exec $gnuplot "\$@"
SCRIPT
chmod +x bin/gnuplot
echo 'an older picture' >figures/ipc.svg
PATH=$work/bin try 1 figure ipc --no-run --any-build
says err "sluice figure: gnuplot failed on figures/ipc.gp"
[ "$(cat figures/ipc.svg)" = 'an older picture' ] || fail "expected the old picture"
[ "$(cd figures && echo ipc*)" = "ipc.csv ipc.gp ipc.svg" ] || fail "a temporary file remains"
try 0 figure ipc --no-run --any-build
grep -q '</svg>' figures/ipc.svg || fail "expected the picture"
rm figures/ipc.svg
gnuplot figures/ipc.gp
[ -s figures/ipc.svg ] || fail "expected the script to draw the picture"

# The experiment files that Sluice provides are valid.
unset SLUICE_EXPERIMENTS
try 0 figure
says out "sharing.table11"

finish
