// kernel=scales line=4 finding=KO126
__global__ void scales(float *out, int n, int first) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = powf(2.0f, first + i);
}
