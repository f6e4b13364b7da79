#!/bin/sh
# Protects `sluice run --ptx FILE --launch PLAN`. Tensors have the values of their NumPy files or of `fill`. f16 and
# bf16 are rounded as IEEE says. Launches get the arguments of the plan. A result that differs fails. Each
# mistake in a plan or file has one message with its position and status 2, before anything runs.
set -u
. "$(dirname "$0")/lib.sh"
. "$source_dir/tests/cuda/preload.sh"
cd "$work" || exit 1
changed=60
python3 "$source_dir/tests/cli/launch_plan.py" $changed || exit 1
read -r count halves <count

# copy_bytes(to, from, bytes): a thread for each byte. add(to, amount): an element of 64 bits. scale(to, factor).
cat >kernels.ptx <<'PTX'
.version 7.0
.target sm_50
.address_size 64
.visible .entry copy_bytes(.param .u64 to, .param .u64 from, .param .u32 bytes)
{
	.reg .pred %p<2>;
	.reg .b32 %r<6>;
	.reg .b64 %rd<6>;
	ld.param.u64 %rd1, [to];
	ld.param.u64 %rd2, [from];
	ld.param.u32 %r1, [bytes];
	mov.u32 %r2, %ctaid.x;
	mov.u32 %r3, %ntid.x;
	mov.u32 %r4, %tid.x;
	mad.lo.s32 %r2, %r2, %r3, %r4;
	setp.ge.u32 %p1, %r2, %r1;
	@%p1 ret;
	cvt.u64.u32 %rd3, %r2;
	add.s64 %rd1, %rd1, %rd3;
	add.s64 %rd2, %rd2, %rd3;
	ld.global.u8 %r5, [%rd2];
	st.global.u8 [%rd1], %r5;
	ret;
}
.visible .entry add(.param .u64 to, .param .b64 amount) .reqntid 1
{
	.reg .b64 %rd<6>;
	ld.param.u64 %rd1, [to];
	ld.param.u64 %rd2, [amount];
	ld.global.u64 %rd3, [%rd1];
	add.s64 %rd3, %rd3, %rd2;
	st.global.u64 [%rd1], %rd3;
	ret;
}
.visible .entry scale(.param .u64 to, .param .f32 factor, .param .align 8 .b8 extra[16], .param .u64 scratch)
{
	.reg .f32 %f<3>;
	.reg .b32 %r<3>;
	.reg .b64 %rd<4>;
	ld.param.u64 %rd1, [to];
	ld.param.f32 %f1, [factor];
	mov.u32 %r1, %tid.x;
	mul.wide.u32 %rd2, %r1, 4;
	add.s64 %rd1, %rd1, %rd2;
	ld.global.f32 %f2, [%rd1];
	mul.f32 %f2, %f2, %f1;
	st.global.f32 [%rd1], %f2;
	ret;
}
PTX
# run STATUS OPTION...: runs plan.yaml from standard input.
run() {
	cat >plan.yaml
	try_program "$@"
}
# plan STATUS: the same functionally, without statistics.
plan() {
	run "$1" run --functional --stats=/dev/null --stats-format=json --ptx kernels.ptx --launch plan.yaml
}

# Rounding to f16 and bf16, and values of f16: the bits that Python has.
plan 0 <<YAML
tensors:
  rounded: {file: singles.npy, type: f16, expect: halves.npy, relative: 0, absolute: 0}
  short: {file: singles.npy, type: bf16, expect: bfloats.npy, relative: 0, absolute: 0}
  widened: {file: half_values.npy, type: f32, expect: half_singles.npy, relative: 0, absolute: 0}
  to: {type: f16, shape: [$halves], expect: half_singles.npy, relative: 0, absolute: 0}
  from: {file: half_values.npy}
launches:
  - {kernel: copy_bytes, grid: [$(((2 * halves + 127) / 128))], block: [128], arguments: [to, from, $((2 * halves))]}
YAML
says out "rounded: PASS, $count elements, largest difference 0"
says out "short: PASS, $count elements, largest difference"
says out "widened: PASS, $halves elements, largest difference 0"
says out "to: PASS, $halves elements, largest difference 0"

# A file that `write` has written has shape, type and values.
plan 0 <<'YAML'
tensors:
  m: {file: matrix.npy, write: matrix_again.npy}
  f: {file: flags.npy, write: flags_again.npy}
  b: {type: bf16, shape: [3], fill: 1.0, write: ones.npy}
  r: {type: f32, shape: [2, 3, 4], fill: random, seed: 5, write: random1.npy}
  s: {type: f32, shape: [24], fill: random, seed: 5, expect: random1.npy}
  i: {type: i16, shape: [5], fill: -7, write: sevens.npy}
launches:
  - {kernel: scale, grid: [1], block: [24], arguments: [m, 1.0, null, null]}
YAML
cmp -s matrix.npy matrix_again.npy || fail "write changed a tensor"
python3 - <<'PYTHON' || fail "a file that was written has other contents"
import struct
def load(path):
    data = open(path, "rb").read()
    size = struct.unpack("<H", data[8:10])[0]
    assert (10 + size) % 64 == 0 and data[9 + size] == 10
    return eval(data[10:10 + size]), data[10 + size:]
header, data = load("flags_again.npy")
assert header["descr"] == "|u1" and header["shape"] == (4,) and data == bytes([1, 0, 1, 1])
header, data = load("ones.npy")
assert header["descr"] == "<f4" and struct.unpack("<3f", data) == (1, 1, 1)
header, data = load("sevens.npy")
assert header["descr"] == "<i2" and struct.unpack("<5h", data) == (-7,) * 5
header, data = load("random1.npy")
values = struct.unpack("<24f", data)
assert header["shape"] == (2, 3, 4) and len(set(values)) == 24 and all(-1 <= value < 1 for value in values)
PYTHON
try_program 2 run --functional --ptx kernels.ptx --launch missing.yaml
says err "cannot read missing.yaml"

# Launches in order; all bits of a 64-bit integer count; a float for .f32; the statistics have every launch.
run 0 run --stats=stats.json --check=all --ptx kernels.ptx --launch plan.yaml <<'YAML'
tensors:
  w: {file: wide.npy, expect: wide_changed.npy}
  f: {type: f32, shape: [4], fill: index, write: scaled.npy}
launches:
  - {kernel: add, grid: 1, arguments: [w, 3]}
  - {kernel: add, grid: 1, arguments: [w, -2]}
  - {kernel: scale, grid: 1, block: 4, arguments: [f, 2.5e-1, null, null]}
YAML
says out "w: PASS, 3 elements"
python3 - <<'PYTHON' || fail "the launches are not those of the plan"
import json, struct
launches = json.load(open("stats.json"))["kernels"]
assert [launch["name"] for launch in launches] == ["add", "add", "scale"]
assert all(launch["cycles"] > 0 for launch in launches)
assert struct.unpack("<4f", open("scaled.npy", "rb").read()[-16:]) == (0, 0.25, 0.5, 0.75)
PYTHON

# A difference of one bit fails, with the element.
run 1 run --functional --ptx kernels.ptx --launch plan.yaml <<'YAML'
tensors:
  w: {file: wide.npy, expect: wide_changed.npy}
launches:
  - {kernel: add, grid: 1, arguments: [w, 2]}
YAML
says out "w: FAIL, 1 of 3 elements differ; the first is element 0:"
# A fault in a kernel: its message, and no verdict.
run 1 run --functional --check=bounds --ptx kernels.ptx --launch plan.yaml <<'YAML'
tensors:
  w: {type: i64, shape: [1], expect: wide.npy}
launches:
  - {kernel: add, grid: 1, arguments: [null, 2]}
YAML
says err "kernel 'add' stopped"
grep -q PASS out && fail "a verdict after a fault"

# mistake TEXT KEY...: the plan on standard input is refused, with this message.
mistake() {
	cat >plan.yaml
	try_program 2 run --ptx kernels.ptx --launch plan.yaml
	says err "$1"
	says err "plan.yaml:"
	[ "$(grep -c error "$work/err")" = 1 ] || fail "not one message"
}
# tensor_mistake TEXT TENSOR, launch_mistake TEXT LAUNCH: the rest of the plan is right.
tensor_mistake() {
	mistake "$1" <<YAML
tensors:
  t: {$2}
launches: [{kernel: add, grid: 1, arguments: [t, 1]}]
YAML
}
launch_mistake() {
	mistake "$1" <<YAML
tensors:
  t: {type: f32, shape: [4]}
launches: [{$2}]
YAML
}
tensor_mistake "t: expected a file, or a type and a shape" 'type: f32'
tensor_mistake "there is no 'f8'" 'type: f8, shape: [2]'
tensor_mistake "shape: expected a list of up to 32 numbers" 'type: f32, shape: [2, 0]'
tensor_mistake "shape: expected a list of up to 32 numbers" 'type: f32, shape: [4294967296, 4294967296]'
tensor_mistake "fill: expected random, index or a number of type i8" 'type: i8, shape: [2], fill: 256'
tensor_mistake "fill: the file has the shape and the values" 'file: matrix.npy, fill: 1'
tensor_mistake "cannot read none.npy: No such file" 'file: none.npy'
tensor_mistake "Fortran's order" 'file: fortran.npy'
tensor_mistake "big-endian" 'file: big.npy'
tensor_mistake "elements of type '<c8', which have no type here" 'file: complex.npy'
tensor_mistake "which do not become i64" 'file: matrix.npy, type: i64'
tensor_mistake "empty.npy has no elements" 'file: empty.npy'
tensor_mistake "92 bytes of data" 'file: short.npy'
tensor_mistake "it is not a NumPy file" 'file: kernels.ptx'
launch_mistake "has no kernel 'ad'" 'kernel: ad, grid: 1, arguments: [t, 1]'
launch_mistake "no kernel or several; name one" 'grid: 1, arguments: [t, 1]'
launch_mistake "grid: expected the number of blocks" 'kernel: add, arguments: [t, 1]'
launch_mistake "grid: expected one to three numbers" 'kernel: add, grid: [1, 1, 1, 1], arguments: [t, 1]'
launch_mistake "block: expected the number of threads" 'kernel: scale, grid: 1, arguments: [t, 1, null, null]'
launch_mistake "add has 2 parameters, but 1 are given; null fills" 'kernel: add, grid: 1, arguments: [t]'
launch_mistake "number 2, '1x', is neither a tensor nor a number" 'kernel: add, grid: 1, arguments: [t, 1x]'
launch_mistake "number 2 is the tensor t, but the parameter factor has 4 bytes" \
	'kernel: scale, grid: 1, block: 4, arguments: [t, t, null, null]'
launch_mistake "which takes only null" 'kernel: scale, grid: 1, block: 4, arguments: [t, 1, 5, null]'
launch_mistake "unknown key 'args'" 'kernel: add, grid: 1, args: [t, 1]'
mistake "launches: expected a list of launches" <<'YAML'
tensors: {t: {type: f32, shape: [4]}}
YAML

# Options that exclude each other.
for words in "--ptx kernels.ptx" "--launch plan.yaml" "--ptx kernels.ptx --launch plan.yaml ./program" \
	"--ptx kernels.ptx --launch plan.yaml --timeout 5s"; do
	# shellcheck disable=SC2086
	try 2 run $words
	says err "sluice run: "
done

# Files with random changes are read or refused; nothing else happens.
index=0
while [ $index -lt $changed ]; do
	printf 'tensors: {t: {file: changed%d.npy}}\nlaunches: [{kernel: scale, grid: 1, block: 1, arguments: [t, 1, null, null]}]\n' \
		$index >plan.yaml
	LD_PRELOAD=$preload "$sluice" run --functional --ptx kernels.ptx --launch plan.yaml >out 2>err
	status=$?
	tried="changed$index.npy"
	[ $status -eq 0 ] || [ $status -eq 2 ] || fail "status $status"
	index=$((index + 1))
done
finish
