"""A lab with one step of every kind of prediction, as its writer would type it."""

from __future__ import annotations

LAB = r"""# Attention reads a set

What does attention know about the order of its tokens?

```lab
format = 1
minutes = 10
```

## Does the order change the output?

Reorder the tokens: what becomes of $\sum_n w_{mn} v_n$ of each token?

```step
name = "reorder"
keep = ["text"]
session.encoding = "none"
session.model.n_heads = 2
session.plots.waves.curves = [0, 2]
show = ["attention"]
reveal = ["equivariance"]
panels = ["tokens", "encoding", "model"]
lock = ["encoding", "model"]
goal = ["session.order != []"]
claims = ["equivariance.value < 1e-4"]

[solve]
order = [1, 2, 0, 3, 4, 5]

[prediction]
kind = "choice"
[prediction.when]
same = "equivariance.value < 1e-4"
not-same = "equivariance.value >= 1e-4"
```

### Predict

What happens to the output of each token?

- same: It moves along,
  unchanged.
- not-same: It changes.
* swap: The tokens swap their outputs.

### Act

Reverse them.

### Hint

The tokens can be moved.

### Hint

Press Reverse.

### Explain

No output changed by more than {{equivariance.value}}.

There are {{ session.n_tokens }} tokens.

### Feedback swap

An output belongs to its token.

### Feedback same

So it is.

## How many tokens?

Count them.

```step
name = "count"
session.text = "a b c d"
show = ["attention"]

[prediction]
kind = "number"
value = "session.n_tokens"
tolerance = 0.5
near = { characters = "len(session.text)", nothing = 0 }
```

### Predict

How many tokens are there?

### Explain

There are {{session.n_tokens}}.

### Feedback right

You counted words.

### Feedback characters

You counted {{len(session.text)}} characters.

### Feedback wrong

Count again.

## Which is the largest?

Put them in order.

```step
name = "order"
session.text = "a b c"
show = ["attention"]

[prediction]
kind = "order"
[prediction.items]
text = "len(session.text)"
none = "0 * session.n_tokens"
tokens = "session.n_tokens"
half = "session.n_tokens / 1"
```

### Predict

The smallest first.

- tokens: tokens
- text: characters
- none: nothing
- half: all tokens

### Explain

Spaces are characters too.

### Feedback reversed

The other way round.

## What does a wave look like?

Draw the first one.

```step
name = "sketch"
session.encoding = { name = "sinusoidal", base = 100 }
session.plots.waves.curves = [0, 6]
reveal = ["waves"]

[prediction]
kind = "sketch"
plot = "waves"
curve = 0
near = { slow = 1 }
```

### Predict

Draw the wave of dimension 0.

### Explain

It is a sine.

### Feedback slow

That is a later pair.

## Your words

What have you learned?

```step
name = "words"
show = ["attention"]
panels = []

[prediction]
kind = "text"
```

### Predict

Write a sentence.

### Explain

Thank you.
"""
