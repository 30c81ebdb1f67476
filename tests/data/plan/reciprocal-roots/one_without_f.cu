// kernel=inverse line=4 finding=KO123
__global__ void inverse(float *out, const float *squares, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 1.0 / sqrtf(squares[i]);
}
