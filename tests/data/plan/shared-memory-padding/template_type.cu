// kernel=rotate line=19 finding=KO103
#include <cstdio>
#include <vector>

namespace image {
// Rotates a square image by a quarter turn; N is the tile's edge.
template <typename T, int N>
__global__ void rotate(const T *__restrict__ src, T *__restrict__ dst, int edge) {
    __shared__ T patch[N][N];
    const int col = blockIdx.x * N + threadIdx.x;
    for (int r = threadIdx.y; r < N; r += blockDim.y) {
        const int row = blockIdx.y * N + r;
        if (row < edge && col < edge) patch[r][threadIdx.x] = src[row * edge + col];
    }
    __syncthreads();
    const int to = blockIdx.y * N + threadIdx.x;
    for (int r = threadIdx.y; r < N; r += blockDim.y) {
        const int row = blockIdx.x * N + r;
        if (row < edge && to < edge) dst[row * edge + (edge - 1 - to)] = patch[threadIdx.x][r];
    }
}
}  // namespace image

template <typename T>
int check(int edge) {
    std::vector<T> h(edge * edge), r(edge * edge);
    for (int i = 0; i < edge * edge; ++i) h[i] = T(i);
    T *src, *dst;
    cudaMalloc(&src, h.size() * sizeof(T));
    cudaMalloc(&dst, h.size() * sizeof(T));
    cudaMemcpy(src, h.data(), h.size() * sizeof(T), cudaMemcpyHostToDevice);
    dim3 threads(32, 8);
    dim3 blocks((edge + 31) / 32, (edge + 31) / 32);
    image::rotate<T, 32><<<blocks, threads>>>(src, dst, edge);
    cudaMemcpy(r.data(), dst, h.size() * sizeof(T), cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < edge; ++i)
        for (int j = 0; j < edge; ++j) bad += r[j * edge + (edge - 1 - i)] != h[i * edge + j];
    return bad;
}

int main() {
    int bad = check<int>(70);
    printf("%s\n", bad ? "FAIL" : "PASS");
    return bad != 0;
}
