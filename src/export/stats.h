/* `tracetop stats`: one row per kind of event, with totals and losses. */
#ifndef SRC_EXPORT_STATS_H
#define SRC_EXPORT_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Counts the events of all files. Rows go to `out`, tab-separated or as one JSON
 * object; sentences about loss and damage to `err`. The exit status: 0, 1 when a
 * file could not be read, 6 when bytes had to be skipped. */
int stats_run(const char *const *files, size_t count, bool json, FILE *out, FILE *err);

/* Writes what is wrong with a file that was read to its end: damage, and what its header says was
 * lost. */
struct etl_file;
void stats_report_file(const struct etl_file *file, FILE *err);

#endif
