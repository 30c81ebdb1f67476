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
    __shared__ T q_tile[16][132];
    __shared__ T k_tile[16][68];
    const int thread = threadIdx.y * 16 + threadIdx.x;
    T acc[8][4] = {};
    T norm[8][4] = {};
    for (int start = 0; start < dim; start += 16) {
        for (int e = thread; e < 16 * 128; e += 256) {
            const int i = blockIdx.y * 128 + e / 16;
            const int d = start + e % 16;
            q_tile[e % 16][e / 16] = i < seq && d < dim ? q[i * dim + d] : T{};
        }
        for (int e = thread; e < 16 * 64; e += 256) {
            const int j = blockIdx.x * 64 + e / 16;
            const int d = start + e % 16;
            k_tile[e % 16][e / 16] = j < seq && d < dim ? k[j * dim + d] : T{};
        }
        __syncthreads();
        #pragma unroll
        for (int p = 0; p < 16; ++p) {
            T q_reg[8];
            #pragma unroll
            for (int r = 0; r < 8; ++r) {
                q_reg[r] = q_tile[p][r / 4 * 64 + threadIdx.y * 4 + r % 4];
            }
            T k_reg[4];
            #pragma unroll
            for (int c = 0; c < 4; ++c) {
                k_reg[c] = k_tile[p][threadIdx.x * 4 + c];
            }
            #pragma unroll
            for (int r = 0; r < 8; ++r) {
                #pragma unroll
                for (int c = 0; c < 4; ++c) {
                    acc[r][c] += q_reg[r] * k_reg[c];
                    norm[r][c] += q_reg[r] * q_reg[r];
                }
            }
        }
        __syncthreads();
    }
    #pragma unroll
    for (int r = 0; r < 8; ++r) {
        const int i = blockIdx.y * 128 + r / 4 * 64 + threadIdx.y * 4 + r % 4;
        #pragma unroll
        for (int c = 0; c < 4; ++c) {
            const int j = blockIdx.x * 64 + threadIdx.x * 4 + c;
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
    dim3 grid((blocks + 3) / 4, (blocks + 7) / 8, heads), block(B, B);
    scores<float><<<grid, block>>>(dq, dk, ds, seq, dim, 0.2f, false);
    cudaMemcpy(s.data(), ds, s.size() * 4, cudaMemcpyDeviceToHost);
    double t = 0;
    for (float v : s) t += v;
    printf("%.4f\n", t);
}
