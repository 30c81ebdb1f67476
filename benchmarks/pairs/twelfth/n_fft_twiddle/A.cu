// Spectral derivative of periodic rows: forward FFT, multiply by i*k, inverse FFT (all double).
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr int LOGN = 9;
constexpr int N = 1 << LOGN;
constexpr int HALF = N / 2;

void must(cudaError_t e)
{
    if (e != cudaSuccess) {
        std::printf("cuda: %s\n", cudaGetErrorString(e));
        std::exit(3);
    }
}

__device__ double2 cmul(double2 a, double2 b)
{
    return make_double2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

// Stockham radix-2 on the two halves of buf; returns the half that holds the result.
__device__ double2* fft(double2* src, double2* dst, double sign)
{
    const int t = threadIdx.x;
    for (int p = 1; p < N; p <<= 1) {
        int k = t & (p - 1);
        double s, c;
        sincospi(sign * (double)k / (double)p, &s, &c);
        double2 u = src[t];
        double2 v = cmul(src[t + HALF], make_double2(c, s));
        int j = ((t - k) << 1) + k;
        dst[j] = make_double2(u.x + v.x, u.y + v.y);
        dst[j + p] = make_double2(u.x - v.x, u.y - v.y);
        __syncthreads();
        double2* q = src; src = dst; dst = q;
    }
    return src;
}

__global__ void derivative_rows(const double* f, double* df, double two_pi_over_L)
{
    __shared__ double2 buf[2 * N];
    const size_t row = (size_t)blockIdx.x * N;
    const int t = threadIdx.x;

    buf[t] = make_double2(f[row + t], 0.0);
    buf[t + HALF] = make_double2(f[row + t + HALF], 0.0);
    __syncthreads();

    double2* r = fft(buf, buf + N, -1.0);
    double2* o = r == buf ? buf + N : buf;
    for (int m = t; m < N; m += HALF) {
        double k = m < HALF ? (double)m : (m == HALF ? 0.0 : (double)(m - N));
        k *= two_pi_over_L;
        double2 z = r[m];
        r[m] = make_double2(-k * z.y, k * z.x);
    }
    __syncthreads();
    r = fft(r, o, 1.0);
    df[row + t] = r[t].x / N;
    df[row + t + HALF] = r[t + HALF].x / N;
}

} // namespace

int main()
{
    const int rows = 240;
    const double L = 2.0 * M_PI;
    std::vector<double> f((size_t)rows * N), df(f.size());
    for (int r = 0; r < rows; ++r)
        for (int i = 0; i < N; ++i) {
            double x = L * i / N;
            f[(size_t)r * N + i] = std::exp(std::sin(x * (1 + r % 3))) + 0.2 * std::cos(11.0 * x + r);
        }
    double *d_f, *d_g;
    must(cudaMalloc(&d_f, f.size() * sizeof(double)));
    must(cudaMalloc(&d_g, f.size() * sizeof(double)));
    must(cudaMemcpy(d_f, f.data(), f.size() * sizeof(double), cudaMemcpyHostToDevice));

    derivative_rows<<<rows, HALF>>>(d_f, d_g, 2.0 * M_PI / L);
    must(cudaGetLastError());
    must(cudaMemcpy(df.data(), d_g, f.size() * sizeof(double), cudaMemcpyDeviceToHost));

    double rms = 0;
    for (double v : df) rms += v * v;
    std::printf("rms of derivative: %.5f\n", std::sqrt(rms / df.size()));
    for (int r = 0; r < rows; r += 60)
        std::printf("row %d: %.5f %.5f %.5f\n", r, df[(size_t)r * N], df[(size_t)r * N + 100], df[(size_t)r * N + 511]);
    must(cudaFree(d_f));
    must(cudaFree(d_g));
    return 0;
}
