#!/bin/sh
# Protects profiles of the papers' programs (tiny size), with no mechanism and with each paper's. Each cause adds up
# exactly to the cycle stack and the statistics of the same run. `sluice profile show` and the callgrind costs have all
# of it, and the report contains the file unchanged.
# Usage: profiles.sh SLUICE SOURCE_DIR
set -u
. "$(dirname "$0")/../cli/lib.sh"
sluice=$(realpath "$sluice")
cd "$work" || exit 1

# profile WHAT ARGUMENT...: profiles one run
profile() {
	what=$1
	shift
	try_program 0 programs run "$@" --size tiny --profile p.json --stats s.json
	python3 "$source_dir/tests/cli/adds_up.py" p.json s.json $what >out 2>err || fail "the profile does not add up"
	try 0 profile show p.json --top 100000
	cp out lines
	try 0 profile callgrind p.json -o costs
	try 0 report s.json p.json -o page.html
	python3 - <<'PY' >out 2>err || fail "the tables by line differ from the file"
import collections, json, re
profile = json.load(open("p.json"))
page = json.loads(re.search(r'<script type="application/json" id="data">\n(.*?)</script>', open("page.html").read(), re.S)[1])
shown = page["runs"][0]["profile"]
assert [kernel["instructions"] for kernel in shown] == [kernel["instructions"] for kernel in profile["kernels"]]
assert [kernel["cycles"] for kernel in shown] == [kernel["cycles"] for kernel in profile["kernels"]]
issued = sum(kernel["issued"] for kernel in profile["kernels"])
waits = collections.Counter()
for kernel in profile["kernels"]:
    for inst in kernel["instructions"]:
        waits.update(inst.get("waits", {}))
assert issued > 0 and sum(waits.values()) > 0
lines = [re.match(r" +[0-9.]+% +([0-9]+) ", line) for line in open("lines")]
assert sum(int(line[1]) for line in lines if line) == issued, "issues of lines"
costs = open("costs").read()
names = re.search(r"^events: (.*)$", costs, re.M)[1].split()
sums = [sum(column) for column in zip(*([int(word) for word in line.split()[1:]] for line in costs.split("\n") if re.match(r"[0-9]+ ", line)))]
costs = dict(zip(names, sums))
assert costs["Issues"] == issued and costs["Slots"] == issued + sum(waits.values()) and costs["Lost"] == sum(waits.values()), (costs, issued, waits)
assert all(costs[cause] == slots for cause, slots in waits.items()), (costs, waits)
PY
	done=$((done + 1))
}

done=0
for program in backprop bfs convolution gaussian histogram hotspot lud matrix_vector mummer srad; do
	profile "" $program
done
profile "" coulomb --mech caps -m gtx480-caps
profile - jacobi --mech teleport:model=real -m gtx480-teleport
profile - dwt --variant dma --mech d2ma -m gtx480-d2ma
profile "" backprop --mech sharing --mech owf
[ "$done" = 14 ] || fail "expected fourteen profiles"
finish
