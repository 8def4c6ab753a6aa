"""The three questions that a first start asks next."""

from posenc_gui.app.widgets.questions import NextQuestion

QUESTIONS = (
    NextQuestion("flow", "How does it know?", "Where position comes in, and what comes in."),
    NextQuestion("requirements", "Is it a good encoding?", "Six requirements, measured."),
    NextQuestion("compare", "Which is better?", "Two encodings on your own sentence."),
)
