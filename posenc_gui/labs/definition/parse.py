"""Read a lab file: Markdown with a small declared block for each step.

    # Title                    and below it one paragraph: what the lab asks
    ```lab                     TOML: format = 1, minutes = 10, advanced, formerly
    ### Takeaway               the text at the end; `{{step: question}}` repeats the value in that step's explanation
    ## Step's title            and below it the driving question
    ```step                    TOML: name, session, keep, show, reveal, before, frame, panels, lock, quiet, goal, visit, solve,
                               prediction, transfer
    ### Predict                the question, and `- name: text` for each option or item
    ### Act                    what to do in the window after the prediction
    ### Hint                   one heading for each hint, in order
    ### Explain                shown when the step is done
    ### Feedback NAME          shown to learners whose answer has this name
    ### Transfer               a question about another case, and `- name: text` for each answer
    ### Answer                 shown when it has been answered

All faults are reported at once, each with its line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from pathlib import Path
from typing import Any

from posenc_gui.foundation.errors import NO_SUCH_FIELD, Invalid, describe_error, unknown_name
from posenc_gui.foundation.files import atomic
from posenc_gui.foundation.wording import quote
from posenc_gui.labs.definition import expressions
from posenc_gui.labs.definition.blocks import (
    MOST_REPORTED,
    ChoiceBlock,
    Declared,
    LabBlock,
    NumberBlock,
    OrderBlock,
    SketchBlock,
    StepBlock,
    TextBlock,
    read_block,
    session_fields_at,
)
from posenc_gui.labs.definition.expressions import Expression
from posenc_gui.labs.definition.lab import (
    Choice,
    FreeText,
    Lab,
    Number,
    Order,
    Prediction,
    Sketch,
    Step,
    Transfer,
    arranged,
)
from posenc_gui.labs.definition.outline import NO_TITLE, Block, Section, read_outline
from posenc_gui.labs.definition.record import LONGEST_WORDS
from posenc_gui.labs.text.lab_markdown import placeholders
from posenc_gui.session.first_session import first_session
from posenc_gui.session.session import Session
from posenc_gui.text import tokenization

SUFFIXES = (".md", ".markdown")
LARGEST_FILE = 500_000  # bytes
MOST_STEPS = 40
_MOST_PROBLEMS = 200  # problems reported for one file
_FILLED = ("explain", "feedback", "answer")  # parts whose expressions are evaluated live

PARTS = ("Predict", "Act", "Hint", "Explain", "Feedback", "Transfer", "Answer")
_REPORTED_FIELDS = ("goal", "visit", "claims", "solve", "prediction", "transfer", "session")
# Fields of a step that are those of its block.
_AS_DECLARED = (
    *("name", "keep", "show", "reveal", "before", "frame", "panels"),
    *("lock", "quiet", "goal", "visit", "solve", "claims"),
)
_OPTION = re.compile(r"[-*]\s+([a-z][a-z0-9_-]{0,39})\s*:\s*(.*)")
_TAKEAWAY = "Takeaway"
_ISOLATES = "\u2068\u2069"  # characters that `quote` sets around Arabic and Hebrew


@dataclass(frozen=True, order=True)
class Problem:
    """A fault in a lab file, with its line."""

    line: int
    message: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.message}"


class LabRefused(ValueError):
    """A lab file that can't be used; `problems` has all problems, the message the first one and how many more."""

    def __init__(self, name: str, problems: Sequence[Problem]) -> None:
        self.problems = tuple(sorted(set(problems)))
        more = f" (and {len(self.problems) - 1} more)" if len(self.problems) > 1 else ""
        super().__init__(f"{name}, {self.problems[0]}{more}")


def load(path: Path) -> Lab:
    """Read the lab in a file. Raises LabRefused if it can't be used and OSError if it can't be read."""
    return read(content_of(path), tokenization.replace_surrogates(path.stem), path)


def content_of(path: Path) -> str:
    """Return the text of a lab file. Raises LabRefused if it is not text or too large, OSError if it can't be read."""
    try:
        data = atomic.read_bytes(path, LARGEST_FILE, "lab")
    except atomic.Oversized as error:
        raise LabRefused(path.name, [Problem(1, f"the file {error.why}")]) from None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise LabRefused(path.name, [Problem(line, "the file is not UTF-8 text")]) from None


def read(content: str, name: str, path: Path | None = None) -> Lab:
    """Parse the text of a lab file. Raises LabRefused with all problems."""
    reading = _Reading(_lines(content))
    lab = reading.lab(name, path)
    if reading.problems or lab is None:
        raise LabRefused(path.name if path else name, reading.problems)
    return lab


def part_at(content: str, line: int) -> str:
    """Return the part of a step to which a line belongs: a field of its block, or a heading such as "feedback a".

    Empty for the text below the step's title.
    """
    outline = read_outline(_lines(content), lambda _line, _message: None)
    part = max((part for part in outline if part.line <= line), key=attrgetter("line"), default=None)
    if part is None or part.level <= 2:
        return part.block.field_at(line) if part and part.block else ""
    return part.title.lower()


def _lines(content: str) -> list[str]:
    return content.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")


@dataclass
class _Reading:
    """The reading of one file; it collects all problems, so that an author sees them together."""

    lines: list[str]
    problems: list[Problem] = field(default_factory=list)

    def lab(self, name: str, path: Path | None) -> Lab | None:
        parts = list(read_outline(self.lines, self._wrong))
        head = parts.pop(0) if parts and parts[0].level == 1 else Section(1, "", 1)
        if not head.title:
            self._wrong(head.line, NO_TITLE)
        else:
            self._words(head.title, head.line)
            self._words(head.markdown, head.line)
            if not head.markdown:
                self._wrong(head.line, "add a paragraph below the title that says what the lab asks")
        block = self._declared(head, "lab", LabBlock) if head.title or head.block else None
        takeaway = parts.pop(0) if parts and (parts[0].level, parts[0].title) == (3, _TAKEAWAY) else Section(3, "", 1)
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
        return Lab(
            name,
            head.title,
            head.markdown,
            block.minutes,
            tuple(found),
            path,
            takeaway.markdown,
            block.advanced,
            block.formerly,
        )

    def _check_takeaway(self, part: Section, steps: Sequence[Step]) -> None:
        """Check that each number in the takeaway is also in the named step's explanation or feedback: only those are
        recorded."""
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

    def _steps(self, parts: Sequence[Section]) -> Iterator[tuple[Section, list[Section]]]:
        """Yield each step's heading part, with the parts below it."""
        steps: list[tuple[Section, list[Section]]] = []
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

    def _step(self, head: Section, inner: Sequence[Section]) -> Step | None:
        block = self._declared(head, "step", StepBlock)
        if not head.markdown:
            self._wrong(head.line, "a step needs its question in words")
        if not head.title:
            self._wrong(head.line, "a step needs a title: ## Step's title")
        self._words(head.title, head.line)
        self._words(head.markdown, head.line)
        by_kind = self._by_kind(inner)
        if block is None or head.block is None:
            return None
        lines = _lines_of_step(head, head.block, inner)
        asks, options = self._asked(by_kind["predict"], head, block)
        step = Step(
            title=head.title,
            text=head.markdown,
            start=block.session,
            act=_joined(by_kind["act"]),
            asks=asks,
            prediction=self._prediction(block, options, lines["prediction"]),
            hints=tuple(part.markdown for part in by_kind["hint"]),
            explain=_joined(by_kind["explain"]),
            feedback={_feedback_name(part): part.markdown for part in by_kind["feedback"]},
            transfer=self._transfer(by_kind, head, block, lines["transfer"]),
            lines=lines,
            **{name: getattr(block, name) for name in _AS_DECLARED},
        ).whole
        for condition in step.goal:
            self._words(condition.called, lines["goal"], filled=True)
        self._check_feedback(step, by_kind["feedback"])
        self._check_plots(step)
        self._check_sessions(step, head.block)
        return step

    def _by_kind(self, parts: Sequence[Section]) -> dict[str, list[Section]]:
        found: dict[str, list[Section]] = {name.lower(): [] for name in PARTS}
        for part in parts:
            kind = part.title.split(" ")[0]
            if kind.lower() not in found:
                self._wrong(part.line, unknown_name("part", kind, PARTS))
                continue
            found[kind.lower()].append(part)
            if part.block:
                self._wrong(part.block.line - 1, f"the block stands under the step's own heading, not under {kind}")
            if not part.markdown:
                self._wrong(part.line, f"there is no text under {kind}")
            self._words(part.markdown, part.line, filled=kind.lower() in _FILLED)
        for kind in ("predict", "act", "explain", "transfer", "answer"):
            for part in found[kind][1:]:
                self._wrong(part.line, f"a step has only one part {quote(part.title)}")
        return found

    def _asked(self, parts: Sequence[Section], head: Section, block: StepBlock) -> tuple[str, dict[str, str]]:
        """Return the question, and the texts of the options or items by name."""
        if block.prediction is None:
            if parts:
                self._wrong(parts[0].line, "the step's block declares no prediction: add [prediction] with its kind")
            return "", {}
        if not parts:
            self._wrong(head.line, "the prediction has no question: add a part ### Predict")
            return "", {}
        return self._options(parts[0])

    def _options(self, part: Section) -> tuple[str, dict[str, str]]:
        """Return a part's question, and the texts of its options or items by name."""
        asks, options = [], dict[str, str]()
        last = ""
        for line in part.words:
            if option := _OPTION.fullmatch(line):
                last = option[1]
                if last in options:
                    self._wrong(part.line, f"there are two options named {quote(last)}")
                options[last] = option[2]
            elif last and line.startswith("  "):
                options[last] += f" {line.strip()}"
            elif line.strip() or not last:
                asks.append(line)
        if not "".join(asks).strip():
            self._wrong(part.line, "there is no question above the options")
        return "\n".join(asks).strip(), options

    def _transfer(
        self, by_kind: Mapping[str, Sequence[Section]], head: Section, block: StepBlock, line: int
    ) -> Transfer | None:
        declared, parts = block.transfer, by_kind["transfer"]
        if declared is None:
            for part in (*parts, *by_kind["answer"]):
                self._wrong(
                    part.line, "the step's block declares no other case: add [transfer] with its session and when"
                )
            return None
        if not parts:
            self._wrong(head.line, "the transfer has no question: add a part ### Transfer")
            return None
        asks, options = self._options(parts[0])
        return Transfer(declared.session, asks, self._choice(options, declared.when, line), _joined(by_kind["answer"]))

    def _choice(self, options: dict[str, str], when: Mapping[str, Expression], line: int) -> Choice:
        if len(options) < 2:
            self._wrong(line, "a choice needs at least two options, in the part that asks: - name: words")
        self._refuse_unknown("option", when, options, line)
        return Choice(options, when)

    def _prediction(self, block: StepBlock, options: dict[str, str], line: int) -> Prediction | None:
        match block.prediction:
            case ChoiceBlock(when=when):
                return self._choice(options, when, line)
            case OrderBlock(items=items):
                self._refuse_unknown("item", items, options, line)
                self._refuse_unknown("item", options, items, line)
                return Order(options, items)
            case NumberBlock(value=value, tolerance=tolerance, near=near, within=within):
                return Number(value, tolerance, near, within)
            case SketchBlock(plot=plot, curve=curve, tolerance=tolerance, near=near):
                if plot not in block.reveal:
                    self._wrong(line, f"a sketch is drawn where its plot is covered: name {plot} in reveal")
                return Sketch(plot, curve, near, tolerance)
            case TextBlock():
                return FreeText()
            case _:
                return None

    def _check_feedback(self, step: Step, parts: Sequence[Section]) -> None:
        names = feedback_names(step.prediction)
        for part in parts:
            name = _feedback_name(part)
            if name not in names:
                self._wrong(part.line, unknown_name("feedback", name, names))
        if len(step.feedback) < len(parts):
            self._wrong(parts[-1].line, "two feedbacks have the same name")

    def _check_plots(self, step: Step) -> None:
        line = step.lines["block"]
        self._refuse_twice((*step.show, *step.reveal), line)
        self._refuse_twice(step.panels, line)
        for name in step.before:
            if name not in (*step.show, *step.reveal):
                self._wrong(line, f"{quote(name)} can't keep its first picture: name it in show or reveal, too")
        if "stage" in step.frame and "flow" not in (*step.show, *step.reveal):
            self._wrong(line, "a column is framed in the plot flow: name it in show or reveal, too")

    def _check_sessions(self, step: Step, block: Block) -> None:
        before = len(self.problems)
        transfer = step.transfer.changes if step.transfer else {}
        for name, changes in (("session", step.start), ("solve", step.solve), ("transfer", transfer)):
            for given in list(changes)[:MOST_REPORTED]:
                if given not in Session.model_fields:
                    told = unknown_name("field of a session", given, Session.model_fields)
                    self._wrong(block.line_of((name, given)), f"{name}: {told}")
            if changes.get("tokenizer", "words") not in tokenization.TOKENIZERS:
                allowed = unknown_name("tokenizer", changes["tokenizer"], tokenization.TOKENIZERS)
                self._wrong(block.line_of((name, "tokenizer")), f"{allowed}; a lab reads no other file")
        if len(self.problems) > before:
            return
        name = "session"
        try:
            begun = step.begun(first_session())
            name = "solve"
            if not step.keep:
                solved = step.solved(begun)
                name = "transfer"
                arranged(solved, transfer)
        except Invalid as error:
            for place, told in error.mistakes[:MOST_REPORTED]:
                if told.endswith(NO_SUCH_FIELD):
                    within = ".".join(map(str, place[:-1]))
                    told = f"{within}: {unknown_name('field', place[-1], session_fields_at(place[:-1]))}"
                self._wrong(block.line_of((name, *place)), f"{name}: {told}")
        except (ValueError, TypeError, RecursionError) as error:
            self._wrong(block.line_of((name,)), f"{name}: {describe_error(error)}")

    def _declared(self, part: Section, kind: str, model: type[Declared]) -> Declared | None:
        """Parse the block of a part; return None if it is missing or unusable."""
        block = part.block
        if block is None or block.kind != kind:
            self._wrong(block.line - 1 if block else part.line, f"{quote(part.title)} needs a block ```{kind}")
            return None
        return read_block(block, model, self._wrong)

    def _words(self, markdown: str, line: int, *, filled: bool = False) -> None:
        """Report a text that is too long, and placeholders that are not allowed here or no valid expression."""
        if len(markdown) > LONGEST_WORDS:
            self._wrong(line, f"a part has at most {LONGEST_WORDS:,} characters, not {len(markdown):,}")
            return
        for asked in placeholders(markdown):
            try:
                if not filled:
                    raise ValueError(
                        f"{{{{{asked}}}}} is filled in under ### Explain, ### Feedback and ### Answer alone"
                    )
                expressions.parse(asked)
            except ValueError as error:
                self._wrong(self._line_with(asked, line), str(error))

    def _line_with(self, words: str, start: int) -> int:
        return next((number for number in range(start, len(self.lines) + 1) if words in self.lines[number - 1]), start)

    def _refuse_unknown(self, kind: str, names: Mapping[str, Any], known: Mapping[str, Any], line: int) -> None:
        for name in names:
            if name not in known:
                self._wrong(line, f"prediction: {unknown_name(kind, name, known)}")

    def _refuse_twice(self, names: Sequence[str], line: int) -> None:
        for name in dict.fromkeys(name for name in names if names.count(name) > 1):
            self._wrong(line, f"{quote(name)} is named twice: a card is either shown or covered")

    def _refuse_repeated(self, steps: Sequence[Step]) -> None:
        seen: set[str] = set()
        for step in steps:
            if step.name in seen:
                self._wrong(step.lines["block"], f"there are two steps named {quote(step.name)}")
            seen.add(step.name)

    def _wrong(self, line: int, message: str) -> None:
        words = " ".join(message.split())
        told = "".join(sign if sign.isprintable() or sign in _ISOLATES else "\ufffd" for sign in words)
        if len(self.problems) < _MOST_PROBLEMS:
            self.problems.append(Problem(min(line, len(self.lines)), told))


def _lines_of_step(head: Section, block: Block, inner: Sequence[Section]) -> dict[str, int]:
    """Return the line on which each part of a step, and each field of its block that checks report on, begins."""
    lines = {"": head.line, "block": block.line}
    lines |= {name: block.line_of((name,)) for name in _REPORTED_FIELDS}
    lines["focus"] = block.line_of(("session", "focus"))
    return lines | {part.title.lower(): part.line for part in inner}


def _joined(parts: Sequence[Section]) -> str:
    return "\n\n".join(part.markdown for part in parts)


def _feedback_name(part: Section) -> str:
    return part.title.partition(" ")[2].strip()


def feedback_names(prediction: Prediction | None) -> tuple[str, ...]:
    """Return the names that feedback can have for a prediction."""
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
