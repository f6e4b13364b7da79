#!/bin/sh
# Protects how `sluice report` shows execution traces in Perfetto's format: as the same run's timeline in JSON, and in
# CSV except for the names of tracks. Traces may be compressed by zstd and may have counters. A truncated trace is shown
# up to the cut. Any broken file gets one message that names it, and no page.
set -u
. "$(dirname "$0")/lib.sh"
sluice=$(realpath "$sluice")
cd "$work" || exit 1

cat >program.cu <<'CU'
__global__ void stream(const float *in, float *out, int n)
{
	float a = 0;
	for (int i = 0; i < n; i++)
		a += in[(blockIdx.x * n + i) * blockDim.x + threadIdx.x];
	__syncthreads();
	out[blockIdx.x * blockDim.x + threadIdx.x] = a;
}
int main()
{
	float *in, *out;
	cudaMalloc(&in, 1 << 20), cudaMalloc(&out, 1 << 20);
	cudaMemset(in, 0, 1 << 20);
	for (int i = 1; i < 4; i++)
		stream<<<6, 64>>>(in, out, 5 * i);
	return cudaDeviceSynchronize() != cudaSuccess;
}
CU
try 0 cc program.cu -o program
for file in t.perfetto t.perfetto.zst; do
	try_program 0 run --mech mthwp --stats run.json --trace $file -- ./program
done
for file in t.json t.csv; do
	try_program 0 run --mech mthwp --mech trace --timeline $file -- ./program
done
try_program 0 run --mech mthwp --trace full.perfetto --timeline-events 500 -- ./program

cat >page.py <<'PY'
import json, re
def run(path):
    (run,) = json.loads(re.search(r'<script type="application/json" id="data">\n(.*?)</script>', open(path, errors="replace").read(), re.S)[1])["runs"]
    return run
def timeline(path):
    return run(path)["timeline"]
def events(shown, count=None):
    text = shown["texts"]
    columns = [shown[name] if name in ("kernel", "begin", "cycles", "track") else [text[i] for i in shown[name]]
               for name in ("kernel", "begin", "cycles", "unit", "track", "name", "args")]
    return list(zip(*columns))[:count]
PY
python() {
	PYTHONDONTWRITEBYTECODE=1 python3 -c "from page import *
$1" 2>python.err || fail "$(tail -n 1 python.err)"
}
for file in t.perfetto t.perfetto.zst t.json t.csv full.perfetto; do
	try 0 report run.json $file -o $file.html
	silent err
done
python '
one, packed, other, rows = (timeline(f"t.{kind}.html") for kind in ("perfetto", "perfetto.zst", "json", "csv"))
assert one == packed
assert events(one) == events(other) and len(events(one)) > 500 and one["left_out"] == 0
plain = lambda shown: [(*event[:4], event[5].split(".")[-1], event[6]) for event in events(shown)]
assert plain(one) == plain(rows)
names = {event[5] for event in events(one)}
assert names >= {"block", "warp.load", "warp.barrier", "request.from_dram", "request.store", "bank.row", "stream(float const*, float*, int)"}, names
assert [event[:4] for event in events(one) if "launch=" in event[6]] == [(kernel["launch"], 0, kernel["cycles"], "GPU") for kernel in json.load(open("run.json"))["kernels"]]
'
# Counters belong to the launch in which they were sampled and equal the samples.
try_program 0 run --mech mthwp --trace c.perfetto --trace-what counters --trace-every 300 --sample 300:c.csv -- ./program
try 0 report run.json c.csv c.perfetto -o c.html
python '
shown = run("c.html")
rows = dict(zip(shown["samples"]["names"], shown["samples"]["values"]))
ipc = shown["timeline"]["counters"]["IPC"]
assert ipc["unit"] == "thread instructions per cycle"
expected = [(kernel, cycle - cycles, value) for kernel, cycle, cycles, value in zip(rows["kernel"], rows["cycle"], rows["cycles"], rows["ipc"]) if cycles]
found = list(zip(ipc["kernel"], ipc["cycle"], ipc["value"]))
assert len(found) == len(expected) > 6 and all(a[:2] == b[:2] and abs(a[2] - b[2]) < 1e-3 * max(1, b[2]) for a, b in zip(found, expected)), (found, expected)
'
# A full timeline lacks some ends of kernels: the next kernel begins where the last known one ended.
python '
whole, full = events(timeline("t.perfetto.html")), events(timeline("full.perfetto.html"))
assert len(full) == 500 and full == whole[:500]
'
# Truncated: everything before the cut is shown, and the cut is reported. Damage in the middle of a file is
# distinguished from a cut only by the bytes that follow.
python '
whole = open("t.perfetto", "rb").read()
for length in (40, 5000, 20001, len(whole) - 1):
    open(f"cut.{length}", "wb").write(whole[:length])
packed = open("t.perfetto.zst", "rb").read()
open("cut.zst", "wb").write(packed[:len(packed) * 2 // 3])
'
try 2 report run.json cut.40 -o cut.html
says err "cut.40: a timeline without events"
for file in cut.5000 cut.20001 cut.*[0-9][0-9][0-9][0-9][0-9] cut.zst; do
	try 0 report run.json $file -o cut.html
	says err "sluice report: $file: "
	says err "cut in byte "
	says err ": only the part before it is shown"
	python '
whole, cut = events(timeline("t.perfetto.html")), events(timeline("cut.html"))
assert 10 < len(cut) < len(whole) and [event[2:] for event in cut] == [event[2:] for event in whole[:len(cut)]], len(cut)
'
done

# Invalid: each message states the error and its position.
rm -f page.html
wrong() { # FILE MESSAGE
	try 2 report run.json "$1" -o page.html
	says err "sluice report: $1: $2"
	silent out
	[ ! -e page.html ] || fail "expected no page"
}
python '
def varint(value):
    return bytes([value]) if value < 128 else bytes([value & 127 | 128]) + varint(value >> 7)
def field(number, value):
    return varint(number << 3) + varint(value) if isinstance(value, int) else varint(number << 3 | 2) + varint(len(value)) + value
def packet(time, *rest):
    return field(1, (field(8, time) if time is not None else b"") + field(10, 1) + b"".join(rest))
def track(uuid, name, *more):
    return packet(None, field(60, field(1, uuid) + field(2, name) + b"".join(more)))
def event(time, kind, uuid, *more):
    return packet(time, field(11, field(9, kind) + field(11, uuid) + b"".join(more)))
units = track(1, b"GPU") + track(9, b"kernel 0", field(5, 1)) + track(7, b"IPC", field(5, 1), field(8, field(6, b"i")))
files = {
    "twice": units + track(9, b"again"),
    "unknown": units + event(5, 3, 10),
    "ends": units + event(5, 2, 9),
    "other": units + event(5, 1, 9) + event(6, 2, 1),
    "backwards": units + event(5, 1, 9) + event(4, 2, 9),
    "counts": units + event(5, 4, 9),
    "late": units + event(2 ** 63, 3, 9),
    "group": units + packet(5, field(11, b"\x0b")),
    "stray": units + b"\x03\x00",
    "long": units + varint(1 << 3 | 2) + varint(1 << 40) + bytes(70000),
    "nothing": units,
    "junk.zst": b"\x28\xb5\x2f\xfd" + bytes(range(200)),
    "text.zst": b"\x28\xb5\x2f\xfd\x24\x05\x29\x00\x00hello\x37\x13\x4f\x7e",
}
for name, content in files.items():
    open(name, "wb").write(content)
'
byte=$(wc -c <nothing)
wrong twice "byte $byte: not a trace of 'sluice run --trace': a track is described twice"
wrong unknown "byte $byte: not a trace of 'sluice run --trace': an event belongs to a track without a description"
wrong ends "byte $byte: not a trace of 'sluice run --trace': an event ends that did not begin"
wrong other "byte $((byte + 12)): not a trace of 'sluice run --trace': an event ends that did not begin"
wrong backwards "byte $((byte + 12)): not a trace of 'sluice run --trace': an event ends before it begins"
wrong counts "byte $byte: not a trace of 'sluice run --trace': a counter's track has an event, or another track has a value"
wrong late "byte $byte: not a trace of 'sluice run --trace': a time is too large for any run"
wrong group "byte $byte: not a trace of 'sluice run --trace': a field of a message is malformed"
wrong stray "byte $byte: not a trace of 'sluice run --trace': a packet is malformed"
wrong long "byte $byte: not a trace of 'sluice run --trace': a packet is longer than any that Sluice writes"
wrong nothing "a timeline without events: no kernel was launched"
wrong junk.zst "it cannot be unpacked: no valid zstd data from byte 0 (unpacked) on"
try 2 report t.perfetto -o page.html
says err "sluice report: t.perfetto: a timeline of which run?"

# Bytes changed, inserted or removed anywhere, in both kinds of files: the result is a page or one message.
tried="broken traces"
cat >fuzz.py <<'PY'
import random, subprocess, sys
random.seed(17)
counts = {0: 0, 2: 0}
for i in range(int(sys.argv[2])):
    data = bytearray(open(("t.perfetto", "t.perfetto.zst")[i % 2], "rb").read()[:random.choice((300, 3000, 60000))])
    for _ in range(random.choice((0, 1, 1, 3, 20))):
        at = random.randrange(len(data))
        kind = random.randrange(4)
        if kind == 0:
            data[at] = random.randrange(256)
        elif kind == 1:
            data[at] ^= 1 << random.randrange(8)
        elif kind == 2:
            del data[at:at + random.randrange(9)]
        else:
            data[at:at] = random.randbytes(random.randrange(9))
    del data[random.randrange(1, len(data) + 1):]
    open("fuzzed", "wb").write(data)
    done = subprocess.run([sys.argv[1], "report", "run.json", "fuzzed", "-o", "fuzzed.html"], capture_output=True)
    assert done.returncode in counts and b"Sanitizer" not in done.stderr, (i, done)
    lines = done.stderr.decode(errors="replace").splitlines()
    assert all("fuzzed" in line for line in lines) and len(lines) <= 2 and bool(lines) >= bool(done.returncode), (i, lines)
    counts[done.returncode] += 1
assert min(counts.values()) > int(sys.argv[2]) / 20, counts
PY
python3 fuzz.py "$sluice" 200 >out 2>err || fail "$(tail -n 1 err)"
finish
