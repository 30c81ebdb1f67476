#include <cstdio>
#include <cstdlib>

namespace physics {

constexpr int kThreads = 128;

struct Spring {
    float stiffness;
    float rest;

    static __device__ float force(float a, float b, const Spring& s)
    {
        float d = b - a;
        float len = d < 0 ? -d : d;
        return len > 0 ? s.stiffness * (len - s.rest) * d / len : 0.0f;
    }
};

namespace detail {

__global__ void accelerate(const float* position, float* velocity, Spring spring, float dt, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float f = 0.0f;
        for (int j = 0; j < n; ++j) {
            f += Spring::force(position[i], position[j], spring);
        }
        velocity[i] += f * dt;
    }
}

}  // namespace detail

void step(const float* position, float* velocity, Spring spring, float dt, int n)
{
    detail::accelerate<<<(n + kThreads - 1) / kThreads, kThreads>>>(position, velocity, spring, dt, n);
}

}  // namespace physics

int main()
{
    const int n = 512;
    float* host = (float*)malloc(n * sizeof(float));
    for (int i = 0; i < n; ++i) host[i] = (i * 37 % 101) * 0.01f;
    float *position, *velocity;
    cudaMalloc((void**)&position, n * sizeof(float));
    cudaMalloc((void**)&velocity, n * sizeof(float));
    cudaMemset(velocity, 0, n * sizeof(float));
    cudaMemcpy(position, host, n * sizeof(float), cudaMemcpyHostToDevice);
    physics::Spring spring{2.0f, 0.1f};
    physics::step(position, velocity, spring, 0.01f, n);
    cudaMemcpy(host, velocity, n * sizeof(float), cudaMemcpyDeviceToHost);
    float sum = 0;
    for (int i = 0; i < n; ++i) sum += host[i];
    printf("%f\n", sum);
    return 0;
}
