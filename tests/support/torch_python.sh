#!/bin/sh
# Runs `torch_python.sh ROOT SCRIPT ARGUMENTS...` with a Python that has torch: $MSPROBE_TEST_PYTHON, else ROOT/.venv's (made by
# scripts/setup.sh), else python3. Exit 77, which CTest shows as skipped, where there is no Python at all.
root=$1
shift
python=$MSPROBE_TEST_PYTHON
if [ -z "$python" ]; then
  python=python3
  [ -x "$root/.venv/bin/python" ] && python=$root/.venv/bin/python
  if ! command -v "$python" >/dev/null; then
    echo "SKIPPED: no python3"
    exit 77
  fi
fi
exec "$python" "$@"
