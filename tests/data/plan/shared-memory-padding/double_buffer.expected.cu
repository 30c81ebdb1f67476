// kernel=stream_transpose line=13 finding=KO103
#include <cstdio>
#include <vector>

constexpr int T = 32;

__global__ void stream_transpose(const float *in, float *out, int tiles) {
    __shared__ float stage[2][T][T + 1];
    int turn = 0;
    for (int t = blockIdx.x; t < tiles; t += gridDim.x, turn ^= 1) {
        stage[turn][threadIdx.y][threadIdx.x] = in[(t * T + threadIdx.y) * T + threadIdx.x];
        __syncthreads();
        out[(t * T + threadIdx.y) * T + threadIdx.x] = stage[turn][threadIdx.x][threadIdx.y];
    }
}

int main() {
    const int tiles = 7, count = tiles * T * T;
    std::vector<float> h(count), r(count);
    for (int i = 0; i < count; i++) h[i] = float(i);
    float *in, *out;
    cudaMalloc(&in, count * sizeof(float));
    cudaMalloc(&out, count * sizeof(float));
    cudaMemcpy(in, h.data(), count * sizeof(float), cudaMemcpyHostToDevice);
    dim3 block;
    block.x = T;
    block.y = T;
    for (int blocks = 1; blocks <= 4; blocks *= 2)
        stream_transpose<<<blocks, block>>>(in, out, tiles);
    cudaMemcpy(r.data(), out, count * sizeof(float), cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int t = 0; t < tiles; t++)
        for (int i = 0; i < T; i++)
            for (int j = 0; j < T; j++) bad += r[(t * T + i) * T + j] != h[(t * T + j) * T + i];
    printf("%s\n", bad ? "FAIL" : "PASS");
    return bad != 0;
}
