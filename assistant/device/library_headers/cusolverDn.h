// What headers of PyTorch name of this library. Only device code is compiled with it: nothing here is called or linked.
#pragma once
#include <cuda_runtime.h>
#include <cusolver_common.h>
typedef struct cusolverDnContext* cusolverDnHandle_t;
