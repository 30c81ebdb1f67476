// kernel=wave line=6 finding=KO126
__device__ float cosf(float turns) { return 1.0f - 2.0f * turns * turns; }

__global__ void wave(float *out, const float *t, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = cosf(6.2831853f * t[i]);
}
