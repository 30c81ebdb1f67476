// kernel=prefix_rows line=14 finding=KO103
#include <cstdio>
#include <vector>

// Every thread scans its own row of 32 integers; rows are fetched together.
__global__ void prefix_rows(const int* in, int* out) {
    __shared__ int rows[1024];
    const int t = threadIdx.x;
    for (int j = 0; j < 32; j++)
        rows[j * 32 + t] = in[blockIdx.x * 1024 + j * 32 + t];
    __syncthreads();
    int sum = 0;
    for (int j = 0; j < 32; j++) {
        sum += rows[t * 32 + j];
        rows[t * 32 + j] = sum;
    }
    __syncthreads();
    for (int j = 0; j < 32; j++)
        out[blockIdx.x * 1024 + j * 32 + t] = rows[j * 32 + t];
}

static void launch(const int* in, int* out, int blocks) {
    const int threads = 32;
    prefix_rows<<<blocks, threads>>>(in, out);
}

int main() {
    const int blocks = 4, count = blocks * 1024;
    std::vector<int> h(count), r(count);
    for (int i = 0; i < count; i++) h[i] = i % 13 - 6;
    int *in, *out;
    cudaMalloc(&in, count * sizeof(int));
    cudaMalloc(&out, count * sizeof(int));
    cudaMemcpy(in, h.data(), count * sizeof(int), cudaMemcpyHostToDevice);
    launch(in, out, blocks);
    cudaMemcpy(r.data(), out, count * sizeof(int), cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int row = 0; row < count / 32; row++)
        for (int j = 0, s = 0; j < 32; j++) {
            s += h[row * 32 + j];
            bad += r[row * 32 + j] != s;
        }
    printf("%s\n", bad ? "FAIL" : "PASS");
    return bad != 0;
}
