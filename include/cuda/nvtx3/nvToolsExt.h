/* nvToolsExt: marks and ranges for profilers. Ranges select launches (sluice run --range). Marks and other names have
 * no effect. In a program that does not link this runtime, nothing has, and return values are those without a profiler.
 */
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

/* The runtime's functions (src/cudart/nvtx.c). A program without this runtime does not have them. */
#if defined(__cplusplus)
extern "C" {
#endif
#define SLUICE_WEAK __attribute__((weak, visibility("default")))
extern SLUICE_WEAK int sluice_nvtx_push(const void *domain, int type, const void *message);
extern SLUICE_WEAK int sluice_nvtx_pop(const void *domain);
extern SLUICE_WEAK uint64_t sluice_nvtx_start(const void *domain, int type, const void *message);
extern SLUICE_WEAK void sluice_nvtx_end(uint64_t range);
extern SLUICE_WEAK void *sluice_nvtx_handle(int type, const void *message);
#if defined(__cplusplus)
}
#endif

#define SLUICE_NVTX_VOID(name, ...)                                                                                    \
	SLUICE_NVTX void name(__VA_ARGS__)                                                                             \
	{                                                                                                              \
	}
/* Calls the runtime's function if there is one. */
#define SLUICE_NVTX_CALL(type, function, arguments, value, name, ...)                                                  \
	SLUICE_NVTX type name(__VA_ARGS__)                                                                             \
	{                                                                                                              \
		return function ? (type)function arguments : (type)value;                                              \
	}
#define SLUICE_NVTX_PUSH(name, domain, kind, message, ...)                                                             \
	SLUICE_NVTX_CALL(int, sluice_nvtx_push, (domain, kind, message), NVTX_NO_PUSH_POP_TRACKING, name, __VA_ARGS__)
#define SLUICE_NVTX_START(name, domain, kind, message, ...)                                                            \
	SLUICE_NVTX_CALL(nvtxRangeId_t, sluice_nvtx_start, (domain, kind, message), 0, name, __VA_ARGS__)
#define SLUICE_NVTX_END(name, ...)                                                                                     \
	SLUICE_NVTX void name(__VA_ARGS__)                                                                             \
	{                                                                                                              \
		if (sluice_nvtx_end)                                                                                   \
			sluice_nvtx_end(range);                                                                        \
	}
#define SLUICE_NVTX_DOMAIN(name, kind, ...)                                                                            \
	SLUICE_NVTX_CALL(nvtxDomainHandle_t, sluice_nvtx_handle, (kind, text), 0, name, __VA_ARGS__)
#define SLUICE_NVTX_STRING(name, kind, ...)                                                                            \
	SLUICE_NVTX_CALL(nvtxStringHandle_t, sluice_nvtx_handle, (kind, text), 0, name, __VA_ARGS__)
#define SLUICE_TEXT       const char *text
#define SLUICE_WIDE       const wchar_t *text
#define SLUICE_ATTRIBUTES const nvtxEventAttributes_t *attributes
#define SLUICE_DOMAIN     nvtxDomainHandle_t domain
#define SLUICE_NUMBER     uint32_t number
#define SLUICE_KIND       (attributes ? attributes->messageType : 0)
#define SLUICE_MESSAGE    (attributes ? attributes->message.ascii : 0)
#define SLUICE_ASCII      NVTX_MESSAGE_TYPE_ASCII
#define SLUICE_UNICODE    NVTX_MESSAGE_TYPE_UNICODE

SLUICE_NVTX_VOID(nvtxInitialize, const void *reserved)
SLUICE_NVTX_VOID(nvtxMarkA, SLUICE_TEXT)
SLUICE_NVTX_VOID(nvtxMarkW, SLUICE_WIDE)
SLUICE_NVTX_VOID(nvtxMarkEx, SLUICE_ATTRIBUTES)
SLUICE_NVTX_PUSH(nvtxRangePushA, 0, SLUICE_ASCII, text, SLUICE_TEXT)
SLUICE_NVTX_PUSH(nvtxRangePushW, 0, SLUICE_UNICODE, text, SLUICE_WIDE)
SLUICE_NVTX_PUSH(nvtxRangePushEx, 0, SLUICE_KIND, SLUICE_MESSAGE, SLUICE_ATTRIBUTES)
SLUICE_NVTX_CALL(int, sluice_nvtx_pop, (0), NVTX_NO_PUSH_POP_TRACKING, nvtxRangePop, void)
SLUICE_NVTX_START(nvtxRangeStartA, 0, SLUICE_ASCII, text, SLUICE_TEXT)
SLUICE_NVTX_START(nvtxRangeStartW, 0, SLUICE_UNICODE, text, SLUICE_WIDE)
SLUICE_NVTX_START(nvtxRangeStartEx, 0, SLUICE_KIND, SLUICE_MESSAGE, SLUICE_ATTRIBUTES)
SLUICE_NVTX_END(nvtxRangeEnd, nvtxRangeId_t range)
SLUICE_NVTX_VOID(nvtxNameCategoryA, SLUICE_NUMBER, SLUICE_TEXT)
SLUICE_NVTX_VOID(nvtxNameCategoryW, SLUICE_NUMBER, SLUICE_WIDE)
SLUICE_NVTX_VOID(nvtxNameOsThreadA, SLUICE_NUMBER, SLUICE_TEXT)
SLUICE_NVTX_VOID(nvtxNameOsThreadW, SLUICE_NUMBER, SLUICE_WIDE)
SLUICE_NVTX_DOMAIN(nvtxDomainCreateA, SLUICE_ASCII, SLUICE_TEXT)
SLUICE_NVTX_DOMAIN(nvtxDomainCreateW, SLUICE_UNICODE, SLUICE_WIDE)
SLUICE_NVTX_VOID(nvtxDomainDestroy, SLUICE_DOMAIN)
SLUICE_NVTX_VOID(nvtxDomainMarkEx, SLUICE_DOMAIN, SLUICE_ATTRIBUTES)
SLUICE_NVTX_PUSH(nvtxDomainRangePushEx, domain, SLUICE_KIND, SLUICE_MESSAGE, SLUICE_DOMAIN, SLUICE_ATTRIBUTES)
SLUICE_NVTX_CALL(int, sluice_nvtx_pop, (domain), NVTX_NO_PUSH_POP_TRACKING, nvtxDomainRangePop, SLUICE_DOMAIN)
SLUICE_NVTX_START(nvtxDomainRangeStartEx, domain, SLUICE_KIND, SLUICE_MESSAGE, SLUICE_DOMAIN, SLUICE_ATTRIBUTES)
SLUICE_NVTX_END(nvtxDomainRangeEnd, SLUICE_DOMAIN, nvtxRangeId_t range)
SLUICE_NVTX_VOID(nvtxDomainNameCategoryA, SLUICE_DOMAIN, SLUICE_NUMBER, SLUICE_TEXT)
SLUICE_NVTX_VOID(nvtxDomainNameCategoryW, SLUICE_DOMAIN, SLUICE_NUMBER, SLUICE_WIDE)
SLUICE_NVTX_STRING(nvtxDomainRegisterStringA, SLUICE_ASCII, SLUICE_DOMAIN, SLUICE_TEXT)
SLUICE_NVTX_STRING(nvtxDomainRegisterStringW, SLUICE_UNICODE, SLUICE_DOMAIN, SLUICE_WIDE)

#undef SLUICE_NVTX
#undef SLUICE_NVTX_VOID
#undef SLUICE_NVTX_CALL
#undef SLUICE_NVTX_PUSH
#undef SLUICE_NVTX_START
#undef SLUICE_NVTX_END
#undef SLUICE_NVTX_DOMAIN
#undef SLUICE_NVTX_STRING
#undef SLUICE_WEAK
#undef SLUICE_TEXT
#undef SLUICE_WIDE
#undef SLUICE_ATTRIBUTES
#undef SLUICE_DOMAIN
#undef SLUICE_NUMBER
#undef SLUICE_KIND
#undef SLUICE_MESSAGE
#undef SLUICE_ASCII
#undef SLUICE_UNICODE

/* Names without suffix select the char form or, with UNICODE, the wchar_t form. */
#if defined(UNICODE)
#define nvtxMark         nvtxMarkW
#define nvtxRangePush    nvtxRangePushW
#define nvtxRangeStart   nvtxRangeStartW
#define nvtxDomainCreate nvtxDomainCreateW
#define nvtxNameCategory         nvtxNameCategoryW
#define nvtxNameOsThread         nvtxNameOsThreadW
#define nvtxDomainNameCategory   nvtxDomainNameCategoryW
#define nvtxDomainRegisterString nvtxDomainRegisterStringW
#else
#define nvtxMark         nvtxMarkA
#define nvtxRangePush    nvtxRangePushA
#define nvtxRangeStart   nvtxRangeStartA
#define nvtxDomainCreate nvtxDomainCreateA
#define nvtxNameCategory         nvtxNameCategoryA
#define nvtxNameOsThread         nvtxNameOsThreadA
#define nvtxDomainNameCategory   nvtxDomainNameCategoryA
#define nvtxDomainRegisterString nvtxDomainRegisterStringA
#endif

#include "../sluice/macros_on.h"

#endif
