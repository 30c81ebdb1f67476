// kernel=walk line=6 finding=KO126
__global__ void walk(float *x, float *y, float a, float da, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    a += da * i;
    x[i] = cosf(a);
    a += da;
    y[i] = sinf(a);
}
