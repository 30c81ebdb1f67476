// Bodies move, and those of some kinds bounce off the floor.
#include <cmath>
#include <cstdio>
#include <vector>

struct Body {
    float x, y, z;
    float vx, vy, vz;
    int kind;
};

__global__ void push(Body *bodies, int n, float dt) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    bodies[i].x += dt * bodies[i].vx;
    bodies[i].y += dt * bodies[i].vy;
    bodies[i].z += dt * bodies[i].vz;
}

__global__ void bounce(Body *bodies, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || bodies[i].kind % 3 != 1 || bodies[i].y >= 0) return;
    bodies[i].y = -bodies[i].y;
    bodies[i].vy = -bodies[i].vy;
}

int main() {
    const int n = 1000;
    std::vector<Body> bodies(n);
    for (int i = 0; i < n; i++) bodies[i] = {i * 0.1f, sinf(i * 0.3f), 0, cosf(i * 0.2f), -0.5f, 0, i % 7};
    Body *device;
    cudaMalloc(&device, n * sizeof(Body));
    cudaMemcpy(device, bodies.data(), n * sizeof(Body), cudaMemcpyHostToDevice);
    for (int turn = 0; turn < 3; turn++) {
        push<<<(n + 127) / 128, 128>>>(device, n, 0.1f);
        bounce<<<(n + 127) / 128, 128>>>(device, n);
    }
    cudaMemcpy(bodies.data(), device, n * sizeof(Body), cudaMemcpyDeviceToHost);
    double sum = 0;
    for (const Body &body : bodies) sum += body.x + body.y + body.z;
    printf("sum %.4f\n", sum);
}
