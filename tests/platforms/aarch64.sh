#!/bin/sh
# Fetches Debian's Python for aarch64 and what emulates that machine into a folder, which tests/test_platforms.py looks for:
#
#     tests/platforms/aarch64.sh build/aarch64
#
# No package is installed, and nothing outside of the folder is changed. It takes 0.3 GB, and some seconds.
set -eu

folder=$(realpath -m "$1")
apt="$folder/apt"
mkdir -p "$apt/state/lists/partial" "$apt/cache/archives/partial" "$folder/packages" "$folder/root" "$folder/emulator"
: > "$apt/status"

arm64() {
    apt-get -q -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o Dir::State="$apt/state" \
        -o Dir::State::status="$apt/status" -o Dir::Cache="$apt/cache" -o APT::Sandbox::User="$(id -un)" "$@"
}

arm64 update
cd "$folder/packages"
python=$(arm64 --no-download --print-uris download python3-minimal 2>/dev/null | sed -n 's|.*/python3-minimal_\(3\.[0-9]*\)\..*|\1|p')
arm64 download "python$python-minimal" "libpython$python-minimal" "libpython$python-stdlib" \
    libc6 libexpat1 libgcc-s1 libstdc++6 zlib1g
for package in *.deb; do
    dpkg-deb -x "$package" "$folder/root"
done
mkdir -p "$folder/own" && cd "$folder/own"
apt-get -q download qemu-user-static
dpkg-deb -x qemu-user-static_*.deb "$folder/emulator"
rm -rf "$apt" "$folder/packages" "$folder/own"
"$folder/emulator/usr/bin/qemu-aarch64-static" -L "$folder/root" "$folder/root/usr/bin/python$python" -c \
    'import platform; print(platform.python_version(), "on", platform.machine())'
