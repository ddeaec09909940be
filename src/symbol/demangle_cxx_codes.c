#include "src/symbol/demangle_cxx_codes.h"

static const struct cxx_operator operators[] = {
    {"aN", CXX_BINARY_OPERATOR, "&=", NULL},
    {"aS", CXX_BINARY_OPERATOR, "=", NULL},
    {"aa", CXX_BINARY_OPERATOR, "&&", NULL},
    {"ad", CXX_UNARY_OPERATOR, "&", NULL},
    {"an", CXX_BINARY_OPERATOR, "&", NULL},
    {"at", CXX_SPECIAL_OPERATOR, "alignof ", NULL},
    {"aw", CXX_UNARY_OPERATOR, "co_await ", "co_await"},
    {"az", CXX_SPECIAL_OPERATOR, "alignof ", NULL},
    {"cl", CXX_SPECIAL_OPERATOR, "()", NULL},
    {"cm", CXX_BINARY_OPERATOR, ",", NULL},
    {"co", CXX_UNARY_OPERATOR, "~", NULL},
    {"dV", CXX_BINARY_OPERATOR, "/=", NULL},
    {"dX", CXX_SPECIAL_OPERATOR, "[...]=", NULL},
    {"da", CXX_UNARY_OPERATOR, "delete[] ", "delete[]"},
    {"de", CXX_UNARY_OPERATOR, "*", NULL},
    {"dl", CXX_UNARY_OPERATOR, "delete ", "delete"},
    {"ds", CXX_BINARY_OPERATOR, ".*", NULL},
    {"dt", CXX_BINARY_OPERATOR, ".", NULL},
    {"dv", CXX_BINARY_OPERATOR, "/", NULL},
    {"eO", CXX_BINARY_OPERATOR, "^=", NULL},
    {"eo", CXX_BINARY_OPERATOR, "^", NULL},
    {"eq", CXX_BINARY_OPERATOR, "==", NULL},
    {"ge", CXX_BINARY_OPERATOR, ">=", NULL},
    {"gt", CXX_BINARY_OPERATOR, ">", NULL},
    {"ix", CXX_SPECIAL_OPERATOR, "[]", NULL},
    {"lS", CXX_BINARY_OPERATOR, "<<=", NULL},
    {"le", CXX_BINARY_OPERATOR, "<=", NULL},
    {"ls", CXX_BINARY_OPERATOR, "<<", NULL},
    {"lt", CXX_BINARY_OPERATOR, "<", NULL},
    {"mI", CXX_BINARY_OPERATOR, "-=", NULL},
    {"mL", CXX_BINARY_OPERATOR, "*=", NULL},
    {"mi", CXX_BINARY_OPERATOR, "-", NULL},
    {"ml", CXX_BINARY_OPERATOR, "*", NULL},
    {"mm", CXX_STEP_OPERATOR, "--", NULL},
    {"na", CXX_SPECIAL_OPERATOR, "new[]", NULL},
    {"ne", CXX_BINARY_OPERATOR, "!=", NULL},
    {"ng", CXX_UNARY_OPERATOR, "-", NULL},
    {"nt", CXX_UNARY_OPERATOR, "!", NULL},
    {"nw", CXX_SPECIAL_OPERATOR, "new", NULL},
    {"oR", CXX_BINARY_OPERATOR, "|=", NULL},
    {"oo", CXX_BINARY_OPERATOR, "||", NULL},
    {"or", CXX_BINARY_OPERATOR, "|", NULL},
    {"pL", CXX_BINARY_OPERATOR, "+=", NULL},
    {"pl", CXX_BINARY_OPERATOR, "+", NULL},
    {"pm", CXX_BINARY_OPERATOR, "->*", NULL},
    {"pp", CXX_STEP_OPERATOR, "++", NULL},
    {"ps", CXX_UNARY_OPERATOR, "+", NULL},
    {"pt", CXX_BINARY_OPERATOR, "->", NULL},
    {"qu", CXX_SPECIAL_OPERATOR, "?", NULL},
    {"rM", CXX_BINARY_OPERATOR, "%=", NULL},
    {"rS", CXX_BINARY_OPERATOR, ">>=", NULL},
    {"rm", CXX_BINARY_OPERATOR, "%", NULL},
    {"rs", CXX_BINARY_OPERATOR, ">>", NULL},
    {"ss", CXX_BINARY_OPERATOR, "<=>", NULL},
    {"st", CXX_SPECIAL_OPERATOR, "sizeof ", NULL},
    {"sz", CXX_SPECIAL_OPERATOR, "sizeof ", NULL},
};

static const char *const letters[26] = {
    ['v' - 'a'] = "void",          ['w' - 'a'] = "wchar_t",        ['b' - 'a'] = "bool",
    ['c' - 'a'] = "char",          ['a' - 'a'] = "signed char",    ['h' - 'a'] = "unsigned char",
    ['s' - 'a'] = "short",         ['t' - 'a'] = "unsigned short", ['i' - 'a'] = "int",
    ['j' - 'a'] = "unsigned int",  ['l' - 'a'] = "long",           ['m' - 'a'] = "unsigned long",
    ['x' - 'a'] = "long long",     ['y' - 'a'] = "unsigned long long",
    ['n' - 'a'] = "__int128",      ['o' - 'a'] = "unsigned __int128",
    ['f' - 'a'] = "float",         ['d' - 'a'] = "double",         ['e' - 'a'] = "long double",
    ['g' - 'a'] = "__float128",    ['z' - 'a'] = "...",
};

static const struct {
    char code[3];
    const char *text;
} pairs[] = {
    {"Da", "auto"},
    {"Dc", "decltype(auto)"},
    {"Dd", "decimal64"},
    {"De", "decimal128"},
    {"Df", "decimal32"},
    {"Dh", "_Float16"},
    {"Di", "char32_t"},
    {"Dn", "decltype(nullptr)"},
    {"Ds", "char16_t"},
    {"Du", "char8_t"},
};

static const struct cxx_usual usual[] = {
    {'a', "std::allocator", "allocator", NULL},
    {'b', "std::basic_string", "basic_string", NULL},
    {'s', "std::string", "basic_string",
     "std::basic_string<char, std::char_traits<char>, std::allocator<char> >"},
    {'i', "std::istream", "basic_istream", "std::basic_istream<char, std::char_traits<char> >"},
    {'o', "std::ostream", "basic_ostream", "std::basic_ostream<char, std::char_traits<char> >"},
    {'d', "std::iostream", "basic_iostream", "std::basic_iostream<char, std::char_traits<char> >"},
};

const struct cxx_operator *cxx_operator_at(const char *at, const char *end)
{
    for (size_t i = 0; end - at > 1 && i < sizeof operators / sizeof *operators; i++)
        if (at[0] == operators[i].code[0] && at[1] == operators[i].code[1])
            return &operators[i];
    return NULL;
}

const char *cxx_builtin_at(const char *at, const char *end, size_t *bytes)
{
    *bytes = 1;
    if (at < end && *at >= 'a' && *at <= 'z')
        return letters[*at - 'a'];
    *bytes = 2;
    for (size_t i = 0; end - at > 1 && i < sizeof pairs / sizeof *pairs; i++)
        if (at[0] == pairs[i].code[0] && at[1] == pairs[i].code[1])
            return pairs[i].text;
    return NULL;
}

const struct cxx_usual *cxx_usual_of(char code)
{
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        if (code == usual[i].code)
            return &usual[i];
    return NULL;
}
