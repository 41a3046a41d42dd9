"""The words of what is done with rows of the Dataset list."""

from __future__ import annotations

LIST_WORDS: dict[str, dict[str, str]] = {
    "list.mine": {"en": "Only mine", "zh": "只看我的"},
    "list.mine.title": {
        "en": "Shows what was read for you or brought in by you; again for all",
        "zh": "只显示为您识别或由您上传的条目；再按一次显示全部",
    },
    "list.mine.nobody": {
        "en": "Nobody knows your name yet. Log in, or type it above the review.",
        "zh": "尚不知道您的姓名。请登录，或在上方复核区填写姓名。",
    },
    "list.choose": {"en": "Choose {name}", "zh": "选择 {name}"},
    "list.all": {"en": "Choose all rows that are shown", "zh": "选择当前显示的全部行"},
    "list.what": {"en": "With the chosen rows", "zh": "对所选行"},
    "list.chosen": {"en": "{n} chosen", "zh": "已选 {n} 条"},
    "list.chosen_one": {"en": "1 chosen", "zh": "已选 1 条"},
    "list.again": {"en": "Read again", "zh": "重新识别"},
    "list.again.title": {
        "en": "Reads the pictures once more in the background, with what is chosen beside; the results are new rows",
        "zh": "在后台按旁边的选择再次识别图片；结果为新的条目",
    },
    "list.again.begun": {
        "en": "Being read in the background (batch {jobs}). The new rows come when you refresh the list.",
        "zh": "正在后台识别（批次 {jobs}）。刷新列表即可看到新条目。",
    },
    "list.engine_again": {"en": "Engine to read again with", "zh": "重新识别所用引擎"},
    "list.same_engine": {"en": "with the same engine", "zh": "使用原来的引擎"},
    "list.template_again": {"en": "Template to read again with", "zh": "重新识别所用模板"},
    "list.same_template": {"en": "with the same template", "zh": "使用原来的模板"},
    "list.compare": {"en": "Compare", "zh": "对比"},
    "list.compare.title": {
        "en": "Two readings of one picture beside each other: choose two rows of the same picture",
        "zh": "并排显示同一图片的两次识别：请选择同一图片的两行",
    },
    "list.delete": {"en": "Delete …", "zh": "删除……"},
    "list.delete.title": {
        "en": "Deletes what was read and corrected, and the pictures, for good; asks first",
        "zh": "永久删除识别结果、改正内容和图片；会先询问",
    },
    "list.delete.not_allowed": {"en": "Only an administrator deletes items", "zh": "只有管理员可以删除条目"},
    "list.delete.sure_one": {
        "en": "Delete this item for good? What was read, corrected and said of it goes, and its picture where no other "
        "row needs it. This cannot be undone.",
        "zh": "要永久删除此条目吗？识别结果、改正和评论都会删除；没有其他条目使用的图片也会删除。无法撤销。",
    },
    "list.delete.sure": {
        "en": "Delete {n} items for good? What was read, corrected and said of them goes, and their pictures where no "
        "other row needs them. This cannot be undone.",
        "zh": "要永久删除 {n} 个条目吗？识别结果、改正和评论都会删除；没有其他条目使用的图片也会删除。无法撤销。",
    },
    "list.delete.yes": {"en": "Delete for good", "zh": "永久删除"},
    "list.delete.frozen": {"en": "Delete from the versions too", "zh": "连同版本中的一起删除"},
    "list.delete.no": {"en": "Keep", "zh": "保留"},
    "list.delete.done": {
        "en": "Deleted: {items|item|items}, {pictures|picture|pictures}.",
        "zh": "已删除 {items} 个条目、{pictures} 张图片。",
    },
    "list.doing": {"en": "One moment …", "zh": "请稍候……"},
    "list.unreachable": {
        "en": "The server does not answer; nothing is known to be done. Try again.",
        "zh": "服务器没有响应，操作可能未完成。请重试。",
    },
}
