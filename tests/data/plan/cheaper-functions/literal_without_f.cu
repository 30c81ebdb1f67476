// kernel=wave line=4 finding=KO126
__global__ void wave(float *out, const float *t, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = cos(6.283185307179586 * t[i]);
}
