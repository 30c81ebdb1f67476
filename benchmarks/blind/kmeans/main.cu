// Lloyd's k-means in 8 dimensions.
// kmeans POINTS CLUSTERS ITERATIONS
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "kmeans.cuh"

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
        kmeans::accumulate<D><<<forPoints, block>>>(dPoints, n, dLabel, dClusters);
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
