// The number of transactions of a warp's access: lanes are by_lane bytes apart; the first is `offset` bytes after a
// line's start.
#include "micro.h"

KERNEL(load_1_byte, "", "{ .reg .u32 d8; ld.global.u8 d8, [p]; }\n")
KERNEL(load_2_bytes, "", "{ .reg .u32 d8; ld.global.u16 d8, [p]; }\n")
KERNEL(load_4_bytes, "", "{ .reg .u32 d8; ld.global.u32 d8, [p]; }\n")
KERNEL(load_8_bytes, "", "{ .reg .u64 d8; ld.global.u64 d8, [p]; }\n")
KERNEL(load_16_bytes, "", "{ .reg .u32 d8, e8, f8, g8; ld.global.v4.u32 {d8, e8, f8, g8}, [p]; }\n")
KERNEL(local_4_bytes, "", "{ .local .align 16 .b8 own[16]; .reg .u32 d8; ld.local.u32 d8, [own]; }\n")
KERNEL(local_8_bytes, "", "{ .local .align 16 .b8 own[16]; .reg .u64 d8; ld.local.u64 d8, [own]; }\n")
KERNEL(local_16_bytes, "", "{ .local .align 16 .b8 own[16]; .reg .u64 d8, e8; ld.local.v2.u64 {d8, e8}, [own]; }\n")
// Lanes by_step bytes apart.
__constant__ char table[32 * 64];
KERNEL(constants, ".reg .u64 q; cvt.u64.u32 q, y0; mov.u64 p, table; mad.lo.u64 p, q, by, p;\n",
       "{ .reg .u32 d8; ld.const.u32 d8, [p]; }\n")
KERNEL(past_l1, "", "{ .reg .u32 d8; ld.global.cg.u32 d8, [p]; }\n")
KERNEL(store_1_byte, "", "st.global.u8 [p], y0;\n")
KERNEL(store_4_bytes, "", "st.global.u32 [p], y0;\n")

static const Kernel kernels[] = {ENTRY(load_1_byte),   ENTRY(load_2_bytes), ENTRY(load_4_bytes), ENTRY(load_8_bytes),
                                 ENTRY(load_16_bytes), ENTRY(local_4_bytes), ENTRY(local_8_bytes), ENTRY(local_16_bytes), ENTRY(constants), ENTRY(past_l1),      ENTRY(store_1_byte), ENTRY(store_4_bytes)};

int main(int argc, char **argv)
{
	return micro::run_all(kernels, argc, argv);
}
