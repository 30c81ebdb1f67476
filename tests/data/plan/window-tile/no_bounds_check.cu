// kernel=smooth line=11 finding=KO108
#include <cstdio>
#define SIDE 64

__global__ void smooth(const float *map, float *out)
{
    int x = blockIdx.x * 16 + threadIdx.x;
    int y = blockIdx.y * 16 + threadIdx.y;
    float sum = 0.0f;
    // three rows and three columns, the lowest and rightmost of the map aside
    for (int b = 0; b < 3; ++b)
        for (int a = 0; a < 3; ++a)
            sum += map[(y + b) * (SIDE + 2) + x + a];
    out[y * SIDE + x] = sum / 9.0f;
}

int main()
{
    const int cells = (SIDE + 2) * (SIDE + 2);
    float *map, *out;
    cudaMallocManaged(&map, cells * sizeof(float));
    cudaMallocManaged(&out, SIDE * SIDE * sizeof(float));
    for (int i = 0; i < cells; ++i) map[i] = i % 19;
    smooth<<<dim3(SIDE / 16, SIDE / 16), dim3(16, 16)>>>(map, out);
    cudaDeviceSynchronize();
    double total = 0;
    for (int i = 0; i < SIDE * SIDE; ++i) total += out[i] * (i % 4 + 1);
    printf("%.3f\n", total);
    return 0;
}
