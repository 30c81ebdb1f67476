// kernel=largest line=14 finding=KO111
#include <cstdio>
#include <climits>
#define BLOCK 128

template <typename T>
__global__ void largest(const T *in, T *out, unsigned rows, unsigned cols)
{
    const unsigned c = blockIdx.x * 32 + threadIdx.x;
    T best = c < cols ? in[c] : T{};

    if (c < cols)
        for (unsigned r = 1 + threadIdx.y; r < rows; r += 16)
        {
            T v = in[r * cols + c];
            if (v > best) best = v;
        }
    __shared__ T best_parts[16][32];
    best_parts[threadIdx.y][threadIdx.x] = best;
    __syncthreads();
    best = best_parts[0][threadIdx.x];
    for (int part = 1; part < 16; part++) best = max(best, best_parts[part][threadIdx.x]);

    if (threadIdx.y == 0 && c < cols) out[c] = best;
}

void run(const int *in, int *out, unsigned rows, unsigned cols)
{
    unsigned blocks = (cols + BLOCK - 1) / BLOCK;
    largest<int><<<blocks * 4, dim3(32, 16)>>>(in, out, rows, cols);
    cudaDeviceSynchronize();
}

int main()
{
    int *in, *out;
    const unsigned rows = 90, cols = 140;
    cudaMallocManaged(&in, rows * cols * sizeof(int));
    cudaMallocManaged(&out, cols * sizeof(int));
    for (unsigned i = 0; i < rows * cols; i++) in[i] = i * 31 % 977;
    run(in, out, rows, cols);
    long s = 0;
    for (unsigned i = 0; i < cols; i++) s += out[i];
    printf("%ld\n", s);
}
