"""A neighbourhood's news sheet in Chinese: head, lead story, picture, box, foot."""

from __future__ import annotations

from typing import Any

import numpy as np

from examples_drawing.example import Example
from examples_drawing.landscape import landscape
from examples_drawing.paper import fibres, grain, shaded
from examples_drawing.sheet import Sheet

RED, LEFT, RIGHT, GAP = (176, 32, 36), 84, 1156, 40
HALF = (RIGHT - LEFT - GAP) / 2
SECOND = LEFT + HALF + GAP
LEAD = (
    "本报讯  四月十二日上午，望江区柳荫社区图书角在河边的老茶馆里正式开放。两百多位居民冒着小雨前来，带来了家中"
    "闲置的图书一千三百余册。图书角不设押金，也不办卡，居民只需在登记簿上写下姓名和书名，就可以把书带回家。",
    "发起人之一、退休教师顾老师说，这间茶馆空了三年，大家都觉得可惜。去年冬天，几位邻居凑钱修好了屋顶和门窗，木工"
    "师傅免费打了八个书架，油漆是五金店送的。“书不怕旧，就怕没人看。”她说。",
    "图书角每天上午九点到晚上八点开放，由十六名志愿者轮流值班。周末下午还有故事会，孩子们可以自己挑书，自己上台讲。"
    "第一场故事会定在本周六，讲的是《河边的灯》。",
)
REPAIRS = (
    "三号楼前的自行车棚修好了。新棚装了感应灯和十二个充电插座，雨天也不会漏水。车棚由物业统一管理，充电每小时收费"
    "五角，刷卡或扫码均可。",
    "过去楼道里停车充电，大家心里都不踏实。消防员上个月来做过演练，提醒住户不要把电池带上楼。从五月一日起，楼道内"
    "停放的电动车将由物业移走。",
    "居委会还打算在北门加建一处车棚，方案贴在公告栏里，欢迎居民在月底前提意见。",
)
MARKET = (
    "从五月起，社区便民市集将在每月第一个星期六举行，地点仍在南门小广场。摊位免费，须提前三天到居委会登记，每户"
    "限一个。",
    "市集除了蔬菜瓜果，还有磨刀、修伞、补锅等老手艺。组织者提醒大家自带购物袋，少用塑料。"
    "去年秋天的三次市集共来了四千多人，收到的意见里，说得最多的是希望多摆几张桌椅，让老人歇歇脚。今年会照办。",
)
NOTICES = ("停水：4月20日 9:00—15:00，1至6幢", "体检：4月25日起，65岁以上免费", "旧衣回收：每周三，北门岗亭")


def draw(rng: np.random.Generator) -> Example:
    sheet = Sheet(1240, 1600, (250, 247, 238))
    regions: list[dict[str, Any]] = []
    _head(sheet, regions)
    _lead(sheet, regions)
    _picture(sheet, regions, rng)
    _market(sheet, regions)
    _notices(sheet, regions)
    sheet.rule(LEFT, 1536, RIGHT, 1536, 1)
    sheet.text(LEFT, 1566, "主办：柳荫社区居民委员会", "song", 20)
    sheet.text(RIGHT, 1566, "投稿信箱：liuyin@example.com", "song", 20, align="right")
    regions.append(_region("footer", LEFT, 1544, RIGHT, 1574))
    picture = sheet.picture()
    return Example(
        name="newsletter",
        title={"en": "News sheet in Chinese", "zh": "社区小报"},
        template="layout",
        language="zh",
        kind="newsletter",
        picture=picture.with_image(grain(shaded(picture.image, fibres(rng, picture.image.size, 0.012)), rng, 0.01)),
        suffix=".jpg",
        options={"quality": 84},
        extra={"regions": regions},
    )


def _region(kind: str, left: float, top: float, right: float, bottom: float) -> dict[str, Any]:
    quad = [(left, top), (right, top), (right, bottom), (left, bottom)]
    return {"kind": kind, "quad": [[round(x, 1), round(y, 1)] for x, y in quad]}


def _head(sheet: Sheet, regions: list[dict[str, Any]]) -> None:
    sheet.text(LEFT, 148, "柳荫社区报", "kai-bold", 92, RED, spacing=6)
    sheet.text(RIGHT, 90, "2026年4月15日", "song", 23, align="right")
    sheet.text(RIGHT, 122, "星期三", "song", 23, align="right")
    sheet.text(RIGHT, 154, "第47期　本期共四版", "song", 23, align="right")
    sheet.rule(LEFT, 180, RIGHT, 180, 4, RED)
    sheet.rule(LEFT, 187, RIGHT, 187, 1, RED)
    regions.append(_region("header", LEFT, 60, RIGHT, 166))


def _lead(sheet: Sheet, regions: list[dict[str, Any]]) -> None:
    sheet.text(620, 266, "老茶馆变身图书角", "song-bold", 60, align="center", spacing=4)
    sheet.text(620, 316, "两百邻居冒雨送书，十六名志愿者轮流值班", "kai", 29, align="center")
    regions.append(_region("title", 330, 206, 910, 326))
    y = 376.0
    for words in LEAD:
        y = sheet.paragraph(LEFT, y, HALF, words, "song", 23.5, 38, indent=47)
    regions.append(_region("text", LEFT, 350, LEFT + HALF, y - 28))
    sheet.rule(LEFT, y - 6, LEFT + HALF, y - 6, 1)
    sheet.text(LEFT, y + 48, "自行车棚换新颜", "hei-bold", 36)
    regions.append(_region("title", LEFT, y + 14, LEFT + 270, y + 58))
    start = y = y + 104
    for words in REPAIRS:
        y = sheet.paragraph(LEFT, y, HALF, words, "song", 23.5, 38, indent=47)
    regions.append(_region("text", LEFT, start - 26, LEFT + HALF, y - 28))


def _picture(sheet: Sheet, regions: list[dict[str, Any]], rng: np.random.Generator) -> None:
    width, height = int(HALF), 372
    photo = landscape(rng, (width * sheet.scale, height * sheet.scale))
    sheet.image.paste(photo, (round(SECOND * sheet.scale), 352 * sheet.scale))
    regions.append(_region("figure", SECOND, 352, SECOND + width, 352 + height))
    sheet.text(SECOND + HALF / 2, 352 + height + 34, "图书角窗外的河湾　摄影：小周", "kai", 22, align="center")


def _market(sheet: Sheet, regions: list[dict[str, Any]]) -> None:
    sheet.rule(SECOND, 800, RIGHT, 800, 1)
    sheet.text(SECOND, 852, "便民市集五月开张", "hei-bold", 36)
    regions.append(_region("title", SECOND, 818, SECOND + 300, 862))
    y = 908.0
    for words in MARKET:
        y = sheet.paragraph(SECOND, y, HALF, words, "song", 23.5, 38, indent=47)
    regions.append(_region("text", SECOND, 882, RIGHT, y - 28))


def _notices(sheet: Sheet, regions: list[dict[str, Any]]) -> None:
    top = 1280
    sheet.box(SECOND, top, RIGHT, top + 232, (246, 232, 222), RED, 2, 6)
    sheet.text(SECOND + HALF / 2, top + 50, "便民公告", "hei-bold", 30, RED, "center", 4)
    for number, words in enumerate(NOTICES):
        sheet.text(SECOND + 26, top + 102 + 46 * number, words, "hei", 22)
    regions.append(_region("text", SECOND, top, RIGHT, top + 232))
