#!/bin/sh
# Protects result files from being overwritten: a command refuses one as the path of another output.
set -u
. "$(dirname "$0")/lib.sh"
unset SLUICE_MACHINE SLUICE_OPTIONS SLUICE_STATS SLUICE_STATS_FORMAT SLUICE_FUNCTIONAL
sluice=$(realpath "$sluice")
cd "$work" || exit 1
echo '{"program":"one","variant":"","size":"","seed":7,"arguments":"","machine":"m","options":"","mechanisms":"","library":"l",' \
	'"binary":"b","description":"d","inputs":"","verdict":"PASS","output":"","revision":"r","finished":"2020-01-02 03:04:05","seconds":1.5,' \
	'"peak":0,"host":"","stats":{"version":1,"ended":"exit 0","machine":"m","program":[],"options":[],"mechanisms":[],"configuration":{},' \
	'"kernels":[{"name":"k","cycles":5}],"totals":{"cycles":5,"counters":{}}}}' | tr -d '\n' >one.jsonl
try 0 results merge one.jsonl
cp results.db before.db
ln -s results.db link.db

# keeps STATUS COMMAND...: the command is refused with a clear message before anything runs.
keeps() {
	try "$@"
	says err ".db: it is a database, such as a file of results; give another name"
	grep -q '^ran' out && fail "expected that nothing runs"
	cmp -s results.db before.db || fail "the store has changed"
	cp before.db results.db
}
for name in results.db link.db ./results.db; do
	for format in json table gpgpusim; do
		keeps 2 run --stats $name --stats-format $format -- /bin/echo ran
	done
	keeps 2 run --profile $name -- /bin/echo ran
	keeps 2 run --timeline $name -- /bin/echo ran
	keeps 2 run --sample 100:$name -- /bin/echo ran
	keeps 1 results export $name
	keeps 1 report -o $name
done
printf '.version 6.0\n.target sm_35\n.address_size 64\n.visible .entry k() { ret; }\n' >k.ptx
keeps 1 opt k.ptx -o results.db
ls | grep -q '\.db\.' && fail "a temporary file is left"
try 0 results check
says_only out "results.db: 1 run, 0 of them wrong"
finish
