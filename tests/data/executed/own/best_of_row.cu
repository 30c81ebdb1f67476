// Each thread keeps the eight largest numbers of its row in order: threads of a warp go different ways inside the loop, not around it.
#include <cstdio>
#include <vector>

__global__ void best_of_row(const float *values, float *kept, int rows, int columns)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float best[8];
    for (int k = 0; k < 8; k++) best[k] = -1e30f;
    for (int i = 0; i < columns; i++) {
        float v = values[(size_t)row * columns + i];
        if (v > best[7]) {
            int k = 7;
            while (k > 0 && best[k - 1] < v) {
                best[k] = best[k - 1];
                k--;
            }
            best[k] = v;
        }
    }
    for (int k = 0; k < 8; k++) kept[row * 8 + k] = best[k];
}

int main()
{
    int rows = 512, columns = 400;
    std::vector<float> host((size_t)rows * columns);
    unsigned seed = 7;
    for (float &v : host) { seed = seed * 1664525u + 1013904223u; v = (seed >> 8) / 16777216.0f; }
    float *values, *kept;
    cudaMalloc(&values, host.size() * sizeof(float));
    cudaMalloc(&kept, rows * 8 * sizeof(float));
    cudaMemcpy(values, host.data(), host.size() * sizeof(float), cudaMemcpyHostToDevice);
    best_of_row<<<rows / 64, 64>>>(values, kept, rows, columns);
    float r;
    cudaMemcpy(&r, kept, sizeof r, cudaMemcpyDeviceToHost);
    printf("%g\n", r);
}
