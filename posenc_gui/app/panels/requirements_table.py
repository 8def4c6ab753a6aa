"""The verdicts: a table of the six measured requirements. Each row leads to the plot that shows it."""

from __future__ import annotations

from collections import Counter

from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from posenc_gui.app.widgets.controls import in_column, plain_label
from posenc_gui.app.widgets.link_rows import LinkRow
from posenc_gui.app.widgets.style_sheet import font_like
from posenc_gui.app.widgets.theme import THEME
from posenc_gui.figure.panels import table_text
from posenc_gui.foundation.glossary import GLOSSARY
from posenc_gui.foundation.theme import CAPTION, Verdict
from posenc_gui.foundation.wording import format_count
from posenc_gui.measures.base import Measurement
from posenc_gui.measures.requirements import WORDS, Requirement, Requirements, definitions
from posenc_gui.plots.requirements import SHOWN_BY, number_of

FROM_BEFORE = "From before the last change."
_TITLE = "Requirements"
_NONE = "none applies"
_GAP, _SIGN, _AIR = 8, 8, 6  # pixels: between columns, a sign's width, a line's padding


class RequirementsTable(QWidget):
    """One row per requirement: its name, its verdict as a coloured word, and the reason; the tooltip has the number."""

    asked_for = Signal(str)  # the name of the plot to open
    judged = Signal()  # other verdicts are shown, or these are out of date

    def __init__(self) -> None:
        super().__init__()
        self.rows: dict[str, VerdictRow] = {}  # by requirement
        self._found: Measurement | None = None
        self._old = False
        self._chosen: bool | None = None  # whether the user has folded or unfolded the rows; None before that
        self._has_room = True
        self.head = VerdictsHead()
        self.head.clicked.connect(self._on_head)
        self._words = plain_label(name="muted")
        self._column = in_column(self.head, self._words, of=self, gap=0)
        self._show(old=False)

    def show_requirements(self, found: Measurement) -> None:
        """Show the verdicts on the encoding, or why they are not available."""
        self._found = found
        self._show(old=False)

    def mark_old(self, old: bool) -> None:
        """Mark the verdicts as out of date, or remove that mark."""
        if old != self._old and self._found is not None:
            self._show(old)

    def give_room(self, has_room: bool) -> None:
        """Fold the rows if there is no room for them, unless the user has unfolded them."""
        self._has_room = has_room
        self._fold()

    @property
    def height_of_rows(self) -> int:
        """The height of the unfolded rows, in pixels."""
        rows = [*self.rows.values()]
        lines = sum(row.heightForWidth(self.width()) for row in rows) if rows else len(definitions()) * _line(self)
        return self.head.sizeHint().height() + lines

    @property
    def answer(self) -> str:
        """How many of the requirements that apply are met: “5 of 6 met”; empty while that isn't known."""
        if self._old or not isinstance(self._found, Requirements):
            return ""
        verdicts = [row.verdict for row in self._found.values() if row.verdict != "n/a"]
        return self._found.undefined or (f"{verdicts.count('met')} of {len(verdicts)} met" if verdicts else _NONE)

    def words(self) -> str:
        """Return the note on all verdicts together, which is empty in most cases."""
        return FROM_BEFORE if self._old else self._words.text()

    def _on_head(self) -> None:
        self._chosen = self.head.folded
        self._fold()

    def _fold(self) -> None:
        folded = not (self._has_room if self._chosen is None else self._chosen)
        self.head.fold(folded)
        for row in self.rows.values():
            row.setHidden(folded or not self._is_there)
        self._words.setHidden(self._old or not self._words.text() or (self._is_there and folded))

    @property
    def _is_there(self) -> bool:
        return isinstance(self._found, Requirements) and bool(self._found)

    def _show(self, old: bool) -> None:
        self._old = old
        found = self._found if isinstance(self._found, Requirements) else Requirements(None, "", {}, 0)
        rows, judged = found, found.judged
        verdicts = {row.verdict for row in rows.values()}
        for name, row in rows.items():
            if name not in self.rows:
                shown = self.rows[name] = VerdictRow()
                shown.clicked.connect(lambda _=False, name=name: self.asked_for.emit(SHOWN_BY[name]))
                self._column.addWidget(shown)
            number = table_text(number_of(name, row))
            self.rows[name].show_row(row, number, judged, old, verdicts)
        self.head.show_verdicts([row.verdict for row in rows.values()], found.told, old, found.undefined)
        self._words.setText("" if judged or self._found is None else self._found.reason)
        self._fold()
        self.judged.emit()


def _line(widget: QWidget) -> int:
    """The height of one line with its padding."""
    return widget.fontMetrics().height() + _AIR


class VerdictsHead(LinkRow):
    """The table's title row; when folded, it also says how many requirements are met."""

    def __init__(self) -> None:
        super().__init__(_TITLE)
        self.folded = False
        self.counted = ""
        self._told = ""
        self._old = False

    def fold(self, folded: bool) -> None:
        """Show this row as a summary of the folded rows, or as the title above them."""
        self.folded = folded
        self.arrow = "›" if folded else ""
        self._tell()

    def show_verdicts(self, verdicts: list[Verdict], told: str, old: bool, undefined: str = "") -> None:
        """Show these verdicts, `told` in words; without words none applies; or that what is judged is `undefined`."""
        counts = Counter(verdicts)
        counted = ", ".join(f"{counts[verdict]} {word}" for verdict, word in WORDS.items() if counts[verdict])
        self.counted = undefined or (counted if told else _NONE if verdicts else "")
        self._told, self._old = f": {told or _NONE}" if verdicts else "", old
        self._tell()

    def _tell(self) -> None:
        before = f"{FROM_BEFORE} " if self._old else ""
        does = "Show each with its reason" if self.folded else "Fold to one row"
        self.say(FROM_BEFORE if self._old else self.counted if self.folded else "")
        self.setAccessibleName(f"{before}{_TITLE}{self._told}. {does}")
        measured = "" if self.counted == _NONE else ", each measured"
        judged = f"What a good encoding should do{measured}{self._told}."
        self.setToolTip(f"{before}{judged} {does}.\n\nSignature: {GLOSSARY['Signature']}")


class VerdictRow(QAbstractButton):
    """One requirement: its name, its verdict, and a short reason, which wraps."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("verdict")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._row: Requirement | None = None
        self._old = False
        self._verdicts: set[Verdict] = set()

    def show_row(self, row: Requirement, number: str, judged: int, old: bool, verdicts: set[Verdict]) -> None:
        """Show a verdict with its number, as the table of all has it, and how many positions or offsets were measured; `old`
        marks it as out of date. `verdicts` are the verdicts of all rows, which set the column's width."""
        self._row, self._old, self._verdicts = row, old, verdicts
        before, verdict = f"{FROM_BEFORE} " if old else "", f"{WORDS[row.verdict]}{row.told_in_parts}"
        value = f" ({number})" if number else ""
        self.setAccessibleName(f"{before}{row.title}: {verdict}{value}. {row.reason}")
        shows = "Opens the plot that shows it."
        over = f", over {format_count(judged, row.about)}" if judged else ""
        self.setToolTip(f"{before}{row.title}{over}: {verdict}{value}\n{row.reason}\n\n{row.definition}\n\n{shows}")
        self._fit()
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Be as high as the reason in this width."""
        super().resizeEvent(event)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        """Be as high as the reason in this type."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._fit()

    def _fit(self) -> None:
        self.setFixedHeight(self.heightForWidth(self.width()))

    def heightForWidth(self, width: int) -> int:
        """Return the height of the reason's lines, at least of one line of the name."""
        room = QRect(0, 0, max(1, width - self._columns[1]), 0)
        reason = QFontMetrics(self._small).boundingRect(room, Qt.TextFlag.TextWordWrap, self._reason)
        return max(_line(self), reason.height() + _AIR)

    @property
    def _reason(self) -> str:
        """Why; of what doesn't apply, the words above the rows say why nothing was judged."""
        return self._row.short if self._row and self._row.verdict != "n/a" else ""

    @property
    def _columns(self) -> tuple[int, int]:
        """Where the verdict and the reason begin."""
        names, words = QFontMetrics(self.font()), QFontMetrics(self._bold)
        second = max(names.horizontalAdvance(one.title) for one in definitions().values()) + _GAP
        verdicts = (words.horizontalAdvance(WORDS[one]) for one in self._verdicts)
        return second, second + _SIGN + 6 + max(verdicts, default=0) + _GAP

    @property
    def _bold(self) -> QFont:
        return font_like(self.font(), bold=True)

    @property
    def _small(self) -> QFont:
        return font_like(self.font(), CAPTION)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the three columns, pale while they are out of date, filled under the pointer and framed with the keyboard."""
        if self._row is None:
            return
        painter, theme, verdict = QPainter(self), THEME.roles, self._row.verdict
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self.underMouse() and self.isEnabled():
            painter.fillRect(self.rect(), QColor(theme.hover))
        if self.hasFocus():
            painter.setPen(QPen(QColor(theme.focus), 2))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 3, 3)
        second, third = self._columns
        ink = QColor(theme.muted if self._old else theme.of_verdict(verdict))
        _draw_sign(painter, verdict, ink, QRectF(second, self.height() / 2 - _SIGN / 2, _SIGN, _SIGN))
        name = theme.muted if self._old else theme.ink
        for words, font, x, colour in (
            (self._row.title, self.font(), 0, name),
            (WORDS[verdict], self._bold, second + _SIGN + 6, ink),
            (self._reason, self._small, third, theme.muted),
        ):
            painter.setFont(font)
            painter.setPen(QColor(colour))
            room = QRect(x, 0, self.width() - x, self.height())
            painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextWordWrap, words)
        painter.end()


def _draw_sign(painter: QPainter, verdict: Verdict, ink: QColor, box: QRectF) -> None:
    """Draw a verdict's sign: a full, half or empty circle, or a dash where the requirement doesn't apply."""
    painter.setPen(QPen(ink, 1.5))
    if verdict == "n/a":
        painter.drawLine(QPointF(box.left(), box.center().y()), QPointF(box.right(), box.center().y()))
        return
    painter.setBrush(ink if verdict == "met" else Qt.BrushStyle.NoBrush)
    painter.drawEllipse(box)
    if verdict == "partly":
        painter.setBrush(ink)
        painter.drawPie(box, -90 * 16, 180 * 16)
