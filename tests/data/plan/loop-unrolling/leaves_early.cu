// kernel=find line=6 finding=KO114
#include <cstdio>

__global__ void find(int *place, const int *in) {
    int found = -1;
    for (int k = 0; k < 16; ++k) {
        if (in[threadIdx.x * 16 + k] == 7) {
            found = k;
            break;
        }
    }
    place[threadIdx.x] = found;
}

int main() {
    int *in, *place;
    cudaMallocManaged(&in, 512 * sizeof(int));
    cudaMallocManaged(&place, 32 * sizeof(int));
    for (int i = 0; i < 512; ++i) in[i] = i % 16;
    find<<<1, 32>>>(place, in);
    cudaDeviceSynchronize();
    return puts(place[3] == 7 ? "PASS" : "FAIL"), 0;
}
