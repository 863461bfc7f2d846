#!/bin/sh
# Lets Rumur and kafkatrial visit every state of the same bounded model, KIP-320 in replication-kip-320.m and in
# model/replicationspec, one after the other, and prints what they counted, how long they took, and their peak memory.
#
#     docs/compare-rumur.sh [REPLICAS LOG RECORDS EPOCHS]     (3 2 2 2 if not given)
#     JOBS=2 docs/compare-rumur.sh                            (processors for each; 1 if not given)
#     RUMUR_FLAGS="--pack-state off" docs/compare-rumur.sh    (further flags for rumur)
#
# Exit status: 0 the counts are equal, 1 they are not or a search failed, 2 something is missing. Linux only.
set -eu

if [ $# -ne 0 ] && [ $# -ne 4 ]; then
  echo "usage: $0 [REPLICAS LOG RECORDS EPOCHS]" >&2
  exit 2
fi
replicas=${1:-3} log=${2:-2} records=${3:-2} epochs=${4:-2} jobs=${JOBS:-1}
docs=$(cd "$(dirname "$0")" && pwd)

missing() {
  echo "$0: $1 is missing. $2" >&2
  exit 2
}
command -v rumur >/dev/null || missing rumur "On Debian and Ubuntu: apt-get install rumur. Elsewhere: https://github.com/Smattr/rumur"
command -v cc >/dev/null || missing "a C compiler (cc)" "On Debian and Ubuntu: apt-get install gcc"
command -v go >/dev/null || missing go "See https://go.dev/dl"
[ -x /usr/bin/time ] || missing /usr/bin/time "On Debian and Ubuntu: apt-get install time"

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' INT TERM

# The bounds are constants of the Murphi model.
sed -e "s/^  REPLICAS: *[0-9]*;/  REPLICAS: $replicas;/" -e "s/^  LOG: *[0-9]*;/  LOG: $log;/" \
  -e "s/^  RECORDS: *[0-9]*;/  RECORDS: $records;/" -e "s/^  EPOCHS: *[0-9]*;/  EPOCHS: $epochs;/" \
  "$docs/replication-kip-320.m" >"$tmp/model.m"

case $(uname -m) in
x86_64) wide=-mcx16 ;; # Rumur's code swaps 16 bytes at once
*) wide= ;;
esac
# shellcheck disable=SC2086
rumur --deadlock-detection off --threads "$jobs" ${RUMUR_FLAGS:-} --output "$tmp/model.c" "$tmp/model.m"
# shellcheck disable=SC2086
cc -std=c11 -O3 -march=native $wide -o "$tmp/model" "$tmp/model.c" -lpthread
(cd "$docs/.." && go build -o "$tmp/kafkatrial" ./tui/kafkatrial)

# search NAME COMMAND… runs a search. Its output is in $tmp/NAME.out, its times and its memory in $tmp/NAME.time.
search() {
  name=$1
  shift
  if ! /usr/bin/time -f '%e %U %S %M' -o "$tmp/$name.time" "$@" >"$tmp/$name.out" 2>&1; then
    tail -n 60 "$tmp/$name.out" >&2
    echo "$0: the search by $name failed" >&2
    exit 1
  fi
}
search rumur "$tmp/model"
search kafkatrial "$tmp/kafkatrial" spec kip-320 --replicas "$replicas" --log "$log" --records "$records" --epochs "$epochs" --jobs "$jobs"

# Rumur counts steps; kafkatrial, as TLC does, also counts the initial state as generated.
ours=$(sed -n 's/.*: \([0-9]*\) distinct states, \([0-9]*\) generated.*/\1 \2/p' "$tmp/kafkatrial.out")
theirs=$(sed -n 's/^[[:space:]]*\([0-9]*\) states, \([0-9]*\) rules fired in .*/\1 \2/p' "$tmp/rumur.out" | awk '{ print $1, $2 + 1 }')

row() {
  # shellcheck disable=SC2046
  echo "$1" $2 $(cat "$tmp/$1.time") |
    awk '{ printf "%-12s %12d %12d %10.2f %14.2f %12.0f\n", $1, $2, $3, $4, $5 + $6, $7 / 1024 }'
}
echo "KIP-320, $replicas/$log/$records/$epochs, processors for each: $jobs; $(rumur --version 2>&1 | head -n 1); load $(cut -d ' ' -f 1 /proc/loadavg)"
printf '%-12s %12s %12s %10s %14s %12s\n' "" states generated seconds "processor s" "peak MiB"
row rumur "$theirs"
row kafkatrial "$ours"
if [ -z "$ours" ] || [ "$ours" != "$theirs" ]; then
  echo "The counts differ." >&2
  exit 1
fi
echo "The counts are equal."
