// The ends of a row are read once, the matrix through the read-only path.
#include <cstdio>
#include <vector>

struct Matrix {
    int rows;
    const int *first, *column;
    const float *value;
};

__global__ void multiply(Matrix m, const float *x, float *y, float *largest)
{
    __shared__ float of_row[16];
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 8, lane = threadIdx.x % 8;
    float sum = 0;
    const int to = row < m.rows ? __ldg(m.first + row + 1) : 0;
    for (int e = row < m.rows ? __ldg(m.first + row) + lane : 0; e < to; e += 8) sum += __ldg(m.value + e) * x[__ldg(m.column + e)];
    for (int offset = 4; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffffu, sum, offset, 8);
    if (lane == 0 && row < m.rows) y[row] = sum;
    if (lane == 0) of_row[threadIdx.x / 8] = row < m.rows ? fabsf(sum) : 0.0f;
    __syncthreads();
    if (threadIdx.x == 0) {
        float most = 0;
        for (int r = 0; r < 16; r++) most = fmaxf(most, of_row[r]);
        largest[blockIdx.x] = most;
    }
}

int main()
{
    const int rows = 480, blocks = rows * 8 / 128;
    std::vector<int> first(1, 0), column;
    std::vector<float> value, host(rows), most(blocks);
    for (int r = 0; r < rows; r++) {
        for (int k = 0; k < 2 + r * 5 % 13; k++) column.push_back((r + 7 * k * k) % rows), value.push_back(0.5f + k * r % 7);
        first.push_back((int)column.size());
    }
    for (int i = 0; i < rows; i++) host[i] = (i * 29 % 83) / 41.0f - 1.0f;
    int *f, *c;
    float *v, *x, *y, *l;
    cudaMalloc(&f, first.size() * sizeof(int));
    cudaMalloc(&c, column.size() * sizeof(int));
    cudaMalloc(&v, value.size() * sizeof(float));
    cudaMalloc(&x, rows * sizeof(float));
    cudaMalloc(&y, rows * sizeof(float));
    cudaMalloc(&l, blocks * sizeof(float));
    cudaMemcpy(f, first.data(), first.size() * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(c, column.data(), column.size() * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(v, value.data(), value.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(x, host.data(), rows * sizeof(float), cudaMemcpyHostToDevice);
    multiply<<<blocks, 128>>>(Matrix{rows, f, c, v}, x, y, l);
    cudaMemcpy(host.data(), y, rows * sizeof(float), cudaMemcpyDeviceToHost);
    cudaMemcpy(most.data(), l, blocks * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%g %g %g\n", host[0], host[rows - 1], most[3]);
    cudaFree(f);
    cudaFree(c);
    cudaFree(v);
    cudaFree(x);
    cudaFree(y);
    cudaFree(l);
    return 0;
}
