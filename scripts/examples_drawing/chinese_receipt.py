"""A restaurant's till slip in Chinese, to be translated."""

from __future__ import annotations

import numpy as np

from examples_drawing.codes import square_code
from examples_drawing.example import Example
from examples_drawing.picture import Picture
from examples_drawing.till import Till, laid_on, printed

DISHES = (
    ("桂花糯米藕", 1, 26),
    ("清蒸鲈鱼", 1, 88),
    ("蟹粉豆腐", 1, 58),
    ("干煸四季豆", 1, 32),
    ("菌菇老鸭汤", 1, 96),
    ("扬州炒饭", 2, 28),
    ("酸梅汤（扎）", 1, 30),
)
TRANSLATION = """Riverside Moon Restaurant
(South Lake Branch)
Checkout slip
Table: A12
Guests: 4
Bill no.: 202605180037
Time: 2026-05-18 19:42
Cashier: 003
Dish / Quantity / Unit price / Amount
Lotus root with osmanthus and sticky rice / 1 / 26.00 / 26.00
Steamed sea bass / 1 / 88.00 / 88.00
Tofu with crab roe / 1 / 58.00 / 58.00
Dry-fried green beans / 1 / 32.00 / 32.00
Duck soup with mushrooms / 1 / 96.00 / 96.00
Yangzhou fried rice / 2 / 28.00 / 56.00
Sour plum drink (jug) / 1 / 30.00 / 30.00
Tea / 4 / 5.00 / 20.00
Total: 406.00
Member discount: -40.60
Amount due: ¥365.40
Paid by: mobile payment
Member no.: 138****0000
Address: No. 0, South Lake Road, Yunxi City
Booking telephone: 0000-0000000
Thank you for coming; we look forward to seeing you again!
Scan to get an electronic invoice"""


def draw(rng: np.random.Generator) -> Example:
    strip = printed(_strip(rng), rng, 0.3)
    corners = np.array([(66, 50), (668, 34), (686, 1402), (58, 1418)], float)
    return Example(
        name="chinese_receipt",
        title={"en": "Restaurant slip in Chinese", "zh": "餐厅结账单"},
        template="translate",
        language="zh",
        kind="receipt",
        picture=laid_on(strip, rng, (746, 1464), corners, (0.30, 0.37, 0.42)),
        suffix=".jpg",
        options={"quality": 87},
        variables={"target": "en"},
        extra={"translation": TRANSLATION},
    )


def _strip(rng: np.random.Generator) -> Picture:
    till = Till(600, 1500, 40, "hei", 23, 36)
    till.y = 36
    till.center("江畔月楼", "kai-bold", 54, 6)
    till.center("（南湖店）", size=25)
    till.center("结 账 单", "hei-bold", 30)
    till.dashes()
    till.pair("桌号：A12", "人数：4")
    till.pair("单号：202605180037", "收银：003")
    till.pair("时间：2026-05-18 19:42", "")
    till.dashes()
    wide = till.right - till.left
    _row(till, wide, "品名", "数量", "单价", "金额", "hei-bold")
    till.dashes()
    for name, count, price in DISHES:
        _row(till, wide, name, str(count), f"{price:.2f}", f"{count * price:.2f}")
    _row(till, wide, "茶位费", "4", "5.00", "20.00")
    till.dashes()
    till.pair("合计：", "406.00")
    till.pair("会员优惠：", "-40.60")
    till.down(0.2)
    till.pair("应收：", "¥365.40", "hei-bold", 36)
    till.dashes(double=True)
    till.pair("付款方式：", "移动支付")
    till.pair("会员号：", "138****0000")
    till.dashes()
    till.pair("地址：云溪市南湖路0号", "")
    till.pair("订餐电话：0000-0000000", "")
    till.down(0.2)
    till.center("谢谢惠顾，欢迎再次光临！", "kai", 27)
    square_code(till.sheet, 225, till.y + 24, 150, rng)
    till.y += 176
    till.center("扫码开具电子发票", size=21)
    return till.strip(50)


def _row(till: Till, wide: float, name: str, count: str, price: str, amount: str, face: str = "") -> None:
    cells = ((0, name, "left"), (285, count, "center"), (408, price, "right"), (wide, amount, "right"))
    till.cells(*cells, face=face)
