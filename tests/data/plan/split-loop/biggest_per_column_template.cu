// kernel=largest line=14 finding=KO111
#include <cstdio>
#include <climits>
#define BLOCK 128

template <typename T>
__global__ void largest(const T *in, T *out, unsigned rows, unsigned cols)
{
    const unsigned c = blockIdx.x * BLOCK + threadIdx.x;
    if (c < cols)
    {
        T best = in[c];

        for (unsigned r = 1; r < rows; r++)
        {
            T v = in[r * cols + c];
            if (v > best) best = v;
        }

        out[c] = best;
    }
}

void run(const int *in, int *out, unsigned rows, unsigned cols)
{
    unsigned blocks = (cols + BLOCK - 1) / BLOCK;
    largest<int><<<blocks, BLOCK>>>(in, out, rows, cols);
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
