#include "ui/theme/color.h"

#include <math.h>

static double linear(unsigned byte)
{
    const double v = byte / 255.0;
    return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
}

static unsigned gamma_byte(double v)
{
    const double s = v <= 0.0031308 ? 12.92 * v : 1.055 * pow(v, 1 / 2.4) - 0.055;
    return s <= 0 ? 0 : s >= 1 ? 255 : (unsigned)(s * 255 + 0.5);
}

/* Red, green and blue light. */
struct light {
    double r, g, b;
};

static struct light light_of(uint32_t rgb)
{
    return (struct light){linear(rgb >> 16 & 0xff), linear(rgb >> 8 & 0xff), linear(rgb & 0xff)};
}

static uint32_t rgb_of(struct light c)
{
    return gamma_byte(c.r) << 16 | gamma_byte(c.g) << 8 | gamma_byte(c.b);
}

struct lab color_lab(uint32_t rgb)
{
    const struct light c = light_of(rgb);
    const double l = cbrt(0.4122214708 * c.r + 0.5363325363 * c.g + 0.0514459929 * c.b);
    const double m = cbrt(0.2119034982 * c.r + 0.6806995451 * c.g + 0.1073969566 * c.b);
    const double s = cbrt(0.0883024619 * c.r + 0.2817188376 * c.g + 0.6299787005 * c.b);
    return (struct lab){
        0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
        1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
        0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s,
    };
}

uint32_t color_of_lab(struct lab c)
{
    const double l = pow(c.l + 0.3963377774 * c.a + 0.2158037573 * c.b, 3);
    const double m = pow(c.l - 0.1055613458 * c.a - 0.0638541728 * c.b, 3);
    const double s = pow(c.l - 0.0894841775 * c.a - 1.2914855480 * c.b, 3);
    return rgb_of((struct light){
        4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
        -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
        -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s,
    });
}

double color_distance2(struct lab x, struct lab y)
{
    const double l = x.l - y.l, a = x.a - y.a, b = x.b - y.b;
    return l * l + a * a + b * b;
}

static double luminance(uint32_t rgb)
{
    const struct light c = light_of(rgb);
    return 0.2126 * c.r + 0.7152 * c.g + 0.0722 * c.b;
}

double color_contrast(uint32_t x, uint32_t y)
{
    const double a = luminance(x) + 0.05, b = luminance(y) + 0.05;
    return a > b ? a / b : b / a;
}

const char *vision_name(enum vision vision)
{
    static const char *const names[VISIONS] = {"", "deutan", "protan", "tritan"};
    return names[vision];
}

/* Machado, Oliveira, Fernandes 2009, severity 1: dichromats, of linear light. */
uint32_t color_seen(uint32_t rgb, enum vision vision)
{
    static const double of[VISIONS][9] = {
        [VISION_NORMAL] = {1, 0, 0, 0, 1, 0, 0, 0, 1},
        [VISION_DEUTAN] = {0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.011820,
                           0.042940, 0.968881},
        [VISION_PROTAN] = {0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882,
                           -0.048116, 1.051998},
        [VISION_TRITAN] = {1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733,
                           0.691367, 0.303900},
    };
    const double *const m = of[vision];
    const struct light c = light_of(rgb);
    return rgb_of((struct light){
        m[0] * c.r + m[1] * c.g + m[2] * c.b,
        m[3] * c.r + m[4] * c.g + m[5] * c.b,
        m[6] * c.r + m[7] * c.g + m[8] * c.b,
    });
}
