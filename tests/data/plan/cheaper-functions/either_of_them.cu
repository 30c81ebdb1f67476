// kernel=wave line=4 finding=KO126
__global__ void wave(float *out, const float *t, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = i % 2 ? sinf(t[i]) : cosf(t[i]);
}
