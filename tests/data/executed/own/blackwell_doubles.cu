// Averages a smooth envelope around each cell. Bottleneck: double literals turn float arithmetic into fp64 work and conversions.
#include <cstdio>
#include <vector>

__device__ float envelope(float t)
{
    return 1.0 - t * (0.8 - t * (0.3 - t * 0.05));
}

__global__ void smooth(float *cells, int count, int steps)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        float x = cells[i];
        float sum = 0.0f;
        for (int s = 0; s < steps; s++) {
            sum += envelope(x + 0.01 * s);  // a little further each time
        }
        cells[i] = sum / steps;
    }
}

int main()
{
    const int count = 100000;
    std::vector<float> cells(count);
    for (int i = 0; i < count; i++) cells[i] = 0.1f + 0.8f * i / count;
    float *d;
    cudaMalloc(&d, count * sizeof(float));
    cudaMemcpy(d, cells.data(), count * sizeof(float), cudaMemcpyHostToDevice);
    smooth<<<264, 256>>>(d, count, 64);
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
