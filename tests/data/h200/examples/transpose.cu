// Out-of-place matrix transpose: reads rows, writes columns. Bottleneck: every store of a warp goes to 32 different sectors.
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void transpose(float *out, const float *in, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {
        out[x * height + y] = in[y * width + x];
    }
}

int main()
{
    const int width = 500, height = 300;  // not multiples of the block: the guard is needed
    std::vector<float> in(width * height), out(width * height);
    for (size_t i = 0; i < in.size(); i++) in[i] = static_cast<float>(rand() % 1000) * 0.25f;

    float *d_in, *d_out;
    cudaMalloc(&d_in, in.size() * sizeof(float));
    cudaMalloc(&d_out, out.size() * sizeof(float));
    cudaMemcpy(d_in, in.data(), in.size() * sizeof(float), cudaMemcpyHostToDevice);

    dim3 block(32, 32);
    dim3 grid((width + block.x - 1) / block.x, (height + block.y - 1) / block.y);
    transpose<<<grid, block>>>(d_out, d_in, width, height);
    cudaMemcpy(out.data(), d_out, out.size() * sizeof(float), cudaMemcpyDeviceToHost);

    int wrong = 0;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) wrong += out[x * height + y] != in[y * width + x];
    printf("transpose %s\n", wrong ? "FAIL" : "PASS");
    cudaFree(d_in);
    cudaFree(d_out);
    return wrong != 0;
}
