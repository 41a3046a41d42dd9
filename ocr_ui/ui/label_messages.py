"""Why an item is left out of the data, and what is wrong with a label, in Chinese, by code.

As in `messages`: the English sentences stand where they arise.
"""

from __future__ import annotations

LEFT_OUT_ZH: dict[str, str] = {
    "all_illegible": "没有一行可以辨认",
    "answer_holds_sign": "模型的回答中有训练框架另作解释的符号",
    "answer_not_whole": "模型的回答不完整（{outcome:name}）",
    "field_twice": "有两个字段同名（{name}）",
    "imported_before": "已经导入过，是条目 {item}",
    "in_two_parts": "它含有文档 {first} 和 {second} 中图片的副本，而这两个文档可能分在两个部分",
    "label_empty": "标签是空的",
    "label_holds_sign": "标签中有 {sign}，训练框架会把它当作图片或一轮的结尾",
    "label_refused": "标签无法保存：{problem:problem}",
    "layout_corrected": "版面回答的格式未知，只有正确的回答能作标签",
    "line_break": "有一行带换行，回答的格式（{shape}）无法写下",
    "line_without_box": "第 {line} 行没有框",
    "no_answer": "它的引擎不接受提示词，没有回答可用",
    "no_boxes": "没有一行有框",
    "no_boxes_for_tool": "没有一行有框，而该工具不保存没有框的图片",
    "no_fields": "没有字段",
    "no_label": "没有标签",
    "no_picture": "图片缺失",
    "no_time": "不属于任何视频",
    "no_task": "任务“{task}”没有回答格式",
    "no_verdict": "已修正，但没有判定对错",
    "not_an_object": "不是 JSON 对象",
    "not_corrected": "判为有误，但没有修正",
    "not_json": "不是 JSON",
    "not_judged": "还没有人判定",
    "not_readable": "无法读取（{why}）",
    "not_the_format": "这里的内容不符合该格式",
    "not_utf8": "不是 UTF-8 文本",
    "picture_outside": "图片在文件夹之外（请用 --pictures 指定其所在文件夹）",
    "picture_unreadable": "图片无法读取：{problem:problem}",
    "prompt_empty": "提示词为空",
    "prompt_holds_sign": "提示词中有 {sign}，训练框架会把它当作图片或一轮的结尾",
    "rejected": "在复核中被退回",
    "same_answer": "模型的回答与标签相同",
    "shape_cannot_hold": "第 {line} 行无法按回答的格式（{shape}）写下",
    "skipped": "在复核中被跳过",
    "tables_apart": "文本与表格对不上",
    "too_long": "图片和提示词约 {tokens} 个词元，超过 {limit}",
    "was_right": "模型的回答正确，没有更差的回答",
}

PROBLEMS_ZH: dict[str, str] = {
    "label_coordinates": "{found} 这样的坐标只从回答中去掉，不从标签中去掉。",
    "label_empty": "标签是空的，任何回答都不会正确。",
    "label_line_break": "有文本带换行，该行读不出来。",
    "label_lines_unread": "标签的 {lines} 行只有 {read} 行能读出，其余会算作模型编造的。",
    "label_no_fields": "标签没有字段，任何回答都得 0 分。",
    "label_no_object": "标签不是 JSON 对象，会按文本逐字评分。",
    "label_only_json": "第 {line} 行（“{text}”）无法按模型的格式（{shape}）写下。",
    "label_polygon": "框只读取两个角点，这里有更多：框会被当成另一个。",
    "label_shape_unknown": "标签不是带框文本的四种格式之一，该样本不参与训练。",
    "label_table_attributes": "规则只认 <table>，会漏掉 {tag}，回答会被判错。",
    "label_text_like_coordinates": "文本“{text}”像坐标：JSON 能写下它，这种格式不能。",
}

HINTS_ZH: dict[str, str] = {
    "all_illegible": "请不予采用，或输入仍可辨认的行。",
    "field_twice": "请重命名或删除其中一个。",
    "label_coordinates": "请从文本中删除坐标。",
    "label_empty": "请输入页面上的内容，或判为有误并不予采用。",
    "label_line_break": "请把换行改为空格。",
    "label_lines_unread": "请找出框或文本异常的行，重新输入或画框。",
    "label_no_fields": "请指定字段名后重新识别此页。",
    "label_no_object": "请指定字段名后重新识别此页。",
    "label_only_json": "用于强化学习时以 JSON 写下；监督训练的格式会略去此条目。请改写该行。",
    "label_polygon": "请重新画出该行的框。",
    "label_shape_unknown": "请为每一行加框：选中该行后按 G。",
    "label_table_attributes": "请把每个表格都写成 <table>。",
    "label_text_like_coordinates": "用于强化学习时以 JSON 写下；监督训练的格式会略去此条目。请改写该文本。",
    "layout_corrected": "请不予采用：只有模型答对的版面才能用于训练。",
    "line_without_box": "请选中该行并按 G 加框，或删除该行。",
    "no_fields": "请指定字段名后重新识别此页。",
    "no_task": "请使用任务已知的模板重新识别此页。",
    "tables_apart": "请让文本中的表格数与旁边的表格数一致。",
}
"""What a person can do about a problem that no program can mend."""
