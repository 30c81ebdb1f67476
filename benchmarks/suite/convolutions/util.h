#ifndef UTIL_H
#define UTIL_H

#include <stdio.h>
#include <stdlib.h>

#define CUDA_SAFE(call)                                                        \
    do {                                                                       \
        cudaError_t code = (call);                                             \
        if (code != cudaSuccess) {                                             \
            fprintf(stderr, "[%s] %s\n", __func__, cudaGetErrorString(code));  \
            exit(1);                                                           \
        }                                                                      \
    } while (0)

#endif
