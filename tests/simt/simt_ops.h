/* simt_ops: runs one instruction on many operands in a kernel. */
#ifndef SLUICE_TESTS_SIMT_OPS_H
#define SLUICE_TESTS_SIMT_OPS_H

#include "simt_kit.h"

enum { OPS_VECTORS = 1024, OPS_SOURCES = 4 };

/* Sources as bit patterns, and the destination's bits. */
struct ops_data {
	uint64_t in[OPS_VECTORS][OPS_SOURCES];
	uint64_t out[OPS_VECTORS];
};

/* Runs an instruction that names its registers by size. Sources are %h1.. (16 bits), %r1.., %d1.. and the predicate %p1
 * (the low bit of source 4). The destination is %h0, %r0, %d0 or %p0, by `destination`. A fault of the launch is a test
 * failure. */
static inline void ops_run(const char *instruction, char destination, unsigned level, struct ops_data *data)
{
	static const char head[] = ".version 7.0\n.target sm_80\n.address_size 64\n"
				   ".visible .entry op(.param .u64 in, .param .u64 out)\n{\n"
				   ".reg .b16 %h<8>;\n.reg .b32 %r<16>;\n.reg .b64 %d<8>;\n.reg .pred %p<8>;\n"
				   ".reg .b64 %a, %b;\n.reg .b32 %t, %n, %c;\n"
				   "ld.param.u64 %a, [in];\nld.param.u64 %b, [out];\n"
				   "mov.u32 %t, %tid.x;\nmov.u32 %n, %ntid.x;\nmov.u32 %c, %ctaid.x;\n"
				   "mad.lo.u32 %t, %c, %n, %t;\n"
				   "mad.wide.u32 %a, %t, 32, %a;\nmad.wide.u32 %b, %t, 8, %b;\n";
	char text[4096];
	int length = snprintf(text, sizeof text, "%s", head);
	for (int k = 0; k < OPS_SOURCES; k++)
		length += snprintf(text + length, sizeof text - (size_t)length,
				   "ld.global.b16 %%h%d, [%%a+%d];\nld.global.b32 %%r%d, [%%a+%d];\n"
				   "ld.global.b64 %%d%d, [%%a+%d];\n",
				   k + 1, 8 * k, k + 1, 8 * k, k + 1, 8 * k);
	length += snprintf(text + length, sizeof text - (size_t)length,
			   "and.b32 %%r10, %%r4, 1;\nsetp.ne.u32 %%p1, %%r10, 0;\n%s;\n", instruction);
	if (destination == 'p')
		length += snprintf(text + length, sizeof text - (size_t)length, "selp.b32 %%r0, 1, 0, %%p0;\n");
	snprintf(text + length, sizeof text - (size_t)length, "st.global.b%s [%%b], %%%c0;\nret;\n}\n",
		 destination == 'h'   ? "16"
		 : destination == 'd' ? "64"
				      : "32",
		 destination == 'p' ? 'r' : destination);
	struct kit kit;
	kit_open_level(&kit, text, level);
	void *in = kit_buffer(&kit, sizeof data->in), *out = kit_buffer(&kit, sizeof data->out);
	memcpy(in, data->in, sizeof data->in);
	kit.launch.grid.x = OPS_VECTORS / 64;
	kit.launch.block.x = 64;
	kit_run(&kit);
	memcpy(data->out, out, sizeof data->out);
	kit_close(&kit);
}

#endif
