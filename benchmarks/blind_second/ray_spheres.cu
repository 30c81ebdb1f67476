/*
 * weekend raytracer, now on the GPU!!
 *
 *   ray_spheres [width] [height] [number of spheres]
 *
 * one thread = one pixel, spheres + checkerboard floor, hard shadows, two bounces
 */
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>

struct Vec {
    float x, y, z;
    __host__ __device__ Vec() : x(0), y(0), z(0) {}
    __host__ __device__ Vec(float a, float b, float c) : x(a), y(b), z(c) {}
    __host__ __device__ Vec operator+(Vec o) const { return Vec(x + o.x, y + o.y, z + o.z); }
    __host__ __device__ Vec operator-(Vec o) const { return Vec(x - o.x, y - o.y, z - o.z); }
    __host__ __device__ Vec operator*(float s) const { return Vec(x * s, y * s, z * s); }
    __host__ __device__ float dot(Vec o) const { return x * o.x + y * o.y + z * o.z; }
    __host__ __device__ Vec unit() const { return *this * (1.0 / sqrt(x * x + y * y + z * z)); }
};

struct Sphere {
    Vec center;
    float radius;
    Vec color;
    float mirror;
};

struct Hit {
    float t;
    int   id;      // -1 nothing, -2 floor
    Vec   p, n;
};

#define MAX_BOUNCES 2

__device__ float intersect(const Sphere &s, Vec o, Vec d)
{
    Vec oc = o - s.center;
    float a = d.dot(d);
    float b = 2.0 * oc.dot(d);
    float c = oc.dot(oc) - s.radius * s.radius;
    float disc = b * b - 4.0 * a * c;
    if (disc < 0) return -1;
    float t = (-b - sqrt(disc)) / (2.0 * a);
    if (t > 1e-3) return t;
    t = (-b + sqrt(disc)) / (2.0 * a);
    if (t > 1e-3) return t;
    return -1;
}

__device__ Hit trace(const Sphere *spheres, int n, Vec o, Vec d)
{
    Hit h;
    h.t = 1e20f;
    h.id = -1;
    for (int i = 0; i < n; i++) {
        Sphere s = spheres[i];
        float t = intersect(s, o, d);
        if (t > 0 && t < h.t) {
            h.t = t;
            h.id = i;
        }
    }
    if (d.y < 0) {
        float t = -o.y / d.y;
        if (t > 1e-3 && t < h.t) {
            h.t = t;
            h.id = -2;
        }
    }
    if (h.id != -1) {
        h.p = o + d * h.t;
        h.n = h.id >= 0 ? (h.p - spheres[h.id].center).unit() : Vec(0, 1, 0);
    }
    return h;
}

__device__ bool shadowed(const Sphere *spheres, int n, Vec p, Vec light)
{
    bool dark = false;
    for (int i = 0; i < n; i++)
        if (intersect(spheres[i], p, light) > 0) dark = true;
    return dark;
}

__global__ void render(Vec *frame, const Sphere *spheres, int n, int w, int h)
{
    int px = blockIdx.x * blockDim.x + threadIdx.x;
    int py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= w || py >= h) return;

    Vec o(0.3, 2, -9);
    Vec d = Vec((px + 0.5 - w / 2.0) / h, (h / 2.0 - py - 0.5) / h - 0.13, 1.0).unit();
    Vec light = Vec(0.5, 0.9, -0.4).unit();
    Vec color;
    float weight = 1;

    for (int bounce = 0; bounce <= MAX_BOUNCES; bounce++) {
        Hit hit = trace(spheres, n, o, d);
        if (hit.id == -1) {                       // sky
            color = color + Vec(0.5, 0.7, 1.0) * (weight * (0.4 + 0.6 * fabs(d.y)));
            break;
        }
        Vec base;
        float mirror;
        if (hit.id == -2) {
            int odd = ((int)floor(hit.p.x) + (int)floor(hit.p.z)) & 1;
            base = odd ? Vec(0.9, 0.9, 0.9) : Vec(0.15, 0.15, 0.2);
            mirror = 0.1;
        } else {
            base = spheres[hit.id].color;
            mirror = spheres[hit.id].mirror;
        }
        float diffuse = hit.n.dot(light);
        if (diffuse < 0 || shadowed(spheres, n, hit.p, light)) diffuse = 0;
        color = color + base * (weight * (1 - mirror) * (0.15 + 0.85 * diffuse));
        weight = weight * mirror;
        o = hit.p;
        d = d - hit.n * (2 * d.dot(hit.n));
    }
    frame[py * w + px] = color;
}

__global__ void tonemap(const Vec *frame, unsigned char *out, int w, int h)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < w * h) {
        out[i * 3 + 0] = 255.99 * pow(fmin(frame[i].x, 1.0f), 1.0 / 2.2);
        out[i * 3 + 1] = 255.99 * pow(fmin(frame[i].y, 1.0f), 1.0 / 2.2);
        out[i * 3 + 2] = 255.99 * pow(fmin(frame[i].z, 1.0f), 1.0 / 2.2);
    }
}

static unsigned state = 2024;
static float rnd()
{
    state = state * 1103515245u + 12345u;
    return (state >> 16 & 0x7fff) / 32768.0f;
}

int main(int argc, char **argv)
{
    int w = argc > 1 ? atoi(argv[1]) : 640;
    int h = argc > 2 ? atoi(argv[2]) : 480;
    int n = argc > 3 ? atoi(argv[3]) : 32;

    std::vector<Sphere> scene(n);
    for (int i = 0; i < n; i++) {
        Sphere &s = scene[i];
        s.radius = 0.3f + 0.6f * rnd();
        s.center.x = -7 + 14 * rnd();
        s.center.y = s.radius + 2 * rnd();
        s.center.z = -3 + 12 * rnd();
        s.color.x = 0.2f + 0.8f * rnd();
        s.color.y = 0.2f + 0.8f * rnd();
        s.color.z = 0.2f + 0.8f * rnd();
        s.mirror = i % 3 == 0 ? 0.6f : 0.05f;
    }

    Sphere *d_spheres;
    Vec *d_frame;
    unsigned char *d_out;
    cudaMalloc(&d_spheres, n * sizeof(Sphere));
    cudaMalloc(&d_frame, (size_t)w * h * sizeof(Vec));
    cudaMalloc(&d_out, (size_t)w * h * 3);
    cudaMemcpy(d_spheres, scene.data(), n * sizeof(Sphere), cudaMemcpyHostToDevice);

    dim3 threads(8, 8);
    render<<<dim3((w + 7) / 8, (h + 7) / 8), threads>>>(d_frame, d_spheres, n, w, h);
    tonemap<<<(w * h + 255) / 256, 256>>>(d_frame, d_out, w, h);
    cudaError_t e = cudaDeviceSynchronize();
    if (e != cudaSuccess) {
        printf("oh no: %s\n", cudaGetErrorString(e));
        return 1;
    }

    std::vector<unsigned char> image((size_t)w * h * 3);
    cudaMemcpy(image.data(), d_out, image.size(), cudaMemcpyDeviceToHost);
    double mean[3] = {0, 0, 0};
    for (size_t i = 0; i < image.size(); i++) mean[i % 3] += image[i];
    printf("%d x %d, %d spheres\n", w, h, n);
    printf("mean colour %.1f %.1f %.1f\n", mean[0] / w / h, mean[1] / w / h, mean[2] / w / h);
    for (int k = 1; k < 4; k++) {
        size_t i = 3 * ((size_t)(h * k / 4) * w + w * k / 5);
        printf("pixel %d: %d %d %d\n", k, image[i], image[i + 1], image[i + 2]);
    }

    cudaFree(d_spheres);
    cudaFree(d_frame);
    cudaFree(d_out);
    return 0;
}
