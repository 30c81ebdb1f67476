// A small image pipeline with three kernels, each slow for another reason. `make demo` works on a copy of this file.
#include <cstdio>
#include <cstdlib>
#include <vector>

static void check(cudaError_t status, const char *what)
{
    if (status == cudaSuccess) return;
    fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
    exit(1);
}

// Tone mapping: the curve is meant to be single precision.
__global__ void tone_map(float *pixels, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        float v = pixels[i];
        for (int pass = 0; pass < 8; pass++) {
            v = v * (1.5 - 0.5 * v * v);
        }
        pixels[i] = v;
    }
}

// Rows become columns, so that the next kernel can walk columns quickly.
__global__ void transpose(float *out, const float *in, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        out[x * height + y] = in[y * width + x];
}

// Mean of each column of the original image.
__global__ void column_mean(float *mean, const float *transposed, int width, int height)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= width) return;
    mean[column] = 0.0f;
    for (int y = 0; y < height; y++)
        mean[column] += transposed[column * height + y];
    mean[column] /= height;
}

int main()
{
    const int width = 384, height = 256, count = width * height;
    std::vector<float> image(count), mean(width);
    srand(7);
    for (float &pixel : image) pixel = rand() / (float)RAND_MAX;

    float *d_image, *d_transposed, *d_mean;
    check(cudaMalloc(&d_image, count * sizeof(float)), "image");
    check(cudaMalloc(&d_transposed, count * sizeof(float)), "transposed");
    check(cudaMalloc(&d_mean, width * sizeof(float)), "mean");
    check(cudaMemcpy(d_image, image.data(), count * sizeof(float), cudaMemcpyHostToDevice), "upload");

    tone_map<<<(count + 255) / 256, 256>>>(d_image, count);

    dim3 block(32, 8);
    dim3 grid((width + block.x - 1) / block.x, (height + block.y - 1) / block.y);
    transpose<<<grid, block>>>(d_transposed, d_image, width, height);

    column_mean<<<(width + 127) / 128, 128>>>(d_mean, d_transposed, width, height);
    check(cudaGetLastError(), "launch");
    check(cudaMemcpy(mean.data(), d_mean, width * sizeof(float), cudaMemcpyDeviceToHost), "download");

    float total = 0.0f;
    for (float m : mean) total += m;
    printf("mean brightness after tone mapping: %.5f\n", total / width);
    cudaFree(d_image);
    cudaFree(d_transposed);
    cudaFree(d_mean);
    return 0;
}
