// NVTX annotations, which have no effect here.
#pragma once
#include <cstdint>
typedef uint64_t nvtxRangeId_t;
typedef struct nvtxDomainRegistration* nvtxDomainHandle_t;
struct nvtxEventAttributes_t {
  uint16_t version, size;
  uint32_t category;
  int32_t colorType;
  uint32_t color;
  int32_t payloadType, reserved0;
  union { uint64_t ullValue; int64_t llValue; double dValue; } payload;
  int32_t messageType;
  union { const char* ascii; const wchar_t* unicode; } message;
};
#define NVTX_VERSION 3
#define NVTX_EVENT_ATTRIB_STRUCT_SIZE ((uint16_t)sizeof(nvtxEventAttributes_t))
enum { NVTX_COLOR_UNKNOWN = 0, NVTX_COLOR_ARGB = 1, NVTX_MESSAGE_UNKNOWN = 0, NVTX_MESSAGE_TYPE_ASCII = 1 };
static inline int nvtxRangePushA(const char*) { return 0; }
static inline int nvtxRangePush(const char*) { return 0; }
static inline int nvtxRangePushEx(const nvtxEventAttributes_t*) { return 0; }
static inline int nvtxRangePop() { return 0; }
static inline nvtxRangeId_t nvtxRangeStartA(const char*) { return 0; }
static inline nvtxRangeId_t nvtxRangeStart(const char*) { return 0; }
static inline void nvtxRangeEnd(nvtxRangeId_t) {}
static inline void nvtxMarkA(const char*) {}
static inline void nvtxMark(const char*) {}
static inline void nvtxNameOsThreadA(uint32_t, const char*) {}
