// Scales an image channel. Bottleneck: threadIdx.x walks down the rows, so neighbouring threads read addresses a whole row apart.
#include <cmath>
#include <cstdio>
#include <vector>

#define CHECK(call)                                                                     \
    do {                                                                                \
        cudaError_t status = (call);                                                    \
        if (status != cudaSuccess) {                                                    \
            fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(status));             \
            return 1;                                                                   \
        }                                                                               \
    } while (0)

__global__ void brighten(const float *image, float *result, int rows, int cols, float gain, float offset)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    int col = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= rows || col >= cols) return;

    // keep the result displayable
    float value = gain * image[row * cols + col] + offset;
    result[row * cols + col] = fminf(fmaxf(value, 0.0f), 255.0f);
}

static int launch_brighten(const float *image, float *result, int rows, int cols)
{
    dim3 threads(16, 16);
    dim3 blocks((rows + threads.x - 1) / threads.x, (cols + threads.y - 1) / threads.y);
    brighten<<<blocks, threads>>>(image, result, rows, cols, 1.5f, -20.0f);
    CHECK(cudaGetLastError());
    return 0;
}

int main()
{
    const int rows = 240, cols = 400;
    std::vector<float> image(rows * cols), result(rows * cols);
    for (int i = 0; i < rows * cols; i++) image[i] = static_cast<float>((i * 37) % 256);

    float *d_image, *d_result;
    CHECK(cudaMalloc(&d_image, image.size() * sizeof(float)));
    CHECK(cudaMalloc(&d_result, image.size() * sizeof(float)));
    CHECK(cudaMemcpy(d_image, image.data(), image.size() * sizeof(float), cudaMemcpyHostToDevice));
    if (launch_brighten(d_image, d_result, rows, cols)) return 1;
    CHECK(cudaMemcpy(result.data(), d_result, image.size() * sizeof(float), cudaMemcpyDeviceToHost));

    double sum = 0;
    for (float value : result) sum += value;
    printf("mean brightness %.4f\n", sum / result.size());
    cudaFree(d_image);
    cudaFree(d_result);
    return 0;
}
