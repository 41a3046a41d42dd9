"""Teaches the tiny model its book, on one thread, and checks that it says every answer exactly."""

from __future__ import annotations

import math
import random
import time
from collections import defaultdict
from collections.abc import Sequence

import torch
from transformers import HunYuanVLForConditionalGeneration, HunYuanVLProcessor

from scripts.tiny_model.book import Entry
from scripts.tiny_model.network import ASSISTANT

LEARNING_RATE = 1e-3
"""At 3e-3 the vision features collapse: two pictures become the same vector, and no training helps any more."""
STEPS, BATCH, LONG = 1100, 9, 260
GOOD_ENOUGH = 0.015
"""Loss of the WORST token at which training ends; the mean hides the first token, which tells the pages apart."""
FIRST_TOKENS, FIRST_WEIGHT = 3, 10.0
REPETITION_PENALTY = 1.08

Batch = dict[str, torch.Tensor]


def ask(processor: HunYuanVLProcessor, entry: Entry) -> Batch:
    text = processor.apply_chat_template(entry.messages, tokenize=False, add_generation_prompt=True)
    return dict(processor(text=[text], images=[entry.image], return_tensors="pt"))


def example(network: HunYuanVLForConditionalGeneration, processor: HunYuanVLProcessor, entry: Entry) -> Batch:
    """Question and answer as one sequence, with labels on the answer alone and the positions of every token."""
    asked = ask(processor, entry)
    answer = processor.tokenizer(entry.answer + ASSISTANT, add_special_tokens=False, return_tensors="pt").input_ids
    ids = torch.cat([asked["input_ids"], answer], 1)
    types = torch.cat([asked["mm_token_type_ids"], torch.zeros_like(answer)], 1)
    positions, _ = network.model.get_rope_index(ids, types, image_grid_thw=asked["image_grid_thw"])
    labels = ids.clone()
    labels[:, : asked["input_ids"].shape[1]] = -100
    return {
        "input_ids": ids,
        "labels": labels,
        "position_ids": positions,
        "mm_token_type_ids": types,
        "pixel_values": asked["pixel_values"],
        "image_grid_thw": asked["image_grid_thw"],
    }


def stack(examples: Sequence[Batch], pad: int) -> Batch:
    """Examples of nearly the same length as one batch, filled up on the right.

    Positions are computed one example at a time: the model's own counting numbers the pictures of a batch, while an
    engine sees every picture as the first.
    """
    longest = max(e["input_ids"].shape[1] for e in examples)

    def fill(name: str, value: int) -> torch.Tensor:
        rows = [torch.nn.functional.pad(e[name], (0, longest - e[name].shape[-1]), value=value) for e in examples]
        return torch.cat(rows, 1 if name == "position_ids" else 0)

    return {
        "input_ids": fill("input_ids", pad),
        "labels": fill("labels", -100),
        "position_ids": fill("position_ids", 0),
        "mm_token_type_ids": fill("mm_token_type_ids", 0),
        "pixel_values": torch.cat([e["pixel_values"] for e in examples]),
        "image_grid_thw": torch.cat([e["image_grid_thw"] for e in examples]),
    }


def batches(examples: Sequence[Batch], pad: int, order: random.Random) -> list[Batch]:
    """All examples once, mixed anew. One update a batch learns several times faster than one update a pass.

    Long ones go alone: filling the others up to their length would cost more than it saves.
    """
    mixed = order.sample(examples, len(examples))
    short = [e for e in mixed if e["input_ids"].shape[1] <= LONG]
    groups = [short[i : i + BATCH] for i in range(0, len(short), BATCH)]
    groups += [[e] for e in mixed if e["input_ids"].shape[1] > LONG]
    order.shuffle(groups)
    return [stack(group, pad) for group in groups]


def losses(network: HunYuanVLForConditionalGeneration, batch: Batch) -> tuple[torch.Tensor, float]:
    """The batch's loss, first answer tokens weighted up, and the loss of its worst token."""
    inputs = {name: value for name, value in batch.items() if name != "labels"}
    labels = batch["labels"][:, 1:]
    asked_for = labels != -100
    hidden = network.model(**inputs, use_cache=False).last_hidden_state[:, :-1]
    logits = network.lm_head(hidden[asked_for])
    loss = torch.nn.functional.cross_entropy(logits.float(), labels[asked_for], reduction="none")
    place = asked_for.cumsum(1)[asked_for]
    weight = torch.where(place <= FIRST_TOKENS, FIRST_WEIGHT, 1.0)
    return (loss * weight).sum() / weight.sum(), loss.max().item()


def rate(step: int) -> float:
    """Warm-up over 30 steps, then a cosine down to a tenth."""
    return min(1.0, (step + 1) / 30) * (0.45 * (1 + math.cos(math.pi * min(1.0, step / STEPS))) + 0.1)


def train(network: HunYuanVLForConditionalGeneration, processor: HunYuanVLProcessor, book: Sequence[Entry]) -> None:
    prepared = [example(network, processor, entry) for entry in book]
    optimizer = torch.optim.AdamW(network.parameters(), lr=LEARNING_RATE, weight_decay=0.0, betas=(0.9, 0.95))
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, rate)
    order = random.Random(0)
    network.train()
    begun = time.monotonic()
    step, worst = 0, math.inf
    while step < 1.3 * STEPS and worst > GOOD_ENOUGH:
        worst = 0.0
        for batch in batches(prepared, processor.tokenizer.pad_token_id, order):
            loss, highest = losses(network, batch)
            loss.backward()
            worst = max(worst, highest)
            torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            optimizer.zero_grad()
            step += 1
        print(f"step {step}: worst token {worst:.3f}, {time.monotonic() - begun:.0f} s", flush=True)
    network.eval()


def mistakes(
    network: HunYuanVLForConditionalGeneration, processor: HunYuanVLProcessor, book: Sequence[Entry]
) -> dict[str, str]:
    """What is said wrongly, by entry, when each is asked alone as the product asks."""
    wrong: dict[str, str] = defaultdict(str)
    for entry in book:
        asked = ask(processor, entry)
        with torch.no_grad():
            said = network.generate(**asked, max_new_tokens=400, do_sample=False, repetition_penalty=REPETITION_PENALTY)
        text = processor.tokenizer.decode(said[0][asked["input_ids"].shape[1] :], skip_special_tokens=True)
        if text != entry.answer:
            wrong[entry.name] = text
    return dict(wrong)
