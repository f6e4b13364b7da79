#!/bin/sh
# Protects the programs that `figure` and `programs run --all` start. They end with their parent, however it ends,
# together with all their children. With little memory on the host fewer run at a time, and finished runs are stored.
set -u
. "$(dirname "$0")/lib.sh"
unset SLUICE_MACHINE SLUICE_OPTIONS SLUICE_STATS SLUICE_STATS_FORMAT SLUICE_FUNCTIONAL SLUICE_MACHINES
export SLUICE_PROGRAMS="$work/programs" SLUICE_EXPERIMENTS="$work/experiments"
mkdir "$work/programs" "$work/experiments"
cd "$work" || exit 1

# program NAME: creates a program; its script is read from standard input.
program() {
	mkdir -p "programs/$1"
	printf 'name: %s\nabout: x\nvariants: [plain]\n' "$1" >"programs/$1/program.yaml"
	{
		printf '#!/bin/sh\n'
		cat
	} >"programs/$1/$1"
	chmod +x "programs/$1/$1"
}
cat >brief <<'SCRIPT'
echo '{"kernels": [{"name": "_Z3addPf", "grid": [1, 1, 1], "block": [32, 1, 1], "cycles": 7, "counters": {}}], "totals": {}}' \
	>"$SLUICE_STATS"
echo PASS
SCRIPT
# Writes its own process id and its child's. Both would run for minutes, and the parent ignores signals.
cat >endless <<SCRIPT
trap '' TERM INT HUP
sleep 300 &
echo \$\$ \$! >>'$work/running'
wait
SCRIPT
for name in a b c d e f; do
	program $name <brief
done
cat >experiments/six.yaml <<'YAML'
title: Six
metric: cycles
columns: {one: {machine: gtx480}}
rows: {a: {}, b: {}, c: {}, d: {}, e: {}, f: {}}
YAML

# gone PROCESS...: all these processes end within ten seconds.
gone() {
	for process in "$@"; do
		for _ in $(seq 100); do
			kill -0 "$process" 2>/dev/null || break
			sleep 0.1
		done
		! kill -0 "$process" 2>/dev/null || {
			kill -9 "$process"
			fail "process $process is left"
		}
	done
}

# ended SIGNAL COMMAND...: the signal ends the command with the matching status, and also the program that it runs.
ended() {
	number=$1
	shift
	tried="sluice $* and signal $number"
	rm -f running results.db
	python3 -c 'import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL) # a shell ignores SIGINT for its background processes
os.execv(sys.argv[1], sys.argv[1:])' "$sluice" "$@" >out 2>err &
	command=$!
	for _ in $(seq 600); do
		[ -s running ] && break
		sleep 0.1
	done
	kill -"$number" $command
	got=0
	wait $command 2>/dev/null || got=$?
	[ "$got" = $((128 + number)) ] || fail "exit status $got, expected $((128 + number))"
	read -r first second <running || fail "the program did not start"
	gone "$first"
	# when the command itself is killed, only its direct child can be ended for it
	[ "$number" = 9 ] && kill -9 "$second" || gone "$second"
}
program b <endless
for signal in 2 15 9; do
	ended $signal programs run --all -j 1
	ended $signal figure six -j 1
done
program b <brief
try 0 results --csv
[ "$(wc -l <out)" = 2 ] || fail "expected the run that had ended"
try 0 figure six -j 1
says err "6 runs, 5 of them missing"

# limited STATUS|any LIMIT COMMAND...: runs the command with at most LIMIT open files.
limited() {
	wanted=$1 files=$2
	shift 2
	tried="sluice $* with $files open files"
	got=0
	timeout 60 python3 -c 'import os, resource, sys
resource.setrlimit(resource.RLIMIT_NOFILE, (int(sys.argv[1]), int(sys.argv[1])))
os.execv(sys.argv[2], sys.argv[2:])' "$files" "$sluice" "$@" >out 2>err </dev/null || got=$?
	[ "$wanted" = any ] || [ "$got" = "$wanted" ] || fail "exit status $got, expected $wanted"
	[ "$got" != 124 ] || fail "does not end"
}
# More concurrent runs than the limit of open files allows: fewer run at a time. With too few files a run is not
# started, and a message says so.
rm results.db
limited 0 16 programs run --all -j 6
says out "6 passed, 0 failed"
limited any 5 programs run --all -j 6
says out "not started: Too many open files"
limited 0 16 figure six -j 6
for files in 4 5 6 7 8; do
	rm -f results.db
	limited any $files figure six
done

# The ends of children are noticed even if the grandparent ignores SIGCHLD. Closed standard files are not reused for
# other purposes.
program b <<'SCRIPT'
exit 3
SCRIPT
tried="with SIGCHLD ignored"
python3 -c 'import os, signal, sys
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
os.execv(sys.argv[1], sys.argv[1:])' "$sluice" programs run --all >out 2>err
says out "FAIL: exit status 3"
program b <brief
tried="with closed standard files"
got=0
"$sluice" programs run --all <&- 2>&- >out || got=$?
[ "$got" = 0 ] || fail "exit status $got"
says out "6 passed, 0 failed"
[ ! -c /dev/full ] || {
	tried="on a full disk"
	"$sluice" programs run --all >/dev/full 2>err
	[ $? = 1 ] || fail "expected to fail"
	says err "standard output: No space left on device"
}

finish
