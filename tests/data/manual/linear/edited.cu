// y = relu(x W^T + bias): x is batch x in, W is out x in, both row-major.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define CHECK(call) do { cudaError_t e = (call); if (e != cudaSuccess) { fprintf(stderr, "%s\n", cudaGetErrorString(e)); exit(1); } } while (0)

// Four floats of a row from `p` on, zeros beyond `count`; `whole`: rows and pointer are 16-byte aligned.
__device__ __forceinline__ void load4(float (&r)[4], const float *p, int count, bool whole)
{
    if (whole && count >= 4) {
        const float4 v = *reinterpret_cast<const float4 *>(p);
        r[0] = v.x; r[1] = v.y; r[2] = v.z; r[3] = v.w;
    } else {
#pragma unroll
        for (int j = 0; j < 4; ++j)
            r[j] = j < count ? p[j] : 0.0f;
    }
}

// 128 x 64 outputs of P Q^T by 128 threads, 8 x 8 each; rows of P and Q are in long. sum: rows ty + {0..3, 64..67}, columns tx + {0..3, 32..35}.
__device__ __forceinline__ void large_tile(float (&sum)[8][8], const float *P, const float *Q, int p_rows, int q_rows, int in, int row0, int col0, int t)
{
    __shared__ __align__(16) float ps[2][8][132], qs[2][8][68];
    const int ty = t / 8 * 4, tx = t % 8 * 4;
    const int r = t / 2, c = t % 2 * 4;
    const bool whole = in % 4 == 0 && ((reinterpret_cast<size_t>(P) | reinterpret_cast<size_t>(Q)) & 15) == 0;
    float rp[2][4], rq[1][4];
#pragma unroll
    for (int s = 0; s < 2; ++s)
        load4(rp[s], P + (size_t)(row0 + r + s * 64) * in  + c, row0 + r + s * 64 < p_rows ? in  - c : 0, whole);
#pragma unroll
    for (int s = 0; s < 1; ++s)
        load4(rq[s], Q + (size_t)(col0 + r + s * 64) * in  + c, col0 + r + s * 64 < q_rows ? in  - c : 0, whole);
    int now = 0;
    for (int k0 = 0; k0 < in; k0 += 8) {
#pragma unroll
        for (int j = 0; j < 4; ++j) {
#pragma unroll
            for (int s = 0; s < 2; ++s)
                ps[now][c + j][r + s * 64] = rp[s][j];
#pragma unroll
            for (int s = 0; s < 1; ++s)
                qs[now][c + j][r + s * 64] = rq[s][j];
        }
        __syncthreads();
        if (k0 + 8 < in) {
#pragma unroll
            for (int s = 0; s < 2; ++s)
                load4(rp[s], P + (size_t)(row0 + r + s * 64) * in + (k0 + 8) + c, row0 + r + s * 64 < p_rows ? in - (k0 + 8) - c : 0, whole);
#pragma unroll
            for (int s = 0; s < 1; ++s)
                load4(rq[s], Q + (size_t)(col0 + r + s * 64) * in + (k0 + 8) + c, col0 + r + s * 64 < q_rows ? in - (k0 + 8) - c : 0, whole);
        }
#pragma unroll
        for (int q = 0; q < 8; ++q) {
            float x[8], y[8];
            *reinterpret_cast<float4 *>(x) = *reinterpret_cast<const float4 *>(&ps[now][q][ty]);
            *reinterpret_cast<float4 *>(x + 4) = *reinterpret_cast<const float4 *>(&ps[now][q][ty + 64]);
            *reinterpret_cast<float4 *>(y) = *reinterpret_cast<const float4 *>(&qs[now][q][tx]);
            *reinterpret_cast<float4 *>(y + 4) = *reinterpret_cast<const float4 *>(&qs[now][q][tx + 32]);
#pragma unroll
            for (int i = 0; i < 8; ++i)
#pragma unroll
                for (int j = 0; j < 8; ++j)
                    sum[i][j] = fmaf(x[i], y[j], sum[i][j]);
        }
        now ^= 1;
    }
    __syncthreads();  // before another tile is loaded
}

__device__ __forceinline__ void small_tile(const float* x, const float* w, const float* bias, float* y, int batch, int in, int out, int row0, int col0)
{
    __shared__ float xs[16][33], ws[16][33];
    const int t = threadIdx.x, b = row0 + t / 16, o = col0 + t % 16;
    float first = o < out ? bias[o] : 0.0f, second = first;
    for (int k0 = 0; k0 < in; k0 += 32) {
#pragma unroll
        for (int s = 0; s < 4; ++s) {
            const int r = (t + 128 * s) / 32, c = t % 32;
            xs[r][c] = row0 + r < batch && k0 + c < in ? x[(row0 + r) * in + k0 + c] : 0.0f;
            ws[r][c] = col0 + r < out && k0 + c < in ? w[(col0 + r) * in + k0 + c] : 0.0f;
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 32; ++i) {
            first = fmaf(xs[t / 16][i], ws[t % 16][i], first);
            second = fmaf(xs[t / 16 + 8][i], ws[t % 16][i], second);
        }
        __syncthreads();
    }
    if (o < out && b < batch)
        y[b * out + o] = first > 0 ? first : 0;
    if (o < out && b + 8 < batch)
        y[(b + 8) * out + o] = second > 0 ? second : 0;
}

__global__ void __launch_bounds__(128) linear_relu(const float* x, const float* w, const float* bias, float* y, int batch, int in, int out)
{
    const int t = threadIdx.x;
    if (blockDim.x != 128) {
        int o = blockIdx.x * blockDim.x + threadIdx.x;
        int b = blockIdx.y;
        if (o < out) {
            float acc = bias[o];
            for (int i = 0; i < in; i++)
                acc += x[b * in + i] * w[o * in + i];
            y[b * out + o] = acc > 0 ? acc : 0;
        }
        return;
    }
    const bool is_large = batch >= 512 && out >= 512;
    const int high = is_large ? 128 : 16, wide = is_large ? 64 : 16;
    const int across = (out + wide - 1) / wide;
    const int tiles = across * ((batch + high - 1) / high);
    for (int tile = blockIdx.y * gridDim.x + blockIdx.x; tile < tiles; tile += gridDim.x * gridDim.y) {
        const int row0 = tile / across * high, col0 = tile % across * wide;
        if (!is_large) {
            small_tile(x, w, bias, y, batch, in, out, row0, col0);
            continue;
        }
        float sum[8][8];
#pragma unroll
        for (int j = 0; j < 8; ++j) {
            const int o = col0 + t % 8 * 4 + j % 4 + j / 4 * 32;
#pragma unroll
            for (int i = 0; i < 8; ++i)
                sum[i][j] = o < out ? bias[o] : 0.0f;
        }
        large_tile(sum, x, w, batch, out, in, row0, col0, t);
#pragma unroll
        for (int i = 0; i < 8; ++i)
#pragma unroll
            for (int j = 0; j < 8; ++j) {
                const int b = row0 + t / 8 * 4 + i % 4 + i / 4 * 64, o = col0 + t % 8 * 4 + j % 4 + j / 4 * 32;
                if (b < batch && o < out)
                    y[(size_t)b * out + o] = sum[i][j] > 0 ? sum[i][j] : 0;
            }
    }
}

int main(int argc, char** argv)
{
    const int batch = argc > 1 ? atoi(argv[1]) : 96;
    const int in = argc > 2 ? atoi(argv[2]) : 160;
    const int out = argc > 3 ? atoi(argv[3]) : 192;
    std::vector<float> x(batch * in), w(out * in), bias(out), y(batch * out);
    srand(7);
    for (auto& v : x) v = rand() / (float)RAND_MAX - 0.5f;
    for (auto& v : w) v = (rand() / (float)RAND_MAX - 0.5f) * 0.1f;
    for (auto& v : bias) v = (rand() / (float)RAND_MAX - 0.5f) * 0.01f;
    float *dx, *dw, *dbias, *dy;
    CHECK(cudaMalloc(&dx, x.size() * 4));
    CHECK(cudaMalloc(&dw, w.size() * 4));
    CHECK(cudaMalloc(&dbias, bias.size() * 4));
    CHECK(cudaMalloc(&dy, y.size() * 4));
    CHECK(cudaMemcpy(dx, x.data(), x.size() * 4, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(dw, w.data(), w.size() * 4, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(dbias, bias.data(), bias.size() * 4, cudaMemcpyHostToDevice));
    linear_relu<<<dim3((out + 127) / 128, batch), 128>>>(dx, dw, dbias, dy, batch, in, out);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(y.data(), dy, y.size() * 4, cudaMemcpyDeviceToHost));
    double s = 0;
    for (float v : y) s += v;
    printf("sum of activations: %.5f\n", s);
    cudaFree(dx); cudaFree(dw); cudaFree(dbias); cudaFree(dy);
}
