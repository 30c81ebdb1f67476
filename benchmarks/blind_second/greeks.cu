// Prices and Greeks of European options, summed by book. For the overnight risk report.
// greeks <options> <options per book>
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
using namespace std;

struct Option
{
    double S;       // spot
    double K;       // strike
    double r;       // rate
    double q;       // dividend yield
    double sigma;   // volatility
    double T;       // years
    double position;
    int    isCall;
};

struct Greeks
{
    double price;
    double delta;
    double gamma;
    double vega;
    double theta;
    double rho;
};

__device__ double N(double x)
{
    return 0.5 * erfc(-x / sqrt(2.0));
}

__device__ double n(double x)
{
    return exp(-pow(x, 2.0) / 2.0) / sqrt(2.0 * 3.14159265358979);
}

__device__ double d1(Option o)
{
    return (log(o.S / o.K) + (o.r - o.q + pow(o.sigma, 2.0) / 2.0) * o.T) / (o.sigma * sqrt(o.T));
}

__device__ double d2(Option o)
{
    return d1(o) - o.sigma * sqrt(o.T);
}

__global__ void computeGreeks(Option *options, Greeks *greeks, int count)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i < count)
    {
        Option o = options[i];
        Greeks g;
        if (o.isCall)
        {
            g.price = o.S * exp(-o.q * o.T) * N(d1(o)) - o.K * exp(-o.r * o.T) * N(d2(o));
            g.delta = exp(-o.q * o.T) * N(d1(o));
            g.theta = -o.S * exp(-o.q * o.T) * n(d1(o)) * o.sigma / (2.0 * sqrt(o.T))
                      - o.r * o.K * exp(-o.r * o.T) * N(d2(o))
                      + o.q * o.S * exp(-o.q * o.T) * N(d1(o));
            g.rho = o.K * o.T * exp(-o.r * o.T) * N(d2(o));
        }
        else
        {
            g.price = o.K * exp(-o.r * o.T) * N(-d2(o)) - o.S * exp(-o.q * o.T) * N(-d1(o));
            g.delta = -exp(-o.q * o.T) * N(-d1(o));
            g.theta = -o.S * exp(-o.q * o.T) * n(d1(o)) * o.sigma / (2.0 * sqrt(o.T))
                      + o.r * o.K * exp(-o.r * o.T) * N(-d2(o))
                      - o.q * o.S * exp(-o.q * o.T) * N(-d1(o));
            g.rho = -o.K * o.T * exp(-o.r * o.T) * N(-d2(o));
        }
        g.gamma = exp(-o.q * o.T) * n(d1(o)) / (o.S * o.sigma * sqrt(o.T));
        g.vega = o.S * exp(-o.q * o.T) * n(d1(o)) * sqrt(o.T);
        greeks[i] = g;
    }
}

// one thread sums one book
__global__ void sumBooks(Option *options, Greeks *greeks, Greeks *books, int count, int perBook, int bookCount)
{
    int b = threadIdx.x + blockIdx.x * blockDim.x;
    if (b >= bookCount) return;
    Greeks sum = {0, 0, 0, 0, 0, 0};
    for (int i = b * perBook; i < (b + 1) * perBook && i < count; i++)
    {
        sum.price += options[i].position * greeks[i].price;
        sum.delta += options[i].position * greeks[i].delta;
        sum.gamma += options[i].position * greeks[i].gamma;
        sum.vega  += options[i].position * greeks[i].vega;
        sum.theta += options[i].position * greeks[i].theta;
        sum.rho   += options[i].position * greeks[i].rho;
    }
    books[b] = sum;
}

double uniform(unsigned long long &s, double a, double b)
{
    s = s * 6364136223846793005ULL + 1442695040888963407ULL;
    return a + (b - a) * ((s >> 33) / 2147483648.0);
}

int main(int argc, char *argv[])
{
    int count = argc > 1 ? atoi(argv[1]) : 100000;
    int perBook = argc > 2 ? atoi(argv[2]) : 500;
    int bookCount = (count + perBook - 1) / perBook;

    vector<Option> options(count);
    vector<Greeks> greeks(count), books(bookCount);
    unsigned long long seed = 42;
    for (int i = 0; i < count; i++)
    {
        options[i].S = uniform(seed, 50, 150);
        options[i].K = options[i].S * uniform(seed, 0.7, 1.3);
        options[i].r = uniform(seed, 0.0, 0.05);
        options[i].q = uniform(seed, 0.0, 0.03);
        options[i].sigma = uniform(seed, 0.1, 0.6);
        options[i].T = uniform(seed, 0.05, 3.0);
        options[i].position = floor(uniform(seed, -50, 100));
        options[i].isCall = uniform(seed, 0, 1) < 0.5;
    }

    Option *dOptions;
    Greeks *dGreeks, *dBooks;
    cudaMalloc(&dOptions, count * sizeof(Option));
    cudaMalloc(&dGreeks, count * sizeof(Greeks));
    cudaMalloc(&dBooks, bookCount * sizeof(Greeks));
    cudaMemcpy(dOptions, options.data(), count * sizeof(Option), cudaMemcpyHostToDevice);

    computeGreeks<<<(count + 255) / 256, 256>>>(dOptions, dGreeks, count);
    sumBooks<<<(bookCount + 63) / 64, 64>>>(dOptions, dGreeks, dBooks, count, perBook, bookCount);

    cudaMemcpy(greeks.data(), dGreeks, count * sizeof(Greeks), cudaMemcpyDeviceToHost);
    cudaMemcpy(books.data(), dBooks, bookCount * sizeof(Greeks), cudaMemcpyDeviceToHost);
    if (cudaGetLastError() != cudaSuccess)
    {
        printf("CUDA failed\n");
        return -1;
    }

    Greeks total = {0, 0, 0, 0, 0, 0};
    for (int b = 0; b < bookCount; b++)
    {
        total.price += books[b].price;
        total.delta += books[b].delta;
        total.gamma += books[b].gamma;
        total.vega  += books[b].vega;
        total.theta += books[b].theta;
        total.rho   += books[b].rho;
    }
    printf("option 0: price %.6f delta %.6f gamma %.6f vega %.4f theta %.4f rho %.4f\n", greeks[0].price, greeks[0].delta,
           greeks[0].gamma, greeks[0].vega, greeks[0].theta, greeks[0].rho);
    printf("last book: price %.4f delta %.4f\n", books[bookCount - 1].price, books[bookCount - 1].delta);
    printf("total: price %.2f delta %.2f gamma %.4f vega %.2f theta %.2f rho %.2f\n", total.price, total.delta, total.gamma,
           total.vega, total.theta, total.rho);

    cudaFree(dOptions);
    cudaFree(dGreeks);
    cudaFree(dBooks);
    return 0;
}
