"""An attack on the explorer that anyone can run: does it hang, crash, lose something or leave something lying about?

    python -m tools.attack KIND [--count N] [--seed S]        from the repository's root, on Linux

| KIND | one case | a large run | minutes |
| --- | --- | --- | --- |
| hostile | a damaged or malicious file, given to the API, the command line or a window; the next start | --count 1500 | 35 |
| inputs | a deck, figure, config, share string, text, session, layout or number, odd or just below a limit | --count 100 | 15 |
| kills | a window that is edited, saves and exports is killed, alone or with all it began; the next start | --count 200 | 20 |
| disk | a writer whose disk is full after a random number of bytes | --count 300 | 15 |
| actions | 200 random actions on a window, which must come up again | --count 50 | 30 |
| closings | a window that is closed in one of five ways, idle, computing or with a dialog; the next start | --count 200 | 40 |
| surroundings | the command line and a window with another locale, clock or home folder; the next start | --count 40 | 20 |
| growth | a window that does the same thirty times, or is edited 1,500 times | --count 20 | 60 |
| append | some processes that append to one deck at once, of which one may be killed | --count 60 | 15 |
| writer | a window that is killed while a step of a lab is typed; the next start | --count 100 | 20 |
| models | a model too large for its folder, or stopped while it loads, between two openings of a sound one | --count 40 | 15 |
| cards | all plots' cards, opened one after the other, and then the theme and the place changed | --count 5 | 10 |
| orphans | a window that reads, exports and has a model is killed; its processes, two seconds later | --count 40 | 30 |
| all | each kind in turn | | |

The minutes are those of a machine with two cores that is busy otherwise. It is best run by an ordinary user, whose rights
keep what is attacked from writing where it must not.

Each case follows from its seed alone: case 17 of `--count 200` is repeated by `--seed 17 --count 1`. Whatever goes wrong is
told at once, with its seed; at the end stands a table. The exit status is 1 unless all that is counted is zero. `table` gives
each input at each of its doors, and prints the seconds, the megabytes and the window's longest pause that it takes: 30 minutes.

`met` says how often what a kind is about was really met: hostile, a refusal that was told, or a kept picture that was taken;
inputs, an answer; kills, an export under way; disk, a writer that had no room; actions, each that was done; closings, a
computation under way or a dialog; surroundings, a next start that came up; growth, each round; append, two at once; writer,
words that were typed; models, each sentence; cards, each card; orphans, each process that was there. A run that meets nothing
proves nothing. Clocks need libfaketime, and locales localedef.

What is counted: hangs, no answer in 10 seconds; stalls, pauses of a window's UI thread of more than a quarter of a second;
tracebacks, on standard error or in a log; aborts, a process that ended by a signal or with another status than is usual;
lost, edits that were made more than a second before the end, a file that is neither the old one nor the new, or that wasn't
written though nothing stood in its way; stray, temporary files that are still there after the next start, and processes that
outlive the window; unsaid, what is not told in one plain sentence, or told by others than the explorer; grown, memory or
objects that a window goes on taking while it does the same again and again, and 200 MB more than a sound model takes.

Windows run on Qt's offscreen platform unless QT_QPA_PLATFORM says otherwise: `QT_QPA_PLATFORM=xcb xvfb-run python -m
tools.attack actions`. Each process has a home, a configuration and a limit of memory of its own. Pauses and
hangs are by the clock on the wall, less what a thread of the process waited for a processor (Linux counts it): a busy
machine's aren't the window's. What the window's own thread computes always counts.

`__main__.py` counts; `outcome.py` is what comes of a case; `child.py` runs processes; `window.py` is the real window with a
script; each other file is a kind or what kinds share.
"""
