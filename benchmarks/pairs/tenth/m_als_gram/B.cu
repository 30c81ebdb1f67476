// Implicit-feedback ALS: normal equations of all users.
//   G_u = Y^T Y + sum_i (c_ui - 1) y_i y_i^T + lambda I        b_u = sum_i c_ui y_i
// interactions in CSR (user -> items, with confidence c)
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define F 32

#define ERR(e) if ((e) != cudaSuccess) { printf("error line %d\n", __LINE__); exit(1); }

typedef struct {
    int users, items;
    int *ptr;       // users + 1
    int *idx;
    float *conf;
} Csr;

__global__ void yty_kernel(const float *Y, int items, float *yty)
{
    int f = threadIdx.y, g = threadIdx.x;
    float acc = 0.f;
    for (int i = 0; i < items; i++) acc += Y[i * F + f] * Y[i * F + g];
    yty[f * F + g] = acc;
}

#define TILE 24          /* items staged at a time */
#define HF (F / 2)

// One block of HF x HF threads per user. The factor rows of TILE items are staged in shared memory,
// plain and multiplied by (c - 1); every thread keeps a 2 x 2 piece of the Gram matrix in registers.
// The first F threads also make the right-hand side from the staged rows.
__global__ void __launch_bounds__(HF * HF)
normal_eq_kernel(Csr m, const float * __restrict__ Y, const float * __restrict__ yty, float lambda,
                 float * __restrict__ G, float * __restrict__ b)
{
    __shared__ float ys[TILE][F];
    __shared__ float ws[TILE][F];
    __shared__ float cs[TILE];
    const int u = blockIdx.x;
    const int tx = threadIdx.x, ty = threadIdx.y, tid = ty * HF + tx;
    const int p0 = m.ptr[u], p1 = m.ptr[u + 1];
    float a00 = 0.f, a01 = 0.f, a10 = 0.f, a11 = 0.f, rb = 0.f;

    for (int p = p0; p < p1; p += TILE) {
        const int n = min(TILE, p1 - p);
        for (int i = tid; i < n * F; i += HF * HF) {
            const int r = i / F, f = i % F;
            const float c = m.conf[p + r];
            const float y = __ldg(Y + (size_t)m.idx[p + r] * F + f);
            ys[r][f] = y;
            ws[r][f] = (c - 1.f) * y;
            if (f == 0) cs[r] = c;
        }
        __syncthreads();
        for (int r = 0; r < n; r++) {
            const float f0 = ws[r][ty], f1 = ws[r][ty + HF];
            const float g0 = ys[r][tx], g1 = ys[r][tx + HF];
            a00 += f0 * g0;
            a01 += f0 * g1;
            a10 += f1 * g0;
            a11 += f1 * g1;
        }
        if (tid < F)
            for (int r = 0; r < n; r++) rb += cs[r] * ys[r][tid];
        __syncthreads();
    }

    float *Gu = G + (size_t)u * F * F;
    const float diag = tx == ty ? lambda : 0.f;
    Gu[ty * F + tx]               = yty[ty * F + tx] + a00 + diag;
    Gu[ty * F + tx + HF]          = yty[ty * F + tx + HF] + a01;
    Gu[(ty + HF) * F + tx]        = yty[(ty + HF) * F + tx] + a10;
    Gu[(ty + HF) * F + tx + HF]   = yty[(ty + HF) * F + tx + HF] + a11 + diag;
    if (tid < F) b[(size_t)u * F + tid] = rb;
}

int main(void)
{
    const int users = 601, items = 900;
    std::vector<int> ptr(users + 1), idx;
    std::vector<float> conf, Y(items * F);
    unsigned s = 17;
    for (int i = 0; i < items * F; i++) { s = s * 1664525u + 1013904223u; Y[i] = ((s >> 12) % 2000) * 0.0001f - 0.1f; }
    ptr[0] = 0;
    for (int u = 0; u < users; u++) {
        s = s * 1664525u + 1013904223u;
        int n = (s >> 16) % 48;
        if (u % 50 == 3) n = 0;             // cold users
        if (u % 97 == 5) n = 260;           // heavy users
        for (int k = 0; k < n; k++) {
            s = s * 1664525u + 1013904223u;
            idx.push_back((s >> 10) % items);
            conf.push_back(1.f + 0.5f * ((s >> 4) % 20));
        }
        ptr[u + 1] = (int)idx.size();
    }

    Csr m; m.users = users; m.items = items;
    float *dY, *dyty, *dG, *db;
    ERR(cudaMalloc(&m.ptr, (users + 1) * sizeof(int)));
    ERR(cudaMalloc(&m.idx, idx.size() * sizeof(int)));
    ERR(cudaMalloc(&m.conf, conf.size() * sizeof(float)));
    ERR(cudaMalloc(&dY, Y.size() * sizeof(float)));
    ERR(cudaMalloc(&dyty, F * F * sizeof(float)));
    ERR(cudaMalloc(&dG, (size_t)users * F * F * sizeof(float)));
    ERR(cudaMalloc(&db, (size_t)users * F * sizeof(float)));
    ERR(cudaMemcpy(m.ptr, ptr.data(), (users + 1) * sizeof(int), cudaMemcpyHostToDevice));
    ERR(cudaMemcpy(m.idx, idx.data(), idx.size() * sizeof(int), cudaMemcpyHostToDevice));
    ERR(cudaMemcpy(m.conf, conf.data(), conf.size() * sizeof(float), cudaMemcpyHostToDevice));
    ERR(cudaMemcpy(dY, Y.data(), Y.size() * sizeof(float), cudaMemcpyHostToDevice));

    yty_kernel<<<1, dim3(F, F)>>>(dY, items, dyty);
    ERR(cudaGetLastError());
    normal_eq_kernel<<<users, dim3(HF, HF)>>>(m, dY, dyty, 0.05f, dG, db);
    ERR(cudaGetLastError());

    std::vector<float> G((size_t)users * F * F), b((size_t)users * F);
    ERR(cudaMemcpy(G.data(), dG, G.size() * sizeof(float), cudaMemcpyDeviceToHost));
    ERR(cudaMemcpy(b.data(), db, b.size() * sizeof(float), cudaMemcpyDeviceToHost));
    double trace = 0, off = 0, sb = 0;
    for (int u = 0; u < users; u++)
        for (int f = 0; f < F; f++) {
            for (int g = 0; g < F; g++) (f == g ? trace : off) += G[((size_t)u * F + f) * F + g] * (1 + (f > g));
            sb += b[u * F + f] * (f + 1);
        }
    printf("nnz %zu trace %.5f off %.5f rhs %.5f\n", idx.size(), trace, off, sb);
    cudaFree(m.ptr); cudaFree(m.idx); cudaFree(m.conf); cudaFree(dY); cudaFree(dyty); cudaFree(dG); cudaFree(db);
    return 0;
}
