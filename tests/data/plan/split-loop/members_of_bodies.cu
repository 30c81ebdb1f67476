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
    if (i < n) {
        Vec acc = {0.0f, 0.0f};
        for (int j = 0; j < n; j++) {
            float dx = bodies[j].position.x - bodies[i].position.x;
            float dy = bodies[j].position.y - bodies[i].position.y;
            float f = bodies[j].mass / (dx * dx + dy * dy + 0.01f);
            acc.x += f * dx;
            acc.y += f * dy;
        }
        bodies[i].velocity.x += dt * acc.x;
        bodies[i].velocity.y += dt * acc.y;
    }
}
int main() {
    Body *b;
    cudaMallocManaged(&b, 500 * sizeof(Body));
    for (int i = 0; i < 500; i++) b[i] = {{i % 13 * 0.5f, i * 0.25f}, {0, 0}, 1.0f};
    pull<<<(500 + 127) / 128, 128>>>(b, 500, 0.1f);
    cudaDeviceSynchronize();
    printf("%f\n", b[3].velocity.x);
}
