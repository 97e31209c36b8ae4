# Sourced by scripts/demo and scripts/test: brings what the build needs, then builds. Does only what is missing.
# Debian 12 and 13, Ubuntu 22.04 and 24.04. The variables that a caller may set:
#   Torch_DIR          folder of a TorchConfig.cmake: this LibTorch and no other
#   MSPROBE_BUILD_DIR  default: build
# shellcheck shell=bash

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=${MSPROBE_BUILD_DIR:-$root/build}

packages=(g++ cmake ninja-build git ca-certificates zlib1g-dev libcli11-dev rapidjson-dev nlohmann-json3-dev libyaml-cpp-dev
          libfccp-dev libspdlog-dev libfmt-dev libgtest-dev libgmock-dev)

# Beyond that, what some tests need; they are skipped without it. mpirun (22 MB)
test_packages=(openmpi-bin)

say() { printf 'msprobe set-up: %s\n' "$*" >&2; }
die() { printf 'msprobe set-up: error: %s\n' "$*" >&2; exit 1; }

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"
  elif command -v sudo >/dev/null; then sudo "$@"
  else die "needs root for: $*; run it as root, or install sudo"
  fi
}

# Prints those of the given Debian packages that are not installed.
missing_packages() {
  local installed package
  installed=$(dpkg-query -W -f='${db:Status-Status} ${Package}\n' "$@" 2>/dev/null | sed -n 's/^installed //p' || true)
  for package in "$@"; do
    grep -qx -- "$package" <<<"$installed" || echo "$package"
  done
}

apt_lists_fresh=
apt_update() {
  [ -n "$apt_lists_fresh" ] && return
  say "apt-get update"
  as_root apt-get update -qq || die "apt-get update failed; check the network and /etc/apt/sources.list"
  apt_lists_fresh=1
}

install_packages() {
  local missing
  mapfile -t missing < <(missing_packages "$@")
  [ ${#missing[@]} -eq 0 ] && return
  apt_update
  say "apt-get install ${missing[*]}"
  local log
  log=$(mktemp)
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >"$log" 2>&1 ||
    { cat "$log" >&2; die "apt-get could not install: ${missing[*]}"; }
  rm -f "$log"
}

# Succeeds when the LibTorch in folder $1 (include/, lib/) is 2.1 or newer and has the new C++ ABI; else sets `why`.
usable_torch() {
  local header version library
  why="no headers in $1"
  for header in "$1"/include/torch/headeronly/version.h "$1"/include/torch/csrc/api/include/torch/version.h; do
    [ -e "$header" ] && break
  done
  [ -e "$header" ] || return 1
  version=$(awk '/define TORCH_VERSION_(MAJOR|MINOR) /{printf "%s%s", s, $3; s="."}' "$header")
  why="version ${version:-unknown}, older than 2.1"
  [ "$(printf '2.1\n%s\n' "$version" | sort -V | head -n 1)" = 2.1 ] || return 1
  why="version $version, no libc10.so"
  for library in "$1"/lib/libc10.so "$1"/lib/*-linux-gnu/libc10.so; do
    [ -e "$library" ] && break
  done
  [ -e "$library" ] || return 1
  why="version $version, old C++ ABI"
  grep -qaE '_ZN3c10[A-Za-z0-9_]*7__cxx1112basic_string' "$library"
}

# Makes .venv with requirements.txt's torch, unless it is there. pip writes a package's RECORD last.
own_torch() {
  local pinned
  pinned=$(sed -n 's/^torch==//p' "$root/requirements.txt")
  if ! compgen -G "$root/.venv/lib/python3*/site-packages/torch-$pinned*.dist-info/RECORD" >/dev/null; then
    command -v apt-get >/dev/null && install_packages python3 python3-venv
    say "installing torch $pinned in .venv (takes minutes)"
    if ! [ -x "$root/.venv/bin/pip" ]; then
      python3 -m venv "$root/.venv" || die "python3 could not make $root/.venv"
    fi
    "$root/.venv/bin/pip" install -q --disable-pip-version-check --no-compile -r "$root/requirements.txt" ||
      die "torch $pinned could not be installed in $root/.venv; check the network, or name a LibTorch with Torch_DIR=DIR"
  fi
}

# Finds LibTorch as cmake/MsprobeTorch.cmake does, and brings one where there is none.
provide_torch() {
  local package candidate
  torch_arguments=()
  if [ -n "${Torch_DIR:-}" ]; then
    torch_arguments=("-DTorch_DIR=$Torch_DIR")
    return
  fi
  [ -n "${CMAKE_PREFIX_PATH:-}" ] && compgen -G "${CMAKE_PREFIX_PATH%%:*}/*orch/TorchConfig.cmake" >/dev/null && return
  package=$(python3 -c "import importlib.util as u; s = u.find_spec('torch'); print(list(s.submodule_search_locations)[0] if s else '')" 2>/dev/null || true)
  if [ -n "$package" ] && [ -e "$package/include/ATen/ATen.h" ]; then
    usable_torch "$package" && return
    say "python3's torch ($package: $why) cannot be built against and is left as it is; .venv gets one for this project"
    own_torch
    torch_arguments=("-DTorch_DIR=$(echo "$root"/.venv/lib/python3*/site-packages/torch/share/cmake/Torch)")
    return
  fi
  [ -e "$root/.venv/bin/python3" ] && own_torch && return
  usable_torch /usr/local && return
  usable_torch /usr && return
  if command -v apt-get >/dev/null; then
    apt_update
    candidate=$(LC_ALL=C apt-cache policy libtorch-dev 2>/dev/null | sed -n 's/^ *Candidate: //p' || true)
    if [ -n "$candidate" ] && [ "$candidate" != "(none)" ] && dpkg --compare-versions "$candidate" ge 2.1; then
      install_packages libtorch-dev
      return
    fi
  fi
  own_torch
}

# Compiling against LibTorch takes about 1.5 GB a job.
job_count() {
  local cores memory
  cores=$(nproc)
  memory=$(awk '/^MemAvailable:/{print int($2 / 1572864)}' /proc/meminfo)
  [ "${memory:-1}" -ge 1 ] || memory=1
  echo $((cores < memory ? cores : memory))
}

# build_targets TARGET...
build_targets() {
  cmake -S "$root" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release "${torch_arguments[@]}" >"$build.configure.log" 2>&1 ||
    { cat "$build.configure.log" >&2; die "cmake could not configure $build"; }
  mv "$build.configure.log" "$build/configure.log"
  say "building in $build"
  ninja -C "$build" -j "$(job_count)" --quiet "$@" || die "the build failed"
}

# Brings test_packages where this user may install them.
set_up_tests() {
  command -v apt-get >/dev/null || return 0
  if [ "$(id -u)" = 0 ] || command -v sudo >/dev/null; then install_packages "${test_packages[@]}"; fi
}

set_up() {
  if command -v apt-get >/dev/null; then
    install_packages "${packages[@]}"
  else
    say "no apt-get here: the packages of ${packages[*]} must be there under this system's names"
  fi
  provide_torch
}
