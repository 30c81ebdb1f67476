#pragma once
#include <cstdio>
#include <cstdlib>

#define try_cuda(call)                                                     \
    {                                                                      \
        cudaError_t result = call;                                         \
        if (result != cudaSuccess) {                                       \
            printf("%s failed: %s\n", #call, cudaGetErrorString(result));  \
            exit(1);                                                       \
        }                                                                  \
    }
