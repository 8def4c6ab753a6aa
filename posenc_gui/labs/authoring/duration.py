"""The estimated duration of a lab: reading, thinking and doing."""

from __future__ import annotations

from posenc_gui.labs.definition.lab import Choice, Kind, Lab, Order, Step
from posenc_gui.labs.text.lab_markdown import n_words

TRANSFERRING = 8  # seconds to answer the transfer question and look at its picture
LONGEST = 20  # minutes of one lab; longer ones must be cut or split
OFF = 3  # minutes by which a lab may exceed its stated duration
WORDS_A_MINUTE = 150  # reading speed for new explanations
# Seconds to make a prediction and, below, to give a reason, act in the window and look at the outcome.
PREDICTING: dict[Kind, int] = {"choice": 25, "number": 40, "order": 40, "sketch": 40, "text": 60}
REASON, ACTING, LOOKING = 20, 25, 15
ENDING = 35  # seconds to enter a name and save the report


def minutes(lab: Lab) -> int:
    """Return the minutes, rounded, for a learner who reads the steps and the takeaway once, needs no hint, and errs in
    every second prediction."""
    end = 60 * n_words(lab.takeaway) / WORDS_A_MINUTE + ENDING
    return round((sum(map(seconds, lab.steps)) + end) / 60)


def seconds(step: Step) -> float:
    """Return the estimated seconds for a step."""
    words: float = sum(map(n_words, (step.title, step.text, step.asks, step.act, step.explain)))
    match step.prediction:
        case Choice(options=answers) | Order(items=answers):
            words += sum(map(n_words, answers.values()))
    if step.feedback:
        words += sum(map(n_words, step.feedback.values())) / len(step.feedback) / 2
    if step.transfer:
        words += sum(map(n_words, (step.transfer.asks, step.transfer.answer, *step.transfer.choice.options.values())))
    doing = PREDICTING[step.prediction.kind] if step.prediction else 0
    doing += REASON if step.prediction and step.prediction.kind != "text" else 0
    doing += (ACTING if step.goal else 0) + (TRANSFERRING if step.transfer else 0)
    return 60 * words / WORDS_A_MINUTE + doing + LOOKING
