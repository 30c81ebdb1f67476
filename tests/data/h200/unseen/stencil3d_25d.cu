/* 7-point 3-D stencil: (1) 3-D thread blocks, global only; (2) 2.5-D marching in z with a shared plane */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <cuda_runtime.h>

#define NX 66
#define NY 50
#define NZ 23
#define AT(z, y, x) (((size_t)(z) * NY + (y)) * NX + (x))

__global__ void stencil_global(const double *u, double *v, double c0, double c1)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x + 1;
    int y = blockIdx.y * blockDim.y + threadIdx.y + 1;
    int z = blockIdx.z * blockDim.z + threadIdx.z + 1;
    if (x >= NX - 1 || y >= NY - 1 || z >= NZ - 1)
        return;
    v[AT(z, y, x)] = c0 * u[AT(z, y, x)]
                   + c1 * (u[AT(z, y, x - 1)] + u[AT(z, y, x + 1)] +
                           u[AT(z, y - 1, x)] + u[AT(z, y + 1, x)] +
                           u[AT(z - 1, y, x)] + u[AT(z + 1, y, x)]);
}

#define TX 16
#define TY 8
__global__ void stencil_25d(const double *__restrict__ u, double *__restrict__ v, double c0, double c1)
{
    __shared__ double plane[TY + 2][TX + 2];
    const int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    const int x = blockIdx.x * TX + tx, y = blockIdx.y * TY + ty;   /* TX | NX-2, TY | NY-2 */

    double below = u[AT(0, y, x)], cur = u[AT(1, y, x)], above;
    for (int z = 1; z < NZ - 1; z++) {
        above = u[AT(z + 1, y, x)];
        plane[ty][tx] = cur;
        if (tx == 1)  plane[ty][0]      = u[AT(z, y, x - 1)];
        if (tx == TX) plane[ty][TX + 1] = u[AT(z, y, x + 1)];
        if (ty == 1)  plane[0][tx]      = u[AT(z, y - 1, x)];
        if (ty == TY) plane[TY + 1][tx] = u[AT(z, y + 1, x)];
        __syncthreads();
        v[AT(z, y, x)] = c0 * cur + c1 * (plane[ty][tx - 1] + plane[ty][tx + 1]
                                        + plane[ty - 1][tx] + plane[ty + 1][tx] + below + above);
        __syncthreads();
        below = cur;
        cur = above;
    }
}

int main()
{
    size_t n = (size_t)NX * NY * NZ, bytes = n * sizeof(double);
    double *h = (double *)malloc(bytes), *r1 = (double *)malloc(bytes), *r2 = (double *)malloc(bytes);
    for (size_t i = 0; i < n; i++) h[i] = (double)((i * 31) % 257);
    double *u, *v, *w;
    cudaMalloc((void **)&u, bytes); cudaMalloc((void **)&v, bytes); cudaMalloc((void **)&w, bytes);
    cudaMemcpy(u, h, bytes, cudaMemcpyHostToDevice);
    cudaMemset(v, 0, bytes); cudaMemset(w, 0, bytes);
    dim3 b(32, 4, 2), g((NX - 2 + 31) / 32, (NY - 2 + 3) / 4, (NZ - 2 + 1) / 2);
    stencil_global<<<g, b>>>(u, v, 0.4, 0.1);
    stencil_25d<<<dim3((NX - 2) / TX, (NY - 2) / TY), dim3(TX, TY)>>>(u, w, 0.4, 0.1);
    cudaMemcpy(r1, v, bytes, cudaMemcpyDeviceToHost);
    cudaMemcpy(r2, w, bytes, cudaMemcpyDeviceToHost);
    int bad = cudaGetLastError() != cudaSuccess;
    for (int z = 1; z < NZ - 1; z++) for (int y = 1; y < NY - 1; y++) for (int x = 1; x < NX - 1; x++) {
        double e = 0.4 * h[AT(z, y, x)] + 0.1 * (h[AT(z, y, x - 1)] + h[AT(z, y, x + 1)] + h[AT(z, y - 1, x)]
                 + h[AT(z, y + 1, x)] + h[AT(z - 1, y, x)] + h[AT(z + 1, y, x)]);
        if (fabs(e - r1[AT(z, y, x)]) > 1e-9 || fabs(e - r2[AT(z, y, x)]) > 1e-9) bad++;
    }
    printf("stencil3d_25d %s\n", bad ? "FAIL" : "PASS");
    return bad ? 1 : 0;
}
