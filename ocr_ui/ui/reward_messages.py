"""Reasons of rewards, and what is wrong with a label, in the language of the page.

As in `messages`: the English sentences stand where they arise, the Chinese ones here, by code.
"""

from __future__ import annotations

from typing import Any

from ocr_ui.ui.label_messages import HINTS_ZH, LEFT_OUT_ZH, PROBLEMS_ZH
from ocr_ui.ui.messages import ERRORS_ZH, fill_in, localize_error

REASONS_ZH: dict[str, str] = {
    "answer_no_object": "回答不是 JSON 对象。{fields} 个字段中 {right} 个正确。",
    "answer_shape_unknown": "回答不是带框文本的四种格式之一。",
    "answer_tags_empty": "<answer> 标签之间没有内容，规则无法评分。",
    "answer_without_lines": "回答中没有可读的行，规则不给分。",
    "bad_span": "有单元格的跨度不是数字，规则无法评分。",
    "boxes": "标签的 {labelled} 个框找到 {pairs} 个，漏 {missed} 个，多出或错位 {invented} 个；"
    "文本平均相差 {difference:percent}。",
    "fields": "{fields} 个字段中 {right} 个正确。",
    "fields_wrong": "{fields} 个字段中 {right} 个正确。不正确：{wrong}。",
    "judge_not_asked": "{task} 由评判模型评分，编辑时不询问它。",
    "judge_failed": "评判模型没有给出分数：{reason}。",
    "judged": "评判模型给了 {score} 分（满分 {best}）。{said}",
    "label_no_object": "标签不是 JSON 对象，按文本评分。",
    "label_shape_unknown": "标签不是带框文本的四种格式之一，该样本不参与训练。",
    "label_without_lines": "标签中没有可读的行，规则不给分。",
    "line_numbers": "回答有 {answered} 行，标签有 {labelled} 行。",
    "lines": "标签的 {labelled} 行在回答的 {answered} 行中找到 {pairs} 行。",
    "no_label": "没有分值：{why:left_out}。",
    "no_judge": "{task} 由评判模型评分，但没有设置评判模型。",
    "no_rule": "这里没有 {task} 的规则：请用官方工具包的奖励函数。",
    "number_too_long": "有一个数字长达数百位，规则无法评分。",
    "repeats": "回答的结尾把同一段重复了十次以上。",
    "reward_file": "{file} 给出 {value}。{said}",
    "reward_file_ended": "{file} 结束了它的进程（{reason}）。{printed}",
    "reward_file_failed": "{file} 出错：{reason}",
    "reward_file_none": "{file} 没有给分。{said}",
    "reward_file_not_loaded": "{file} 无法加载（{reason}）。{printed}",
    "reward_file_timeout": "{file} 超过 {seconds} 秒，已被终止。{printed}",
    "same": "回答与标签相同。",
    "table_attributes": "标签的表格带有属性，规则找不到它们，无法评分。",
    "table_numbers": "回答有 {answered} 个表格，标签有 {labelled} 个。",
    "table_too_different": "有一个表格相差太大：相似度 {teds:percent}，结构 {structure:percent}。",
    "table_too_large": "有一个表格超过 {limit} 个行和单元格，这里不作比较。",
    "tables": "文本相似度 {text:percent}，表格 {teds:percent}，表格结构 {structure:percent}。",
    "tables_low": "文本相似度 {text:percent}，表格 {teds:percent}，结构 {structure:percent}；合计不到 50%，计 0。",
    "text": "文本相似度 {text:percent}。",
    "text_and_tables": "文本相似度 {text:percent}，表格 {teds:percent}。",
    "text_same": "文本相似度 {text:percent}；超过 99% 计 1。",
    "text_too_different": "文本相似度 {text:percent}；不到 50% 计 0。",
    "too_many_lines": "行数太多，无法求最佳配对。",
    "too_many_tables": "表格太多，无法求最佳配对。",
    "values": "各字段的值相似度 {alike:percent}。",
}


def localize_rewards(value: dict[str, Any], language: str) -> dict[str, Any]:
    """The answer of `/v1/rewards` in "en" or "zh"; in English where no translation is known."""
    if language != "zh":
        return value
    rewards = [_reason(reward) for reward in value["rewards"]]
    problems = [_problem(problem) for problem in value["label_problems"]]
    reason = rewards[0]["reason"] if rewards else ""
    return {**value, "reason": reason, "rewards": rewards, "label_problems": problems}


def _problem(problem: dict[str, Any]) -> dict[str, Any]:
    code = problem["code"]
    sentence = PROBLEMS_ZH.get(code) or (f"不参与训练：{LEFT_OUT_ZH[code]}。" if code in LEFT_OUT_ZH else None)
    hint = HINTS_ZH[code] if problem["hint"] else ""
    return {**_said(problem, "message", sentence), "hint": hint}


def localize_rollout(value: dict[str, Any], language: str) -> dict[str, Any]:
    """A rollout, a step of one or a batch in "en" or "zh": its error, and the reasons of its answers' rewards."""
    if value.get("error") and isinstance(value["error"], dict):
        value = {**value, "error": localize_error(value["error"], language)}
    if language != "zh" or not value.get("answers"):
        return value
    answers = [{**one, "rewards": [_reason(r) for r in one.get("rewards", ())]} for one in value["answers"]]
    return {**value, "answers": answers}


def _reason(reward: dict[str, Any]) -> dict[str, Any]:
    code = "fields_wrong" if reward["code"] == "fields" and reward["details"].get("wrong") else reward["code"]
    # An answer too long to be scored has an error's code; older ones were stored without what fills its blanks.
    refused = ERRORS_ZH.get(code) if reward["details"] else None
    return _said(reward, "reason", REASONS_ZH.get(code, refused))


def _said(value: dict[str, Any], key: str, sentence: str | None) -> dict[str, Any]:
    return value if sentence is None else {**value, key: fill_in(sentence, value["details"])}
