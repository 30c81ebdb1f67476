// kernel=trails line=10 finding=KO120
#include <cstdio>
#include <vector>

template <typename T>
__device__ void fade(T* trail, const T* hits, int stride, int first, int cells)
{
    trail[first] = hits[first];
    T trail_last = trail[first];
    for (int k = 1; k < cells; ++k) {
        trail_last = hits[first + k * stride] > T(0) ? T(1) : trail_last * T(0.5);
        trail[first + k * stride] = trail_last;
    }
}

__global__ void trails(float* trail, const float* hits, int rows, int cells)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    fade<float>(trail, hits, rows, r, cells);
}

int main()
{
    int rows = 40, cells = 60;
    std::vector<float> h(rows * cells), t(rows * cells, 0.25f);
    for (size_t i = 0; i < h.size(); i++) h[i] = i % 9 == 0;
    float *dh, *dt;
    cudaMalloc(&dh, h.size() * sizeof(float));
    cudaMalloc(&dt, h.size() * sizeof(float));
    cudaMemcpy(dh, h.data(), h.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dt, t.data(), h.size() * sizeof(float), cudaMemcpyHostToDevice);
    trails<<<2, 32>>>(dt, dh, rows, cells);
    cudaMemcpy(t.data(), dt, h.size() * sizeof(float), cudaMemcpyDeviceToHost);
    float sum = 0;
    for (float v : t) sum += v;
    printf("%f\n", sum);
    cudaFree(dh);
    cudaFree(dt);
    return 0;
}
