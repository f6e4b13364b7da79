/* helper_math.h: arithmetic of CUDA's vector types, with the names of CUDA's samples. */
#ifndef COMMON_HELPER_MATH_H_
#define COMMON_HELPER_MATH_H_

#include "cuda_runtime.h"

#include <math.h>

typedef unsigned int uint;
typedef unsigned short ushort;

#define SDK_BOTH inline __host__ __device__

#if !defined(__CUDACC__)
inline float rsqrtf(float x)
{
	return 1.0f / sqrtf(x);
}
#endif

/* ---- operators: two vectors, a vector and a number, and with assignment ---- */
#define SDK_OPERATOR2(type, number, op)                                                                                \
	SDK_BOTH type operator op(type a, type b) { return make_##type(a.x op b.x, a.y op b.y); }                      \
	SDK_BOTH type operator op(type a, number b) { return make_##type(a.x op b, a.y op b); }                        \
	SDK_BOTH type operator op(number a, type b) { return make_##type(a op b.x, a op b.y); }                        \
	SDK_ASSIGNMENT(type, number, op)
#define SDK_OPERATOR3(type, number, op)                                                                                \
	SDK_BOTH type operator op(type a, type b) { return make_##type(a.x op b.x, a.y op b.y, a.z op b.z); }          \
	SDK_BOTH type operator op(type a, number b) { return make_##type(a.x op b, a.y op b, a.z op b); }              \
	SDK_BOTH type operator op(number a, type b) { return make_##type(a op b.x, a op b.y, a op b.z); }              \
	SDK_ASSIGNMENT(type, number, op)
#define SDK_OPERATOR4(type, number, op)                                                                                \
	SDK_BOTH type operator op(type a, type b)                                                                      \
	{                                                                                                              \
		return make_##type(a.x op b.x, a.y op b.y, a.z op b.z, a.w op b.w);                                    \
	}                                                                                                              \
	SDK_BOTH type operator op(type a, number b) { return make_##type(a.x op b, a.y op b, a.z op b, a.w op b); }    \
	SDK_BOTH type operator op(number a, type b) { return make_##type(a op b.x, a op b.y, a op b.z, a op b.w); }    \
	SDK_ASSIGNMENT(type, number, op)
#define SDK_ASSIGNMENT(type, number, op)                                                                               \
	SDK_BOTH void operator op##=(type &a, type b) { a = a op b; }                                                  \
	SDK_BOTH void operator op##=(type &a, number b) { a = a op b; }
#define SDK_OPERATORS(op)                                                                                              \
	SDK_OPERATOR2(float2, float, op)                                                                               \
	SDK_OPERATOR3(float3, float, op)                                                                               \
	SDK_OPERATOR4(float4, float, op)
#define SDK_INTEGER_OPERATORS(op)                                                                                      \
	SDK_OPERATOR2(int2, int, op)                                                                                   \
	SDK_OPERATOR3(int3, int, op)                                                                                   \
	SDK_OPERATOR4(int4, int, op)                                                                                   \
	SDK_OPERATOR2(uint2, uint, op)                                                                                 \
	SDK_OPERATOR3(uint3, uint, op)                                                                                 \
	SDK_OPERATOR4(uint4, uint, op)
SDK_OPERATORS(+)
SDK_OPERATORS(-)
SDK_OPERATORS(*)
SDK_OPERATORS(/)
SDK_INTEGER_OPERATORS(+)
SDK_INTEGER_OPERATORS(-)
SDK_INTEGER_OPERATORS(*)

#define SDK_SIGN(type2, type3, type4)                                                                                  \
	SDK_BOTH type2 operator-(type2 a)  { return make_##type2(-a.x, -a.y); }                                        \
	SDK_BOTH type3 operator-(type3 a)  { return make_##type3(-a.x, -a.y, -a.z); }                                  \
	SDK_BOTH type4 operator-(type4 a)  { return make_##type4(-a.x, -a.y, -a.z, -a.w); }
SDK_SIGN(float2, float3, float4)
SDK_SIGN(int2, int3, int4)

/* ---- vectors built from others ---- */
#define SDK_MAKE(type2, type3, type4, number)                                                                          \
	SDK_BOTH type2 make_##type2(number s) { return make_##type2(s, s); }                                           \
	SDK_BOTH type2 make_##type2(type3 a) { return make_##type2(a.x, a.y); }                                        \
	SDK_BOTH type3 make_##type3(number s) { return make_##type3(s, s, s); }                                        \
	SDK_BOTH type3 make_##type3(type2 a) { return make_##type3(a.x, a.y, 0); }                                     \
	SDK_BOTH type3 make_##type3(type2 a, number s) { return make_##type3(a.x, a.y, s); }                           \
	SDK_BOTH type3 make_##type3(type4 a) { return make_##type3(a.x, a.y, a.z); }                                   \
	SDK_BOTH type4 make_##type4(number s) { return make_##type4(s, s, s, s); }                                     \
	SDK_BOTH type4 make_##type4(type3 a) { return make_##type4(a.x, a.y, a.z, 0); }                                \
	SDK_BOTH type4 make_##type4(type3 a, number w) { return make_##type4(a.x, a.y, a.z, w); }
SDK_MAKE(float2, float3, float4, float)
SDK_MAKE(int2, int3, int4, int)
SDK_MAKE(uint2, uint3, uint4, uint)

#define SDK_CONVERT(to2, to3, to4, number, from2, from3, from4)                                                        \
	SDK_BOTH to2 make_##to2(from2 a) { return make_##to2((number)a.x, (number)a.y); }                              \
	SDK_BOTH to3 make_##to3(from3 a) { return make_##to3((number)a.x, (number)a.y, (number)a.z); }                 \
	SDK_BOTH to4 make_##to4(from4 a) { return make_##to4((number)a.x, (number)a.y, (number)a.z, (number)a.w); }
SDK_CONVERT(float2, float3, float4, float, int2, int3, int4)
SDK_CONVERT(float2, float3, float4, float, uint2, uint3, uint4)
SDK_CONVERT(int2, int3, int4, int, float2, float3, float4)
SDK_CONVERT(int2, int3, int4, int, uint2, uint3, uint4)
SDK_CONVERT(uint2, uint3, uint4, uint, int2, int3, int4)

/* ---- functions of each component ---- */
#define SDK_MAP1(name, of)                                                                                             \
	SDK_BOTH float2 name(float2 v) { return make_float2(of(v.x), of(v.y)); }                                       \
	SDK_BOTH float3 name(float3 v) { return make_float3(of(v.x), of(v.y), of(v.z)); }                              \
	SDK_BOTH float4 name(float4 v) { return make_float4(of(v.x), of(v.y), of(v.z), of(v.w)); }
#define SDK_MAP2(name, of)                                                                                             \
	SDK_BOTH float2 name(float2 a, float2 b) { return make_float2(of(a.x, b.x), of(a.y, b.y)); }                   \
	SDK_BOTH float3 name(float3 a, float3 b) { return make_float3(of(a.x, b.x), of(a.y, b.y), of(a.z, b.z)); }     \
	SDK_BOTH float4 name(float4 a, float4 b)                                                                       \
	{                                                                                                              \
		return make_float4(of(a.x, b.x), of(a.y, b.y), of(a.z, b.z), of(a.w, b.w));                            \
	}
SDK_BOTH float fracf(float v)
{
	return v - floorf(v);
}
SDK_MAP1(floorf, floorf)
SDK_MAP1(fracf, fracf)
SDK_MAP1(fabs, fabsf)
SDK_MAP2(fminf, fminf)
SDK_MAP2(fmaxf, fmaxf)
SDK_MAP2(fmodf, fmodf)

#define SDK_INTEGER_LEAST(a, b) ((a) < (b) ? (a) : (b))
#define SDK_INTEGER_MOST(a, b)  ((a) > (b) ? (a) : (b))
#define SDK_INTEGER_MAP2(type2, type3, type4, name, of)                                                                \
	SDK_BOTH type2 name(type2 a, type2 b) { return make_##type2(of(a.x, b.x), of(a.y, b.y)); }                     \
	SDK_BOTH type3 name(type3 a, type3 b) { return make_##type3(of(a.x, b.x), of(a.y, b.y), of(a.z, b.z)); }       \
	SDK_BOTH type4 name(type4 a, type4 b)                                                                          \
	{                                                                                                              \
		return make_##type4(of(a.x, b.x), of(a.y, b.y), of(a.z, b.z), of(a.w, b.w));                           \
	}
SDK_INTEGER_MAP2(int2, int3, int4, min, SDK_INTEGER_LEAST)
SDK_INTEGER_MAP2(int2, int3, int4, max, SDK_INTEGER_MOST)
SDK_INTEGER_MAP2(uint2, uint3, uint4, min, SDK_INTEGER_LEAST)
SDK_INTEGER_MAP2(uint2, uint3, uint4, max, SDK_INTEGER_MOST)

#define SDK_CLAMP(type) \
	SDK_BOTH type clamp(type v, type least, type most) { return fmaxf(least, fminf(v, most)); }
SDK_CLAMP(float)
SDK_CLAMP(float2)
SDK_CLAMP(float3)
SDK_CLAMP(float4)
SDK_BOTH int clamp(int v, int least, int most)
{
	return v < least ? least : v > most ? most : v;
}
SDK_BOTH uint clamp(uint v, uint least, uint most)
{
	return v < least ? least : v > most ? most : v;
}
SDK_BOTH float2 clamp(float2 v, float least, float most)
{
	return clamp(v, make_float2(least), make_float2(most));
}
SDK_BOTH float3 clamp(float3 v, float least, float most)
{
	return clamp(v, make_float3(least), make_float3(most));
}
SDK_BOTH float4 clamp(float4 v, float least, float most)
{
	return clamp(v, make_float4(least), make_float4(most));
}

SDK_BOTH float lerp(float a, float b, float t)
{
	return a + t * (b - a);
}
#define SDK_LERP(type) \
	SDK_BOTH type lerp(type a, type b, float t) { return a + t * (b - a); }
SDK_LERP(float2)
SDK_LERP(float3)
SDK_LERP(float4)

SDK_BOTH float smoothstep(float a, float b, float x)
{
	float y = clamp((x - a) / (b - a), 0.0f, 1.0f);
	return y * y * (3.0f - 2.0f * y);
}

/* ---- geometry ---- */
#define SDK_DOT(type2, type3, type4, number)                                                                           \
	SDK_BOTH number dot(type2 a, type2 b) { return a.x * b.x + a.y * b.y; }                                        \
	SDK_BOTH number dot(type3 a, type3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }                            \
	SDK_BOTH number dot(type4 a, type4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
SDK_DOT(float2, float3, float4, float)
SDK_DOT(int2, int3, int4, int)
SDK_DOT(uint2, uint3, uint4, uint)

#define SDK_LENGTH(type)                                                                                               \
	SDK_BOTH float length(type v) { return sqrtf(dot(v, v)); }                                                     \
	SDK_BOTH type normalize(type v) { return v * rsqrtf(dot(v, v)); }
SDK_LENGTH(float2)
SDK_LENGTH(float3)
SDK_LENGTH(float4)

SDK_BOTH float3 cross(float3 a, float3 b)
{
	return make_float3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

SDK_BOTH float3 reflect(float3 i, float3 n)
{
	return i - 2.0f * n * dot(n, i);
}

#endif
