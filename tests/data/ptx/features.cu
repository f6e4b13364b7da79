// Sources of the PTX files beside this one, each part behind its macro; the command is in README.md.
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define TID __nvvm_read_ptx_sreg_tid_x()
typedef unsigned long long u64;
struct vec2 { float x, y; } __attribute__((aligned(8)));
struct vec4 { float x, y, z, w; } __attribute__((aligned(16)));
struct triple { int a[3]; double d; };

extern "C" {
#ifdef CALLS
__device__ int vprintf(const char *format, void *arguments);
__device__ __attribute__((noinline)) int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }
__device__ __attribute__((noinline)) triple turn(triple t, double by) { triple r = {{t.a[2], t.a[0], t.a[1]}, t.d * by}; return r; }
__device__ __attribute__((noinline)) float twice(float x) { return 2 * x; }
__device__ __attribute__((noinline)) float square(float x) { return x * x; }
typedef float (*map)(float);
__device__ map maps[2] = {twice, square};
__global__ void calls(int *out, triple *t, float *f, int which)
{
	int i = TID;
	out[i] = factorial(i);
	t[i] = turn(t[i], 0.5);
	f[i] = maps[which](f[i]);
	struct { int a; double b; } arguments = {i, t[i].d};
	vprintf("thread %d has %f\n", &arguments);
}
#endif
#ifdef MEMORY
__constant__ float table[2][3] = {{1, 2, 3}, {4, 5, -6.5f}};
__constant__ int limits[4];
__device__ double scale = 1.5;
__device__ short shorts[3] = {-1, 2, -3};
__device__ int counter;
__device__ int *counter_address = &counter;
extern __shared__ float dynamic[];
__global__ void memory(vec2 *v2, vec4 *v4, unsigned char *bytes, short *s, u64 *wide, volatile int *v)
{
	__shared__ vec4 tile[32];
	int local[16];
	int i = TID;
	for (int k = 0; k < 16; k++)
		local[(k * i) & 15] = limits[k & 3];
	tile[i] = v4[i];
	dynamic[i] = table[i & 1][i % 3];
	__syncthreads();
	vec2 a = v2[i];
	v2[i] = vec2{a.y + dynamic[31 - i], a.x};
	v4[i] = tile[31 - i];
	bytes[i] = bytes[i] + 3;
	s[i] = s[i] * shorts[i % 3];
	wide[i] = wide[i] * 0x123456789abcdefull + local[i & 15];
	v[i] = v[i] + 1 + *counter_address;
	scale = scale * i;
}
#endif
#ifdef ARITHMETIC
__global__ void arithmetic(float *f, double *d, int *i, unsigned *u, long long *l, u64 *ul)
{
	int t = TID;
	f[t] = __builtin_fmaf(f[t], f[t + 1], f[t + 2]) / f[t + 3] + __builtin_sqrtf(f[t + 4]);
	f[t + 8] = __nvvm_sin_approx_f(f[t]) + __nvvm_rsqrt_approx_f(f[t + 1]) + __nvvm_ex2_approx_f(f[t + 2]);
	f[t + 9] = __builtin_floorf(f[t]) + __builtin_fminf(f[t], 3) + __builtin_truncf(f[t + 1]) + __builtin_fabsf(f[t]);
	d[t] = d[t] * d[t + 1] + d[t + 2] / d[t + 3] - (double)f[t] + (double)l[t];
	d[t + 1] = __nvvm_sqrt_rn_d(d[t]) + __nvvm_fma_rz_d(d[t], d[t], 2.5);
	i[t] = i[t] / i[t + 1] + i[t + 2] % 7 + (i[t] >> 3) + (int)f[t] + (i[t] < i[t + 3] ? i[t] : -i[t + 3]);
	u[t] = u[t] / u[t + 1] + (u[t] >> (t & 31)) + __builtin_popcount(u[t]) + __builtin_clz(u[t]) + __builtin_bitreverse32(u[t]);
	u[t + 1] = (unsigned)f[t] + (u[t] & ~u[t + 2]) + (u[t] << 5 | u[t] >> 27);
	l[t] = l[t] * l[t + 1] / l[t + 2] + (l[t] << (t & 63)) + i[t];
	ul[t] = ul[t] % ul[t + 1] + __builtin_popcountll(ul[t]) + (u64)d[t] + __nvvm_mulhi_ull(ul[t], ul[t + 1]);
	if (f[t] != f[t] && (i[t] > 3 || u[t] > 7) && d[t] >= 0)
		f[t] = 0;
}
#endif
#ifdef ATOMICS
__global__ void atomics(int *i, unsigned *u, u64 *l, float *f)
{
	__shared__ int total;
	int t = TID;
	__nvvm_atom_add_gen_i(&i[0], t);
	i[t] = __nvvm_atom_max_gen_i(&i[1], t) + __nvvm_atom_cas_gen_i(&i[2], t, t + 1) + __nvvm_atom_xchg_gen_i(&i[3], t);
	u[t] = __nvvm_atom_inc_gen_ui(&u[0], 31) + __nvvm_atom_min_gen_ui(&u[1], t) + __nvvm_atom_dec_gen_ui(&u[2], 31);
	l[t] = __nvvm_atom_add_gen_ll((long long *)&l[0], t) + __nvvm_atom_or_gen_ll((long long *)&l[1], 1ll << t);
	f[t] = __nvvm_atom_add_gen_f(&f[0], 1.5f);
	total = 0;
	__syncthreads();
	__nvvm_atom_and_gen_i(&total, t);
	__nvvm_membar_gl();
	__nvvm_membar_cta();
	__nvvm_membar_sys();
	i[t] = __nvvm_bar0_popc(t & 1) + __nvvm_bar0_and(t) + __nvvm_bar0_or(t);
}
#endif
#ifdef WARP
__global__ void warp(int *i, float *f)
{
	int t = TID;
	i[t] = __nvvm_shfl_sync_bfly_i32(-1, i[t], 16, 31) + __nvvm_shfl_sync_down_i32(-1, i[t], 1, 31) +
	       __nvvm_shfl_sync_up_i32(-1, i[t], 1, 0) + __nvvm_shfl_sync_idx_i32(t, i[t], 3, 31);
	f[t] = __nvvm_shfl_sync_idx_f32(-1, f[t], 3, 31);
	i[t] += __nvvm_vote_ballot_sync(-1, t & 1) + __nvvm_vote_all_sync(-1, t > 3) + __nvvm_vote_any_sync(-1, t > 3) +
	        __nvvm_vote_uni_sync(-1, t > 3);
	i[t] += __nvvm_match_any_sync_i32(-1, t & 3) + __nvvm_match_any_sync_i64(-1, t & 3);
	i[t] += __nvvm_read_ptx_sreg_laneid() + __nvvm_read_ptx_sreg_warpid() + __nvvm_read_ptx_sreg_lanemask_lt() +
	        (int)__nvvm_read_ptx_sreg_clock64() + __nvvm_read_ptx_sreg_smid();
	__nvvm_bar_warp_sync(-1);
	__nvvm_barrier_sync(1);
	__nvvm_barrier_sync_cnt(2, 64);
	asm volatile("{ .reg .pred p; .reg .b32 t; LOOP: add.s32 t, %0, 1; setp.lt.s32 p, t, 10; @p bra LOOP; }" ::"r"(t));
	asm volatile("{ .reg .pred p; .reg .b32 t; LOOP: add.s32 t, %0, 2; setp.lt.s32 p, t, 20; @!p bra LOOP; }" ::"r"(t));
	asm volatile("{ .reg .pred p; shfl.sync.down.b32 %0|p, %1, 1, 31, -1; @p add.s32 %0, %0, 1; }" : "=r"(i[t]) : "r"(t));
	if (t == 77)
		__builtin_trap();
}
#endif
#ifdef TEXTURES
__device__ float __nvvm_tex_unified_1d_v4f32_s32(u64, int) __asm("llvm.nvvm.tex.unified.1d.v4f32.s32");
__global__ void textures(float *f, u64 texture, u64 surface)
{
	int t = TID;
	float r, g, b, a;
	int word;
	asm("tex.1d.v4.f32.s32 {%0, %1, %2, %3}, [%4, {%5}];" : "=f"(r), "=f"(g), "=f"(b), "=f"(a) : "l"(texture), "r"(t));
	asm("tex.2d.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5, %6}];" : "+f"(r), "+f"(g), "+f"(b), "+f"(a) : "l"(texture), "f"(r), "f"(g));
	asm("suld.b.1d.b32.trap %0, [%1, {%2}];" : "=r"(word) : "l"(surface), "r"(4 * t));
	asm volatile("sust.b.2d.v2.b32.clamp [%0, {%1, %2}], {%3, %4};" ::"l"(surface), "r"(4 * t), "r"(1), "r"(word), "r"(t));
	f[t] = r + g + b + a;
}
#endif
}
