#include <cstdio>
#include <vector>
#include <cstdlib>
#define IDX(i,j,k) (((size_t)(i)*ny+(j))*nz+(k))

__global__ void heat(const double* __restrict__ u, double* __restrict__ v, int nx, int ny, int nz, double c) {
    const int k = blockIdx.x * blockDim.x + threadIdx.x;
    const int j = blockIdx.y * blockDim.y + threadIdx.y;
    const int i = blockIdx.z * blockDim.z + threadIdx.z;
    if (i > 0 && i < nx - 1 && j > 0 && j < ny - 1 && k > 0 && k < nz - 1) {
        double center = u[IDX(i, j, k)];
        v[IDX(i, j, k)] = center + c * (u[IDX(i - 1, j, k)] + u[IDX(i + 1, j, k)] + u[IDX(i, j - 1, k)] + u[IDX(i, j + 1, k)]
                        + u[IDX(i, j, k - 1)] + u[IDX(i, j, k + 1)] - 6.0 * center);
    }
}

int main(int argc, char** argv) {
    int nx = argc > 1 ? atoi(argv[1]) : 24, ny = argc > 2 ? atoi(argv[2]) : 30, nz = argc > 3 ? atoi(argv[3]) : 70;
    int steps = 4;
    std::vector<double> h((size_t)nx * ny * nz);
    for (size_t i = 0; i < h.size(); i++) h[i] = (i * 7919 % 1000) * 0.001;
    double *a, *b;
    cudaMalloc(&a, h.size() * sizeof(double));
    cudaMalloc(&b, h.size() * sizeof(double));
    cudaMemcpy(a, h.data(), h.size() * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(b, h.data(), h.size() * sizeof(double), cudaMemcpyHostToDevice);
    dim3 block(32, 4, 2);
    dim3 grid((nz + 31) / 32, (ny + 3) / 4, (nx + 1) / 2);
    for (int s = 0; s < steps; s++) {
        heat<<<grid, block>>>(a, b, nx, ny, nz, 0.1);
        double* t = a; a = b; b = t;
    }
    cudaMemcpy(h.data(), a, h.size() * sizeof(double), cudaMemcpyDeviceToHost);
    double sum = 0;
    for (double x : h) sum += x * x;
    printf("%.10f\n", sum);
    cudaFree(a); cudaFree(b);
}
