// kernel=accumulate line=80 finding=KO110


#include <cstddef>

template <int D>
struct Point {
    float x[D];
};

template <int D>
struct Cluster {
    float sum[D];
    int size;
};

/// Points around k centres on a coarse raster, numbers are multiples of 1/64.
template <int D>
void make_points(Point<D>* points, std::size_t n, int k)
{
    unsigned s = 7;
    for (std::size_t i = 0; i < n; ++i) {
        unsigned c = (unsigned)(i % k);
        for (int d = 0; d < D; ++d) {
            s = s * 1664525u + 1013904223u;
            unsigned centre = ((c + 1) * 2654435761u >> (2 * d)) & 7u;
            points[i].x[d] = (float)(centre * 64 + (s >> 25)) / 64.0f;
        }
    }
}




namespace kmeans {

template <int D>
__device__ float distance2(const Point<D>& a, const Point<D>& b)
{
    float sum = 0.0f;
    for (int d = 0; d < D; ++d) {
        float diff = a.x[d] - b.x[d];
        sum += diff * diff;
    }
    return sum;
}

template <int D>
__global__ void assign(const Point<D>* points, int n, const Point<D>* centres, int k, int* label)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int best = 0;
    float bestDistance = distance2<D>(points[i], centres[0]);
    for (int c = 1; c < k; ++c) {
        float distance = distance2<D>(points[i], centres[c]);
        if (distance < bestDistance) {
            bestDistance = distance;
            best = c;
        }
    }
    label[i] = best;
}

template <int D>
__global__ void clear(Cluster<D>* clusters, int k)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= k) return;
    for (int d = 0; d < D; ++d) clusters[c].sum[d] = 0.0f;
    clusters[c].size = 0;
}

template <int D>
__global__ void accumulate(const Point<D>* points, int n, const int* label, Cluster<D>* clusters, int k)
{
    extern __shared__ Cluster<D> block_clusters[];
    for (int bin = threadIdx.x; bin < k; bin += blockDim.x)
        block_clusters[bin] = {};
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        Cluster<D>& mine = block_clusters[label[i]];
        for (int d = 0; d < D; ++d) atomicAdd(&mine.sum[d], points[i].x[d]);
        atomicAdd(&mine.size, 1);
    }
    __syncthreads();
    for (int bin = threadIdx.x; bin < k; bin += blockDim.x) {
        for (int j = 0; j < D; j++)
            atomicAdd(&clusters[bin].sum[j], block_clusters[bin].sum[j]);
        atomicAdd(&clusters[bin].size, block_clusters[bin].size);
    }
}

template <int D>
__global__ void update(const Cluster<D>* clusters, Point<D>* centres, int k)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= k || clusters[c].size == 0) return;
    for (int d = 0; d < D; ++d) centres[c].x[d] = clusters[c].sum[d] / clusters[c].size;
}

}  // namespace kmeans
// Lloyd's k-means in 8 dimensions.
// kmeans POINTS CLUSTERS ITERATIONS
#include <cstdio>
#include <cstdlib>
#include <vector>



constexpr int D = 8;

static void must(cudaError_t e)
{
    if (e != cudaSuccess) {
        fprintf(stderr, "kmeans: %s\n", cudaGetErrorString(e));
        abort();
    }
}

template <typename T>
static T* device_array(size_t n)
{
    T* p = nullptr;
    must(cudaMalloc(&p, n * sizeof(T)));
    return p;
}

static int argument(int argc, char** argv, int i, int otherwise)
{
    return i < argc ? atoi(argv[i]) : otherwise;
}

int main(int argc, char** argv)
{
    const int n = argument(argc, argv, 1, 4096);
    const int k = argument(argc, argv, 2, 16);
    const int iterations = argument(argc, argv, 3, 5);

    std::vector<Point<D>> points(n);
    make_points<D>(points.data(), n, k);

    Point<D>* dPoints = device_array<Point<D>>(n);
    Point<D>* dCentres = device_array<Point<D>>(k);
    Cluster<D>* dClusters = device_array<Cluster<D>>(k);
    int* dLabel = device_array<int>(n);
    must(cudaMemcpy(dPoints, points.data(), n * sizeof(Point<D>), cudaMemcpyHostToDevice));
    // the first k points are the first centres
    must(cudaMemcpy(dCentres, points.data(), k * sizeof(Point<D>), cudaMemcpyHostToDevice));

    const int block = 128;
    const int forPoints = (n + block - 1) / block;
    const int forClusters = (k + block - 1) / block;
    for (int i = 0; i < iterations; ++i) {
        kmeans::assign<D><<<forPoints, block>>>(dPoints, n, dCentres, k, dLabel);
        kmeans::clear<D><<<forClusters, block>>>(dClusters, k);
        kmeans::accumulate<D><<<forPoints, block, k * sizeof(*dClusters)>>>(dPoints, n, dLabel, dClusters, k);
        kmeans::update<D><<<forClusters, block>>>(dClusters, dCentres, k);
        must(cudaGetLastError());
    }
    must(cudaDeviceSynchronize());

    std::vector<Point<D>> centres(k);
    std::vector<int> label(n);
    must(cudaMemcpy(centres.data(), dCentres, k * sizeof(Point<D>), cudaMemcpyDeviceToHost));
    must(cudaMemcpy(label.data(), dLabel, n * sizeof(int), cudaMemcpyDeviceToHost));

    long long labels = 0;
    for (int i = 0; i < n; ++i) labels += (long long)label[i] * (i % 101);
    double sum = 0;
    for (const Point<D>& c : centres)
        for (float x : c.x) sum += x;
    printf("centre 0: %.4f %.4f ...  all centres: %.4f  labels: %lld\n", centres[0].x[0], centres[0].x[1], sum, labels);

    must(cudaFree(dPoints));
    must(cudaFree(dCentres));
    must(cudaFree(dClusters));
    must(cudaFree(dLabel));
    return 0;
}
