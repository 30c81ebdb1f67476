// Bodies are read and written once a turn; the kinds of this program that bounce are 1 and 4.
#include <cmath>
#include <cstdio>
#include <vector>

struct Body {
    float x, y, z;
    float vx, vy, vz;
    int kind;
};

__global__ void move(Body *bodies, int n, float dt) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Body body = bodies[i];
    body.x += dt * body.vx;
    body.y += dt * body.vy;
    body.z += dt * body.vz;
    if ((body.kind == 1 || body.kind == 4) && body.y < 0) {
        body.y = -body.y;
        body.vy = -body.vy;
    }
    bodies[i] = body;
}

int main() {
    const int n = 1000;
    std::vector<Body> bodies(n);
    for (int i = 0; i < n; i++) bodies[i] = {i * 0.1f, sinf(i * 0.3f), 0, cosf(i * 0.2f), -0.5f, 0, i % 7};
    Body *device;
    cudaMalloc(&device, n * sizeof(Body));
    cudaMemcpy(device, bodies.data(), n * sizeof(Body), cudaMemcpyHostToDevice);
    for (int turn = 0; turn < 3; turn++) {
        move<<<(n + 127) / 128, 128>>>(device, n, 0.1f);
    }
    cudaMemcpy(bodies.data(), device, n * sizeof(Body), cudaMemcpyDeviceToHost);
    double sum = 0;
    for (const Body &body : bodies) sum += body.x + body.y + body.z;
    printf("sum %.4f\n", sum);
}
