// kernel=downConv line=17 finding=KO108
#include <cuda_runtime.h>

__global__ void downConv(const float *img, const float *flt, float *res, int inW, int outW, int outH, int depth) {
    int outX = blockIdx.x * 16 + threadIdx.x, filterIdx = blockIdx.z;
    int outY = blockIdx.y * 16 + threadIdx.y;
    if (outX < outW && outY < outH)
    {
        float total = 0.f;
        for (int d = 0; d < depth; ++d)
        {
            const int plane = d * (2 * outH + 1) * inW;
            for (int i = 0; i < 3; ++i)
                for (int j = 0; j < 3; ++j)
                {
                    float pixel = img[plane + (outY * 2 + i) * inW + outX * 2 + j];
                    total += pixel * flt[(filterIdx * depth + d) * 9 + i * 3 + j];
                }
        }
        total = total > 0.f ? total : 0.f; // ReLU
        res[(filterIdx * outH + outY) * outW + outX] = total;
    }
}

void run(const float *img, const float *flt, float *res, int inW, int outW, int outH, int depth, int filters) {
    downConv<<<dim3((outW + 15) / 16, (outH + 15) / 16, filters), dim3(16, 16)>>>(img, flt, res, inW, outW, outH, depth);
}
