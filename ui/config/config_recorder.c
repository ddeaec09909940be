/* A recorder's section of the configuration: its options under their names, a line each. */
#include "ui/config/config.h"

#include "src/command/command.h"
#include "src/engine/trigger.h"

#include <string.h>

/* What is about the command line itself. */
static bool is_of_line(const char *key)
{
    static const char *const names[] = {"background", "config", "format",
                                        "help",       "quiet",  "version"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], key) == 0)
            return true;
    return false;
}

/* Nothing in the file starts a program. */
static bool may_be_set(const struct pair *p, struct err *err)
{
    struct trigger t;
    return strcmp(p->key, "on") != 0 ||
           (trigger_parse(p->value, &t, err) &&
            (t.action != TRIGGER_RUN ||
             fail(err, "--on: \"run\" is allowed on the command line only")));
}

void config_meet_recorder(struct config *c, struct options *o, const char *name)
{
    const struct pair_group *const g = config_group(c->recorders, c->recorder_count, name);
    for (unsigned i = 0; g && i < g->pairs.count; i++) {
        const struct pair *const p = &g->pairs.at[i];
        struct err err;
        if (is_of_line(p->key) || !options_has(p->key, SUBCOMMAND_RECORDER))
            config_warn(c, p->line,
                        "[recorder.%s] has no \"%.60s\"; it takes the long options of 'tracetop "
                        "recorder'",
                        name, p->key);
        else if (!may_be_set(p, &err) ||
                 !options_preset(o, SUBCOMMAND_RECORDER, p->key, p->value, &err))
            config_warn(c, p->line, "%s", err.text);
    }
}
