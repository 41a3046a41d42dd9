"""A page of lecture notes with displayed formulas."""

from __future__ import annotations

import numpy as np

from examples_drawing.example import Example
from examples_drawing.formulas import formula
from examples_drawing.paper import fibres, shaded
from examples_drawing.sheet import Run, Sheet

LEFT, RIGHT, MIDDLE = 130, 1110, 620
SIZE, LEADING = 27, 39
FORMULAS = (
    r"\hat{f}(\xi)=\int_{-\infty}^{\infty} f(x)\,e^{-2\pi i x\xi}\,dx",
    r"\int_{-\infty}^{\infty} e^{-a x^{2}}\,dx=\sqrt{\frac{\pi}{a}}",
    r"\sum_{n=-\infty}^{\infty} f(n)=\sum_{k=-\infty}^{\infty}\hat{f}(k)",
    r"\zeta(2)=\sum_{n=1}^{\infty}\frac{1}{n^{2}}=\frac{\pi^{2}}{6}",
    r"R_{\theta}=\begin{pmatrix}\cos\theta & -\sin\theta\\ \sin\theta & \cos\theta\end{pmatrix}",
    r"|x|=\begin{cases} x, & x\geq 0\\ -x, & x<0\end{cases}",
)


def draw(rng: np.random.Generator) -> Example:
    sheet = Sheet(1240, 1500, (254, 253, 249))
    _head(sheet)
    _transform(sheet)
    _series(sheet)
    _further(sheet)
    sheet.text(MIDDLE, 1440, "17", "tex", 24, align="center")
    picture = sheet.picture()
    return Example(
        name="formula_page",
        title={"en": "Lecture notes with formulas", "zh": "含公式的讲义"},
        template="formula",
        language="en",
        kind="formula",
        picture=picture.with_image(shaded(picture.image, fibres(rng, picture.image.size, 0.006))),
        suffix=".webp",
        options={"quality": 86, "method": 6},
        extra={"latex": list(FORMULAS)},
    )


def _head(sheet: Sheet) -> None:
    sheet.text(LEFT, 96, "Chapter 2. Fourier analysis", "tex-italic", 23)
    sheet.text(RIGHT, 96, "Lecture notes, spring term", "tex-italic", 23, align="right")
    sheet.rule(LEFT, 112, RIGHT, 112, 1)
    sheet.text(LEFT, 186, "2.3  The Poisson summation formula", "tex-bold", 34)


def _row(sheet: Sheet, y: float, *runs: Run) -> None:
    sheet.runs(LEFT, y, runs, SIZE)


def _display(sheet: Sheet, y: float, number: int) -> None:
    """A numbered formula in the middle of the page."""
    formula(sheet, MIDDLE, y, FORMULAS[number - 1], SIZE * 1.12, "center")
    sheet.text(RIGHT, y, f"(2.{number + 6})", "tex", SIZE, align="right")


def _transform(sheet: Sheet) -> None:
    plain, italic, bold = "tex", "tex-italic", "tex-bold"
    _row(sheet, 246, ("Definition. ", bold), ("For an integrable function ", plain), ("f", italic),
         (" on the real line we define its Fourier", plain))  # fmt: skip
    _row(sheet, 246 + LEADING, ("transform by", plain))
    _display(sheet, 352, 1)
    _row(sheet, 430, ("The Gaussian is its own transform up to scaling. This rests on the integral", plain))
    _display(sheet, 510, 2)
    _row(sheet, 590, ("which holds for every ", plain), ("a", italic),
         (" > 0 and is found by squaring it and passing to polar", plain))  # fmt: skip
    _row(sheet, 590 + LEADING, ("coordinates.", plain))


def _series(sheet: Sheet) -> None:
    plain, italic, bold = "tex", "tex-italic", "tex-bold"
    _row(sheet, 696, ("Theorem 2.4. ", bold), ("If f and its transform decay fast enough, then", italic))
    _display(sheet, 780, 3)
    _row(
        sheet,
        868,
        ("Proof. ", italic),
        ("Both sides are the value at zero of the periodic function obtained by", plain),
    )
    _row(sheet, 868 + LEADING, ("summing all translates of ", plain), ("f", italic),
         ("; the right side is its Fourier series.", plain))  # fmt: skip
    sheet.box(RIGHT - 16, 868 + LEADING - 16, RIGHT, 868 + LEADING, outline=(28, 28, 32), width=1.3)
    _row(sheet, 978, ("Corollary 2.5. ", bold), ("The sum of the reciprocal squares is", italic))
    _display(sheet, 1062, 4)


def _further(sheet: Sheet) -> None:
    plain = "tex"
    _row(sheet, 1152, ("The exercises use the rotation matrix and the absolute value:", plain))
    _display(sheet, 1232, 5)
    _display(sheet, 1340, 6)
