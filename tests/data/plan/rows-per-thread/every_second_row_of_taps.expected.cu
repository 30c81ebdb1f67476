// kernel=downConv line=17 finding=KO108
#include <cuda_runtime.h>

__global__ void downConv(const float *img, const float *flt, float *res, int inW, int outW, int outH, int depth) {
    int outX = blockIdx.x * 16 + threadIdx.x, filterIdx = blockIdx.z;
    int firstOutY = (blockIdx.y * 16 + threadIdx.y) * 4;
    if (outX < outW && firstOutY < outH)
    {
        float total[4] = {};
        for (int d = 0; d < depth; ++d)
        {
            const int plane = d * (2 * outH + 1) * inW;
            float imgWindow[9][3];
            bool isInside[9][3];
            #pragma unroll
            for (int i = 0; i < 9; ++i)
            {
                #pragma unroll
                for (int j = 0; j < 3; ++j)
                {
                    isInside[i][j] = firstOutY * 2 + i < outH * 2 + 1;
                    if (isInside[i][j])
                        imgWindow[i][j] = img[plane + (firstOutY * 2 + i) * inW + outX * 2 + j];
                }
            }
            #pragma unroll
            for (int i = 0; i < 3; ++i)
            {
                #pragma unroll
                for (int j = 0; j < 3; ++j)
                {
                    const float fltValue = flt[(filterIdx * depth + d) * 9 + i * 3 + j];
                    #pragma unroll
                    for (int q = 0; q < 4; q++)
                    {
                        if (isInside[i + q * 2][j])
                        {
                            float pixel = imgWindow[i + q * 2][j];
                            total[q] += pixel * fltValue;
                        }
                    }
                }
            }
        }
        #pragma unroll
        for (int q = 0; q < 4; q++)
        {
            const int outY = firstOutY + q;
            if (outY < outH)
            {
                total[q] = total[q] > 0.f ? total[q] : 0.f; // ReLU
                res[(filterIdx * outH + outY) * outW + outX] = total[q];
            }
        }
    }
}

void run(const float *img, const float *flt, float *res, int inW, int outW, int outH, int depth, int filters) {
    downConv<<<dim3((outW + 15) / 16, (outH + 63) / 64, filters), dim3(16, 16)>>>(img, flt, res, inW, outW, outH, depth);
}
