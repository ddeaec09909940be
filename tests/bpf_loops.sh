#!/bin/sh
# Verifiers before Linux 6.2 or so refuse a program in which the end of a loop runs on into its
# beginning, without a jump ("back-edge from insn …"): the compiler must not lay out one so.
#
# usage: tests/bpf_loops.sh OBJECT
#        tests/bpf_loops.sh      checks itself
set -u

# Instructions as llvm-objdump prints them; walked as the verifier does, depth first.
walk() {
    awk '
        function walk_program(    depth, i, k, j, runs_on) {
            depth = 1; at[1] = 0; edge[1] = 0; state[0] = 1
            while (depth) {
                i = at[depth]; k = edge[depth]++
                runs_on = k == 0 && text[i] !~ /^(exit|goto)/
                if (k > 1 || (k == 1 && text[i] !~ /^if/) || (k == 0 && text[i] ~ /^exit/)) {
                    state[i] = 2; depth--; continue
                }
                if (runs_on) j = i + 1
                else { j = text[i]; sub(/.*goto /, "", j); sub(/ .*/, "", j); j = i + 1 + j }
                if (!(j in text)) continue
                if (state[j] == 0) { state[j] = 1; depth++; at[depth] = j; edge[depth] = 0 }
                else if (state[j] == 1 && runs_on && text[i] !~ /^if/) {
                    printf "%s: instruction %d runs on into the beginning of its loop, %d\n", name, i, j
                    bad = 1
                }
            }
        }
        function finish() { if (count) walk_program(); split("", text); split("", state); count = 0 }
        /^[0-9a-f]+ <.*>:$/ {
            label = $2; gsub(/[<>:]/, "", label)
            if (label !~ /^LBB/) { finish(); name = label; programs++; first = -1 }
            next
        }
        /^ +[0-9]+:/ {
            n = $1 + 0; if (first < 0) first = n
            line = $0; sub(/^ +[0-9]+:[ \t]+/, "", line)
            text[n - first] = line; count++
        }
        END { finish(); if (!bad) printf "bpf_loops: %d programs without such a loop\n", programs; exit bad }'
}

made() {
    printf '0000 <f>:\n       0:\tr1 = 0\n       1:\tgoto +2 <LBB0_2>\n\n0010 <LBB0_1>:\n       2:\tr1 += 1\n       3:\tr2 = r1\n\n'
    printf '0020 <LBB0_2>:\n       4:\tif r1 < 9 goto -3 <LBB0_1>\n       5:\texit\n'
}
if made | walk >/dev/null; then
    echo "bpf_loops: a made-up loop of this form was not found"
    exit 1
fi
made | sed 's/3:\tr2 = r1/3:\tgoto +0 <LBB0_2>/' | walk >/dev/null || { echo "bpf_loops: one with a jump was taken for it"; exit 1; }
[ $# -eq 0 ] || llvm-objdump -d --no-show-raw-insn "$1" | walk
