#include "common.h"
#include "layernorm.h"

static float *random_values(size_t count, unsigned seed) {
    float *values = (float *)malloc(count * sizeof(float));
    unsigned state = seed;
    for (size_t i = 0; i < count; i++) {
        state = state * 1103515245u + 12345u;
        values[i] = (float)((state >> 16) & 0x7fff) / 16384.0f - 1.0f;
    }
    return values;
}

static float *to_device(const float *values, size_t count) {
    float *device;
    CHECK(cudaMalloc(&device, count * sizeof(float)));
    CHECK(cudaMemcpy(device, values, count * sizeof(float), cudaMemcpyHostToDevice));
    return device;
}

static float *empty_device(size_t count) {
    float *device;
    CHECK(cudaMalloc(&device, count * sizeof(float)));
    return device;
}

int main(int argc, char **argv) {
    int rows = argc > 1 ? atoi(argv[1]) : 64;
    int features = argc > 2 ? atoi(argv[2]) : 256;
    size_t count = (size_t)rows * features;

    float *x = random_values(count, 1);
    float *gamma = random_values(features, 2);
    float *beta = random_values(features, 3);
    float *y = (float *)malloc(count * sizeof(float));

    float *d_x = to_device(x, count), *d_y = empty_device(count);
    float *d_gamma = to_device(gamma, features), *d_beta = to_device(beta, features);
    float *d_average = empty_device(rows), *d_inv_std = empty_device(rows);

    LayerNorm layer = {rows, features, d_gamma, d_beta, d_average, d_inv_std};
    layer_norm(layer, d_x, d_y);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(y, d_y, count * sizeof(float), cudaMemcpyDeviceToHost));

    double sum = 0, squares = 0;
    for (size_t i = 0; i < count; i++) {
        sum += y[i];
        squares += y[i] * (double)y[i];
    }
    printf("sum %.4f squares %.4f first %.5f last %.5f\n", sum, squares, y[0], y[count - 1]);

    free(x);
    free(gamma);
    free(beta);
    free(y);
    CHECK(cudaFree(d_x));
    CHECK(cudaFree(d_y));
    CHECK(cudaFree(d_gamma));
    CHECK(cudaFree(d_beta));
    CHECK(cudaFree(d_average));
    CHECK(cudaFree(d_inv_std));
    return 0;
}
