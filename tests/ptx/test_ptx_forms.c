/* Protects the forms of PTX opcodes: a form that the manual does not list is refused with one message that shows the
 * nearest form. */
#include "simt_kit.h"

#define HEAD                                                                                                           \
	".version 7.0\n.target sm_80\n.address_size 64\n.global .align 16 .b8 g[64];\n.global .texref t;\n"            \
	".visible .entry kernel(.param .align 16 .b8 a[32])\n{\n.reg .pred %p<4>;\n.reg .b16 %h<5>;\n"                 \
	".reg .b32 %r<5>; .reg .b128 %w<5>;\n.reg .b64 %d<5>;\n.reg .f32 %f<5>;\n.shared .align 16 .b8 s[64];\n"       \
	".local .align 16 .b8 l[64];\n"
#define TAIL "\nret;\n}\n"
#define WMMA_SATFINITE                                                                                                 \
	"wmma.mma.sync.aligned.row.col.m16n16k16.f16.f16.satfinite {%r1, %r2, %r3, %r4}, "                             \
	"{%r1, %r2, %r3, %r4, %r1, %r2, %r3, %r4}, {%r1, %r2, %r3, %r4, %r1, %r2, %r3, %r4}, {%r1, %r2, %r3, %r4};"

static struct ptx_module *parse(const char *statement, struct diag *diag)
{
	char text[2048];
	int length = snprintf(text, sizeof text, "%s%s%s", HEAD, statement, TAIL);
	assert_true(length > 0 && (size_t)length < sizeof text);
	return ptx_parse("form.ptx", text, (size_t)length, diag);
}

/* Protects against suffixes, types and operands that exist, but not in this combination (PTX ISA, chapter 9). */
static void test_no_such_form(void **state)
{
	(void)state;
	static const char *const statements[] = {
		"vote.ballot.pred %p1, %p2;",
		"vote.uni.b32 %r1, %p2;",
		"vote.sync.all.pred %p1, %p2;",
		"vote.any.pred %p1, %p2, %r1;",
		"vote.sync.pred %p1, %p2, -1;",
		"bar.arrive.pred %p1, 0, 32, %p2;",
		"bar.arrive 1;",
		"bar.sync.u32 %r1, 0, %p1;",
		"bar.red.pred %p1, 0, %p2;",
		"bar.red.popc.pred %p1, 0, %p2;",
		"bar.red.and.u32 %r1, 0, %p2;",
		"bar.red.popc.u32 %r1, 0;",
		"bar.sync.popc 0;",
		"bar.sync.aligned 0;",
		"bar.warp.sync 0, 32;",
		"bar.warp.sync.pred %p1, 0, %p2;",
		"bar.warp.arrive 0, 32;",
		"bar.warp.cta.sync 0;",
		"bar.sync.red.popc.u32 %r1, 0, %p1;",
		"barrier.red.popc.pred %p1, 0, %p2;",
		"barrier.warp.sync 0;",
		"bar 0;",
		"add.cc.sat.s32 %r1, %r2, %r3;",
		"add.sat.u32 %r1, %r2, %r3;",
		"add.cc.u16 %h1, %h2, %h3;",
		"add.ftz.f64 %d1, %d2, %d3;",
		"add.rz.f16 %h1, %h2, %h3;",
		"add.rz.bf16 %h1, %h2, %h3;",
		"add.sat.bf16x2 %r1, %r2, %r3;",
		"fma.rn.sat.relu.f16 %h1, %h2, %h3, %h4;",
		"fma.rn.ftz.bf16 %h1, %h2, %h3, %h4;",
		"sub.u16x2 %r1, %r2, %r3;",
		"min.relu.u32 %r1, %r2, %r3;",
		"max.xorsign.f32 %f1, %f2, %f3;",
		"min.NaN.f64 %d1, %d2, %d3;",
		"abs.ftz.bf16 %h1, %h2;",
		"ex2.approx.bf16 %h1, %h2;",
		"set.eq.f16x2.f16 %r1, %h1, %h2;",
		"set.eq.bf16x2.f16x2 %r1, %r2, %r3;",
		"cvt.rn.f16x2.f32 %r1, %f1;",
		"cvt.rm.f16x2.f32 %r1, %f1, %f2;",
		"cvt.rna.f16.f32 %h1, %f1;",
		"cvt.rna.relu.tf32.f32 %r1, %f1;",
		"bmsk.b32 %r1, %r2, %r3;",
		"bmsk.clamp.u32 %r1, %r2, %r3;",
		"szext.wrap.b32 %r1, %r2, %r3;",
		"fns.u32 %r1, %r2, %r3, %r4;",
		"vadd.u32.u32 %r1, %r2, %r3;",
		"vadd.u32.u32.u32.u32 %r1, %r2, %r3;",
		"vadd.u32.u32.u32 %r1.b0, %r2, %r3;",
		"vadd.u32.u32.u32 %r1, %r2, %r3, %r4;",
		"vadd.u32.u32.u32.add %r1.b0, %r2, %r3, %r4;",
		"vadd.u32.u32.u32 %r1, %r2.b4, %r3;",
		"vadd.u32.u32.u32 %r1, %r2.b10, %r3;",
		"vavrg.u32.u32.u32 %r1, %r2, %r3;",
		"vset.eq.u32.u32.u32 %r1, %r2, %r3;",
		"vadd2.u32.u32.u32 %r1, %r2.b10, %r3, %r4;",
		"vadd2.u32.u32.u32 %r1, %r2.h40, %r3, %r4;",
		"vadd2.u32.u32.u32 %r1.h01, %r2, %r3, %r4;",
		"vadd4.u32.u32.u32 %r1, %r2, %r3;",
		"vadd4.sat.add.u32.u32.u32 %r1, %r2, %r3, %r4;",
		"vadd4.u32.u32.u32 %r1, %r2.b321, %r3, %r4;",
		"add.u32 %r1.b0, %r2, %r3;",
		"ld.shared.L1::no_allocate.u32 %r1, [%d1];",
		"ld.global.L2::32B.u32 %r1, [%d1];",
		"ld.global.L2::cache_hint.u32 %r1, [%d1];",
		"ld.global.u32 %r1, [%d1], %d2;",
		"st.global.L2::cache_hint.u32 [%d1], %r1, %r2;",
		"griddepcontrol;",
		"mul.sat.s32 %r1, %r2, %r3;",
		"mul.lo.wide.u32 %r1, %r2, %r3;",
		"mul.lo.f32 %f1, %f2, %f3;",
		"mad.rn.f16 %h1, %h2, %h3, %h4;",
		"mad.wide.cc.u32 %d1, %r2, %r3, %d4;",
		"mad.lo.sat.s32 %r1, %r2, %r3, %r4;",
		"fma.rn.approx.f32 %f1, %f2, %f3, %f4;",
		"div.approx.rn.f32 %f1, %f2, %f3;",
		"div.approx.f64 %d1, %d2, %d3;",
		"div.rn.f16 %h1, %h2, %h3;",
		"div.ftz.u32 %r1, %r2, %r3;",
		"rcp.full.f32 %f1, %f2;",
		"rcp.approx.f64 %d1, %d2;",
		"sqrt.approx.ftz.f64 %d1, %d2;",
		"sin.f32 %f1, %f2;",
		"abs.u32 %r1, %r2;",
		"neg.u64 %d1, %d2;",
		"min.b32 %r1, %r2, %r3;",
		"min.ftz.f64 %d1, %d2, %d3;",
		"shf.l.r.wrap.b32 %r1, %r2, %r3, %r4;",
		"shf.l.b32 %r1, %r2, %r3, %r4;",
		"shf.wrap.b32 %r1, %r2, %r3, %r4;",
		"shf.l.wrap.clamp.b32 %r1, %r2, %r3, %r4;",
		"prmt.f4e.b4e.b32 %r1, %r2, %r3, %r4;",
		"setp.lo.s32 %p1, %r1, %r2;",
		"setp.lt.b32 %p1, %r1, %r2;",
		"setp.num.u32 %p1, %r1, %r2;",
		"setp.hs.f32 %p1, %f1, %f2;",
		"setp.eq.and.s32 %p1, %r1, %r2;",
		"setp.eq.s32 %p1, %r1, %r2, %p2;",
		"setp.eq.ftz.s32 %p1, %r1, %r2;",
		"set.eq.u64.u32 %d1, %r1, %r2;",
		"slct.f32.u32 %f1, %f2, %f3, %r1;",
		"slct.ftz.f32.s32 %f1, %f2, %f3, %r1;",
		"selp.pred %p1, %p2, %p3, %p0;",
		"selp.f16 %h1, %h2, %h3, %p0;",
		"mov.f16 %h1, %h2;",
		"mov.u8 %h1, %h2;",
		"cvt.f32.s32 %f1, %r1;",
		"cvt.rzi.f32.s32 %f1, %r1;",
		"cvt.rn.s32.f32 %r1, %f1;",
		"cvt.s32.f32 %r1, %f1;",
		"cvt.rn.s32.u32 %r1, %r2;",
		"cvt.ftz.u32.u64 %r1, %d1;",
		"cvt.rn.f64.f32 %d1, %f1;",
		"cvt.f32.f64 %f1, %d1;",
		"cvta.reg.u64 %d1, %d2;",
		"cvta.global.s64 %d1, %d2;",
		"cvta.to.u64 %d1, %d2;",
		"isspacep %p1, %d1;",
		"ld.release.gpu.u32 %r1, [%d1];",
		"ld.relaxed.u32 %r1, [%d1];",
		"ld.gpu.u32 %r1, [%d1];",
		"ld.acquire.gpu.local.u32 %r1, [%d1];",
		"ld.shared.nc.u32 %r1, [%d1];",
		"ld.wb.u32 %r1, [%d1];",
		"ld.f16 %h1, [%d1];",
		"st.acquire.gpu.u32 [%d1], %r1;",
		"st.ca.u32 [%d1], %r1;",
		"st.const.u32 [%d1], %r1;",
		"st.nc.u32 [%d1], %r1;",
		"ldu.local.u32 %r1, [%d1];",
		"atom.u32 %r1, [%d1], 1;",
		"atom.add.b32 %r1, [%d1], 1;",
		"atom.and.u32 %r1, [%d1], 1;",
		"atom.inc.s32 %r1, [%d1], 1;",
		"atom.min.f32 %f1, [%d1], %f2;",
		"atom.exch.b16 %h1, [%d1], %h2;",
		"atom.add.f16 %h1, [%d1], %h2;",
		"atom.add.min.u32 %r1, [%d1], 1;",
		"atom.volatile.add.u32 %r1, [%d1], 1;",
		"atom.cas.b32 %r1, [%d1], %r2;",
		"atom.add.u32 %r1, [%d1], %r2, %r3;",
		"red.exch.b32 [%d1], %r1;",
		"red.cas.b32 [%d1], %r1, %r2;",
		"prefetch.global [%d1];",
		"prefetchu.L2 [%d1];",
		"membar.gpu;",
		"membar;",
		"fence.gl;",
		"fence.relaxed.gpu;",
		"fence.sc;",
		"match.sync.b32 %r1, %r2, -1;",
		"match.any.b32 %r1, %r2, -1;",
		"match.any.all.sync.b32 %r1, %r2, -1;",
		"match.any.sync.b32 %r1|%p1, %r2, -1;",
		"shfl.sync.idx.b32 %r1, %r2, 0, 31;",
		"shfl.idx.b32 %r1, %r2, 0, 31, -1;",
		"shfl.idx.u32 %r1, %r2, 0, 31;",
		"shfl.idx.up.b32 %r1, %r2, 0, 31;",
		"redux.add.u32 %r1, %r2, -1;",
		"redux.sync.and.u32 %r1, %r2, -1;",
		"redux.sync.add.b32 %r1, %r2, -1;",
		"activemask.u32 %r1;",
		"nanosleep.s32 %r1;",
		"pmevent %r1;",
		"pmevent.mask;",
		"pmevent.b32 3;",
		"relssp 1;",
		"relssp.u32;",
		"testp.f32 %p1, %f1;",
		"ret.uni.uni;",
		"exit.uni;",
		"vshl.s32.s32.s32.clamp %r1, %r2, %r3;",
		"vshr.u32.u32.s32.wrap.add %r1, %r2, %r3, %r4;",
		"set.eq.f32.f16 %f1, %h1, %h2;",
		"set.eq.ftz.f32.f16 %f1, %h1, %h2;",
		"set.eq.f32.bf16 %f1, %h1, %h2;",
		"set.eq.f16.bf16 %h1, %h2, %h3;",
		"set.eq.ftz.bf16.f32 %h1, %f1, %f2;",
		"set.lt.and.ftz.bf16.f16 %h1, %h2, %h3, %p1;",
		"setp.eq.f16 %p1|%p2, %h1, %h2;",
		"setp.lt.and.bf16 %p1|%p2, %h1, %h2, %p3;",
		"cvt.rn.bf16.u8 %h1, %h2;",
		"cvt.rzi.s8.bf16 %h1, %h2;",
		"cvt.rn.sat.bf16.f32 %h1, %f1;",
		"cvt.rzi.sat.s32.bf16 %r1, %h1;",
		"cvt.sat.f32.bf16 %f1, %h1;",
		"cvt.rn.sat.f16.bf16 %h1, %h2;",
		"cvt.sat.u32.u16 %r1, %h1;",
		"cvt.sat.s16.u8 %h1, %h2;",
		"cvt.sat.s64.u32 %d1, %r1;",
		"mad.f32 %f1, %f2, %f3, %f4;",
		"mad.ftz.sat.f32 %f1, %f2, %f3, %f4;",
		"lop3.b32 %r1, %r2, %r3, %r4, %r1;",
		"mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f32 {%r1, %r2, %r3, %r4}, {%r1, %r2}, {%r3, %r4}, {%f1, "
		"%f2, %f3, %f4, %f1, %f2, %f3, %f4};",
		"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f16 {%f1, %f2, %f3, %f4}, {%r1, %r2}, {%r3}, {%r1, %r2};",
		"mma.sync.aligned.m16n8k16.row.col.f16.e4m3.e4m3.f32 {%r1, %r2}, {%r1, %r2}, {%r3}, {%f1, %f2, %f3, "
		"%f4};",
		"mma.sync.aligned.m16n8k8.row.col.rn.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2}, {%r3}, {%f1, "
		"%f2, %f3, %f4};",
		"wmma.mma.sync.aligned.row.col.m8n8k32.s32.u4.s4.s32 {%r1, %r2}, {%r3}, {%r4}, {%r1, %r2};",
		"wmma.mma.sync.aligned.row.col.m16n16k16.f16.f16.satfinite {%r1, %r2, %r3, %r4}, {%r1, %r2, %r3, %r4, "
		"%r1, %r2, %r3, %r4}, {%r1, %r2, %r3, %r4, %r1, %r2, %r3, %r4}, {%r1, %r2, %r3, %r4};",
		"elect.sync %r1, -1;",
		"mapa.shared.u32 %r1, %r2, 0;",
		"getctarank.shared.u32 %r1, %r2;",
		"ld.volatile.local.u32 %r1, [%d1];",
		"ld.volatile.const.u32 %r1, [%d1];",
		"ld.volatile.global.ca.u32 %r1, [%d1];",
		"ld.volatile.global.L1::evict_last.u32 %r1, [%d1];",
		"ld.global.ca.L1::evict_last.u32 %r1, [%d1];",
		"ld.relaxed.cta.shared.L1::evict_last.u32 %r1, [%d1];",
		"ld.relaxed.cta.shared.L2::64B.u32 %r1, [%d1];",
		"ld.global.L2::evict_last.u32 %r1, [%d1];",
		"ld.global.v2.b128 {%w1, %w2}, [%d1];",
		"ld.shared.v4.u64 {%d1, %d2, %d3, %d4}, [%d1];",
		"ldu.global.v4.u64 {%d1, %d2, %d3, %d4}, [%d1];",
		"st.global.L2::64B.u32 [%d1], %r1;",
		"st.wb.L1::evict_last.u32 [%d1], %r1;",
		"st.volatile.global.wb.u32 [%d1], %r1;",
		"st.local.v4.u64 [%d1], {%d1, %d2, %d3, %d4};",
		"atom.add.s64 %d1, [%d2], %d3;",
		"atom.shared.add.L2::cache_hint.u32 %r1, [%d1], %r2, %d2;",
		"atom.cas.L2::cache_hint.b32 %r1, [%d1], %r2, %r3, %d2;",
		"red.add.s64 [%d1], %d2;",
		"red.acquire.gpu.add.u32 [%d1], %r1;",
		"red.acq_rel.gpu.add.u32 [%d1], %r1;",
		"red.shared.add.L2::cache_hint.u32 [%d1], %r1, %d2;",
		"tex.2d.v2.f32.f32 {%f1, %f2}, [t, {%f1, %f2}];",
		"tex.1d.f32.f32 %f1, [t, {%f1}];",
		"tex.3d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [t, {%f1, %f2, %f3}];",
		"tex.cube.v4.f32.s32 {%f1, %f2, %f3, %f4}, [t, {%r1, %r2, %r3, %r4}];",
		"tld4.r.2d.v4.f16.f32 {%h1, %h2, %h3, %h4}, [t, {%f1, %f2}];",
		"txq.level.width.b32 %r1, [%d1];",
		"txq.width.b32 %r1, [%d1], %r2;",
		"txq.level.array_size.b32 %r1, [%d1], %r2;",
		"suq.num_samples.b32 %r1, [%d1];",
		"suld.b.2d.v4.b64.trap {%d1, %d2, %d3, %d4}, [%d1, {%r1, %r2}];",
		"suld.b.3d.b32.trap %r1, [%d1, {%r1, %r2, %r3}];",
		"sust.p.1d.f32.trap [%d1, {%r1}], %f1;",
		"sured.b.add.a1d.u32.trap [%d1, {%r1, %r2}], %r3;",
		"sured.p.add.1d.b64.trap [%d1, {%r1}], %d2;",
		"cp.async.bulk.shared.global.mbarrier::complete_tx::bytes [%r1], [%d1], %r2, [%r3];",
		"cp.reduce.async.bulk.global.shared::cta.bulk_group.add.s64 [%d1], [%r1], %r2;",
		"prefetch.tensormap.global [%d1];",
		"fence.proxy.async.shared;",
		"fence.acquire.sync_restrict::shared::cta.cluster;",
		"fence.proxy.async::generic.release.sync_restrict::shared::cluster.cluster;",
		"mbarrier.arrive.release.b64 %d1, [%d2];",
		"mbarrier.arrive.cluster.b64 %d1, [%d2];",
		"mbarrier.arrive.noComplete.relaxed.cta.b64 %d1, [%d2], 1;",
		"mbarrier.expect_tx.release.cta.b64 [%d2], 16;",
		"mbarrier.try_wait.acquire.b64 %p1, [%d1], %d2;",
		"mbarrier.test_wait.parity.cta.b64 %p1, [%d1], %r1;",
	};
	for (size_t i = 0; i < sizeof statements / sizeof *statements; i++) {
		struct diag diag = {0};
		struct ptx_module *module = parse(statements[i], &diag);
		if (module || diag.errors != 1 || !strstr(diag.text, "form.ptx:15:") ||
		    !strstr(diag.text, "; expected "))
			fail_msg("%s\n%s", statements[i], module ? "is accepted" : diag.text);
		diag_free(&diag);
	}
}

/* Protects the forms next to those: the parser accepts what the manual lists. */
static void test_forms(void **state)
{
	(void)state;
	static const char *const statements[] = {
		"vshl.s32.s32.u32.clamp %r1, %r2, %r3;",
		"set.eq.ftz.f16.f16 %h1, %h2, %h3;",
		"set.eq.bf16.f16 %h1, %h2, %h3;",
		"set.eq.ftz.f16.f32 %h1, %f1, %f2;",
		"set.eq.u16.bf16 %h1, %h2, %h3;",
		"setp.eq.f16x2 %p1|%p2, %r1, %r2;",
		"setp.lt.ftz.f32 %p1|%p2, %f1, %f2;",
		"cvt.sat.u8.s32 %h1, %r2;",
		"cvt.sat.u64.s8 %d1, %h1;",
		"cvt.sat.s64.u64 %d1, %d2;",
		"cvt.rn.bf16.u16 %h1, %h2;",
		"mad.rn.ftz.sat.f32 %f1, %f2, %f3, %f4;",
		"mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f16 {%f1, %f2, %f3, %f4, %f1, %f2, %f3, %f4}, {%r1, %r2}, "
		"{%r3, %r4}, {%r1, %r2, %r3, %r4};",
		"mma.sync.aligned.m8n8k4.row.col.rz.f64.f64.f64.f64 {%d1, %d2}, {%d1}, {%d2}, {%d3, %d4};",
		"mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64.rp {%d1, %d2, %d3, %d4}, {%d1, %d2, %d3, %d4}, {%d1, "
		"%d2}, {%d1, %d2, %d3, %d4};",
		"wmma.mma.sync.aligned.row.col.m8n8k4.rm.f64.f64.f64.f64 {%d1, %d2}, {%d1}, {%d2}, {%d3, %d4};",
		"elect.sync _|%p1, -1;",
		"ld.global.ca.L2::64B.v2.u32 {%r1, %r2}, [%d1];",
		"ld.global.L1::evict_last.L2::evict_last.v4.u64 {%d1, %d2, %d3, %d4}, [%d1];",
		"ld.acquire.gpu.L2::evict_first.L2::cache_hint.v8.b32 {%r1, %r2, %r3, %r4, %r1, %r2, %r3, %r4}, [%d1], "
		"%d2;",
		"ld.volatile.L2::128B.u32 %r1, [%d1];",
		"st.release.gpu.global.L1::evict_last.L2::cache_hint.v8.f32 [%d1], {%f1, %f2, %f3, %f4, %f1, %f2, %f3, "
		"%f4}, %d2;",
		"st.global.wb.L2::cache_hint.v2.b64 [%d1], {%d1, %d2}, %d3;",
		"red.release.gpu.add.u64 [%d1], %d2;",
		"sured.b.min.1d.s64.trap [%d1, {%r1}], %d2;",
		"sured.b.max.2d.u64.clamp [%d1, {%r1, %r2}], %d2;",
		"sured.p.min.3d.b64.zero [%d1, {%r1, %r2, %r3, %r3}], %d2;",
		"tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [t, {%f1, %f2, %f3, %f4}];",
		"prefetch.tensormap.param [a];",
		"prefetch.param.tensormap [a];",
		"prefetch.const.tensormap [%d1];",
		"fence.acquire.sync_restrict::shared::cluster.cluster;",
		"fence.proxy.async.shared::cta;",
		"mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r1];",
	};
	for (size_t i = 0; i < sizeof statements / sizeof *statements; i++) {
		struct diag diag = {0};
		struct ptx_module *module = parse(statements[i], &diag);
		if (!module)
			fail_msg("%s\n%s", statements[i], diag.text);
		ptx_free(module);
		diag_free(&diag);
	}
}

/* Protects forms that ended with a target or a version of PTX. */
static void test_old_forms(void **state)
{
	(void)state;
	static const struct {
		const char *version, *target, *statement;
		bool good;
	} cases[] = {
		{"1.4", "sm_13", "mad.f32 %f1, %f2, %f3, %f4;", true},
		{"2.0", "sm_20", "mad.f32 %f1, %f2, %f3, %f4;", false},
		{"2.0", "sm_20", "mad.rn.f32 %f1, %f2, %f3, %f4;", true},
		{"6.4", "sm_70", WMMA_SATFINITE, true},
		{"6.5", "sm_70", WMMA_SATFINITE, false},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char text[1024];
		struct diag diag = {0};
		int length =
			snprintf(text, sizeof text,
		                 ".version %s\n.target %s\n.entry k()\n{\n.reg .b32 %%r<5>;\n.reg .f32 %%f<5>;\n%s\n"
		                 "ret;\n}\n",
		                 cases[i].version, cases[i].target, cases[i].statement);
		struct ptx_module *module = ptx_parse("old.ptx", text, (size_t)length, &diag);
		if ((module != NULL) != cases[i].good)
			fail_msg("%s for %s\n%s", cases[i].statement, cases[i].target, diag.text);
		if (!module)
			assert_non_null(strstr(diag.text, "; expected "));
		ptx_free(module);
		diag_free(&diag);
	}
}

/* Protects the message: the unexpected word, its column, and the nearest form. */
static void test_words(void **state)
{
	(void)state;
	static const char *const cases[][2] = {
		{"vote.ballot.pred %p1, %p2;",
	         "15:12: error: there is no 'vote.ballot.pred'; expected 'vote.ballot.b32'"},
		{"vote.uni.b32 %r1, %p2;",
	         "15:9: error: there is no 'vote.uni.b32'; expected 'vote(.all|.any|.uni).pred'"},
		{"bar.red.popc.pred %p1, 0, %p2;",
	         "15:13: error: there is no 'bar.red.popc.pred'; expected 'bar{.cta}.red.popc.u32'"},
		{"atom.min.f32 %f1, [%d1], %f2;", "15:9: error: there is no 'atom.min.f32'; expected "
	                                          "'atom{.relaxed|.acquire|.release|.acq_rel}{.cta|.cluster|.gpu|.sys}{"
	                                          ".global|.shared|.shared::cta|.shared::cluster}(.min|.max)"
	                                          "(.u32|.u64|.s32|.s64)'"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct diag diag = {0};
		assert_null(parse(cases[i][0], &diag));
		if (!strstr(diag.text, cases[i][1]))
			fail_msg("%s", diag.text);
		diag_free(&diag);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_such_form),
		cmocka_unit_test(test_forms),
		cmocka_unit_test(test_old_forms),
		cmocka_unit_test(test_words),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
