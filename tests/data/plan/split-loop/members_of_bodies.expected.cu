// kernel=pull line=14 finding=KO111
#include <cstdio>
struct Vec { float x, y; };
struct Body {
    Vec position;
    Vec velocity;
    float mass;
};
__global__ void pull(Body *bodies, int n, float dt) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    Vec acc = {0.0f, 0.0f};
    if (i < n)
        for (int j = threadIdx.y; j < n; j += 16) {
            float dx = bodies[j].position.x - bodies[i].position.x;
            float dy = bodies[j].position.y - bodies[i].position.y;
            float f = bodies[j].mass / (dx * dx + dy * dy + 0.01f);
            acc.x += f * dx;
            acc.y += f * dy;
        }
    __shared__ float acc_x_parts[16][32];
    __shared__ float acc_y_parts[16][32];
    acc_x_parts[threadIdx.y][threadIdx.x] = acc.x;
    acc_y_parts[threadIdx.y][threadIdx.x] = acc.y;
    __syncthreads();
    acc.x = acc_x_parts[0][threadIdx.x];
    acc.y = acc_y_parts[0][threadIdx.x];
    for (int part = 1; part < 16; part++) {
        acc.x += acc_x_parts[part][threadIdx.x];
        acc.y += acc_y_parts[part][threadIdx.x];
    }
    if (threadIdx.y == 0 && i < n) {
        bodies[i].velocity.x += dt * acc.x;
        bodies[i].velocity.y += dt * acc.y;
    }
}
int main() {
    Body *b;
    cudaMallocManaged(&b, 500 * sizeof(Body));
    for (int i = 0; i < 500; i++) b[i] = {{i % 13 * 0.5f, i * 0.25f}, {0, 0}, 1.0f};
    pull<<<(500 + 31) / 32, dim3(32, 16)>>>(b, 500, 0.1f);
    cudaDeviceSynchronize();
    printf("%f\n", b[3].velocity.x);
}
