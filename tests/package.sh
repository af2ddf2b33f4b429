#!/usr/bin/env bash
# Tries what .packaging/make made: the .deb installed, run and purged on this Debian and on a newer one, the .tar.xz where
# there is nothing else at all, `cmake --install` and the target uninstall. Needs root.
set -euo pipefail

cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
build=$PWD/build/release
program=$build/attn-walkthrough
version=$(sed -n 's/^project(attn-walkthrough VERSION \([0-9.]*\) .*/\1/p' CMakeLists.txt)
day=$(sed -n 's/^set(ATTN_DATE \([0-9-]*\)).*/\1/p' CMakeLists.txt)
deb=$build/packages/attn-walkthrough_${version}_$(dpkg --print-architecture).deb
archive=$build/packages/attn-walkthrough-$version-linux-$(uname -m).tar.xz
scratch=$(mktemp -d)
trap 'rm -rf --one-file-system -- "$scratch"' EXIT

fail() {
  echo "package.sh: $*" >&2
  exit 1
}

[ "$(id -u)" -eq 0 ] || fail "needs root, to install a package"
[[ -f $deb && -f $archive ]] || fail "no packages of $version; .packaging/make makes them"
[ "$program" -ot "$deb" ] || fail "the packages are older than $program; .packaging/make makes them anew"

echo "-- the version"
"$program" --version | grep -qwF "$version" || fail "--version does not say $version"
grep -m 1 '^## ' CHANGELOG.md | grep -qxF "## [$version] - $day" || fail "CHANGELOG.md does not begin with [$version] - $day"

echo "-- packed again, the same bytes"
(cd "$build/packages" && sha256sum --check --quiet -- *.sha256)
(cd "$build" && umask 077 && env -u SOURCE_DATE_EPOCH TZ=Asia/Kathmandu LC_ALL=C cpack -B "$scratch/again" >"$scratch/log" 2>&1) || {
  cat "$scratch/log"
  fail "cpack failed"
}
for made in "$deb" "$archive"; do
  cmp "$made" "$scratch/again/${made##*/}" || fail "${made##*/} differs when it is made again"
done
rm -rf "$scratch/again"

if command -v lintian >/dev/null; then
  echo "-- lintian"
  lintian --allow-root --fail-on error,warning,info "$deb"
else
  echo "-- SKIPPED, no lintian here"
fi

# What a plain machine answers: an installed program prints what the one that was built prints, and has its manual,
# completions and notices; after purging, nothing of it is there.
cat >"$scratch/try" <<'TRY'
set -eu
! dpkg-query -W attn-walkthrough >/dev/null 2>&1 || { echo "attn-walkthrough is already installed here"; exit 1; }
trap 'dpkg --purge attn-walkthrough >/dev/null 2>&1' EXIT
dpkg --install "$1" >/dev/null
files=$(dpkg-query -L attn-walkthrough)
[ "$(command -v attn-walkthrough)" = /usr/bin/attn-walkthrough ] || {
  echo "another attn-walkthrough comes first: $(command -v attn-walkthrough)"
  exit 1
}
attn-walkthrough causal --seed 123 --steps all | cmp - "$2/expected"
attn-walkthrough causal | attn-walkthrough verify - >/dev/null
[ ! -e "$2/expected.html" ] || attn-walkthrough causal --live --format html | cmp - "$2/expected.html"
for file in bin/attn-walkthrough share/bash-completion/completions/attn-walkthrough \
  share/zsh/vendor-completions/_attn-walkthrough share/fish/vendor_completions.d/attn-walkthrough.fish; do
  test -s "/usr/$file"
done
for name in share/man/man1/attn-walkthrough.1.gz share/doc/attn-walkthrough/copyright share/doc/attn-walkthrough/notices/openblas; do
  dpkg-deb --contents "$1" | grep "usr/$name\$" >/dev/null || { echo "the package has no $name"; exit 1; }
done
dpkg --purge attn-walkthrough >/dev/null
trap - EXIT
for file in $files; do
  case $file in
    *attn-walkthrough*) test ! -e "$file" || { echo "$file is left after purging"; exit 1; } ;;
  esac
done
TRY
"$program" causal --seed 123 --steps all >"$scratch/expected"
notices=(xtensor xtl openblas cli11 nlohmann-json utf8proc zlib ncurses)
if "$program" causal --live -o "$scratch/expected.html" 2>"$scratch/log"; then
  notices+=(emscripten fast-float fmt range-v3)
else
  echo "-- SKIPPED, --live: $(cat "$scratch/log")"
fi

echo "-- the .deb on this Debian"
sh "$scratch/try" "$deb" "$scratch" || fail "the .deb fails on this Debian"

echo "-- the .deb on Debian trixie"
status=0
tests/oracle/in_debian.sh --bare trixie build/oracle/trixie-bare sh "$scratch/try" "$deb" "$scratch" || status=$?
[[ $status == 0 || $status == 77 ]] || fail "the .deb fails on trixie"
[ "$status" -eq 0 ] || echo "SKIPPED, no Debian trixie could be had here; the line above says why"

echo "-- the .tar.xz where there is nothing else"
mkdir "$scratch/empty"
tar --extract --file "$archive" --strip-components 1 --directory "$scratch/empty"
env -i /usr/sbin/chroot "$scratch/empty" /bin/attn-walkthrough causal --seed 123 --steps all | cmp - "$scratch/expected"
for file in man/man1/attn-walkthrough.1 bash-completion/completions/attn-walkthrough zsh/site-functions/_attn-walkthrough \
  fish/vendor_completions.d/attn-walkthrough.fish doc/attn-walkthrough/copyright "${notices[@]/#/doc/attn-walkthrough/notices/}"; do
  [ -s "$scratch/empty/share/$file" ] || fail "the archive has no share/$file"
done
grep -rhoE '/usr/share/common-licenses/[A-Za-z]+[0-9]*(-[0-9]+(\.[0-9]+)?)?' "$scratch/empty/share/doc" | sort -u |
  while read -r licence; do
    [ -s "$scratch/empty/share/doc/attn-walkthrough/notices/common-licenses/${licence##*/}" ] || fail "the archive has no ${licence##*/}"
  done

echo "-- cmake --install, and the target uninstall"
DESTDIR=$scratch/installed cmake --install "$build" --strip >/dev/null
"$scratch/installed/usr/local/bin/attn-walkthrough" causal --seed 123 --steps all | cmp - "$scratch/expected"
DESTDIR=$scratch/installed cmake --build "$build" --target uninstall >/dev/null
left=$(find "$scratch/installed" -name '*attn-walkthrough*')
[ -z "$left" ] || fail "uninstall leaves $left"
