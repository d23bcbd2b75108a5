#!/usr/bin/env bash
# Packs SGLang 0.5.9 for a machine that has a Hopper GPU, Python 3.12, torch 2.11 with CUDA 13 and triton 3.6, and no network: 28 MB.
#
#     benchmarks/gpu/bundle/build.sh FOLDER OUT.tar.xz       FOLDER: empty; PYTHON312 names a Python 3.12
#
# Needs pip, and apt-get for libnuma. Unpacked there, its site/ goes on PYTHONPATH and site/lib on LD_LIBRARY_PATH.
set -euo pipefail
work=$(realpath "$1") out=$(realpath -m "$2") here=$(cd "$(dirname "$0")" && pwd)
site=$work/site
mkdir -p "$site/lib" "$work/wheels" "$work/deb"

pip download -q --no-deps -d "$work/wheels" sglang==0.5.9
pip download -q --no-deps --only-binary=:all: --python-version 3.12 --implementation cp --abi abi3 --platform manylinux2014_x86_64 \
    -d "$work/wheels" sglang-kernel==0.4.2

# What the machine lacks, or has in another version, with its metadata: entry points are read from it.
"${PYTHON312:-python3.12}" -m venv "$work/venv"
"$work/venv/bin/pip" install -q --no-deps transformers==4.57.1 tokenizers==0.22.2 huggingface_hub==0.36.2 pydantic==2.14.4 \
    pydantic_core==2.50.5 annotated-types annotated-doc typing-inspection typing_extensions fastapi==0.165.0 starlette==1.10.0 \
    opentelemetry-api==1.45.2 pyzmq orjson msgspec setproctitle pybase64 dill uvicorn python-multipart partial-json-parser sniffio
cp -r "$work"/venv/lib/python3.12/site-packages/* "$site/"
rm -rf "$site"/pip "$site"/pip-* "$site"/setuptools* "$site"/_distutils_hack

# SGLang without what the decode loop does not need. Kernels that would be compiled when they are first used are not there:
# rotary embedding runs a kernel that is compiled already.
unzip -q "$work"/wheels/sglang-0.5.9-*.whl -d "$work/sglang"
(cd "$work/sglang/sglang" && tar cf - --exclude=./multimodal_gen --exclude=./test --exclude=./eval \
    --exclude='fused_moe_triton/configs' --exclude='quantization/configs' .) | (mkdir -p "$site/sglang" && tar xf - -C "$site/sglang")
cp "$here/rope.py" "$site/sglang/jit_kernel/rope.py"
"$work/venv/bin/python" "$here/trim.py" "$site"

# Of the kernels, those of Hopper that are needed: FlashAttention 3 is a gigabyte, so attention is Triton's.
unzip -q "$work"/wheels/sglang_kernel-0.4.2-*.whl 'sgl_kernel/*.py' 'sgl_kernel/sm90/*' -d "$site"
{ printf '\n\n' && cat "$here/missing_kernels.py"; } >>"$site/sgl_kernel/__init__.py"
cp "$here/no_flash_attention.py" "$site/sgl_kernel/flash_attn.py"
(cd "$work/deb" && apt-get download -q libnuma1 && dpkg -x libnuma1_*.deb x && cp -L x/usr/lib/x86_64-linux-gnu/libnuma.so.1 "$site/lib/")

find "$site" -name __pycache__ -prune -exec rm -rf {} +
tar cf - -C "$work" site | xz -T2 -3 >"$out"
