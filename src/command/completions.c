#include "src/command/completions.h"

#include "src/base/show.h"
#include "src/command/command.h"
#include "src/command/option_table.h"
#include "src/pane/panes.h"
#include "src/table/pane.h"

#include <ctype.h>
#include <string.h>

/* ---- what completes an option ---------------------------------------------------------------- */

enum value_kind {
    VALUE_NONE_AT_ALL,
    VALUE_WORDS,
    VALUE_FILE,
    VALUE_PANES,
    VALUE_FORMATS,
    VALUE_ANY
};

/* "live|demo" names its values; capitals only name what is to be given. */
static enum value_kind kind_of(const struct option *o)
{
    if (!o->argument)
        return VALUE_NONE_AT_ALL;
    if (strcmp(o->name, "panes") == 0)
        return VALUE_PANES;
    if (strcmp(o->name, "format") == 0)
        return VALUE_FORMATS;
    if (strstr(o->argument, "FILE") || strstr(o->argument, "PATH"))
        return VALUE_FILE;
    bool has_capital = false;
    for (const char *c = o->argument; *c; c++)
        has_capital |= isupper((unsigned char)*c) != 0;
    return strchr(o->argument, '|') && !has_capital ? VALUE_WORDS : VALUE_ANY;
}

/* Words that a table separates by this sign, perhaps in [], separated by blanks. */
static void print_words(const char *words, char separator, FILE *to)
{
    for (; *words; words++)
        if (!strchr("[]", *words))
            fputc(*words == separator ? ' ' : *words, to);
}

static void print_panes(FILE *to)
{
    for (const struct pane *const *p = panes; *p; p++)
        show(to, "%s%s", p == panes ? "" : " ", (*p)->id);
}

static void print_commands(FILE *to)
{
    for (unsigned i = 0; i < SUBCOMMANDS; i++)
        show(to, "%s%s", i ? " " : "", subcommands[i].name);
}

/* The values of an option for one subcommand, separated by blanks. */
static void print_values(const struct option *o, unsigned id, FILE *to)
{
    switch (kind_of(o)) {
    case VALUE_WORDS:
        print_words(o->argument, '|', to);
        break;
    case VALUE_PANES:
        print_panes(to);
        break;
    case VALUE_FORMATS:
        fputs(subcommands[id].formats ? subcommands[id].formats : "", to);
        break;
    case VALUE_NONE_AT_ALL:
    case VALUE_FILE:
    case VALUE_ANY:
        break;
    }
}

/* What the first word behind the subcommand can be. */
static void print_subjects(unsigned id, FILE *to)
{
    if (id == SUBCOMMAND_TOP || id == SUBCOMMAND_FIELDS)
        print_panes(to);
    else if (id == SUBCOMMAND_COMPLETIONS || id == SUBCOMMAND_MANUAL)
        print_words(subcommands[id].usage, '|', to);
    else if (id == SUBCOMMAND_RECORD)
        fputs("start stop status", to);
    else if (id == SUBCOMMAND_RECORDER)
        fputs("start stop status run unit", to);
}

/* In single quotes, with what the shell would read in them taken apart. */
static void print_quoted(const char *text, FILE *to)
{
    for (; *text; text++) {
        if (*text == '\'')
            fputs("'\\''", to);
        else
            fputc(*text, to);
    }
}

/* ---- bash ------------------------------------------------------------------------------------ */

static void print_bash_command(unsigned id, FILE *to)
{
    const struct option *o;
    show(to, "    %s)\n        options='", subcommands[id].name);
    for (size_t i = 0; (o = option_row(i)); i++)
        if (option_belongs(o, id))
            show(to, "--%s ", o->name);
    fputs("'\n        words='", to);
    print_subjects(id, to);
    fputs("'\n        case $prev in\n", to);
    for (size_t i = 0; (o = option_row(i)); i++) {
        const enum value_kind kind = kind_of(o);
        if (!option_belongs(o, id) || kind == VALUE_NONE_AT_ALL)
            continue;
        show(to, "        --%s", o->name);
        if (o->letter)
            show(to, "|-%c", o->letter);
        fputs(") values='", to);
        print_values(o, id, to);
        show(to, "' takes=%s ;;\n", kind == VALUE_FILE ? "file" : "value");
    }
    fputs("        esac ;;\n", to);
}

static void print_bash(FILE *to)
{
    fputs("# bash completion of tracetop; made by \"tracetop completions bash\"\n"
          "_tracetop() {\n"
          "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
          "    local command=live named= options= words= values= takes= word commands='",
          to);
    print_commands(to);
    fputs("'\n"
          "    for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
          "        case \" $commands \" in *\" $word \"*) command=$word named=1; break ;; esac\n"
          "    done\n"
          "    case $command in\n",
          to);
    for (unsigned i = 0; i < SUBCOMMANDS; i++)
        print_bash_command(i, to);
    fputs("    esac\n"
          "    COMPREPLY=()\n"
          "    if [ \"$takes\" = file ]; then\n"
          "        COMPREPLY=($(compgen -f -- \"$cur\"))\n"
          "    elif [ -n \"$takes\" ]; then\n"
          "        COMPREPLY=($(compgen -W \"$values\" -- \"$cur\"))\n"
          "    elif [[ $cur == -* ]]; then\n"
          "        COMPREPLY=($(compgen -W \"$options\" -- \"$cur\"))\n"
          "    else\n"
          "        [ -n \"$named\" ] || words=\"$words $commands\"\n"
          "        COMPREPLY=($(compgen -W \"$words\" -- \"$cur\") $(compgen -f -- \"$cur\"))\n"
          "    fi\n"
          "}\n"
          "complete -o filenames -F _tracetop tracetop\n",
          to);
}

/* ---- zsh ------------------------------------------------------------------------------------- */

/* A help between brackets: what _arguments would read there is escaped. */
static void print_zsh_help(const char *text, FILE *to)
{
    for (; *text; text++) {
        if (*text == '\'')
            fputs("'\\''", to);
        else if (strchr("[]:\\", *text))
            show(to, "\\%c", *text);
        else
            fputc(*text, to);
    }
}

static void print_zsh_option(const struct option *o, unsigned id, FILE *to)
{
    const enum value_kind kind = kind_of(o);
    for (int is_short = o->letter != 0; is_short >= 0; is_short--) {
        if (is_short)
            show(to, "        '-%c[", o->letter);
        else
            show(to, "        '--%s%s[", o->name, o->argument ? "=" : "");
        print_zsh_help(option_help(o, id), to);
        fputc(']', to);
        if (kind != VALUE_NONE_AT_ALL) {
            fputc(':', to);
            print_zsh_help(o->argument, to);
            fputc(':', to);
        }
        if (kind == VALUE_FILE) {
            fputs("_files", to);
        } else if (kind != VALUE_NONE_AT_ALL && kind != VALUE_ANY) {
            fputc('(', to);
            print_values(o, id, to);
            fputc(')', to);
        }
        fputs("'\n", to);
    }
}

static void print_zsh(FILE *to)
{
    const struct option *o;
    fputs("#compdef tracetop\n# zsh completion of tracetop; made by \"tracetop completions zsh\"\n"
          "_tracetop() {\n"
          "    local -a commands options subjects\n"
          "    local command=live word\n"
          "    commands=(\n",
          to);
    for (unsigned i = 0; i < SUBCOMMANDS; i++) {
        show(to, "        '%s:", subcommands[i].name);
        print_quoted(subcommands[i].help, to);
        fputs("'\n", to);
    }
    fputs("    )\n"
          "    for word in $words[2,CURRENT-1]; do\n"
          "        if (( $commands[(I)$word:*] )); then command=$word; break; fi\n"
          "    done\n"
          "    case $command in\n",
          to);
    for (unsigned i = 0; i < SUBCOMMANDS; i++) {
        show(to, "    %s)\n        options=(\n", subcommands[i].name);
        for (size_t k = 0; (o = option_row(k)); k++)
            if (option_belongs(o, i))
                print_zsh_option(o, i, to);
        fputs("        )\n        subjects=(", to);
        print_subjects(i, to);
        fputs(") ;;\n", to);
    }
    fputs("    esac\n"
          "    _arguments -s $options '1: :{ _describe command commands; _files }' \\\n"
          "        '*: :{ compadd -a subjects; _files }'\n"
          "}\n"
          "_tracetop \"$@\"\n",
          to);
}

/* ---- fish ------------------------------------------------------------------------------------ */

static void print_fish_option(const struct option *o, FILE *to)
{
    const bool is_of_screen =
        option_belongs(o, SUBCOMMAND_LIVE) || option_belongs(o, SUBCOMMAND_REPLAY);
    unsigned last = 0;
    fputs("complete -c tracetop -n '", to);
    if (is_of_screen) /* without a subcommand it is one of these */
        fputs("not __fish_seen_subcommand_from $__tracetop_commands; or ", to);
    fputs("__fish_seen_subcommand_from", to);
    for (unsigned i = 0; i < SUBCOMMANDS; i++) {
        if (!option_belongs(o, i))
            continue;
        show(to, " %s", subcommands[i].name);
        last = i;
    }
    show(to, "' -l %s", o->name);
    if (o->letter)
        show(to, " -s %c", o->letter);
    const enum value_kind kind = kind_of(o);
    if (kind == VALUE_FILE) {
        fputs(" -r -F", to);
    } else if (kind != VALUE_NONE_AT_ALL) {
        fputs(" -x -a '", to);
        print_values(o, last, to);
        fputc('\'', to);
    }
    fputs(" -d '", to);
    for (const char *c = o->help; *c; c++)
        show(to, *c == '\'' ? "\\%c" : "%c", *c);
    fputs("'\n", to);
}

static void print_fish(FILE *to)
{
    const struct option *o;
    fputs("# fish completion of tracetop; made by \"tracetop completions fish\"\n"
          "set -g __tracetop_commands ",
          to);
    print_commands(to);
    fputc('\n', to);
    for (unsigned i = 0; i < SUBCOMMANDS; i++) {
        show(to, "complete -c tracetop -n __fish_use_subcommand -a %s -d '",
                subcommands[i].name);
        for (const char *c = subcommands[i].help; *c; c++)
            show(to, *c == '\'' ? "\\%c" : "%c", *c);
        show(to, "'\ncomplete -c tracetop -n '__fish_seen_subcommand_from %s' -a '",
                subcommands[i].name);
        print_subjects(i, to);
        fputs("'\n", to);
    }
    for (size_t i = 0; (o = option_row(i)); i++)
        print_fish_option(o, to);
}

bool completions_print(const char *shell, FILE *to, struct err *err)
{
    static const struct {
        const char *name;
        void (*print)(FILE *to);
    } shells[] = {{"bash", print_bash}, {"zsh", print_zsh}, {"fish", print_fish}};
    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++)
        if (strcmp(shell, shells[i].name) == 0)
            return shells[i].print(to), true;
    return fail(err, "expected bash, zsh or fish, found \"%.100s\"", shell);
}
