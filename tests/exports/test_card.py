"""Data cards: what they count, and that names in the data are never markup."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import pytest
import yaml
from datasets import load_dataset
from lxml import etree
from stored import ANN, BO, add_item, content, open_store

from ocr_ui.domain.review import ErrorKind, Review, State, Verdict
from ocr_ui.errors import BadInput, NotFound
from ocr_ui.exports.charts import MOST_BARS, bars
from ocr_ui.exports.languages import languages_of
from ocr_ui.services.annotate import Annotator
from ocr_ui.services.data_card import DataCards
from ocr_ui.services.dataset_versions import DatasetVersions
from ocr_ui.services.export import Exporter
from ocr_ui.services.second_reviews import SecondReviewer
from ocr_ui.storage.store import Store


@pytest.fixture
def store(tmp_path: Path):
    with open_store(tmp_path / "data") as store:
        for shade in range(4):
            words = ("合计 12.50", "谢谢惠顾") if shade == 3 else ("Total of the bill", "Thank you")
            item = add_item(store, words, shade=shade, engine="vllm", template="table" if shade else "full_text")
            if shade < 2:
                store.corrections.add(item, 0, content("The total of your bill"), ANN, "", 5, 0.1)
                kinds = (ErrorKind.WRONG_CHARACTER, ErrorKind.LOOK_ALIKE)
                name = "Ann" if shade else "<b>薄</b> | x"
                store.reviews.set(item, Review(Verdict.WRONG, State.SUBMITTED, kinds, "", name, 1))
        DatasetVersions(store).freeze_now("v1", {}, "cc-by-4.0", "Ann")
        yield store


def head(markdown: str) -> dict:
    return yaml.safe_load(markdown.split("---\n")[1])


def row(markdown: str, *cells: str) -> bool:
    return f"| {' | '.join(cells)} |\n" in markdown


def test_a_card_counts_what_was_frozen(store: Store) -> None:
    for item in range(1, 5):
        store.corrections.add(item, 1 if item < 3 else 0, content("later"), ANN, "", 40, 1)
    card = DataCards(store).text_now("v1")
    for cells in (
        ("items", "4"),
        ("documents", "4"),
        ("corrected by a person", "2 (50%)"),
        ("characters that corrections changed", "10"),
        ("en", "3"),
        ("zh", "1"),
        ("table", "3"),
        ("wrong", "2"),
        ("not judged", "2"),
        ("submitted", "2"),
        ("wrong character", "2"),
        ("Ann", "1"),
        ("vllm: PP-OCRv6 r1", "4"),
        ("version", "v1"),
        ("SHA-256 of the items", store.versions.get("v1").sha256),
    ):
        assert row(card, *cells), cells
    assert "No item was reviewed by two people." in card
    assert "## Licence\n\ncc-by-4.0\n" in card


def test_the_head_is_what_the_hub_reads(store: Store) -> None:
    found = head(DataCards(store).text_now("v1"))
    assert found["license"] == "cc-by-4.0"
    assert found["language"] == ["en", "zh"]
    assert found["size_categories"] == ["n<1K"]
    other = head(DataCards(store).text_now("v1", "Our terms: no use"))
    assert (other["license"], other["license_name"]) == ("other", "Our terms: no use")
    DatasetVersions(store).freeze_now("v2")
    assert head(DataCards(store).text_now("v2"))["license"] == "unknown"
    assert "Not stated" in DataCards(store).text_now("v2")


def test_names_are_no_markup(store: Store) -> None:
    card = DataCards(store).text_now("v1")
    assert "<b>" not in card.replace("\\<b\\>", "")
    assert "\\<b\\>薄\\</b\\> \\| x" in card
    strange = 'a"<&>\x00\ud800\n' + "long" * 20
    drawn = etree.fromstring(bars(strange, {strange: 1}).encode())
    assert drawn.tag.endswith("svg")


def test_charts_show_the_largest_and_the_rest_together() -> None:
    drawn = etree.fromstring(bars("T", {f"v{n:02}": n for n in range(1, 31)}).encode())
    texts = [one.text for one in drawn.iter("{*}text")]
    assert texts[1:3] == ["v30", "30"]
    assert texts[-2:] == ["19 others", "190"]
    assert len(texts) == 1 + 2 * MOST_BARS
    widths = [int(one.get("width")) for one in drawn.iter("{*}rect")][1:]
    assert max(widths) == widths[-1] > widths[0]


def test_agreement_of_two_people_stands_in_the_card(store: Store) -> None:
    reviewer = SecondReviewer(store, Annotator(store))
    for item, said in ((1, "The total of your bill"), (2, "The total of the bill")):
        asyncio.run(reviewer.save(item, content(said).to_dict(), BO, True, Verdict.WRONG))
    before, after = DataCards(store).text_now("v1"), DatasetVersions(store).freeze_now("v2")
    assert "No item was reviewed by two people." in before
    assert store.versions.get("v1").sha256 != after.sha256
    card = DataCards(store).text_now(after.name)
    assert row(card, "items that two people reviewed", "2")
    assert row(card, "both said the same", "1 (50%)")
    [cer] = re.findall(r"error rate between both \| (0\.\d+)", card)
    assert 0 < float(cer) < 0.2


def test_a_card_is_written_with_its_charts_whole_or_not_at_all(store: Store, tmp_path: Path) -> None:
    out = tmp_path / "out"
    files = DataCards(store).write_now("v1", out)
    assert sorted(files) == sorted(str(f.relative_to(out)) for f in out.rglob("*") if f.is_file())
    markdown = (out / "README.md").read_text("utf-8")
    for chart in out.glob("card/*.svg"):
        assert f"(card/{chart.name})" in markdown
        etree.parse(chart)
    assert len(list(out.glob("card/*.svg"))) == markdown.count("![") == 7
    with pytest.raises(NotFound):
        DataCards(store).write_now("v9", tmp_path / "none")
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInput, match="could not be written"):
        DataCards(store).write_now("v1", tmp_path / "file" / "below")
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize("format", ["datasets", "trl-sft", "llama-factory"])
def test_an_export_loads_by_the_head_of_its_card(store: Store, tmp_path: Path, format: str) -> None:
    for item in range(1, 5):
        review = store.reviews.get(item).review
        if review.verdict is None:
            store.reviews.set(item, Review(Verdict.RIGHT, State.SUBMITTED))
    cards, exporter = DataCards(store), Exporter(store)
    report = exporter.write_now(
        format, tmp_path / "out", {}, beside=lambda work, report: cards.put_beside(work, report, "bills", {}, "cc0-1.0")
    )
    found = head((tmp_path / "out" / "README.md").read_text("utf-8"))
    names = [config["config_name"] for config in found["configs"]]
    if format == "llama-factory":
        assert names == ["dpo", "kto", "sft"]
    rows = load_dataset(str(tmp_path / "out"), names[-1], split="train", cache_dir=str(tmp_path / "cache"))
    assert len(rows) == report.count_out == 4
    assert row((tmp_path / "out" / "README.md").read_text("utf-8"), "SHA-256 of the data", report.sha256)


@pytest.mark.parametrize(
    ("said", "codes"),
    [
        ("", ()),
        ("12.50 %", ()),
        ("Thank you for the payment", ("en",)),
        ("Vielen Dank, die Rechnung ist bezahlt", ("de",)),
        ("Merci pour votre achat dans les magasins", ("fr",)),
        ("合计金额", ("zh",)),
        ("合計は です", ("ja",)),
        ("합계", ("ko",)),
        ("Итого к оплате", ("ru",)),
        ("合计 Total of the bill", ("en", "zh")),
        ("Xyzzy qwrt", ("und",)),
        ("ႠႡႢ", ("und",)),
    ],
)
def test_languages(said: str, codes: tuple[str, ...]) -> None:
    assert languages_of(said) == codes


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("# Heading", "\\# Heading"),
        ("1. list", "1\\. list"),
        ("- list", "\\- list"),
        ("===", "\\==="),
        ("a\u202eb\x85c\ud800d\x1b\x00", "a\ufffdb c\ufffdd\ufffd\ufffd"),
    ],
)
def test_a_licence_in_words_is_a_line_of_text(store: Store, tmp_path: Path, said: str, shown: str) -> None:
    DataCards(store).write_now("v1", tmp_path / "out", said)
    card = (tmp_path / "out" / "README.md").read_text("utf-8")
    assert f"## Licence\n\n{shown}\n" in card
    assert head(card)["license"] == "other"
    assert head(card)["license_name"].isprintable()


def test_a_licence_that_the_hub_does_not_know_is_another(store: Store) -> None:
    assert head(DataCards(store).text_now("v1", "my-licence"))["license"] == "other"
    assert head(DataCards(store).text_now("v1", "mit"))["license"] == "mit"


def test_a_card_without_names(store: Store) -> None:
    card = DataCards(store).text_now("v1", nameless=True)
    assert row(card, "reviewer 1", "1")
    assert "Ann" not in card
