#!/bin/sh
# A mistake in a plan or on a command line gets one message. It names the place in the file, and has no control
# character of the user's text.
set -u
. "$(dirname "$0")/lib.sh"
sluice=$(realpath "$sluice")
cd "$work" || exit 1
printf '#!/bin/sh\ntrue\n' >a
chmod +x a

# refuses PLAN MESSAGE: the plan, a printf format, gets that message alone.
refuses() {
	printf "$1" >plan.yaml
	try 2 figure ./plan.yaml
	says err "./plan.yaml:$2"
	[ "$(grep -c '^[^ ]' err)" = 1 ] || fail "expected one message"
	grep -q "$(printf '[\001-\010\013-\037\177]')" err && fail "control characters"
}

two='columns: {A: {machine: gtx480}, B: {machine: gtx480, options: [l1d.sets=16]}}\n'
head="title: T\nmetric: cycles\n$two"
refuses "metric: cycles\n${two}rows: {a: {program: ./a}}\n" '1:1: error: expected a title'
refuses 'title: T\nmetric: cycles\n' '1:1: error: expected columns and rows'
refuses "${head}rows:\n  a: {program: ./none}\n  b: {program: ./none}\n" '5:16: error: cannot read ./none: No such file'
refuses "${head}rows:\n  a: {program: none}\n  b: {program: none}\n" "5:16: error: no program 'none'"
refuses "${head}rows:\n  a: {program: vecadd, variant: x}\n" "5:33: error: vecadd has no variant 'x'"
refuses "${head}rows:\n  a: {program: ./a, files: [f]}\n  b: {program: ./a, files: [f], arguments: [1]}\n" \
	'5:28: error: cannot read the input file ./f: No such file'
refuses "title: T\naxes:\n  l1d.sets: [16, 32]\n  n: [1, 2]\n  command:\n    - ./none {n}\n" \
	'6:7: error: cannot read ./none: No such file'
refuses "${head}rows:\n  a:\n    program: ./a\n    published: [1, 2, 3]\n" '7:16: error: expected 2 published numbers'
refuses "${head}published_mean: 1\nrows: {a: {program: ./a}}\n" '4:17: error: expected 2 published numbers'
refuses "${head}rows: {a: {program: ./a}}\nover: x\nstacked: yes\n" '5:7: error: over: lines can show'
refuses "title: T\nover: x\naxes: {l1d.sets: [16, 32], command: ./a}\n" "2:7: error: over: there is no axis 'x'"
refuses "${head}rows: {a: {program: ./a}}\nsm: 1\n" '5:5: error: events, sm and until are allowed only'
refuses "${head}rows: {a: {program: ./a}}\nmachine: gtx480\n" '5:10: error: machine, exclude and a relative_to'
refuses "${head}rows: {a: {program: ./a}}\nrelative_to: C\nshow: ratio\n" '5:14: error: A: relative_to: there is no column'
refuses "${head}rows: {a: {program: ./a}}\npaper: x\n" '5:8: error: paper: expected teleport'
refuses "${head}rows: {a: {program: ./a}}\nsize: x\n" "5:7: error: size: expected tiny, small or paper, not 'x'"
refuses "title: T\nmetric: x.y\n${two}rows: {a: {program: ./a}}\n" "2:9: error: in column A: no counter 'x.y'"
refuses "title: T\nmetric: energy.x\n${two}rows: {a: {program: ./a}}\n" "2:9: error: in column A: no component 'energy.x'"
refuses "title: T\nmetric: energy.total\nenergy: x\n${two}rows: {a: {program: ./a}}\n" "3:9: error: no table of energies 'x'"
refuses 'title: T\nmetric: cycles\ncolumns:\n  A: {machine: gtx480, options: [l1d.set=1]}\nrows: {a: {program: ./a}}\n' \
	"4:33: error: in column A: unknown option 'l1d.set'"
refuses 'title: T\nmachine: gtx840\naxes: {l1d.sets: [16, 32], command: ./a}\n' "2:10: error: in column l1d.sets=16: no machine 'gtx840'"
refuses 'title: T\nmetric: cycles\ncolumns:\n  "A\\nB\\e": {machine: gtx840}\nrows: {a: {program: ./a}}\n' \
	"4:23: error: in column A?B?: no machine 'gtx840'"
refuses "${head}rows:\n  \"a\\\\nb\": {program: \"./a\\\\n\\\\eb\"}\n" '5:21: error: cannot read ./a??b: No such file'

refuses 'title: T\nmetric: \377x\n' '2:9: error: not YAML: invalid leading UTF-8 octet'
refuses "title: T\nexclude:\n  - {x: 1}\n  - {x: 2}\naxes: {n: [1, 2], command: './a {n}'}\n" "3:6: error: there is no axis 'x'"
# One value is wrong for each machine in another way.
refuses 'title: T\naxes: {machine: [gtx480, hopper-like], sm.per_cluster: [7], command: ./a}\n' \
	'2:57: error: in column gtx480: sm.count is 15; expected a multiple of sm.per_cluster (7)'
# Two mistakes of a column are two messages, each with its place.
printf 'title: T\naxes:\n  mechanisms: [./none.so]\n  l1d.sets: [x]\n  command: ./a\n' >plan.yaml
try 2 figure ./plan.yaml
says err "./plan.yaml:3:16: error: in column ./none.so: cannot load mechanism"
says err "./plan.yaml:4:14: error: in column ./none.so: l1d.sets: expected a whole number"
[ "$(wc -l <err)" = 2 ] || fail "expected two messages"

# A command line's words.
esc=$(printf '\033')
line='
'
for words in "--x${esc}y" "--x${line}y" "-${esc}" "-q${line}z" "--seed=${line}${esc}" "--seed ${esc}" "x${line}${esc}"; do
	case $words in
	--seed\ *) try 2 figure --seed "${words#--seed }" x ;;
	*) try 2 figure "$words" ;;
	esac
	[ "$(grep -vc '^Try' err)" = 1 ] || fail "expected one message"
	grep -q "$(printf '[\001-\010\013-\037\177]')" err && fail "control characters"
done
try 1 results --results "a${line}b"
says_only err "sluice results: there is no a?b; 'sluice figure NAME' makes it"
finish
