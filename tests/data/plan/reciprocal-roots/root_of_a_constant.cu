// kernel=scores line=6 finding=KO123
template <int HEAD>
__global__ void scores(float *out, const float *dots, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        const float scale = 1.0f / sqrtf((float)HEAD);
        out[i] = dots[i] * scale;
    }
}
