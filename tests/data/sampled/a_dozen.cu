// Twelve kernels, half of them with blocks that do unequal work: what a sample of blocks must predict.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define AT (blockIdx.x * blockDim.x + threadIdx.x)

__global__ void saxpy(float *y, const float *x, float a, int n) { int i = AT; if (i < n) y[i] = a * x[i] + y[i]; }

__global__ void matmul(float *c, const float *a, const float *b, int n)
{
    int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    float s = 0.0f;
    for (int k = 0; k < n; k++) s += a[row * n + k] * b[k * n + col];
    c[row * n + col] = s;
}

__global__ void heat(float *next, const float *cur, int n)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x > 0 && y > 0 && x < n - 1 && y < n - 1)
        next[y * n + x] = 0.25f * (cur[y * n + x - 1] + cur[y * n + x + 1] + cur[(y - 1) * n + x] + cur[(y + 1) * n + x]);
}

__global__ void turn(float *out, const float *in, int n)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x < n && y < n) out[x * n + y] = in[y * n + x];
}

__global__ void block_sum(float *sums, const float *v, int n)
{
    __shared__ float part[128];
    int i = AT;
    part[threadIdx.x] = i < n ? v[i] : 0.0f;
    __syncthreads();
    for (int s = 64; s > 0; s >>= 1) {
        if (threadIdx.x < s) part[threadIdx.x] += part[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}

__global__ void strided(float *out, const float *in, int n, int stride) { int i = AT; if (i < n) out[i] = in[(long long)i * stride % n]; }

__global__ void gather(float *out, const float *in, const int *index, int n) { int i = AT; if (i < n) out[i] = in[index[i]]; }

// rows of a sparse matrix: a few are long
__global__ void spmv(float *y, const float *value, const int *column, const int *begin, const float *x, int rows)
{
    int r = AT;
    if (r < rows) {
        float s = 0.0f;
        for (int k = begin[r]; k < begin[r + 1]; k++) s += value[k] * x[column[k]];
        y[r] = s;
    }
}

__global__ void mandelbrot(int *out, int n)
{
    int i = AT;
    if (i >= n) return;
    float cx = -2.0f + 3.0f * (i % 256) / 256, cy = -1.0f + 2.0f * (i / 256) / (n / 256), x = 0, y = 0;
    int k = 0;
    while (k < 200 && x * x + y * y < 4.0f) { float t = x * x - y * y + cx; y = 2 * x * y + cy; x = t; k++; }
    out[i] = k;
}

// triangular: later blocks have more to do
__global__ void prefix_of_each(float *out, const float *in, int n) { int i = AT; float s = 0; if (i < n) { for (int k = 0; k <= i / 256; k++) s += in[k]; out[i] = s; } }

// only the first blocks have work
__global__ void head_only(float *v, int n, int head) { int i = AT; if (i < head) for (int k = 0; k < 50; k++) v[(i + k * 97) % n] += 1.0f; }

// values decide which branch is taken
__global__ void picky(float *v, const float *x, int n) { int i = AT; if (i < n) { if (x[i] > 0.9f) for (int k = 0; k < 30; k++) v[(i * 31 + k * 1009) % n] = x[i]; else v[i] = x[i]; } }

int main()
{
    const int n = 1 << 17, side = 512, small = 352;
    std::vector<float> h(n * 2);
    std::vector<int> index(n), begin(n + 1), column;
    unsigned seed = 7;
    auto next = [&] { return (seed = seed * 1664525u + 1013904223u) >> 8; };
    for (auto &v : h) v = (next() % 1000) * 0.001f;
    for (auto &v : index) v = next() % n;
    for (int r = 0; r < n / 4; r++) { begin[r] = column.size(); int len = next() % 64 == 0 ? 200 : next() % 9; for (int k = 0; k < len; k++) column.push_back(next() % n); }
    begin[n / 4] = column.size();
    float *a, *b, *c, *value; int *di, *db, *dc;
    cudaMalloc(&a, n * 8); cudaMalloc(&b, n * 8); cudaMalloc(&c, n * 8); cudaMalloc(&value, column.size() * 4);
    cudaMalloc(&di, n * 4); cudaMalloc(&db, (n + 1) * 4); cudaMalloc(&dc, column.size() * 4);
    cudaMemcpy(a, h.data(), n * 8, cudaMemcpyHostToDevice); cudaMemcpy(b, h.data(), n * 8, cudaMemcpyHostToDevice); cudaMemset(c, 0, n * 8);
    cudaMemset(value, 0, column.size() * 4);
    cudaMemcpy(di, index.data(), n * 4, cudaMemcpyHostToDevice); cudaMemcpy(db, begin.data(), (n + 1) * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(dc, column.data(), column.size() * 4, cudaMemcpyHostToDevice);

    dim3 plane(32, 8), planes(side / 32, side / 8);
    saxpy<<<n / 128, 128>>>(c, a, 2.0f, n);
    matmul<<<dim3(small / 16, small / 16), dim3(16, 16)>>>(c, a, b, small);
    heat<<<planes, plane>>>(c, a, side);
    turn<<<planes, plane>>>(c, a, side);
    block_sum<<<n / 128, 128>>>(c, a, n);
    strided<<<n / 128, 128>>>(c, a, n, 33);
    gather<<<n / 128, 128>>>(c, a, di, n);
    spmv<<<n / 4 / 32, 32>>>(c, value, dc, db, b, n / 4);
    mandelbrot<<<n / 128, 128>>>(di, n);
    prefix_of_each<<<n / 128, 128>>>(c, a, n);
    head_only<<<n / 128, 128>>>(c, n, n / 16);
    picky<<<n / 128, 128>>>(c, b, n);
    cudaMemcpy(h.data(), c, n * 4, cudaMemcpyDeviceToHost);
    printf("%f\n", h[99]);
}
