// What headers of PyTorch name of this library. Only device code is compiled with it: nothing here is called or linked.
#pragma once
#include <cublas_v2.h>
typedef struct cublasLtContext* cublasLtHandle_t;
