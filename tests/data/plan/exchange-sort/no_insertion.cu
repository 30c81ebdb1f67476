// kernel=ring line=6 finding=KO117
__global__ void ring(const float *x, float *y, int n, int first) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    float last[8];
    for (int i = 0; i < 8; i++) last[(first + i) % 8] = x[t + i];
    y[t] = last[first % 8];
}
