// Lab 3 - Edge detection of a colour picture
// usage: ./rgb_sobel WIDTH HEIGHT THRESHOLD
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#define BLOCK 16

// Step 1: colour -> gray
__global__ void rgb2gray(unsigned char *rgb, float *gray, int w, int h)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    int col = blockIdx.y * blockDim.y + threadIdx.y;

    if (row < h && col < w) {
        int r = rgb[3 * (row * w + col) + 0];
        int g = rgb[3 * (row * w + col) + 1];
        int b = rgb[3 * (row * w + col) + 2];
        gray[row * w + col] = 0.299 * r + 0.587 * g + 0.114 * b;
    }
}

// Step 2: Sobel. The border of the picture stays black.
__global__ void sobel(float *gray, unsigned char *out, int *edges, int w, int h, int threshold)
{
    int gx[3][3] = {{-1, 0, 1}, {-2, 0, 2}, {-1, 0, 1}};
    int gy[3][3] = {{-1, -2, -1}, {0, 0, 0}, {1, 2, 1}};

    int row = blockIdx.x * blockDim.x + threadIdx.x;
    int col = blockIdx.y * blockDim.y + threadIdx.y;

    if (row >= h || col >= w)
        return;

    if (row == 0 || col == 0 || row == h - 1 || col == w - 1) {
        out[row * w + col] = 0;
        return;
    }

    float sx = 0;
    float sy = 0;
    for (int i = -1; i <= 1; i++) {
        for (int j = -1; j <= 1; j++) {
            sx += gx[i + 1][j + 1] * gray[(row + i) * w + (col + j)];
            sy += gy[i + 1][j + 1] * gray[(row + i) * w + (col + j)];
        }
    }

    float mag = sqrt(sx * sx + sy * sy);
    if (mag > 255.0)
        mag = 255.0;
    out[row * w + col] = (unsigned char)mag;

    // count the edge pixels
    if (mag > threshold)
        atomicAdd(edges, 1);
}

int main(int argc, char **argv)
{
    int w = 640, h = 480, threshold = 100;
    if (argc > 1) w = atoi(argv[1]);
    if (argc > 2) h = atoi(argv[2]);
    if (argc > 3) threshold = atoi(argv[3]);

    unsigned char *h_rgb = (unsigned char *)malloc(w * h * 3);
    unsigned char *h_out = (unsigned char *)malloc(w * h);

    // test picture: gradient with a disc, some stripes and noise
    unsigned int seed = 12345;
    for (int y = 0; y < h; y++) {
        for (int x = 0; x < w; x++) {
            int r = x * 200 / w;
            int g = y * 200 / h;
            int b = ((x / 8 + y / 6) % 2) * 120;
            int dx = x - w / 2, dy = y - h / 2;
            if (dx * dx + dy * dy < h * h / 9) {
                r = 230;
                g = 60;
            }
            seed = seed * 1664525u + 1013904223u;
            int noise = (seed >> 24) % 20;
            h_rgb[3 * (y * w + x) + 0] = r + noise;
            h_rgb[3 * (y * w + x) + 1] = g + noise;
            h_rgb[3 * (y * w + x) + 2] = b + noise / 2;
        }
    }

    unsigned char *d_rgb, *d_out;
    float *d_gray;
    int *d_edges;
    cudaMalloc((void **)&d_rgb, w * h * 3);
    cudaMalloc((void **)&d_gray, w * h * sizeof(float));
    cudaMalloc((void **)&d_out, w * h);
    cudaMalloc((void **)&d_edges, sizeof(int));
    cudaMemcpy(d_rgb, h_rgb, w * h * 3, cudaMemcpyHostToDevice);
    cudaMemset(d_edges, 0, sizeof(int));

    dim3 block(BLOCK, BLOCK);
    dim3 grid(h / BLOCK + 1, w / BLOCK + 1);
    rgb2gray<<<grid, block>>>(d_rgb, d_gray, w, h);
    cudaDeviceSynchronize();
    sobel<<<grid, block>>>(d_gray, d_out, d_edges, w, h, threshold);
    cudaDeviceSynchronize();

    int edges = 0;
    cudaMemcpy(h_out, d_out, w * h, cudaMemcpyDeviceToHost);
    cudaMemcpy(&edges, d_edges, sizeof(int), cudaMemcpyDeviceToHost);

    double sum = 0;
    for (int i = 0; i < w * h; i++)
        sum += h_out[i];
    printf("edge pixels: %.2f %%\n", 100.0 * edges / (w * h));
    printf("mean magnitude: %.2f\n", sum / (w * h));
    printf("row %d:", h / 2);
    for (int x = 0; x < 8; x++)
        printf(" %d", h_out[(h / 2) * w + x * w / 8]);
    printf("\n");

    cudaFree(d_rgb);
    cudaFree(d_gray);
    cudaFree(d_out);
    cudaFree(d_edges);
    free(h_rgb);
    free(h_out);
    return 0;
}
