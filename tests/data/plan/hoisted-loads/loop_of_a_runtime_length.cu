// kernel=mixed line=9 finding=KO113
__global__ void mixed(float *y, const float *x, const float *w, int n, int steps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    for (int t = 0; t < steps; ++t) {
        float s = 0.f;
        for (int k = 0; k < n; ++k)
            s += w[i * n + k] * x[t * n + k];
        y[t * n + i] = s;
    }
}

int main()
{
    float *y, *x, *w;
    cudaMalloc(&y, 4 * 100 * 50);
    cudaMalloc(&x, 4 * 100 * 50);
    cudaMalloc(&w, 4 * 100 * 100);
    mixed<<<1, 128>>>(y, x, w, 100, 50);
}
