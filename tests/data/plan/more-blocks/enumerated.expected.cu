// kernel=Brightest line=9 finding=KO111
#include <cstdio>
#include <vector>

enum { GRID = 192, BLOCK = 512 };

struct Pixel { unsigned char r, g, b, a; };

__global__ void Brightest(Pixel const *image, int pixels, int *best)
{
    int here = 0;
    int const stride = GRID * BLOCK;
    for (int p = blockIdx.x * BLOCK + threadIdx.x; p < pixels; p += stride) {
        Pixel const q = image[p];
        int const light = 2 * q.r + 5 * q.g + q.b;
        here = light > here ? light : here;
    }
    atomicMax(best, here);
}

int main()
{
    int const pixels = 1920 * 1080;
    std::vector<Pixel> image(pixels);
    for (int i = 0; i < pixels; ++i) image[i] = Pixel{(unsigned char)(i % 251), (unsigned char)(i / 7 % 241), (unsigned char)i, 255};
    Pixel *d_image;
    int *d_best, best = 0;
    cudaMalloc(&d_image, pixels * sizeof(Pixel));
    cudaMalloc(&d_best, sizeof(int));
    cudaMemcpy(d_image, image.data(), pixels * sizeof(Pixel), cudaMemcpyHostToDevice);
    cudaMemset(d_best, 0, sizeof(int));
    Brightest<<<GRID, BLOCK>>>(d_image, pixels, d_best);
    cudaMemcpy(&best, d_best, sizeof(int), cudaMemcpyDeviceToHost);
    std::printf("brightest %d\n", best);
}
