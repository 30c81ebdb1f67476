// Direct-sum gravity, leapfrog-ish integration.
#include <cmath>
#include <iostream>
#include <string>
#include <vector>
#include "forces.cuh"

static void or_die(cudaError_t status, const std::string& doing)
{
    if (status != cudaSuccess)
    {
        std::cerr << "while " << doing << ": " << cudaGetErrorString(status) << std::endl;
        std::exit(1);
    }
}

int main(int argc, char** argv)
{
    int n = argc > 1 ? std::stoi(argv[1]) : 256;
    int steps = argc > 2 ? std::stoi(argv[2]) : 2;
    const float dt = 0.001f;

    std::vector<Body> bodies(n);
    for (int i = 0; i < n; i++)
    {
        float angle = 2.399963f * i;
        float radius = std::sqrt((i + 0.5f) / n);
        bodies[i].position = {radius * std::cos(angle), radius * std::sin(angle), 0.1f * ((i % 21) - 10) / 10.0f};
        bodies[i].velocity = {-0.5f * std::sin(angle), 0.5f * std::cos(angle), 0.0f};
        bodies[i].mass = (1.0f + i % 3) / n;
    }

    Body* device = nullptr;
    or_die(cudaMalloc(&device, n * sizeof(Body)), "allocating");
    or_die(cudaMemcpy(device, bodies.data(), n * sizeof(Body), cudaMemcpyHostToDevice), "uploading");

    int threads = 128;
    int blocks = (n + threads - 1) / threads;
    for (int step = 0; step < steps; step++)
    {
        update_velocities<<<blocks, threads>>>(device, n, dt);
        update_positions<<<blocks, threads>>>(device, n, dt);
        or_die(cudaGetLastError(), "launching");
    }
    or_die(cudaMemcpy(bodies.data(), device, n * sizeof(Body), cudaMemcpyDeviceToHost), "downloading");
    or_die(cudaFree(device), "freeing");

    double energy = 0, px = 0, py = 0, pz = 0;
    for (const Body& b : bodies)
    {
        energy += 0.5 * b.mass * ((double)b.velocity.x * b.velocity.x + (double)b.velocity.y * b.velocity.y + (double)b.velocity.z * b.velocity.z);
        px += b.mass * b.position.x;
        py += b.mass * b.position.y;
        pz += b.mass * b.position.z;
    }
    std::cout << "kinetic energy " << energy << ", centre of mass " << px << " " << py << " " << pz << std::endl;
    return 0;
}
