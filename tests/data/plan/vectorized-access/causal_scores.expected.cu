// kernel=causal_scores line=25 finding=KO118
#include <cstdio>
#include <cstdlib>
#include <vector>

__device__ __forceinline__ float all_max(float v)
{
    for (int d = 1; d < warpSize; d *= 2) v = fmaxf(v, __shfl_xor_sync(0xffffffff, v, d));
    return v;
}

__device__ __forceinline__ float all_sum(float v)
{
    for (int d = 1; d < warpSize; d *= 2) v += __shfl_xor_sync(0xffffffff, v, d);
    return v;
}

// query q of a head sees keys 0..q; a warp has a query
__global__ void causal_scores(const float *__restrict__ scores, const float *__restrict__ bias, float *__restrict__ probs, int keys)
{
    const int lane = threadIdx.x % warpSize;
    const int q = blockIdx.x * (blockDim.x / warpSize) + threadIdx.x / warpSize;
    if (q >= keys) return;
    float top = -1e30f;
    const bool aligned = (reinterpret_cast<size_t>(scores + q * keys) | reinterpret_cast<size_t>(bias) | reinterpret_cast<size_t>(probs + q * keys)) % 16 == 0;
    const int vector_end = aligned ? q + 1 - (q + 1) % 4 : 0;
    for (int first = lane * 4; first < vector_end; first += warpSize * 4) {
        alignas(16) float scores4[4];
        *reinterpret_cast<float4 *>(scores4) = __ldg(reinterpret_cast<const float4 *>(scores + q * keys + first));
        alignas(16) float bias4[4];
        *reinterpret_cast<float4 *>(bias4) = __ldg(reinterpret_cast<const float4 *>(bias + first));
        #pragma unroll
        for (int element = 0; element < 4; ++element) {
            float v = scores4[element] + bias4[element];
            if (v > top) top = v;
        }
    }
    for (int k = vector_end + lane; k <= q; k += warpSize) {
        int at = q * keys + k;
        float v = __ldg(&scores[at]) + __ldg(bias + k);
        if (v > top) top = v;
    }
    top = all_max(top);
    float sum = 0.0f;
    for (int first = lane * 4; first < vector_end; first += warpSize * 4) {
        alignas(16) float scores4[4];
        *reinterpret_cast<float4 *>(scores4) = __ldg(reinterpret_cast<const float4 *>(scores + q * keys + first));
        alignas(16) float bias4[4];
        *reinterpret_cast<float4 *>(bias4) = __ldg(reinterpret_cast<const float4 *>(bias + first));
        alignas(16) float probs4[4];
        #pragma unroll
        for (int element = 0; element < 4; ++element) {
            const float e = expf(scores4[element] + bias4[element] - top);
            probs4[element] = e;
            sum += e;
        }
        *reinterpret_cast<float4 *>(probs + q * keys + first) = *reinterpret_cast<float4 *>(probs4);
    }
    for (int k = vector_end + lane; k <= q; k += warpSize) {
        int at = q * keys + k;
        const float e = expf(__ldg(&scores[at]) + __ldg(bias + k) - top);
        probs[at] = e;
        sum += e;
    }
    sum = all_sum(sum);
    if (sum == 0.0f) sum = 1.0f;
    for (int first = lane * 4; first < vector_end; first += warpSize * 4) {
        alignas(16) float probs4[4];
        *reinterpret_cast<float4 *>(probs4) = *reinterpret_cast<const float4 *>(probs + q * keys + first);
        #pragma unroll
        for (int element = 0; element < 4; ++element)
            probs4[element] /= sum;
        *reinterpret_cast<float4 *>(probs + q * keys + first) = *reinterpret_cast<float4 *>(probs4);
    }
    for (int k = vector_end + lane; k <= q; k += warpSize)
        probs[q * keys + k] /= sum;
}

int main(int argc, char **argv)
{
    int keys = argc > 1 ? atoi(argv[1]) : 260;
    std::vector<float> h((size_t)keys * keys), b(keys);
    for (size_t i = 0; i < h.size(); i++) h[i] = ((i * 37) % 101) * 0.05f;
    for (int i = 0; i < keys; i++) b[i] = (i % 7) * 0.1f;
    float *s, *c, *p;
    cudaMalloc(&s, h.size() * sizeof(float));
    cudaMalloc(&p, h.size() * sizeof(float));
    cudaMalloc(&c, keys * sizeof(float));
    cudaMemcpy(s, h.data(), h.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(c, b.data(), keys * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(p, 0, h.size() * sizeof(float));
    causal_scores<<<(keys + 7) / 8, 256>>>(s, c, p, keys);
    cudaMemcpy(h.data(), p, h.size() * sizeof(float), cudaMemcpyDeviceToHost);
    double t = 0;
    for (size_t i = 0; i < h.size(); i++) t += h[i] * (i % 3);
    printf("%.6f\n", t);
    cudaFree(s);
    cudaFree(c);
    cudaFree(p);
}
