// kernel=wave line=4 finding=KO126
__global__ void wave(double *out, const double *t, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = sin(2.0 * 3.1416 * t[i]);
}
