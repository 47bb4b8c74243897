"""Every option of the table is equal in Python: names, defaults, texts, and the sentences that refuse values.

The table is docs/reference/runtime-options.md. A test in C++ compares this file with the code, and tests/options
compares all other ways to set an option with it.
"""

import pathlib
import re

import pytest

import troupe

DOCUMENT = pathlib.Path(__file__).parents[2] / "docs" / "reference" / "runtime-options.md"


def rows():
    """The name, the possible values, the default and the meaning of each option."""
    for line in DOCUMENT.read_text().splitlines():
        cells = [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if len(cells) == 8 and cells[0].startswith("`"):
            usual = re.match(r"`([^`]*)`", cells[6]) if not cells[6].endswith("service") else None
            yield cells[1].strip("`"), cells[5], usual.group(1) if usual else "", cells[7].split(" ([")[0]


OPTIONS = {name: (values, usual, meaning) for name, values, usual, meaning in rows()}
#: In Python, `trace` also takes a path, so it has a text of its own.
SHARED = {name: row for name, row in OPTIONS.items() if name != "trace"}


def test_the_keywords_are_those_of_the_table():
    assert len(OPTIONS) > 25
    assert set(OPTIONS) == set(troupe._troupe._runtime_options) - {"on_warning", "on_stall"}


@pytest.mark.parametrize("name", SHARED)
def test_the_documentation_is_that_of_the_table(name):
    values, usual, meaning = SHARED[name]
    line = next(line for line in troupe.Runtime.__doc__.splitlines() if line.startswith(f"{name} ("))
    assert line.split(": ", 1)[1] == f"{meaning}; {values}" + (f"; default: {usual}" if usual else "")


@pytest.mark.parametrize("name", [name for name in SHARED if re.fullmatch(r"\d+ to \d+", SHARED[name][0])])
def test_numbers_out_of_range_are_refused_by_the_sentence_of_every_door(name):
    least, most = (int(number) for number in SHARED[name][0].split(" to "))
    remedy = f"give a whole number from {least} to {most}"
    below = f"'{least - 1}' is too small: {remedy}" if least > 0 else f"'-1' is negative: {remedy}"
    for value, sentence in [(most + 1, f"'{most + 1}' is too large: {remedy}"), (least - 1, below)]:
        with pytest.raises(ValueError) as refused:
            troupe.Runtime(**{name: value})
        assert str(refused.value).startswith(f"Runtime: {name}: {sentence}")


@pytest.mark.parametrize(
    "option, value, sentence",
    [
        ("gpu_memory", "8", "'8' is no amount of memory: give a positive number and a unit, such as 512MiB or 8GiB"),
        ("gpu_memory", 0, "'0B' is no amount of memory: give a positive number and a unit, such as 512MiB or 8GiB"),
        ("spin", "5", "'5' is no time: give a number and a unit (ns, us, ms, s, m or h), such as 500ms, 5s or 2m"),
        ("eviction", "next-us", "'next-us' is none of lru, reuse, next-use; did you mean next-use?"),
        ("opencl", "some", "OpenCL devices 'some': 'some' is no number of a device; all, gpu, cpu or numbers are known; there "),
    ],
)
def test_other_values_are_refused_by_the_sentence_of_every_door(option, value, sentence):
    with pytest.raises(troupe.InvalidArgument) as refused:
        troupe.Runtime(**{option: value})
    assert str(refused.value).startswith(f"Runtime: {option}: {sentence}")


def test_values_may_be_texts_where_they_have_units():
    with troupe.Runtime(cores=1, spin="20us", why_after="1h", emulated_gpus="1:memory=8MiB", gpu_memory="8MiB") as rt:
        assert rt.workers == 2
    with troupe.Runtime(cores=1, spin=2e-5, why_after=3600, emulated_gpus=1) as rt:
        assert rt.workers == 2
    with troupe.Runtime(cores=1, emulated_gpus=0, models="none") as rt:
        assert rt.workers == 1
