#include <cuda_runtime.h>
#include <cstdio>
#include <cmath>
#include <vector>

// one block per row, three passes over the row; block size is a power of two
__global__ void softmax_forward(float* out, const float* inp, int N, int C) {
    extern __shared__ float shared[];
    int idx = blockIdx.x;
    int tid = threadIdx.x;
    int block_size = blockDim.x;
    const float* x = inp + idx * C;
    // thread coarsening
    float maxval = -INFINITY;
    for (int i = tid; i < C; i += block_size) {
        maxval = fmaxf(maxval, x[i]);
    }
    shared[tid] = maxval;
    __syncthreads();
    for (int stride = block_size / 2; stride >= 1; stride /= 2) {
        if (tid < stride) {
            shared[tid] = fmaxf(shared[tid], shared[tid + stride]);
        }
        __syncthreads();
    }
    float offset = shared[0];
    __syncthreads();
    float sumval = 0.0f;
    for (int i = tid; i < C; i += block_size) {
        float e = expf(x[i] - offset);
        out[idx * C + i] = e;
        sumval += e;
    }
    shared[tid] = sumval;
    __syncthreads();
    for (int stride = block_size / 2; stride >= 1; stride /= 2) {
        if (tid < stride) {
            shared[tid] += shared[tid + stride];
        }
        __syncthreads();
    }
    float sum = shared[0];
    for (int i = tid; i < C; i += block_size) {
        out[idx * C + i] = out[idx * C + i] / sum;
    }
}

// one warp per row, online softmax
__device__ float warpReduceMax(float val) {
    for (int offset = 16; offset > 0; offset /= 2) val = fmaxf(val, __shfl_xor_sync(0xFFFFFFFF, val, offset));
    return val;
}
__device__ float warpReduceSum(float val) {
    for (int offset = 16; offset > 0; offset /= 2) val += __shfl_xor_sync(0xFFFFFFFF, val, offset);
    return val;
}
__global__ void softmax_warp(float* __restrict__ out, const float* __restrict__ inp, int N, int C) {
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= N) return;
    const float* x = inp + (size_t)row * C;
    float m = -INFINITY, s = 0.f;
    for (int i = threadIdx.x; i < C; i += 32) {
        float v = x[i];
        float mn = fmaxf(m, v);
        s = s * expf(m - mn) + expf(v - mn);
        m = mn;
    }
    float M = warpReduceMax(m);
    s = warpReduceSum(s * expf(m - M));
    for (int i = threadIdx.x; i < C; i += 32)
        out[(size_t)row * C + i] = expf(x[i] - M) / s;
}

int main() {
    const int N = 121, C = 203;
    std::vector<float> in(N * C), o1(N * C), o2(N * C);
    for (int i = 0; i < N * C; i++) in[i] = (float)((i * 7919) % 1000) / 125.0f - 4.0f;
    float *di, *d1, *d2;
    cudaMalloc(&di, N * C * sizeof(float));
    cudaMalloc(&d1, N * C * sizeof(float));
    cudaMalloc(&d2, N * C * sizeof(float));
    cudaMemcpy(di, in.data(), N * C * sizeof(float), cudaMemcpyHostToDevice);
    softmax_forward<<<N, 128, 128 * sizeof(float)>>>(d1, di, N, C);
    softmax_warp<<<(N + 3) / 4, dim3(32, 4)>>>(d2, di, N, C);
    cudaMemcpy(o1.data(), d1, N * C * sizeof(float), cudaMemcpyDeviceToHost);
    cudaMemcpy(o2.data(), d2, N * C * sizeof(float), cudaMemcpyDeviceToHost);
    bool ok = cudaGetLastError() == cudaSuccess;
    for (int r = 0; r < N; r++) {
        double m = -1e30, s = 0;
        for (int i = 0; i < C; i++) m = fmax(m, in[r * C + i]);
        for (int i = 0; i < C; i++) s += exp(in[r * C + i] - m);
        for (int i = 0; i < C; i++) {
            double e = exp(in[r * C + i] - m) / s;
            if (!(fabs(o1[r * C + i] - e) < 1e-5) || !(fabs(o2[r * C + i] - e) < 1e-5)) ok = false;
        }
    }
    printf("softmax_rows %s\n", ok ? "PASS" : "FAIL");
    return !ok;
}
