// kernel=double_up line=13 finding=KO113
#include <cstdio>

static float *pool = nullptr;

static float *acquire(int n) {
    if (!pool) cudaMallocManaged(&pool, n * sizeof(float));
    return pool;
}

__global__ void double_up(float *out, float *in, int n) {
    int i = threadIdx.x;
    if (i < n) out[i] = in[i] + in[i];
}

int main() {
    float *in = acquire(32), *out = acquire(32);
    for (int i = 0; i < 32; ++i) in[i] = i;
    double_up<<<1, 32>>>(out, in, 32);
    cudaDeviceSynchronize();
    return puts(out[4] == 8 ? "PASS" : "FAIL"), 0;
}
