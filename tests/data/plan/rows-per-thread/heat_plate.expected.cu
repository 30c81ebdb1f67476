// kernel=heat line=10 finding=KO121
#include <cstdio>
#include <vector>

__global__ void heat(const float *__restrict__ u, float *__restrict__ u_new, int nx, int ny, float k)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int first_y = (blockIdx.y * blockDim.y + threadIdx.y) * 4;
    if (x > 0 && x < nx - 1) {
        if (first_y > 0 && first_y + 3 < ny - 1) {
            float result[4];
            #pragma unroll
            for (int r = 0; r < 4; r++) {
                const int y = first_y + r;
                const int idx = y * nx + x;
                result[r] = u[idx] + k * (u[idx - 1] + u[idx + 1] + u[idx - nx] + u[idx + nx] - 4.0f * u[idx]);
            }
            #pragma unroll
            for (int r = 0; r < 4; r++) {
                const int y = first_y + r;
                const int idx = y * nx + x;
                u_new[idx] = result[r];
            }
        } else {
            for (int r = 0; r < 4; r++) {
                const int y = first_y + r;
                if (y > 0 && y < ny - 1) {
                    const int idx = y * nx + x;
                    u_new[idx] = u[idx] + k * (u[idx - 1] + u[idx + 1] + u[idx - nx] + u[idx + nx] - 4.0f * u[idx]);
                }
            }
        }
    }
}

int main()
{
    const int nx = 100, ny = 76;
    std::vector<float> v(nx * ny);
    for (int i = 0; i < nx * ny; i++) v[i] = (i * 29 % 113) / 113.0f;
    float *a, *b;
    cudaMalloc(&a, nx * ny * sizeof(float));
    cudaMalloc(&b, nx * ny * sizeof(float));
    cudaMemcpy(a, v.data(), nx * ny * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(b, v.data(), nx * ny * sizeof(float), cudaMemcpyHostToDevice);
    dim3 block(32, 8), grid((nx + 31) / 32, (ny + 31) / 32);
    heat<<<grid, block>>>(a, b, nx, ny, 0.1f);
    cudaMemcpy(v.data(), b, nx * ny * sizeof(float), cudaMemcpyDeviceToHost);
    float sum = 0;
    for (float e : v) sum += e;
    printf("%f\n", sum);
    cudaFree(a);
    cudaFree(b);
}
