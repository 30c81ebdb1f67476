// kernel=wave line=4 finding=KO126
#include <cmath>
#define BOTH __host__ __device__
BOTH inline double wave_at(double t) { return cos(2.0 * M_PI * t); }

__global__ void wave(double *out, const double *t, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = wave_at(t[i]);
}
