#pragma once
// Multi-head attention in three kernels. Q, K, V and O are [head][position][HEAD_DIM].

constexpr int HEAD_DIM = 64;

// scores[h][i][j] = <q_i, k_j> / sqrt(d)
__global__ void qk_scores(const float* Q, const float* K, float* scores, int heads, int seq)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    int h = blockIdx.z;
    if (i >= seq || j >= seq)
        return;

    const float* q = Q + ((size_t)h * seq + i) * HEAD_DIM;
    const float* k = K + ((size_t)h * seq + j) * HEAD_DIM;
    float dot = 0;
    for (int d = 0; d < HEAD_DIM; d++)
        dot += q[d] * k[d];
    scores[((size_t)h * seq + i) * seq + j] = dot / sqrtf((float)HEAD_DIM);
}

// softmax of each row, in place
__global__ void softmax_rows(float* scores, int rows, int seq)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows)
        return;

    float* row = scores + (size_t)r * seq;
    float biggest = row[0];
    for (int j = 1; j < seq; j++)
        biggest = fmaxf(biggest, row[j]);
    float total = 0;
    for (int j = 0; j < seq; j++)
    {
        row[j] = expf(row[j] - biggest);
        total += row[j];
    }
    for (int j = 0; j < seq; j++)
        row[j] /= total;
}

// out[h][i][d] = sum_j p[h][i][j] v[h][j][d]
__global__ void weighted_values(const float* scores, const float* V, float* O, int heads, int seq)
{
    int d = threadIdx.x;
    int i = blockIdx.x * blockDim.y + threadIdx.y;
    int h = blockIdx.y;
    if (i >= seq)
        return;

    const float* p = scores + ((size_t)h * seq + i) * seq;
    float sum = 0;
    for (int j = 0; j < seq; j++)
        sum += p[j] * V[((size_t)h * seq + j) * HEAD_DIM + d];
    O[((size_t)h * seq + i) * HEAD_DIM + d] = sum;
}
