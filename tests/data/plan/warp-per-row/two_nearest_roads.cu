// kernel=two_nearest line=12 finding=KO101
#include <cstdio>
#include <algorithm>

// the two roads nearest to each fix of a receiver
__global__ void two_nearest(double const *distances, unsigned *roads, int fixes, int count) {
    int f = blockIdx.x * blockDim.x + threadIdx.x;
    if (f >= fixes)
        return;
    double nearest[2] = {1e300, 1e300};
    unsigned road[2] = {0, 0};
    for (int i = 0; i < count; ++i) {
        double d = distances[f*count + i];
        int at = 0;
        while (at < 2 && nearest[at] <= d) ++at;
        if (at < 2) {
            for (int k = 1; k > at; --k) {
                nearest[k] = nearest[k-1];
                road[k] = road[k-1];
            }
            nearest[at] = d;
            road[at] = i;
        }
    }
    roads[2*f] = road[0];
    roads[2*f + 1] = road[1];
}

int main() {
    const int fixes = 500, count = 75;
    double *distances;
    unsigned *roads;
    cudaMallocManaged(&distances, fixes * count * sizeof(double));
    cudaMallocManaged(&roads, 2 * fixes * sizeof(unsigned));
    for (int i = 0; i < fixes * count; i++) distances[i] = (i * 7919 % 211) * 0.5;
    two_nearest<<<(fixes + 127) / 128, 128>>>(distances, roads, fixes, count);
    cudaDeviceSynchronize();
    for (int f = 0; f < fixes; f++) {
        double *row = distances + f * count;
        unsigned first = std::min_element(row, row + count) - row, second = first == 0;
        for (int i = 0; i < count; i++)
            if (i != (int)first && row[i] < row[second]) second = i;
        if (roads[2 * f] != first || roads[2 * f + 1] != second) return std::printf("FAIL %d\n", f), 1;
    }
    return std::puts("PASS"), 0;
}
