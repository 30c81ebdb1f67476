#pragma once

struct Sample
{
    float x;
    float y;
};
