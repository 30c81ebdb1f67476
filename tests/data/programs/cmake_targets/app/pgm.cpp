#include "pgm.h"
#include <fstream>
#include <stdexcept>

Image read_pgm(const std::string &path)
{
    std::ifstream in(path);
    std::string magic;
    Image image;
    int most = 0;
    in >> magic >> image.width >> image.height >> most;
    if (!in || magic != "P2") throw std::runtime_error(path + ": not a plain pgm");
    image.pixels.resize(image.width * image.height);
    for (float &pixel : image.pixels) {
        int grey;
        in >> grey;
        pixel = float(grey) / most;
    }
    return image;
}
