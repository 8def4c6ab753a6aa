"""What Present draws: what is shown, and ahead of the next press what that will bring, so that nobody waits for it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from posenc_gui.app.state.worker import ToDraw
from posenc_gui.attention.engine import Engine
from posenc_gui.attention.toy_model import ToyModel
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.view import EVERYTHING, View
from posenc_gui.scene.splitting import Split
from posenc_gui.session.evaluate import Drawn, evaluate
from posenc_gui.session.session import Session

_log = logging.getLogger(__name__)


def draw(
    session: Session, plot: str, view: View, engine: Engine, check_stop: Callable[[], None]
) -> Iterator[Split | ToDraw]:
    """Yield a session's tokens, then the plot of what is in view. Runs on the worker's thread."""
    yield session.scene.sentence.split(check_stop)
    for drawn in evaluate(session, (plot,), replace(engine, check_stop=check_stop), {plot: view}):
        yield ToDraw(drawn)


class Coming(NamedTuple):
    """What the next press brings, in words; what has to be drawn for it, or else its figure; whether it leaves the bookmark."""

    words: str = ""
    wanted: tuple[Session, str] | None = None
    figure: Figure | None = None
    leaves: bool = False

    @property
    def may_be_drawn(self) -> bool:
        """True if it can be drawn ahead: one model that has learned would take the place of another in memory."""
        return self.wanted is not None and isinstance(self.wanted[0].model, ToyModel)


@dataclass(frozen=True, eq=False)
class Ahead:
    """What was drawn of a session ahead: nothing if that failed, which is told once it is pressed for."""

    wanted: tuple[Session, str]
    things: tuple[Split | ToDraw, ...] = ()

    @property
    def figure(self) -> Figure | None:
        """The whole figure."""
        last = self.things[-1] if self.things else None
        return last.thing.figure if isinstance(last, ToDraw) and isinstance(last.thing, Drawn) else None

    def again(self, _check_stop: Callable[[], None]) -> Iterator[Split | ToDraw]:
        """Yield what was drawn, as `draw` does."""
        return iter(self.things)


def draw_ahead(session: Session, plot: str, engine: Engine, check_stop: Callable[[], None]) -> Iterator[Ahead]:
    """Yield all that `draw` does at once."""
    try:
        tokens, *_, last = draw(session, plot, EVERYTHING, engine, check_stop)
    except Exception:
        _log.exception("what comes next in a talk failed")
        yield Ahead((session, plot))
    else:
        yield Ahead((session, plot), (tokens, last))
