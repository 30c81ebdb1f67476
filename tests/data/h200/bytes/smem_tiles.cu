// Transposes through shared memory with various element types and pitches.
#include <cstdio>
#include <cstring>
#include <vector>
#include <cuda_runtime.h>

enum { T8 = 8, T16 = 16, T32 = 32 };

__global__ void tr_bytes(const unsigned char *in, unsigned char *out, int w, int h)
{
    __shared__ unsigned char tile[T32][T32];          // conflicts on the way out
    int x = blockIdx.x * T32 + threadIdx.x, y = blockIdx.y * T32 + threadIdx.y;
    for (int k = 0; k < T32; k += 8)
        if (x < w && y + k < h) {
            unsigned char v = in[(y + k) * w + x];
            tile[threadIdx.y + k][threadIdx.x] = v;
        }
    __syncthreads();
    x = blockIdx.y * T32 + threadIdx.x;
    y = blockIdx.x * T32 + threadIdx.y;
    for (int k = 0; k < T32; k += 8)
        if (x < h && y + k < w) {
            unsigned char v = tile[threadIdx.x][threadIdx.y + k];
            out[(y + k) * h + x] = v;
        }
}

__global__ void tr_double(const double *in, double *out, int w, int h)
{
    __shared__ double tile[T16][T16 + 1];
    int x = blockIdx.x * T16 + threadIdx.x, y = blockIdx.y * T16 + threadIdx.y;
    if (x < w && y < h) {
        double v = in[y * w + x];
        tile[threadIdx.y][threadIdx.x] = v;
    }
    __syncthreads();
    x = blockIdx.y * T16 + threadIdx.x;
    y = blockIdx.x * T16 + threadIdx.y;
    if (x < h && y < w) {
        double v = tile[threadIdx.x][threadIdx.y];
        out[y * h + x] = v;
    }
}

template <int PITCH>
__global__ void tr_float4(const float4 *in, float4 *out, int n)
{
    __shared__ float4 tile[T8 * PITCH];
    int tx = threadIdx.x, ty = threadIdx.y;
    float4 v = in[(blockIdx.y * T8 + ty) * n + blockIdx.x * T8 + tx];
    tile[ty * PITCH + tx] = v;
    __syncthreads();
    float4 u = tile[tx * PITCH + ty];
    float4 first = tile[tx * PITCH];                  // first of the row
    u.w += first.x;
    out[(blockIdx.x * T8 + ty) * n + blockIdx.y * T8 + tx] = u;
}

// each thread reverses the shorts of its own shared row
__global__ void rows_in_shared(short *a, int rows)
{
    __shared__ short s[64 * 33];
    int base = blockIdx.x * 64;
    int cnt = min(64, rows - base);
    for (int k = threadIdx.x; k < cnt * 33; k += blockDim.x)
        s[k] = a[base * 33 + k];
    __syncthreads();
    if (threadIdx.x < cnt) {
        int r = threadIdx.x * 33;
        for (int k = 0; k < 16; ++k) {
            short lo = s[r + k];
            short hi = s[r + 32 - k];
            s[r + k] = hi;
            s[r + 32 - k] = lo;
        }
    }
    __syncthreads();
    for (int k = threadIdx.x; k < cnt * 33; k += blockDim.x)
        a[base * 33 + k] = s[k];
}

template <typename T> T *up(const std::vector<T> &v)
{
    T *d;
    cudaMalloc(&d, v.size() * sizeof(T));
    cudaMemcpy(d, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice);
    return d;
}
template <typename T> void down(std::vector<T> &v, const T *d)
{
    cudaMemcpy(v.data(), d, v.size() * sizeof(T), cudaMemcpyDeviceToHost);
}

int main()
{
    const int bw = 451, bh = 330, dw = 210, dh = 150, fn = 128, rows = 2000;
    std::vector<unsigned char> b(bw * bh);
    std::vector<double> d(dw * dh);
    std::vector<float4> f(fn * fn), f2(fn * fn);
    std::vector<short> s(rows * 33);
    for (size_t i = 0; i < b.size(); i++) b[i] = (unsigned char)(i * 11 % 253);
    for (size_t i = 0; i < d.size(); i++) d[i] = (double)(i % 1009);
    for (size_t i = 0; i < f.size(); i++) f[i] = make_float4(i % 3, i % 5, i % 7, i % 11);
    for (size_t i = 0; i < s.size(); i++) s[i] = (short)(i % 20011);
    auto *db = up(b), *db2 = up(b); auto *dd = up(d), *dd2 = up(d);
    auto *df = up(f), *df2 = up(f), *df3 = up(f); auto *ds = up(s);

    tr_bytes<<<dim3((bw + 31) / 32, (bh + 31) / 32), dim3(32, 8)>>>(db, db2, bw, bh);
    tr_double<<<dim3((dw + 15) / 16, (dh + 15) / 16), dim3(16, 16)>>>(dd, dd2, dw, dh);
    tr_float4<8><<<dim3(fn / 8, fn / 8), dim3(8, 8)>>>(df, df2, fn);
    tr_float4<9><<<dim3(fn / 8, fn / 8), dim3(8, 8)>>>(df, df3, fn);
    rows_in_shared<<<(rows + 63) / 64, 96>>>(ds, rows);
    down(b, db2); down(d, dd2); down(f, df2); down(f2, df3); down(s, ds);
    double sum = 0;
    for (size_t i = 0; i < b.size(); i++) sum += b[i] * (double)(i % 101);
    for (size_t i = 0; i < d.size(); i++) sum += d[i] * (double)(i % 103);
    for (size_t i = 0; i < f.size(); i++) sum += (f[i].x + f[i].w - f2[i].y + f2[i].z) * (double)(i % 17);
    for (size_t i = 0; i < s.size(); i++) sum += s[i] * (double)(i % 19);
    printf("%.1f (%s)\n", sum, cudaGetErrorString(cudaGetLastError()));
}
