# shellcheck shell=sh disable=SC2154 # $root comes from whoever sources this
# What run, tests/run and .ci/run share: Debian packages, and a quiet build. To be sourced, with $root set
# to the repository. Talks on standard error only, and leaves standard input to the program.

say() { echo "${0##*/}: $*" >&2; }

die() {
  say "$@"
  exit 1
}

# missing_packages SECTION...: prints those of these sections of .debian-packages that are not installed.
missing_packages() {
  _wanted=
  while read -r _section _package _; do
    case " $* " in
      *" $_section "*) _wanted="$_wanted $_package" ;;
    esac
  done <"$root/.debian-packages"
  # shellcheck disable=SC2086 # one word a package
  _installed=$(dpkg-query -W -f='<${binary:Package} ${db:Status-Status}>' $_wanted 2>/dev/null) || : # some are unknown
  _installed=$(printf %s "$_installed" | sed "s/:$(dpkg --print-architecture 2>/dev/null) / /g")
  for _package in $_wanted; do
    case $_installed in
      *"<$_package installed>"*) ;;
      *) printf ' %s' "$_package" ;;
    esac
  done
}

# install_packages SECTION...: installs what is missing of these sections.
install_packages() {
  _missing=$(missing_packages "$@")
  [ -n "$_missing" ] || return 0
  if ! command -v apt-get >/dev/null; then
    say "no apt-get here; trying without (.debian-packages lists what is needed)"
    return 0
  fi
  _sudo=
  if [ "$(id -u)" -ne 0 ]; then
    _sudo=sudo
    command -v sudo >/dev/null ||
      die "packages are missing, and there is no sudo; as root: apt-get install --no-install-recommends$_missing"
  fi
  say "installing from Debian:$_missing"
  _logged build/packages.log _apt_install
}

_apt_install() {
  case "$_missing" in
    *:arm64*) $_sudo dpkg --add-architecture arm64 || return ;;
  esac
  # An unrelated source that cannot be read must not stop us: the installation itself decides.
  _apt_get update || :
  # shellcheck disable=SC2086 # one word a package
  _apt_get install -y --no-install-recommends $_missing
}

_apt_get() {
  # A fresh machine often updates itself just after boot: wait for that.
  $_sudo env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 "$@"
}

# has_needs_of_wasm: installs what the preset wasm needs; false, with a word why, where its packages or the sources of its
# libraries cannot be had.
has_needs_of_wasm() {
  if ! (install_packages wasm); then
    say "the packages of wasm in .debian-packages could not be had here; the lines above say why"
    return 1
  fi
  [ ! -e "$root/build/wasm/sources/done" ] || return 0
  _sources=$(mktemp -d) || return
  _status=0
  "$root/src/wasm/debian_sources" "$_sources" zlib >"$_sources/log" 2>&1 || _status=$?
  [ "$_status" -eq 0 ] || {
    cat "$_sources/log" >&2
    say "Debian's source packages could not be had here; the lines above say why"
  }
  rm -rf "$_sources"
  return "$_status"
}

# Some tests wait: two more at a time than there are processors.
tests_at_a_time=$(($(nproc) + 2))

# in_memory: from here to the end of this shell temporary files are in memory, if there is room and programs may be started
# there. Tests write so many small files that most of their time would be the disk's.
in_memory() {
  [ -z "${TMPDIR:-}" ] && [ -w /dev/shm ] || return 0
  [ "$(df --output=avail -k /dev/shm | tail -n 1)" -ge 4000000 ] || return 0
  TMPDIR=$(mktemp -d /dev/shm/attn-tests.XXXXXX) && export TMPDIR || return
  trap 'rm -rf --one-file-system -- "$TMPDIR"' EXIT
  trap 'exit 130' INT TERM
  cp /bin/true "$TMPDIR/true"
  if ! "$TMPDIR/true" 2>/dev/null; then
    rm -rf --one-file-system -- "$TMPDIR"
    unset TMPDIR
    trap - EXIT
  fi
}

# build PRESET FOLDER TARGET [argument of the configuration...]: in build/FOLDER.
build() {
  _preset=$1
  _folder=build/$2
  _target=$3
  shift 3
  say "building $_target in $_folder"
  _logged "$_folder.log" _cmake "$@"
}

_cmake() (
  cd -- "$root" || exit
  mkdir -p "$_folder" && touch "$_folder/.building" || exit
  # A build folder that was moved or copied here begins anew.
  _home=$(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' "$_folder/CMakeCache.txt" 2>/dev/null) || :
  [ -z "$_home" ] || [ "$_home" = "$(pwd -P)" ] || set -- --fresh "$@"
  cmake --preset "$_preset" -B "$_folder" "$@" &&
    cmake --build "$_folder" --target "$_target" &&
    # For `run`: older than all that changed while we were building.
    mv "$_folder/.building" "$_folder/.built"
)

# _logged LOG COMMAND...: runs it quietly, one at a time; shows what it said if it fails. On a terminal the line that it
# wrote last tells how far it is.
_logged() {
  _log=$root/$1
  shift
  { mkdir -p "$root/build" && true >>"$root/build/lock" && true >>"$_log"; } 2>/dev/null ||
    die "cannot write in $root/build"
  _watcher=
  if [ -t 2 ]; then
    _watch &
    _watcher=$!
  fi
  _status=0
  (
    flock 9
    "$@" >"$_log" 2>&1 </dev/null 9>&-
  ) 9>>"$root/build/lock" || _status=$?
  if [ -n "$_watcher" ]; then
    kill "$_watcher"
    wait "$_watcher" 2>/dev/null || :
    printf '\r\033[K' >&2
  fi
  [ "$_status" -eq 0 ] || {
    cat -- "$_log" >&2
    die "that failed; the lines above are also in $_log"
  }
}

# Until it is killed, or whoever builds is: Ctrl-C does not reach what runs in the background.
_watch() {
  while sleep 0.2 && kill -0 $$ 2>/dev/null; do
    printf '\r%.76s\033[K' "$(tail -n 1 -- "$_log" | tr -dc '[:print:]')" >&2
  done
}
