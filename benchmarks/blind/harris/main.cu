// Harris corner detector. The test picture is a chequerboard with some noise on it.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include "filters.h"

#define CUDA_OR_DIE(x) if ((x) != cudaSuccess) { printf("CUDA: %s, line %d\n", cudaGetErrorString(cudaGetLastError()), __LINE__); return 1; }

int main(int argc, char **argv)
{
    int w = 640, h = 480;
    if (argc >= 3)
    {
        w = atoi(argv[1]);
        h = atoi(argv[2]);
    }

    std::vector<float> image((size_t)w * h);
    unsigned noise = 12345;
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++)
        {
            noise = noise * 1103515245u + 12345u;
            image[(size_t)y * w + x] = (((x / 11) + (y / 9)) % 2 ? 0.8f : 0.2f) + 0.0005f * ((noise >> 16) % 100);
        }

    Buffers b;
    float **all[] = { &b.image, &b.ix, &b.iy, &b.ixx, &b.iyy, &b.ixy, &b.sxx, &b.syy, &b.sxy, &b.response };
    size_t bytes = sizeof(float) * w * h;
    for (float **p : all)
        CUDA_OR_DIE(cudaMalloc((void **)p, bytes));
    CUDA_OR_DIE(cudaMemcpy(b.image, image.data(), bytes, cudaMemcpyHostToDevice));

    harris(b, w, h, 0.05f);
    CUDA_OR_DIE(cudaGetLastError());
    CUDA_OR_DIE(cudaDeviceSynchronize());

    std::vector<float> response((size_t)w * h);
    CUDA_OR_DIE(cudaMemcpy(response.data(), b.response, bytes, cudaMemcpyDeviceToHost));

    double sum = 0;
    size_t best = 0;
    int corners = 0;
    for (size_t i = 0; i < response.size(); i++)
    {
        sum += response[i];
        if (response[i] > response[best]) best = i;
        if (response[i] > 0.0003f) corners++;
    }
    printf("%d pixels over the threshold, strongest %.6f, mean %.8f\n", corners, response[best], sum / response.size());

    for (float **p : all)
        CUDA_OR_DIE(cudaFree(*p));
    return 0;
}
