#!/bin/sh
# Protects `sluice programs`: the keys of program.yaml and their error messages, how a program is found and run, and the
# verdict of each run in the table. The programs are scripts that write statistics as the runtime does.
set -u
. "$(dirname "$0")/lib.sh"
unset SLUICE_MACHINE SLUICE_OPTIONS SLUICE_STATS SLUICE_STATS_FORMAT SLUICE_FUNCTIONAL
programs=$work/programs
export SLUICE_PROGRAMS="$programs"
mkdir "$programs"

# program NAME: creates a folder with the YAML from standard input.
program() {
	mkdir -p "$programs/$1"
	cat >"$programs/$1/program.yaml"
}

# script NAME: creates its compiled program from standard input.
script() {
	{
		echo '#!/bin/sh'
		cat
	} >"$programs/$1/$1"
	chmod +x "$programs/$1/$1"
}

stats='{"kernels": [{"name": "a", "grid": [2, 3, 1]}, {"name": "b", "grid": [4, 1, 1]},
{"name": "a", "grid": [5, 1, 1]}],
"totals": {"cycles": 200, "thread_instructions": 500, "warp_instructions": 70, "host_seconds": 1.5}}'

program first <<YAML
name: first
about: adds
papers: {teleport: {ADD: plain, ADD by hand: shared}, sharing: [SUM, PLUS], d2ma: {ADD: shared}}
variants: [plain, shared]
kernels:
  add: {variant: shared, block: 256, shared: 4096, variables: 2, local: 0, published: {threads: 10, instructions: 20}}
  any: {block: 64}
YAML
program second <<YAML
name: second
about: subtracts
papers: {caps: SUM}
variants: [plain]
YAML
script first <<SCRIPT
echo "\$@" >>"$work/calls"
cat >"\${SLUICE_STATS:-/dev/null}" <<JSON
$stats
JSON
echo first: PASS
SCRIPT
script second <<'SCRIPT'
echo second: 1 of 9 wrong
echo second: FAIL >&2
exit 3
SCRIPT

# The list and a program's description.
try 0 programs
says out "first   adds"
says out "variants plain, shared; papers teleport ADD, ADD by hand (shared); d2ma ADD (shared); sharing SUM, PLUS"
says out "second  subtracts"
try 0 programs list --paper caps
says out "second"
grep -q first "$work/out" && fail "expected no program of another paper"
try 0 programs list --json
for fact in '"block": 256' '"shared": 4096' '"variables": 2' '"local": 0' '"threads": 10' '"instructions": 20' '"PLUS": "plain"' '"ADD by hand": "shared"'; do
	says out "$fact"
done
try 0 programs show plus
says out "kernel     add, variant shared: 256 threads per block, 4096 bytes of shared memory, 2 shared variables, 0 local memory accesses"
says out "program    $programs/first/first"

# How a program is found.
try 2 programs show sum
says err "sluice programs show: 'sum' may mean each of first, second; say which"
try 0 programs show sum --paper caps
says out "second: subtracts"
try 2 programs show frist
says err "no program 'frist'; did you mean 'first'?"
try 2 programs run first second
says err "several programs need --all"
try 2 programs run
says err "no program given"
try 2 programs lits
says err "expected list, show or run, not 'lits'; did you mean 'list'?"

# How a program is run: as by `sluice run`, with the program's own arguments after --.
try 0 programs run add --size small --variant shared --seed 7 -m gtx480 -o sm.count=3 -- --more 1 -x
says out "first: PASS"
[ "$(tail -n 1 "$work/calls")" = "--size small --variant shared --seed 7 --more 1 -x" ] || fail "wrong arguments"
# ran ARGUMENTS: the last program ran with these arguments.
ran() {
	[ "$(tail -n 1 "$work/calls")" = "$1" ] || fail "wrong arguments"
}
try 0 programs run 'add by hand' # a paper's name selects a variant
ran "--variant shared"
try 0 programs run add --paper d2ma
ran "--variant shared"
# two papers name different variants, so none is chosen
try 0 programs run add
ran ""
try 0 programs run add --paper d2ma --variant plain
ran "--variant plain"
try 3 programs run second
says err "second: FAIL"
try 2 programs run first --variant dma
says err "first has no variant 'dma'; it has plain, shared"
try 2 programs run first --size large
says err "--size: expected one of tiny, small, paper, not 'large'"
try 2 programs run first -o sm.cuont=3
says err "did you mean 'sm.count'?"

# The table.
: >"$work/calls"
try 0 programs run --all first -j 2 --stats "$work/stats"
grep -qE '^first +plain +2 +3 +15 +70 +200 +2\.50 +1\.50  PASS$' "$work/out" || fail "expected the figures of plain"
says out "1 program, 2 runs: 2 passed, 0 failed"
[ "$(sort "$work/calls" | tr '\n' ' ')" = "--variant plain --variant shared " ] || fail "expected both variants"
grep -q '"cycles": 200' "$work/stats/first-shared.json" || fail "expected the statistics in the folder"
try 1 programs run --all
grep -qE '^second +plain .*  FAIL: exit status 3$' "$work/out" || fail "expected the failure"
says out "    second: 1 of 9 wrong"
says out "    second: FAIL"
says out "2 programs, 3 runs: 2 passed, 1 failed"
try 0 programs run --all --variant shared
says out "1 program, 1 run: 1 passed, 0 failed"
try 2 programs run --all --variant dma
says err "no program has the variant 'dma'"
try 2 programs run --all --stats-format table
says err "with --all statistics are JSON"

# A run cut by its instruction limit is no failure and is counted separately.
script second <<'SCRIPT'
echo '{"ended": "stopped, exit 124", "kernels": [], "totals": {"cycles": 9}}' >"$SLUICE_STATS"
exit 124
SCRIPT
try 0 programs run --all --max-instructions 70
grep -qE '^second +plain .*  cut$' "$work/out" || fail "expected the verdict"
says out "2 programs, 3 runs: 2 passed, 1 cut, 0 failed"

# The causes of a failure.
script second <<SCRIPT
echo "\$SLUICE_STATS_FORMAT" >"\$SLUICE_STATS"
echo PASS
SCRIPT
try 1 programs run --all second
says out "FAIL: wrote no statistics"
script second <<SCRIPT
cat >"\$SLUICE_STATS" <<JSON
$stats
JSON
SCRIPT
try 1 programs run --all second
says out "FAIL: printed no PASS"
echo 'kill -SEGV $$' | script second
try 1 programs run --all second
says out "FAIL: Segmentation fault"
rm "$programs/second/second"
try 2 programs run --all
says err "second is not compiled, and cannot be: $programs/second/second.cu: No such file or directory"

# A missing program is compiled once, with a message.
cat >"$programs/second/second.cu" <<'CU'
#include <cstdio>
int main() { puts("second: PASS"); }
CU
# If the program's folder is not writable, the message says so and states the remedy (root may write anywhere).
chmod a-w "$programs/second"
[ -w "$programs/second" ] || {
	try 2 programs run second
	says_only err "sluice programs run: second is not compiled, and cannot be: $programs/second: Permission denied; let the folder's owner compile it once, or name a copy of $programs in SLUICE_PROGRAMS"
}
chmod u+w "$programs/second"
try_program 0 programs run second
says err "sluice programs run: compiling second, once"
says out "second: PASS"
[ "$(ls "$programs/second" | tr '\n' ' ')" = "program.yaml second second.cu " ] || fail "expected only the program"
try_program 0 programs run second
silent err
rm "$programs/second/second"
echo 'int main() { return none; }' >"$programs/second/second.cu"
try 2 programs run second
says err "error: use of undeclared identifier 'none'"
says err "cannot make $programs/second/second"

# Statistics larger than a pipe's buffer.
script second <<SCRIPT
{
	cat <<JSON
$stats
JSON
	yes ' ' | head -n 200000
} >"\$SLUICE_STATS"
echo PASS
SCRIPT
try 0 programs run --all second

# Errors in program.yaml. wrong YAML-TEXT MESSAGE
wrong() {
	printf '%s\n' "$1" | program second
	try 2 programs list
	says err "$programs/second/program.yaml:$2"
}
wrong 'name: second
abuot: x' "2:1: error: unknown key 'abuot'; did you mean 'about'?"
wrong 'name: third
about: x
variants: [plain]' "1:1: error: name: expected 'second', the folder's name"
wrong 'name: second
about: x
variants: []' "3:11: error: variants: expected one word or a list of them"
wrong 'name: second
about: x
name: second' "3:1: error: 'name' is set a second time; the first is in line 1"
wrong 'name: second
about: x
variants: [plain]
papers: {cap: X}' "4:10: error: unknown key 'cap'; did you mean 'caps'?"
wrong 'name: second
about: x
kernels: {k: {block: many}}
variants: [plain]' "3:22: error: block: expected a whole number, not 'many'"
wrong 'name: second
about: x
kernels: {k: {variant: dma}}
variants: [plain]' "3:14: error: k: there is no variant 'dma'"
wrong 'name: second
about: x
variants: [plain]
papers: {caps: {X: shared}}' "4:20: error: X: there is no variant 'shared'"
wrong 'name: [second' "2:1: error: not YAML"
wrong '- second' "1:1: error: program: expected 'NAME: VALUE' pairs"

finish
