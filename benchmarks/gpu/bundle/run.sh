#!/usr/bin/env bash
# On the machine without a network: unpacks the bundle and runs proofs, as `make prove-gpu` does where SGLang is installed.
#
#     benchmarks/gpu/bundle/run.sh BUNDLE.tar.xz PACKAGE OUT KIND [NAME…]
#
# PACKAGE is the folder that `flowmap emit adaptive-disable` wrote. Models, outcomes and results go below OUT.
set -euo pipefail
root=$(cd "$(dirname "$0")/../../.." && pwd) bundle=$(realpath "$1") package=$(realpath "$2") out=$(realpath -m "$3")
base=${BUNDLE_HOME:-$HOME/adaptive-gpu}
mkdir -p "$base" "$out"
[ -d "$base/site/sglang" ] || tar xJf "$bundle" -C "$base"
export PYTHONPATH=$root:$package:$base/site LD_LIBRARY_PATH=$base/site/lib:${LD_LIBRARY_PATH:-}
export TRITON_CACHE_DIR=$base/triton TORCHINDUCTOR_CACHE_DIR=$base/inductor TORCHINDUCTOR_COMPILE_THREADS=2 OMP_NUM_THREADS=2
export SGLANG_SKIP_SGL_KERNEL_VERSION_CHECK=1 TOKENIZERS_PARALLELISM=false PYTHONUNBUFFERED=1
cd "$root"
python3 -W ignore -m benchmarks.gpu.prove "$4" "$out" "${@:5}"
