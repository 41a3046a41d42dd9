"""Writes a folder that vLLM 0.25.1 loads as a full-size HunyuanOCR, with load_format="dummy": real sizes, no weights.

What is measured with it is real (time, memory, scheduling); what it says is noise. The sizes are those of the model's
public config, the token names and numbers those of its public tokenizer as far as they matter to vLLM.

Usage: python -m benchmarks.full_size_model OUT_DIR [--weights], with the Python that has vLLM

--weights writes random ones into the folder too (2 GB, on the first GPU where there is one), the draft model's as well.
What they say is noise all the same, but other noise for each picture, which vLLM's own dummy weights do not do: whether
two ways of reading give the same tokens can be seen with them.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path

from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

from scripts.tiny_model.network import (
    AFTER_SYSTEM,
    ASSISTANT,
    BEGIN,
    CHAT_TEMPLATE,
    END,
    IMAGE,
    IMAGE_END,
    IMAGE_NEWLINE,
    IMAGE_START,
    PAD,
    USER,
)

VOCABULARY = 120_818
SPECIAL = {
    120000: BEGIN,
    120002: PAD,
    120007: ASSISTANT,
    120010: USER,
    120020: END,
    120021: AFTER_SYSTEM,
    120118: IMAGE_START,
    120119: IMAGE_END,
    120120: IMAGE,
    120121: IMAGE_NEWLINE,
}
"""vLLM up to 0.28 counts on 120118 to 120120 for the picture."""

CONFIG = {
    "architectures": ["HunYuanVLForConditionalGeneration"],
    "model_type": "hunyuan_vl",
    "dtype": "bfloat16",
    "hidden_size": 1024,
    "intermediate_size": 3584,
    "num_hidden_layers": 24,
    "num_attention_heads": 16,
    "num_key_value_heads": 8,
    "head_dim": 128,
    "attention_head_dim": 128,
    "attention_bias": False,
    "attention_dropout": 0.0,
    "mlp_bias": False,
    "hidden_act": "silu",
    "norm_type": "rms",
    "rms_norm_eps": 1e-5,
    "use_qk_norm": True,
    "use_cla": False,
    "use_cache": True,
    "vocab_size": VOCABULARY,
    "org_vocab_size": VOCABULARY,
    "tie_word_embeddings": True,
    "max_position_embeddings": 32768,
    "num_experts": 1,
    "pretraining_tp": 1,
    "initializer_range": 0.02,
    "rope_theta": 10000.0,
    "rope_scaling": {
        "type": "xdrope",
        "rope_type": "xdrope",
        "xdrope_section": [16, 16, 16, 16],
        "alpha": 1000.0,
        "factor": 1.0,
        "beta_fast": 32,
        "beta_slow": 1,
        "mscale": 1.0,
        "mscale_all_dim": 1.0,
    },
    "bos_token_id": 120000,
    "pad_token_id": 120002,
    "pad_id": 120002,
    "eos_token_id": 120007,
    "eod_token_id": 120020,
    "sep_token_id": 120009,
    "image_start_token_id": 120118,
    "image_end_token_id": 120119,
    "image_token_id": 120120,
    "image_newline_token_id": 120121,
    "text_start_id": 7,
    "text_end_id": 8,
    "vision_config": {
        "model_type": "hunyuan_vl",
        "hidden_size": 1152,
        "intermediate_size": 4304,
        "num_hidden_layers": 27,
        "num_attention_heads": 16,
        "hidden_act": "gelu",
        "rms_norm_eps": 1e-5,
        "num_channels": 3,
        "patch_size": 16,
        "spatial_merge_size": 2,
        "temporal_patch_size": 1,
        "interpolate_mode": "bilinear",
        "out_hidden_size": 1024,
        "text_hidden_size": 1024,
        "max_image_size": 2048,
        "min_image_size": 512,
        "anyres_vit_max_image_size": 2048,
        "img_max_token_num": 4096,
        "max_vit_seq_len": 16384,
        "cat_extra_token": 1,
        "add_patchemb_bias": True,
    },
}
PREPROCESSOR = {
    "image_processor_type": "HunYuanVLImageProcessor",
    "processor_class": "HunYuanVLProcessor",
    "resample": 1,
    "min_pixels": 512 * 512,
    "max_pixels": 2048 * 2048,
    "patch_size": 16,
    "merge_size": 2,
    "temporal_patch_size": 1,
    "image_mean": [0.48145466, 0.4578275, 0.40821073],
    "image_std": [0.26862954, 0.26130258, 0.27577711],
}
DRAFT_CONFIG = {
    "architectures": ["DFlashDraftModel"],
    "model_type": "qwen3",
    "dtype": "bfloat16",
    "hidden_size": 1024,
    "intermediate_size": 3584,
    "num_hidden_layers": 8,
    "num_attention_heads": 16,
    "num_key_value_heads": 8,
    "head_dim": 128,
    "attention_bias": False,
    "hidden_act": "silu",
    "rms_norm_eps": 1e-5,
    "rope_theta": 10000.0,
    "vocab_size": VOCABULARY,
    "tie_word_embeddings": True,
    "max_position_embeddings": 32768,
    "block_size": 16,
    "num_target_layers": 24,
    "dflash_config": {"mask_token_id": VOCABULARY - 1, "target_layer_ids": [1, 6, 11, 16, 21]},
}
"""A draft model of about the published size (0.7 GB with its embeddings); its true shape is not known here."""
GENERATION = {"bos_token_id": 120000, "eos_token_id": [120007, 120020], "pad_token_id": 120002}


def tokenizer() -> PreTrainedTokenizerFast:
    """One token a byte, the special ones at their real numbers, fillers between."""
    vocabulary = {char: i for i, char in enumerate(sorted(pre_tokenizers.ByteLevel.alphabet()))}
    for i in range(len(vocabulary), VOCABULARY):
        vocabulary[SPECIAL.get(i, f"filler{i}")] = i
    made = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    made.add_special_tokens([AddedToken(token, special=True) for token in SPECIAL.values()])
    wrapped = PreTrainedTokenizerFast(
        tokenizer_object=made,
        pad_token=PAD,
        bos_token=BEGIN,
        eos_token=ASSISTANT,
        extra_special_tokens={"image_token": IMAGE, "image_start_token": IMAGE_START, "image_end_token": IMAGE_END},
    )
    wrapped.chat_template = CHAT_TEMPLATE
    return wrapped


def write(out: Path) -> None:
    out.mkdir(parents=True, exist_ok=True)
    tokenizer().save_pretrained(out)
    (out / "dflash").mkdir(exist_ok=True)
    for name, content in (
        ("config.json", CONFIG),
        ("dflash/config.json", DRAFT_CONFIG),
        ("preprocessor_config.json", PREPROCESSOR),
        ("generation_config.json", GENERATION),
    ):
        (out / name).write_text(json.dumps(content, indent=1))


LOUDER = {
    "embeddings.patch_embedding.weight": 10,
    **dict.fromkeys(("v_proj.weight", "o_proj.weight", "down_proj.weight"), 6),
    **dict.fromkeys(("q_proj.weight", "k_proj.weight"), 4),
}
"""By how much these grow. At the usual size of untrained weights the picture drowns: each token asks for itself again,
since what goes in and what comes out share one table, and all pictures get one answer."""


def write_weights(folder: Path) -> None:
    """Args: folder: what `write` made."""
    import torch
    from transformers import AutoConfig, HunYuanVLForConditionalGeneration

    torch.manual_seed(0)
    with torch.device("cuda" if torch.cuda.is_available() else "cpu"):
        network = HunYuanVLForConditionalGeneration(AutoConfig.from_pretrained(folder))
    with torch.no_grad():
        for name, values in network.named_parameters():
            values.mul_(next((by for end, by in LOUDER.items() if name.endswith(end)), 1))
    # Of what is saved only the weights: the folder's own files are as the model's publisher writes them.
    with tempfile.TemporaryDirectory(dir=folder) as saved:
        network.to(torch.bfloat16).save_pretrained(saved, max_shard_size="20GB")
        (Path(saved) / "model.safetensors").rename(folder / "model.safetensors")
    write_draft_weights(folder / "dflash")


def write_draft_weights(folder: Path) -> None:
    """The draft model's, of the usual size: what it proposes is noise, too. Its embeddings are the model's own."""
    import torch
    from safetensors.torch import save_file
    from transformers import AutoConfig, AutoModel

    config = AutoConfig.from_pretrained(folder)
    layers = {name: one for name, one in AutoModel.from_config(config).state_dict().items() if "embed" not in name}
    wide = len(DRAFT_CONFIG["dflash_config"]["target_layer_ids"]) * config.hidden_size
    more = {
        "fc.weight": torch.randn(config.hidden_size, wide) * config.initializer_range,
        "hidden_norm.weight": torch.ones(config.hidden_size),
    }
    weights = {name: one.to(torch.bfloat16).contiguous() for name, one in {**layers, **more}.items()}
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--weights", action="store_true", help="random ones that tell pictures apart")
    given = parser.parse_args()
    write(given.folder)
    if given.weights:
        write_weights(given.folder)


if __name__ == "__main__":
    main()
