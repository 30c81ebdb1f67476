#include <cstdio>
#include <cstdlib>
#include <exception>
#include <imgk/imgk.h>
#include "pgm.h"
#include "version.h"

int main(int argc, char **argv) try
{
    if (argc < 3) {
        std::fprintf(stderr, "imgtool %s: imgtool IMAGE TIMES [--title=TEXT]\n", IMGTOOL_VERSION);
        return 2;
    }
    Image image = read_pgm(argv[1]);
    imgk::Buffer a(image.pixels.size()), b(image.pixels.size());
    a.upload(image.pixels.data());
    for (int i = 0; i < std::atoi(argv[2]); i++) {
        imgk::blur(a.data(), b.data(), image.width, image.height);
        imgk::blur(b.data(), a.data(), image.width, image.height);
    }
    imgk::gamma(a.data(), (int)a.size(), 0.25f);
    std::printf("%s: mean %.5f\n", argc > 3 ? argv[3] : "", imgk::mean(a.data(), (int)a.size()));
    return 0;
} catch (const std::exception &e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
}
