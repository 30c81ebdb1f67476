// Types of the driver API that runtime programs mention; its functions are not supported (the translator says so).
#pragma once
#include "cuda_runtime.h"
typedef unsigned long long CUdeviceptr;
typedef int CUdevice;
typedef struct CUctx_st* CUcontext;
typedef struct CUmod_st* CUmodule;
typedef struct CUfunc_st* CUfunction;
typedef cudaStream_t CUstream;
typedef cudaEvent_t CUevent;
typedef enum { CUDA_SUCCESS = 0, CUDA_ERROR_NOT_SUPPORTED = 801 } CUresult;
