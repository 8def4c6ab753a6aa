"""Reports: one page and one file a learner and lab, that can be opened anywhere and never take another's place."""

from __future__ import annotations

import io
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from PySide6.QtGui import QTextDocument

import posenc_gui as pe
from posenc_gui.foundation.theme import LIGHT
from posenc_gui.labs.definition.record import Answer, Outcome, Picture, Record, StepRecord
from posenc_gui.labs.reports import report
from posenc_gui.labs.text.lab_markdown import plain
from posenc_gui.session.first_session import first_session

HOSTILE = '<script src="http://a.b">x</script>'
SINE = ((0.0, 0.0), (1.0, 0.8), (2.0, 0.9))
RESERVED = {"con", "prn", "aux", "nul", *(f"{name}{digit}" for name in ("com", "lpt") for digit in "123456789")}


def record(learner: str = "Ada Lovelace", lab: str = "1-set", **step: object) -> Record:
    done = StepRecord(**{"kind": "text", "committed": "2026-11-21T10:02:00+00:00", **step})  # type: ignore[arg-type]
    return Record(
        lab=lab,
        title="Attention reads a set",
        learner=learner,
        started="2026-11-21T10:00:00+00:00",
        steps={"reorder": done},
        titles={"reorder": "Does the order matter?", "later": "And then?"},
        asked={"reorder": "Where does $x_m$ go?"},
    )


def sketch(answer: Answer, plot: str = "waves", curve: int = 0) -> Record:
    outcome = Outcome(answer=((0.0, 0.1), (2.0, 0.9)), words="dim 0")
    session = first_session().to_json()
    return record(kind="sketch", plot=plot, curve=curve, answer=answer, outcome=outcome, session=session)


def page(record: Record, **pictures: bytes | str) -> str:
    return report.html(record, {("reorder", number): picture for number, picture in enumerate(pictures.values())})


def tags(page: str) -> list[tuple[str, dict[str, str | None]]]:
    found: list[tuple[str, dict[str, str | None]]] = []
    parser = HTMLParser()
    parser.handle_starttag = lambda tag, attrs: found.append((tag, dict(attrs)))  # type: ignore[method-assign]
    parser.feed(page)
    return found


def test_the_page_says_what_was_thought_and_what_came_out() -> None:
    outcome = Outcome(answer="same", words="It moves **along**.", feedback="swap", right=False)
    found = page(
        record(
            kind="choice",
            answer="swap",
            answer_words="They swap.",
            reason="Order is order.",
            outcome=outcome,
            hints=1,
            shown=True,
            explored=True,
            notes="Aha.\nSo it is.",
        )
    )
    for words in ("Ada Lovelace", "Attention reads a set", "Does the order matter?", "They swap.", "Order is order."):
        assert words in found
    for words in ("It moves <strong>along</strong>.", "not as predicted", "1 hint", "shown the solution"):
        assert words in found
    assert "used free play before predicting" in found
    assert "Aha.<br>So it is." in found
    assert "And then?" in found
    assert 'alt="x_m"' in found


def test_a_typed_formula_stands_in_the_page_once() -> None:
    session = pe.Session(encoding=pe.encoding("own", formula="p[m, i] = 3 m"))
    page_of = page(record(formula="p[m, i] = 3 m", lacked=("bounded: no",), session=session.to_json()))
    assert page_of.count("p[m, i] = 3 m") == 1
    assert "Your formula" in page_of


@pytest.mark.parametrize(("right", "words"), [(True, ">as predicted<"), (False, ">not as predicted<")])
def test_the_verdict_is_kind(right: bool, words: str) -> None:
    assert words in page(record(outcome=Outcome(answer=None, words="so", right=right)))


def test_nobody_s_verdict_on_free_words() -> None:
    assert "predicted<" not in page(record(outcome=Outcome(answer=None, words="so")))


def test_the_page_needs_nothing_but_itself() -> None:
    pictures = (Picture(plot="waves", session="{}", note=HOSTILE),)
    found = page(record(HOSTILE, answer_words=HOSTILE, reason=HOSTILE, notes=HOSTILE, pictures=pictures), drawn=b"PNG")
    assert not {tag for tag, _ in tags(found)} & {"script", "link", "iframe", "a"}
    sources = [attributes["src"] for _, attributes in tags(found) if "src" in attributes]
    assert len(sources) == 2
    assert all(str(source).startswith("data:") for source in sources)


def test_the_page_asks_browsers_to_show_nothing_but_itself() -> None:
    found = tags(page(record(HOSTILE, answer_words="$x$"), drawn=b"PNG"))
    policies = [own["content"] for tag, own in found if tag == "meta" and own.get("http-equiv")]
    assert len(policies) == 1
    rules = dict(rule.split(maxsplit=1) for rule in str(policies[0]).split("; "))
    assert rules.pop("default-src") == rules.pop("base-uri") == rules.pop("form-action") == "'none'"
    assert rules == {"style-src": "'unsafe-inline'", "img-src": "data:"}, "its own style and pictures, else nothing"
    names = [tag for tag, _ in found]
    assert names.index("meta") < names.index("title") < names.index("style")  # it holds for what comes after it


def test_the_page_can_be_printed_by_the_window(qapp) -> None:
    document = QTextDocument()
    document.setHtml(page(record(answer_words="It moves.")))
    assert "It moves." in document.toPlainText()


def test_pictures_are_drawn_again_or_say_why_not() -> None:
    session = first_session().to_json()
    taken = [("encoding", session), ("gone", session), ("waves", "{}")]
    found = report.pictures(record(pictures=tuple(Picture(plot=plot, session=json) for plot, json in taken)))
    drawn = found["reorder", 0]
    assert isinstance(drawn, bytes)
    assert drawn.startswith(b"\x89PNG")
    for number in (1, 2):
        sentence = found["reorder", number]
        assert isinstance(sentence, str)
        assert sentence.startswith("This picture can't be drawn: ")


def test_a_picture_is_drawn_beside_the_one_that_stood_there() -> None:
    before, now = (first_session().changed(encoding=name).to_json() for name in ("rope", "sinusoidal"))
    taken = [Picture(plot="shift", session=now), Picture(plot="shift", session=now, before=before)]
    found = report.pictures(record(pictures=tuple(taken)))
    grounds = [_share_of(LIGHT.window, found["reorder", number]) for number in (0, 1)]
    assert grounds[0] == 0
    assert grounds[1] > 0.1  # Before stands on grey


def _share_of(colour: str, png: bytes | str) -> float:
    assert isinstance(png, bytes)
    pixels = np.asarray(Image.open(io.BytesIO(png)).convert("RGB"))
    return float((pixels == list(bytes.fromhex(colour[1:]))).all(axis=2).mean())


@pytest.mark.slow
@pytest.mark.parametrize("plot", ["waves", "frequencies"])  # the second is logarithmic
def test_a_sketch_is_drawn_beside_what_was_measured(plot: str) -> None:
    made = sketch(tuple((x, y + 0.1) for x, y in SINE), plot)
    found = report.pictures(made)
    assert isinstance(found["reorder", report.SKETCH], bytes)
    assert "data:image/png" in report.html(made, found)


@pytest.mark.parametrize(
    "made",
    [
        *(sketch(answer) for answer in ((), "a curve", ((0.0, 1e308), (1.0, -1e308)), 3.0)),
        sketch(((0.0, -1.0), (1.0, 1.0)), "frequencies"),  # no logarithm
        sketch(SINE, "waves", 1000),
        sketch(SINE, "attention"),
        sketch(SINE, "gone"),
        record(kind="sketch", answer=SINE, outcome=Outcome(answer=SINE, words="dim 0")),
    ],
)
def test_a_sketch_that_can_t_be_drawn_says_why(made: Record) -> None:
    found = report.pictures(made)
    sentence = found["reorder", report.SKETCH]
    assert isinstance(sentence, str)
    assert sentence.startswith("This picture can't be drawn: ")
    assert plain(sentence) in report.html(made, found)


@pytest.mark.parametrize("time", ["", "yesterday", "0001-01-01T00:00:00+00:00", "9999-12-31T23:59:59-14:00"])
def test_strange_times_do_no_harm(time: str) -> None:
    assert "Ada" in report.html(Record(lab="1", title="One", learner="Ada", started=time, changed=time), {})


@pytest.mark.parametrize(
    ("learner", "name"),
    [
        ("Ada Lovelace", "Ada Lovelace - 1-set"),
        ("  ", "unnamed - 1-set"),
        ("../../etc", "etc - 1-set"),
        ("J. R. R. Tolkien", "J R R Tolkien - 1-set"),
        ("a/b\\c:d*e?f\n|g", "a b c d e f g - 1-set"),
        ("Zoë 🦉 小明", "Zoë 🦉 小明 - 1-set"),
        ("\u202egnp.exe", "gnp exe - 1-set"),
        ("CON", "CON - 1-set"),
    ],
)
def test_files_are_named_after_learner_and_lab(learner: str, name: str) -> None:
    assert report.file_name(record(learner)) == name


@given(st.text(max_size=400), st.text(max_size=100))
@settings(max_examples=24)
def test_every_name_is_a_file_s_name(learner: str, lab: str) -> None:
    name = report.file_name(record(learner, lab))
    assert len(f"{name} (1000).html".encode()) < 255
    assert not set(name) & set('<>:"/\\|?*\0\n')
    assert name.strip(" .~") == name
    assert name.split(".")[0].casefold() not in RESERVED


def test_a_page_and_a_record_are_written(tmp_path: Path) -> None:
    written = report.save(record(), tmp_path, {})
    assert [path.name for path in written] == ["Ada Lovelace - 1-set.html", "Ada Lovelace - 1-set.json"]
    assert Record.load(written[1]) == record()
    assert sorted(tmp_path.iterdir()) == sorted(written)


def test_the_same_learner_s_report_is_replaced(tmp_path: Path) -> None:
    first = report.save(record(), tmp_path, {})
    assert report.save(record(notes="More."), tmp_path, {}) == first
    assert "More." in first[0].read_text(encoding="utf-8")


@pytest.mark.parametrize(("one", "other"), [("A/B", "A:B"), ("A.B", "A B"), ("", "unnamed")])
def test_another_learner_s_report_stays(tmp_path: Path, one: str, other: str) -> None:
    first, second = report.save(record(one), tmp_path, {}), report.save(record(other), tmp_path, {})
    assert second[1].name == f"{report.file_name(record(other))} (2).json"
    assert [Record.load(paths[1]).learner for paths in (first, second)] == [one, other]
    assert report.save(record(other), tmp_path, {}) == second


@pytest.mark.parametrize("name", ["Ada Lovelace - 1-set.json", "Ada Lovelace - 1-set.html"])
def test_a_file_that_is_no_report_stays(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("precious")
    report.save(record(), tmp_path, {})
    assert (tmp_path / name).read_text() == "precious"
    assert (tmp_path / "Ada Lovelace - 1-set (2).json").exists()


def test_a_folder_that_is_gone_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No such file"):
        report.save(record(), tmp_path / "gone", {})


def test_sketches_come_back_from_the_file(tmp_path: Path) -> None:
    made = sketch(SINE)
    assert Record.load(report.save(made, tmp_path, {})[1]) == made


def test_what_was_changed_of_encoding_and_model_is_told() -> None:
    session = first_session().changed(encoding=pe.encoding("rope", base=500_000.0, pairing="interleaved"))
    session = session.changed(model=session.model.model_copy(update={"causal": True})).reordered((1, 0, 2, 3, 4, 5))
    found = page(record(outcome=Outcome(answer="same", words="so"), session=session.to_json()))
    assert "in another order, RoPE (base 500,000, pairing interleaved), model (causal mask on), seed" in found
