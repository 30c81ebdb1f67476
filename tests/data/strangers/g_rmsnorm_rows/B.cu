// Residual add + RMSNorm, the little kernel that sits in front of every attention / MLP block.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>
#include <cuda_fp16.h>

#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { \
    fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)

constexpr int HIDDEN  = 1024;
constexpr int ROWS    = 1536;
constexpr int THREADS = 256;

// resid += delta ; out = rmsnorm(resid) * gain
// Persistent blocks walk over the rows; a row lives in registers (4 values per thread), the gain is
// loaded once per block, the reduction is warp shuffles plus one small shared array.
__global__ void __launch_bounds__(THREADS)
add_rmsnorm(float* __restrict__ resid, const __half* __restrict__ delta, const float* __restrict__ gain,
            __half* __restrict__ out, int rows, float eps)
{
    static_assert(HIDDEN == THREADS * 4, "one float4 per thread");
    __shared__ float warp_ss[THREADS / 32];
    const int t = threadIdx.x, lane = t & 31, warp = t >> 5;
    const float4 g = reinterpret_cast<const float4*>(gain)[t];

    for (int row = blockIdx.x; row < rows; row += gridDim.x) {
        float4* r = reinterpret_cast<float4*>(resid + (size_t)row * HIDDEN);
        const uint2 dp = reinterpret_cast<const uint2*>(delta + (size_t)row * HIDDEN)[t];
        float2 d01 = __half22float2(*reinterpret_cast<const __half2*>(&dp.x));
        float2 d23 = __half22float2(*reinterpret_cast<const __half2*>(&dp.y));
        float4 v = r[t];
        v.x += d01.x; v.y += d01.y; v.z += d23.x; v.w += d23.y;
        r[t] = v;

        float ss = v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
        #pragma unroll
        for (int o = 16; o; o >>= 1) ss += __shfl_xor_sync(0xffffffffu, ss, o);
        if (lane == 0) warp_ss[warp] = ss;
        __syncthreads();
        float tot = 0.f;
        #pragma unroll
        for (int w = 0; w < THREADS / 32; w++) tot += warp_ss[w];

        float inv = rsqrtf(tot / HIDDEN + eps);
        __half2 lo = __floats2half2_rn(v.x * inv * g.x, v.y * inv * g.y);
        __half2 hi = __floats2half2_rn(v.z * inv * g.z, v.w * inv * g.w);
        uint2 pk;
        pk.x = *reinterpret_cast<unsigned*>(&lo);
        pk.y = *reinterpret_cast<unsigned*>(&hi);
        reinterpret_cast<uint2*>(out + (size_t)row * HIDDEN)[t] = pk;
    }
}

static float frand(unsigned& s) { s = s * 1664525u + 1013904223u; return (s >> 8) * (1.f / 8388608.f) - 1.f; }

int main()
{
    size_t n = (size_t)ROWS * HIDDEN;
    std::vector<float> h_res(n), h_gain(HIDDEN);
    std::vector<__half> h_delta(n), h_out(n);
    unsigned seed = 7;
    for (size_t i = 0; i < n; i++) {
        float amp = 0.25f + (float)((i / HIDDEN) % 37) * 0.11f;
        h_res[i] = amp * frand(seed);
        h_delta[i] = __float2half(0.3f * frand(seed));
    }
    for (int i = 0; i < HIDDEN; i++) h_gain[i] = 1.f + 0.2f * frand(seed);

    float *d_res, *d_gain; __half *d_delta, *d_out;
    CK(cudaMalloc(&d_res, n * sizeof(float)));
    CK(cudaMalloc(&d_gain, HIDDEN * sizeof(float)));
    CK(cudaMalloc(&d_delta, n * sizeof(__half)));
    CK(cudaMalloc(&d_out, n * sizeof(__half)));
    CK(cudaMemcpy(d_res, h_res.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(d_gain, h_gain.data(), HIDDEN * sizeof(float), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(d_delta, h_delta.data(), n * sizeof(__half), cudaMemcpyHostToDevice));

    int dev = 0, sms = 1;
    CK(cudaGetDevice(&dev));
    CK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, dev));
    int blocks = sms * 4 < ROWS ? sms * 4 : ROWS;
    for (int layer = 0; layer < 3; layer++) {
        add_rmsnorm<<<blocks, THREADS>>>(d_res, d_delta, d_gain, d_out, ROWS, 1e-5f);
        CK(cudaGetLastError());
    }
    CK(cudaDeviceSynchronize());
    CK(cudaMemcpy(h_out.data(), d_out, n * sizeof(__half), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(h_res.data(), d_res, n * sizeof(float), cudaMemcpyDeviceToHost));

    double s1 = 0, s2 = 0;
    for (size_t i = 0; i < n; i++) { double v = __half2float(h_out[i]); s1 += v * ((i % 5) + 1); s2 += v * v; }
    printf("weighted sum %.4f  mean square %.6f\n", s1, s2 / n);
    for (int r = 0; r < ROWS; r += 301)
        printf("row %4d: %.4f %.4f  resid %.5f\n", r, __half2float(h_out[(size_t)r * HIDDEN]),
               __half2float(h_out[(size_t)r * HIDDEN + HIDDEN - 1]), h_res[(size_t)r * HIDDEN + 17]);
    cudaFree(d_res); cudaFree(d_gain); cudaFree(d_delta); cudaFree(d_out);
    return 0;
}
