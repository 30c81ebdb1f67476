#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include "attention_kernels.cuh"

#define GPU(call) do { cudaError_t e_ = (call); if (e_) { \
    fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)

struct DeviceBuffer
{
    float* data;
    explicit DeviceBuffer(size_t count) { GPU(cudaMalloc(&data, count * sizeof(float))); }
    ~DeviceBuffer() { cudaFree(data); }
    DeviceBuffer(const DeviceBuffer&) = delete;
    DeviceBuffer& operator=(const DeviceBuffer&) = delete;
};

int main(int argc, char** argv)
{
    int heads = argc > 1 ? atoi(argv[1]) : 2;
    int seq = argc > 2 ? atoi(argv[2]) : 48;
    size_t count = (size_t)heads * seq * HEAD_DIM;

    std::vector<float> q(count), k(count), v(count), o(count);
    for (size_t i = 0; i < count; i++)
    {
        q[i] = sinf(0.37f * i);
        k[i] = cosf(0.11f * i);
        v[i] = (float)(i % 101) / 101.0f;
    }

    DeviceBuffer Q(count), K(count), V(count), O(count), scores((size_t)heads * seq * seq);
    GPU(cudaMemcpy(Q.data, q.data(), count * sizeof(float), cudaMemcpyHostToDevice));
    GPU(cudaMemcpy(K.data, k.data(), count * sizeof(float), cudaMemcpyHostToDevice));
    GPU(cudaMemcpy(V.data, v.data(), count * sizeof(float), cudaMemcpyHostToDevice));

    dim3 tile(16, 16);
    dim3 score_grid((seq + 15) / 16, (seq + 15) / 16, heads);
    qk_scores<<<score_grid, tile>>>(Q.data, K.data, scores.data, heads, seq);
    GPU(cudaGetLastError());

    int rows = heads * seq;
    softmax_rows<<<(rows + 127) / 128, 128>>>(scores.data, rows, seq);
    GPU(cudaGetLastError());

    dim3 out_block(HEAD_DIM, 4);
    dim3 out_grid((seq + 3) / 4, heads);
    weighted_values<<<out_grid, out_block>>>(scores.data, V.data, O.data, heads, seq);
    GPU(cudaGetLastError());
    GPU(cudaMemcpy(o.data(), O.data, count * sizeof(float), cudaMemcpyDeviceToHost));

    double sum = 0;
    for (float value : o)
        sum += value;
    printf("heads %d seq %d: mean %.6f  o[0] %.6f  o[last] %.6f\n", heads, seq, sum / count, o[0], o[count - 1]);
    return 0;
}
