"""Converts the tiny model for llama-server, with llama.cpp's own converter, so that `llama` runs without real weights.

Usage, with vLLM's environment (it has torch and transformers):
    .venv-vllm/bin/python -m scripts.tiny_gguf LLAMA_CPP_DIR TINY_MODEL_DIR OUT_DIR

The converter knows the real model; three things of the tiny one it does not: the tokenizer's kind, a vision part of
fewer layers than its projector has parts, and the picture's sizes where newer processors write them. What llama-server
then reads is close to what the tiny model was taught, not equal: pictures are scaled otherwise.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

PROJECTOR = "vit.perceive.proj.2"


def teach(base: Any, hunyuan: Any) -> None:
    """Tells the converter's classes what they lack for the tiny model."""
    for made in [value for value in vars(base).values() if isinstance(value, type)]:
        if "get_vocab_base_pre" in vars(made):
            made.get_vocab_base_pre = lambda self, tokenizer: "gpt-2"
    name_of = base.ModelBase.map_tensor_name

    def map_tensor_name(self: Any, name: str, *rest: Any, **named: Any) -> str:
        return name.replace(PROJECTOR, "mm.2") if name.startswith(PROJECTOR) else name_of(self, name, *rest, **named)

    base.ModelBase.map_tensor_name = map_tensor_name
    vision = hunyuan.HunyuanVLVisionModel
    write = vision.set_gguf_parameters

    def set_gguf_parameters(self: Any) -> None:
        size = self.preprocessor_config["size"]
        self.preprocessor_config |= {"min_pixels": size["shortest_edge"], "max_pixels": size["longest_edge"]}
        write(self)

    vision.set_gguf_parameters = set_gguf_parameters


def main() -> None:
    llama_cpp, model, out = (Path(argument).resolve() for argument in sys.argv[1:4])
    sys.path[:0] = [str(llama_cpp), str(llama_cpp / "gguf-py")]
    import conversion.base as base
    import conversion.hunyuan as hunyuan
    import convert_hf_to_gguf as converter

    teach(base, hunyuan)
    out.mkdir(parents=True, exist_ok=True)
    for name, more in (("tiny.gguf", []), ("mmproj-tiny.gguf", ["--mmproj"])):
        sys.argv[1:] = [str(model), "--outfile", str(out / name), "--outtype", "f32", *more]
        converter.main()


if __name__ == "__main__":
    main()
