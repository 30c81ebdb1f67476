/* Time slices of an input field are pushed through a sparse operator (CSR).
   Every slice: make x on the host, upload, y = A x, download, accumulate statistics.
   Two slots on two streams, so that host work, copies and kernels overlap. */
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

// eight lanes share a row
__global__ void spmv8(int n, const int* __restrict__ ptr, const int* __restrict__ col,
                      const float* __restrict__ val, const float* __restrict__ x, float* __restrict__ y)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int r = t >> 3, l = t & 7;
    float s = 0.f;
    if (r < n) {
        int end = ptr[r + 1];
        for (int k = ptr[r] + l; k < end; k += 8) s += val[k] * x[col[k]];
    }
    s += __shfl_down_sync(0xffffffffu, s, 4, 8);
    s += __shfl_down_sync(0xffffffffu, s, 2, 8);
    s += __shfl_down_sync(0xffffffffu, s, 1, 8);
    if (l == 0 && r < n) y[r] = s;
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
    int *dptr, *dcol; float *dval, *dx[2], *dy[2], *hx[2], *hy[2];
    ck(cudaMalloc((void**)&dptr, m.ptr.size() * sizeof(int)), "malloc");
    ck(cudaMalloc((void**)&dcol, m.col.size() * sizeof(int)), "malloc");
    ck(cudaMalloc((void**)&dval, m.val.size() * sizeof(float)), "malloc");
    cudaStream_t st[2]; cudaEvent_t done[2];
    for (int i = 0; i < 2; ++i) {
        ck(cudaMalloc((void**)&dx[i], n * sizeof(float)), "malloc");
        ck(cudaMalloc((void**)&dy[i], n * sizeof(float)), "malloc");
        ck(cudaMallocHost((void**)&hx[i], n * sizeof(float)), "pinned");
        ck(cudaMallocHost((void**)&hy[i], n * sizeof(float)), "pinned");
        ck(cudaStreamCreateWithFlags(&st[i], cudaStreamNonBlocking), "stream");
        ck(cudaEventCreateWithFlags(&done[i], cudaEventDisableTiming), "event");
    }
    ck(cudaMemcpy(dptr, m.ptr.data(), m.ptr.size() * sizeof(int), cudaMemcpyHostToDevice), "ptr");
    ck(cudaMemcpy(dcol, m.col.data(), m.col.size() * sizeof(int), cudaMemcpyHostToDevice), "col");
    ck(cudaMemcpy(dval, m.val.data(), m.val.size() * sizeof(float), cudaMemcpyHostToDevice), "val");

    ck(cudaDeviceSynchronize(), "uploads");

    double energy = 0, weighted = 0;
    for (int k = 0; k < slices; ++k) {
        const int b = k & 1;
        if (k >= 2) {                       // slot b is still owned by slice k-2
            ck(cudaEventSynchronize(done[b]), "wait");
            consume(hy[b], n, k - 2, &energy, &weighted);
        }
        fillSlice(hx[b], n, k);
        ck(cudaMemcpyAsync(dx[b], hx[b], n * sizeof(float), cudaMemcpyHostToDevice, st[b]), "x");
        spmv8<<<(n * 8 + 255) / 256, 256, 0, st[b]>>>(n, dptr, dcol, dval, dx[b], dy[b]);
        ck(cudaGetLastError(), "spmv");
        ck(cudaEventRecord(done[b], st[b]), "record");
        ck(cudaMemcpyAsync(hy[b], dy[b], n * sizeof(float), cudaMemcpyDeviceToHost, st[b]), "y");
    }
    for (int k = slices - 2; k < slices; ++k) {
        ck(cudaStreamSynchronize(st[k & 1]), "drain");
        consume(hy[k & 1], n, k, &energy, &weighted);
    }
    const float* last = hy[(slices - 1) & 1];
    std::printf("energy %.5f   weighted %.5f\n", energy, weighted);
    std::printf("last y: %.5f %.5f %.5f\n", last[0], last[n / 2], last[n - 1]);
    cudaFree(dptr); cudaFree(dcol); cudaFree(dval);
    for (int i = 0; i < 2; ++i) {
        cudaFree(dx[i]); cudaFree(dy[i]); cudaFreeHost(hx[i]); cudaFreeHost(hy[i]);
        cudaStreamDestroy(st[i]); cudaEventDestroy(done[i]);
    }
    return 0;
}
