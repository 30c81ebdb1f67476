// kernel=heat line=8 finding=KO102
#include <cstdio>
#define IDX(i, j, k) (((size_t)(i) * ny + (j)) * nz + (k))

__global__ void heat(const float* __restrict__ u, float* __restrict__ v, int nx, int ny, int nz, float c) {
    const int k = blockIdx.x * blockDim.x + threadIdx.x;
    const int i = blockIdx.z * blockDim.z + threadIdx.z;
    const int first_j = (blockIdx.y * blockDim.y + threadIdx.y) * 8;
    const int end_j = min(first_j + 8, ny - 1);
    int j = max(first_j, 1);
    if (i > 0 && i < nx - 1 && k > 0 && k < nz - 1 && j < end_j) {
        float above = u[IDX(i, j - 1, k)];
        float here = u[IDX(i, j, k)];
        for (; j < end_j; ++j) {
            const float below = u[IDX(i, j + 1, k)];
            float center = here;
            v[IDX(i, j, k)] = center + c * (u[IDX(i - 1, j, k)] + u[IDX(i + 1, j, k)] + above + below
                            + u[IDX(i, j, k - 1)] + u[IDX(i, j, k + 1)] - 6.0f * center);
            above = here;
            here = below;
        }
    }
}

int main() {
    const int w = 75, h = 52;
    static float a[w * h], b[w * h];
    for (int i = 0; i < w * h; ++i) {
        a[i] = (float)(i * 37 % 201);
        b[i] = (float)(i * 11 % 97);
    }
    float *x, *y, *z;
    cudaMalloc(&x, sizeof a);
    cudaMalloc(&y, sizeof b);
    cudaMalloc(&z, sizeof a);
    cudaMemcpy(x, a, sizeof a, cudaMemcpyHostToDevice);
    cudaMemcpy(y, b, sizeof b, cudaMemcpyHostToDevice);
    cudaMemcpy(z, b, sizeof b, cudaMemcpyHostToDevice);
    heat<<<dim3(1, 1, 2), dim3(32, 2, 2)>>>(x, z, 4, 13, 25, 0.1f);
    heat<<<dim3(1, 1, 2), dim3(32, 2, 2)>>>(x, z, 4, 13, 25, 0.3f);
    cudaMemcpy(a, z, sizeof a, cudaMemcpyDeviceToHost);
    double sum = 0;
    for (int i = 0; i < w * h; ++i) sum += a[i] * (i % 5 + 1);
    printf("%.4f\n", sum);
}
