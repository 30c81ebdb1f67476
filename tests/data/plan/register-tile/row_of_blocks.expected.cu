// kernel=dense line=14 finding=KO108
#include <cstdio>
#define BLOCK 256

// y = x * w + bias for a batch of inputs; a row of the grid for each input
__global__ void dense(const float *x, const float *w, const float *bias, float *y, int batch, int inputs, int outputs)
{
    __shared__ float x_tile[8][132];
    __shared__ float w_tile[8][128];
    const int thread = threadIdx.y * 16 + threadIdx.x;
    float acc[8][8];
    #pragma unroll
    for (int r = 0; r < 8; ++r) {
        const int sample = blockIdx.y * 128 + r / 4 * 64 + threadIdx.y * 4 + r % 4;
        #pragma unroll
        for (int j = 0; j < 8; ++j) {
            const int unit = blockIdx.x * 128 + j / 4 * 64 + threadIdx.x * 4 + j % 4;
            if (sample < batch && unit < outputs) {
                acc[r][j] = bias[unit];
            }
        }
    }
    float x_next[4];
    float w_next[4];
    const auto load_next = [&](int start) {
        #pragma unroll
        for (int l = 0; l < 4; ++l) {
            const int e = thread + l * 256;
            const int sample = blockIdx.y * 128 + e / 8;
            const int i = start + e % 8;
            x_next[l] = sample < batch && i < inputs ? x[sample * inputs + i] : 0.0f;
        }
        #pragma unroll
        for (int l = 0; l < 4; ++l) {
            const int e = thread + l * 256;
            const int unit = blockIdx.x * 128 + e % 128;
            const int i = start + e / 128;
            w_next[l] = unit < outputs && i < inputs ? w[i * outputs + unit] : 0.0f;
        }
    };
    load_next(0);
    for (int start = 0; start < inputs; start += 8) {
        #pragma unroll
        for (int l = 0; l < 4; ++l) {
            const int e = thread + l * 256;
            x_tile[e % 8][e / 8] = x_next[l];
        }
        #pragma unroll
        for (int l = 0; l < 4; ++l) {
            const int e = thread + l * 256;
            w_tile[e / 128][e % 128] = w_next[l];
        }
        __syncthreads();
        if (start + 8 < inputs) load_next(start + 8);
        #pragma unroll
        for (int p = 0; p < 8; ++p) {
            float x_reg[8];
            #pragma unroll
            for (int r = 0; r < 8; ++r) {
                x_reg[r] = x_tile[p][r / 4 * 64 + threadIdx.y * 4 + r % 4];
            }
            float w_reg[8];
            #pragma unroll
            for (int j = 0; j < 8; ++j) {
                w_reg[j] = w_tile[p][j / 4 * 64 + threadIdx.x * 4 + j % 4];
            }
            #pragma unroll
            for (int r = 0; r < 8; ++r) {
                #pragma unroll
                for (int j = 0; j < 8; ++j) {
                    acc[r][j] += x_reg[r] * w_reg[j];
                }
            }
        }
        __syncthreads();
    }
    #pragma unroll
    for (int r = 0; r < 8; ++r) {
        const int sample = blockIdx.y * 128 + r / 4 * 64 + threadIdx.y * 4 + r % 4;
        #pragma unroll
        for (int j = 0; j < 8; ++j) {
            const int unit = blockIdx.x * 128 + j / 4 * 64 + threadIdx.x * 4 + j % 4;
            if (sample < batch && unit < outputs) {
                y[sample * outputs + unit] = acc[r][j] > 0.0f ? acc[r][j] : 0.0f;
            }
        }
    }
}

int main()
{
    int batch = 37, inputs = 50, outputs = 70;
    float *x, *w, *bias, *y;
    cudaMallocManaged(&x, batch * inputs * sizeof(float));
    cudaMallocManaged(&w, inputs * outputs * sizeof(float));
    cudaMallocManaged(&bias, outputs * sizeof(float));
    cudaMallocManaged(&y, batch * outputs * sizeof(float));
    for (int i = 0; i < batch * inputs; i++) x[i] = i % 7 - 3;
    for (int i = 0; i < inputs * outputs; i++) w[i] = i % 5 * 0.25f;
    for (int i = 0; i < outputs; i++) bias[i] = i % 3;
    dim3 grid((outputs + 127) / 128, (batch + 127) / 128);
    dense<<<grid, dim3(16, 16)>>>(x, w, bias, y, batch, inputs, outputs);
    cudaDeviceSynchronize();
    double sum = 0;
    for (int i = 0; i < batch * outputs; i++) sum += y[i];
    printf("%f\n", sum);
    return 0;
}
