"""The headline: one live sentence above the plots, the change that it offers, and the button that opens all plots."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPointF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QPainter, QPaintEvent, QResizeEvent, QTextCharFormat, QTextLayout, QTextOption
from PySide6.QtWidgets import QPushButton, QSizePolicy, QWidget

from posenc_gui.app.widgets.aloud import Announcer
from posenc_gui.app.widgets.controls import in_row, push_button
from posenc_gui.app.widgets.icons import icon
from posenc_gui.app.widgets.style_sheet import font_like, scaled
from posenc_gui.app.widgets.theme import THEME
from posenc_gui.figure.runs import Run, quote_runs
from posenc_gui.foundation.errors import Remedy
from posenc_gui.foundation.theme import BAR, BODY, HEADLINE, ICON, PADDING, Type

_TOKENS = ("focus", "twin")  # kinds of runs that are tokens
_MOST_LINES = 3
_SIZES = (_MOST_LINES, HEADLINE), (_MOST_LINES + 1, BODY)  # four lines of the smaller type are hardly higher
_NARROW = 480  # pixels: in less, buttons have icons alone, and the sentence what their words took
_MORE = " …"  # ends a sentence that was cut
DEMONSTRATED = 2  # lines of a demonstration: a strength makes the sentence longer


@dataclass(frozen=True)
class ShownHeadline:
    """What a headline shows: a sentence, the `shorter` one for little room, whether it `plays`, and a remedy's words or ""."""

    runs: tuple[Run, ...] = ()
    shorter: tuple[Run, ...] = ()
    plays: bool = False
    remedy: str = ""


class Headline(QWidget):
    """The headline of the current plot, and the button that shows all plots."""

    remedied = Signal(str)  # the words of the remedy that is pressed

    def __init__(self) -> None:
        super().__init__()
        self._silent, self._beside_plots, self._is_play_quiet = False, True, False
        self._lines, self._kept, self._expected = 0, 0, 0
        self._held: int | None = None  # the least height during a move
        self._runs: tuple[Run, ...] = ()
        self._shorter: tuple[Run, ...] = ()
        self._sentence = FittedSentence(_SIZES)
        self._sentence.laid_out.connect(self._on_laid_out)
        self._heard = Announcer(self)
        self.plots = _button("plots", "Plots", "Show all plots with the questions they answer (Ctrl+P)")
        self.plots.setCheckable(True)
        self.plots.toggled.connect(self._draw_icon)
        does = "Two words change places and back; then position comes in by degrees. Any key or press ends it."
        self.play = _button("demonstrate", "Play", does)
        # The way back from the answer of one:
        self.questions = _button("backToQuestions", "Questions", "Back to the questions (Escape)")
        self.remedy = push_button("Show a difference")  # until a remedy says how
        self.remedy.setObjectName("offered")
        self.remedy.clicked.connect(lambda: self.remedied.emit(self.remedy.text()))
        self._offered = dict.fromkeys((self.play, self.remedy, self.questions), False)
        buttons = self.remedy, self.play, self.questions, self.plots
        in_row(self._sentence, *buttons, of=self, gap=PADDING, grows=self._sentence)
        self._show_offers()
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        THEME.changed.connect(self._draw_icon)
        self._draw_icon()
        self.show_sentence(())

    @property
    def sentence(self) -> str:
        """The full text as screen readers say it: tokens in quotation marks."""
        return self._sentence.accessibleName()

    @property
    def seen(self) -> str:
        """The part of the text that fits."""
        return self._sentence.seen

    @property
    def shown(self) -> ShownHeadline:
        """What is shown, from which `show_again` shows it."""
        remedy = self.remedy.text() if self._offered[self.remedy] else ""
        return ShownHeadline(self._runs, self._shorter, self._offered[self.play], remedy)

    def show_again(self, shown: ShownHeadline) -> None:
        """Show what was shown in another window."""
        self.offer(self.play, shown.plays)
        self.offer_remedy(Remedy(shown.remedy) if shown.remedy else None)
        self.show_sentence(shown.runs, shorter=shown.shorter)

    def show_sentence(self, runs: tuple[Run, ...], old: bool = False, shorter: tuple[Run, ...] = ()) -> None:
        """Show a sentence, or a `shorter` one where three lines don't hold it; faded if it is `old`. Former numbers are left
        out if they need another line."""
        self._sentence.setEnabled(not old)
        if (runs, shorter) == (self._runs, self._shorter):
            return
        self._runs, self._shorter = runs, shorter
        self._choose()
        self.expect(0)
        self._say()

    def _say(self) -> None:
        """Let it be heard once it rests, but not during a move, nor while a lab asks what it would tell."""
        self._heard.say("" if self._folded or self._held is not None else self.sentence)

    def _choose(self) -> None:
        self._sentence.show_sentence(_present(self._runs))
        height = self._lines
        self._sentence.show_sentence(self._runs)
        if self._lines > height:
            self._sentence.show_sentence(_present(self._runs))
        if self._shorter and not self._sentence.is_large:
            self._sentence.show_sentence(self._shorter)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Choose anew, in another width, which sentence is shown, where there are two, and whether buttons have words."""
        super().resizeEvent(event)
        if event.oldSize().width() != event.size().width():
            self._name_buttons()
            if self._shorter:
                self._choose()

    def _name_buttons(self) -> None:
        for button in (self.play, self.questions, self.plots):
            is_quiet = self._is_play_quiet and button is self.play
            button.setText("" if is_quiet or self.width() < scaled(_NARROW) else button.accessibleName())

    def quiet_play(self, quiet: bool) -> None:
        """Show Play as its sign alone, once the user knows what it is for; or with its name."""
        self._is_play_quiet = quiet
        self._name_buttons()

    def fold(self, silent: bool) -> None:
        """Hide the headline, as a lab's step does, or show it again."""
        self._silent = silent
        self._show_all()

    def stand_beside_plots(self, there: bool) -> None:
        """Show the headline where plots are there, or hide it where the list of labs has their room."""
        if there != self._beside_plots:  # laying the cards out anew would take time while they move
            self._beside_plots = there
            self._show_all()

    @property
    def _folded(self) -> bool:
        return self._silent or not self._beside_plots

    def _show_all(self) -> None:
        self.plots.setVisible(not self._folded)
        self._show_offers()
        self._fit()

    def _show_offers(self) -> None:
        for button, is_offered in self._offered.items():
            button.setVisible(is_offered and not self._folded)

    def offer(self, button: QPushButton, offers: bool) -> None:
        """Show `play`, `questions` or `remedy`, or hide it."""
        self._offered[button] = offers
        self._show_offers()

    def keep_lines(self, count: int) -> None:
        """Keep room for so many lines, and use it, so that a longer sentence moves nothing."""
        self._kept = count
        self._sentence.keep_lines(count)
        self._fit()

    def hold(self, sentences: Sequence[tuple[Run, ...]] | None) -> None:
        """Become no lower than it is and these sentences need, so that a move moves no cards; None ends that."""
        if sentences is None:
            self._held = None
            self._fit()
            self._say()
            return
        self._held = self.height()
        for runs in sentences:
            self._sentence.show_sentence(runs)
        self._choose()

    def expect(self, height: int) -> None:
        """Keep this height until there is a sentence, in pixels: docks get the room that they had beside such a one."""
        self._expected = height
        self._fit()

    def offer_remedy(self, remedy: Remedy | None) -> None:
        """Show the button of a change under which more is seen than the sentence can say, or hide it."""
        if remedy:
            self.remedy.setText(remedy.words)
        self.offer(self.remedy, remedy is not None)

    def _draw_icon(self) -> None:
        self.plots.setIconSize(QSize(scaled(ICON), scaled(ICON)))
        self.plots.setIcon(icon("plots", THEME.roles.card if self.plots.isChecked() else THEME.roles.ink))
        for button in (self.play, self.questions):
            button.setIconSize(self.plots.iconSize())
        self.questions.setIcon(icon("chevron-left", THEME.roles.ink))
        self.play.setIcon(icon("play", THEME.roles.focus))

    def _on_laid_out(self, height: int) -> None:
        self._lines = height
        self._fit()

    def _fit(self) -> None:
        """Fit the height to the sentence; folded, one pixel, since a central widget can't have none."""
        height = (
            1 if self._folded else max(scaled(BAR), self._lines, self._kept * scaled(HEADLINE.line), self._expected)
        )
        if self._held is not None:
            self._held = height = max(height, self._held)
        if height != self.minimumHeight():
            self.setFixedHeight(height)


def _button(name: str, says: str, hint: str) -> QPushButton:
    """A button whose words are shown where there is room."""
    button = push_button("", hint=hint)
    button.setObjectName(name)
    button.setAccessibleName(says)
    return button


class FittedSentence(QWidget):
    """A sentence in the first of these numbers of lines and sizes of type that it fits. The text is painted literally, never
    as HTML: numbers bold, tokens in the colour of their role."""

    laid_out = Signal(int)  # its height in pixels

    def __init__(self, fits: Sequence[tuple[int, Type]]) -> None:
        super().__init__()
        self._fits = fits
        self.is_large = True  # it fits the first of them
        self._runs: tuple[Run, ...] = ()
        self._layout = QTextLayout()
        self._text, self._height, self._kept = "", 0.0, 1
        self._formats: list[QTextLayout.FormatRange] = []
        option = QTextOption(Qt.AlignmentFlag.AlignLeft)
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self._layout.setTextOption(option)
        self._layout.setCacheEnabled(True)
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        THEME.changed.connect(self._write)

    def show_sentence(self, runs: tuple[Run, ...]) -> None:
        """Show a sentence, also to screen readers."""
        if runs != self._runs:
            self._runs = runs
            self.setAccessibleName(quote_runs(_present(runs)))
            self._write()

    def keep_lines(self, count: int) -> None:
        """Let the second sentence begin a line wherever so many lines are enough."""
        if count != self._kept:
            self._kept = count
            self._write()

    def changeEvent(self, event: QEvent) -> None:
        """Follow the font, and fade while disabled."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.EnabledChange):
            self._write()

    def _write(self) -> None:
        self._text = "".join(run.text for run in self._runs)
        self._formats, start = [], 0
        for run in self._runs:
            length = len(run.text.encode("utf-16-le")) // 2  # as Qt counts
            self._formats.append(self._format(run, start, length))
            start += length
        self._fit_lines()
        self.updateGeometry()
        self.update()

    def _format(self, run: Run, start: int, length: int) -> QTextLayout.FormatRange:
        found = QTextLayout.FormatRange()
        found.start, found.length = start, length
        form = QTextCharFormat()
        if run.kind not in ("plain", "former"):
            form.setFontWeight(QFont.Weight.DemiBold)
        if run.kind == "former":
            form.setForeground(QColor(THEME.roles.muted))
        if self.isEnabled() and run.kind in _TOKENS:
            form.setForeground(QColor(THEME.roles.focus if run.kind == "focus" else THEME.roles.twin))
        found.format = form
        return found

    def heightForWidth(self, width: int) -> int:
        """The height of the lines at this width."""
        height = self._lay_out(width)
        self._height = self._lay_out(self.width())  # the layout that is painted
        return round(height)

    def minimumSizeHint(self) -> QSize:
        """Return a small width, so that the headline never keeps the window wide."""
        return QSize(1, 1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Break the lines anew."""
        super().resizeEvent(event)
        self._fit_lines()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint it in the middle of its height."""
        painter = QPainter(self)
        painter.setPen(self.palette().windowText().color())
        self._layout.draw(painter, QPointF(0, max(0.0, (self.height() - self._height) / 2)))

    def _fit_lines(self) -> None:
        self._height = self._lay_out(self.width())
        self.laid_out.emit(round(self._height))

    def _lay_out(self, width: int) -> float:
        """Lay out the text, cut after the last number of lines, and return its height in pixels.

        The second sentence begins a line if that needs no more lines, or none beyond those that are kept; in a single sentence of
        several lines it is what follows a colon.
        """
        for most, size in self._fits:
            height = self._fill(self._text, width, size, most)
            if self._first_lines() == self._text:
                break
        else:
            self.is_large = False
            cut = self._first_lines()[: -len(_MORE)]
            return self._fill(f"{cut.rpartition(' ')[0] or cut}{_MORE}", width, size, most)
        self.is_large = (most, size) == self._fits[0]
        if (count := max(self._layout.lineCount(), self._kept)) > 1:
            end = "." if ". " in self._text or self._layout.lineCount() == 1 else ":"
            apart = self._text.replace(f"{end} ", f"{end}\u2028", 1)
            broken = self._fill(apart, width, size, count)
            height = broken if self._first_lines() == apart else self._fill(self._text, width, size, most)
        return height

    def _first_lines(self) -> str:
        """The part of the text that is on the lines."""
        if not self._layout.lineCount():
            return ""
        last = self._layout.lineAt(self._layout.lineCount() - 1)
        return _beginning(self._layout.text(), last.textStart() + last.textLength())

    @property
    def seen(self) -> str:
        """The text that fits the lines."""
        return self._layout.text()

    def _fill(self, text: str, width: int, size: Type, most: int) -> float:
        self._layout.setFont(font_like(self.font(), size))
        self._layout.setText(text)
        self._layout.setFormats(self._formats)
        step, below = scaled(size.line), 0.0
        self._layout.beginLayout()
        for count in range(most):
            line = self._layout.createLine()
            if not line.isValid():
                break
            line.setLineWidth(max(1, width))
            line.setPosition(QPointF(0, count * step))
            below = count * step + max(step, line.height())
        self._layout.endLayout()
        return below


def _present(runs: Iterable[Run]) -> tuple[Run, ...]:
    """The sentence without former numbers."""
    return tuple(run for run in runs if run.kind != "former")


def _beginning(text: str, length: int) -> str:
    """Return the first `length` UTF-16 code units of a text: Qt counts in these."""
    return text.encode("utf-16-le")[: 2 * length].decode("utf-16-le", "ignore")
