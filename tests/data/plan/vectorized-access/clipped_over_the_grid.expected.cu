// kernel=clip line=8 finding=KO118
#include <cstdio>

template <typename T>
__global__ void clip(T *g, T *moved, T limit, int n) {
    int stride = blockDim.x * gridDim.x;
    const bool aligned = (reinterpret_cast<size_t>(moved) | reinterpret_cast<size_t>(g)) % 16 == 0;
    for (int first = (blockIdx.x * blockDim.x + threadIdx.x) * 2; first < n; first += stride * 2) {
        if (aligned && first + 2 <= n) {
            alignas(16) T moved2[2];
            *reinterpret_cast<double2 *>(moved2) = *reinterpret_cast<const double2 *>(moved + first);
            alignas(16) T g2[2];
            *reinterpret_cast<double2 *>(g2) = *reinterpret_cast<const double2 *>(g + first);
            #pragma unroll
            for (int k = 0; k < 2; ++k) {
                moved2[k] += 1;
                if (g2[k] <= limit) continue;
                moved2[k] = g2[k] - limit;
                g2[k] = limit;
            }
            *reinterpret_cast<double2 *>(moved + first) = *reinterpret_cast<double2 *>(moved2);
            *reinterpret_cast<double2 *>(g + first) = *reinterpret_cast<double2 *>(g2);
        } else {
            for (int i = first; i < n && i < first + 2; ++i) {
                moved[i] += 1;
                if (g[i] <= limit) continue;
                moved[i] = g[i] - limit;
                g[i] = limit;
            }
        }
    }
}

int main() {
    const int n = 3001;
    static double a[n], b[n];
    static double c[n];
    for (int i = 0; i < n; ++i) {
        a[i] = (double)(i * 37 % 201);
        b[i] = (double)(i * 11 % 97);
    }
    double *x, *y;
    double *z;
    cudaMalloc(&x, sizeof a);
    cudaMalloc(&y, sizeof b);
    cudaMalloc(&z, sizeof c);
    cudaMemcpy(x, a, sizeof a, cudaMemcpyHostToDevice);
    cudaMemcpy(y, b, sizeof b, cudaMemcpyHostToDevice);
    cudaMemset(z, 0, sizeof c);
    clip<double><<<3, 64>>>(x, z, 150.0, n);
    cudaMemcpy(c, z, sizeof c, cudaMemcpyDeviceToHost);
    cudaMemcpy(a, x, sizeof a, cudaMemcpyDeviceToHost);
    double sum = 0;
    for (int i = 0; i < n; ++i) sum += c[i] + 2.0 * a[i];
    printf("%.3f\n", sum);
}
