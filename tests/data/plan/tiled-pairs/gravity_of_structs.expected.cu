// kernel=accelerate line=12 finding=KO108
struct Body { float x, y, z, mass; };

__global__ void accelerate(const Body *b, float *ax, float *ay, float *az, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    const bool is_inside = i < n;
    float fx = 0.0f, fy = 0.0f, fz = 0.0f;
    Body me = is_inside ? b[i] : Body{};
    __shared__ float4 b_tile[128];
    for (int tile = 0; tile < n; tile += 128) {
        const int item = tile + threadIdx.x;
        if (item < n)
            b_tile[threadIdx.x] = make_float4(b[item].x, b[item].y, b[item].z, b[item].mass);
        __syncthreads();
        const int tile_end = min(tile + 128, n);
        if (is_inside)
            for (int j = tile; j < tile_end; j++) {
                if (j == i) continue;
                float dx = b_tile[j - tile].x - me.x;
                float dy = b_tile[j - tile].y - me.y;
                float dz = b_tile[j - tile].z - me.z;
                float inv = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
                float s = b_tile[j - tile].w * inv * inv * inv;
                fx += dx * s; fy += dy * s; fz += dz * s;
            }
        __syncthreads();
    }
    // forces on this body
    if (is_inside) {
        ax[i] = fx;
        ay[i] = fy;
        az[i] = fz;
    }
}

void run(const Body *b, float *ax, float *ay, float *az, int n)
{
    int threads = 128, blocks = (n + threads - 1) / threads;
    accelerate<<<blocks, threads>>>(b, ax, ay, az, n);
}
