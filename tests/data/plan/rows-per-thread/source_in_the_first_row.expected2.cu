// kernel=advance line=16 finding=KO127
#include <cstdio>
#include <vector>

struct Wave { float *e, *h; int nx, ny; };

__global__ void advance(Wave f, float source)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int first_i = (blockIdx.y * blockDim.y + threadIdx.y) * 2;
    if (j >= f.ny)
        return;
    if (first_i + 1 < f.nx && first_i > 0) {
        float result[2];
        #pragma unroll
        for (int r = 0; r < 2; r++) {
            const int i = first_i + r;
            result[r] = f.e[i * f.ny + j] - 0.5f * (f.h[i * f.ny + j] - f.h[(i - 1) * f.ny + j]);
        }
        #pragma unroll
        for (int r = 0; r < 2; r++) {
            const int i = first_i + r;
            f.e[i * f.ny + j] = result[r];
        }
    } else {
        for (int r = 0; r < 2; r++) {
            const int i = first_i + r;
            if (i < f.nx) {
                if (i == 0)
                    f.e[j] = source;
                else
                    f.e[i * f.ny + j] -= 0.5f * (f.h[i * f.ny + j] - f.h[(i - 1) * f.ny + j]);
            }
        }
    }
}

int main()
{
    Wave f{nullptr, nullptr, 61, 100};
    std::vector<float> v(f.nx * f.ny);
    for (int i = 0; i < f.nx * f.ny; i++) v[i] = (i * 17 % 101) / 101.0f;
    size_t bytes = v.size() * sizeof(float);
    cudaMalloc(&f.e, bytes);
    cudaMalloc(&f.h, bytes);
    cudaMemcpy(f.e, v.data(), bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(f.h, v.data(), bytes, cudaMemcpyHostToDevice);
    dim3 block(32, 4), grid((f.ny + 31) / 32, (f.nx + 7) / 8);
    for (int t = 0; t < 3; t++)
        advance<<<grid, block>>>(f, 0.25f * t);
    cudaMemcpy(v.data(), f.e, bytes, cudaMemcpyDeviceToHost);
    float sum = 0;
    for (float x : v) sum += x;
    printf("%f\n", sum);
    cudaFree(f.e);
    cudaFree(f.h);
}
