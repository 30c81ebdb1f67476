// kernel=softmax_rows line=16 finding=KO118
#include <cstdio>
#include <cstdlib>
#include <vector>

// softmax of each row, in place; a warp has a row
__global__ void softmax_rows(float* scores, int rows, int seq)
{
    int r = blockIdx.x * blockDim.y + threadIdx.y;
    int lane = threadIdx.x;
    if (r >= rows)
        return;

    float* row = scores + (size_t)r * seq;
    float biggest = -3.0e38f;
    const bool aligned = reinterpret_cast<size_t>(row) % 16 == 0;
    const int vector_end = aligned ? seq - seq % 4 : 0;
    for (int first = lane * 4; first < vector_end; first += 128)
    {
        alignas(16) float row4[4];
        *reinterpret_cast<float4 *>(row4) = *reinterpret_cast<const float4 *>(row + first);
        #pragma unroll
        for (int k = 0; k < 4; ++k)
            biggest = fmaxf(biggest, row4[k]);
    }
    for (int j = vector_end + lane; j < seq; j += 32)
        biggest = fmaxf(biggest, row[j]);
    for (int offset = 16; offset > 0; offset /= 2)
        biggest = fmaxf(biggest, __shfl_xor_sync(0xffffffff, biggest, offset));

    float total = 0;
    for (int first = lane * 4; first < vector_end; first += 128)
    {
        alignas(16) float row4[4];
        *reinterpret_cast<float4 *>(row4) = *reinterpret_cast<const float4 *>(row + first);
        #pragma unroll
        for (int k = 0; k < 4; ++k)
        {
            row4[k] = expf(row4[k] - biggest);
            total += row4[k];
        }
        *reinterpret_cast<float4 *>(row + first) = *reinterpret_cast<float4 *>(row4);
    }
    for (int j = vector_end + lane; j < seq; j += 32)
    {
        row[j] = expf(row[j] - biggest);
        total += row[j];
    }
    for (int offset = 16; offset > 0; offset /= 2)
        total += __shfl_xor_sync(0xffffffff, total, offset);

    for (int first = lane * 4; first < vector_end; first += 128)
    {
        alignas(16) float row4[4];
        *reinterpret_cast<float4 *>(row4) = *reinterpret_cast<const float4 *>(row + first);
        #pragma unroll
        for (int k = 0; k < 4; ++k)
            row4[k] /= total;
        *reinterpret_cast<float4 *>(row + first) = *reinterpret_cast<float4 *>(row4);
    }
    for (int j = vector_end + lane; j < seq; j += 32)
        row[j] /= total;
}

int main(int argc, char** argv)
{
    int rows = argc > 1 ? atoi(argv[1]) : 43, seq = argc > 2 ? atoi(argv[2]) : 300;
    std::vector<float> h((size_t)rows * seq);
    for (size_t i = 0; i < h.size(); i++)
        h[i] = ((i * 37) % 101) * 0.05f;
    float* d;
    cudaMalloc(&d, h.size() * sizeof(float));
    cudaMemcpy(d, h.data(), h.size() * sizeof(float), cudaMemcpyHostToDevice);
    softmax_rows<<<(rows + 3) / 4, dim3(32, 4)>>>(d, rows, seq);
    cudaMemcpy(h.data(), d, h.size() * sizeof(float), cudaMemcpyDeviceToHost);
    double s = 0;
    for (size_t i = 0; i < h.size(); i++)
        s += h[i] * (i % 3);
    printf("%.6f\n", s);
    cudaFree(d);
}
