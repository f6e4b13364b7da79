#!/bin/sh
# Protects help and usage errors. Help is printed to standard output with status 0. Errors are printed to standard error
# with status 2; they state what was expected and suggest a correction.
set -u
. "$(dirname "$0")/lib.sh"

try 0 --help
for command in cc run programs report ptx opt analyze annotate effort mix machine stats; do
	says out "  $command "
done
silent err
try 0 --version
grep -qE '^sluice [0-9]+\.[0-9]+\.[0-9]+$' "$work/out" || fail "expected a version"

# For every command, `help COMMAND` prints the same as `COMMAND --help`.
try 0 --help
sed -n '/^Commands/,/^$/s/^  \([a-z]*\)  *.*/\1/p' "$work/out" >"$work/commands"
for command in $(cat "$work/commands"); do
	try 0 "$command" --help
	grep -q '^Usage: sluice' "$work/out" || fail "expected its usage"
	cp "$work/out" "$work/help"
	try 0 help "$command"
	cmp -s "$work/out" "$work/help" || fail "expected what 'sluice $command --help' prints"
done
# The help of every command and action has at most 80 columns and no blank at a line's end. An option's meaning begins
# with a capital letter or with its values ("tiny, small or paper").
{
	echo ""
	cat "$work/commands"
	echo "programs list
programs show
programs run
results merge
results export
results check
results why"
} >"$work/helps"
while read -r words; do
	try 0 $words --help
	long=$(awk 'length($0) > 80' "$work/out")
	[ -z "$long" ] || fail "expected at most 80 columns, not '$long'"
	! grep -q '[[:blank:]]$' "$work/out" || fail "expected no blank at the end of a line"
	lower=$(awk '/^ +-.*  [a-z]+ / { print }' "$work/out")
	[ -z "$lower" ] || fail "expected a capital letter, not '$lower'"
done <"$work/helps"

# The axes on the command line stand under their heading, not among the options of a cluster.
try 0 sweep --help
sed -n '/^ Instead of a plan/,/^$/p' "$work/out" | grep -q -e --axis || fail "expected --axis under its heading"
grep -qx run "$work/commands" || fail "expected the commands in the help"
try 0 help programs run
says out "Usage: sluice programs run"
try 0 help
says out "Commands:"
try 2 help rnu
says err "did you mean 'run'?"

try 2
says err "Usage: sluice COMMAND"
try 2 rnu
says err "sluice: unknown command 'rnu'; did you mean 'run'?"
says err "Try 'sluice --help' for more information."
try 2 frobnicate
says err "sluice: unknown command 'frobnicate'"
try 2 --hepl
says err "sluice: unknown option '--hepl'; did you mean '--help'?"
try 2 --verison
says err "did you mean '--version'?"
try 2 -m gtx480 run ./a
says err "sluice: unknown option '-m'; options of a command follow its name"
try 2 ./a
says err "sluice: unknown command './a'; 'sluice run' runs a program"
try 2 a.cu
says err "sluice: unknown command 'a.cu'; 'sluice cc' compiles CUDA source to a program"
# Words after a command are not executed.
try 0 help run touch "$work/done"
says out "Usage: sluice run"
[ ! -e "$work/done" ] || fail "expected no program to run"
try 2 hlep
says err "sluice: unknown command 'hlep'; did you mean 'help'?"

for command in run ptx machine stats; do
	try 0 $command --help
	says out "Usage: sluice $command"
	try 2 $command --no-such-option
	says err "sluice $command: unrecognized option '--no-such-option'"
	try 2 $command
	says err "Try \`sluice $command --help'"
done

try 2 run -o l1d.sets -- true
says err "sluice run: -o: expected KEY=VALUE, not 'l1d.sets'"
try 2 run --stats-format xml -- true
says err "sluice run: --stats-format: expected table, json or gpgpusim, not 'xml'"
try 2 run --max-instructions many -- true
says err "sluice run: --max-instructions: expected a whole number of at least 1, not 'many'"
try 2 run --functional
says err "sluice run: no program given"
try 2 machine lsit
says err "sluice machine: expected list, show or diff, not 'lsit'; did you mean 'list'?"
try 2 machine show
says err "sluice machine: show takes one MACHINE"
try 2 machine diff gtx480
says err "sluice machine: diff takes two MACHINEs"
try 2 stats "$work/none.json"
says_only err "sluice stats: cannot read $work/none.json: No such file or directory"
try 2 mech gto
says err "sluice mech: expected list or show NAME, not 'gto'"
try 2 mech show telport
says_only err "sluice: error: no mechanism 'telport'; did you mean 'teleport'?"
[ "$(wc -l <"$work/err")" = 1 ] || fail "expected one line"
try 2 mech lsit
says err "sluice mech: expected list or show NAME, not 'lsit'; did you mean 'list'?"
try 2 programs rnu
says err "expected list, show or run, not 'rnu'; did you mean 'run'?"
try 2 mech show
says err "sluice mech: show takes one NAME"

# An empty name, as from an unset variable, and a file without an end.
for wrong in "figure --out= ipc" "figure --results= ipc" "results --results=" "run --stats= -- ./a"; do
	try 2 $wrong
	says err ": expected a value after it"
done
try 2 figure /dev/zero
says err "/dev/zero: it is a device or a socket; expected a file"

finish
