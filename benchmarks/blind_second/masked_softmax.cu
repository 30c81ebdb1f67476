// Softmax of attention scores with a causal mask and padding, forward and backward.
//
//   masked_softmax BATCH HEADS LENGTH       LENGTH: 32, 64, 128, 256, 512 or 1024
//
// scores[batch][head][query][key]; key j counts for query i if j <= i and j < lengths[batch].
// A warp has a row in its registers: one read, one write, and nothing is read beyond the last key that counts.
#include <cfloat>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(expression)                                                                  \
    do {                                                                                   \
        const cudaError_t error = (expression);                                            \
        if (error != cudaSuccess) {                                                        \
            std::fprintf(stderr, "%s failed: %s\n", #expression, cudaGetErrorString(error)); \
            std::exit(EXIT_FAILURE);                                                       \
        }                                                                                  \
    } while (false)

constexpr int kRowsPerBlock = 8;

__device__ __forceinline__ float warpMax(float v)
{
#pragma unroll
    for (int d = 16; d; d >>= 1) v = fmaxf(v, __shfl_xor_sync(~0u, v, d));
    return v;
}

__device__ __forceinline__ float warpSum(float v)
{
#pragma unroll
    for (int d = 16; d; d >>= 1) v += __shfl_xor_sync(~0u, v, d);
    return v;
}

template <int PER_LANE>
__global__ void __launch_bounds__(32 * kRowsPerBlock)
softmaxForward(const float* __restrict__ scores, const int* __restrict__ lengths, float* __restrict__ probabilities, int rows,
               int rowsPerBatch, float scale)
{
    constexpr int kLength = 32 * PER_LANE;
    const int row = blockIdx.x * kRowsPerBlock + threadIdx.y;
    if (row >= rows) return;
    const int lane = threadIdx.x;
    const int valid = min(row % kLength + 1, __ldg(lengths + row / rowsPerBatch));
    const float* in = scores + static_cast<int64_t>(row) * kLength;
    float* out = probabilities + static_cast<int64_t>(row) * kLength;

    float value[PER_LANE];
    float largest = -FLT_MAX;
#pragma unroll
    for (int k = 0; k < PER_LANE; ++k) {
        const int j = lane + 32 * k;
        value[k] = j < valid ? in[j] : -FLT_MAX;
        largest = fmaxf(largest, value[k]);
    }
    largest = warpMax(largest);

    const float factor = scale * 1.44269504f;  // exp(x) = exp2(x log2 e)
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < PER_LANE; ++k) {
        value[k] = lane + 32 * k < valid ? exp2f((value[k] - largest) * factor) : 0.0f;
        sum += value[k];
    }
    const float inverse = 1.0f / warpSum(sum);
#pragma unroll
    for (int k = 0; k < PER_LANE; ++k) out[lane + 32 * k] = value[k] * inverse;
}

template <int PER_LANE>
__global__ void __launch_bounds__(32 * kRowsPerBlock)
softmaxBackward(const float* __restrict__ probabilities, const float* __restrict__ upstream, const int* __restrict__ lengths,
                float* __restrict__ gradient, int rows, int rowsPerBatch, float scale)
{
    constexpr int kLength = 32 * PER_LANE;
    const int row = blockIdx.x * kRowsPerBlock + threadIdx.y;
    if (row >= rows) return;
    const int lane = threadIdx.x;
    const int valid = min(row % kLength + 1, __ldg(lengths + row / rowsPerBatch));
    const int64_t offset = static_cast<int64_t>(row) * kLength;

    float p[PER_LANE], g[PER_LANE];
    float inner = 0.0f;
#pragma unroll
    for (int k = 0; k < PER_LANE; ++k) {
        const int j = lane + 32 * k;
        p[k] = j < valid ? probabilities[offset + j] : 0.0f;
        g[k] = j < valid ? upstream[offset + j] : 0.0f;
        inner = fmaf(p[k], g[k], inner);
    }
    inner = warpSum(inner);
#pragma unroll
    for (int k = 0; k < PER_LANE; ++k) gradient[offset + lane + 32 * k] = scale * p[k] * (g[k] - inner);
}

template <int PER_LANE>
void run(const float* scores, const float* upstream, const int* lengths, float* probabilities, float* gradient, int batch, int heads)
{
    constexpr int kLength = 32 * PER_LANE;
    const int rows = batch * heads * kLength, rowsPerBatch = heads * kLength;
    const dim3 block(32, kRowsPerBlock), grid((rows + kRowsPerBlock - 1) / kRowsPerBlock);
    const float scale = 0.125f;
    softmaxForward<PER_LANE><<<grid, block>>>(scores, lengths, probabilities, rows, rowsPerBatch, scale);
    CHECK(cudaGetLastError());
    softmaxBackward<PER_LANE><<<grid, block>>>(probabilities, upstream, lengths, gradient, rows, rowsPerBatch, scale);
    CHECK(cudaGetLastError());
}

static float pseudoRandom(uint32_t i)
{
    i = i * 747796405u + 2891336453u;
    i = ((i >> ((i >> 28) + 4)) ^ i) * 277803737u;
    i = (i >> 22) ^ i;
    return static_cast<float>(i >> 8) / 8388608.0f - 1.0f;
}

int main(int argc, char** argv)
{
    if (argc != 4) {
        std::fprintf(stderr, "usage: %s BATCH HEADS LENGTH\n", argv[0]);
        return EXIT_FAILURE;
    }
    const int batch = std::atoi(argv[1]), heads = std::atoi(argv[2]), length = std::atoi(argv[3]);
    const size_t count = static_cast<size_t>(batch) * heads * length * length, bytes = count * sizeof(float);

    std::vector<float> scores(count), upstream(count);
    std::vector<int> lengths(batch);
    for (size_t i = 0; i < count; ++i) {
        scores[i] = 20.0f * pseudoRandom(static_cast<uint32_t>(2 * i));
        upstream[i] = pseudoRandom(static_cast<uint32_t>(2 * i + 1));
    }
    for (int b = 0; b < batch; ++b) lengths[b] = length - b * length / (4 * batch);

    float *dScores, *dUpstream, *dProbabilities, *dGradient;
    int* dLengths;
    CHECK(cudaMalloc(&dScores, bytes));
    CHECK(cudaMalloc(&dUpstream, bytes));
    CHECK(cudaMalloc(&dProbabilities, bytes));
    CHECK(cudaMalloc(&dGradient, bytes));
    CHECK(cudaMalloc(&dLengths, batch * sizeof(int)));
    CHECK(cudaMemcpy(dScores, scores.data(), bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(dUpstream, upstream.data(), bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(dLengths, lengths.data(), batch * sizeof(int), cudaMemcpyHostToDevice));

    switch (length) {
        case 32: run<1>(dScores, dUpstream, dLengths, dProbabilities, dGradient, batch, heads); break;
        case 64: run<2>(dScores, dUpstream, dLengths, dProbabilities, dGradient, batch, heads); break;
        case 128: run<4>(dScores, dUpstream, dLengths, dProbabilities, dGradient, batch, heads); break;
        case 256: run<8>(dScores, dUpstream, dLengths, dProbabilities, dGradient, batch, heads); break;
        case 512: run<16>(dScores, dUpstream, dLengths, dProbabilities, dGradient, batch, heads); break;
        case 1024: run<32>(dScores, dUpstream, dLengths, dProbabilities, dGradient, batch, heads); break;
        default: std::fprintf(stderr, "no such length\n"); return EXIT_FAILURE;
    }

    CHECK(cudaMemcpy(scores.data(), dProbabilities, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(upstream.data(), dGradient, bytes, cudaMemcpyDeviceToHost));
    double squares = 0, magnitude = 0;
    for (float p : scores) squares += static_cast<double>(p) * p;
    for (float g : upstream) magnitude += g < 0 ? -g : g;
    const size_t rows = count / length, last = count - length;
    std::printf("squares of p per row  %.5f\n", squares / rows);
    std::printf("|gradient| per row    %.5f\n", magnitude / rows);
    std::printf("last row p            %.6f %.6f %.6f\n", scores[last], scores[last + length / 3], scores[last + length / 2]);
    std::printf("last row gradient     %.6f %.6f %.6f\n", upstream[last], upstream[last + length / 3], upstream[last + length / 2]);

    CHECK(cudaFree(dScores));
    CHECK(cudaFree(dUpstream));
    CHECK(cudaFree(dProbabilities));
    CHECK(cudaFree(dGradient));
    CHECK(cudaFree(dLengths));
    return EXIT_SUCCESS;
}
