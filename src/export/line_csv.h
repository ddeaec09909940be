/* Events as comma-separated values (RFC 4180, as src/export/csv.c): either the columns that were
 * asked for, or the usual ones and behind them a pair of cells for each field, its name and its
 * value. Values are those of text lines, whole, and safe to show. */
#ifndef SRC_EXPORT_LINE_CSV_H
#define SRC_EXPORT_LINE_CSV_H

#include "src/base/err.h"
#include "src/event/schema.h"
#include "src/event/line.h"

struct line_csv;

/* `columns`: ids separated by commas, of those of the header or fields of payloads
 * (src/field/field.h); "all"; NULL: the usual ones. `separator`: 0 = a comma. `is_raw`: cells that
 * a spreadsheet would evaluate stay as they are. NULL with a sentence. */
struct line_csv *line_csv_new(const char *columns, char separator, bool is_raw, struct err *err);
void line_csv_free(struct line_csv *c);

/* Write a line and its end; both leave `at` behind it, at most LINE_ROOM bytes on. */
void line_csv_head(struct line_csv *c, struct line *l);
void line_csv_event(struct line_csv *c, struct line *l, const struct line_event *e);

#endif
