// kernel=smooth3 line=20 finding=KO108
#include <cuda_runtime.h>

__global__ void smooth3(const float *v, const float *wt, float *o, int nx, int ny, int nz)
{
    int ix = blockIdx.x * blockDim.x + threadIdx.x;
    int first_iy = (blockIdx.y * blockDim.y + threadIdx.y) * 2;
    int iz = blockIdx.z;
    if (ix >= nx || first_iy >= ny) return;
    float sum[2] = {};
    for (int dz = -1; dz <= 1; dz++) {
        int z = iz + dz;
        if (z < 0 || z >= nz) continue;
        float v_window[4][3];
        bool is_inside[4][3];
        #pragma unroll
        for (int dy = -1; dy <= 2; dy++) {
            #pragma unroll
            for (int dx = -1; dx <= 1; dx++) {
                int x = ix + dx;
                int y = first_iy + dy;
                is_inside[dy + 1][dx + 1] = y >= 0 && y < ny && x >= 0 && x < nx && first_iy + dy < ny + 1;
                if (is_inside[dy + 1][dx + 1])
                    v_window[dy + 1][dx + 1] = v[(z * ny + y) * nx + x];
            }
        }
        #pragma unroll
        for (int dy = -1; dy <= 1; dy++) {
            #pragma unroll
            for (int dx = -1; dx <= 1; dx++) {
                float wt_value = {};
                bool is_used = false;
                #pragma unroll
                for (int q = 0; q < 2; q++) {
                    const int iy = first_iy + q;
                    is_used |= iy < ny && is_inside[dy + 1 + q][dx + 1];
                }
                if (is_used)
                    wt_value = wt[(dz + 1) * 9 + (dy + 1) * 3 + dx + 1];
                #pragma unroll
                for (int q = 0; q < 2; q++) {
                    if (is_inside[dy + 1 + q][dx + 1])
                        sum[q] += v_window[dy + 1 + q][dx + 1] * wt_value;
                }
            }
        }
    }
    #pragma unroll
    for (int q = 0; q < 2; q++) {
        const int iy = first_iy + q;
        if (iy < ny)
            o[(iz * ny + iy) * nx + ix] = sum[q];
    }
}

void run(const float *v, const float *wt, float *o, int nx, int ny, int nz)
{
    smooth3<<<dim3((nx + 31) / 32, (ny + 15) / 16, nz), dim3(32, 8)>>>(v, wt, o, nx, ny, nz);
}
