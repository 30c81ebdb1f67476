#ifndef COMMON_H
#define COMMON_H

#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

inline void check(cudaError_t result, const char *call, const char *file, int line) {
    if (result == cudaSuccess) return;
    std::fprintf(stderr, "%s(%d): %s gave \"%s\"\n", file, line, call, cudaGetErrorString(result));
    std::exit(EXIT_FAILURE);
}

#define CHECK(call) check((call), #call, __FILE__, __LINE__)

#endif
