"""Reading a lab file: Markdown with a small declared block for each step.

    # Title                    and below it one paragraph: what the lab asks
    ```lab                     format = 1, minutes = 10
    ### Takeaway               what is read at the end; `{{step: question}}` is what that step's explanation was filled with
    ## Step's title            and below it the driving question
    ```step                    TOML: name, session, keep, show, reveal, before, panels, lock, quiet, goal, solve, claims,
                               prediction
    ### Predict                the question, and `- name: words` for each option or item
    ### Act                    what to do then, in the window
    ### Hint                   as often as there are stages
    ### Explain                shown when the step is done
    ### Feedback NAME          for those whose answer it fits

What is wrong is told with its line, all of it at once.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from pathlib import Path
from typing import Annotated, Any, Literal

from markdown_it import MarkdownIt
from pydantic import BeforeValidator, Field, ValidationError

from posenc_gui import plots
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.errors import NO_SUCH_FIELD, Invalid, mistakes, sentence, unknown
from posenc_gui.foundation.files import atomic as files
from posenc_gui.labs.definition import expressions as questions
from posenc_gui.labs.definition.expressions import Question
from posenc_gui.labs.definition.lab import PANELS, Choice, Lab, Number, Order, Prediction, Sketch, Step, Text
from posenc_gui.labs.definition.record import LONGEST_WORDS
from posenc_gui.labs.text.lab_markdown import placeholders
from posenc_gui.session.first_session import first_session
from posenc_gui.session.session import Session
from posenc_gui.text import tokenization as text

FORMAT = 1
SUFFIXES = (".md", ".markdown")
LARGEST_FILE = 500_000  # bytes
MOST_STEPS = 40
_MOST_PROBLEMS = 200  # of one file that are told
_FILLED = ("explain", "feedback")  # parts whose questions are answered live
MOST_TOLD = 50  # mistakes of one block

PARTS = ("Predict", "Act", "Hint", "Explain", "Feedback")
_NAME = re.compile("[a-z][a-z0-9_-]{0,39}")
_OPTION = re.compile(r"[-*]\s+([a-z][a-z0-9_-]{0,39})\s*:\s*(.*)")
_TAKEAWAY = "Takeaway"
_NO_TITLE = "a lab begins with its title: # Title"
_FIELD = re.compile(r"\s*\[?([a-z]+)")  # of a block, at the beginning of a line
_TOML_WORDS = re.compile(r""""(?:\\.|[^"\\\n])*"|'[^'\n]*'|#[^\n]*""")
_DEEP_KEY = re.compile(r"(?:\.[^.,=\n\[\]{}]*){30}")  # tomllib's memory grows with the square of a key's parts
_TOML_PLACE = re.compile(r"\s*\(at (?:line (\d+), column \d+|end of document)\)")


@dataclass(frozen=True, order=True)
class Problem:
    """What is wrong in a lab file, and on which line."""

    line: int
    message: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.message}"


class Refused(ValueError):
    """A lab file that can't be used, with every problem that was found; its message tells the first ones."""

    def __init__(self, name: str, problems: Sequence[Problem]) -> None:
        self.problems = tuple(sorted(set(problems)))
        more = f" (and {len(self.problems) - 1} more)" if len(self.problems) > 1 else ""
        super().__init__(f"{name}, {self.problems[0]}{more}")


def load(path: Path) -> Lab:
    """The lab in a file. Raises Refused for one that can't be used and OSError where it can't be read."""
    return read(content_of(path), text.clean(path.stem), path)


def content_of(path: Path) -> str:
    """The text of a lab file. Raises Refused where it is no text or too large, OSError where it can't be read."""
    try:
        data = files.content(path, LARGEST_FILE, "lab")
    except files.Oversized as error:
        raise Refused(path.name, [Problem(1, f"the file {error.why}")]) from None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise Refused(path.name, [Problem(line, "the file is not text in UTF-8")]) from None


def read(content: str, name: str, path: Path | None = None) -> Lab:
    """The lab in the text of a file. Raises Refused with all problems."""
    reading = _reading(content)
    lab = reading.lab(name, path)
    if reading.problems or lab is None:
        raise Refused(path.name if path else name, reading.problems)
    return lab


def part_at(content: str, line: int) -> str:
    """To which part of a step a line of a lab's file belongs: a field of its block, or a heading as "feedback a".

    Empty for what stands below the step's title.
    """
    part = max((part for part in _reading(content).parts() if part.line <= line), key=attrgetter("line"), default=None)
    if part is None or part.level <= 2:
        return part.block.field_at(line) if part and part.block else ""
    return part.title.lower()


def _reading(content: str) -> _Reading:
    return _Reading(content.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n"))


# --- The file's parts -----------------------------------------------------------------------------------------------


@dataclass
class _Part:
    """What stands under a heading: its level, title and line, its words, and its declared block."""

    level: int
    title: str
    line: int
    words: list[str] = field(default_factory=list)
    block: _Block | None = None

    @property
    def markdown(self) -> str:
        return "\n".join(self.words).strip()


@dataclass(frozen=True)
class _Block:
    """A fenced block: its kind, its TOML, and the line on which that begins."""

    kind: str
    toml: str
    line: int

    def line_of(self, place: Sequence[int | str]) -> int:
        """The line that holds a field, as far as its names can be found; else the block's first."""
        lines = self.toml.split("\n")
        found = 0
        for name in (part for part in place if isinstance(part, str)):
            key = re.compile(rf'(^\s*\[?|[.{{,]\s*)"?{re.escape(name)}"?\s*(=(?!=)|[.\]])')
            found = next((number for number in range(found, len(lines)) if key.search(lines[number])), found)
        return self.line + found

    def field_at(self, line: int) -> str:
        """The field that holds a line; empty for a line that is none of the block's."""
        lines = self.toml.split("\n")[: max(0, line - self.line + 1)]
        names = [found[1] for one in lines if (found := _FIELD.match(one))]
        return names[-1] if names and line < self.line + self.toml.count("\n") else ""


# --- What blocks may declare ----------------------------------------------------------------------------------------


def _question(value: object) -> Question:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise ValueError('write a number, or a question in quotes, such as "session.n_tokens"')
    return questions.parse(str(value))


def _condition(value: object) -> Question:
    if not isinstance(value, str):
        raise ValueError('write a comparison in quotes, such as "equivariance.value < 1e-5"')
    return questions.condition(value)


def _name(value: object) -> object:
    if isinstance(value, str) and not _NAME.fullmatch(value):
        raise ValueError("a name has at most 40 small letters, digits, - and _, and begins with a letter")
    return value


def _of_a_kind(value: object) -> object:
    if isinstance(value, Mapping) and value.get("kind") not in tuple(_PREDICTIONS):
        raise ValueError(unknown("kind of prediction", value.get("kind", ""), _PREDICTIONS))
    return value


def _plot(value: object) -> object:
    if value not in plots.names():
        raise ValueError(unknown("plot", value, plots.names()))
    return value


def _panel(value: object) -> object:
    if value not in PANELS:
        raise ValueError(unknown("panel", value, PANELS))
    return value


def _kept(value: object) -> object:
    allowed = [name for name in Session.model_fields if name != "plots"]
    if value not in allowed:
        raise ValueError(unknown("field of a session", value, allowed))
    return value


_Name = Annotated[str, BeforeValidator(_name)]
_Asked = Annotated[Question, BeforeValidator(_question)]
_Condition = Annotated[Question, BeforeValidator(_condition)]
_PlotName = Annotated[str, BeforeValidator(_plot)]
_PanelName = Annotated[str, BeforeValidator(_panel)]
_Kept = Annotated[str, BeforeValidator(_kept)]


class _ChoiceBlock(Frozen):
    kind: Literal["choice"]
    when: Mapping[_Name, _Condition] = Field(min_length=1)


class _NumberBlock(Frozen):
    kind: Literal["number"]
    value: _Asked
    tolerance: float = Field(ge=0)
    near: Mapping[_Name, _Asked] = Field(default_factory=dict)
    within: tuple[float, float] | None = None


class _OrderBlock(Frozen):
    kind: Literal["order"]
    items: Mapping[_Name, _Asked] = Field(min_length=2, max_length=12)


class _SketchBlock(Frozen):
    kind: Literal["sketch"]
    plot: _PlotName
    curve: int = Field(0, ge=0, le=63)
    near: Mapping[_Name, Annotated[int, Field(ge=0, le=63)]] = Field(default_factory=dict)


class _TextBlock(Frozen):
    kind: Literal["text"]


_PredictionBlock = Annotated[
    _ChoiceBlock | _NumberBlock | _OrderBlock | _SketchBlock | _TextBlock,
    Field(discriminator="kind"),
    BeforeValidator(_of_a_kind),
]


class _StepBlock(Frozen):
    name: _Name
    session: Mapping[str, Any] = Field(default_factory=dict)
    keep: tuple[_Kept, ...] = ()
    show: tuple[_PlotName, ...] = ()
    reveal: tuple[_PlotName, ...] = ()
    before: tuple[_PlotName, ...] = ()
    panels: tuple[_PanelName, ...] = ("tokens", "encoding")
    lock: tuple[_PanelName, ...] = ()
    quiet: bool = False
    goal: tuple[_Condition, ...] = ()
    solve: Mapping[str, Any] = Field(default_factory=dict)
    claims: tuple[_Condition, ...] = ()
    prediction: _PredictionBlock | None = None


class _LabBlock(Frozen):
    format: Literal[1]
    minutes: int = Field(ge=1, le=120)


_PREDICTIONS: dict[str, type[Frozen]] = {
    "choice": _ChoiceBlock, "number": _NumberBlock, "order": _OrderBlock, "sketch": _SketchBlock, "text": _TextBlock,
}  # fmt: skip


def _fields_at(model: type[Frozen], place: Sequence[int | str]) -> Iterable[str]:
    """The fields that are allowed at a place in a block."""
    kind = next((str(name) for name in place if name in _PREDICTIONS), "")
    return (_PREDICTIONS[kind] if kind else model).model_fields


def _fields_of_session(place: Sequence[int | str]) -> Iterable[str]:
    """The fields that are allowed at a place in a session."""
    model: type[Frozen] = Session
    for name in place:
        inner = model.model_fields[str(name)].annotation if name in model.model_fields else None
        if not (isinstance(inner, type) and issubclass(inner, Frozen)):
            return ()
        model = inner
    return model.model_fields


# --- Reading --------------------------------------------------------------------------------------------------------


@dataclass
class _Reading:
    """One file being read; problems are gathered, so that a writer sees them all."""

    lines: list[str]
    problems: list[Problem] = field(default_factory=list)

    def lab(self, name: str, path: Path | None) -> Lab | None:
        parts = list(self.parts())
        head = parts.pop(0) if parts and parts[0].level == 1 else _Part(1, "", 1)
        if not head.title:
            self._wrong(head.line, _NO_TITLE)
        else:
            self._words(head.title, head.line)
            self._words(head.markdown, head.line)
            if not head.markdown:
                self._wrong(head.line, "below the title there must be a paragraph that says what the lab asks")
        block = self._declared(head, "lab", _LabBlock) if head.title or head.block else None
        takeaway = parts.pop(0) if parts and (parts[0].level, parts[0].title) == (3, _TAKEAWAY) else _Part(3, "", 1)
        declared = list(self._steps(parts))
        if not declared:
            self._wrong(head.line, "a lab needs at least one step: ## Step's title")
        if len(declared) > MOST_STEPS:
            self._wrong(head.line, f"a lab has at most {MOST_STEPS} steps, not {len(declared)}")
        steps = [self._step(one, inner) for one, inner in declared[:MOST_STEPS]]
        found = [step for step in steps if step]
        self._refuse_repeated(found)
        self._check_takeaway(takeaway, found)
        if block is None or self.problems:
            return None
        return Lab(name, head.title, head.markdown, block.minutes, tuple(found), path, takeaway.markdown)

    def _check_takeaway(self, part: _Part, steps: Sequence[Step]) -> None:
        """What it asks for must be told by the step that it names: only that is remembered."""
        told = [
            f"{step.name}: {asked}"
            for step in steps
            for words in (step.explain, *step.feedback.values())
            for asked in placeholders(words)
        ]
        if len(part.markdown) > LONGEST_WORDS:
            self._wrong(part.line, f"a part has at most {LONGEST_WORDS:,} characters, not {len(part.markdown):,}")
            return
        for asked in placeholders(part.markdown):
            if asked not in told:
                self._wrong(
                    self._line_with(asked, part.line),
                    f"{{{{{asked}}}}}: write {{{{step: question}}}}, with a question that this step's explanation asks",
                )

    def parts(self) -> Iterator[_Part]:
        """The headings with what stands below each, in the order of the file."""
        tokens = MarkdownIt("zero").enable(["heading", "fence"]).parse("\n".join(self.lines))
        part: _Part | None = None
        begun = False
        for index, token in enumerate(tokens):
            if token.map is None or token.level:
                continue
            first, last = token.map
            if token.type == "heading_open" and len(token.markup) <= 3:
                if part:
                    yield part
                part = _Part(len(token.markup), tokens[index + 1].content.strip(), first + 1)
            elif token.type == "fence" and token.info.strip() in ("lab", "step"):
                if part is None or part.block:
                    self._wrong(first + 1, f"this ```{token.info.strip()} block stands under no heading of its own")
                else:
                    part.block = _Block(token.info.strip(), token.content, first + 2)
            elif part is None:
                if not begun:
                    self._wrong(first + 1, _NO_TITLE)
                begun = True
            else:
                part.words += ["", *self.lines[first:last]]
        if part:
            yield part

    def _steps(self, parts: Sequence[_Part]) -> Iterator[tuple[_Part, list[_Part]]]:
        """Each step's own part with those inside it."""
        steps: list[tuple[_Part, list[_Part]]] = []
        for part in parts:
            if part.level == 1:
                self._wrong(part.line, "there is one title; steps begin with ##")
            elif part.level == 2:
                steps.append((part, []))
            elif not steps:
                self._wrong(part.line, "this part stands before the first step: ## Step's title")
            else:
                steps[-1][1].append(part)
        return iter(steps)

    def _step(self, head: _Part, inner: Sequence[_Part]) -> Step | None:
        block = self._declared(head, "step", _StepBlock)
        if not head.markdown:
            self._wrong(head.line, "a step needs its question in words")
        if not head.title:
            self._wrong(head.line, "a step needs a title: ## Step's title")
        self._words(head.title, head.line)
        self._words(head.markdown, head.line)
        by_kind = self._by_kind(inner)
        if block is None or head.block is None:
            return None
        lines = {"": head.line, "block": head.block.line}
        lines |= {name: head.block.line_of((name,)) for name in ("goal", "claims", "solve", "prediction", "session")}
        lines["focus"] = head.block.line_of(("session", "focus"))
        lines |= {part.title.lower(): part.line for part in inner}
        asks, options = self._asked(by_kind["predict"], head, block)
        step = Step(
            name=block.name,
            title=head.title,
            text=head.markdown,
            start=block.session,
            keep=block.keep,
            show=block.show,
            reveal=block.reveal,
            before=block.before,
            panels=block.panels,
            lock=block.lock,
            quiet=block.quiet,
            act="\n\n".join(part.markdown for part in by_kind["act"]),
            asks=asks,
            prediction=self._prediction(block, options, lines["prediction"]),
            goal=block.goal,
            solve=block.solve,
            claims=block.claims,
            hints=tuple(part.markdown for part in by_kind["hint"]),
            explain="\n\n".join(part.markdown for part in by_kind["explain"]),
            feedback={self._name_of(part): part.markdown for part in by_kind["feedback"]},
            lines=lines,
        )
        self._check_feedback(step, by_kind["feedback"])
        self._refuse_twice((*step.show, *step.reveal), lines["block"])
        self._refuse_twice(step.panels, lines["block"])
        for name in step.before:
            if name not in (*step.show, *step.reveal):
                self._wrong(lines["block"], f"{name} can't keep its picture of before: name it in show or reveal, too")
        self._check_sessions(step, head.block)
        return step

    def _by_kind(self, parts: Sequence[_Part]) -> dict[str, list[_Part]]:
        found: dict[str, list[_Part]] = {name.lower(): [] for name in PARTS}
        for part in parts:
            kind = part.title.split(" ")[0]
            if kind.lower() not in found:
                self._wrong(part.line, unknown("part", kind, PARTS))
                continue
            found[kind.lower()].append(part)
            if part.block:
                self._wrong(part.block.line - 1, f"the block stands under the step's own heading, not under {kind}")
            if not part.markdown:
                self._wrong(part.line, f"there are no words under {kind}")
            self._words(part.markdown, part.line, filled=kind.lower() in _FILLED)
        for kind in ("predict", "act", "explain"):
            for part in found[kind][1:]:
                self._wrong(part.line, f"a step has one part {part.title}")
        return found

    def _asked(self, parts: Sequence[_Part], head: _Part, block: _StepBlock) -> tuple[str, dict[str, str]]:
        """What is asked, and the words of the options or items by name."""
        if block.prediction is None:
            if parts:
                self._wrong(parts[0].line, "the step's block declares no prediction: add [prediction] with its kind")
            return "", {}
        if not parts:
            self._wrong(head.line, "the prediction is not asked for: add a part ### Predict")
            return "", {}
        asks, options = [], {}
        last = ""
        for line in parts[0].words:
            if option := _OPTION.fullmatch(line):
                last = option[1]
                if last in options:
                    self._wrong(parts[0].line, f"there are two options named {last}")
                options[last] = option[2]
            elif last and line.startswith("  "):
                options[last] += f" {line.strip()}"
            elif line.strip() or not last:
                asks.append(line)
        if not "".join(asks).strip():
            self._wrong(parts[0].line, "there is no question above the options")
        return "\n".join(asks).strip(), options

    def _prediction(self, block: _StepBlock, options: dict[str, str], line: int) -> Prediction | None:
        match block.prediction:
            case _ChoiceBlock(when=when):
                if len(options) < 2:
                    self._wrong(line, "a choice needs two options at least, under ### Predict: - name: words")
                self._refuse_unknown("option", when, options, line)
                return Choice(options, when)
            case _OrderBlock(items=items):
                self._refuse_unknown("item", items, options, line)
                self._refuse_unknown("item", options, items, line)
                return Order(options, items)
            case _NumberBlock(value=value, tolerance=tolerance, near=near, within=within):
                return Number(value, tolerance, near, within)
            case _SketchBlock(plot=plot, curve=curve, near=near):
                if plot not in block.reveal:
                    self._wrong(line, f"a sketch is drawn where its plot is covered: name {plot} in reveal")
                return Sketch(plot, curve, near)
            case _TextBlock():
                return Text()
            case _:
                return None

    def _check_feedback(self, step: Step, parts: Sequence[_Part]) -> None:
        names = feedback_names(step.prediction)
        for part in parts:
            name = self._name_of(part)
            if name not in names:
                self._wrong(part.line, unknown("feedback", name, names))
        if len(step.feedback) < len(parts):
            self._wrong(parts[-1].line, "two feedbacks have the same name")

    def _check_sessions(self, step: Step, block: _Block) -> None:
        before = len(self.problems)
        for name, changes in (("session", step.start), ("solve", step.solve)):
            for given in list(changes)[:MOST_TOLD]:
                if given not in Session.model_fields:
                    told = unknown("field of a session", given, Session.model_fields)
                    self._wrong(block.line_of((name, given)), f"{name}: {told}")
            if changes.get("tokenizer", "words") not in text.TOKENIZERS:
                allowed = unknown("tokenizer", changes["tokenizer"], text.TOKENIZERS)
                self._wrong(block.line_of((name, "tokenizer")), f"{allowed}; a lab reads no other file")
        if len(self.problems) > before:
            return
        name = "session"
        try:
            begun = step.begun(first_session())
            name = "solve"
            if not step.keep:
                step.solved(begun)
        except Invalid as error:
            for place, told in error.mistakes[:MOST_TOLD]:
                if told.endswith(NO_SUCH_FIELD):
                    within = ".".join(map(str, place[:-1]))
                    told = f"{within}: {unknown('field', place[-1], _fields_of_session(place[:-1]))}"
                self._wrong(block.line_of((name, *place)), f"{name}: {told}")
        except (ValueError, TypeError, RecursionError) as error:
            self._wrong(block.line_of((name,)), f"{name}: {sentence(error)}")

    def _declared(self, part: _Part, kind: str, model: type[Any]) -> Any:
        """What a part's block declares; None where it can't be used."""
        block = part.block
        if block is None or block.kind != kind:
            self._wrong(block.line - 1 if block else part.line, f"“{part.title}” needs a block ```{kind}")
            return None
        if _DEEP_KEY.search(_TOML_WORDS.sub("", block.toml)):
            self._wrong(block.line, "this block is nested too deeply")
            return None
        try:
            return model.model_validate(tomllib.loads(block.toml))
        except tomllib.TOMLDecodeError as error:
            at = _TOML_PLACE.search(str(error))
            offset = int(at[1]) - 1 if at and at[1] else max(0, block.toml.count("\n") - 1)
            self._wrong(block.line + offset, f"this is no TOML: {_TOML_PLACE.sub('', str(error))}")
        except ValidationError as error:
            for place, told in mistakes(error)[:MOST_TOLD]:
                if told.endswith(NO_SUCH_FIELD):
                    told = unknown("field", place[-1], _fields_at(model, place[:-1]))
                self._wrong(block.line_of([name for name in place if name not in _PREDICTIONS]), told)
        except RecursionError:
            self._wrong(block.line, "this block is nested too deeply")
        except ValueError as error:
            self._wrong(block.line, f"this block can't be read: {sentence(error)}")
        return None

    def _words(self, markdown: str, line: int, *, filled: bool = False) -> None:
        """Refuse words that are too many, and what an explanation asks for but can't be answered."""
        if len(markdown) > LONGEST_WORDS:
            self._wrong(line, f"a part has at most {LONGEST_WORDS:,} characters, not {len(markdown):,}")
            return
        for asked in placeholders(markdown):
            try:
                if not filled:
                    raise ValueError(f"{{{{{asked}}}}} is filled in under ### Explain and ### Feedback alone")
                questions.parse(asked)
            except ValueError as error:
                self._wrong(self._line_with(asked, line), str(error))

    def _line_with(self, words: str, start: int) -> int:
        return next((number for number in range(start, len(self.lines) + 1) if words in self.lines[number - 1]), start)

    def _refuse_unknown(self, kind: str, names: Mapping[str, Any], known: Mapping[str, Any], line: int) -> None:
        for name in names:
            if name not in known:
                self._wrong(line, f"prediction: {unknown(kind, name, known)}")

    def _refuse_twice(self, names: Sequence[str], line: int) -> None:
        for name in dict.fromkeys(name for name in names if names.count(name) > 1):
            self._wrong(line, f"{name} is named twice: a card stands in one place, shown or covered")

    def _refuse_repeated(self, steps: Sequence[Step]) -> None:
        seen: set[str] = set()
        for step in steps:
            if step.name in seen:
                self._wrong(step.lines["block"], f"there are two steps named {step.name}")
            seen.add(step.name)

    @staticmethod
    def _name_of(part: _Part) -> str:
        return part.title.partition(" ")[2].strip()

    def _wrong(self, line: int, message: str) -> None:
        told = "".join(sign if sign.isprintable() else "\ufffd" for sign in " ".join(message.split()))
        if len(self.problems) < _MOST_PROBLEMS:
            self.problems.append(Problem(min(line, len(self.lines)), told))


def feedback_names(prediction: Prediction | None) -> tuple[str, ...]:
    """The names that feedback can have."""
    match prediction:
        case Choice(options=options):
            return tuple(options)
        case Number(near=near):
            return ("right", *near, "wrong")
        case Sketch(near=near):
            return ("right", *near, "wrong")
        case Order():
            return ("right", "reversed", "wrong")
        case _:
            return ()
