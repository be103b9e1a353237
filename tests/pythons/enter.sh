#!/usr/bin/env bash
# Runs a command in the tree that `setup.sh` made, in this repository's folder, which has the same path there.
#
#   enter.sh [--without-repository] TREE COMMAND...
#
# Without the repository, the command runs in /root. The mounts belong to the command and end with it, so that removing the tree removes nothing else.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
if [ "${1:-}" = --without-repository ]; then
    root=""
    shift
fi
tree=${1:?"the folder of the tree"}
shift

# shellcheck disable=SC2016  # the inner shell expands them
exec unshare --mount bash -ec '
    tree=$1 root=$2
    shift 2
    mount -t proc proc "$tree/proc"
    mount --rbind /dev "$tree/dev"
    if [ -n "$root" ]; then
        mkdir -p "$tree$root"
        mount --bind "$root" "$tree$root"
    fi
    cp -L /etc/resolv.conf "$tree/etc/resolv.conf"
    # pip has the settings of this machine but for its local folders, which are not in the tree.
    exec chroot "$tree" env -C "${root:-/root}" -u PIP_FIND_LINKS -u PIP_CONFIG_FILE LC_ALL=C.UTF-8 HOME=/root CCACHE_DIR=/var/cache/ccache \
        CCACHE_NOHASHDIR=1 DEBIAN_FRONTEND=noninteractive PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore \
        PATH=/usr/lib/ccache:/usr/sbin:/usr/bin:/sbin:/bin "$@"
' enter "$tree" "$root" "$@"
