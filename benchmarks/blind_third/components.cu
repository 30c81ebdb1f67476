// components.cu -- connected components of a binary image (4-connectivity) by label equivalence,
// after Hawick, Leist, Playne (2010). Used for counting pores in CT slices.
//
// ./components W H PERCENT     PERCENT = porosity of the synthetic slice
//
// TODO: 8-connectivity, 3-D

#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>

typedef unsigned char byte;

int W, H;
int *d_labels, *d_ref, *d_size;
byte *d_img;
int *d_changed;
int *d_stats; // components, largest, single pixels

#define IDX (blockIdx.x * blockDim.x + threadIdx.x)
#define BLOCK 192

__global__ void initLabels(const byte *img, int *labels, int *ref, int *size, int n)
{
    int i = IDX;
    if (i >= n) return;
    labels[i] = img[i] ? i : -1;
    ref[i] = i;
    size[i] = 0;
}

// lowest label around a pixel; the label's own root learns of it
__global__ void scanNeighbours(const int *labels, int *ref, int *changed, int w, int h)
{
    int i = IDX;
    if (i >= w * h) return;
    int label = labels[i];
    if (label < 0) return;

    int x = i % w;
    int y = i / w;
    int lowest = label;
    if (x > 0     && labels[i - 1] >= 0 && labels[i - 1] < lowest) lowest = labels[i - 1];
    if (x < w - 1 && labels[i + 1] >= 0 && labels[i + 1] < lowest) lowest = labels[i + 1];
    if (y > 0     && labels[i - w] >= 0 && labels[i - w] < lowest) lowest = labels[i - w];
    if (y < h - 1 && labels[i + w] >= 0 && labels[i + w] < lowest) lowest = labels[i + w];

    if (lowest < label) {
        atomicMin(&ref[label], lowest);
        *changed = 1;
    }
}

// follow the references of a root down to the lowest label known
__global__ void analyse(const int *labels, int *ref, int n)
{
    int i = IDX;
    if (i >= n) return;
    if (labels[i] == i) {
        int r = i;
        while (ref[r] != r)
            r = ref[r];
        atomicMin(&ref[i], r);
    }
}

__global__ void relabel(int *labels, const int *ref, int n)
{
    int i = IDX;
    if (i >= n) return;
    if (labels[i] >= 0)
        labels[i] = ref[ref[labels[i]]];
}

__global__ void areas(const int *labels, int *size, int n)
{
    int i = IDX;
    if (i >= n) return;
    if (labels[i] >= 0)
        atomicAdd(&size[labels[i]], 1);
}

__global__ void statistics(const int *size, int *stats, int n)
{
    int i = IDX;
    if (i >= n) return;
    int s = size[i];
    if (s > 0) {
        atomicAdd(&stats[0], 1);
        atomicMax(&stats[1], s);
        if (s == 1) atomicAdd(&stats[2], 1);
    }
}

static void die(const char *what)
{
    cudaError_t e = cudaGetLastError();
    if (e != cudaSuccess) {
        printf("CUDA error in %s: %s\n", what, cudaGetErrorString(e));
        exit(EXIT_FAILURE);
    }
}

static unsigned mix(unsigned x)
{
    x ^= x >> 16; x *= 0x7feb352dU;
    x ^= x >> 15; x *= 0x846ca68bU;
    return x ^ (x >> 16);
}

int main(int argc, char *argv[])
{
    W = argc > 1 ? atoi(argv[1]) : 512;
    H = argc > 2 ? atoi(argv[2]) : 512;
    unsigned percent = argc > 3 ? atoi(argv[3]) : 55;
    int n = W * H;

    byte *img = (byte *)malloc(n);
    for (int i = 0; i < n; i++)
        img[i] = mix(i) % 100 < percent;

    cudaMalloc((void **)&d_img, n);
    cudaMalloc((void **)&d_labels, n * sizeof(int));
    cudaMalloc((void **)&d_ref, n * sizeof(int));
    cudaMalloc((void **)&d_size, n * sizeof(int));
    cudaMalloc((void **)&d_changed, sizeof(int));
    cudaMalloc((void **)&d_stats, 3 * sizeof(int));
    die("malloc");
    cudaMemcpy(d_img, img, n, cudaMemcpyHostToDevice);
    cudaMemset(d_stats, 0, 3 * sizeof(int));

    int blocks = (n + BLOCK - 1) / BLOCK;
    initLabels<<<blocks, BLOCK>>>(d_img, d_labels, d_ref, d_size, n);
    int changed = 1;
    while (changed) {
        changed = 0;
        cudaMemcpy(d_changed, &changed, sizeof(int), cudaMemcpyHostToDevice);
        scanNeighbours<<<blocks, BLOCK>>>(d_labels, d_ref, d_changed, W, H);
        analyse<<<blocks, BLOCK>>>(d_labels, d_ref, n);
        relabel<<<blocks, BLOCK>>>(d_labels, d_ref, n);
        cudaMemcpy(&changed, d_changed, sizeof(int), cudaMemcpyDeviceToHost);
    }
    die("labelling");
    areas<<<blocks, BLOCK>>>(d_labels, d_size, n);
    statistics<<<blocks, BLOCK>>>(d_size, d_stats, n);
    die("statistics");

    int stats[3];
    int *labels = (int *)malloc(n * sizeof(int));
    cudaMemcpy(stats, d_stats, sizeof stats, cudaMemcpyDeviceToHost);
    cudaMemcpy(labels, d_labels, n * sizeof(int), cudaMemcpyDeviceToHost);
    die("copy");
    long long sum = 0;
    for (int i = 0; i < n; i++)
        sum += labels[i];
    printf("%d components, largest %d pixels, %d single pixels\n", stats[0], stats[1], stats[2]);
    printf("label checksum %lld\n", sum);

    free(img);
    free(labels);
    cudaFree(d_img);
    cudaFree(d_labels);
    cudaFree(d_ref);
    cudaFree(d_size);
    cudaFree(d_changed);
    cudaFree(d_stats);
    return 0;
}
