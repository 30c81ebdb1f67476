// kernel=smooth3 line=20 finding=KO108
#include <cuda_runtime.h>

__global__ void smooth3(const float *v, const float *wt, float *o, int nx, int ny, int nz)
{
    int ix = blockIdx.x * blockDim.x + threadIdx.x;
    int iy = blockIdx.y * blockDim.y + threadIdx.y;
    int iz = blockIdx.z;
    if (ix >= nx || iy >= ny) return;
    float sum = 0.0f;
    for (int dz = -1; dz <= 1; dz++) {
        int z = iz + dz;
        if (z < 0 || z >= nz) continue;
        for (int dy = -1; dy <= 1; dy++) {
            int y = iy + dy;
            for (int dx = -1; dx <= 1; dx++) {
                int x = ix + dx;
                if (y >= 0 && y < ny) {
                    if (x >= 0 && x < nx) {
                        sum += v[(z * ny + y) * nx + x] * wt[(dz + 1) * 9 + (dy + 1) * 3 + dx + 1];
                    }
                }
            }
        }
    }
    o[(iz * ny + iy) * nx + ix] = sum;
}

void run(const float *v, const float *wt, float *o, int nx, int ny, int nz)
{
    smooth3<<<dim3((nx + 31) / 32, (ny + 7) / 8, nz), dim3(32, 8)>>>(v, wt, o, nx, ny, nz);
}
