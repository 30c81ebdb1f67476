// kernel=two_nearest line=12 finding=KO101
#include <cstdio>
#include <algorithm>

// the two roads nearest to each fix of a receiver
__global__ void two_nearest(double const *distances, unsigned *roads, int fixes, int count) {
    int f = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    const int lane = threadIdx.x % 32;
    if (f >= fixes)
        return;
    double nearest[2] = {1e300, 1e300};
    unsigned road[2] = {0, 0};
    for (int i = lane; i < count; i += 32) {
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
    // the lanes' lists become one
    #pragma unroll
    for (int place = 0; place < 2; place++) {
        double first_nearest = nearest[place];
        unsigned first_road = road[place];
        for (int offset = 16; offset > 0; offset /= 2) {
            double other_nearest = __shfl_xor_sync(0xffffffff, first_nearest, offset);
            unsigned other_road = __shfl_xor_sync(0xffffffff, first_road, offset);
            if (other_nearest < first_nearest || (other_nearest == first_nearest && other_road < first_road)) {
                first_nearest = other_nearest;
                first_road = other_road;
            }
        }
        if (nearest[place] != first_nearest || road[place] != first_road) {
            #pragma unroll
            for (int j = 1; j > place; j--) {
                nearest[j] = nearest[j-1];
                road[j] = road[j-1];
            }
            nearest[place] = first_nearest;
            road[place] = first_road;
        }
    }
    if (lane == 0) {
        roads[2*f] = road[0];
        roads[2*f + 1] = road[1];
    }
}

int main() {
    const int fixes = 500, count = 75;
    double *distances;
    unsigned *roads;
    cudaMallocManaged(&distances, fixes * count * sizeof(double));
    cudaMallocManaged(&roads, 2 * fixes * sizeof(unsigned));
    for (int i = 0; i < fixes * count; i++) distances[i] = (i * 7919 % 211) * 0.5;
    two_nearest<<<(fixes + 3) / 4, 128>>>(distances, roads, fixes, count);
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
