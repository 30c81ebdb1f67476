// kernel=columnMeans line=19 finding=KO111
#include <cstdio>
#include <vector>

#define CHECK(call)                                                    \
    do {                                                               \
        cudaError_t status = (call);                                   \
        if (status != cudaSuccess) {                                   \
            printf("%s\n", cudaGetErrorString(status));                \
            return 1;                                                  \
        }                                                              \
    } while (0)

__global__ void columnMeans(const float* x, float* mean, int rows, int cols) {
    const int c = threadIdx.x + blockIdx.x * blockDim.x;
    if (c >= cols) return;
    float sum = 0.0f;
    const int share = (rows + gridDim.y - 1) / gridDim.y, begin = blockIdx.y * share, end = min(rows, begin + share);
    for (int r = begin; r < end; r++) {
        sum += x[r * cols + c];
    }
    atomicAdd(&mean[c], sum / rows);
}

int main(int argc, char** argv) {
    const int rows = 700, cols = 90;
    std::vector<float> x(rows * cols), mean(cols);
    for (int i = 0; i < rows * cols; i++) x[i] = (i * 7 % 101) / 101.0f;
    float *d_x, *d_mean;
    CHECK(cudaMalloc(&d_x, x.size() * sizeof(float)));
    CHECK(cudaMalloc(&d_mean, cols * sizeof(float)));
    CHECK(cudaMemcpy(d_x, x.data(), x.size() * sizeof(float), cudaMemcpyHostToDevice));

    int threads = 64;
    int blocks = (cols + threads - 1) / threads;
    CHECK(cudaMemset(d_mean, 0, cols * sizeof(float)));
    columnMeans<<<dim3(blocks, 32), threads>>>(d_x, d_mean, rows, cols);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(mean.data(), d_mean, cols * sizeof(float), cudaMemcpyDeviceToHost));
    double total = 0;
    for (float m : mean) total += m;
    printf("%.5f\n", total);
    return 0;
}
