/* The formats that tables and call trees can be written in: the one list that the command line
 * (-O), completions, help and the key X read.
 *
 * F(id, ending) is the first, X(id, ending) each other one; `ending` is that of a file's name. */
#ifndef SRC_EXPORT_FORMATS_H
#define SRC_EXPORT_FORMATS_H

/* Each has an export_kind, export_ID, in src/export/ID.c. */
#define TABLE_FORMATS(F, X)                                                                        \
    F(table, "txt") X(tsv, "tsv") X(csv, "csv") X(jsonl, "jsonl") X(markdown, "md")

/* Each has a function write_ID() in src/export/stacks.c. */
#define STACK_FORMATS(F, X)                                                                        \
    F(folded, "folded") X(speedscope, "speedscope.json") X(perfetto, "perfetto.json") X(tree, "txt")

/* "table tsv csv jsonl", as a literal. */
#define FORMAT_FIRST(id, ending) #id
#define FORMAT_NEXT(id, ending)  " " #id
#define TABLE_FORMAT_IDS TABLE_FORMATS(FORMAT_FIRST, FORMAT_NEXT)
#define STACK_FORMAT_IDS STACK_FORMATS(FORMAT_FIRST, FORMAT_NEXT)

/* "table, tsv, csv, jsonl", for sentences. */
#define FORMAT_ALSO(id, ending) ", " #id
#define TABLE_FORMAT_LIST       TABLE_FORMATS(FORMAT_FIRST, FORMAT_ALSO)
#define STACK_FORMAT_LIST       STACK_FORMATS(FORMAT_FIRST, FORMAT_ALSO)

#endif
