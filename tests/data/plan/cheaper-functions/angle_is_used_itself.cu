// kernel=wave line=6 finding=KO126
__global__ void wave(float *out, float *angles, const float *t, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float angle = 6.2831853f * t[i];
    out[i] = cosf(angle);
    angles[i] = angle;
}
