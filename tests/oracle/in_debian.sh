#!/usr/bin/env bash
# Runs a command in another release of Debian, beside the one that this machine has, with the PyTorch of that release,
# or with --bare with nothing but what every Debian has:
#
#   tests/oracle/in_debian.sh [--bare] RELEASE FOLDER COMMAND [ARGUMENT...]
#   PYTHONPATH=tests tests/oracle/in_debian.sh trixie build/oracle/trixie python3 tests/oracle/compare.py build/release/tests/oracle_lessons
#
# The first call installs the release as a new folder, from the mirror that apt has here: some minutes, 2.5 GB (bare: one
# minute, 0.3 GB). The command sees the current folder by its own name. Needs root. Exit code 77: it cannot be had here, and a line on stderr
# says why.
set -euo pipefail
# What is mounted here is seen by one command alone (unshare), and is gone with it.

packages=(--include="python3-torch python3-numpy libopenblas0-pthread")
if [ "$1" = --bare ]; then
  packages=()
  shift
fi
release=$1
folder=$(realpath -m -- "$2")
shift 2

unavailable() {
  echo "in_debian.sh: no Debian $release here: $*" >&2
  exit 77
}

install_release() {
  command -v mmdebstrap >/dev/null || unavailable "mmdebstrap is missing (apt-get install mmdebstrap)"
  local mirror
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Label: Debian' 'Created-By: Packages' | sort -u | sed -n 1p)
  [ -n "$mirror" ] || unavailable "apt knows no Debian mirror"
  mkdir -p -- "$(dirname -- "$folder")"
  half=$(mktemp -d -- "$folder.XXXXXX")
  trap 'rm -rf --one-file-system -- "$half"' EXIT
  # A mirror that stands still is no worse for that.
  unshare --mount mmdebstrap --variant=minbase --aptopt='Acquire::Check-Valid-Until "false"' \
    "${packages[@]}" "$release" "$half" "$mirror" >"$folder.log" 2>&1 ||
    unavailable "it could not be installed; see $folder.log"
  mv -T -- "$half" "$folder"
}

[ "$(id -u)" -eq 0 ] || unavailable "that needs root"
unshare --mount true 2>/dev/null || unavailable "this machine lets nobody mount"
[ -e "$folder" ] || install_release
[ -x "$folder/usr/bin/env" ] || unavailable "$folder is another folder; give a new one"
mkdir -p -- "$folder$PWD"
exec unshare --mount bash -euc '
  for seen in "$PWD" /dev /proc /tmp; do mount --rbind "$seen" "$1$seen"; done
  exec chroot "$1" env -C "$PWD" "${@:2}"' bash "$folder" "$@"
