// kernel=decay line=12 finding=KO101
struct Cell { float gain, leak; };

__global__ void decay(const Cell *cells, float *__restrict__ charges, const int *__restrict__ spikes, int neurons, int steps)
{
    const int neuron = threadIdx.x + blockIdx.x * 96;
    if (neuron < neurons) {
        const int first = neuron * steps;
        float charge = 0.0f; // of this neuron
        for (int s = 0; s < steps; s++) {
            const int at = first + s;
            charge = charge * cells[at].leak + spikes[at] * cells[at].gain;
            if (charge > 1.0f)
                charge = 0.0f;
            charges[at] = charge;
        }
    }
}

int main()
{
    Cell *cells;
    int *spikes;
    float *charges;
    cudaMalloc(&cells, 1000 * 90 * sizeof(Cell));
    cudaMalloc(&spikes, 1000 * 90 * sizeof(int));
    cudaMalloc(&charges, 1000 * 90 * sizeof(float));
    decay<<<11, 96>>>(cells, charges, spikes, 1000, 90);
    cudaDeviceSynchronize();
}
