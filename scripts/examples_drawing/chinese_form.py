"""A personnel form in Chinese, printed, filled in by hand, stamped and scanned."""

from __future__ import annotations

import numpy as np

from examples_drawing.example import Example
from examples_drawing.paper import cloud, fibres, grain, ramp, shaded, to_array, to_image
from examples_drawing.picture import Picture
from examples_drawing.portrait import portrait
from examples_drawing.sheet import Sheet
from examples_drawing.stamps import seal

PEN = (24, 44, 128)
LEFT, RIGHT, ROW = 90, 1150, 66
Cell = tuple[float, float, str, str]
"""Left and right edge, printed label, handwritten value."""

ROWS: tuple[tuple[Cell, ...], ...] = (
    ((90, 230, "姓名", ""), (230, 430, "", "林晓岚"), (430, 560, "性别", ""), (560, 690, "", "女"),
     (690, 820, "民族", ""), (820, 950, "", "汉")),
    ((90, 230, "出生日期", ""), (230, 430, "", "1996年3月15日"), (430, 560, "籍贯", ""), (560, 690, "", "云溪市"),
     (690, 820, "婚姻状况", ""), (820, 950, "", "未婚")),
    ((90, 230, "身份证号", ""), (230, 560, "", "990000199603150000"), (560, 690, "学历", ""),
     (690, 950, "", "硕士研究生")),
    ((90, 230, "毕业院校", ""), (230, 560, "", "南屏理工学院"), (560, 690, "专业", ""), (690, 950, "", "工业设计")),
    ((90, 230, "联系电话", ""), (230, 560, "", "138 0000 0000"), (560, 690, "电子邮箱", ""),
     (690, 1150, "", "linxl@example.com")),
    ((90, 230, "现住址", ""), (230, 1150, "", "云溪市望江区柳荫路0号3幢502室")),
    ((90, 230, "入职部门", ""), (230, 430, "", "产品设计部"), (430, 560, "岗位", ""), (560, 820, "", "设计师"),
     (820, 950, "入职日期", ""), (950, 1150, "", "2026年4月7日")),
    ((90, 230, "紧急联系人", ""), (230, 430, "", "林国平"), (430, 560, "关系", ""), (560, 820, "", "父亲"),
     (820, 950, "电话", ""), (950, 1150, "", "139 0000 0000")),
)  # fmt: skip
WORK = (
    ("起止时间", "工作单位", "职务", "离职原因"),
    ("2021.7—2023.5", "远帆模型有限公司", "助理设计师", "个人发展"),
    ("2023.6—2026.3", "青禾家居用品厂", "设计师", "搬迁"),
    ("", "", "", ""),
)
WORK_EDGES = (150, 370, 690, 910, 1150)


def draw(rng: np.random.Generator) -> Example:
    fields = {
        "姓名": "林晓岚",
        "性别": "女",
        "出生日期": "1996年3月15日",
        "身份证号": "990000199603150000",
        "学历": "硕士研究生",
        "毕业院校": "南屏理工学院",
        "联系电话": "138 0000 0000",
        "现住址": "云溪市望江区柳荫路0号3幢502室",
        "入职部门": "产品设计部",
        "入职日期": "2026年4月7日",
    }
    return Example(
        name="chinese_form",
        title={"en": "Personnel form in Chinese", "zh": "员工入职登记表"},
        template="fields",
        language="zh",
        kind="form",
        picture=_scanned(_sheet(rng), rng),
        suffix=".jpg",
        options={"quality": 84},
        variables={"fields": "，".join(fields)},
        extra={"fields": fields},
    )


def _sheet(rng: np.random.Generator) -> Picture:
    sheet = Sheet(1240, 1460, (252, 251, 247))
    sheet.text(620, 128, "员工入职登记表", "song-bold", 46, align="center", spacing=8)
    sheet.text(LEFT, 190, "编号：YG-2026-0031", "song", 22)
    sheet.text(RIGHT, 190, "填表日期：2026年4月7日", "song", 22, align="right")
    top = 214
    for number, cells in enumerate(ROWS):
        _row(sheet, cells, top + number * ROW, rng)
    _photo(sheet, top)
    below = top + len(ROWS) * ROW
    _work(sheet, below, rng)
    _promise(sheet, below + 4 * ROW, rng)
    bottom = below + 4 * ROW + 330
    sheet.box(LEFT, top, RIGHT, bottom, outline=(20, 20, 24), width=3)
    sheet.text(LEFT, bottom + 40, "注：本表一式两份，人事部与用人部门各执一份。", "song", 20)
    seal(sheet, rng, 940, bottom - 122, 98, "云溪市青禾设计有限公司", "人事专用章")
    return sheet.picture()


def _row(sheet: Sheet, cells: tuple[Cell, ...], top: float, rng: np.random.Generator) -> None:
    for left, right, label, value in cells:
        sheet.box(left, top, right, top + ROW, outline=(40, 40, 44))
        if label:
            sheet.text((left + right) / 2, top + 41, label, "song", 23, align="center")
        else:
            _written(sheet, left + 16, top + 43, value, rng, right - left - 38)


def _written(
    sheet: Sheet, x: float, y: float, text: str, rng: np.random.Generator, room: float, size: float = 29
) -> None:
    """A pen's writing: a little off the line, a little smaller where room is short."""
    wide = sheet.measure(text, "kai", size)
    size *= min(1, room / max(wide, 1))
    fill = tuple(int(value + rng.integers(-8, 14)) for value in PEN)
    sheet.text(x + rng.uniform(-3, 6), y + rng.uniform(-3, 3), text, "kai", size, fill, kind="handwriting")


def _photo(sheet: Sheet, top: float) -> None:
    sheet.box(950, top, RIGHT, top + 4 * ROW, outline=(40, 40, 44))
    photo = portrait(168, 232, sheet.scale)
    sheet.paste(photo, 966, top + 16)


def _work(sheet: Sheet, top: float, rng: np.random.Generator) -> None:
    sheet.box(LEFT, top, 150, top + 4 * ROW, outline=(40, 40, 44))
    for number, letter in enumerate("工作经历"):
        sheet.text(120, top + 72 + 42 * number, letter, "song", 23, align="center", kind=None)
    sheet.remember("工作经历", (108, top + 50, 132, top + 204))
    for number, cells in enumerate(WORK):
        for left, right, text in zip(WORK_EDGES, WORK_EDGES[1:], cells, strict=False):
            y = top + number * ROW
            sheet.box(left, y, right, y + ROW, outline=(40, 40, 44))
            if number == 0:
                sheet.text((left + right) / 2, y + 41, text, "song", 23, align="center")
            elif text:
                _written(sheet, left + 12, y + 43, text, rng, right - left - 34, 26)


def _promise(sheet: Sheet, top: float, rng: np.random.Generator) -> None:
    sheet.rule(LEFT, top, RIGHT, top, 1, (40, 40, 44))
    words = (
        "本人承诺：以上所填内容均属实，并愿意遵守公司的各项规章制度。如有虚假，本人愿承担由此产生的一切责任，"
        "公司有权解除劳动合同。"
    )
    sheet.paragraph(LEFT + 30, top + 52, RIGHT - LEFT - 60, words, "song", 23, 42, indent=46)
    end = sheet.text(LEFT + 30, top + 200, "本人签名：", "song", 24)
    sheet.text(end + 16, top + 203, "林晓岚", "kai", 40, PEN, kind="handwriting")
    sheet.rule(end, top + 212, end + 190, top + 212, 1, (40, 40, 44))
    sheet.text(LEFT + 30, top + 282, "人事部审核意见：", "song", 24)
    sheet.text(LEFT + 230, top + 283, "同意录用", "kai", 32, PEN, kind="handwriting")
    sheet.text(RIGHT - 460, top + 282, "2026年4月8日", "song", 24)


def _scanned(picture: Picture, rng: np.random.Generator) -> Picture:
    """A tidy office scan: paper, a faint shadow along the lid, a little blur and noise."""
    size = picture.image.size
    light = fibres(rng, size, 0.010) * ramp(size, 0.965, 1.0) * (1 - 0.05 * np.exp(-np.arange(size[0]) / 14))[None, :]
    image = shaded(picture.image, light.astype(np.float32))
    spots = 0.012 * np.clip(cloud(rng, size, 3) - 2.6, 0, 2)
    return picture.with_image(grain(to_image(to_array(image) - spots[..., None]), rng, 0.012))
