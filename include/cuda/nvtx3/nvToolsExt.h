/* nvToolsExt: marks and ranges for profilers. They have no effect and cost nothing. Return values are CUDA's without a
 * profiler. */
#ifndef NVTOOLSEXT_H_
#define NVTOOLSEXT_H_

#include "../sluice/macros_off.h"

#pragma GCC system_header /* its functions do not use their parameters */

#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

#define NVTX_VERSION                  3
#define NVTX_EVENT_ATTRIB_STRUCT_SIZE ((uint16_t)sizeof(nvtxEventAttributes_t))
#define NVTX_NO_PUSH_POP_TRACKING     ((int)-2)

typedef uint64_t nvtxRangeId_t;
typedef struct nvtxDomainRegistration_st *nvtxDomainHandle_t;
typedef struct nvtxStringRegistration_st *nvtxStringHandle_t;

typedef enum nvtxColorType_t { NVTX_COLOR_UNKNOWN = 0, NVTX_COLOR_ARGB = 1 } nvtxColorType_t;
typedef enum nvtxMessageType_t {
	NVTX_MESSAGE_UNKNOWN = 0,
	NVTX_MESSAGE_TYPE_ASCII = 1,
	NVTX_MESSAGE_TYPE_UNICODE = 2,
	NVTX_MESSAGE_TYPE_REGISTERED = 3
} nvtxMessageType_t;
typedef enum nvtxPayloadType_t {
	NVTX_PAYLOAD_UNKNOWN = 0,
	NVTX_PAYLOAD_TYPE_UNSIGNED_INT64 = 1,
	NVTX_PAYLOAD_TYPE_INT64 = 2,
	NVTX_PAYLOAD_TYPE_DOUBLE = 3,
	NVTX_PAYLOAD_TYPE_UNSIGNED_INT32 = 4,
	NVTX_PAYLOAD_TYPE_INT32 = 5,
	NVTX_PAYLOAD_TYPE_FLOAT = 6
} nvtxPayloadType_t;

typedef union nvtxMessageValue_t {
	const char *ascii;
	const wchar_t *unicode;
	nvtxStringHandle_t registered;
} nvtxMessageValue_t;

typedef struct nvtxEventAttributes_v2 {
	uint16_t version, size;
	uint32_t category;
	int32_t colorType;
	uint32_t color;
	int32_t payloadType, reserved0;
	union {
		uint64_t ullValue;
		int64_t llValue;
		double dValue;
		uint32_t uiValue;
		int32_t iValue;
		float fValue;
	} payload;
	int32_t messageType;
	nvtxMessageValue_t message;
} nvtxEventAttributes_t;

#if defined(__CUDA__)
#define SLUICE_NVTX static inline __attribute__((host)) __attribute__((unused))
#else
#define SLUICE_NVTX static inline __attribute__((unused))
#endif

#define SLUICE_NVTX_VOID(name, ...)                                                                                    \
	SLUICE_NVTX void name(__VA_ARGS__)                                                                             \
	{                                                                                                              \
	}
#define SLUICE_NVTX_VALUE(type, value, name, ...)                                                                      \
	SLUICE_NVTX type name(__VA_ARGS__)                                                                             \
	{                                                                                                              \
		return (type)value;                                                                                    \
	}
#define SLUICE_TEXT       const char *text
#define SLUICE_WIDE       const wchar_t *text
#define SLUICE_ATTRIBUTES const nvtxEventAttributes_t *attributes
#define SLUICE_DOMAIN     nvtxDomainHandle_t domain
#define SLUICE_NUMBER     uint32_t number

SLUICE_NVTX_VOID(nvtxInitialize, const void *reserved)
SLUICE_NVTX_VOID(nvtxMarkA, SLUICE_TEXT)
SLUICE_NVTX_VOID(nvtxMarkW, SLUICE_WIDE)
SLUICE_NVTX_VOID(nvtxMarkEx, SLUICE_ATTRIBUTES)
SLUICE_NVTX_VALUE(int, NVTX_NO_PUSH_POP_TRACKING, nvtxRangePushA, SLUICE_TEXT)
SLUICE_NVTX_VALUE(int, NVTX_NO_PUSH_POP_TRACKING, nvtxRangePushW, SLUICE_WIDE)
SLUICE_NVTX_VALUE(int, NVTX_NO_PUSH_POP_TRACKING, nvtxRangePushEx, SLUICE_ATTRIBUTES)
SLUICE_NVTX_VALUE(int, NVTX_NO_PUSH_POP_TRACKING, nvtxRangePop, void)
SLUICE_NVTX_VALUE(nvtxRangeId_t, 0, nvtxRangeStartA, SLUICE_TEXT)
SLUICE_NVTX_VALUE(nvtxRangeId_t, 0, nvtxRangeStartW, SLUICE_WIDE)
SLUICE_NVTX_VALUE(nvtxRangeId_t, 0, nvtxRangeStartEx, SLUICE_ATTRIBUTES)
SLUICE_NVTX_VOID(nvtxRangeEnd, nvtxRangeId_t range)
SLUICE_NVTX_VOID(nvtxNameCategoryA, SLUICE_NUMBER, SLUICE_TEXT)
SLUICE_NVTX_VOID(nvtxNameOsThreadA, SLUICE_NUMBER, SLUICE_TEXT)
SLUICE_NVTX_VALUE(nvtxDomainHandle_t, 0, nvtxDomainCreateA, SLUICE_TEXT)
SLUICE_NVTX_VALUE(nvtxDomainHandle_t, 0, nvtxDomainCreateW, SLUICE_WIDE)
SLUICE_NVTX_VOID(nvtxDomainDestroy, SLUICE_DOMAIN)
SLUICE_NVTX_VOID(nvtxDomainMarkEx, SLUICE_DOMAIN, SLUICE_ATTRIBUTES)
SLUICE_NVTX_VALUE(int, NVTX_NO_PUSH_POP_TRACKING, nvtxDomainRangePushEx, SLUICE_DOMAIN, SLUICE_ATTRIBUTES)
SLUICE_NVTX_VALUE(int, NVTX_NO_PUSH_POP_TRACKING, nvtxDomainRangePop, SLUICE_DOMAIN)
SLUICE_NVTX_VALUE(nvtxRangeId_t, 0, nvtxDomainRangeStartEx, SLUICE_DOMAIN, SLUICE_ATTRIBUTES)
SLUICE_NVTX_VOID(nvtxDomainRangeEnd, SLUICE_DOMAIN, nvtxRangeId_t range)
SLUICE_NVTX_VOID(nvtxDomainNameCategoryA, SLUICE_DOMAIN, SLUICE_NUMBER, SLUICE_TEXT)
SLUICE_NVTX_VALUE(nvtxStringHandle_t, 0, nvtxDomainRegisterStringA, SLUICE_DOMAIN, SLUICE_TEXT)

#undef SLUICE_NVTX
#undef SLUICE_NVTX_VOID
#undef SLUICE_NVTX_VALUE
#undef SLUICE_TEXT
#undef SLUICE_WIDE
#undef SLUICE_ATTRIBUTES
#undef SLUICE_DOMAIN
#undef SLUICE_NUMBER

/* Names without suffix select the char form or, with UNICODE, the wchar_t form. */
#if defined(UNICODE)
#define nvtxMark         nvtxMarkW
#define nvtxRangePush    nvtxRangePushW
#define nvtxRangeStart   nvtxRangeStartW
#define nvtxDomainCreate nvtxDomainCreateW
#else
#define nvtxMark         nvtxMarkA
#define nvtxRangePush    nvtxRangePushA
#define nvtxRangeStart   nvtxRangeStartA
#define nvtxDomainCreate nvtxDomainCreateA
#endif
#define nvtxNameCategory         nvtxNameCategoryA
#define nvtxNameOsThread         nvtxNameOsThreadA
#define nvtxDomainNameCategory   nvtxDomainNameCategoryA
#define nvtxDomainRegisterString nvtxDomainRegisterStringA

#include "../sluice/macros_on.h"

#endif
