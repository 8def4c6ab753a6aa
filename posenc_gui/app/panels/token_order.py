"""The order of tokens and patches: dragging, swapping, shuffling, and the menu for it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Literal

from posenc_gui.app.widgets.menu_button import MenuButton
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.scene import permutations
from posenc_gui.scene.image_patches import Patches
from posenc_gui.scene.splitting import Split
from posenc_gui.session.session import Session


class TokenOrder:
    """Proposer of sessions with the tokens in another order; patches stay together as one block."""

    def __init__(
        self, propose: Callable[..., str], replace: Callable[..., None], refuse: Callable[[str], None]
    ) -> None:
        self._propose, self._replace, self._refuse = propose, replace, refuse
        self.session: Session | None = None
        self.split: Split | None = None  # the split shown last; an earlier text's while the tokenizer runs
        self.last_moved: int | None = None  # the typed index of a token, if that was the last change of the order

    @property
    def focus(self) -> int | None:
        """The index of the token in focus."""
        return self.session.focus_of(len(self.split.tokens)) if self.session and self.split else None

    def move(self, source: int, target: int, *, held: bool) -> int:
        """Move a token from one index to another, and return the index at which it then stands. Patches move together as
        one block, which other tokens pass in one step. held: it was moved before since it is in the hand."""
        if self.session is None or self.split is None or source >= len(self.split.tokens):
            return source  # the tokens changed during the drag
        patches = self._patch_indices
        passes = target in patches and abs(target - source) == 1
        if not (source in patches or passes):
            token = self._standing[source]
            self._reorder(permutations.move_token, source, target, continuing="held" if held else True, moves=token)
            return self._standing.index(token)
        assert self.session.patches is not None
        step = target - source if source in patches else source - target
        before = min(max(0, patches.start + step), self.session.n_words(len(self.split.tokens)))
        self._refuse(self.propose_patches(self.session.patches.model_copy(update={"before": before})))
        went = self._patch_indices.start - patches.start
        return source + went if source in patches else source - went * len(patches)

    def swap(self, one: int, other: int) -> None:
        """Swap two tokens."""
        if {one, other}.isdisjoint(self._patch_indices):
            self._reorder(permutations.swap_tokens, one, other)
        else:
            assert self.session is not None
            self._refuse(f"Image patches keep their order. Swap two {self.session.unit}s of the text instead.")

    def reverse(self) -> None:
        """Reverse the order of the text's own tokens; those that a model's tokenizer puts around them stay."""
        self._reorder_own(lambda now: now[::-1])

    def shuffle(self) -> None:
        """Shuffle the text's own tokens; patches and those that a model's tokenizer puts around stay where they are."""
        self._reorder_own(self._shuffled)

    def restore(self) -> None:
        """Restore the order in which the tokens were typed."""
        self._reorder(lambda now: tuple(sorted(now)))

    def propose_patches(self, patches: Frozen | None) -> str:
        """Propose image patches, or None to remove them, with the same token in focus. Return why they were
        refused, or an empty text."""
        session, split = self.session, self.split
        assert isinstance(patches, Patches | None)
        if session is None or split is None or split.of != session.splitting:
            return self._propose(patches=patches)
        changed = session.with_patches(patches, len(split.tokens))
        return self._propose(patches=changed.patches, focus=changed.focus, key=changed.key)

    @property
    def _standing(self) -> permutations.Order:
        """The typed index of the token at each place."""
        return self.session.order_of(len(self.split.tokens)) if self.session and self.split else ()

    @property
    def _patch_indices(self) -> range:
        """The indices of the patches among the tokens shown."""
        patches, tokens = self.session.patches if self.session else None, self.split.tokens if self.split else ()
        return patches.indices(len(tokens)) if patches and tokens else range(0)

    def _shuffled(self, now: permutations.Order) -> permutations.Order:
        patches = self.session.patches if self.session else None
        if patches is None:
            return permutations.shuffle_order(now)
        return patches.order_with(permutations.shuffle_order(patches.order_without(now)))

    def _reorder_own(self, change: Callable[[permutations.Order], permutations.Order]) -> None:
        if self.split:
            self._reorder(partial(permutations.change_among, own=self.split.own, change=change))

    def _reorder(
        self,
        change: Callable[..., permutations.Order],
        *places: int,
        continuing: bool | Literal["held"] = False,
        moves: int | None = None,
    ) -> None:
        session, split = self.session, self.split
        if session is None or split is None or split.of != session.splitting or not split.tokens:
            return
        try:
            reordered = session.reordered(change(session.order_of(len(split.tokens)), *places))
        except IndexError:  # the tokens changed during the drag
            return
        self.last_moved = moves
        self._replace(reordered, continuing=continuing)


class OrderMenu(MenuButton):
    """The button that says whether the tokens are in typed order; its menu reorders them."""

    def __init__(self, order: TokenOrder) -> None:
        super().__init__("Order", hint="The order of the sentence")
        menu = self.menu()
        menu.addAction("Reverse", order.reverse).setToolTip("Put the last first")
        shuffle = menu.addAction("Shuffle", order.shuffle)
        shuffle.setToolTip("Shuffle the sentence; it is seeded: the same order always gives the same result")
        self.swap = menu.addAction("Swap")  # the token in focus with the next one that is clicked
        self.swap.setToolTip("Then click what trades places with the focus")
        self.swap.setCheckable(True)
        self.swap.toggled.connect(self._label)
        menu.addSeparator()
        menu.addAction("As typed", order.restore).setToolTip("Restore the order that was typed")
        self._is_typed = True

    def show_session(self, session: Session) -> None:
        """Set the button's label by a session's order."""
        self._is_typed = not session.order
        self._label()

    def _label(self) -> None:
        self.setText("Swap with …" if self.swap.isChecked() else "Order" if self._is_typed else "Reordered")
        self.setAccessibleName("Order: as typed" if self._is_typed else "Order: not as typed")
