// kernel=cell line=12 finding=KO113
__device__ __forceinline__ float sigm(float v) { return 1.0f / (1.0f + __expf(-v)); }

// h may be x
__global__ void cell(const float *__restrict__ gates, const float *__restrict__ peep, float *__restrict__ state, float *x, float *h, int H, int B, int T)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (col >= B * H) return;
    int j = col % H;
    for (int t = 0; t < T; t++) {
        const float *g = gates + (t * B * H + col) * 2;
        float f = sigm(g[1] + peep[j] * state[col]);
        state[col] = f * state[col] + (1.0f - f) * g[0];
        h[t * B * H + col] = tanhf(state[col]) + x[t * B * H + col];
    }
}

int main()
{
    float *gates, *peep, *state, *x;
    cudaMalloc(&gates, 4 * 2 * 900 * 120);
    cudaMalloc(&peep, 4 * 100);
    cudaMalloc(&state, 4 * 900);
    cudaMalloc(&x, 4 * 900 * 120);
    cell<<<8, 128>>>(gates, peep, state, x, x, 100, 9, 120);
}
