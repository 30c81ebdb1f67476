// kernel=histogramRows line=14 finding=KO107
#include <cstdio>

__global__ void other(int *data, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] *= 2;
}

__global__ void histogramRows(const float *weights, const int *offsets, float *totals, int rows) {
    int r = threadIdx.x + blockIdx.x * blockDim.x;
    if (r < rows) {
        int begin = offsets[r], end = offsets[r + 1];
        float totals_acc = begin < end ? totals[r] : 0.0f;
        for (int j = begin; j < end; j++) {
            totals_acc += weights[j];
        }
        if (begin < end) totals[r] = totals_acc;
    }
}

float *upload(const float *host, int n) {
    float *device;
    cudaMalloc((void **)&device, n * sizeof(float));
    cudaMemcpy(device, host, n * sizeof(float), cudaMemcpyHostToDevice);
    return device;
}

int main() {
    const int rows = 5;
    int offsets[rows + 1] = {0, 3, 3, 4, 9, 10};
    float weights[10], totals[rows];
    for (int i = 0; i < 10; i++) weights[i] = i;
    for (int i = 0; i < rows; i++) totals[i] = 100;
    float *dWeights = upload(weights, 10), *dTotals = upload(totals, rows);
    int *dOffsets;
    cudaMalloc(&dOffsets, sizeof(offsets));
    cudaMemcpy(dOffsets, offsets, sizeof(offsets), cudaMemcpyHostToDevice);
    histogramRows<<<1, 32>>>(dWeights, dOffsets, dTotals, rows);
    cudaMemcpy(totals, dTotals, sizeof(totals), cudaMemcpyDeviceToHost);
    const float want[rows] = {103, 100, 103, 130, 109};
    for (int i = 0; i < rows; i++)
        if (totals[i] != want[i]) return puts("FAIL"), 1;
    puts("PASS");
    return 0;
}
