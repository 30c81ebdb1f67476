// kernel=walk line=7 finding=KO110
__global__ void walk(const int *first, const float *x, int n, float *sums) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float *sum = &sums[first[i]];
        for (int j = 0; j < 4; j++, sum++)
            atomicAdd(sum, x[i * 4 + j]);
    }
}

void run(const int *first, const float *x, int n) {
    float *sums;
    cudaMalloc(&sums, 200 * sizeof(float));
    cudaMemset(sums, 0, 200 * sizeof(float));
    walk<<<(n + 127) / 128, 128>>>(first, x, n, sums);
}
