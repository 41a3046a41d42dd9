"""Tokenizer, processor and network of the tiny model: HunyuanOCR in shape and token names, a thousandth its size."""

from __future__ import annotations

from collections.abc import Iterable

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import (
    HunYuanVLConfig,
    HunYuanVLForConditionalGeneration,
    HunYuanVLImageProcessor,
    HunYuanVLProcessor,
    PreTrainedTokenizerFast,
)


def place_holder(number: int) -> str:
    return f"<｜hy_place▁holder▁no▁{number}｜>"


BEGIN = "<｜hy_begin▁of▁sentence｜>"
END = "<｜hy_end▁of▁sentence｜>"
PAD = "<｜hy_▁pad▁｜>"
USER = "<｜hy_User｜>"
ASSISTANT = "<｜hy_Assistant｜>"
AFTER_SYSTEM = place_holder(3)
IMAGE_START, IMAGE_END, IMAGE, IMAGE_NEWLINE = (place_holder(n) for n in (100, 101, 102, 103))
SPECIAL = [PAD, BEGIN, END, USER, ASSISTANT, AFTER_SYSTEM, IMAGE_START, IMAGE_END, IMAGE, IMAGE_NEWLINE]
SPECIAL += [place_holder(n) for n in range(110, 116)]

CHAT_TEMPLATE = (
    "{{ bos_token }}{% for m in messages %}{% if m['role'] == 'system' %}"
    "{{ m['content'] if m['content'] is string else m['content'][0]['text'] }}" + AFTER_SYSTEM + "{% else %}"
    "{% if m['content'] is string %}{{ m['content'] }}{% else %}{% for c in m['content'] %}"
    "{% if c['type'] in ('image', 'image_url') %}" + IMAGE_START + IMAGE + IMAGE_END + "{% elif c['type'] == 'text' %}"
    "{{ c['text'] }}{% endif %}{% endfor %}{% endif %}"
    "{% if m['role'] == 'user' %}" + USER + "{% else %}" + ASSISTANT + "{% endif %}{% endif %}{% endfor %}"
)
"""The real model's order: the marker of a role stands AFTER its turn, so that an answer begins after the user's."""

PIXELS = 192 * 256
"""A picture is scaled to about this many pixels: 48 merged patches, so that training takes minutes on one core."""

HIDDEN, VISION_HIDDEN, LAYERS = 128, 64, 2
VOCABULARY = 1200


def make_tokenizer(texts: Iterable[str]) -> PreTrainedTokenizerFast:
    """A byte-level tokenizer that can write anything and knows the pieces of `texts`."""
    tokenizer = Tokenizer(models.BPE(unk_token=None))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY, special_tokens=SPECIAL, initial_alphabet=alphabet, show_progress=False
    )
    tokenizer.train_from_iterator(texts, trainer)
    wrapped = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        bos_token=BEGIN,
        eos_token=ASSISTANT,
        pad_token=PAD,
        extra_special_tokens={"image_token": IMAGE, "image_start_token": IMAGE_START, "image_end_token": IMAGE_END},
    )
    wrapped.chat_template = CHAT_TEMPLATE
    return wrapped


def make_processor(tokenizer: PreTrainedTokenizerFast) -> HunYuanVLProcessor:
    pictures = HunYuanVLImageProcessor(
        size={"shortest_edge": PIXELS // 2, "longest_edge": PIXELS}, patch_size=16, merge_size=2, temporal_patch_size=1
    )
    return HunYuanVLProcessor(image_processor=pictures, tokenizer=tokenizer, chat_template=CHAT_TEMPLATE)


def make_network(tokenizer: PreTrainedTokenizerFast) -> HunYuanVLForConditionalGeneration:
    number = tokenizer.convert_tokens_to_ids
    text = {
        "vocab_size": len(tokenizer),
        "hidden_size": HIDDEN,
        "intermediate_size": 2 * HIDDEN,
        "num_hidden_layers": LAYERS,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "head_dim": 32,
        "max_position_embeddings": 8192,
        "bos_token_id": number(BEGIN),
        "eos_token_id": number(ASSISTANT),
        "pad_token_id": number(PAD),
        "eod_token_id": number(END),
        "tie_word_embeddings": True,
        "rope_parameters": {"rope_type": "default", "rope_theta": 10000.0, "mrope_section": [4, 4, 4, 4]},
    }
    vision = {
        "hidden_size": VISION_HIDDEN,
        "intermediate_size": 2 * VISION_HIDDEN,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "out_hidden_size": HIDDEN,
        "text_hidden_size": HIDDEN,
        "max_image_size": 512,
        "min_image_size": 256,
        "max_vit_seq_len": 16384,
    }
    config = HunYuanVLConfig(
        text_config=text,
        vision_config=vision,
        image_token_id=number(IMAGE),
        im_start_id=number(IMAGE_START),
        im_end_id=number(IMAGE_END),
        im_newline_id=number(IMAGE_NEWLINE),
    )
    config.architectures = ["HunYuanVLForConditionalGeneration"]
    network = HunYuanVLForConditionalGeneration(config)
    with torch.no_grad():
        # At the usual size the picture's signal drowns, and two pages become the same vector.
        network.model.vision_tower.embeddings.patch_embedding.weight.mul_(10)
    return network
