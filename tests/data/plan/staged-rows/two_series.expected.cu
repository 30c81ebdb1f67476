// kernel=crossings line=13 finding=KO101
#include <cstdio>
#include <vector>

// how often the fast average crosses the slow one, per series
__global__ void crossings(const float *fast, const float *slow, int *counts, int n, int length) {
    const int id = threadIdx.x + blockDim.x * blockIdx.x;
    const bool is_inside = id < n;
    int count = 0;
    bool above = false;
    __shared__ float fast_tile[64][33];
    __shared__ float slow_tile[64][33];
    const int lane = threadIdx.x % 32, first_thread = threadIdx.x - lane, first_row = id - lane;
    for (int tile = 0; tile < length; tile += 32) {
        if (tile + lane < length) {
            const float *fast_column = fast + first_row * length + tile + lane;
            const float *slow_column = slow + first_row * length + tile + lane;
            #pragma unroll
            for (int r = 0; r < 32; ++r) {
                if (first_row + r < n) {
                    fast_tile[first_thread + r][lane] = fast_column[r * length];
                    slow_tile[first_thread + r][lane] = slow_column[r * length];
                }
            }
        }
        __syncwarp();
        const int stop = is_inside ? min(tile + 32, length) : tile;
        for (int t = tile; t < stop; t++) {
            const bool now = fast_tile[threadIdx.x][t - tile] > slow_tile[threadIdx.x][t - tile];
            count += now && !above;
            above = now;
        }
        __syncwarp();
    }
    if (is_inside) counts[id] = count;
}

int main() {
    const int n = 130, length = 99;
    std::vector<float> a(n * length), b(n * length);
    std::vector<int> c(n);
    for (int i = 0; i < n * length; i++) {
        a[i] = (i * 37) % 61;
        b[i] = (i * 11) % 59;
    }
    float *fast, *slow;
    int *counts;
    cudaMalloc(&fast, a.size() * 4);
    cudaMalloc(&slow, b.size() * 4);
    cudaMalloc(&counts, c.size() * 4);
    cudaMemcpy(fast, a.data(), a.size() * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(slow, b.data(), b.size() * 4, cudaMemcpyHostToDevice);
    crossings<<<(n + 63) / 64, 64>>>(fast, slow, counts, n, length);
    cudaMemcpy(c.data(), counts, c.size() * 4, cudaMemcpyDeviceToHost);
    long sum = 0;
    for (int i = 0; i < n; i++) sum += c[i] * (i % 9);
    printf("%ld\n", sum);
}
