// kernel=inertia line=13 finding=KO122
#include <cstdio>
#define N_THREADS 128

__global__ void inertia(const float *in, float *blockSums, int n)
{
    __shared__ float parts[N_THREADS];
    int i = blockIdx.x * N_THREADS + threadIdx.x;
    parts[threadIdx.x] = i < n ? in[i] * in[i] : 0.0f;
    __syncthreads();
    if (threadIdx.x == 0) {
        float sum = 0;
        for (int k = 0; k < N_THREADS; k++)
            sum += parts[k];
        blockSums[blockIdx.x] = sum;
    }
}

int main() {
    const int n = 20001;
    float *in, *h = new float[n];
    for (int i = 0; i < n; i++) h[i] = (i * 37 % 101) * 0.01f;
    cudaMalloc(&in, n * sizeof(float));
    cudaMemcpy(in, h, n * sizeof(float), cudaMemcpyHostToDevice);
    const int blocks = (n + 127) / 128;
    float *out, *sums = new float[blocks];
    cudaMalloc(&out, blocks * sizeof(float));
    inertia<<<blocks, 128>>>(in, out, n);
    cudaMemcpy(sums, out, blocks * sizeof(float), cudaMemcpyDeviceToHost);
    double total = 0;
    for (int b = 0; b < blocks; b++) total += sums[b];
    printf("%.2f\n", total);
    return 0;
}
