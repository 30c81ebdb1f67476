// kernel=sharpen line=12 finding=KO121
#include <cstdio>
#include <cstdlib>

__global__ void sharpen(const float *in, float *out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int first_y = (blockIdx.y * blockDim.y + threadIdx.y) * 4;
    if (x >= 1 && x < w - 1)
    {
        if (first_y >= 1 && first_y + 3 < h - 1)
        {
            float result[4];
            #pragma unroll
            for (int r = 0; r < 4; r++)
            {
                const int y = first_y + r;
                const float near = in[(y - 1) * w + x] + in[(y + 1) * w + x] + in[y * w + x - 1] + in[y * w + x + 1];
                result[r] = 2.0f * in[y * w + x] - 0.25f * near;
            }
            #pragma unroll
            for (int r = 0; r < 4; r++)
            {
                const int y = first_y + r;
                out[y * w + x] = result[r];
            }
        }
        else
        {
            for (int r = 0; r < 4; r++)
            {
                const int y = first_y + r;
                if (y >= 1 && y < h - 1)
                {
                    const float near = in[(y - 1) * w + x] + in[(y + 1) * w + x] + in[y * w + x - 1] + in[y * w + x + 1];
                    out[y * w + x] = 2.0f * in[y * w + x] - 0.25f * near;
                }
            }
        }
    }
}

int main()
{
    const int w = 72, h = 60, n = w * h;
    float *host = (float *)malloc(n * sizeof(float)), *in, *out;
    for (int i = 0; i < n; i++)
    {
        host[i] = i * 17 % 61;
    }
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    cudaMemcpy(in, host, n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(out, host, n * sizeof(float), cudaMemcpyHostToDevice);
    sharpen<<<dim3((w + 31) / 32, (h + 31) / 32), dim3(32, 8)>>>(in, out, w, h);
    cudaMemcpy(host, out, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", host[w + 1]);
    return 0;
}
