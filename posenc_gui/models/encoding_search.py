"""What an encoding is chosen by: its own name, other names, models, years; a parameter with a name of its own, too."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from posenc_gui import encodings
from posenc_gui.encodings.base import Door, Encoding, Source
from posenc_gui.encodings.common.named_parameter import Named
from posenc_gui.foundation.declared_fields import kind
from posenc_gui.foundation.errors import Undefined
from posenc_gui.session.session import Session

DOORS: dict[Door, str] = {
    "none": "No position",
    "input": "At the input, added to the tokens",
    "rotation": "By rotation of queries and keys",
    "score": "On the scores",
}


@dataclass(frozen=True)
class Entry:
    """An encoding, or one with a parameter that people know by a name: RoPE with YaRN is found as YaRN.

    `also` are other names and models that use it. `field` names the parameter and `value` is what it is set to; none where
    the entry is the encoding itself.
    """

    title: str
    kind: str
    cls: type[Encoding]
    summary: str
    source: Source
    also: tuple[str, ...] = ()
    field: str = ""
    value: Named | None = None

    @property
    def about(self) -> str:
        """All words by which it is found beside its title."""
        return " ".join((self.cls.name, *self.also, str(self.source.year), self.source.authors, self.summary))

    def chosen(self, own: Encoding) -> Encoding:
        """The encoding; of one that is there already all parameters stay but the one that has the name.

        Raises ValueError where they don't go with it.
        """
        if not self.field:
            return self.cls()
        kept = dict(own) if type(own) is self.cls else {}
        return encodings.encoding(self.cls.name, **{**kept, self.field: self.value})

    def chosen_in(self, session: Session) -> Session:
        """The session with it. Raises ValueError as `chosen` does."""
        return session.changed(encoding=self.chosen(session.encoding))


def refusals(d_model: int, n_heads: int, d_head: int) -> dict[str, str]:
    """Which encodings can't act on a model of this shape, by name, and why."""
    found = {}
    for name, cls in encodings.classes().items():
        try:
            cls().check_shape(d_model, n_heads, d_head)
        except Undefined as why:
            found[name] = str(why)
    return found


def entries() -> tuple[Entry, ...]:
    """Every encoding in the order of `encodings.classes`, each followed by what is known of it by other names."""
    return tuple(entry for cls in encodings.classes().values() for entry in _of(cls))


def _of(cls: type[Encoding]) -> Iterator[Entry]:
    yield Entry(cls.title, "Encoding", cls, cls.summary, cls.source, (*cls.also, *cls.models))
    for name in cls.__annotations__.keys() & cls.model_fields:  # what it inherits is found where it is declared
        field = cls.model_fields[name]
        held = kind(field)
        for member in held.members:
            value = held.begun(member)
            if isinstance(value, Named):
                said = f"{cls.title} {(field.title or name).lower()}"
                title = member.model_config.get("title") or member.__name__
                also = (*value.also, *value.models)
                yield Entry(title, said, cls, value.summary, value.source, also, name, value)
