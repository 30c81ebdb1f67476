// kernel=rotate_points line=12 finding=KO101
struct Turn {
    float sine, cosine;
};

__global__ void rotate_points(const float2* points, const short* angle, const Turn* turns, float2* __restrict__ out, int width, int height)
{
    __shared__ Turn turns_table[360];
    for (int entry = threadIdx.y * 32 + threadIdx.x; entry < 360; entry += 256)
        turns_table[entry] = turns[entry];
    __syncthreads();
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    for (int layer = 0; layer < 16; layer++) {
        const int at = (layer * height + y) * width + x;
        const Turn turn = turns_table[angle[at]];
        if (x < width && y < height)
            out[at] = make_float2(points[at].x * turn.cosine - points[at].y * turn.sine, points[at].x * turn.sine);
    }
}

void run(const float2* points, const short* angle, const Turn* host_turns, float2* out, int width, int height)
{
    Turn* turns;
    cudaMalloc(&turns, 360 * sizeof(Turn));
    cudaMemcpy(turns, host_turns, 360 * sizeof(Turn), cudaMemcpyHostToDevice);
    rotate_points<<<dim3((width + 31) / 32, (height + 7) / 8), dim3(32, 8)>>>(points, angle, turns, out, width, height);
}
