#!/bin/sh
# Lays out the lines of C that differ from a commit by the repository's .clang-format, or shows which
# of them are laid out otherwise. Lines that nobody changed stay as they are. A new file counts once it
# is added (git add).
#
# usage: tests/format.sh fix|check [BASE]     (from the root)
#
# Without BASE: origin/HEAD; without a remote the branch main or master that this one left; on that
# branch itself the commit before the last. The output says which.
#
# Without clang-format nothing is checked, and a sentence says so. Status 1: lines differ, or BASE is
# no commit.
set -u
what=$1
base=${2:-}

skip() {
    echo "format: skipped: $1 (make deps installs it)"
    exit 0
}
command -v clang-format >/dev/null 2>&1 || skip "clang-format is not installed"
command -v git-clang-format >/dev/null 2>&1 || skip "git-clang-format is not installed"
is_commit() { git rev-parse --verify --quiet "$1^{commit}" >/dev/null; }

base_of_clone() {
    is_commit origin/HEAD && echo origin/HEAD && return
    here=$(git rev-parse --abbrev-ref HEAD)
    for branch in main master; do
        [ "$branch" != "$here" ] && is_commit "$branch" && echo "$branch" && return
    done
    is_commit HEAD^ && echo HEAD^ && return
    echo HEAD
}
[ -n "$base" ] || base=$(base_of_clone)
commit=$(git rev-parse --verify --quiet "$base^{commit}") || {
    echo "format: '$base' is no commit here; name one with BASE=COMMIT"
    exit 1
}
# Changes since the branches parted, and none that BASE alone has.
commit=$(git merge-base "$commit" HEAD) || {
    echo "format: '$base' and HEAD have no commit in common; name another with BASE=COMMIT"
    exit 1
}
echo "format: compared with $base ($(git rev-parse --short "$commit"))"

run() {
    git clang-format --quiet --style=file --extensions c,h "$@" "$commit" -- src ui collectors tests
}

if [ "$what" = fix ]; then
    run --force
    echo "format: changed lines are laid out"
    exit 0
fi
found=$(run --diff | grep -vE '^(no modified files to format|clang-format did not modify any files)$')
[ -z "$found" ] && echo "format: every changed line is laid out" && exit 0
printf '%s\n' "$found"
echo "format: 'make format' lays these lines out"
exit 1
