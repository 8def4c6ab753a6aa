"""Lab files: read exactly, or refused with every mistake, its line and what is allowed there."""

from __future__ import annotations

import os
import re
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from broken_labs import MISTAKES, changed
from example import LAB
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import posenc_gui as pe
from posenc_gui import plots
from posenc_gui.foundation.resources import folder
from posenc_gui.labs.definition import lab_library, parse
from posenc_gui.labs.definition.expressions import Expression
from posenc_gui.labs.definition.lab import Choice, FreeText, Lab, Number, Order, Sketch, Step
from posenc_gui.labs.definition.parse import LARGEST_FILE, LabRefused, Problem
from posenc_gui.session.first_session import first_session

FIRST = first_session()
BARE = Step("", "", "")


def problems_of(content: str) -> tuple[Problem, ...]:
    """The problems for which a text is refused, each of which can be told in one line of the file."""
    with pytest.raises(LabRefused) as refusal:
        parse.read(content, "lab")
    assert_can_be_told(refusal.value, content)
    return refusal.value.problems


def test_a_hebrew_title_is_quoted_apart_from_the_words_around_it() -> None:
    problems = problems_of("# שלום\n\nWhat is asked.\n")
    assert any("“\u2068שלום\u2069” needs a block" in problem.message for problem in problems)


def assert_can_be_told(refused: LabRefused, content: str) -> None:
    count = len(re.split(r"\r\n|\r|\n", content))
    assert refused.problems
    for problem in refused.problems:
        assert 1 <= problem.line <= count
        assert problem.message
        assert re.sub("[\u2068\u2069]", "", problem.message).isprintable()  # but for what isolates Hebrew and Arabic
        assert len(problem.message) < 2000
    assert len(str(refused).splitlines()) == 1


# --- The whole format -----------------------------------------------------------------------------------------------


def test_the_example_is_read_as_it_stands() -> None:
    lab = parse.read(LAB, "name")
    assert (lab.name, lab.title, lab.minutes, lab.path) == ("name", "Attention reads a set", 10, None)
    assert lab.summary == "What does attention know about the order of its tokens?"
    assert [step.name for step in lab.steps] == ["reorder", "count", "order", "sketch", "words"]
    reorder, count, order, sketch, words = (replace(step, lines={}) for step in lab.steps)
    assert reorder == Step(
        name="reorder",
        title="Does the order change the output?",
        text=r"Reorder the tokens: what becomes of $\sum_n w_{mn} v_n$ of each token?",
        start={"encoding": "none", "model": {"n_heads": 2}, "plots": {"waves": {"curves": [0, 2]}}},
        keep=("text",),
        show=("attention",),
        reveal=("equivariance",),
        panels=("tokens", "encoding", "model"),
        lock=("encoding", "model"),
        asks="What happens to the output of each token?",
        prediction=Choice(
            {"same": "It moves along, unchanged.", "not-same": "It changes.", "swap": "The tokens swap their outputs."},
            {"same": Expression("equivariance.value < 1e-4"), "not-same": Expression("equivariance.value >= 1e-4")},
        ),
        act="Reverse them.",
        goal=(Expression("session.order != []"),),
        solve={"order": [1, 2, 0, 3, 4, 5]},
        claims=(Expression("equivariance.value < 1e-4"),),
        hints=("The tokens can be moved.", "Press Reverse."),
        explain="No output changed by more than {{equivariance.value}}.\n\nThere are {{ session.n_tokens }} tokens.",
        feedback={"swap": "An output belongs to its token.", "same": "So it is."},
    )
    assert count.prediction == Number(
        Expression("session.n_tokens"), 0.5, {"characters": Expression("len(session.text)"), "nothing": Expression("0")}
    )
    assert order.prediction == Order(
        {"tokens": "tokens", "text": "characters", "none": "nothing", "half": "all tokens"},
        {
            "text": Expression("len(session.text)"),
            "none": Expression("0 * session.n_tokens"),
            "tokens": Expression("session.n_tokens"),
            "half": Expression("session.n_tokens / 1"),
        },
    )
    assert sketch.prediction == Sketch("waves", 0, {"slow": 1})
    assert words == replace(
        BARE,
        name="words",
        title="Your words",
        text="What have you learned?",
        show=("attention",),
        panels=(),
        asks="Write a sentence.",
        prediction=FreeText(),
        explain="Thank you.",
    )


def test_each_part_knows_its_line() -> None:
    lab = parse.read(LAB, "name")
    lines = LAB.split("\n")
    for step in lab.steps:
        assert lines[step.lines[""] - 1] == f"## {step.title}"
        assert lines[step.lines["block"] - 1] == f'name = "{step.name}"'
        assert lines[step.lines["explain"] - 1] == "### Explain"
        assert lines[step.lines["prediction"] - 1] == "[prediction]"
    assert lines[lab.steps[0].lines["goal"] - 1].startswith("goal =")
    assert lines[lab.steps[0].lines["solve"] - 1] == "[solve]"
    assert lines[lab.steps[0].lines["feedback swap"] - 1] == "### Feedback swap"


def test_a_step_begins_with_what_it_declares_and_keeps() -> None:
    reorder, count, *_ = parse.read(LAB, "name").steps
    before = pe.Session(text="one two three", order=(2, 0, 1), encoding="rope", focus=1)
    begun = reorder.begun(before)
    assert begun == FIRST.changed(
        text="one two three",
        encoding="none",
        model=FIRST.model.model_copy(update={"n_heads": 2}),
        plots={**dict(FIRST.plots), "waves": {"curves": (0, 2)}},
    )
    assert count.begun(before) == FIRST.changed(text="a b c d")


@pytest.mark.parametrize("text", ["a b c d e f", "a b"])
def test_an_order_is_kept_where_there_are_as_many_tokens(text: str) -> None:
    step = parse.read(changed('keep = ["text"]', 'keep = ["order"]'), "name").steps[0]
    order = tuple(reversed(range(len(text.split()))))
    assert step.begun(pe.Session(text=text, order=order)).order == (order if len(order) == FIRST.n_tokens else ())


@pytest.mark.parametrize("order", ['"reversed"', "[5, 4, 3, 2, 1, 0]"])
def test_any_sentence_can_be_reversed(order: str) -> None:
    step = parse.read(changed("[1, 2, 0, 3, 4, 5]", order), "name").steps[0]
    assert step.solved(step.begun(FIRST)).tokens == FIRST.tokens[::-1]
    if order == '"reversed"':
        assert step.solved(pe.Session(text="a b")).tokens == ("b", "a")
        with pytest.raises(ValueError, match="where the text is split into words, characters or bytes, not by a file"):
            step.solved(
                pe.Session(text="a b", tokenizer="mine.json")
            )  # nobody waits to know how many tokens that gives


@pytest.mark.parametrize(
    "data",
    [
        b"\xef\xbb\xbf" + LAB.encode(),
        LAB.replace("\n", "\r\n").encode(),
        b"\xef\xbb\xbf" + LAB.replace("\n", "\r\n").encode(),
        LAB.replace("\n", "\r").encode(),
        LAB.rstrip("\n").encode(),
        LAB.replace("```", "~~~~").encode(),
    ],
    ids=["BOM", "CRLF", "both", "CR", "no last line", "other fences"],
)
def test_files_of_any_editor_are_the_same_lab(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "my lab.md"
    path.write_bytes(data)
    assert replace(parse.load(path), path=None) == parse.read(LAB, "my lab")
    assert parse.load(path).path == path


def test_what_an_editor_hands_over_may_begin_with_a_mark() -> None:
    assert parse.read(f"\ufeff{LAB}", "name") == parse.read(LAB, "name")


def test_code_that_is_no_block_belongs_to_the_words() -> None:
    lab = parse.read(changed("Thank you.", "```python\n# no heading\n```\n\n#### Small\n\nThank you."), "name")
    assert lab.steps[-1].explain == "```python\n# no heading\n```\n\n#### Small\n\nThank you."


# --- Mistakes -------------------------------------------------------------------------------------------------------


def test_a_mistake_is_told_in_a_line_of_the_file() -> None:
    for old, new in MISTAKES:
        assert problems_of(changed(old, new)), new


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("tolerance = 0.5", "tolerance =", "tolerance ="),
        ("tolerance = 0.5", "tolerance = 0.5\ntolerance = 1", "tolerance = 1"),
        ('plot = "waves"', 'plot = "waves', 'plot = "waves'),
        ("```\n\n### Predict\n\nWrite", "\n\n### Predict\n\nWrite", "Write a sentence."),
    ],
)
def test_what_is_not_valid_toml_is_told_on_its_line(old: str, new: str, line: str) -> None:
    content = changed(old, new)
    (problem,) = problems_of(content)
    assert problem.message.startswith("this is not valid TOML: ")
    assert content.split("\n")[problem.line - 1] == line


def test_every_mistake_of_a_file_is_told_at_once() -> None:
    content = LAB.removeprefix("# Attention reads a set\n")
    for old, new in (('["attention"]', '["atention"]'), ("goal = [", 'goal = ["1", '), ("curve = 0", "curve = -1")):
        content = content.replace(old, new, 1)
    problems = problems_of(content.replace("### Hint", "### Hnt", 1))
    assert list(problems) == sorted(problems)
    assert len({problem.line for problem in problems}) >= 5
    messages = "\n".join(problem.message for problem in problems)
    for word in ("title", "'attention'", "comparison", "at least", "'Hint'"):
        assert word in messages


def test_the_refusal_names_the_file_and_how_many_mistakes_there_are(tmp_path: Path) -> None:
    path = tmp_path / "mine.md"
    content = LAB.replace("tolerance = 0.5", "tolerance = nan").replace("curve = 0", "curve = 99")
    path.write_text(content, encoding="utf-8")
    with pytest.raises(LabRefused, match=r"^mine\.md, line \d+: .*tolerance.* \(and 1 more\)$"):
        parse.load(path)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "begins with its title"),
        (b"\n\n\n", "begins with its title"),
        (b"\x00" * 100, "begins with its title"),
        (b"# T\n\nx\n\n\xff", "line 5: the file is not UTF-8 text"),
        (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "line 1: the file is not UTF-8 text"),
        (LAB.encode("utf-16"), "not UTF-8 text"),
        (b"x" * (LARGEST_FILE + 1), "larger than 500 kB"),
        (b"# T\n" * 10_000, "one title"),
        (b"# T\n\nx\n\n```lab\nformat = 1\nminutes = 1\n```\n" + b"## S\n" * 41, "at most 40 steps, not 41"),
        (b"```lab", "begins with its title"),
        (b"{}", "begins with its title"),
    ],
)  # fmt: skip
def test_what_is_no_lab_is_refused(tmp_path: Path, data: bytes, words: str) -> None:
    path = tmp_path / "holiday.md"
    path.write_bytes(data)
    with pytest.raises(LabRefused) as refusal:
        parse.load(path)
    assert any(words in str(problem) for problem in refusal.value.problems)
    assert str(refusal.value).startswith("holiday.md, line ")


def test_what_cant_be_opened_is_an_os_error(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none.md"):
        with pytest.raises(OSError, match=re.escape(str(path))):
            parse.load(path)


# --- Anything -------------------------------------------------------------------------------------------------------

FRAGMENTS = (
    "```", "```step", "```lab", "~~~", "# T", "## S", "### Predict", "### Hint", "### Feedback x", "- a: b", "  c",
    'goal = ["1 < 2"]', 'goal = ["__import__(\'os\') == 1"]', "solve = 5", "[solve]", "[prediction]", 'kind = "text"',
    'session.tokenizer = "/etc/passwd.json"', "session.model.d_model = 99999999999", "session.text = 1979-05-27",
    "session.focus = inf", "session.plots = 1", "session.model = []", 'session.encoding = { name = "rope", base = nan }',
    "session.order = [0, 0]", 'show = ["__class__"]', "name = []", "near = { a = 1 }", 'when = { a = "1 < 2" }',
    "{{session}}", "{{open('x')}}", "{{" * 50, "{{'\\d'}}", "<script>", "\0", "\u2028", "\ud800", "\x1b[31m", "]" * 50,
    "[" * 2000, "a = {" * 200, '"""', "'''", "\\", "=", "x.y.z = 1", "9" * 5000, "\t", "    ",
)  # fmt: skip


@cache
def sources() -> list[str]:
    return [LAB, *((folder() / "labs" / f"{name}.md").read_text(encoding="utf-8") for name in lab_library.names())]


@st.composite
def mutated(draw: st.DrawFn) -> str:
    """A lab with some lines deleted, doubled, swapped, damaged or put in; cut to few steps, so that many are read."""
    content = draw(st.sampled_from(sources()))
    lines = content.split("\n")
    steps = [number for number, line in enumerate(lines) if line.startswith("## ")]
    first = draw(st.integers(0, len(steps) - 1))
    end = steps[first + 1] if first + 1 < len(steps) else len(lines)
    lines = lines[: steps[0]] + lines[steps[first] : end]
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, max(0, len(lines) - 1)))
        match draw(st.sampled_from(["delete", "double", "swap", "flip", "insert", "append", "cut"])):
            case "delete":
                del lines[at : at + draw(st.integers(1, 3))]
            case "double":
                lines.insert(at, lines[at] if lines else "")
            case "swap" if len(lines) > 1:
                other = draw(st.integers(0, len(lines) - 1))
                lines[at], lines[other] = lines[other], lines[at]
            case "flip" if lines and lines[at]:
                place = draw(st.integers(0, len(lines[at]) - 1))
                sign = draw(st.characters(codec=None) | st.sampled_from("\"'[]{}=#`.,: \r\n"))
                lines[at] = lines[at][:place] + sign + lines[at][place + 1 :]
            case "insert":
                lines.insert(at, draw(st.sampled_from(FRAGMENTS)))
            case "append" if lines:
                lines[at] += draw(st.sampled_from(FRAGMENTS))
            case "cut":
                del lines[at:]
    return "\n".join(lines)


@pytest.mark.slow
@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(mutated())
@example("# T\n```lab")
@example(LAB.replace("tolerance = 0.5", "tolerance = 0.5\r\r"))
def test_any_change_gives_a_lab_or_lines_with_what_is_wrong(content: str) -> None:
    before = FIRST.to_json()
    try:
        lab = parse.read(content, "lab")
    except LabRefused as refused:
        assert_can_be_told(refused, content)
    else:
        assert isinstance(lab, Lab)
        assert lab.title
        assert all(step.begun(FIRST) for step in lab.steps)
    assert first_session().to_json() == before
    assert parse.read(LAB, "name").steps[0].start["encoding"] == "none"


@given(st.binary() | st.text(st.characters(codec=None)).map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_any_file_is_a_lab_or_refused(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "any.md"
    path.write_bytes(data)
    with pytest.raises(LabRefused, match=r"^any\.md, line \d+: \S"):
        parse.load(path)


# --- Translation ----------------------------------------------------------------------------------------------------

_KEPT = re.compile(r"(\{\{.*?\}\}|\$[^$]*\$|“[^”]*”)")


def translated(content: str) -> str:
    """A lab in a language that nobody speaks: all words but headings of parts, option names, blocks and formulas."""
    result, inside = [], False
    for line in content.split("\n"):
        inside ^= line.startswith("```")
        if inside or line.startswith(("```", "### ")):
            result.append(line)
            continue
        mark = re.match(r"#+ |[-*] [a-z][a-z0-9_-]*: | *", line)
        assert mark
        pieces = _KEPT.split(line[mark.end() :])
        pieces[::2] = [re.sub(r"\w+", lambda word: f"þ{word[0][::-1]}é", piece) for piece in pieces[::2]]
        result.append(mark[0] + "".join(pieces))
    return "\n".join(result)


def logic(step: Step) -> Step:
    """A step without its words."""
    prediction = step.prediction
    match prediction:
        case Choice(options=words):
            prediction = replace(prediction, options=dict.fromkeys(words, ""))
        case Order(items=words):
            prediction = replace(prediction, items=dict.fromkeys(words, ""))
    transfer = step.transfer
    if transfer:
        choice = replace(transfer.choice, options=dict.fromkeys(transfer.choice.options, ""))
        transfer = replace(transfer, asks="", choice=choice, answer="")
    unspoken = dict.fromkeys(step.feedback, "")
    return replace(
        step,
        title="",
        text="",
        asks="",
        prediction=prediction,
        hints=("",) * len(step.hints),
        act="",
        explain="",
        feedback=unspoken,
        transfer=transfer,
    )


@pytest.mark.parametrize("content", range(6))
def test_a_translated_lab_asks_and_measures_the_same(content: int) -> None:
    source = sources()[content]
    lab, other = parse.read(source, "lab"), parse.read(translated(source), "lab")
    assert list(map(logic, lab.steps)) == list(map(logic, other.steps))
    assert (lab.minutes, lab.name) == (other.minutes, other.name)
    for step, again in zip(lab.steps, other.steps, strict=True):
        assert step.title != again.title
        assert step.explain != again.explain or not step.explain
        assert "þ" not in repr(logic(again))


def test_every_plot_may_be_named() -> None:
    for name in set(plots.names()) - {"equivariance"}:  # which this step covers
        assert parse.read(changed('show = ["attention"]', f'show = ["{name}"]'), "lab").steps[0].show == (name,)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere all names are text")
def test_a_lab_whose_file_name_is_no_text_has_a_name_that_can_be_saved(tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(b"own \xff.md")
    path.write_text(LAB, encoding="utf-8")
    assert parse.load(path).name == "own \N{REPLACEMENT CHARACTER}"
