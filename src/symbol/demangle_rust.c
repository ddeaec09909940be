/* Rust's names. The older kind is C++'s nesting with a hash at the end and "$LT$" for
 * what C++ has no letters for; the newer ("v0") is a grammar of its own, RFC 2603:
 *
 *   _R path …      path:  C name | N ns path name | M impl type | X impl type path | Y type path
 *                         | I path args E | B backref
 *   name: [s base62 _] [u] length [_] bytes
 *
 * Names come from files nobody vouches for: depth, steps and output are bounded, and a back
 * reference must point backwards. What does not parse stays mangled. */
#include "src/symbol/demangle.h"

#include "src/symbol/demangle_rust.h"

#include <stdint.h>
#include <string.h>

/* ---- output ---------------------------------------------------------------------------- */

/* ---- v0: loads ---------------------------------------------------------------------------- */

static char peek(const struct rust *r)
{
    return r->at < r->end ? *r->at : '\0';
}

static char take(struct rust *r)
{
    if (r->at == r->end || ++r->steps > STEPS) {
        r->is_bad = true;
        return '\0';
    }
    return *r->at++;
}

static bool take_if(struct rust *r, char c)
{
    if (peek(r) != c)
        return false;
    r->at++;
    return true;
}

static uint64_t base62(struct rust *r)
{
    uint64_t n = 0;
    if (take_if(r, '_'))
        return 0;
    while (!r->is_bad) {
        const char c = take(r);
        if (c == '_')
            return n + 1;
        const uint64_t digit = c >= '0' && c <= '9'   ? (uint64_t)(c - '0')
                               : c >= 'a' && c <= 'z' ? (uint64_t)(c - 'a' + 10)
                               : c >= 'A' && c <= 'Z' ? (uint64_t)(c - 'A' + 36)
                                                      : 62;
        if (digit == 62 || n > (UINT64_MAX - digit) / 62)
            r->is_bad = true;
        n = n * 62 + digit;
    }
    return 0;
}

static uint64_t disambiguator(struct rust *r)
{
    return take_if(r, 's') ? base62(r) + 1 : 0;
}

/* An identifier; the bytes of a Punycode one are shown as they stand. */
static void identifier(struct rust *r, uint64_t *number, const char **text, size_t *bytes)
{
    *number = disambiguator(r);
    take_if(r, 'u');
    size_t length = 0;
    const bool is_zero = peek(r) == '0';
    r->is_bad |= peek(r) < '0' || peek(r) > '9';
    while (peek(r) >= '0' && peek(r) <= '9' && length < 65536 && !(is_zero && length)) {
        length = length * 10 + (size_t)(take(r) - '0');
        if (is_zero)
            break;
    }
    take_if(r, '_');
    if (length > (size_t)(r->end - r->at)) {
        r->is_bad = true;
        length = 0;
    }
    *text = r->at;
    *bytes = length;
    r->at += length;
}

/* ---- v0: the grammar ------------------------------------------------------------------------ */

static void path(struct rust *r, bool is_value);
static void type(struct rust *r);
static void constant(struct rust *r);

static bool enter(struct rust *r)
{
    if (r->is_bad || ++r->depth > DEPTH || ++r->steps > STEPS) {
        r->is_bad = true;
        return false;
    }
    return true;
}

/* Goes back to what a reference points to, and returns. */
static void refer(struct rust *r, const char *from, void (*read)(struct rust *r))
{
    const uint64_t to = base62(r);
    const char *const after = r->at;
    if (r->is_bad || to >= (uint64_t)(from - r->start)) {
        r->is_bad = true;
        return;
    }
    if (r->is_quiet)
        return;
    r->at = r->start + to;
    read(r);
    r->at = after;
}

static void path_type(struct rust *r)
{
    path(r, false);
}

static void path_value(struct rust *r)
{
    path(r, true);
}

static void lifetime(struct rust *r)
{
    const uint64_t index = base62(r);
    puts_(r, "'");
    if (!index || index > r->lifetimes) {
        puts_(r, "_");
        return;
    }
    const char c = (char)('a' + (r->lifetimes - index) % 26);
    put(r, &c, 1);
}

static void argument(struct rust *r)
{
    if (take_if(r, 'L'))
        lifetime(r);
    else if (take_if(r, 'K'))
        constant(r);
    else
        type(r);
}

static void arguments(struct rust *r)
{
    puts_(r, "<");
    for (bool is_first = true; !r->is_bad && !take_if(r, 'E'); is_first = false) {
        if (!is_first)
            puts_(r, ", ");
        argument(r);
    }
    puts_(r, ">");
}

/* Where an impl stands is not shown. */
static void implementation(struct rust *r)
{
    const bool was_quiet = r->is_quiet;
    disambiguator(r);
    r->is_quiet = true;
    path(r, false);
    r->is_quiet = was_quiet;
}

static void type_as_trait(struct rust *r)
{
    puts_(r, "<");
    type(r);
    puts_(r, " as ");
    path(r, false);
    puts_(r, ">");
}

static void nested(struct rust *r, bool is_value)
{
    const char space = take(r);
    uint64_t number;
    const char *text;
    size_t bytes;
    path(r, is_value);
    identifier(r, &number, &text, &bytes);
    if (space >= 'A' && space <= 'Z') { /* what has no name of its own */
        puts_(r, "::{");
        if (space == 'C' || space == 'S')
            puts_(r, space == 'C' ? "closure" : "shim");
        else
            put(r, &space, 1);
        if (bytes) {
            puts_(r, ":");
            put(r, text, bytes);
        }
        puts_(r, "#");
        put_number(r, number);
        puts_(r, "}");
    } else if (bytes) {
        puts_(r, "::");
        put(r, text, bytes);
    }
}

static void path(struct rust *r, bool is_value)
{
    if (!enter(r))
        return;
    const char *const from = r->at;
    uint64_t number;
    const char *text;
    size_t bytes;
    switch (take(r)) {
    case 'C':
        identifier(r, &number, &text, &bytes);
        put(r, text, bytes);
        break;
    case 'N':
        nested(r, is_value);
        break;
    case 'M':
        implementation(r);
        puts_(r, "<");
        type(r);
        puts_(r, ">");
        break;
    case 'X':
        implementation(r);
        type_as_trait(r);
        break;
    case 'Y':
        type_as_trait(r);
        break;
    case 'I':
        path(r, is_value);
        if (is_value)
            puts_(r, "::");
        arguments(r);
        break;
    case 'B':
        refer(r, from, is_value ? path_value : path_type);
        break;
    default:
        r->is_bad = true;
    }
    r->depth--;
}

static const char *const basic[26] = {
    ['a' - 'a'] = "i8",    ['b' - 'a'] = "bool", ['c' - 'a'] = "char", ['d' - 'a'] = "f64",
    ['e' - 'a'] = "str",   ['f' - 'a'] = "f32",  ['h' - 'a'] = "u8",   ['i' - 'a'] = "isize",
    ['j' - 'a'] = "usize", ['l' - 'a'] = "i32",  ['m' - 'a'] = "u32",  ['n' - 'a'] = "i128",
    ['o' - 'a'] = "u128",  ['s' - 'a'] = "i16",  ['t' - 'a'] = "u16",  ['u' - 'a'] = "()",
    ['v' - 'a'] = "...",   ['x' - 'a'] = "i64",  ['y' - 'a'] = "u64",  ['z' - 'a'] = "!",
    ['p' - 'a'] = "_",
};

static void reference(struct rust *r, bool is_mutable)
{
    puts_(r, "&");
    if (take_if(r, 'L')) {
        lifetime(r);
        puts_(r, " ");
    }
    if (is_mutable)
        puts_(r, "mut ");
    type(r);
}

static void tuple(struct rust *r)
{
    unsigned count = 0;
    puts_(r, "(");
    for (; !r->is_bad && !take_if(r, 'E'); count++) {
        if (count)
            puts_(r, ", ");
        type(r);
    }
    puts_(r, count == 1 ? ",)" : ")");
}

/* "for<'a>": how many lifetimes it binds. */
static unsigned binder(struct rust *r)
{
    if (!take_if(r, 'G'))
        return 0;
    const uint64_t count = base62(r) + 1;
    if (count > 64) {
        r->is_bad = true;
        return 0;
    }
    puts_(r, "for<");
    for (unsigned i = 0; i < count; i++) {
        const char c = (char)('a' + r->lifetimes++ % 26);
        puts_(r, i ? ", '" : "'");
        put(r, &c, 1);
    }
    puts_(r, "> ");
    return (unsigned)count;
}

static void function(struct rust *r)
{
    const unsigned bound = binder(r);
    if (take_if(r, 'U'))
        puts_(r, "unsafe ");
    if (take_if(r, 'K')) {
        puts_(r, "extern \"");
        if (take_if(r, 'C')) {
            puts_(r, "C");
        } else {
            uint64_t number;
            const char *text;
            size_t bytes;
            identifier(r, &number, &text, &bytes);
            put(r, text, bytes);
        }
        puts_(r, "\" ");
    }
    puts_(r, "fn(");
    for (bool is_first = true; !r->is_bad && !take_if(r, 'E'); is_first = false) {
        if (!is_first)
            puts_(r, ", ");
        type(r);
    }
    puts_(r, ")");
    if (!take_if(r, 'u')) {
        puts_(r, " -> ");
        type(r);
    }
    r->lifetimes -= bound;
}

/* A trait of a trait object, with what its associated types are. */
static void bound_trait(struct rust *r)
{
    path(r, false);
    while (!r->is_bad && take_if(r, 'p')) {
        uint64_t number;
        const char *text;
        size_t bytes;
        identifier(r, &number, &text, &bytes);
        const bool has_some = !r->is_quiet && r->used && r->out[r->used - 1] == '>';
        r->used -= has_some; /* they stand with the path's own */
        puts_(r, has_some ? ", " : "<");
        put(r, text, bytes);
        puts_(r, " = ");
        type(r);
        puts_(r, ">");
    }
}

static void object(struct rust *r)
{
    puts_(r, "dyn ");
    const unsigned bound = binder(r);
    for (bool is_first = true; !r->is_bad && !take_if(r, 'E'); is_first = false) {
        if (!is_first)
            puts_(r, " + ");
        bound_trait(r);
    }
    r->lifetimes -= bound;
    if (!take_if(r, 'L')) {
        r->is_bad = true;
        return;
    }
    if (peek(r) != '_') {
        puts_(r, " + ");
        lifetime(r);
    } else {
        base62(r);
    }
}

static void array(struct rust *r, bool has_length)
{
    puts_(r, "[");
    type(r);
    if (has_length) {
        puts_(r, "; ");
        constant(r);
    }
    puts_(r, "]");
}

static void type(struct rust *r)
{
    if (!enter(r))
        return;
    const char *const from = r->at;
    const char c = take(r);
    if (c >= 'a' && c <= 'z' && basic[c - 'a']) {
        puts_(r, basic[c - 'a']);
        r->depth--;
        return;
    }
    switch (c) {
    case 'A':
        array(r, true);
        break;
    case 'S':
        array(r, false);
        break;
    case 'T':
        tuple(r);
        break;
    case 'R':
        reference(r, false);
        break;
    case 'Q':
        reference(r, true);
        break;
    case 'P':
        puts_(r, "*const ");
        type(r);
        break;
    case 'O':
        puts_(r, "*mut ");
        type(r);
        break;
    case 'F':
        function(r);
        break;
    case 'D':
        object(r);
        break;
    case 'B':
        refer(r, from, type);
        break;
    default:
        r->at = from; /* a path */
        path(r, false);
    }
    r->depth--;
}

/* Hexadecimal as it stands where it is large; small ones as people write them. */
static void put_constant(struct rust *r, const char *digits, size_t bytes)
{
    uint64_t n = 0;
    for (size_t i = 0; i < bytes && bytes <= 15; i++) {
        const unsigned digit = digits[i] >= '0' && digits[i] <= '9' ? (unsigned)(digits[i] - '0')
                               : digits[i] >= 'a' && digits[i] <= 'f'
                                   ? (unsigned)(digits[i] - 'a' + 10)
                                   : 16;
        r->is_bad |= digit == 16;
        n = n << 4 | digit;
    }
    if (bytes <= 15) {
        put_number(r, n);
        return;
    }
    puts_(r, "0x");
    put(r, digits, bytes);
}

static void constant(struct rust *r)
{
    if (!enter(r))
        return;
    const char *const from = r->at;
    const char c = take(r);
    if (c == 'B') {
        refer(r, from, constant);
    } else if (c == 'p') {
        puts_(r, "_");
    } else if (c >= 'a' && c <= 'z') {
        if (take_if(r, 'n'))
            puts_(r, "-");
        const char *const digits = r->at;
        while (!r->is_bad && peek(r) != '_')
            take(r);
        const size_t bytes = (size_t)(r->at - digits);
        take_if(r, '_');
        if (c == 'b') {
            puts_(r, bytes == 1 && *digits == '1' ? "true" : "false");
        } else {
            put_constant(r, digits, bytes);
        }
    } else {
        r->is_bad = true;
    }
    r->depth--;
}

static bool newer(const char *name, struct rust *r)
{
    r->at = r->start = name + 2;
    r->end = r->at + strcspn(r->at, "."); /* what compilers add is no part of it */
    path(r, true);
    if (!r->is_bad && r->at < r->end) { /* the crate that made it is not shown */
        r->is_quiet = true;
        path(r, false);
    }
    return !r->is_bad && r->at == r->end && r->used > 0;
}

bool demangle_rust(const char *name, char *out, size_t room)
{
    struct rust r = {.out = out, .room = room};
    out[0] = '\0';
    if (strncmp(name, "_ZN", 3) == 0)
        return demangle_rust_older(name, &r);
    return strncmp(name, "_R", 2) == 0 && newer(name, &r);
}
