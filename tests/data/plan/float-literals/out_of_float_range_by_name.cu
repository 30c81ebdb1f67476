// kernel=nearest line=10 finding=KO106
#include <cstdio>

#define TOO_SMALL 1e-60
#define TOO_LARGE 1e60

__global__ void nearest(float *best, const float *x, int n) {
    const double far = 1e300;
    int i = threadIdx.x;
    if (i < n) best[i] = x[i] > 0 ? x[i] * TOO_SMALL * TOO_LARGE + 0.5 : fmin(x[i] + far, 3.0);
}

int main() {
    float *x, *best;
    cudaMallocManaged(&x, 32 * sizeof(float));
    cudaMallocManaged(&best, 32 * sizeof(float));
    for (int i = 0; i < 32; ++i) x[i] = i;
    nearest<<<1, 32>>>(best, x, 32);
    cudaDeviceSynchronize();
    return puts(best[0] == 3.0f && best[3] > 3.49f && best[3] < 3.51f ? "PASS" : "FAIL"), 0;
}
