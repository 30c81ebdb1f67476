// kernel=label_tiles line=24 finding=KO122
#include <iostream>
#include <vector>

constexpr int kTile = 16;
constexpr int kClasses = 80;

// Counts the classes of a tile of a segmented image.
__global__ void label_tiles(const unsigned char* image, int* counts, int width, int height)
{
    __shared__ int seen[kClasses];
    const int x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile + threadIdx.y;
    const int tile = blockIdx.y * gridDim.x + blockIdx.x;
    const int lane = threadIdx.y * kTile + threadIdx.x;

    if (lane < kClasses)
        seen[lane] = 0;
    __syncthreads();
    if (x < width && y < height)
        atomicAdd(&seen[image[y * width + x]], 1);
    __syncthreads();
    for (int c = lane; c < kClasses; c += blockDim.x * blockDim.y)
        counts[tile * kClasses + c] = seen[c];
}

int main()
{
    const int width = 250, height = 130;
    const int tx = (width + kTile - 1) / kTile, ty = (height + kTile - 1) / kTile;
    std::vector<unsigned char> image(width * height);
    for (int i = 0; i < width * height; ++i) image[i] = (i / 9 + i / width) % kClasses;
    unsigned char* dImage;
    int* dCounts;
    cudaMalloc(&dImage, image.size());
    cudaMalloc(&dCounts, tx * ty * kClasses * sizeof(int));
    cudaMemcpy(dImage, image.data(), image.size(), cudaMemcpyHostToDevice);
    label_tiles<<<dim3(tx, ty), dim3(kTile, kTile)>>>(dImage, dCounts, width, height);
    std::vector<int> counts(tx * ty * kClasses);
    cudaMemcpy(counts.data(), dCounts, counts.size() * sizeof(int), cudaMemcpyDeviceToHost);
    long long sum = 0;
    for (size_t i = 0; i < counts.size(); ++i) sum += counts[i] * (long long)(i % 11);
    std::cout << sum << std::endl;
}
