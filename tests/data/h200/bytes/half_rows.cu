// Half precision signal in rows of odd width.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>
#include <cuda_fp16.h>

constexpr int ROWS = 257, COLS = 301;
constexpr int N = ROWS * COLS;

__global__ void axpy(const __half *x, __half *y, float a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    __half xv = x[i];
    __half yv = y[i];
    y[i] = __float2half(a * __half2float(xv) + __half2float(yv));
}

// second difference along the row: three overlapping windows
__global__ void laplace1d(const __half *__restrict__ in, __half *__restrict__ out)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x + 1;
    int r = blockIdx.y;
    if (c >= COLS - 1) return;
    const __half *row = in + r * COLS;
    float l = __half2float(row[c - 1]);
    float m = __half2float(row[c]);
    float h = __half2float(row[c + 1]);
    out[r * COLS + c] = __float2half(l - 2.0f * m + h);
}

// swap pairs of columns, mirrored; every block handles one row
__global__ void mirror_rows(__half *a)
{
    __half *row = a + blockIdx.x * COLS;
    for (int c = threadIdx.x; c < COLS / 2; c += blockDim.x) {
        __half l = row[c];
        __half r = row[COLS - 1 - c];
        row[c] = r;
        row[COLS - 1 - c] = l;
    }
}

// complex numbers as half2, every fifth one
__global__ void decimate5(const half2 *z, half2 *w, short2 *q, int m)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i < m) {
        half2 v = z[5 * i + 2];
        w[i] = v;
        float re = __low2float(v), im = __high2float(v);
        q[i] = make_short2((short)(re * 8.0f), (short)(im * 8.0f));
    }
}

int main()
{
    std::vector<__half> hx(N), hy(N);
    for (int i = 0; i < N; ++i) {
        hx[i] = __float2half((float)(i % 61) * 0.25f);
        hy[i] = __float2half((float)(i % 17) - 8.0f);
    }
    __half *x, *y, *o;
    half2 *w;
    short2 *q;
    const int m = N / 10;
    cudaMalloc(&x, N * sizeof(__half));
    cudaMalloc(&y, N * sizeof(__half));
    cudaMalloc(&o, N * sizeof(__half));
    cudaMalloc(&w, m * sizeof(half2));
    cudaMalloc(&q, m * sizeof(short2));
    cudaMemset(o, 0, N * sizeof(__half));
    cudaMemcpy(x, hx.data(), N * sizeof(__half), cudaMemcpyHostToDevice);
    cudaMemcpy(y, hy.data(), N * sizeof(__half), cudaMemcpyHostToDevice);

    axpy<<<(N + 255) / 256, 256>>>(x, y, 0.5f, N);
    axpy<<<(N + 254) / 256, 256>>>(x + 1, y + 1, 0.25f, N - 1);       // off by one element
    laplace1d<<<dim3((COLS + 61) / 64, ROWS), 64>>>(y, o);
    mirror_rows<<<ROWS, 128>>>(o);
    decimate5<<<(m + 191) / 192, 192>>>((const half2 *)y, w, q, m);
    cudaError_t e = cudaDeviceSynchronize();
    if (e != cudaSuccess) {
        fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(e));
        return 1;
    }
    std::vector<__half> ho(N);
    std::vector<short2> hq(m);
    std::vector<half2> hw(m);
    cudaMemcpy(ho.data(), o, N * sizeof(__half), cudaMemcpyDeviceToHost);
    cudaMemcpy(hq.data(), q, m * sizeof(short2), cudaMemcpyDeviceToHost);
    cudaMemcpy(hw.data(), w, m * sizeof(half2), cudaMemcpyDeviceToHost);
    double s = 0.0;
    for (int i = 0; i < N; ++i) s += __half2float(ho[i]) * (i % 9);
    for (int i = 0; i < m; ++i) s += hq[i].x * 3 - hq[i].y + __low2float(hw[i]);
    printf("%f\n", s);
    return 0;
}
