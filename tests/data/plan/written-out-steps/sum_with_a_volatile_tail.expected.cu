// kernel=reduce line=16 finding=KO115
#include <cstdio>
#include <cstdlib>

#define THREADS 256

// one partial sum for each block
__global__ void reduce(const float *in, float *out, int n)
{
    __shared__ float s[THREADS / 32];
    int t = threadIdx.x;
    int i = blockIdx.x * THREADS + t;
    float value = i < n ? in[i] : 0.0f;
    for (int offset = 16; offset > 0; offset /= 2)
        value += __shfl_down_sync(0xffffffff, value, offset);
    if (t % 32 == 0)
        s[t / 32] = value;
    __syncthreads();
    if (t == 0) {
        for (int warp = 1; warp < THREADS / 32; warp++)
            value += s[warp];
        out[blockIdx.x] = value;
    }
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 5000, blocks = (n + THREADS - 1) / THREADS;
    float *in = (float *)malloc(n * sizeof(float)), *out = (float *)malloc(blocks * sizeof(float)), *din, *dout;
    for (int i = 0; i < n; i++) in[i] = (i % 21) * 0.5f;
    cudaMalloc(&din, n * sizeof(float));
    cudaMalloc(&dout, blocks * sizeof(float));
    cudaMemcpy(din, in, n * sizeof(float), cudaMemcpyHostToDevice);
    reduce<<<blocks, THREADS>>>(din, dout, n);
    cudaMemcpy(out, dout, blocks * sizeof(float), cudaMemcpyDeviceToHost);
    double sum = 0;
    for (int b = 0; b < blocks; b++) sum += out[b];
    printf("%.3f\n", sum);
    cudaFree(din);
    cudaFree(dout);
    free(in);
    free(out);
    return 0;
}
