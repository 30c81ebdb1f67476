#pragma once
#include <cuda_runtime.h>
__global__ void diffuse(const double* in, double* out, int nx, int ny, double k);
__global__ void cool(double* f, int nx, int ny, double factor);
