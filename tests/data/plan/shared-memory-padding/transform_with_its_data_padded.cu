// kernel=fft line=38 finding=KO103
#include <cmath>
#include <cstdio>
#include <vector>

namespace {

// One element more after each 16: strides of powers of two meet different banks.
__device__ __forceinline__ int padded(int i)
{
    return i + (i >> 4);
}

// roots: exp(-2 pi i k / N) for k < N / 2
template <int LOG2>
__global__ void __launch_bounds__((1 << LOG2) / 2)
fft(float2* __restrict__ out, const float2* __restrict__ in, const float2* __restrict__ roots)
{
    constexpr int N = 1 << LOG2;
    __shared__ float2 data[N + N / 16];
    __shared__ float2 twiddle[N / 2];

    const int t = threadIdx.x;
    in += blockIdx.x * N;
    out += blockIdx.x * N;
    for (int i = 0; i < 2; ++i) {
        const int k = t + i * (N / 2);
        data[padded(__brev(static_cast<unsigned>(k)) >> (32 - LOG2))] = in[k];
    }
    twiddle[t] = roots[t];
    __syncthreads();

#pragma unroll
    for (int stage = 0; stage < LOG2; ++stage) {
        const int half = 1 << stage;
        const int within = t & (half - 1);
        const int low = ((t - within) << 1) + within;
        const float2 w = twiddle[within << (LOG2 - 1 - stage)];
        const float2 u = data[padded(low)];
        const float2 v = data[padded(low + half)];
        const float re = v.x * w.x - v.y * w.y;
        const float im = v.x * w.y + v.y * w.x;
        data[padded(low)] = make_float2(u.x + re, u.y + im);
        data[padded(low + half)] = make_float2(u.x - re, u.y - im);
        __syncthreads();
    }
    out[t] = data[padded(t)];
    out[t + N / 2] = data[padded(t + N / 2)];
}

}  // namespace

int main()
{
    constexpr int n = 512, rows = 3;
    std::vector<float2> h(n * rows), roots(n / 2), r(n * rows);
    for (int i = 0; i < n * rows; ++i) h[i] = make_float2(i % 7 - 3.0f, i % 5 - 2.0f);
    const double step = 2 * 3.14159265358979323846 / n;
    for (int i = 0; i < n / 2; ++i) roots[i] = make_float2(float(cos(step * i)), float(-sin(step * i)));
    float2 *in, *out, *w;
    cudaMalloc(&in, h.size() * sizeof(float2));
    cudaMalloc(&out, h.size() * sizeof(float2));
    cudaMalloc(&w, roots.size() * sizeof(float2));
    cudaMemcpy(in, h.data(), h.size() * sizeof(float2), cudaMemcpyHostToDevice);
    cudaMemcpy(w, roots.data(), roots.size() * sizeof(float2), cudaMemcpyHostToDevice);
    fft<9><<<rows, n / 2>>>(out, in, w);
    cudaMemcpy(r.data(), out, r.size() * sizeof(float2), cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int k = 0; k < n; k += 31) {
        double re = 0, im = 0;
        for (int i = 0; i < n; ++i) {
            re += h[i].x * cos(step * i * k) + h[i].y * sin(step * i * k);
            im += h[i].y * cos(step * i * k) - h[i].x * sin(step * i * k);
        }
        bad += std::fabs(re - r[k].x) > 1e-2 || std::fabs(im - r[k].y) > 1e-2;
    }
    std::printf("%s\n", bad ? "FAIL" : "PASS");
    return bad != 0;
}
