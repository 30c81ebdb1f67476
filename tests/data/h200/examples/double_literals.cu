// A logistic map iterated per cell. Bottleneck: double literals turn a float chain into fp64 arithmetic and conversions.
#include <cstdio>
#include <vector>

__device__ float step(float x)
{
    return 3.7 * x * (1.0 - x);
}

__global__ void iterate(float *cells, int count, int steps)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        float x = cells[i];
        for (int s = 0; s < steps; s++) {
            x = step(x);
            x = x + 0.5 * 1e-3;  // a little drift
        }
        cells[i] = x;
    }
}

int main()
{
    const int count = 20000;
    std::vector<float> cells(count);
    for (int i = 0; i < count; i++) cells[i] = 0.1f + 0.8f * i / count;
    float *d;
    cudaMalloc(&d, count * sizeof(float));
    cudaMemcpy(d, cells.data(), count * sizeof(float), cudaMemcpyHostToDevice);
    iterate<<<64, 256>>>(d, count, 4);
    cudaMemcpy(cells.data(), d, count * sizeof(float), cudaMemcpyDeviceToHost);
    float low = cells[0], high = cells[0];
    for (float c : cells) {
        low = c < low ? c : low;
        high = c > high ? c : high;
    }
    printf("range %.3f .. %.3f\n", low, high);
    cudaFree(d);
    return 0;
}
