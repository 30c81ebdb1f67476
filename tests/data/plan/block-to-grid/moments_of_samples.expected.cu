// kernel=moments line=52 finding=KO111
#include <cstdio>
#include <cstdlib>
#include <vector>

typedef double real;

static void check(cudaError_t status, const char *what)
{
    if (status != cudaSuccess) {
        fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
        exit(1);
    }
}

/* out[0] = mean of x, out[1] = mean of x*x, out[2] = mean of x*y */
__global__ void moments(const real *x, const real *y, real *out, long n)
{
    __shared__ real sx[128], sxx[128], sxy[128];
    real a = 0, b = 0, c = 0;
    for (long i = blockIdx.x * 128 + threadIdx.x; i < n; i += 128 * gridDim.x) {
        a += x[i];
        b += x[i] * x[i];
        c += x[i] * y[i];
    }
    sx[threadIdx.x] = a;
    sxx[threadIdx.x] = b;
    sxy[threadIdx.x] = c;
    __syncthreads();
    if (threadIdx.x == 0) {
        real inverse = 1.0 / n;
        for (int t = 1; t < 128; t++) {
            sx[0] += sx[t];
            sxx[0] += sxx[t];
            sxy[0] += sxy[t];
        }
        atomicAdd(&out[0], sx[0] * inverse);
        atomicAdd(&out[1], inverse * sxx[0]);
        atomicAdd(&out[2], sxy[0] / n);
    }
}

int main()
{
    long n = 100000;
    std::vector<real> hx(n), hy(n);
    for (long i = 0; i < n; i++) { hx[i] = (i % 100) * 0.01; hy[i] = (i % 37) * 0.02; }
    real *x, *y, *out, h[3];
    check(cudaMalloc(&x, n * sizeof(real)), "x"); check(cudaMalloc(&y, n * sizeof(real)), "y"); check(cudaMalloc(&out, sizeof(h)), "out");
    check(cudaMemcpy(x, hx.data(), n * sizeof(real), cudaMemcpyHostToDevice), "copy x");
    check(cudaMemcpy(y, hy.data(), n * sizeof(real), cudaMemcpyHostToDevice), "copy y");
    check(cudaMemset(out, 0, 3 * sizeof(real)), "cudaMemset");
    moments<<<264, 128>>>(x, y, out, n);
    check(cudaMemcpy(h, out, sizeof(h), cudaMemcpyDeviceToHost), "copy back");
    printf("%.9f %.9f %.9f\n", h[0], h[1], h[2]);
}
