"""Labs with one mistake: what of the example is written otherwise, and how. `tests/recorded/wording.md` has what is said."""

from __future__ import annotations

from example import LAB

TITLE, SHOWS, TEXT = "# Attention reads a set", 'show = ["attention"]', 'session.text = "a b c d"'
HEADS = "session.model.n_heads = 2"
GOAL, CLAIM, TOLERANCE = '["session.order != []"]', 'claims = ["equiv', "tolerance = 0.5"
ENDS, WORDS = "Thank you.", '[prediction]\nkind = "text"\n```\n\n### Predict\n\nWrite a sentence.\n'

# With these a file can't be used.
MISTAKES = (
    # its parts
    (TITLE, "Attention reads a set"), (TITLE, "#"), (TITLE, f"Hello\n\n{TITLE}"), (TITLE, "# " + "a" * 10_001),
    ("What does attention know about the order of its tokens?", ""), ("```lab", "```"), ("```lab", "```step"),
    ("## Does", "```lab\nformat = 1\nminutes = 1\n```\n\n## Does"),
    ("### Predict", '```step\nname = "twice"\n```\n\n### Predict'), ("## How many", "# How many"),
    ("## Does", "### Hint\n\nx\n\n## Does"), ("```step", "```toml"), ("### Hint", "### Hnt"),
    ("Press Reverse.", '```step\nname = "x"\n```'), ("Press Reverse.", ""), ("Count them.\n", ""),
    ("## How many tokens?", "##"), ("### Hint", "### Predict\n\nWhat?\n\n### Hint"), (ENDS, "a " * 6_000),
    # its blocks
    ("format = 1", "format = 2"), ("minutes = 10", 'minutes = "ten"'), ("minutes = 10\n", ""),
    ("minutes = 10", "minutes = 0"), ("minutes = 10", "minutes = 10\nauthor = 1"), (SHOWS, 'shows = ["attention"]'),
    ('name = "count"\n', ""), ('name = "count"', 'name = "The count"'), ('name = "count"', 'name = "reorder"'),
    (TOLERANCE, f"tolerance = {'[' * 5000}"), (TOLERANCE, f"{'a.' * 40}a = 1"),
    (TOLERANCE, f'{TOLERANCE}\n"\\u001b[31m" = 1'),
    # cards, plots and fields
    (SHOWS, 'show = ["atention"]'), (SHOWS, "show = [1]"), (SHOWS, 'show = "attention"'),
    ('panels = ["tok', 'panels = ["tik'), (f"{SHOWS}\nreveal", 'show = ["equivariance"]\nreveal'),
    ('lock = ["encoding", "model"]', 'lock = ["plots"]'), ('keep = ["text"]', 'keep = ["txt"]'),
    ('keep = ["text"]', 'keep = ["plots"]'), ("session.encoding =", "session.self ="),
    ("session.model.n_heads", "session.model.heads"), ("session.plots.waves.", "session.plots.wave."),
    ("plots.waves.curves", "plots.waves.curvs"), ("session.plots.waves.curves = [0, 2]", "session.plots.waves = 5"),
    ('encoding = "none"', 'encoding = "non"'), ("base = 100 }", "bass = 100 }"), ("n_heads = 2", "n_heads = 3"),
    (HEADS, 'session.tokenizer = "/etc/passwd.json"'), (TEXT, 'session.tokenizer = ["words"]'),
    ("order = [1, 2, 0", 'tokenizer = "a.json"\norder = [1, 2, 0'), ("order = [1, 2, 0", "ordr = [1, 2, 0"),
    (TEXT, f'session.text = "{"a" * 1_000_001}"'), (TEXT, "session.text = 2020-01-01"),
    (HEADS, "session.model.scale = nan"),
    # questions
    (CLAIM, 'claims = ["eqiv'), ('claims = ["equivariance.value', 'claims = ["equivariance.val'),
    (GOAL, '["session.order"]'), (GOAL, "[5]"), (GOAL, "[\"open('x') == 1\"]"), (GOAL, '"session.order != []"'),
    ("{{equivariance.value}}", "{{equivariance.valu}}"), ("{{session.n_tokens}}.", "{{__import__('os')}}."),
    # predictions
    (TOLERANCE, "tolerance = inf"), (f"{TOLERANCE}\n", ""), (TOLERANCE, "tolerance = -1"),
    (TOLERANCE, f"{TOLERANCE}\ncurve = 1"), ('value = "session.n_tokens"', "value = true"),
    ("nothing = 0 }", "nothing = nan }"), ('kind = "number"', 'kind = "numbr"'), ('kind = "number"\n', ""),
    ("curve = 0", "curve = -1"), ('plot = "waves"', 'plot = "attention"'),
    ("[prediction.when]\nsame =", "[solve.x]\nsame ="), ("- half: all tokens\n", ""),
    ("- half: all", "- half: all\n- all: all"),
    ('none = "0 * session.n_tokens"\ntokens = "session.n_tokens"\nhalf = "session.n_tokens / 1"\n', ""),
    ("- not-same: It", "- notsame: It"), ("- not-same: It changes.\n* swap: The tokens swap their outputs.\n", ""),
    ("* swap:", "* same:"), ("What happens to the output of each token?\n", ""), ('[prediction]\nkind = "text"\n', ""),
    ("### Predict\n\nWhat happens", "### Hint\n\nWhat happens"), ("* swap: The tokens swap their outputs.\n", ""),
    ("### Feedback swap", "### Feedback swp"), ("### Feedback same", "### Feedback swap"),
    ("### Feedback characters", "### Feedback chars"), ("### Feedback reversed", "### Feedback tokens"),
    (ENDS, f"{ENDS}\n\n### Feedback right\n\nx"),
)  # fmt: skip
# With these a file can be played, and doesn't keep what it promises.
BROKEN = (
    ('equivariance.value < 1e-4"]', 'equivariance.value > 1e-4"]'),
    (CLAIM, 'claims = ["session.n_tokens == 7", "equiv'), (CLAIM, 'claims = ["session.tokens[99] == 1", "equiv'),
    (CLAIM, 'claims = ["session.tokens != before.session.tokens", "equiv'),
    (CLAIM, 'claims = ["session.tokens[5] != 1", "equiv'),
    (CLAIM, 'claims = ["session.order == before.session.order", "equiv'), (GOAL, '["session.n_tokens == 6"]'),
    (GOAL, '["session.order != []", "session.focus == 9"]'), (GOAL, '["session.order[9] == 1"]'),
    ("order = [1, 2, 0, 3, 4, 5]", "focus = 3"), ("order = [1, 2, 0, 3, 4, 5]", "order = [1, 0]"),
    ('not-same = "equivariance.value >= 1e-4"', 'not-same = "1 < 2"'),
    ('\nsame = "equivariance.value < 1e-4"', '\nsame = "2 < 1"'), ("Count them.", "Count " * 61),
    ("### Act\n\nReverse them.\n", ""), (f"### Explain\n\n{ENDS}\n", ""),
    ("### Hint\n\nThe tokens can be moved.\n\n### Hint\n\nPress Reverse.\n", ""),
    (f"{SHOWS}\npanels = []", "panels = []"),
    (f"{SHOWS}\npanels = []\n\n{WORDS}", 'reveal = ["waves"]\n```\n'),
    ("{{equivariance.value}}", "{{session.tokens[99]}}"), ("{{len(session.text)}} characters", "{{vectors[0][99]}}"),
    (r"$\sum_n", r"$\summ_n"), ("Reverse them.", "Open the Encoding card."), ("Press Reverse.", "Press it, top left."),
    (TEXT, f"{TEXT}\nsession.focus = 4"), ('lock = ["encoding", "model"]', 'lock = ["tokens", "encoding", "model"]'),
    ('panels = ["tokens", "encoding", "model"]', 'panels = ["encoding", "model"]'),
    ("nothing = 0", 'nothing = "session.n_tokens"'),
    ('reveal = ["equivariance"]', 'reveal = ["equivariance", "clocks"]'),
    ("nothing = 0", 'nothing = "session.order[0]"'), ('value = "session.n_tokens"', 'value = "session.text"'),
    ('value = "session.n_tokens"', 'value = "angles[0][0]"'),
    ('half = "session.n_tokens / 1"', 'half = "session.tokens[0]"'), ("curve = 0", "curve = 2"),
    ("slow = 1 }", "slow = 9 }"), ("### Feedback wrong", "### Hint"),
)  # fmt: skip


def changed(old: str, new: str) -> str:
    """The example with its first occurrence of some words changed."""
    assert old in LAB, old
    return LAB.replace(old, new, 1)
