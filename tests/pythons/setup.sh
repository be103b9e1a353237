#!/usr/bin/env bash
# Makes a Debian tree with other Pythons, for `run.py` beside this file: CPython 3.13, 3.14 and 3.15, PyPy, and CPython 3.13 compiled without
# a GIL, once as it is and once with ThreadSanitizer. Each has a virtual environment in TREE/opt with what the tests need.
#
#   setup.sh TREE [MIRROR]
#
# It needs root on Debian, a quarter of an hour and 4 GB. MIRROR is the archive that this machine's apt uses, unless another is named. A tree that is
# complete is left as it is, and one whose making was interrupted goes on with the first step that was not done.
set -Eeuo pipefail

tree=${1:?"the folder of the tree"}
mirror=${2:-$(apt-get indextargets --format '$(REPO_URI) $(LABEL)' | sed -n 's/ Debian$//p' | head -1)}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
log=$tree.log

step() { echo "pythons: $*"; }
in_tree() { "$here/enter.sh" "$tree" "$@" >>"$log" 2>&1; }

# once NAME COMMAND...: runs the command, unless it was done before.
once() {
    local done_file=$tree/opt/done/$1
    shift
    [ ! -e "$done_file" ] || return 0
    "$@"
    mkdir -p "$tree/opt/done"
    touch "$done_file"
}

# debootstrap takes no folder in which it was interrupted, so the tree has its name only when it is whole.
install_debian() {
    step "Debian 13"
    command -v debootstrap >/dev/null || apt-get install -y -qq debootstrap >>"$log" 2>&1
    rm -rf --one-file-system "$tree.part"
    debootstrap --variant=minbase --include=ca-certificates trixie "$tree.part" "$mirror" >>"$log" 2>&1
    mv -T "$tree.part" "$tree"
}

install_pythons() {
    # This machine may trust more certificates than Debian does, that of a proxy for example.
    cp -L /etc/ssl/certs/ca-certificates.crt "$tree/etc/ssl/certs/ca-certificates.crt"
    printf 'deb [check-valid-until=no] %s sid main\ndeb-src %s trixie main\n' "$mirror" "$mirror" \
        >"$tree/etc/apt/sources.list.d/more.list"
    printf 'Package: *\nPin: release a=unstable\nPin-Priority: 100\n' >"$tree/etc/apt/preferences.d/sid"
    in_tree dpkg --configure -a
    in_tree apt-get update -qq
    step "CPython 3.13"
    in_tree apt-get install -y -qq --no-install-recommends g++ clang make ccache dpkg-dev pkg-config python3-dev python3-venv \
        libffi-dev libyaml-dev zlib1g-dev libssl-dev libbz2-dev liblzma-dev libsqlite3-dev
    step "CPython 3.14 and 3.15, PyPy"
    in_tree apt-get install -y -qq --no-install-recommends -t sid python3.14-dev python3.14-venv python3.15-dev \
        python3.15-venv pypy3-dev pypy3-venv
}

# compile_free_threaded NAME FLAG...: CPython 3.13 without a GIL, in /opt/pythonNAME.
compile_free_threaded() {
    step "CPython $*"
    # ThreadSanitizer wants addresses where it expects them.
    in_tree setarch -R bash -ec '
        name=$1
        shift
        rm -rf /usr/src/free
        mkdir /usr/src/free
        cd /usr/src/free
        apt-get source -qq --download-only --tar-only python3.13/trixie
        tar xf python3.13_*.orig.tar.xz --strip-components=1
        ./configure -q --disable-gil --prefix="/opt/python$name" --disable-test-modules "$@"
        make -s -j"$(nproc)"
        make -s install
        cp -r Tools/tsan "/opt/python$name/" 2>/dev/null || true
        rm -rf /usr/src/free "/opt/python$name"/lib/libpython*.a "/opt/python$name"/lib/python3.13t/{test,config-*/*.a}' compile "$@"
}

# make_environment NAME: a virtual environment by the name that run.py knows it by, with what the tests need.
make_environment() {
    local name=$1 python=python$1 cffi=cffi
    # PyPy has cffi built in, and cffi refuses CPython 3.13 without a GIL.
    case $name in
        3.13t*) python=/opt/python$name/bin/python3.13t cffi="" ;;
        pypy) python=pypy3 cffi="" ;;
    esac
    step "what the tests need for $name"
    if [ "$name" = 3.15 ]; then
        # The pip that Debian has for all its Pythons uses what 3.15 has no more; that of 3.14 fetches a newer one.
        in_tree "$python" -m venv --clear --without-pip "/opt/$name"
        in_tree bash -ec '/opt/3.14/bin/pip download -q --no-deps -d /opt/pip "pip>=26"
            wheel=$(ls /opt/pip/pip-*.whl)
            /opt/3.15/bin/python "$wheel/pip" install -q --no-index "$wheel"
            rm -r /opt/pip'
    else
        in_tree setarch -R "$python" -m venv --clear "/opt/$name"
    fi
    # Where there are no wheels of what is written in Rust, earlier versions do without it.
    # shellcheck disable=SC2086  # several words
    in_tree setarch -R "/opt/$name/bin/python" -m pip install -q --only-binary rpds-py,hypothesis pytest pytest-xdist hypothesis click jinja2 jsonschema pyyaml abi3info $cffi
    # Tests of NumPy arrays are skipped where there is no wheel of it.
    in_tree setarch -R "/opt/$name/bin/python" -m pip install -q --only-binary :all: numpy || true
}

if [ -e "$tree/opt/complete" ]; then
    exit
fi
[ "$(id -u)" = 0 ] || { echo "pythons: only root can make the tree" >&2; exit 1; }
trap 'echo "pythons: failed; the end of $log:" >&2; tail -n 20 "$log" >&2' ERR
mkdir -p "$(dirname "$tree")"
: >"$log"
[ -e "$tree/etc/debian_version" ] || install_debian
once pythons install_pythons
once 3.13t-compiled compile_free_threaded 3.13t
once 3.13t-tsan-compiled compile_free_threaded 3.13t-tsan --with-thread-sanitizer
for name in 3.13 3.14 3.15 pypy 3.13t 3.13t-tsan; do
    once "$name" make_environment "$name"
done
in_tree apt-get clean
rm -rf "$tree"/var/lib/apt/lists/* "$tree/root/.cache"
touch "$tree/opt/complete"
