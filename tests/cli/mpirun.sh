#!/usr/bin/env bash
# mpirun.sh MSPROBE DUMP_JSON: four processes of a real mpirun take their parts by themselves, and `msprobe merge` gives
# the bytes of one run. Exit status 77 where there is no mpirun.
set -euo pipefail
msprobe=$1 dump=$2
command -v mpirun >/dev/null || { echo "no mpirun here (Debian: openmpi-bin); this test is skipped"; exit 77; }

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
options=(-api_info "$dump" --device_type cpu --threads 2 -q)
as=(--mca plm isolated)  # this machine alone: no ssh is needed
[ "$(id -u)" = 0 ] && as+=(--allow-run-as-root)

"$msprobe" acc_check "${options[@]}" -o "$folder/one" >/dev/null
mpirun "${as[@]}" --oversubscribe -n 4 "$msprobe" acc_check "${options[@]}" -o "$folder/parts" >"$folder/log" 2>&1 ||
  { cat "$folder/log"; echo "mpirun failed"; exit 1; }
for part in 0 1 2 3; do
  rows=$(cat "$folder/parts/shard_${part}_of_4"/accuracy_checking_result_*.csv | wc -l)
  [ "$rows" -gt 1 ] || { echo "part $part of 4 has no rows"; exit 1; }
done
"$msprobe" merge "$folder/parts" -o "$folder/joined"
for kind in result details; do
  cmp "$folder"/one/accuracy_checking_${kind}_*.csv "$folder"/joined/accuracy_checking_${kind}_*.csv
done
