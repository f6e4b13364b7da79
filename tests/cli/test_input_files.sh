#!/bin/sh
# Protects commands that read a file. A device, a folder or a FIFO without a writer gives a message; a FIFO with a
# writer is read. A store whose writer was killed is read.
set -u
. "$(dirname "$0")/lib.sh"
sluice=$(realpath "$sluice")
cd "$work" || exit 1
mkdir folder
mkfifo fifo

# refused TEXT COMMAND...: the command fails within 20 seconds and 3 GiB of address space, with exit status 1, 2, 126 or
# 127 and that text.
refused() {
	wanted_text=$1
	shift
	tried="sluice $*"
	got=0
	timeout 20 "$sluice" "$@" >out 2>err </dev/null || got=$?
	case $got in 1 | 2 | 126 | 127) ;; *) fail "exit status $got" ;; esac
	grep -qE "$wanted_text" err || fail "expected '$wanted_text'"
}

# each TEXT FILE: runs all readers on that path.
each() {
	for command in "machine show" ptx stats energy sweep figure annotate "annotate --profile" "profile show" analyze "results merge" \
		"results check --results" "mech show" "report -o r.html"; do
		# shellcheck disable=SC2086
		refused "$1" $command "$2"
	done
	refused "$1" opt "$2" -o x.ptx --pass dce
	refused "$1" run -m "$2" -- /bin/true
	refused "$1" run --mech "$2" -- /bin/true
	refused "$1" run --energy="$2" -- /bin/true
	echo "base: $2" >based.yaml
	refused "$1" machine show ./based.yaml
}
each 'a device|no file|not a file|ordinary file' /dev/zero
each 'a folder|no file|not a file|Is a directory|is a directory|ordinary file' ./folder
# FIFOs: refusal takes 5 seconds, so one command for each way to read
refused 'nothing writes to' machine show ./fifo
refused 'nothing writes to' stats fifo
refused 'a FIFO' results check --results fifo
refused 'it is not a file' run --mech ./fifo -- /bin/true

# After -- a name may begin like an option, and it may have control characters.
name=$(printf -- '-\001.ptx')
cp "$kernels/vecadd.ptx" "./$name"
try 0 ptx -- "$name"

tried="SLUICE_MACHINE=/dev/zero sluice run"
got=0
SLUICE_MACHINE=/dev/zero timeout 20 "$sluice" run -- /bin/true >out 2>err || got=$?
[ "$got" = 2 ] || fail "exit status $got"
says err "cannot read /dev/zero: it is a device"

# An empty file and a truncated file.
: >empty
printf '{"' >cut
for command in stats energy "profile show" "annotate --profile" report; do
	# shellcheck disable=SC2086
	refused "empty: the file is empty; a run that is killed early may leave such a file" $command empty
	# shellcheck disable=SC2086
	refused "cut:1:2: error: not JSON: " $command cut
done

# A regular file that is too large to read.
truncate -s 3G huge.yaml
refused 'has 1 GiB or more' machine show ./huge.yaml

# A FIFO whose writer is late, and standard input.
"$sluice" machine show gtx480 >whole.yaml
(sleep 1 && cat whole.yaml >fifo) &
try 0 machine show ./fifo
wait
cmp -s out whole.yaml || fail "expected the machine that came through the FIFO"
tried="sluice ptx -"
printf '.version 6.0\n.target sm_35\n.address_size 64\n.visible .entry k() { ret; }\n' | "$sluice" ptx - >out 2>err || fail "expected the file"
says out k

# kill_writer FILE: a writer that is killed in the middle of a transaction leaves FILE-journal.
kill_writer() {
	python3 - "$1" <<'PY'
import os, signal, sqlite3, sys
database = sqlite3.connect(sys.argv[1], isolation_level=None)
for line in ("pragma cache_size=2", "pragma cache_spill=1", "begin immediate", "create table junk(x)",
             "with recursive n(i) as (select 1 union all select i+1 from n where i<3000) insert into junk select hex(randomblob(200)) from n"):
    database.execute(line)
os.kill(os.getpid(), signal.SIGKILL)
PY
	[ -s "$1-journal" ] || fail "expected a journal"
}
echo '{"program":"one","variant":"plain","size":"tiny","seed":7,"arguments":"","machine":"m","options":"","mechanisms":"","library":"l",' \
	'"binary":"b","description":"d","inputs":"","verdict":"PASS","output":"","revision":"r","finished":"2020-01-02 03:04:05","seconds":1.5,' \
	'"peak":0,"host":"","stats":{"version":1,"ended":"exit 0","machine":"m","program":[],"options":[],"mechanisms":[],"configuration":{},' \
	'"kernels":[{"name":"k","cycles":5}],"totals":{"cycles":5,"counters":{}}}}' | tr -d '\n' >one.jsonl
try 0 results merge one.jsonl --results kept.db
# for_each COMMAND...: reads a store whose writer was killed, and leaves it intact.
for command in "results" "results check" "results why 1" "results export x.jsonl" "report kept.db -o r.html" "results merge kept.db --results new.db"; do
	kill_writer kept.db
	case $command in report* | *merge*) file= ;; *) file="--results kept.db" ;; esac
	# shellcheck disable=SC2086
	try 0 $command $file
	silent err
	[ ! -s kept.db-journal ] || fail "expected the journal to be gone"
done
# A reader waits while another process holds a lock on the store.
python3 - <<'PY' &
import sqlite3, time
database = sqlite3.connect("kept.db", isolation_level=None)
database.execute("begin exclusive")
open("locked-now", "w").close()
time.sleep(2)
database.execute("rollback")
PY
while [ ! -e locked-now ]; do sleep 0.1; done
try 0 results check --results kept.db
silent err
# A writer that is killed before it created its table leaves an empty file, which is a store without runs. Another
# program's table is no store.
: >begun.db
try 0 results check --results begun.db
says_only out "begun.db: 0 runs, 0 of them wrong"
for command in "results" "results export" "energy"; do
	# shellcheck disable=SC2086
	try 0 $command --results begun.db
	silent err
done
try 0 results merge begun.db --results new.db
tried="the Python module"
PYTHONPATH=$source_dir/python python3 -c 'import sluice; assert sluice.store("begun.db") == []' >out 2>err || fail "expected no runs"
[ ! -s begun.db ] || fail "expected that reading leaves the file empty"
python3 -c 'import sqlite3; sqlite3.connect("foreign.db").execute("create table x(y)")'
try 1 results check --results foreign.db
says_only err "sluice results check: foreign.db: not a results file of sluice"

kill_writer kept.db
tried="the Python module"
PYTHONPATH=$source_dir/python python3 -c 'import sluice; assert len(sluice.store("kept.db")) == 1' >out 2>err || fail "expected the run"

# If the folder is not writable, the message states the remedy. The superuser may write anywhere, so the test then runs
# as another user.
mkdir locked
cp kept.db locked/kept.db
kill_writer locked/kept.db
chmod 444 locked/*
chmod 555 locked
chmod 755 .
as=
[ "$(id -u)" != 0 ] || as="setpriv --reuid=65534 --regid=65534 --clear-groups"
if $as "$sluice" --version >/dev/null 2>&1; then
	for command in "results --results" "report -o /dev/null"; do
		tried="sluice $command locked/kept.db"
		# shellcheck disable=SC2086
		$as "$sluice" $command locked/kept.db >out 2>err && fail "expected a failure"
		says err "a process was killed while it wrote to it"
		says err "Run 'sluice results check' where they are, or copy both files into your own folder"
	done
	tried="the Python module"
	echo "copy both files into your own folder" >err
	$as python3 --version >/dev/null 2>&1 && PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$source_dir/python $as python3 -c 'import sluice; sluice.store("locked/kept.db")' >out 2>err || true
	says err "copy both files into your own folder"
fi
chmod 755 locked
finish
