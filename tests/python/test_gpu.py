"""Protects python/sluice_gpu.py: memory, launches with arguments of each kind, counters of launches and units, errors."""
import math
import struct
import unittest

import sluice_gpu

PTX = """
.version 6.0
.target sm_20
.address_size 64
.visible .entry scale(.param .u64 data, .param .f32 factor, .param .u32 count, .param .s8 less)
{
    .reg .b64 %rd<4>; .reg .b32 %r<6>; .reg .f32 %f<4>; .reg .pred %p<2>; .reg .s16 %h<2>;
    ld.param.u64 %rd1, [data]; ld.param.f32 %f1, [factor]; ld.param.u32 %r1, [count]; ld.param.s8 %h1, [less];
    mov.u32 %r2, %tid.x; setp.ge.u32 %p1, %r2, %r1; @%p1 ret;
    mul.wide.u32 %rd2, %r2, 4; add.u64 %rd3, %rd1, %rd2;
    ld.global.f32 %f2, [%rd3]; mul.f32 %f2, %f2, %f1; cvt.rn.f32.s16 %f3, %h1; add.f32 %f2, %f2, %f3;
    st.global.f32 [%rd3], %f2;
    ret;
}
"""


class TestGpu(unittest.TestCase):
    def setUp(self):
        self.gpu = sluice_gpu.Gpu(mechanisms=["mthwp"], options=["l1d.sets=64"])
        self.gpu.load(PTX)
        self.data = self.gpu.alloc(256)

    def tearDown(self):
        self.gpu.close()

    def scale(self):
        return self.gpu.launch("scale", grid=1, block=(64, 1), arguments=[self.data, 2.5, 64, -1])

    def test_arguments_of_each_kind(self):
        self.gpu.write(self.data, struct.pack("<64f", *range(64)))
        self.assertEqual(self.scale(), 1)
        self.assertEqual(struct.unpack("<64f", self.gpu.read(self.data, 256)), tuple(2.5 * i - 1 for i in range(64)))

    def test_counters(self):
        self.scale()
        self.scale()
        self.assertEqual(self.gpu.launches, 2)
        whole = self.gpu.counter("sm.warp_instructions", launch=0)
        self.assertEqual(whole, self.gpu.counter("sm.warp_instructions", 1) + self.gpu.counter("sm.warp_instructions"))
        row = self.gpu.describe("sm.warp_instructions")
        self.assertEqual((row.scope, row.units, row.is_derived), ("SM", 15, False))
        self.assertEqual(whole, sum(self.gpu.counter(row.name, 0, unit) for unit in range(row.units)))
        names = [counter.name for counter in self.gpu.counters()]
        self.assertEqual(len(names), len(set(names)))
        self.assertIn("mthwp.asked", names)
        self.assertIn("dram.row_hit_rate", names)

    def test_functional(self):
        with sluice_gpu.Gpu(functional=True) as gpu:
            gpu.load(PTX)
            gpu.launch("scale", 1, 64, [gpu.alloc(256), 2.5, 64, 0])
            self.assertTrue(math.isnan(gpu.counter("cycles")))
            self.assertGreater(gpu.counter("sm.warp_instructions"), 0)

    def test_errors(self):
        for wrong, text in ((lambda: self.gpu.load("nonsense"), "module.ptx:1"),
                            (lambda: self.gpu.launch("none", 1, 1), "no module has a kernel 'none'"),
                            (lambda: self.gpu.launch("scale", 0, 1, [0, 0.0, 0, 0]), "grid"),
                            (lambda: self.gpu.launch("scale", 1, 1, [0, b"abc", 0, 0]), "parameter 1 has 4 bytes, not 3"),
                            (lambda: self.gpu.launch("scale", 1, 1, [0, 0.0, 0, 0, 0]), "no parameter 4"),
                            (lambda: self.gpu.counter("l1d.none"), "no counter 'l1d.none'"),
                            (lambda: self.gpu.counter("l1d.hits", 9), "no launch 9"),
                            (lambda: self.gpu.describe("none"), "no counter 'none'"),
                            (lambda: sluice_gpu.Gpu(machine="none"), "no machine 'none'")):
            with self.assertRaises(sluice_gpu.Error) as raised:
                wrong()
            self.assertIn(text, str(raised.exception))
        self.gpu.close()
        with self.assertRaises(sluice_gpu.Error):
            self.gpu.alloc(1)
        self.gpu.close()


if __name__ == "__main__":
    unittest.main()
