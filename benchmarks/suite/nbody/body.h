#pragma once

struct Vec3
{
    float x, y, z;
};

struct Body
{
    Vec3 position;
    Vec3 velocity;
    float mass;
};
