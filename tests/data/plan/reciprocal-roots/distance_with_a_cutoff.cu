// kernel=energy line=7 finding=KO123
__global__ void energy(const float3 *p, float *e, int n, float cutoff) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n - 1) return;
    float3 a = p[i], b = p[i + 1];
    float dx = a.x - b.x, dy = a.y - b.y, dz = a.z - b.z;
    float r = sqrtf(dx * dx + dy * dy + dz * dz);
    e[i] = r < cutoff ? 1.0f / r : 0.0f;
}
