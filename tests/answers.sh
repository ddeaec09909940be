#!/bin/sh
# Answers for programs: each is valid by the schema that `ask --schema` prints, its sums are those of `top`, and
# rows that do not fit are in `others`. The validator is shown first that it can refuse.
#
# usage: tests/answers.sh PROGRAM     (from the root)
set -u
export LC_ALL=C
python=/usr/bin/python3 # Debian's, which has the validator
"$python" -W ignore -c 'import jsonschema' 2>/dev/null || { echo "skipped: python3-jsonschema is missing"; exit 77; }
exec "$python" -W ignore - "$1" <<'PYTHON'
import copy, glob, json, subprocess, sys
import jsonschema

program, failed = sys.argv[1], 0

def run(*arguments):
    return subprocess.run([program, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE)

def wrong(sentence):
    global failed
    failed += 1
    print("answers:", sentence)

schema = json.loads(run("ask", "--schema").stdout)
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)

def refuse_broken(answer):
    def broken(change):
        other = copy.deepcopy(answer)
        change(other)
        return other
    for change in (lambda a: a.pop("loss"), lambda a: a.update(rows=[[{}]]), lambda a: a.update(extra=1),
                   lambda a: a["columns"][0].update(type="words"), lambda a: a["span"].update({"from": "now"}),
                   lambda a: a["loss"].update(ring=-1)):
        if validator.is_valid(broken(change)):
            wrong("the schema accepts a broken answer")

# Valid; asked again by its canonical text, the answer is the same.
def check(query, *more, again=True):
    said = run("ask", "--json", query, "-q", *more)
    if said.returncode not in (0, 6):
        wrong(f"{query} {more}: status {said.returncode}: {said.stderr.decode()}")
        return None
    answer = json.loads(said.stdout)
    for mistake in validator.iter_errors(answer):
        wrong(f"{query} {more}: {list(mistake.path)}: {mistake.message[:200]}")
    is_file = more and more[0].endswith((".etl", ".zst"))
    if again and is_file and run("ask", "--json", answer["query"], "-q", *more).stdout != said.stdout:
        wrong(f"{query}: its canonical text '{answer['query']}' has another answer")
    for row in answer["rows"]:
        if len(row) != len(answer["columns"]):
            wrong(f"{query}: a row of {len(row)} values, {len(answer['columns'])} columns")
    return answer

def total(query, column, *more):
    rows = run("top", "--by", query, "-q", "-O", "jsonl", *more).stdout.decode().splitlines()
    return sum(json.loads(r)[column] or 0 for r in rows), len(rows)

demo = ("--events", "120000", "--rate", "0", "--seed", "7", "--start", "2026-05-17T10:20:30Z")
first = check("by proc | count, p99 lat, sum size where op=read sort p99 top 3", *demo)
refuse_broken(first)
if [c.get("exact") for c in first["columns"][:4]] != [True, True, False, True] or "error" not in first["columns"][2]:
    wrong("columns do not say what is exact")
if [c["unit"] for c in first["columns"][:4]] != ["", "", "ns", "bytes"]:
    wrong("columns do not say their units")
if len(first["rows"]) != 3 or first["others"]["rows"] != first["row_count"] - 3:
    wrong("top 3 and the others are not all rows")

hostile = check("by path, proc | count", *demo, "--hostile", "1000")
if any(ord(c) < 32 or ord(c) == 127 for row in hostile["rows"] for v in row if isinstance(v, str)
       for c in json.dumps(v, ensure_ascii=False)):
    wrong("a name keeps a control character")

traces = [t for t in sorted(glob.glob("../shared/etl/*.etl") + glob.glob("../shared/etl/*.zst")) if "derived" not in t]
if not traces:
    print("skipped: ../shared/etl is missing")
for trace in traces:
    whole = check("by proc | count", trace, again=False)
    check("by event, cpu | count, p50 lat, max lat, distinct path, most path, last pid", trace)
    cut = check("by proc | count sort count top 2", trace, again=False)
    if not whole or not cut:
        continue
    events, rows = total("by proc | count", "count", trace)
    counted = sum(r[1] for r in cut["rows"]) + cut["others"]["sums"][1]
    if counted != events or cut["row_count"] != rows or sum(r[1] for r in whole["rows"]) != events:
        wrong(f"{trace}: {counted} events, top has {events}; {cut['row_count']} rows, top has {rows}")

fields = json.loads(run("fields", "--json").stdout)
for f in fields["fields"]:
    if f["is_key"] and run("ask", f"by {f['id']} | count", "-q", "--events", "2000", "--rate", "0").returncode:
        wrong(f"fields --json calls {f['id']} a key, ask does not")
    if f["cost"] not in ("fact", "name", "record", "stack"):
        wrong(f"{f['id']} costs {f['cost']}")
field_of = {"events": "", "size": "size", "lat": "lat", "name": "path"}
for a in fields["aggregates"]:
    for of, unit in a["of"].items():
        if of in field_of:
            word = {"pNN": "p95", "lquantize": "lquantize(0, 100000, 1000)"}.get(a["id"], a["id"])
            answer = check(f"by proc | {word} {field_of[of]}".strip(), *demo)
            column = answer and answer["columns"][1]
            if answer and (column["unit"] != unit or column["exact"] != a["exact"]):
                wrong(f"fields --json says {a}, the answer {column}")
bins = [r[1] for r in check("by proc | quantize lat", *demo)["rows"] if r[1]]
if not any(b["value"] > 0 and b["count"] for r in bins for b in r):
    wrong("quantize has no bins")
print("answers:", "wrong" if failed else "all valid")
sys.exit(failed > 0)
PYTHON
