// kernel=despeckle line=27 finding=KO109
#include <cstdio>
#include <vector>
#include <algorithm>

typedef unsigned char byte;

__global__ void despeckle(byte *out, const byte *in, int width, int height) {
    int x = blockIdx.x * 16 + threadIdx.x;
    int y = blockIdx.y * 16 + threadIdx.y;
    if (x > 0 && y > 0 && x < width - 1 && y < height - 1) {
        for (int c = 0; c < 3; c++) {
            byte v[5];
            v[0] = in[(y * width + x) * 3 + c];
            v[1] = in[(y * width + x - 1) * 3 + c];
            v[2] = in[(y * width + x + 1) * 3 + c];
            v[3] = in[((y - 1) * width + x) * 3 + c];
            v[4] = in[((y + 1) * width + x) * 3 + c];
            for (int i = 1; i < 5; i++) {
                int j = i;
                while (j > 0 && v[j] < v[j - 1]) { byte t = v[j]; v[j] = v[j - 1]; v[j - 1] = t; j--; }
            }
            out[(y * width + x) * 3 + c] = v[2];
        }
    }
}

int main() {
    const int width = 50, height = 37;
    byte *in, *out;
    cudaMallocManaged(&in, width * height * 3);
    cudaMallocManaged(&out, width * height * 3);
    for (int i = 0; i < width * height * 3; i++) in[i] = i * 2654435761u >> 21;
    despeckle<<<dim3(4, 3), dim3(16, 16)>>>(out, in, width, height);
    cudaDeviceSynchronize();
    for (int y = 1; y < height - 1; y++)
        for (int x = 1; x < width - 1; x++)
            for (int c = 0; c < 3; c++) {
                auto at = [&](int dx, int dy) { return in[((y + dy) * width + x + dx) * 3 + c]; };
                std::vector<byte> all = {at(0, 0), at(-1, 0), at(1, 0), at(0, -1), at(0, 1)};
                std::sort(all.begin(), all.end());
                if (out[(y * width + x) * 3 + c] != all[2]) return printf("FAIL %d %d %d\n", x, y, c), 1;
            }
    return puts("PASS"), 0;
}
