// 2-D finite-difference time-domain (TE mode), leapfrog update of ex, ey and hz
#include <cstdio>
#include <cstdlib>

typedef float real_t;

struct Fields
{
    real_t *ex;
    real_t *ey;
    real_t *hz;
    int nx;
    int ny;
};

static void ensure(cudaError_t e)
{
    if (e == cudaSuccess) return;
    fprintf(stderr, "fdtd: %s\n", cudaGetErrorString(e));
    exit(EXIT_FAILURE);
}

__global__ void update_ey(Fields f, real_t source)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= f.nx || j >= f.ny) return;
    if (i == 0)
        f.ey[j] = source;
    else
        f.ey[i * f.ny + j] -= 0.5f * (f.hz[i * f.ny + j] - f.hz[(i - 1) * f.ny + j]);
}

__global__ void update_ex(Fields f)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= f.nx || j < 1 || j >= f.ny) return;
    f.ex[i * f.ny + j] -= 0.5f * (f.hz[i * f.ny + j] - f.hz[i * f.ny + j - 1]);
}

__global__ void update_hz(Fields f)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= f.nx - 1 || j >= f.ny - 1) return;
    f.hz[i * f.ny + j] -= 0.7f * (f.ex[i * f.ny + j + 1] - f.ex[i * f.ny + j] + f.ey[(i + 1) * f.ny + j] - f.ey[i * f.ny + j]);
}

int main(int argc, char **argv)
{
    Fields f;
    f.nx = argc > 1 ? atoi(argv[1]) : 96;
    f.ny = argc > 2 ? atoi(argv[2]) : 100;
    int steps = argc > 3 ? atoi(argv[3]) : 4;
    size_t cells = (size_t)f.nx * f.ny;

    real_t *host = (real_t *)malloc(cells * sizeof(real_t));
    real_t **fields[3] = {&f.ex, &f.ey, &f.hz};
    for (int k = 0; k < 3; k++)
    {
        for (size_t c = 0; c < cells; c++)
            host[c] = (real_t)((c * (k + 1)) % 128) / 128;
        ensure(cudaMalloc(fields[k], cells * sizeof(real_t)));
        ensure(cudaMemcpy(*fields[k], host, cells * sizeof(real_t), cudaMemcpyHostToDevice));
    }

    dim3 block(32, 4);
    dim3 grid((f.ny + block.x - 1) / block.x, (f.nx + block.y - 1) / block.y);
    for (int t = 0; t < steps; t++)
    {
        update_ey<<<grid, block>>>(f, (real_t)t);
        update_ex<<<grid, block>>>(f);
        update_hz<<<grid, block>>>(f);
        ensure(cudaGetLastError());
    }
    ensure(cudaMemcpy(host, f.hz, cells * sizeof(real_t), cudaMemcpyDeviceToHost));

    double sum = 0;
    for (size_t c = 0; c < cells; c++)
        sum += host[c];
    printf("hz: sum %.5f, [1][1] %.6f\n", sum, host[f.ny + 1]);

    for (int k = 0; k < 3; k++)
        ensure(cudaFree(*fields[k]));
    free(host);
    return 0;
}
