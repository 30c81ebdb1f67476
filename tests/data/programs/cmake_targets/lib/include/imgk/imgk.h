#ifndef IMGK_H
#define IMGK_H
#include <cstddef>
#ifndef IMGK_BLOCK
#error "link to the imgk target, it brings IMGK_BLOCK"
#endif
namespace imgk {

class Buffer {
public:
    explicit Buffer(std::size_t count);
    ~Buffer();
    void upload(const float *from);
    void download(float *to) const;
    float *data() { return device_; }
    std::size_t size() const { return count_; }
private:
    Buffer(const Buffer &);
    std::size_t count_;
    float *device_;
};

void blur(const float *in, float *out, int width, int height);
void gamma(float *pixels, int n, float strength);
float mean(const float *pixels, int n);

} // namespace imgk
#endif
