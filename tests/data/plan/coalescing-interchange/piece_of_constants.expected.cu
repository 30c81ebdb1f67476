// kernel=apply_gain line=13 finding=KO101
#include <cstdio>
#include <cstdlib>

#define BLOCKS 8
#define THREADS 64

/* one contiguous piece per thread, as the pthread version did it */
__global__ void apply_gain(const float *in, float *out, float gain, int n)
{
    int id = blockIdx.x * THREADS + threadIdx.x;
    for (int i = id; i < n; i += gridDim.x * blockDim.x) out[i] = gain * in[i];
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 10000;
    size_t size = n * sizeof(float);
    float *h = (float *)malloc(size), *r = (float *)malloc(size), *in, *out;
    for (int i = 0; i < n; i++) h[i] = i % 17;
    cudaMalloc(&in, size);
    cudaMalloc(&out, size);
    cudaMemcpy(in, h, size, cudaMemcpyHostToDevice);
    apply_gain<<<BLOCKS, THREADS>>>(in, out, 1.5f, n);
    cudaMemcpy(r, out, size, cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < n; i++) bad += r[i] != 1.5f * h[i];
    printf("%s\n", bad ? "FAIL" : "PASS");
    return bad != 0;
}
