#include "simt/exec.h"

extern const struct exec_isa exec_isa_plain;

#ifdef SIMT_X86_LEVELS
extern const struct exec_isa exec_isa_avx2, exec_isa_avx512;

const struct exec_isa *const *exec_levels(void)
{
	static const struct exec_isa *const table[] = {&exec_isa_avx512, &exec_isa_avx2, &exec_isa_plain, NULL};
	bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
	bool avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
	              __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
	return table + (avx512 ? 0 : avx2 ? 1 : 2);
}
#else
const struct exec_isa *const *exec_levels(void)
{
	static const struct exec_isa *const table[] = {&exec_isa_plain, NULL};
	return table;
}
#endif
