// The share of a symbol is read once, and rows end where they did before.
#include <cmath>
#include <cstdio>
#include <vector>

const int SYMBOLS = 8;
__constant__ float c_share[SYMBOLS];

__global__ void likelihood(const unsigned char *text, const int *first, int rows, float *out, unsigned *counts)
{
    __shared__ unsigned local[SYMBOLS];
    if (threadIdx.x < SYMBOLS) local[threadIdx.x] = 0;
    __syncthreads();
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        float a = 0.5f, b = 0.5f, sum = 0;
        const int end = first[row + 1];
        for (int i = first[row]; i < end; i++) {
            const int symbol = __ldg(text + i);
            const float share = c_share[symbol];
            const float x = (0.9f * a + 0.2f * b) * share, y = (0.1f * a + 0.8f * b) * share * 0.7f;
            a = x / (x + y);
            b = y / (x + y);
            sum += logf(x + y);
            atomicAdd(&local[symbol], 1u);
        }
        out[row] = sum;
    }
    __syncthreads();
    if (threadIdx.x < SYMBOLS) atomicAdd(&counts[threadIdx.x], local[threadIdx.x]);
}

int main()
{
    const int rows = 200;
    std::vector<int> first(1, 0);
    std::vector<unsigned char> text;
    unsigned state = 7;
    for (int r = 0; r < rows; r++) {
        for (int i = 0; i < 30 + r * 7 % 50; i++) {
            state = state * 1103515245u + 12345u;
            text.push_back((state >> 16) % 300 == 0 ? SYMBOLS - 1 : (state >> 16) % (SYMBOLS - 1));
        }
        first.push_back((int)text.size());
    }
    float share[SYMBOLS] = {0.2f, 0.1f, 0.15f, 0.25f, 0.1f, 0.1f, 0.1f, 1e-4f};
    std::vector<float> out(rows);
    unsigned counts[SYMBOLS];
    unsigned char *t;
    int *f;
    float *o;
    unsigned *c;
    cudaMalloc(&t, text.size());
    cudaMalloc(&f, first.size() * sizeof(int));
    cudaMalloc(&o, rows * sizeof(float));
    cudaMalloc(&c, sizeof(counts));
    cudaMemcpyToSymbol(c_share, share, sizeof(share));
    cudaMemcpy(t, text.data(), text.size(), cudaMemcpyHostToDevice);
    cudaMemcpy(f, first.data(), first.size() * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemset(c, 0, sizeof(counts));
    likelihood<<<(rows + 63) / 64, 64>>>(t, f, rows, o, c);
    cudaMemcpy(out.data(), o, rows * sizeof(float), cudaMemcpyDeviceToHost);
    cudaMemcpy(counts, c, sizeof(counts), cudaMemcpyDeviceToHost);
    printf("%g %g %u\n", out[0], out[rows - 1], counts[0]);
    cudaFree(t);
    cudaFree(f);
    cudaFree(o);
    cudaFree(c);
    return 0;
}
