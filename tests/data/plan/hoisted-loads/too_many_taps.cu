// kernel=taps line=10 finding=KO113
#define TAPS 16

__global__ void taps(double *y, const double *x, const double *h, int n, int steps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    for (int t = TAPS; t < steps; ++t)
        for (int k = 0; k < TAPS; ++k)
            y[t * n + i] += h[i * TAPS + k] * x[(t - k) * n + i] * h[(i + n) * TAPS + k] * h[(i + 2 * n) * TAPS + k];
}

int main()
{
    double *y, *x, *h;
    cudaMalloc(&y, 8 * 1000 * 50);
    cudaMalloc(&x, 8 * 1000 * 50);
    cudaMalloc(&h, 8 * 3000 * TAPS);
    taps<<<8, 128>>>(y, x, h, 1000, 50);
}
