// kernel=scores line=18 finding=KO108
#include <cmath>
#include <cstdio>
#include <vector>

constexpr int B = 16;

// S[h][i][j] = scale * Q[h][i] . K[h][j] + mask
template <typename T>
__global__ void scores(const T* Q, const T* K, T* S, int seq, int dim, float scale, bool causal) {
    int h = blockIdx.z;
    const T* q = Q + (size_t)h * seq * dim;
    const T* k = K + (size_t)h * seq * dim;
    __shared__ T q_tile[16][68];
    __shared__ T k_tile[16][132];
    const int thread = threadIdx.y * 16 + threadIdx.x;
    T acc[4][8] = {};
    T norm[4][8] = {};
    for (int start = 0; start < dim; start += 16) {
        for (int e = thread; e < 16 * 64; e += 256) {
            const int i = blockIdx.y * 64 + e / 16;
            const int d = start + e % 16;
            q_tile[e % 16][e / 16] = i < seq && d < dim ? q[i * dim + d] : T{};
        }
        for (int e = thread; e < 16 * 128; e += 256) {
            const int j = blockIdx.x * 128 + e / 16;
            const int d = start + e % 16;
            k_tile[e % 16][e / 16] = j < seq && d < dim ? k[j * dim + d] : T{};
        }
        __syncthreads();
        #pragma unroll
        for (int p = 0; p < 16; ++p) {
            T q_reg[4];
            #pragma unroll
            for (int r = 0; r < 4; ++r) {
                q_reg[r] = q_tile[p][threadIdx.y * 4 + r];
            }
            T k_reg[8];
            #pragma unroll
            for (int c = 0; c < 8; ++c) {
                k_reg[c] = k_tile[p][c / 4 * 64 + threadIdx.x * 4 + c % 4];
            }
            #pragma unroll
            for (int r = 0; r < 4; ++r) {
                #pragma unroll
                for (int c = 0; c < 8; ++c) {
                    acc[r][c] += q_reg[r] * k_reg[c];
                    norm[r][c] += q_reg[r] * q_reg[r];
                }
            }
        }
        __syncthreads();
    }
    #pragma unroll
    for (int r = 0; r < 4; ++r) {
        const int i = blockIdx.y * 64 + threadIdx.y * 4 + r;
        #pragma unroll
        for (int c = 0; c < 8; ++c) {
            const int j = blockIdx.x * 128 + c / 4 * 64 + threadIdx.x * 4 + c % 4;
            if (i < seq && j < seq) {
                // causal: nothing after the query
                float score = acc[r][c] * scale / sqrtf((float)norm[r][c] + 1.0f);
                if (causal && j > i) score = -INFINITY;
                S[((size_t)h * seq + i) * seq + j] = score;
            }
        }
    }
}

int main() {
    int seq = 50, dim = 24, heads = 2;
    std::vector<float> q(heads * seq * dim), k(q.size()), s(heads * seq * seq);
    for (size_t i = 0; i < q.size(); ++i) { q[i] = (i % 7) * 0.125f; k[i] = (i % 5) * 0.25f; }
    float *dq, *dk, *ds;
    cudaMalloc(&dq, q.size() * 4);
    cudaMalloc(&dk, k.size() * 4);
    cudaMalloc(&ds, s.size() * 4);
    cudaMemcpy(dq, q.data(), q.size() * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(dk, k.data(), k.size() * 4, cudaMemcpyHostToDevice);
    int blocks = (seq + B - 1) / B;
    dim3 grid((blocks + 7) / 8, (blocks + 3) / 4, heads), block(B, B);
    scores<float><<<grid, block>>>(dq, dk, ds, seq, dim, 0.2f, false);
    cudaMemcpy(s.data(), ds, s.size() * 4, cudaMemcpyDeviceToHost);
    double t = 0;
    for (float v : s) t += v;
    printf("%.4f\n", t);
}
