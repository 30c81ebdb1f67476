// kernel=relax line=6 finding=KO113
__global__ void relax(float *y, float *weight, int n, int steps)
{
    int i = threadIdx.x;
    for (int t = 0; t < steps; ++t) {
        y[i] = y[i] * weight[i] + y[n - 1 - i];
        __syncthreads();
    }
    weight[n - 1 - i] *= 0.5f;
}

int main()
{
    float *y, *weight;
    cudaMalloc(&y, 4 * 256);
    cudaMalloc(&weight, 4 * 256);
    relax<<<1, 256>>>(y, weight, 256, 50);
}
