// kernel=relax line=6 finding=KO113
__global__ void relax(float *y, float *weight, int n, int steps)
{
    int i = threadIdx.x;
    float weight_i = weight[i];
    for (int t = 0; t < steps; ++t) {
        y[i] = y[i] * weight_i + y[n - 1 - i];
        __syncthreads();
    }
}

int main()
{
    float *y, *weight;
    cudaMalloc(&y, 4 * 256);
    cudaMalloc(&weight, 4 * 256);
    relax<<<1, 256>>>(y, weight, 256, 50);
}
