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

__global__ void gram_kernel(Csr m, const float *Y, const float *yty, float lambda, float *G)
{
    int u = blockIdx.x;
    int f = threadIdx.y, g = threadIdx.x;
    float acc = 0.f;
    for (int p = m.ptr[u]; p < m.ptr[u + 1]; p++) {
        const float *y = Y + (size_t)m.idx[p] * F;
        acc += (m.conf[p] - 1.f) * y[f] * y[g];
    }
    G[((size_t)u * F + f) * F + g] = yty[f * F + g] + acc + (f == g ? lambda : 0.f);
}

__global__ void rhs_kernel(Csr m, const float *Y, float *b)
{
    int u = blockIdx.x * blockDim.y + threadIdx.y;
    int f = threadIdx.x;
    if (u >= m.users) return;
    float acc = 0.f;
    for (int p = m.ptr[u]; p < m.ptr[u + 1]; p++) acc += m.conf[p] * Y[(size_t)m.idx[p] * F + f];
    b[(size_t)u * F + f] = acc;
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
    gram_kernel<<<users, dim3(F, F)>>>(m, dY, dyty, 0.05f, dG);
    ERR(cudaGetLastError());
    rhs_kernel<<<(users + 3) / 4, dim3(F, 4)>>>(m, dY, db);
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
