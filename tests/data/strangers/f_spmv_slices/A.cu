/* Time slices of an input field are pushed through a sparse operator (CSR).
   Every slice: make x on the host, upload, y = A x, download, accumulate statistics. */
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

static void ck(cudaError_t e, const char* what)
{
    if (e != cudaSuccess) { std::printf("CUDA error in %s: %s\n", what, cudaGetErrorString(e)); std::exit(2); }
}

struct Csr { int n; std::vector<int> ptr, col; std::vector<float> val; };

static Csr makeOperator(int n)
{
    Csr m; m.n = n; m.ptr.push_back(0);
    for (int r = 0; r < n; ++r) {
        int k = 5 + (r * 7) % 11;
        for (int j = 0; j < k; ++j) {
            long long c = (r + (long long)j * j * 131 - 977) % n;
            if (c < 0) c += n;
            m.col.push_back((int)c);
            m.val.push_back(1.0f / (1 + j) - 0.02f * (r % 9));
        }
        m.ptr.push_back((int)m.col.size());
    }
    return m;
}

__global__ void spmv(int n, const int* ptr, const int* col, const float* val, const float* x, float* y)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= n) return;
    float s = 0.f;
    for (int k = ptr[r]; k < ptr[r + 1]; ++k) s += val[k] * x[col[k]];
    y[r] = s;
}

static void fillSlice(float* x, int n, int slice)
{
    unsigned h = 2166136261u ^ (slice * 16777619u);
    for (int i = 0; i < n; ++i) { h = h * 1103515245u + 12345u; x[i] = (float)((h >> 9) & 0xffff) / 65536.f - 0.5f; }
}

static void consume(const float* y, int n, int slice, double* energy, double* weighted)
{
    double e = 0;
    for (int i = 0; i < n; ++i) e += (double)y[i] * y[i];
    *energy += e;
    *weighted += e * (slice + 1);
}

int main()
{
    const int n = 16000, slices = 16;
    Csr m = makeOperator(n);
    int *dptr, *dcol; float *dval, *dx, *dy;
    ck(cudaMalloc((void**)&dptr, m.ptr.size() * sizeof(int)), "malloc");
    ck(cudaMalloc((void**)&dcol, m.col.size() * sizeof(int)), "malloc");
    ck(cudaMalloc((void**)&dval, m.val.size() * sizeof(float)), "malloc");
    ck(cudaMalloc((void**)&dx, n * sizeof(float)), "malloc");
    ck(cudaMalloc((void**)&dy, n * sizeof(float)), "malloc");
    ck(cudaMemcpy(dptr, m.ptr.data(), m.ptr.size() * sizeof(int), cudaMemcpyHostToDevice), "ptr");
    ck(cudaMemcpy(dcol, m.col.data(), m.col.size() * sizeof(int), cudaMemcpyHostToDevice), "col");
    ck(cudaMemcpy(dval, m.val.data(), m.val.size() * sizeof(float), cudaMemcpyHostToDevice), "val");

    std::vector<float> hx(n), hy(n);
    double energy = 0, weighted = 0;
    for (int k = 0; k < slices; ++k) {
        fillSlice(hx.data(), n, k);
        ck(cudaMemcpy(dx, hx.data(), n * sizeof(float), cudaMemcpyHostToDevice), "x");
        spmv<<<(n + 255) / 256, 256>>>(n, dptr, dcol, dval, dx, dy);
        ck(cudaGetLastError(), "spmv");
        ck(cudaMemcpy(hy.data(), dy, n * sizeof(float), cudaMemcpyDeviceToHost), "y");
        consume(hy.data(), n, k, &energy, &weighted);
    }
    std::printf("energy %.5f   weighted %.5f\n", energy, weighted);
    std::printf("last y: %.5f %.5f %.5f\n", hy[0], hy[n / 2], hy[n - 1]);
    cudaFree(dptr); cudaFree(dcol); cudaFree(dval); cudaFree(dx); cudaFree(dy);
    return 0;
}
