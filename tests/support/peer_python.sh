#!/usr/bin/env bash
# peer_python.sh VENV TORCH: makes VENV, a Python with MindStudio msprobe and the torch in TORCH, unless it is there.
# Exit code 77 (CTest: skipped) and VENV.why, one line, where that cannot be done, for example without network.
set -uo pipefail
venv=$1 torch=$2
version=26.2.0

[ -e "$venv/ready-$version" ] && exit 0
rm -rf "$venv" "$venv.why"
skip() {
  rm -rf "$venv"
  printf '%s\n' "$*" | tr '\n' ' ' | cut -c 1-400 >"$venv.why"
  cat "$venv.why"
  exit 77
}

[ -e "$torch/__init__.py" ] || skip "the LibTorch in $torch is no Python package, so there is no torch for MindStudio msprobe"
site=$(dirname "$torch")
python=$(dirname "$(dirname "$(dirname "$site")")")/bin/python3
[ -x "$python" ] || skip "no python3 in $(dirname "$python") that goes with the torch in $site"

log=$venv.log
"$python" -m venv "$venv" >"$log" 2>&1 || skip "python3 -m venv failed: $(tail -n 1 "$log")"
echo "$site" >"$("$venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/torch.pth"
install() {
  timeout 100 "$venv/bin/pip" install -q --disable-pip-version-check --no-input --no-compile --only-binary :all: --timeout 10 \
    --retries 0 "$@" >"$log" 2>&1 || skip "mindstudio-probe $version could not be installed: $(grep -v '^WARNING' "$log" | tail -n 1)"
}
# What api_precision_compare and the fused operators import; the wheel asks for onnx and more, which they never use.
install --no-deps "mindstudio-probe==$version"
install numpy pandas pyyaml openpyxl pytz tqdm packaging protobuf psutil einops matplotlib tensorboard
"$venv/bin/python" -c 'import msprobe.pytorch.api_accuracy_checker.compare.api_precision_compare' >"$log" 2>&1 ||
  skip "mindstudio-probe $version does not start: $(tail -n 1 "$log")"
touch "$venv/ready-$version"
echo "MindStudio msprobe $version with the torch in $site"
