#!/usr/bin/env bash
# A fresh machine: a tree of a Debian release with git, the packages that README.md names and nothing else, a clone of this repository in it, and the
# commands of README.md there.
#
#   fresh.sh RELEASE TREE [TARGET...]
#
# RELEASE is bookworm or trixie, TREE the folder of the tree, and a TARGET what stands after `make`: `demo` and `test`, unless others are named.
# All of them run, also after one that failed. What is cloned is the last commit. It needs root on Debian, and 3 GB; a tree that is there is used
# again, with a new clone and an empty home. How this machine reaches its registries is passed on, by its environment and what its apt is told.
set -Eeuo pipefail

release=${1:?"the name of a Debian release"}
tree=${2:?"the folder of the tree"}
shift 2
[ $# -gt 0 ] || set -- demo test
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(dirname "$here")
clone=/root/wrapper-gen
log=$tree.log

step() { echo "fresh: $*"; }
in_tree() { "$here/pythons/enter.sh" --without-repository "$tree" "$@"; }

# The lists of packages in README.md: all that stands in one pair of backticks and is several words.
wanted_packages() {
    sed -n '/^## What a machine needs/,/^Licence/p' "$root/README.md" | tr '\n' ' ' | grep -o '`[^`]*`' |
        sed -n 's/`//g; s/^apt install //; / /p'
}

# debootstrap takes no folder in which it was interrupted, so the tree has its name only when it is whole.
install_debian() {
    local mirror
    mirror=$(apt-get indextargets --format '$(REPO_URI) $(LABEL)' | sed -n 's/ Debian$//p' | head -1)
    command -v debootstrap >/dev/null || apt-get install -y -qq debootstrap
    rm -rf --one-file-system "$tree.part"
    debootstrap --variant=minbase --include=ca-certificates,git "$release" "$tree.part" "$mirror"
    # This machine may trust more certificates than Debian does, that of a proxy for example.
    cp -L /etc/ssl/certs/ca-certificates.crt "$tree.part/etc/ssl/certs/ca-certificates.crt"
    apt-config dump | grep -E '^Acquire::(Check-|https?::)' >"$tree.part/etc/apt/apt.conf.d/host" || true
    mv -T "$tree.part" "$tree"
}

install_packages() {
    in_tree dpkg --configure -a
    in_tree apt-get update -qq
    # shellcheck disable=SC2046  # several words
    in_tree apt-get install -y -qq --no-install-recommends $(wanted_packages)
}

[ "$(id -u)" = 0 ] || { echo "fresh: only root can make the tree" >&2; exit 1; }
mkdir -p "$(dirname "$tree")"
tree=$(cd "$(dirname "$tree")" && pwd)/$(basename "$tree")
: >"$log"
trap 'echo "fresh: failed; the end of $log:" >&2; tail -n 20 "$log" >&2' ERR
[ -e "$tree/etc/debian_version" ] || { step "Debian $release"; install_debian >>"$log" 2>&1; }
step "what README.md names: $(wanted_packages | tr '\n' ' ')"
install_packages >>"$log" 2>&1
rm -rf --one-file-system "$tree/root"
mkdir "$tree/root"
git clone -q --no-hardlinks "$root" "$tree$clone"
trap - ERR
step "$(in_tree bash -c '. /etc/os-release; echo "$PRETTY_NAME"; python3 --version; g++ -dumpfullversion' | tr '\n' ' ')"
failed=""
for target; do
    step "make $target"
    begun=$SECONDS
    in_tree env -C "$clone" bash -c "make --no-print-directory $target" || failed="$failed, make $target"
    step "make $target took $((SECONDS - begun)) s; .venv takes $(du -smc "$tree$clone/.venv" 2>/dev/null | tail -n 1 | cut -f1) MB"
done
[ -z "$failed" ] || { step "failed: ${failed#, }"; exit 1; }
