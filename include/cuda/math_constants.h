/* math_constants: CUDA's names for numbers. */
#ifndef __MATH_CONSTANTS_H__
#define __MATH_CONSTANTS_H__

#define CUDART_INF_F            __builtin_inff()
#define CUDART_NAN_F            __builtin_nanf("")
#define CUDART_MIN_DENORM_F     0x1p-149f
#define CUDART_MAX_NORMAL_F     0x1.fffffep127f
#define CUDART_NEG_ZERO_F       -0.0f
#define CUDART_ZERO_F           0.0f
#define CUDART_ONE_F            1.0f
#define CUDART_SQRT_HALF_F      0.707106781f
#define CUDART_SQRT_TWO_F       1.414213562f
#define CUDART_THIRD_F          0.333333333f
#define CUDART_PIO4_F           0.785398163f
#define CUDART_PIO2_F           1.570796327f
#define CUDART_3PIO4_F          2.356194490f
#define CUDART_2_OVER_PI_F      0.636619772f
#define CUDART_SQRT_2_OVER_PI_F 0.797884561f
#define CUDART_PI_F             3.141592654f
#define CUDART_L2E_F            1.442695041f
#define CUDART_L2T_F            3.321928094f
#define CUDART_LG2_F            0.301029996f
#define CUDART_LGE_F            0.434294482f
#define CUDART_LN2_F            0.693147181f
#define CUDART_LNT_F            2.302585093f
#define CUDART_LNPI_F           1.144729886f
#define CUDART_TWO_TO_M126_F    0x1p-126f
#define CUDART_TWO_TO_126_F     0x1p126f
#define CUDART_NORM_HUGE_F      0x1.fffffep127f
#define CUDART_TWO_TO_23_F      0x1p23f
#define CUDART_TWO_TO_24_F      0x1p24f
#define CUDART_TWO_TO_31_F      0x1p31f
#define CUDART_TWO_TO_32_F      0x1p32f

#define CUDART_INF            __builtin_inf()
#define CUDART_NAN            __builtin_nan("")
#define CUDART_MIN_DENORM     0x1p-1074
#define CUDART_MAX_NORMAL     0x1.fffffffffffffp1023
#define CUDART_NEG_ZERO       -0.0
#define CUDART_ZERO           0.0
#define CUDART_ONE            1.0
#define CUDART_SQRT_TWO       1.4142135623730950488
#define CUDART_SQRT_HALF      0.70710678118654752440
#define CUDART_THIRD          0.33333333333333333333
#define CUDART_TWOTHIRD       0.66666666666666666667
#define CUDART_PIO4           0.78539816339744830962
#define CUDART_PIO2           1.57079632679489661923
#define CUDART_3PIO4          2.35619449019234492885
#define CUDART_2_OVER_PI      0.63661977236758134308
#define CUDART_PI             3.14159265358979323846
#define CUDART_SQRT_2_OVER_PI 0.79788456080286535588
#define CUDART_L2E            1.44269504088896340736
#define CUDART_L2T            3.32192809488736234787
#define CUDART_LG2            0.30102999566398119521
#define CUDART_LGE            0.43429448190325182765
#define CUDART_LN2            0.69314718055994530942
#define CUDART_LNT            2.30258509299404568402
#define CUDART_LNPI           1.14472988584940017414

#endif
