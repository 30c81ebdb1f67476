// kernel=count line=4 finding=KO123
__global__ void count(const float *d2, int *bins, int n, float width) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&bins[(int)(width / sqrtf(d2[i]))], 1);
}
