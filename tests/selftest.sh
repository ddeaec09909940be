#!/bin/sh
# Reports of `tracetop selftest`: valid by the schema that the program prints, counted rightly, and never
# "seen" without an event of the stimulus. The reader is shown first that it can refuse.
#
# usage: tests/selftest.sh PROGRAM REPORT.json… (from the root)
#        REPORT.json:windows is one of Windows: it has all probes, and all cells of the matrix
#        REPORT.json:live is one of this machine by root: where nothing was lost, stimuli are seen
set -u
export LC_ALL=C
python=/usr/bin/python3 # Debian's, which has the validator
"$python" -W ignore -c 'import jsonschema' 2>/dev/null || { echo "skipped: python3-jsonschema is missing"; exit 77; }
exec "$python" -W ignore - "$@" <<'PYTHON'
import copy, json, subprocess, sys
import jsonschema

schema = json.loads(subprocess.run([sys.argv[1], "selftest", "--schema"], stdout=subprocess.PIPE).stdout)
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)
STIMULI = ["process", "thread", "file", "disk", "registry", "tcp", "memory", "fault", "switch", "sample", "syscall"]
PROBES = ["machine", "rights", "clock", "load", "rundown", "matrix", "collector"]

def figures(check):
    return {f["name"]: f["value"] for f in check["figures"]}

def of_check(c):
    f = figures(c)
    if "own" in f and (c["state"] == "seen") != (f["own"] > 0):
        yield "own events and state contradict each other"
    if "of_class" in f and f["own"] > f["of_class"]:
        yield "more events of the stimulus than of its class"
    if c["state"] in ("not seen", "refused", "failed", "skipped") and not c["why"]:
        yield "no reason"
    if "written" in f and "lost" in f and c["state"] == "seen" and f["written"] != f["received"] + f["lost"]:
        yield "seen, but written is not received + lost"
    if "outside" in f and c["state"] == "seen" and (f["outside"] or f["received"] != f["written"]):
        yield "seen, but with events outside their time, or missing"

def unseen(report):
    by = {c["subject"]: c for c in report["checks"]}
    if figures(by["loss"])["kernel"]:
        return
    for s in ("process", "thread", "file", "tcp", "fault", "switch", "syscall"):
        if by[s]["state"] in ("not seen", "failed"):
            yield f"{s}: {by[s]['state']}: {by[s]['why']}"

def mistakes(report, is_windows):
    for m in validator.iter_errors(report):
        yield f"{list(m.path)}: {m.message[:200]}"
        return
    counts = {s: sum(c["state"] == s for c in report["checks"]) for s in report["counts"]}
    if counts != report["counts"]:
        yield f"counts are {report['counts']}, the checks are {counts}"
    if not report["complete"]:
        yield "it was interrupted"
    for c in report["checks"]:
        for m in of_check(c):
            yield f"{c['probe']} {c['subject']}: {m}"
    cells = {(c["probe"], c["subject"]) for c in report["checks"]}
    started = ("collector", "session") not in cells # else it was refused
    wanted = [("collector", s) for s in STIMULI if started]
    if is_windows:
        wanted += [("matrix", f"{w} {s}") for w in ("flags", "information", "providers") for s in STIMULI]
        for p in PROBES:
            if not any(c["probe"] == p for c in report["checks"]):
                yield f"no check of the probe {p}"
    for cell in wanted:
        if cell not in cells:
            yield f"no check {cell}"

failed = 0
for word in sys.argv[2:]:
    path, _, kind = word.partition(":")
    report = json.load(open(path))
    for m in mistakes(report, kind == "windows"):
        failed += 1
        print(f"selftest: {path}: {m}")
    for m in unseen(report) if kind == "live" else ():
        failed += 1
        print(f"selftest: {path}: {m}")
    def broken(change):
        other = copy.deepcopy(report)
        change(other)
        return next(mistakes(other, kind == "windows"), None)
    first = report["checks"][0]
    for change in (lambda r: r.pop("counts"), lambda r: r["counts"].update(seen=999), lambda r: r.update(extra=1),
                   lambda r: r["checks"][0].update(state="ok"), lambda r: r["checks"].pop(),
                   lambda r: r["checks"][-1].update(state="not seen", why=""), lambda r: r.update(complete=False)):
        if not broken(change):
            failed += 1
            print(f"selftest: {path}: the reader accepts a broken report")
print(f"{len(sys.argv) - 2} reports read")
sys.exit(failed != 0)
PYTHON
