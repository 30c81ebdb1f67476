// kernel=wave line=5 finding=KO126
template <typename T>
__global__ void wave(T *out, const T *t, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) { out[i] = cos(t[i]) * sin(t[i]); }
}
