// kernel=accelerate line=12 finding=KO108
struct Body { float x, y, z, mass; };

__global__ void accelerate(const Body *b, float *ax, float *ay, float *az, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float fx = 0.0f, fy = 0.0f, fz = 0.0f;
    Body me = b[i];
    for (int j = 0; j < n; j++) {
        if (j == i) continue;
        float dx = b[j].x - me.x;
        float dy = b[j].y - me.y;
        float dz = b[j].z - me.z;
        float inv = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
        float s = b[j].mass * inv * inv * inv;
        fx += dx * s; fy += dy * s; fz += dz * s;
    }
    // forces on this body
    ax[i] = fx;
    ay[i] = fy;
    az[i] = fz;
}

void run(const Body *b, float *ax, float *ay, float *az, int n)
{
    int threads = 128, blocks = (n + threads - 1) / threads;
    accelerate<<<blocks, threads>>>(b, ax, ay, az, n);
}
