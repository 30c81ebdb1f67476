// What headers of PyTorch name of this library. Only device code is compiled with it: nothing here is called or linked.
#pragma once
#include <cuda_runtime.h>
typedef struct cusparseContext* cusparseHandle_t;
typedef int cusparseStatus_t;
