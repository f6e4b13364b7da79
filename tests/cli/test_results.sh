#!/bin/sh
# Protects result files over their life: older and newer versions, the merging of several files without duplicates, and
# export followed by import. Also tests messages for broken files, and why a run was repeated.
set -u
. "$(dirname "$0")/lib.sh"
sluice=$(realpath "$sluice")
cd "$work" || exit 1

# old VERSION FILE: writes a file in version 1's format with two runs, and with the given user_version.
old() {
	python3 - "$1" "$2" <<'PY'
import json, sqlite3, sys
version, path = sys.argv[1:]
db = sqlite3.connect(path)
db.execute("""CREATE TABLE runs (
 id INTEGER PRIMARY KEY, program TEXT NOT NULL, variant TEXT NOT NULL,
 size TEXT NOT NULL, seed INTEGER NOT NULL, arguments TEXT NOT NULL,
 machine TEXT NOT NULL, options TEXT NOT NULL, mechanisms TEXT NOT NULL,
 library TEXT NOT NULL, binary TEXT NOT NULL, description TEXT NOT NULL,
 verdict TEXT NOT NULL, output TEXT NOT NULL, stats TEXT NOT NULL,
 revision TEXT NOT NULL, finished TEXT NOT NULL, seconds REAL NOT NULL,
 UNIQUE (program, variant, size, seed, arguments, machine, options, mechanisms, library, binary, description))""")
def put(library, description, verdict, cycles, sets):
    stats = json.dumps({"kernels": [{"name": "k", "cycles": cycles}], "totals": {},
                        "configuration": {"sm.l1d.sets": sets, "sm.count": 15}}, separators=(",", ":"))
    db.execute("INSERT INTO runs (program, variant, size, seed, arguments, machine, options, mechanisms, library, binary,"
               " description, verdict, output, stats, revision, finished, seconds) VALUES ('one', 'plain', 'tiny', 7, '-n 3', 'mine',"
               " '', '', ?, 'b', ?, ?, ?, ?, 'r1', '2020-01-02 03:04:05', 1.5)",
               (library, description, verdict, "" if verdict == "PASS" else "na\u00efve\n", stats))
put("l1", "d1", "PASS", 100, 32)
put("l1", "d2", "FAIL: exit status 1", 0, 64)
db.execute("PRAGMA user_version = " + version)
db.commit()
PY
}

# An older file is read unchanged. The first write upgrades it.
old 1 results.db
cp results.db before.db
try 0 results --csv --counter cycles
says out 'one,plain,tiny,7,-n 3,mine,,,l1,r1,PASS,2020-01-02 03:04:05,1.500,0,1,100'
cmp -s results.db before.db || fail "reading has changed an older file"
# Control characters of arguments do not change the table.
python3 -c 'import sqlite3; d = sqlite3.connect("before.db"); d.execute("UPDATE runs SET arguments = ?", ("a\nb\x1b[2J",)); d.commit()'
try 0 results --results before.db
says out 'a\x0ab\x1b[2J'
cp results.db before.db
chmod 444 results.db
try 0 results check
says out "results.db: 2 runs, 0 of them wrong"
chmod 644 results.db
try 0 results export runs.jsonl
[ "$(wc -l <runs.jsonl)" = 2 ] || fail "expected one line per run"
try 0 results merge runs.jsonl
# an equal failed run replaces nothing unless it is later
says out "runs.jsonl: 0 added, 2 present already, 0 replaced failed ones"
[ "$(python3 -c 'import sqlite3; d = sqlite3.connect("results.db"); print(*d.execute("PRAGMA user_version").fetchone())')" = 2 ] ||
	fail "expected the file to be of the next version"
# A damaged file can have NULL where the format forbids it: no command dies of it, and `check` names the run.
python3 - <<'PY'
import sqlite3
db = sqlite3.connect("results.db")
table = db.execute("SELECT sql FROM sqlite_master WHERE name = 'runs'").fetchone()[0]
broken = sqlite3.connect("broken.db")
broken.execute(table.replace(" NOT NULL", ""))
version = db.execute("PRAGMA user_version").fetchone()[0]
broken.execute(f"PRAGMA user_version = {version}")
row = db.execute("SELECT * FROM runs").fetchone()
broken.execute(f"INSERT INTO runs VALUES ({','.join('?' * len(row))})", [row[0]] + [None] * (len(row) - 1))
broken.commit()
PY
for words in "" "--json" "--csv --counter cycles" "export"; do
	# shellcheck disable=SC2086 # words
	try 0 results $words --results broken.db
done
try 1 results check --results broken.db
says out "has no program, machine or verdict"
echo 'an older export' >again.jsonl
try_full_disk 1 1 results export again.jsonl
says err "cannot write again.jsonl: File too large"
[ "$(cat again.jsonl)" = 'an older export' ] || fail "expected the old file"
[ "$(ls again.jsonl*)" = again.jsonl ] || fail "a temporary file remains"
try 0 results export again.jsonl
sort again.jsonl | python3 -c 'import sys; assert sorted(open("runs.jsonl")) == list(sys.stdin), "other runs"' || fail "expected the same runs"
says_only err ''

# Into a new file; twice; from a result file; a passed run takes precedence over a failed one.
try 0 results merge runs.jsonl before.db --results new.db
says out "runs.jsonl: 2 added, 0 present already, 0 replaced failed ones"
says out "before.db: 0 added, 2 present already, 0 replaced failed ones"
sed 's/"FAIL: exit status 1"/"PASS"/' runs.jsonl >passed.jsonl
try 0 results merge passed.jsonl --results new.db
says out "passed.jsonl: 0 added, 1 present already, 1 replaced failed ones"
try 0 results merge runs.jsonl --results new.db
says out "runs.jsonl: 0 added, 2 present already, 0 replaced failed ones"
try 0 results --results new.db --verdict PASS --csv
[ "$(wc -l <out)" = 3 ] || fail "expected two runs that passed"

# The file keeps the later of two equal failed runs, in either order. A repeated merge changes nothing.
sed 's/2020-01-02 03:04:05/2020-01-02 03:04:06/; s/exit status 1/exit status 2/' runs.jsonl >later.jsonl
sed 's/"finished":"[^"]*"/"finished":""/' runs.jsonl >timeless.jsonl
# merged ADDED HAD REPLACED FILE: expects these counts from a merge into pair.db, and that a second merge changes
# nothing.
merged() {
	try 0 results merge "$4" --results pair.db
	says out "$4: $1 added, $2 present already, $3 replaced failed ones"
	cp pair.db first.db
	try 0 results merge "$4" --results pair.db
	says out "$4: 0 added, 2 present already, 0 replaced failed ones"
	python3 -c 'import sqlite3; a, b = (sqlite3.connect(f).execute("SELECT * FROM runs").fetchall() for f in ("pair.db", "first.db")); assert a == b' ||
		fail "expected a second merge of $4 to change nothing"
}
merged 2 0 0 runs.jsonl
merged 0 1 1 later.jsonl
merged 0 2 0 runs.jsonl
try 0 results --results pair.db --verdict "FAIL: exit status 2" --csv
[ "$(wc -l <out)" = 2 ] || fail "expected the later failure"
merged 0 1 1 timeless.jsonl
merged 0 2 0 timeless.jsonl

# Equal runs with unequal cycles: one of the simulators is not the version that it claims.
sed 's/"cycles":100/"cycles":101/' runs.jsonl >other.jsonl
cmp -s other.jsonl runs.jsonl && fail "expected other cycles"
try 1 results merge other.jsonl --results new.db
says err "other.jsonl: 1 runs differ in cycles from the same runs in new.db, which were left unchanged"

# No run of a broken file is merged.
{
	sed 's/"library":"l1"/"library":"l9"/' runs.jsonl
	echo '{"program": "half'
} >broken.jsonl
cp new.db whole.db
try 1 results merge broken.jsonl --results new.db
says_only err "sluice results merge: broken.jsonl:3: not a record of a run (one line of JSON)"
try 0 results --results new.db --library l9 --csv
[ "$(wc -l <out)" = 1 ] || fail "expected nothing of the broken file"
try 1 results merge none.jsonl --results new.db
says err "cannot read none.jsonl: No such file or directory"
try 2 results merge
try 2 results check more

# A newer file, a missing file, a damaged file.
old 99 newer.db
try 1 results --results newer.db
says err "newer.db: a newer sluice wrote it (file version 99, this sluice reads 2)"
cp newer.db kept.db
try 1 results merge runs.jsonl --results newer.db
cmp -s newer.db kept.db || fail "a newer file was changed"
python3 - <<'PY'
data = bytearray(open("new.db", "rb").read())
data[4096:] = b"x" * (len(data) - 4096)
open("damaged.db", "wb").write(data)
PY
try 1 results check --results damaged.db
says err "damaged.db"
sed 's/"kernels":/"colonels":/' passed.jsonl >empty.jsonl
try 0 results merge empty.jsonl --results odd.db
try 1 results check --results odd.db
says out "run 1, one on mine: passed, but its statistics are not those of a whole run"
says out "odd.db: 2 runs, 2 of them wrong"
cp before.db text.db
python3 -c 'import sqlite3; d = sqlite3.connect("text.db"); d.execute("UPDATE runs SET stats = ? WHERE id = 2", ("{",)); d.commit()'
try 1 results check --results text.db
says out "run 2, one on mine: its statistics are not JSON"

# A full disk loses nothing: the older file stays unchanged.
if [ -d /dev/shm ] && mkdir -p full && mount -t tmpfs -o size=64k none full 2>/dev/null; then
	cp before.db full/results.db
	head -c 1000000 /dev/zero >full/filler 2>/dev/null
	try 1 results merge runs.jsonl --results full/results.db
	cmp -s full/results.db before.db || fail "a full disk has changed the file"
	umount full
fi

# Options may precede or follow an action, with their values in either form.
try 0 results --results new.db check
says out "new.db: "
try 0 results --results=new.db --program check export
silent err
try 2 results --program check ipc
says err "expected merge, export, check or why, not 'ipc'"

# `results why`: why a run was repeated.
grep '"description":"d1"' passed.jsonl | sed 's/"library":"l1"/"library":"l2"/' >built.jsonl
try 0 results merge passed.jsonl built.jsonl --results why.db
try 0 results why 1 --results why.db
says out "run 1, made 2020-01-02 03:04:05 UTC: PASS"
says out "No earlier run has the same program"
try 0 results why 2 --results why.db
says out "  sm.l1d.sets: 32 -> 64"
grep -q "another build" out && fail "expected the same build"
try 0 results why 3 --results why.db
says out "  the simulator is another build (revision r1 -> r1)"
says out "  sm.l1d.sets: 64 -> 32"
# Two runs with other mechanisms. Statistics of an older run may not tell them.
for word in lrr two_level; do
	sed 's/"description":"d1"/"description":"'$word'"/; s/"totals":{}/&,"mechanisms":["'$word'"]/' built.jsonl >$word.jsonl
	try 0 results merge $word.jsonl --results why.db
done
try 0 results why 4 --results why.db
grep -q "mechanisms: " out && fail "expected no comparison with a run of unknown mechanisms"
try 0 results why 5 --results why.db
says out '    mechanisms: ["lrr"] -> ["two_level"]'
sed 's/"binary":"b"/"binary":"c"/' two_level.jsonl >compiled.jsonl
try 0 results merge compiled.jsonl --results why.db
try 0 results why 6 --results why.db
says out "  the program was recompiled or changed"
grep -q "another build" out && fail "expected the same build"
try 1 results why 77 --results why.db
says_only err "sluice results why: no run 77; the column 'run' of 'sluice results' has the numbers"

finish
