// kernel=scale line=6 finding=KO113
#include <cstdio>

__global__ void scale(float *out, const float *in, int n) {
    int i = threadIdx.x;
    if (i < n) out[i] = 3 * in[i];
}

typedef void (*Kernel)(float *, const float *, int);

int main() {
    float *in, *out;
    cudaMallocManaged(&in, 32 * sizeof(float));
    cudaMallocManaged(&out, 32 * sizeof(float));
    for (int i = 0; i < 32; ++i) in[i] = i;
    Kernel kernel = scale;
    kernel<<<1, 32>>>(out, in, 32);
    cudaDeviceSynchronize();
    return puts(out[4] == 12 ? "PASS" : "FAIL"), 0;
}
