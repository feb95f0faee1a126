"""The syllabus of the demo library, a DOCX."""

from __future__ import annotations

import datetime as dt
import io
import zipfile
from collections.abc import Sequence

from docx import Document
from docx.shared import Pt

Rows = Sequence[Sequence[str]]

GRADING: Rows = [
    ("Component", "Share of the grade", "Handed in"),
    ("Field notebook", "20 percent", "after each field day"),
    ("Six lab reports", "30 percent", "Fridays, 16:00"),
    ("Data project", "25 percent", "week 13"),
    ("Final examination", "25 percent", "9 June 2026"),
]

SCALE: Rows = [
    ("Points", "Grade"),
    ("90 to 100", "A"),
    ("78 to 89", "B"),
    ("64 to 77", "C"),
    ("50 to 63", "D"),
    ("below 50", "not passed"),
]

SCHEDULE: Rows = [
    ("Week", "Begins", "Topic", "Work due"),
    ("1", "2 March", "What is measured, and why", ""),
    ("2", "9 March", "Temperature: sensors and time constants", "Safety test"),
    ("3", "16 March", "Salinity from conductivity", "Lab report 1"),
    ("4", "23 March", "Pressure and depth", "Lab report 2"),
    ("5", "30 March", "Reading week, no class", ""),
    ("6", "6 April", "Moored buoys", "Lab report 3"),
    ("7", "13 April", "First field day: the river mouth", "Notebook 1"),
    ("8", "20 April", "Drifting buoys and their tracks", "Lab report 4"),
    ("9", "27 April", "Waves", "Lab report 5"),
    ("10", "4 May", "Quality marks and missing data", "Project proposal"),
    ("11", "11 May", "Second field day: Mid Bank", "Notebook 2"),
    ("12", "18 May", "Uncertainty budgets", "Lab report 6"),
    ("13", "25 May", "Project talks", "Data project"),
    ("14", "1 June", "Review", ""),
]

FIELD_LIST = [
    "A life jacket is lent to you on the quay; try it on before you step aboard.",
    "Bring warm clothes in layers, gloves without fingers and a hat that stays on.",
    "Bring your notebook and two pencils. Pens do not write on wet paper.",
    "Take medicine against seasickness the evening before, not on the quay.",
    "Be at the Kaldnes quay at 07:30. The boat leaves at 08:00 and waits for nobody.",
]


def make_syllabus(made: dt.datetime) -> bytes:
    """A DOCX with headings, a list and tables."""
    doc = Document()
    doc.styles["Normal"].font.size = Pt(11)
    properties = doc.core_properties
    properties.title = "OCN 214 Ocean Measurement: Syllabus"
    properties.author = "Skarholm University"
    properties.created = properties.modified = made.replace(tzinfo=None)

    def say(*paragraphs: str) -> None:
        for text in paragraphs:
            doc.add_paragraph(text)

    def table(rows: Rows) -> None:
        grid = doc.add_table(rows=len(rows), cols=len(rows[0]), style="Table Grid")
        for cells, row in zip(grid.rows, rows, strict=True):
            for cell, text in zip(cells.cells, row, strict=True):
                cell.text = text

    doc.add_heading("OCN 214 Ocean Measurement", level=0)
    say("Skarholm University, Department of Ocean Measurement. Spring term 2026, 10 credits.")

    doc.add_heading("About the course", level=1)
    say(
        "A thermometer always shows a number. This course is about whether to believe it. You learn "
        "how the sea is measured, what goes wrong, and how to say honestly how much is known."
    )
    doc.add_heading("Aims", level=2)
    say(
        "At the end you can choose a sensor for a task, put it into the water and get it back, read "
        "its data with a critical eye, and write down a result with its uncertainty."
    )
    doc.add_heading("Teachers and office hours", level=2)
    say(
        "The course is led by Dr. Sunniva Aarvold, room 2.17, with office hours on Tuesdays from 13:00 "
        "to 14:30. The labs are run by Eskil Bratthammer, who can be found in the tank hall on "
        "Thursday afternoons.",
        "Write to the course address rather than to one of us. We answer within two working days, "
        "not on weekends.",
    )
    doc.add_heading("What you need to know already", level=2)
    say(
        "OCN 101 and one course in statistics. You should be able to swim 200 metres; the safety test "
        "in week 2 includes a jump into the harbour in an immersion suit."
    )

    doc.add_heading("Grading", level=1)
    doc.add_heading("Components", level=2)
    say("The grade is made of four parts. Each of them must be passed with at least 40 points of 100.")
    table(GRADING)
    doc.add_heading("Scale", level=2)
    table(SCALE)
    doc.add_heading("Grade review", level=2)
    say(
        "Whoever doubts a grade asks for a review within ten working days. A second teacher then "
        "marks the work without knowing the first grade, and the mean of both counts."
    )

    doc.add_heading("Rules", level=1)
    doc.add_heading("Late work", level=2)
    say(
        "Work that is handed in late loses 10 percent of its points for each day begun. After five "
        "days it is not accepted any more and counts as zero points. The data project is never "
        "accepted late, since the talks depend on it."
    )
    doc.add_heading("Grace days", level=2)
    say(
        "Everyone has three grace days in the term. A grace day lifts the deduction for one late day "
        "of a lab report; up to two of them can be used on the same report. They are used "
        "automatically, first come first served, and cannot be handed to others. Grace days do not "
        "apply to the field notebook."
    )
    doc.add_heading("Attendance", level=2)
    say(
        "Lectures are open. Labs and both field days are required. A missed field day can be made up "
        "once, on the first Saturday in June, with a note from a doctor or when the weather was the "
        "reason."
    )
    doc.add_heading("Borrowed equipment", level=2)
    say(
        "Instruments are borrowed from Brennavik Instruments on a letter from the course. A late "
        "return that is reported to us counts as late work of the report for which the instrument was "
        "borrowed, and grace days cannot be used for it."
    )
    doc.add_heading("Honesty", level=2)
    say(
        "You may talk about everything and share data, but you write your own reports. Numbers that "
        "were not measured are the one thing we do not forgive: an invented record fails the course."
    )

    doc.add_heading("Schedule", level=1)
    table(SCHEDULE)

    doc.add_heading("Field days", level=1)
    say("The field days take place on the workboat Lomvi. Please note:")
    for item in FIELD_LIST:
        doc.add_paragraph(item, style="List Number")
    doc.add_heading("When the weather is bad", level=2)
    say(
        "Whether we go is decided at 18:00 on the evening before and posted on the course page. If a "
        "field day is called off, it moves to the Friday of the same week, and the notebook is due "
        "three days later than planned."
    )

    doc.add_heading("Books", level=1)
    say(
        "There is no textbook to buy. The notes of the course are on its page, and the library keeps "
        "six copies of the handbook of the buoy desk on reserve."
    )
    packed = io.BytesIO()
    doc.save(packed)
    return repacked(packed.getvalue(), made)


def repacked(data: bytes, made: dt.datetime) -> bytes:
    """The same ZIP with fixed time stamps."""
    out = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(data)) as source,
        zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as target,
    ):
        for name in source.namelist():
            info = zipfile.ZipInfo(name, made.timetuple()[:6])
            info.compress_type = zipfile.ZIP_DEFLATED
            target.writestr(info, source.read(name))
    return out.getvalue()
