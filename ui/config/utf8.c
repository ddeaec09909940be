#include "ui/config/utf8.h"

size_t utf8_decode(const char *text, uint32_t *out)
{
    const unsigned char *s = (const unsigned char *)text;
    const size_t more = s[0] < 0x80       ? 0
                        : s[0] >> 5 == 6  ? 1
                        : s[0] >> 4 == 14 ? 2
                        : s[0] >> 3 == 30 ? 3
                                          : 9;
    if (more == 9)
        return 0;
    uint32_t code = more ? s[0] & (0x3fu >> more) : s[0];
    for (size_t i = 1; i <= more; i++) {
        if (s[i] >> 6 != 2)
            return 0;
        code = code << 6 | (s[i] & 0x3f);
    }
    *out = code;
    return more + 1;
}

size_t utf8_encode(uint32_t code, char out[5])
{
    size_t count = 0;
    if (code < 0x80) {
        out[count++] = (char)code;
    } else if (code < 0x800) {
        out[count++] = (char)(0xc0 | code >> 6);
    } else if (code < 0x10000) {
        out[count++] = (char)(0xe0 | code >> 12);
        out[count++] = (char)(0x80 | (code >> 6 & 0x3f));
    } else {
        out[count++] = (char)(0xf0 | (code >> 18 & 7));
        out[count++] = (char)(0x80 | (code >> 12 & 0x3f));
        out[count++] = (char)(0x80 | (code >> 6 & 0x3f));
    }
    if (code >= 0x80)
        out[count++] = (char)(0x80 | (code & 0x3f));
    out[count] = '\0';
    return count;
}
