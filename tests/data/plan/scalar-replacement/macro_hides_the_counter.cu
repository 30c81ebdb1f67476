// kernel=band line=9 finding=KO107
#include <cstdio>

#define AT(row) ((row) * WIDTH + k)
#define WIDTH 4

__global__ void band(float *__restrict__ out, const float *__restrict__ in) {
    int r = threadIdx.x;
    for (int k = 0; k < WIDTH; ++k) out[AT(r)] += in[k];
}

int main() {
    float *out, *in;
    cudaMallocManaged(&out, 32 * WIDTH * sizeof(float));
    cudaMallocManaged(&in, WIDTH * sizeof(float));
    for (int i = 0; i < WIDTH; ++i) in[i] = i;
    for (int i = 0; i < 32 * WIDTH; ++i) out[i] = 1;
    band<<<1, 32>>>(out, in);
    cudaDeviceSynchronize();
    for (int i = 0; i < 32 * WIDTH; ++i)
        if (out[i] != 1 + i % WIDTH) return puts("FAIL"), 1;
    return puts("PASS"), 0;
}
