// kernel=turn line=12 finding=KO101
#include <cstdio>
#include <vector>


namespace la {
template <typename T, int EDGE>
__global__ void turn(T *dst, const T *src, int rows, int cols) {
    __shared__ T tile[EDGE][EDGE + 1];
    int c = EDGE * blockIdx.x + threadIdx.x, r = EDGE * blockIdx.y + threadIdx.y;
    if (r < rows)
        if (c < cols)
            tile[threadIdx.y][threadIdx.x] = *(src + r * cols + c);
    __syncthreads();
    int c_out = EDGE * blockIdx.x + threadIdx.y;
    int r_out = EDGE * blockIdx.y + threadIdx.x;
    if (r_out < rows && c_out < cols)
        *(dst + c_out * rows + r_out) = tile[threadIdx.x][threadIdx.y];
}
}  // namespace la

template <typename T>
void turn_on_device(T *dst, const T *src, int rows, int cols) {
    constexpr int edge = 32;
    const dim3 block = dim3(edge, edge);
    la::turn<T, edge><<<dim3((cols + edge - 1) / edge, (rows + edge - 1) / edge), block>>>(dst, src, rows, cols);
}

int main() {
    const int rows = 70, cols = 130;
    std::vector<int> h(rows * cols), r(rows * cols);
    for (int i = 0; i < rows * cols; i++) h[i] = i % 1000;
    int *in, *out;
    cudaMalloc(&in, h.size() * sizeof(*in));
    cudaMalloc(&out, h.size() * sizeof(*out));
    cudaMemcpy(in, h.data(), h.size() * sizeof(*in), cudaMemcpyHostToDevice);
    turn_on_device(out, in, rows, cols);
    cudaMemcpy(r.data(), out, h.size() * sizeof(*out), cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++) bad += r[j * rows + i] != h[i * cols + j];
    printf("%s\n", bad ? "FAIL" : "PASS");
    return bad != 0;
}
