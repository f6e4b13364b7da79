#!/usr/bin/env python3
"""Runs a kernel twice on a simulated GTX 480 and reads counters, of each launch and of each SM.

    PYTHONPATH=$(sluice python) python3 counters.py
"""
import struct

import sluice_gpu

ELEMENTS, BLOCK = 1 << 14, 256

# c[i] = a[i] + b[i]
PTX = """
.version 6.0
.target sm_20
.address_size 64
.visible .entry vecadd(.param .u64 a, .param .u64 b, .param .u64 c)
{
    .reg .b64 %rd<8>; .reg .b32 %r<5>; .reg .f32 %f<4>;
    ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; ld.param.u64 %rd3, [c];
    mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;
    mad.lo.s32 %r4, %r1, %r2, %r3; mul.wide.u32 %rd4, %r4, 4;
    add.u64 %rd5, %rd1, %rd4; add.u64 %rd6, %rd2, %rd4; add.u64 %rd7, %rd3, %rd4;
    ld.global.f32 %f1, [%rd5]; ld.global.f32 %f2, [%rd6]; add.f32 %f3, %f1, %f2;
    st.global.f32 [%rd7], %f3;
    ret;
}
"""


def main() -> None:
    with sluice_gpu.Gpu(machine="gtx480") as gpu:
        gpu.load(PTX, "vecadd.ptx")
        a, b, c = (gpu.alloc(4 * ELEMENTS) for _ in range(3))
        gpu.write(a, struct.pack("<3f", 1, 2, 3))
        gpu.write(b, struct.pack("<3f", 10, 20, 30))
        for _ in range(2):
            gpu.launch("vecadd", grid=ELEMENTS // BLOCK, block=BLOCK, arguments=[a, b, c])
        print("c =", *struct.unpack("<3f", gpu.read(c, 12)))

        for launch in range(1, gpu.launches + 1):
            print(f"launch {launch}: {gpu.counter('cycles', launch):.0f} cycles, {gpu.counter('l1d.misses', launch):.0f} L1 misses, "
                  f"IPC {gpu.counter('ipc', launch):.2f}")

        misses = gpu.describe("l1d.misses")
        print(f"{misses.name} ({misses.unit}): {misses.meaning}")
        for sm in range(misses.units):
            print(f"  SM {sm:2}: {gpu.counter('l1d.misses', unit=sm):.0f} in launch 2, {gpu.counter('l1d.misses', launch=0, unit=sm):.0f} in the run")


if __name__ == "__main__":
    main()
