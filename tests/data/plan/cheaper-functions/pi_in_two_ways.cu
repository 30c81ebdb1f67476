// kernel=wave line=10 finding=KO126
#ifdef SHORT_PI
#define PI 3.14159f
#else
#define PI 3.14159265358979323846
#endif

__global__ void wave(double *out, const double *t, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = sin(PI * t[i]);
}
