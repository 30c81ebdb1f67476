// kernel=fold line=20 finding=KO108
#include <cstdio>
#include <vector>

__global__ void fold(const float *img, const float *taps, float *res, int chans, int nrow, int ncol)
{
    int c0 = blockIdx.x * blockDim.x + threadIdx.x;
    int first_r0 = (blockIdx.y * blockDim.y + threadIdx.y) * 4;
    if (c0 >= ncol || first_r0 >= nrow) return;

    float s[4] = {};
    for (int c = 0; c < chans; ++c) {
        float img_window[6][5];
        bool is_inside[6][5];
        #pragma unroll
        for (int a = -1; a <= 4; ++a) {
            #pragma unroll
            for (int b = -2; b <= 2; ++b) {
                int cc = c0 + b;
                int rr = (int)first_r0 + a;
                is_inside[a + 1][b + 2] = first_r0 + a < nrow + 1;
                if (is_inside[a + 1][b + 2])
                    img_window[a + 1][b + 2] = (rr < 0 || rr >= nrow || cc < 0 || cc >= ncol)
                              ? 0.0f
                              : img[(c * nrow + rr) * ncol + cc];
            }
        }
        #pragma unroll
        for (int a = -1; a <= 1; ++a) {
            #pragma unroll
            for (int b = -2; b <= 2; ++b) {
                const float taps_value = taps[(c * 3 + a + 1) * 5 + b + 2];
                #pragma unroll
                for (int q = 0; q < 4; q++) {
                    if (is_inside[a + 1 + q][b + 2]) {
                        float p = img_window[a + 1 + q][b + 2];
                        s[q] += p * taps_value;
                    }
                }
            }
        }
    }
    #pragma unroll
    for (int q = 0; q < 4; q++) {
        const int r0 = first_r0 + q;
        if (r0 < nrow)
            res[r0 * ncol + c0] = s[q];
    }
}

int main()
{
    const int chans = 3, nrow = 45, ncol = 37;
    std::vector<float> img(chans * nrow * ncol), taps(chans * 15), res(nrow * ncol);
    for (size_t i = 0; i < img.size(); i++) img[i] = float(i % 29) / 13 - 1;
    for (size_t i = 0; i < taps.size(); i++) taps[i] = float(i % 11) / 9 - 0.5f;
    float *img_d, *taps_d, *res_d;
    cudaMalloc(&img_d, img.size() * sizeof(float));
    cudaMalloc(&taps_d, taps.size() * sizeof(float));
    cudaMalloc(&res_d, res.size() * sizeof(float));
    cudaMemcpy(img_d, img.data(), img.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(taps_d, taps.data(), taps.size() * sizeof(float), cudaMemcpyHostToDevice);
    fold<<<dim3((ncol + 15) / 16, (nrow + 31) / 32), dim3(16, 8)>>>(img_d, taps_d, res_d, chans, nrow, ncol);
    cudaMemcpy(res.data(), res_d, res.size() * sizeof(float), cudaMemcpyDeviceToHost);
    double sum = 0;
    for (size_t i = 0; i < res.size(); i++) sum += res[i] * (i % 7 + 1);
    printf("%.4f\n", sum);
    cudaFree(img_d);
    cudaFree(taps_d);
    cudaFree(res_d);
}
